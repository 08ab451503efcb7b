package invoice_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

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

func TestInvoiceDocumentDataSource_readsEveryModel(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for model, id := range authorizedOf(s) {
		for format, want := range map[string]string{"xml": `(?s)^<\?xml.*Ana &amp; João.*<nProt>135</nProt></\w+>$`, "pdf": `(?s)^%PDF-1\.4\n.*%%EOF\n$`} {
			state, failed := p.ReadData("einvoice_invoice_document", documentOf(model, id, format))
			content, err := base64.StdEncoding.DecodeString(fmt.Sprint(state["content_base64"]))
			if failed != "" || err != nil || !regexp.MustCompile(want).Match(content) {
				t.Errorf("the %s of a %s is %q (%v %s)", format, model, content, err, failed)
			}
			if text := state["content"]; format == "xml" && text != string(content) || format == "pdf" && text != nil {
				t.Errorf("the text of the %s of a %s is %v", format, model, text)
			}
		}
	}
}

func TestInvoiceDocumentDataSource_namesTheStatusBeforeTheAuthorization(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	var reads []testkit.DataRead
	for status, advice := range map[string]string{
		"created": "Read it again after", "enqueued": "Read it again after", "received": "Read it again after",
		"rejected": "never authorized", "denied": "never authorized", "someNewStatus": "",
	} {
		id := s.Seed(sandbox.KindServiceInvoices, map[string]any{"status": status, "integrationId": "order-1"})
		reads = append(reads, testkit.DataRead{
			Name: status, Arguments: documentOf("serviceInvoice", id, "pdf"),
			Error: `No document yet: NFS-e \(order-1\).*status of NFS-e \(order-1\) is "` + status + `".*` + advice,
		})
	}
	testkit.WantDataReads(t, s, "einvoice_invoice_document", reads)
}

func TestInvoiceDocumentDataSource_saysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := authorizedOf(s)["serviceInvoice"]
	for _, fault := range []sandbox.Fault{
		{Kind: sandbox.FaultStatus, Status: 400, Message: "The document is being made."},
		{Kind: sandbox.FaultStatus, Status: 403, Message: "no access"},
		{Kind: sandbox.FaultBody, Status: 200, Body: `"<html>login</html>"`},
	} {
		fault.Method, fault.Path = "GET", "/v1/service-invoices/{id}/xml"
		s.Inject(fault)
	}
	whole := documentOf("serviceInvoice", id, "xml")
	testkit.WantDataReads(t, s, "einvoice_invoice_document", []testkit.DataRead{
		{Name: "refused", Arguments: whole, Error: `Cannot read invoice document.*being made`},
		{Name: "forbidden", Arguments: whole, Error: `Cannot read invoice document.*no access.*api_key`},
		{Name: "a page", Arguments: whole, Error: `Cannot read invoice document.*holds no XML document`},
		{Name: "no such invoice", Arguments: documentOf("serviceInvoice", "7c9e6679-7425-40de-944b-e07fc1f90ae7", "xml"), Error: `NFS-e not found`},
		{Name: "another model", Arguments: documentOf("orders", id, "xml"), Error: `Invalid model`},
		{Name: "another format", Arguments: documentOf("serviceInvoice", id, "html"), Error: `Invalid format.*pdf, xml`},
		{Name: "no id", Arguments: documentOf("serviceInvoice", "", "xml"), Error: `Empty id`},
	})
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
