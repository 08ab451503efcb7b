package order_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// What ends a run from outside, on a service that lists an order later than it takes it.
// What the next run makes of each state that is left behind is package engine's.
// A second order under one transaction_id is what any service would make of a second POST.
func TestAccOrder_onceWhateverEndsARun(t *testing.T) {
	t.Parallel()
	for name, scenario := range map[string]func(t *testing.T, s *sandbox.Server, passes func()){
		"killed in the POST": func(t *testing.T, s *sandbox.Server, passes func()) {
			w := testkit.NewWorkspace(t, testkit.Config(s, testkit.OrderBody("")), "")
			testkit.KilledDuring(t, w, s, "POST", fixture.OrdersPath)
			passes()
			w.MustApply()
		},
		"interrupted while waiting": func(t *testing.T, s *sandbox.Server, passes func()) {
			w := testkit.NewWorkspace(t, testkit.Config(s, testkit.OrderBody("")), "")
			output := testkit.EndedDuring(t, w, s, "GET", fixture.ServiceInvoices+"/{id}", syscall.SIGINT)
			if !strings.Contains(output, "Interrupted while issuing NFS-e (t-1)") {
				t.Errorf("the interrupt is not explained:\n%s", output)
			}
			passes()
			w.MustApply()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := sandbox.NewManualClock(time.Now())
			s := sandbox.Start(t, sandbox.Options{Clock: clock, AuthorizeAfter: 3 * time.Second, ListLag: 6 * time.Second})
			// Six seconds pass with each request from then on.
			scenario(t, s, func() { s.OnRequest(func(sandbox.Request) { clock.Advance(6 * time.Second) }) })
			wantOrders(t, s, 1)
			if invoices := s.Invoices(einvoice.ModelService); len(invoices) != 1 || invoices[0]["status"] != "authorized" {
				t.Errorf("the service holds %d invoices, want 1, authorized: %v", len(invoices), invoices)
			}
		})
	}
}
