package issuance_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
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
	w := acctest.NewAttached(t, acctest.OnceConfig(s, mistake))
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
	w := acctest.NewAttached(t, acctest.OnceConfig(s, mistake+"\n"+`timeouts = { delete = "2s" }`))
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
			w := acctest.NewAttached(t, config)
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

// cancelable_until follows from the authorization. Another window changes it in
// place, and nothing is sent.
func TestCancelWindow(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := acctest.Serve(t, s, nil).Object(kind)
	until := func(window time.Duration) string {
		return authorizedAt(t, s).Add(window).Format(time.RFC3339)
	}
	o.Run(acctest.Step{Arguments: sale("", ""), State: map[string]any{"cancelable_until": nil}}) // An NFS-e: its city decides.
	sent := fixture.CountWrites(s)
	o.Run(
		acctest.Step{Arguments: sale("", `cancel_window = "48h"`), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"cancelable_until": until(48 * time.Hour)}},
		acctest.Step{Arguments: sale("", `cancel_window = "168h"`), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"cancelable_until": until(168 * time.Hour)}},
		acctest.Step{Arguments: sale("", `cancel_window = "a week"`), Fails: "duration"},
		acctest.Step{Arguments: sale("", ""), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"cancelable_until": nil}},
	)
	if n := fixture.CountWrites(s); n != sent {
		t.Errorf("%d writes, want %d", n, sent)
	}

	nfe := acctest.Serve(t, s, nil).Object(kind)
	id := s.Seed(sandbox.KindProductInvoices, map[string]any{"integrationId": "order-2", "status": "authorized", "authorization": map[string]any{"date": "2026-11-20T12:00:00-03:00", "protocol": "1"}})
	nfe.MustNotFail(nfe.Import("productInvoice/" + id))
	if got := nfe.State()["cancelable_until"]; got != "2026-11-21T12:00:00-03:00" {
		t.Errorf("an NF-e can be canceled until %v, want a day after its authorization", got)
	}
}

func authorizedAt(t *testing.T, s *sandbox.Server) time.Time {
	t.Helper()
	authorization, _ := s.Invoices("")[0]["authorization"].(map[string]any)
	at, err := time.Parse(time.RFC3339, fmt.Sprint(authorization["date"]))
	if err != nil {
		t.Fatal(err)
	}
	return at
}
