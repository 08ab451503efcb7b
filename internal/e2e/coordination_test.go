package e2e_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/provider"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func letterBody(nfe string) string {
	return fmt.Sprintf(`
resource "einvoice_correction_letter" "test" {
  invoice_id = %q
  letter     = %q
}
`, nfe, fixture.TestLetter)
}

// once is what must happen once, with what texts call it and where it is sent.
type once struct {
	arguments  object
	what, path string
}

func sentOnce(nfe string) map[string]once {
	return map[string]once{
		"einvoice_invoice_issuance": {serviceInvoice("order-1"), "NFS-e (order-1)", fixture.ServiceInvoices},
		"einvoice_order":            {nested(unknownValues["einvoice_order"].Arguments), "order t-1", fixture.OrdersPath},
		"einvoice_correction_letter": {
			object{"invoice_id": nfe, "letter": fixture.TestLetter},
			"correction letter of invoice " + nfe,
			fixture.CorrectionsPath,
		},
		"einvoice_webhook_secret_rotation": {nil, "rotation of the webhook secret", fixture.RotatePath},
	}
}

// Without its database a run reads, manages the catalogue, and sends nothing that must happen only once.
func TestCoordination_nothingIsIssuedWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	db := fixture.Postgres(t)
	s := sandbox.Start(t, sandbox.Options{})
	nfe := fixture.AuthorizedNFe(s)
	coordinated := object{"coordination_url": db.URL("")}
	all := sentOnce(nfe)
	db.Stop()
	p := testkit.Serve(t, s, coordinated)
	created(p, "customer", object{"name": "Padaria"})
	var waits sync.WaitGroup // Each waits for the database for a while.
	for kind, test := range all {
		o := p.Object(kind)
		waits.Go(func() {
			_, said := o.Create(test.arguments)
			failed := testkit.ErrorsIn(said)
			for _, want := range []string{
				"Coordination database cannot be used: " + test.what,
				"Recording it failed: the database cannot be reached: connect: connection refused. Nothing was sent.",
			} {
				expect.False(t, !strings.Contains(failed, want) || strings.Contains(failed, "a-secret"),
					"%q is not said, or the URL is: %s", want, failed)
			}
		})
	}
	waits.Wait()
	fixture.WantWrites(t, s, 1)

	db.Start()
	p = testkit.Serve(t, s, coordinated)
	for kind, test := range all {
		p.Object(kind).MustCreate(test.arguments)
		fixture.WantRequests(t, s, "POST", test.path, 1)
	}
}

// The database crashes while an invoice is on its way, and comes back at once or not before the next run, which is on
// another machine. What one that hangs says is a matter of the journal's tests.
func TestCoordination_theDatabaseFailsInTheMiddle(t *testing.T) {
	t.Parallel()
	for name, atOnce := range map[string]bool{"it comes back": true, "it is back for the next run": false} {
		rows.Case(t, name, func(t *testing.T) {
			db := fixture.Postgres(t)
			s := sandbox.Start(t, sandbox.Options{NoMergeByIntegrationID: true, ListLag: 10 * time.Second})
			issue := func() string {
				p := testkit.Serve(t, s, object{"coordination_url": db.URL("")})
				_, said := p.Object("einvoice_invoice_issuance").Create(serviceInvoice("order-1"))
				p.MustNotFail(said)
				return testkit.TextsOf(said)
			}
			s.Before("POST", fixture.ServiceInvoices, func() {
				if db.Stop(); atOnce {
					db.Start()
				}
			})
			said := issue()
			isLost := strings.Contains(said, "Cannot write to the coordination database")
			expect.Is(t, isLost, !atOnce, "of the database it says: %s", said)
			if !atOnce {
				db.Start()
			}
			issue()
			fixture.WantRequests(t, s, "POST", fixture.ServiceInvoices, 1)
		})
	}
}

// TestAccTwoRuns_issueOnce applies one configuration from two states at the same time. On one machine the journal tells
// that the two are one, on two only the service can: it merges by integrationId, and refuses with SPD004.
func TestAccTwoRuns_issueOnce(t *testing.T) {
	t.Parallel()
	for name, oneMachine := range map[string]bool{
		"on two machines": false, "on one machine, on a service that makes two of one": true,
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{
				AuthorizeAfter: 2 * time.Second, ListLag: 3 * time.Second, NoMergeByIntegrationID: oneMachine,
			})
			config, cacheDir := testkit.OnceConfig(s, ""), ""
			if oneMachine { // No service is known to merge orders.
				config, cacheDir = config+testkit.OrderBody(""), t.TempDir()
			}
			var runs sync.WaitGroup
			for range 2 {
				w := testkit.NewWorkspace(t, config, cacheDir)
				runs.Go(func() {
					output, ok := w.Run("apply", "-auto-approve", "-input=false")
					expect.True(t, ok, "a run failed:\n%s", output)
				})
			}
			runs.Wait()
			invoices := s.InvoicesByIntegrationID("order-1")
			expect.True(t, hasBecome(invoices, object{"status": "authorized"}), "%v, want one, authorized", invoices)
			orders := len(s.Objects(sandbox.KindOrders))
			if n := s.Count("POST", fixture.ServiceInvoices); oneMachine && (n != 1 || orders != 1) {
				t.Errorf("%d invoices were sent from one machine and %d orders recorded, want 1 of each", n, orders)
			}
		})
	}
}

// Two runs with one key, each several processes: one plans, one applies, and each alias has its own. On one machine, and
// with a database, they share the account of what was spent: with one request a second, none comes sooner after another
// one. How they keep the limits of a minute with that account is a matter of the client's tests, on a clock.
func TestRateLimit_isSharedByAllProcesses(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]func(t *testing.T) (cacheDir string, more object){
		"on one machine": func(t *testing.T) (string, object) { return t.TempDir(), nil },
		"on two machines that share a database": func(t *testing.T) (string, object) {
			return "", object{"coordination_url": fixture.Postgres(t).URL("")}
		},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{RateLimit: true})
			cacheDir, more := settings(t)
			const processes, each = 4, 2
			var runs sync.WaitGroup
			for range processes {
				server := provider.NewServer(nil, cmp.Or(cacheDir, t.TempDir()))
				p := testkit.Configured(t, server, s, with(more, object{"requests_per_minute": 60, "requests_per_second": 1}))
				runs.Go(func() {
					for range each {
						_, failed := p.ReadData("einvoice_customers", nil)
						expect.Is(t, failed, "", "it fails")
					}
				})
			}
			runs.Wait()
			requests := s.Requests()
			expect.Is(t, len(requests), processes*each, "requests were sent")
			for i, r := range requests {
				expect.Is(t, r.Status, http.StatusOK, "%s %s was answered", r.Method, r.Path)
				isTooSoon := i > 0 && r.At.Sub(requests[i-1].At) < time.Second
				expect.False(t, isTooSoon, "%s %s came less than a second after the request before it", r.Method, r.Path)
			}
		})
	}
}
