package e2e_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// What core alone does with a configuration that is ignored, and with a plan that is saved.

func TestAccShown_aPlanIsAppliedToItsOwnAccount(t *testing.T) {
	t.Parallel()
	planned, other := sandbox.Start(t, sandbox.Options{}), sandbox.Start(t, sandbox.Options{})
	first := testkit.NewAttached(t, `
terraform {
  required_providers {
    einvoice = { source = "einvoice-br/einvoice" }
  }
}

provider "einvoice" {}
`+invoiceBlock("test", "order-1", "100", `cancellation_reason = "Emitida por engano no teste"`))
	second := *first
	second.Environ = slices.Clone(first.Environ)
	first.UseByEnvironment(planned)
	second.UseByEnvironment(other)
	refused := func(want string) {
		t.Helper()
		output, ok := second.Attached().Run("apply", "-input=false", "saved")
		if ok || !regexp.MustCompile(want).MatchString(testkit.Squeezed(output)) {
			t.Errorf("the other account: %s", output)
		}
		if n := len(other.Requests()); n != 0 {
			t.Errorf("%d requests reached the other account", n)
		}
	}
	here := first.Attached()
	here.MustRun("plan", "-input=false", "-out=saved")
	refused(`inconsistent final plan.*\.account`)
	here.MustApply()
	here.MustRun("plan", "-destroy", "-input=false", "-out=saved")
	refused(`Planned for another account: NFS-e 1`)
	if held := planned.InvoicesByIntegrationID("order-1"); len(held) != 1 || held[0]["status"] != "authorized" {
		t.Errorf("the account has %v, want one that is authorized", held)
	}
}
