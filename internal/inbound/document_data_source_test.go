package inbound_test

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

const documentSource = "einvoice_inbound_invoice_document"

func TestInboundInvoiceDocumentDataSource_readsBothModels(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for model, id := range map[string]string{
		"NF-e":  s.SeedInbound(s.OwnerCompanyID(), map[string]any{"isComplete": true}),
		"NFS-e": s.SeedInbound(s.OwnerCompanyID(), map[string]any{"model": "serviceInvoice"}),
	} {
		for format, want := range map[string]string{"xml": `(?s)^<\?xml.*42318949000184`, "pdf": `^%PDF`} {
			state, failed := p.ReadData(documentSource, map[string]any{"id": id, "format": format})
			encoded, _ := state["content_base64"].(string)
			document, err := base64.StdEncoding.DecodeString(encoded)
			if failed != "" || err != nil || !regexp.MustCompile(want).Match(document) {
				t.Errorf("the %s of an %s is %q, and the error %q, %v", format, model, document, failed, err)
			}
			if text, _ := state["content"].(string); strings.HasPrefix(text, "<?xml") != (format == "xml") {
				t.Errorf("the content of the %s of an %s is %q", format, model, text)
			}
		}
	}
}

func TestInboundInvoiceDocumentDataSource_saysWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id, summary := s.SeedInbound(s.OwnerCompanyID(), map[string]any{"isComplete": true}), s.SeedInbound(s.OwnerCompanyID(), map[string]any{})
	of := func(id, format string) map[string]any { return map[string]any{"id": id, "format": format} }
	testkit.WantDataReads(t, s, documentSource, []testkit.DataRead{
		{Name: "the XML of a summary", Arguments: of(summary, "xml"), Warns: "Only the summary of an inbound invoice"},
		{Name: "the PDF of a summary", Arguments: of(summary, "pdf"), Error: `its status is "authorized", and the status of its manifestation is "none"`},
		{Name: "an unknown id", Arguments: of(missingID, "pdf"), Error: "Inbound invoice not found"},
		{Name: "an unknown format", Arguments: of(id, "html"), Error: "Invalid format"},
		{Name: "an empty id", Arguments: of("", "pdf"), Error: "Empty id"},
	})
	const document, service = "/v1/inbound-product-invoices/{id}/pdf", "/v1/inbound-service-invoices/{id}/pdf"
	for want, faults := range rows.Read[map[string][]sandbox.Fault](t, "inbound_invoice_document_data_source_says_what_is_missing.json") {
		for _, fault := range faults {
			fault.Kind, fault.Method = sandbox.FaultStatus, "GET"
			s.Inject(fault)
		}
		testkit.WantDataReads(t, s, documentSource, []testkit.DataRead{{Name: want, Arguments: of(id, "pdf"), Error: "Cannot read inbound invoice document.*" + want}})
	}
}
