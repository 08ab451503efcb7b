package e2e_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// TestAccTwoRuns_issueOnce applies one configuration from two states at the same
// time. On one machine the journal tells that the two are one, on two only the
// service can: it merges by integrationId, and refuses with SPD004. Where nobody
// can, at least one run ends with both ids.
func TestAccTwoRuns_issueOnce(t *testing.T) {
	t.Parallel()
	lagging := sandbox.Options{AuthorizeAfter: 2 * time.Second, ListLag: 3 * time.Second}
	makingTwo := lagging
	makingTwo.NoMergeByIntegrationID = true
	for name, test := range map[string]struct {
		oneMachine, twins bool
		options           sandbox.Options
	}{
		"on two machines": {options: lagging},
		"on one machine":  {oneMachine: true, options: lagging},
		"on one machine, on a service that makes two of one":  {oneMachine: true, options: makingTwo},
		"on two machines, on a service that makes two of one": {twins: true, options: sandbox.Options{AuthorizeAfter: 2 * time.Second, NoMergeByIntegrationID: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, test.options)
			id, transaction := "order-"+uuid.NewString()[:8], "t-"+uuid.NewString()[:8]
			config := strings.Replace(testkit.OnceConfig(s, ""), "order-1", id, 1)
			if test.oneMachine || test.twins { // No service is known to merge orders.
				config += strings.Replace(testkit.OrderBody(""), "t-1", transaction, 1)
			}
			cacheDir := ""
			if test.oneMachine {
				cacheDir = t.TempDir()
			}
			if test.twins {
				meetAtTheService(t, s)
				config = strings.Replace(config, "requests_per_minute = 0", "requests_per_minute = 0\n  request_timeout = \"5m\"", 1)
			}
			var outputs [2]string
			var runs sync.WaitGroup
			for n := range outputs {
				w := testkit.NewWorkspace(t, config, cacheDir)
				runs.Go(func() {
					output, ok := w.Run("apply", "-auto-approve", "-input=false", "-no-color")
					if !ok && !test.twins {
						t.Errorf("a run failed:\n%s", output)
					}
					outputs[n] = strings.Join(strings.Fields(output), " ")
				})
			}
			runs.Wait()
			invoices, orders := s.InvoicesByIntegrationID(id), s.Objects(sandbox.KindOrders)
			if test.twins {
				wantTwins(t, outputs[0]+outputs[1], "Several invoices have this integration_id", invoices)
				wantTwins(t, outputs[0]+outputs[1], "Several orders have this transaction_id", orders)
				return
			}
			if len(invoices) != 1 || invoices[0]["status"] != "authorized" {
				t.Errorf("%d invoices, want 1, authorized: %v", len(invoices), invoices)
			}
			if n := s.Count("POST", "/v1/service-invoices"); test.oneMachine && (n != 1 || len(orders) != 1) {
				t.Errorf("%d invoices were sent from one machine and %d orders recorded, want 1 of each", n, len(orders))
			}
		})
	}
}

// meetAtTheService holds the first creation of each kind until the second one of it
// comes, so that neither run finds what the other one has sent.
func meetAtTheService(t *testing.T, s *sandbox.Server) {
	t.Helper()
	for _, path := range []string{"/v1/service-invoices", "/v1/orders"} {
		both := make(chan struct{})
		s.Before("POST", path, func() {
			s.Before("POST", path, func() { close(both) })
			select {
			case <-both:
			case <-t.Context().Done(): // A run has ended without it.
			}
		})
	}
}

func wantTwins(t *testing.T, outputs, summary string, made []map[string]any) {
	t.Helper()
	if len(made) != 2 {
		t.Errorf("the service made %d, want 2: this proves nothing", len(made))
	}
	if !strings.Contains(outputs, summary) {
		t.Errorf("no run says %q:\n%s", summary, outputs)
	}
	for _, twin := range made {
		if !strings.Contains(outputs, fmt.Sprint(twin["id"])) {
			t.Errorf("no run names %s:\n%s", twin["id"], outputs)
		}
	}
}
