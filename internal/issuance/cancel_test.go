package issuance_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const mistake = `cancellation_reason = "Ordered twice by mistake"`

// destroyFails runs a destroy that must fail with a text and keep the invoice.
func destroyFails(t *testing.T, w *acctest.Workspace, want string) {
	t.Helper()
	output, ok := w.Run("destroy", "-auto-approve", "-input=false")
	if ok || !regexp.MustCompile(want).MatchString(output) {
		t.Errorf("destroy must fail with %q, but ended so:\n%s", want, output)
	}
	if state := w.MustRun("state", "list"); !strings.Contains(state, string(address)) {
		t.Errorf("the invoice has left the state:\n%s", state)
	}
}

func TestAccIssuance_aRefusedCancellationKeepsTheInvoiceAndCanBeTriedAgain(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.ScriptInvoice("order-1", sandbox.Authorize(), sandbox.CancelRefused("501", "Prazo de cancelamento superior ao previsto"))
	w := acctest.NewWorkspace(t, acctest.OnceConfig(s, mistake), "")
	w.MustApply()
	destroyFails(t, w, `Cancellation refused: NFS-e 1 \(order-1\)(.|\n)*Code 501(.|\n)*Prazo\s+de\s+cancelamento(.|\n)*stays\s+authorized`)
	if output, ok := w.Run("plan", "-detailed-exitcode", "-input=false"); !ok {
		t.Errorf("a plan after the refusal is not empty:\n%s", output)
	}
	w.MustRun("destroy", "-auto-approve", "-input=false")
	if status := onlyInvoice(t, s)["status"]; status != "canceled" {
		t.Errorf("status at the service %v, want canceled", status)
	}
}

func TestAccIssuance_aCancellationInProcessingIsNotSentTwice(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.ScriptInvoice("order-1", sandbox.Authorize(), sandbox.Outcome{Kind: sandbox.OutcomeCancel, Delay: 6 * time.Second})
	w := acctest.NewWorkspace(t, acctest.OnceConfig(s, mistake+"\n"+`timeouts = { delete = "2s" }`), "")
	w.MustApply()
	destroyFails(t, w, `Cancellation still in progress: NFS-e 1 \(order-1\)(.|\n)*SPD002(.|\n)*Run\s+destroy\s+again`)
	w.Write(acctest.OnceConfig(s, mistake))
	w.MustApply()
	w.MustRun("destroy", "-auto-approve", "-input=false")
	if status := onlyInvoice(t, s)["status"]; status != "canceled" {
		t.Errorf("status at the service %v, want canceled", status)
	}
	if n := s.Count("DELETE", ""); n != 1 {
		t.Errorf("%d cancellations were sent, want 1", n)
	}
}

// The plan that was reviewed is applied, and the invoice has moved in between.
func TestAccIssuance_aSavedPlanIsAppliedAsItReadsOrNotAtAll(t *testing.T) {
	t.Parallel()
	destroy := func(w *acctest.Workspace, _ string) []string { return []string{"-destroy"} }
	replace := func(w *acctest.Workspace, config string) []string {
		w.Write(strings.Replace(config, `"order-1"`, `"order-2"`, 1))
		return nil
	}
	remove := func(w *acctest.Workspace, config string) []string {
		// Terraform plans a removal by the state before its refresh.
		w.MustRun("apply", "-refresh-only", "-auto-approve", "-input=false")
		w.Write(config[:strings.Index(config, `resource "einvoice_invoice_issuance"`)])
		return nil
	}
	for name, test := range map[string]struct {
		planned, found, more string
		how                  func(w *acctest.Workspace, config string) []string
		says, fails          string
		deletes              int
	}{
		"in contingency, destroyed after it is authorized": {planned: "inContingent", found: "authorized", how: destroy, says: `Destroying will fail: NFS-e 1 \(order-1\) is in contingency`, fails: "Not destroyed"},
		"in contingency, replaced after it is authorized":  {planned: "inContingent", found: "authorized", how: replace, says: `Destroying will fail`, fails: "Not destroyed"},
		"replaced by one that is created before": {
			planned: "inContingent", found: "authorized", how: replace, more: "lifecycle {\n create_before_destroy = true\n}", says: `Destroying will fail`, fails: "Not destroyed",
		},
		"rejected, removed after it is authorized":            {planned: "rejected", found: "authorized", how: remove, says: `Destroying only forgets`, fails: "Not destroyed"},
		"authorized, destroyed after it was canceled":         {planned: "authorized", found: "canceled", how: destroy, says: `Destroying cancels`},
		"authorized, and as the plan knew it":                 {planned: "authorized", found: "authorized", how: destroy, says: `Destroying cancels`, deletes: 1},
		"in contingency, destroyed while it is still in it":   {planned: "inContingent", found: "inContingent", how: destroy, says: `Destroying will fail`, fails: "Cannot cancel"},
		"in progress, destroyed after it has been authorized": {planned: "enqueued", found: "authorized", how: destroy, says: `Destroying will fail: NFS-e 1 \(order-1\) is in progress`, fails: "Not destroyed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			config := acctest.OnceConfig(s, mistake+"\n"+test.more)
			w := acctest.NewWorkspace(t, config, "")
			w.MustApply()
			id := fmt.Sprint(onlyInvoice(t, s)["id"])
			s.SetInvoiceStatus(id, test.planned)
			plan := w.MustRun(append([]string{"plan", "-input=false", "-out=saved"}, test.how(w, config)...)...)
			if !regexp.MustCompile(test.says).MatchString(plan) {
				t.Errorf("the plan does not say %q:\n%s", test.says, plan)
			}
			s.SetInvoiceStatus(id, test.found)
			output, ok := w.Run("apply", "-input=false", "saved")
			if ok != (test.fails == "") || !strings.Contains(output, test.fails) {
				t.Errorf("the apply must say %q, but ended so:\n%s", test.fails, output)
			}
			if n := s.Count("DELETE", ""); n != test.deletes {
				t.Errorf("%d cancellations were sent, want %d", n, test.deletes)
			}
		})
	}
}
