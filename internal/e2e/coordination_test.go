package e2e_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func coordinatedBy(db *fixture.Database) string {
	return fmt.Sprintf("coordination_url=%q", db.URL(""))
}

func letterBody(nfe string) string {
	return fmt.Sprintf(`
resource "einvoice_correction_letter" "test" {
  invoice_id = %q
  letter     = %q
}
`, nfe, fixture.TestLetter)
}

// Without its database a run reads, manages the catalogue, and sends nothing that
// must happen only once.
func TestAccCoordination_nothingIsIssuedWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	db := fixture.Postgres(t)
	s := sandbox.Start(t, sandbox.Options{})
	nfe := fixture.AuthorizedNFe(s)
	w := testkit.NewAttached(t, testkit.Config(s, `
resource "einvoice_customer" "test" {
  name = "Padaria"
}
resource "einvoice_invoice_issuance" "test" {
  model          = "serviceInvoice"
  integration_id = "order-1"
  payload_json   = jsonencode({ description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 100 } })
}
resource "einvoice_webhook_secret_rotation" "test" {}
`+testkit.OrderBody("")+letterBody(nfe), coordinatedBy(db)))
	db.Stop()
	output, ok := w.Run("apply", "-auto-approve", "-input=false")
	said := testkit.Squeezed(output)
	for _, want := range []string{
		"Warning: Coordination database cannot be used", "Nothing is issued, ordered, corrected, declared or rotated until it can be used.",
		"Error: Coordination database cannot be used: NFS-e (order-1)", "Error: Coordination database cannot be used: order t-1",
		"Error: Coordination database cannot be used: rotation of the webhook secret", "Error: Coordination database cannot be used: correction letter: invoice " + nfe,
		"before it is sent, and that failed: the database cannot be reached: connect: connection refused. Nothing was sent.",
	} {
		if ok || !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, output)
		}
	}
	if strings.Contains(output, "a-secret") {
		t.Errorf("the URL is said:\n%s", output)
	}
	for _, r := range s.Requests() {
		if r.Method != "GET" && r.Path != "/v1/customers" {
			t.Errorf("sent: %s %s", r.Method, r.Path)
		}
	}
	if n := s.Count("POST", "/v1/customers"); n != 1 {
		t.Errorf("%d customers were created, want 1", n)
	}

	db.Start()
	if output := w.MustApply(); strings.Contains(output, "Coordination") {
		t.Errorf("it is there again:\n%s", output)
	}
	w.MustRun("plan", "-detailed-exitcode")
	if wrong := once(s, nfe); len(wrong) > 0 {
		t.Error(wrong)
	}
	if found := w.InFiles("a-secret"); len(found) > 0 {
		t.Errorf("the URL is in %s", found)
	}
}

// once tells what is not at the service exactly once.
func once(s *sandbox.Server, nfe string) (wrong []string) {
	for what, n := range map[string]int{
		"invoices": len(s.InvoicesByIntegrationID("order-1")), "orders": len(s.Objects("orders")), "letters": len(s.Corrections(nfe)), "rotations": fixture.Rotations(s),
	} {
		if n != 1 {
			wrong = append(wrong, fmt.Sprintf("%d %s", n, what))
		}
	}
	return wrong
}

// The database crashes while an invoice is on its way, and comes back at once or not before the next run, which has a
// cache directory of its own. What one that hangs says is a matter of the journal's tests.
func TestAccCoordination_theDatabaseFailsInTheMiddle(t *testing.T) {
	t.Parallel()
	for name, atOnce := range map[string]bool{"it comes back": true, "it is back for the next run": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := fixture.Postgres(t)
			s := sandbox.Start(t, sandbox.Options{NoMergeByIntegrationID: true, ListLag: 10 * time.Second})
			machine := func() *testkit.Workspace {
				const limit = "requests_per_minute"
				w := testkit.NewAttached(t, strings.Replace(testkit.OnceConfig(s, ""), limit, coordinatedBy(db)+"\n  "+limit, 1))
				onNextMachine(w)
				return w
			}
			s.Before("POST", fixture.ServiceInvoices, func() {
				if db.Stop(); atOnce {
					db.Start()
				}
			})
			output, ok := machine().Run("apply", "-auto-approve", "-input=false")
			if !ok || strings.Contains(testkit.Squeezed(output), "Cannot write to the coordination database") == atOnce {
				t.Fatalf("the invoice is issued: %t, and of the database it says:\n%s", ok, output)
			}
			if !atOnce {
				db.Start()
			}
			machine().MustApply()
			if n := s.Count("POST", fixture.ServiceInvoices); n != 1 {
				t.Errorf("%d invoices were sent, want 1:\n%s", n, output)
			}
		})
	}
}

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

// TestAccRateLimit_isSharedByAllProcesses applies two configurations with one key at the
// same time. Each is several processes: one plans, one applies, and each alias has its
// own. On one machine, and with a database, they share the account of what was spent:
// with one request a second, none comes sooner after another one. How they keep the
// limits of a minute with that account is a matter of the client's tests, on a clock.
func TestAccRateLimit_isSharedByAllProcesses(t *testing.T) {
	t.Parallel()
	oneCache := t.TempDir()
	for name, test := range map[string]struct {
		cacheDir string // "" for one each
		database bool
	}{
		"on one machine":                        {cacheDir: oneCache},
		"on two machines that share a database": {database: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits := "requests_per_minute = 60\n  requests_per_second = 1"
			if test.database {
				limits += "\n  " + coordinatedBy(fixture.Postgres(t))
			}
			s := sandbox.Start(t, sandbox.Options{RateLimit: true})
			held := s.Seed(sandbox.KindCustomers, map[string]any{"name": "Held"})
			const each = 5 // requests of a pipeline
			var runs sync.WaitGroup
			for pipeline := range 2 {
				config := testkit.ExampleVersions + fmt.Sprintf(`
provider "einvoice" {
  base_url = %[1]q
  api_key  = %[2]q
  %[3]s
}
provider "einvoice" {
  alias    = "second"
  base_url = %[1]q
  api_key  = %[2]q
  %[3]s
}
data "einvoice_customer" "held" {
  id = %[4]q
}
resource "einvoice_customer" "first" {
  count = 2
  name  = "First ${count.index} of %[5]d"
}
resource "einvoice_customer" "second" {
  provider = einvoice.second
  count    = 2
  name     = "Second ${count.index} of %[5]d"
}
`, s.BaseURL(), s.OwnerKey(), limits, held, pipeline)
				w := testkit.NewWorkspace(t, config, test.cacheDir)
				runs.Go(func() {
					if output, ok := w.Run("apply", "-auto-approve", "-input=false"); !ok {
						t.Errorf("a pipeline failed:\n%s", output)
					}
				})
			}
			runs.Wait()

			requests := s.Requests()
			for i, r := range requests {
				if r.Status != http.StatusOK {
					t.Errorf("%s %s was answered %d", r.Method, r.Path, r.Status)
				}
				if i > 0 && r.At.Sub(requests[i-1].At) < time.Second {
					t.Errorf("%s %s came %s after the request before it", r.Method, r.Path, r.At.Sub(requests[i-1].At))
				}
			}
			if len(requests) != 2*each {
				t.Errorf("%d requests were sent, want %d", len(requests), 2*each)
			}
		})
	}
}

// TestCacheDir_neverMakesAWrongDecision loses the state after an invoice was issued, damages what this machine remembers
// of it, and applies again. The journal and the shared rate file may be anything by then: at worst the second run is
// more patient.
func TestCacheDir_neverMakesAWrongDecision(t *testing.T) {
	t.Parallel()
	// This service makes a second invoice of a second POST, and its list lags: the look-up alone does not protect.
	strict := sandbox.Options{AuthorizeAfter: 100 * time.Millisecond, NoMergeByIntegrationID: true, ListLag: 6 * time.Second}
	merging := sandbox.Options{AuthorizeAfter: 100 * time.Millisecond}
	for name, test := range map[string]struct {
		options sandbox.Options
		dir     string // "" for one of the test's own
		damage  func(t *testing.T, name string)
	}{
		"that is left alone":     {options: strict},
		"with truncated content": {options: strict, damage: cutFile},
		"that became folders": {options: strict, damage: func(t *testing.T, name string) {
			t.Helper()
			removeFile(t, name)
			if err := os.Mkdir(name, 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		// Here nothing is remembered, and the service has to tell.
		"that was emptied":    {options: merging, damage: removeFile},
		"that cannot be made": {options: merging, dir: "/dev/null/einvoice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testkit.OnClock(t, test.options, func(t *testing.T, s *testkit.Clocked) {
				if test.dir != "" {
					s.Network.CacheDir = test.dir
				}
				issue := func() {
					o := s.Process(map[string]any{"requests_per_minute": 60}).Object("einvoice_invoice_issuance")
					_, said := o.Create(unknownValues["einvoice_invoice_issuance"].arguments)
					o.MustNotFail(said)
				}
				issue()
				damaged := 0
				err := filepath.WalkDir(s.Network.CacheDir, func(name string, entry fs.DirEntry, err error) error {
					if err != nil || entry.IsDir() || strings.HasSuffix(name, ".lock") || test.damage == nil {
						return err
					}
					damaged++
					test.damage(t, name)
					_ = os.Chtimes(name, time.Now(), time.Now()) // By the clock of the test, unless it is gone.
					return nil
				})
				if err != nil && test.dir == "" || test.damage != nil && damaged == 0 {
					t.Fatalf("%d files were damaged: %v", damaged, err)
				}
				issue()
				if invoices := s.InvoicesByIntegrationID("order-1"); len(invoices) != 1 || invoices[0]["status"] != "authorized" {
					t.Errorf("%d invoices, want 1, authorized: %v", len(invoices), invoices)
				}
				if n := s.Count("POST", fixture.ServiceInvoices); n != 1 {
					t.Errorf("%d invoices were sent, want 1", n)
				}
			})
		})
	}
}
