package invoice_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestInvoiceDataSources(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "invoice_reads.json")
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

func documentOf(model, id, format string) map[string]any {
	return map[string]any{"model": model, "id": id, "format": format}
}

// The specification names both without a path.
func TestInvoiceDocumentDataSource_readsLettersAndPreviews(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := authorizedOf(s)["productInvoice"]
	s.Patch(sandbox.KindProductInvoices, id, map[string]any{"_corrections": []any{map[string]any{"eventId": "e-1", "letter": "Onde se lê A, leia-se B"}}})
	named := testkit.Serve(t, s, map[string]any{"operations": map[string]any{"preview_invoice": "GET /v1/{model}-invoices/{id}/pdf"}})
	for format, want := range map[string]string{"pdf": `^%PDF`, "xml": `<xCorrecao>Onde se lê A, leia-se B</xCorrecao>`, "preview": `^%PDF`} {
		arguments := documentOf("productInvoice", id, format)
		if format != "preview" {
			arguments["correction_event_id"] = "e-1"
		}
		state, failed := named.ReadData("einvoice_invoice_document", arguments)
		content, _ := base64.StdEncoding.DecodeString(fmt.Sprint(state["content_base64"]))
		if failed != "" || !regexp.MustCompile(want).Match(content) {
			t.Errorf("the %s is %q (%s)", format, content, failed)
		}
	}
	if n := s.Count("GET", "/v1/product-invoices/{id}/corrections/{eventId}/xml"); n != 1 {
		t.Errorf("the letter was read %d times", n)
	}
	s.ResetRequests()
	_, failed := testkit.Serve(t, s, nil).ReadData("einvoice_invoice_document", documentOf("productInvoice", id, "preview"))
	if !regexp.MustCompile(`(?s)No path for the preview.*preview_invoice`).MatchString(failed) || len(s.Requests()) > 0 {
		t.Errorf("%d requests, and the error is %q", len(s.Requests()), failed)
	}
}

func TestInvoiceDocumentEphemeral_readsWhatTheDataSourceReads(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for model, id := range authorizedOf(s) {
		for _, format := range []string{"xml", "pdf"} {
			shown, said := p.Open("einvoice_invoice_document", documentOf(model, id, format))
			state, _ := p.ReadData("einvoice_invoice_document", documentOf(model, id, format))
			if content := shown["content_base64"]; len(said) > 0 || content == nil || content != state["content_base64"] {
				t.Errorf("the %s of a %s is %v, want %v (%v)", format, model, content, state["content_base64"], said)
			}
		}
	}
	fixture.WantWrites(t, s, 0)
}

// The document goes to a write-only argument, and into no file.
func TestAccInvoiceDocumentEphemeral_leavesNoTrace(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{SecretReads: sandbox.SecretsClear})
	w := testkit.NewAttached(t, testkit.Config(s, fmt.Sprintf(`
ephemeral "einvoice_invoice_document" "xml" {
  model  = "serviceInvoice"
  id     = %q
  format = "xml"
}

resource "einvoice_company_settings" "main" {
  company_id = %q
  secrets    = { csc_wo = sha256(ephemeral.einvoice_invoice_document.xml.content), csc_wo_version = "1" }
}`, authorizedOf(s)["serviceInvoice"], s.OwnerCompanyID())))
	if !w.Cli.AtLeast(1, 11) {
		t.Skipf("%s has no write-only arguments", w.Cli)
	}
	w.MustRun("plan", "-input=false", "-out=saved.plan")
	w.MustRun("apply", "-input=false", "saved.plan")
	w.MustPlanNothing()
	handed := fmt.Sprint(testkit.At(s.SettingsClear(s.OwnerCompanyID()), "consumerInvoice.csc"))
	if len(handed) != 64 {
		t.Fatalf("the service was given %q", handed)
	}
	for _, text := range []string{"João", handed} {
		if files := w.InFiles(text); len(files) != 0 {
			t.Errorf("%v hold the document", files)
		}
	}
}
