package invoice_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
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

// openDocument opens the ephemeral resource as a CLI does.
func openDocument(p *testkit.Protocol, arguments map[string]any) (result map[string]tftypes.Value, failed string) {
	p.T.Helper()
	const name = "einvoice_invoice_document"
	schema := p.Schemas.EphemeralResourceSchemas[name]
	if schema == nil {
		p.T.Fatalf("no ephemeral resource %s is served", name)
	}
	config := p.Config(schema, arguments)
	valid := testkit.Answered(p.T, p.ValidateEphemeralResourceConfig, &tfprotov6.ValidateEphemeralResourceConfigRequest{
		TypeName: name, Config: config,
	})
	if failed := testkit.ErrorsIn(valid.Diagnostics); failed != "" {
		return nil, failed
	}
	opened := testkit.Answered(p.T, p.OpenEphemeralResource, &tfprotov6.OpenEphemeralResourceRequest{
		TypeName: name, Config: config,
	})
	return p.Attributes(opened.Result, schema.ValueType()), testkit.ErrorsIn(opened.Diagnostics)
}

func TestInvoiceDocumentEphemeral_readsWhatTheDataSourceReads(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for model, id := range authorizedOf(s) {
		for _, format := range []string{"xml", "pdf"} {
			result, failed := openDocument(p, documentOf(model, id, format))
			state, _ := p.ReadData("einvoice_invoice_document", documentOf(model, id, format))
			if content := testkit.TextIn(t, result["content_base64"]); failed != "" || content == "" || content != state["content_base64"] {
				t.Errorf("the %s of a %s is %q, want %q (%s)", format, model, content, state["content_base64"], failed)
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
