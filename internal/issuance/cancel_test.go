package issuance_test

import (
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
