package e2e_test

import (
	"os"
	"path/filepath"
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
