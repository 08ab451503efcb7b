package e2e_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// FuzzImportID gives every resource that can be imported any text as its id. No text leads to a request that changes
// something or that goes elsewhere, and none is imported that the service does not know.
func FuzzImportID(f *testing.F) {
	for _, id := range []string{"a", "", "serviceInvoice/a", "serviceInvoice/../companies", "federal_tax_number=11.222.333/0001-81", "federal_tax_number=", "code=a&b=c", "event=a,url=https://a,b=c", "serviceInvoice/integration_id=a/../b", "11222333000181/serviceInvoice/integration_id=a", "transaction_id=a", "//evil.example/x", "?a=b#c", "a\r\nX: y", "\xff"} {
		f.Add(id)
	}
	searched := []string{"/v1/companies", "/v1/customers", "/v1/products", "/v1/webhooks", "/v1/orders", "/v1/service-invoices", "/v1/product-invoices", "/v1/consumer-invoices"}
	s := sandbox.Start(f, sandbox.Options{})
	f.Fuzz(func(t *testing.T, id string) {
		s.ResetRequests()
		server := testkit.Serve(t, s, nil)
		for _, kind := range []string{
			"einvoice_company", "einvoice_company_settings", "einvoice_customer", "einvoice_product", "einvoice_webhook",
			"einvoice_invoice_issuance", "einvoice_order", "einvoice_correction_letter", "einvoice_inbound_manifestation",
		} {
			resp, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: kind, ID: id})
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			for _, d := range resp.Diagnostics {
				expect.False(t, d.Summary == "Provider bug", "%s, %q: %s", kind, id, d.Detail)
			}
		}
		for _, r := range s.Requests() {
			if r.Method != http.MethodGet || !slices.Contains(searched, r.Path) {
				t.Errorf("importing %q sent %s %s", id, r.Method, r.Path)
			}
		}
	})
}
