package e2e

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// What a service without updates or deletions says of each kind of object.
func TestMissingOperations_areNamed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind, path    string
		before, after map[string]any
		line          string // of operations, for an update
		stays         bool   // it is not destroyed
	}{
		"product": {
			kind: "einvoice_product", path: "/v1/products/{id}", line: `operations = { update_product = "METHOD /v1/PATH" }`,
			before: map[string]any{"name": "Broa", "code": "B-1"}, after: map[string]any{"name": "Pão", "code": "B-1"},
		},
		"webhook": {
			kind: "einvoice_webhook", path: "/v1/webhooks/{id}", line: `operations = { update_webhook = "METHOD /v1/PATH" }`,
			before: map[string]any{"event": "invoice.authorized", "url": "https://erp.example.com/a"},
			after:  map[string]any{"event": "invoice.authorized", "url": "https://erp.example.com/b"},
		},
		"company": {
			kind: "einvoice_company", path: "/v1/companies/{id}", line: `operations = { update_company = "METHOD /v1/PATH" }`,
			before: companyNamed("Padaria"), after: companyNamed("Confeitaria"), stays: true,
		},
		"customer": {kind: "einvoice_customer", path: "/v1/customers/{id}", before: map[string]any{"name": "Maria"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{Without: []string{"DELETE " + test.path, "PUT " + test.path}})
			o := testkit.Serve(t, s, nil).Object(test.kind)
			state, said := o.Create(test.before)
			if state == nil {
				t.Fatal(testkit.TextsOf(said))
			}
			if test.after != nil {
				if _, said := o.Create(test.after); !strings.Contains(testkit.ErrorsIn(said), test.line) {
					t.Errorf("the error of the update does not name the line: %s", testkit.TextsOf(said))
				}
			}
			if test.stays {
				return
			}
			planned, _ := o.PlanDestroy()
			if said := testkit.TextsOf(o.Destroy(planned)); !strings.Contains(said, "only removed from state") || o.State() != nil {
				t.Errorf("the destroy says %q and leaves %v", said, o.State())
			}
		})
	}
}

func companyNamed(name string) map[string]any {
	return map[string]any{
		"name": name, "legal_name": "Padaria Central Ltda", "federal_tax_number": fixture.BranchNumber,
		"address": map[string]any{"city": map[string]any{"code": "3550308"}},
	}
}

func TestMissingOperations_aDestroyNamesTheCancellationAndKeepsTheInvoice(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{CancelByPost: true})
	o := testkit.Serve(t, s, nil).Object("einvoice_invoice_issuance")
	state, said := o.Create(map[string]any{
		"model": "serviceInvoice", "integration_id": "sale-1", "cancellation_reason": "Venda desfeita pelo cliente",
		"payload_json": `{"description":"Consultoria","federalServiceCode":"17.01","total":{"invoiceAmount":10}}`,
	})
	if state == nil {
		t.Fatal(testkit.TextsOf(said))
	}
	errors := o.End()
	if !strings.Contains(errors, `operations = { cancel_invoice = "METHOD /v1/PATH" }`) || !strings.Contains(errors, "{model}") {
		t.Errorf("the error does not name the line: %s", errors)
	}
	if o.State() == nil {
		t.Error("the invoice is not in state any more")
	}
}
