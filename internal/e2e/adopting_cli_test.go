package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// What the guide shows for CLIs without `terraform query`, on whichever CLI is at
// hand.

func TestAccAdopting_takesInEveryCustomerAtOnce(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	seedAccount(s, 120)
	w := acctest.ExampleWorkspace(t, s, filepath.Join(acctest.ExamplesDir, "adopting"))
	plan := w.MustRun("plan", "-input=false")
	if !strings.Contains(plan, "Plan: 120 to import, 0 to add, 0 to change, 0 to destroy.") {
		t.Fatalf("the plan is not of imports alone:\n%s", changesIn(plan))
	}
	w.MustApply()
	if output, ok := w.Run("plan", "-detailed-exitcode", "-input=false"); !ok {
		t.Errorf("a plan right after the adoption is not empty:\n%s", changesIn(output))
	}
	if n := fixture.CountWrites(s); n != 0 {
		t.Errorf("%d requests changed something, want none", n)
	}
}

func TestAccAdopting_generatesConfiguration(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	seedAccount(s, 0)
	w := acctest.ExampleWorkspace(t, s, filepath.Join(acctest.ExamplesDir, "adopting-generated"))
	if w.Cli.Product == cli.Terraform && w.Cli.AtLeast(1, 16) {
		// https://github.com/hashicorp/terraform/issues/39144
		t.Skipf("%s looks for hashicorp/einvoice when it generates configuration for import blocks; it has terraform query for that", w.Cli)
	}
	w.MustApply()
	imports := w.MustRun("output", "-raw", "imports")
	if err := os.WriteFile(filepath.Join(w.Dir, "imports.tf"), []byte(imports[strings.Index(imports, "import {"):]), 0o600); err != nil {
		t.Fatal(err)
	}
	plan := w.MustRun("plan", "-input=false", "-generate-config-out=adopted.tf")
	if !strings.Contains(plan, "Plan: 5 to import, 0 to add, 0 to change, 0 to destroy.") {
		t.Errorf("the plan is not of imports alone:\n%s", changesIn(plan))
	}
	if _, err := os.Stat(filepath.Join(w.Dir, "adopted.tf")); err != nil {
		t.Fatal(err)
	}
	w.MustApply()
	if output, ok := w.Run("plan", "-detailed-exitcode", "-input=false"); !ok {
		t.Errorf("a plan right after the adoption is not empty:\n%s", changesIn(output))
	}
	if n := fixture.CountWrites(s); n != 0 {
		t.Errorf("%d requests changed something, want none", n)
	}
}

// A payload cannot be read back, so no CLI can generate an invoice's
// configuration. What to do instead is in the guide.
func TestAccAdopting_anInvoiceIsWrittenByHand(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewWorkspace(t, acctest.OnceConfig(s, ""), "")
	w.MustApply()
	id := fmt.Sprint(s.InvoicesByIntegrationID("order-1")[0]["id"])
	w = acctest.NewWorkspace(t, acctest.Config(s, fmt.Sprintf("import {\n  to = einvoice_invoice_issuance.test\n  id = \"serviceInvoice/%s\"\n}\n", id)), "")
	output, ok := w.Run("plan", "-input=false", "-generate-config-out=generated.tf")
	const missing = "Missing Configuration for Required Attribute"
	if guide, err := os.ReadFile(filepath.Join(guidesDir, "adopting-an-existing-account.md.tmpl")); err != nil || !strings.Contains(string(guide), missing) {
		t.Errorf("the guide does not know the error that the CLI gives: %v", err)
	}
	if ok || !strings.Contains(output, missing) {
		t.Errorf("the CLI has generated an invoice's configuration; the guide says that it cannot:\n%s", output)
	}
	file := filepath.Join(w.Dir, "generated.tf")
	generated, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(generated), "= null") {
		t.Fatalf("nothing is generated that could be filled in: %v\n%s", err, generated)
	}
	replaceFile(t, file, regexp.MustCompile(`(payload_json +=) null`).ReplaceAllString(string(generated), `$1 jsonencode({ description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 100 } })`))
	if output := w.MustApply(); !strings.Contains(output, "1 imported, 0 added, 1 changed, 0 destroyed") {
		t.Errorf("the invoice is not imported alone:\n%s", changesIn(output))
	}
	if n := s.Count("POST", fixture.ServiceInvoices); n != 1 {
		t.Errorf("%d invoices were sent, want the first alone", n)
	}
}
