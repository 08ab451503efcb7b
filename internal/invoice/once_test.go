package invoice_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// What ends a run from outside, and what several processes do at once. Lost
// answers and lists that lag are cases of the engine and of the fault matrix.

// late is the service on which it is hardest to issue once: a second POST makes a
// second invoice, and a new one shows in no list until the clock is moved.
func late(t *testing.T) (*sandbox.Server, *sandbox.ManualClock) {
	t.Helper()
	clock := sandbox.NewManualClock(time.Now())
	return sandbox.Start(t, sandbox.Options{Clock: clock, NoMergeByIntegrationID: true, ListLag: time.Hour}), clock
}

func wantSentOnce(t *testing.T, s *sandbox.Server) {
	t.Helper()
	fixture.WantRequests(t, s, "POST", fixture.ServiceInvoices, 1)
	if status := onlyInvoice(t, s)["status"]; status != "authorized" {
		t.Errorf("the invoice is %v, want authorized", status)
	}
}

// The next run looks for as long as requests may take, and finds the invoice at its
// second look.
func TestAccIssuance_killedInThePostIssuesOnce(t *testing.T) {
	t.Parallel()
	s, clock := late(t)
	w := testkit.NewWorkspace(t, testkit.OnceConfig(s, ""), "")
	w.Edit("main.tf", "provider \"einvoice\" {", "provider \"einvoice\" {\n  request_timeout = \"10m\"")
	testkit.KilledDuring(t, w, s, "POST", fixture.ServiceInvoices)
	s.Before("GET", fixture.ServiceInvoices, func() {
		s.Before("GET", fixture.ServiceInvoices, func() { clock.Advance(2 * time.Hour) })
	})
	w.MustApply()
	wantSentOnce(t, s)
}

func TestAccIssuance_interruptEndsAWaitAndTheNextRunGoesOn(t *testing.T) {
	t.Parallel()
	clock := sandbox.NewManualClock(time.Now())
	s := sandbox.Start(t, sandbox.Options{Clock: clock, AuthorizeAfter: time.Hour})
	w := testkit.NewWorkspace(t, testkit.OnceConfig(s, ""), "")
	output := testkit.EndedDuring(t, w, s, "GET", readByID, syscall.SIGTERM)
	if !strings.Contains(output, "Interrupted while issuing NFS-e (order-1)") {
		t.Errorf("the interrupt is not explained:\n%s", output)
	}
	clock.Advance(2 * time.Hour)
	w.MustApply()
	wantSentOnce(t, s)
}
