package invoice_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func documentConfig(s *sandbox.Server, model, id, format string) string {
	return acctest.Config(s, fmt.Sprintf("data \"einvoice_invoice_document\" \"test\" {\n  model  = %q\n  id     = %q\n  format = %q\n}", model, id, format))
}

func expectDocument(name string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("data.einvoice_invoice_document.test", tfjsonpath.New(name), value)
}

// authorizedOf makes an authorized invoice of each model.
func authorizedOf(s *sandbox.Server) map[string]string {
	ids := map[string]string{}
	for model, kind := range map[string]string{
		"productInvoice": sandbox.KindProductInvoices, "consumerInvoice": sandbox.KindConsumerInvoices, "serviceInvoice": sandbox.KindServiceInvoices,
	} {
		ids[model] = s.Seed(kind, map[string]any{
			"status": "authorized", "model": model, "number": 7, "amount": 10, "receiver": map[string]any{"name": "Ana & João"},
			"authorization": map[string]any{"date": "2026-11-10T10:00:00-03:00", "protocol": "135", "digestValue": "v"},
		})
	}
	return ids
}

func TestAccInvoiceDocumentDataSource_readsEveryModel(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	var steps []resource.TestStep
	for model, id := range authorizedOf(s) {
		steps = append(
			steps,
			resource.TestStep{
				Config: documentConfig(s, model, id, "xml"),
				ConfigStateChecks: []statecheck.StateCheck{
					expectDocument("content_base64", acctest.DecodesTo(`^<\?xml(.|\n)*Ana &amp; João(.|\n)*>$`)),
					expectDocument("content", knownvalue.StringRegexp(regexp.MustCompile(`^<\?xml(.|\n)*Ana &amp; João(.|\n)*<nProt>135</nProt></\w+>$`))),
				},
			},
			resource.TestStep{
				Config: documentConfig(s, model, id, "pdf"),
				ConfigStateChecks: []statecheck.StateCheck{
					expectDocument("content_base64", acctest.DecodesTo(`^%PDF-1\.4\n(.|\n)*%%EOF\n$`)),
					expectDocument("content", knownvalue.Null()),
				},
			},
		)
	}
	acctest.Run(t, steps)
}

func TestAccInvoiceDocumentDataSource_namesTheStatusBeforeTheAuthorization(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	var steps []resource.TestStep
	for _, test := range []struct{ status, want string }{
		{"created", `Read it\s+again\s+after`},
		{"enqueued", `Read it\s+again\s+after`},
		{"received", `Read it\s+again\s+after`},
		{"rejected", `never\s+authorized`},
		{"denied", `never\s+authorized`},
		{"someNewStatus", ``},
	} {
		id := s.Seed(sandbox.KindServiceInvoices, map[string]any{"status": test.status, "integrationId": "order-1"})
		steps = append(steps, resource.TestStep{
			Config: documentConfig(s, "serviceInvoice", id, "pdf"), PlanOnly: true,
			ExpectError: regexp.MustCompile(`No document yet: NFS-e \(order-1\)(.|\n)*status of\s+NFS-e\s+\(order-1\)\s+is\s+"` + test.status + `"(.|\n)*` + test.want),
		})
	}
	acctest.Run(t, steps)
}

func TestAccInvoiceDocumentDataSource_otherFailures(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	id := authorizedOf(s)["serviceInvoice"]
	const downloads = "/v1/service-invoices/{id}/xml"
	answered := func(fault sandbox.Fault) func() {
		fault.Method, fault.Path = "GET", downloads
		return func() { s.Inject(fault) }
	}
	config := documentConfig(s, "serviceInvoice", id, "xml")
	fails := func(config, want string) resource.TestStep {
		return resource.TestStep{Config: config, PlanOnly: true, ExpectError: regexp.MustCompile(want)}
	}
	refused := fails(config, `Cannot read invoice document(.|\n)*being\s+made`)
	refused.PreConfig = answered(sandbox.Fault{Kind: sandbox.FaultStatus, Status: 400, Message: "The document is being made."})
	forbidden := fails(config, `Cannot read invoice document(.|\n)*no access(.|\n)*api_key`)
	forbidden.PreConfig = answered(sandbox.Fault{Kind: sandbox.FaultStatus, Status: 403, Message: "no access"})
	page := fails(config, `Cannot read invoice document(.|\n)*holds\s+no\s+XML\s+document`)
	page.PreConfig = answered(sandbox.Fault{Kind: sandbox.FaultBody, Status: 200, Body: `"<html>login</html>"`})
	acctest.Run(t, []resource.TestStep{
		refused, forbidden, page,
		fails(documentConfig(s, "serviceInvoice", "7c9e6679-7425-40de-944b-e07fc1f90ae7", "xml"), `NFS-e not found`),
		fails(documentConfig(s, "orders", id, "xml"), `Invalid model`),
		fails(documentConfig(s, "serviceInvoice", id, "html"), `Invalid format(.|\n)*pdf,\s+xml`),
		fails(documentConfig(s, "serviceInvoice", "", "xml"), `Empty id`),
		fails(acctest.Config(s, `data "einvoice_invoice_document" "test" {}`), `"format" is required`),
	})
}

// TestAccInvoiceDocumentDataSource_isReadOnceTheInvoiceIsAuthorized in the apply
// that issues it.
func TestAccInvoiceDocumentDataSource_isReadOnceTheInvoiceIsAuthorized(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{{
		Config: acctest.Config(s, `
resource "einvoice_invoice_issuance" "test" {
  model          = "serviceInvoice"
  integration_id = "order-1"
  payload_json   = jsonencode({ description = "d", federalServiceCode = "17.01", total = { invoiceAmount = 10 } })
}
data "einvoice_invoice_document" "test" {
  model  = "serviceInvoice"
  id     = einvoice_invoice_issuance.test.id
  format = "xml"
}`),
		ConfigStateChecks: []statecheck.StateCheck{expectDocument("content", knownvalue.NotNull())},
	}})
}

// What is saved must be the document byte for byte: a file with one byte more is
// no PDF, and no signed XML. The other forms of an answer are cases of the client.
func TestAccInvoiceDocumentDataSource_isSavedByteForByte(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{DocumentForm: sandbox.DocumentRaw, Clock: sandbox.NewManualClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))})
	id := authorizedOf(s)["serviceInvoice"]
	original := map[string]string{}
	for _, format := range []string{"pdf", "xml"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.BaseURL()+"/service-invoices/"+id+"/"+format, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Api-Key", s.OwnerKey())
		answer, err := new(http.Client).Do(request)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: HTTP %d, %v", format, answer.StatusCode, err)
		}
		original[format] = string(content)
	}
	w := acctest.NewAttached(t, documentConfig(s, "serviceInvoice", id, "pdf")+fmt.Sprintf(`
data "einvoice_invoice_document" "xml" {
  model  = "serviceInvoice"
  id     = %q
  format = "xml"
}
output "pdf" { value = data.einvoice_invoice_document.test.content_base64 }
output "xml" { value = data.einvoice_invoice_document.xml.content_base64 }
output "text" { value = data.einvoice_invoice_document.xml.content }`, id))
	w.MustApply()
	for format, want := range original {
		saved, err := base64.StdEncoding.DecodeString(strings.TrimSpace(w.MustRun("output", "-raw", format)))
		if err != nil || string(saved) != want {
			t.Errorf("%s: saved %q (%v), want %q", format, saved, err, want)
		}
	}
	if text := w.MustRun("output", "-raw", "text"); text != original["xml"] {
		t.Errorf("the text is %q, want %q", text, original["xml"])
	}
}
