package invoice_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

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
