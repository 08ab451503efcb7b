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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// services are the two kinds of service that one invoice must be issued on:
// one that merges by integrationId, and one that does not and whose list lags.
var services = map[string]sandbox.Options{
	"on a service that merges":                        {AuthorizeAfter: 2 * time.Second},
	"on a service that does not merge and lists late": {AuthorizeAfter: 2 * time.Second, NoMergeByIntegrationID: true, ListLag: 6 * time.Second},
}

// forEachService runs a scenario that must leave exactly one invoice.
func forEachService(t *testing.T, scenario func(t *testing.T, s *sandbox.Server)) {
	t.Helper()
	t.Parallel()
	for name, options := range services {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, options)
			scenario(t, s)
			if invoices := s.InvoicesByIntegrationID("order-1"); len(invoices) != 1 || invoices[0]["status"] != "authorized" {
				t.Errorf("the service holds %d invoices under order-1, want 1, authorized: %v", len(invoices), invoices)
			}
		})
	}
}

func TestAccIssuance_onceInAPlainRun(t *testing.T) {
	forEachService(t, func(t *testing.T, s *sandbox.Server) {
		w := acctest.NewWorkspace(t, acctest.OnceConfig(s, ""), "")
		w.MustApply()
		if output := w.MustRun("plan", "-detailed-exitcode"); !strings.Contains(output, "No changes") {
			t.Errorf("the second plan is not empty:\n%s", output)
		}
		if n := s.Count("POST", "/v1/service-invoices"); n != 1 {
			t.Errorf("%d invoices were sent, want 1", n)
		}
	})
}

func TestAccIssuance_onceWhenTheAnswerIsLost(t *testing.T) {
	forEachService(t, func(t *testing.T, s *sandbox.Server) {
		s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: "/v1/service-invoices"})
		acctest.NewWorkspace(t, acctest.OnceConfig(s, ""), "").MustApply()
		if n := s.Count("POST", "/v1/service-invoices"); n != 1 {
			t.Errorf("%d invoices were sent, want 1", n)
		}
	})
}

func TestAccIssuance_onceWhenKilledInThePost(t *testing.T) {
	forEachService(t, func(t *testing.T, s *sandbox.Server) {
		w := acctest.NewWorkspace(t, acctest.OnceConfig(s, ""), "")
		acctest.KilledDuring(t, w, s, "POST", "/v1/service-invoices")
		w.MustApply()
	})
}

func TestAccIssuance_onceWhenKilledWhileWaiting(t *testing.T) {
	forEachService(t, func(t *testing.T, s *sandbox.Server) {
		w := acctest.NewWorkspace(t, acctest.OnceConfig(s, ""), "")
		acctest.KilledDuring(t, w, s, "GET", "/v1/service-invoices/{id}")
		w.MustApply()
		if n := s.Count("POST", "/v1/service-invoices"); n != 1 {
			t.Errorf("%d invoices were sent, want 1", n)
		}
	})
}

func TestAccIssuance_onceAfterATimeoutAndAnImmediateSecondRun(t *testing.T) {
	forEachService(t, func(t *testing.T, s *sandbox.Server) {
		w := acctest.NewWorkspace(t, acctest.OnceConfig(s, `timeouts = { create = "1s" }`), "")
		output, ok := w.Run("apply", "-auto-approve", "-input=false")
		if ok || !strings.Contains(output, "Still in progress: NFS-e (order-1)") {
			t.Errorf("the first run must time out, but ended so:\n%s", output)
		}
		w.Write(acctest.OnceConfig(s, ""))
		w.MustApply()
		if n := s.Count("POST", "/v1/service-invoices"); n != 1 {
			t.Errorf("%d invoices were sent, want 1", n)
		}
	})
}

func TestAccIssuance_onceFromTwoAliasesAtOnce(t *testing.T) {
	forEachService(t, func(t *testing.T, s *sandbox.Server) {
		block := `
resource "einvoice_invoice_issuance" %q {
  provider       = %s
  model          = "serviceInvoice"
  integration_id = "order-1"
  payload_json   = jsonencode({ description = "Consulting", total = { invoiceAmount = 100 } })
}
`
		config := acctest.Config(s, fmt.Sprintf("provider \"einvoice\" {\n  alias = \"second\"\n  base_url = %q\n  api_key = %q\n}\n", s.BaseURL(), s.OwnerKey())+
			fmt.Sprintf(block, "one", "einvoice")+fmt.Sprintf(block, "two", "einvoice.second"))
		output := acctest.NewWorkspace(t, config, "").MustApply()
		if n := s.Count("POST", "/v1/service-invoices"); n != 1 {
			t.Errorf("%d invoices were sent, want 1:\n%s", n, output)
		}
	})
}

func TestAccIssuance_onceFromTwoRunsAtOnceOnOneMachine(t *testing.T) {
	forEachService(t, func(t *testing.T, s *sandbox.Server) {
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
		if n := s.Count("POST", "/v1/service-invoices"); n != 1 {
			t.Errorf("%d invoices were sent, want 1", n)
		}
	})
}

func TestAccIssuance_interruptEndsAWaitAndTheNextRunGoesOn(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{AuthorizeAfter: 4 * time.Second})
			w := acctest.NewWorkspace(t, acctest.OnceConfig(s, ""), "")
			cmd, output := w.Command("apply", "-auto-approve", "-input=false")
			started := make(chan struct{})
			s.Before("GET", "/v1/service-invoices/{id}", func() {
				<-started
				// The whole group, as a terminal or a container does.
				if err := syscall.Kill(-cmd.Process.Pid, signal); err != nil {
					t.Error(err)
				}
			})
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			close(started)
			if err := cmd.Wait(); err == nil {
				t.Errorf("an interrupted run must fail:\n%s", output)
			}
			if !strings.Contains(output.String(), "Interrupted while issuing NFS-e (order-1)") {
				t.Errorf("the interrupt is not explained:\n%s", output)
			}
			w.MustApply()
			if n := s.Count("POST", "/v1/service-invoices"); n != 1 {
				t.Errorf("%d invoices were sent, want 1", n)
			}
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
		{`cancellation_reason = "Ordered twice by mistake"`, `Destroying cancels NFS-e 1 \(order-1\)(.|\n)*cannot\s+be\s+undone`},
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
