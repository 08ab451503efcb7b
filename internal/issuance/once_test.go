package issuance_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// What ends a run from outside, and what several processes do at once. Lost
// answers and lists that lag are cases of the engine and of the fault matrix.

// late is the service on which it is hardest to issue once: a new invoice shows
// in its list seconds later, and a second POST makes a second invoice.
var late = sandbox.Options{AuthorizeAfter: 2 * time.Second, NoMergeByIntegrationID: true, ListLag: 6 * time.Second}

func killedInThePost(t *testing.T, s *sandbox.Server) {
	t.Helper()
	w := acctest.NewWorkspace(t, acctest.OnceConfig(s, ""), "")
	acctest.KilledDuring(t, w, s, "POST", fixture.ServiceInvoices)
	w.MustApply()
}

func TestAccIssuance_onceWhateverEndsARun(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		service  sandbox.Options
		scenario func(t *testing.T, s *sandbox.Server)
	}{
		"killed in the POST": {late, killedInThePost},
		"killed in the POST, on a service that merges by integrationId": {sandbox.Options{AuthorizeAfter: 2 * time.Second}, killedInThePost},
		"killed while waiting": {late, func(t *testing.T, s *sandbox.Server) {
			w := acctest.NewWorkspace(t, acctest.OnceConfig(s, ""), "")
			acctest.KilledDuring(t, w, s, "GET", fixture.ServiceInvoices+"/{id}")
			w.MustApply()
			wantSentOnce(t, s)
		}},
		"after a timeout and an immediate second run": {late, func(t *testing.T, s *sandbox.Server) {
			w := acctest.NewWorkspace(t, acctest.OnceConfig(s, `timeouts = { create = "1s" }`), "")
			output, ok := w.Run("apply", "-auto-approve", "-input=false")
			if ok || !strings.Contains(output, "Still in progress: NFS-e (order-1)") {
				t.Errorf("the first run must time out, but ended so:\n%s", output)
			}
			w.Write(acctest.OnceConfig(s, ""))
			w.MustApply()
			wantSentOnce(t, s)
		}},
		"from two aliases at once": {late, func(t *testing.T, s *sandbox.Server) {
			const block = `
resource "einvoice_invoice_issuance" %q {
  provider       = %s
  model          = "serviceInvoice"
  integration_id = "order-1"
  payload_json   = jsonencode({ description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 100 } })
}
`
			alias := fmt.Sprintf("provider \"einvoice\" {\n  alias = \"second\"\n  base_url = %q\n  api_key = %q\n}\n", s.BaseURL(), s.OwnerKey())
			acctest.NewWorkspace(t, acctest.Config(s, alias+fmt.Sprintf(block, "one", "einvoice")+fmt.Sprintf(block, "two", "einvoice.second")), "").MustApply()
			wantSentOnce(t, s)
		}},
		"from two runs at once on one machine": {late, func(t *testing.T, s *sandbox.Server) {
			machine := t.TempDir()
			var runs sync.WaitGroup
			for range 2 {
				w := acctest.NewWorkspace(t, acctest.OnceConfig(s, ""), machine)
				runs.Go(func() {
					if output, ok := w.Run("apply", "-auto-approve", "-input=false"); !ok {
						t.Errorf("a run failed:\n%s", output)
					}
				})
			}
			runs.Wait()
			wantSentOnce(t, s)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, test.service)
			test.scenario(t, s)
			if status := onlyInvoice(t, s)["status"]; status != "authorized" {
				t.Errorf("the invoice is %v, want authorized", status)
			}
		})
	}
}

func wantSentOnce(t *testing.T, s *sandbox.Server) {
	t.Helper()
	if n := s.Count("POST", fixture.ServiceInvoices); n != 1 {
		t.Errorf("%d invoices were sent, want 1", n)
	}
}

func TestAccIssuance_interruptEndsAWaitAndTheNextRunGoesOn(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{AuthorizeAfter: 4 * time.Second})
			w := acctest.NewWorkspace(t, acctest.OnceConfig(s, ""), "")
			output := acctest.EndedDuring(t, w, s, "GET", fixture.ServiceInvoices+"/{id}", signal)
			if !strings.Contains(output, "Interrupted while issuing NFS-e (order-1)") {
				t.Errorf("the interrupt is not explained:\n%s", output)
			}
			w.MustApply()
			wantSentOnce(t, s)
		})
	}
}

func TestAccIssuance_destroyPlansSayWhatStays(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewWorkspace(t, acctest.OnceConfig(s, ""), "")
	w.MustApply()
	for _, test := range []struct{ extra, want string }{
		{"", `Destroying only forgets NFS-e 1 \(order-1\)(.|\n)*stays\s+at\s+the\s+service`},
		{mistake, `Destroying cancels NFS-e 1 \(order-1\)(.|\n)*cannot\s+be\s+undone`},
	} {
		w.Write(acctest.OnceConfig(s, test.extra))
		w.MustApply()
		if output := w.MustRun("plan", "-destroy"); !regexp.MustCompile(test.want).MatchString(output) {
			t.Errorf("with %q the destroy plan lacks %q:\n%s", test.extra, test.want, output)
		}
		w.Write(strings.Replace(acctest.OnceConfig(s, test.extra), "order-1", "order-2", 1))
		if output := w.MustRun("plan"); !regexp.MustCompile(test.want).MatchString(output) {
			t.Errorf("with %q the plan of a replacement lacks %q:\n%s", test.extra, test.want, output)
		}
	}
}
