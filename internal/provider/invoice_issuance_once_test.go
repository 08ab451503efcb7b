package provider

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// services are the two kinds of service that one invoice must be issued on:
// one that merges by integrationId, and one that does not and whose list lags.
var services = map[string]sandbox.Options{
	"on a service that merges":                        {AuthorizeAfter: 2 * time.Second},
	"on a service that does not merge and lists late": {AuthorizeAfter: 2 * time.Second, NoMergeByIntegrationID: true, ListLag: 6 * time.Second},
}

// onceConfig issues order-1 as the main company. What the machine may use of
// the limits is not what these tests are about.
func onceConfig(s *sandbox.Server, extra string) string {
	return configFor(s, fmt.Sprintf(`
resource "einvoice_invoice_issuance" "test" {
  model          = "serviceInvoice"
  integration_id = "order-1"
  payload_json   = jsonencode({
    description = "Consulting"
    total       = { invoiceAmount = 100 }
  })
%s
}`, extra))
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
		w := newWorkspace(t, onceConfig(s, ""), "")
		w.mustApply()
		if output := w.mustRun("plan", "-detailed-exitcode"); !strings.Contains(output, "No changes") {
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
		newWorkspace(t, onceConfig(s, ""), "").mustApply()
		if n := s.Count("POST", "/v1/service-invoices"); n != 1 {
			t.Errorf("%d invoices were sent, want 1", n)
		}
	})
}

func TestAccIssuance_onceWhenKilledInThePost(t *testing.T) {
	forEachService(t, func(t *testing.T, s *sandbox.Server) {
		w := newWorkspace(t, onceConfig(s, ""), "")
		killedDuring(t, w, s, "POST", "/v1/service-invoices")
		w.mustApply()
	})
}

func TestAccIssuance_onceWhenKilledWhileWaiting(t *testing.T) {
	forEachService(t, func(t *testing.T, s *sandbox.Server) {
		w := newWorkspace(t, onceConfig(s, ""), "")
		killedDuring(t, w, s, "GET", "/v1/service-invoices/{id}")
		w.mustApply()
		if n := s.Count("POST", "/v1/service-invoices"); n != 1 {
			t.Errorf("%d invoices were sent, want 1", n)
		}
	})
}

// killedDuring applies, and kills the CLI and its providers when the service
// gets the request.
func killedDuring(t *testing.T, w *workspace, s *sandbox.Server, method, path string) {
	t.Helper()
	cmd, output := w.command("apply", "-auto-approve", "-input=false")
	started, killed := make(chan struct{}), make(chan error, 1)
	s.Before(method, path, func() {
		<-started
		killed <- syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	close(started)
	if err := cmd.Wait(); err == nil {
		t.Fatalf("the run was to be killed, but ended well:\n%s", output)
	}
	select {
	case err := <-killed:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("the run ended before it was killed:\n%s", output)
	}
}

func TestAccIssuance_onceAfterATimeoutAndAnImmediateSecondRun(t *testing.T) {
	forEachService(t, func(t *testing.T, s *sandbox.Server) {
		w := newWorkspace(t, onceConfig(s, `timeouts = { create = "1s" }`), "")
		output, ok := w.run("apply", "-auto-approve", "-input=false")
		if ok || !strings.Contains(output, "Still in progress: NFS-e (order-1)") {
			t.Errorf("the first run must time out, but ended so:\n%s", output)
		}
		w.write(onceConfig(s, ""))
		w.mustApply()
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
		config := configFor(s, fmt.Sprintf("provider \"einvoice\" {\n  alias = \"second\"\n  base_url = %q\n  api_key = %q\n}\n", s.BaseURL(), s.OwnerKey())+
			fmt.Sprintf(block, "one", "einvoice")+fmt.Sprintf(block, "two", "einvoice.second"))
		output := newWorkspace(t, config, "").mustApply()
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
			w := newWorkspace(t, onceConfig(s, ""), machine)
			runs.Go(func() {
				if output, ok := w.run("apply", "-auto-approve", "-input=false"); !ok {
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
			w := newWorkspace(t, onceConfig(s, ""), "")
			cmd, output := w.command("apply", "-auto-approve", "-input=false")
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
			w.mustApply()
			if n := s.Count("POST", "/v1/service-invoices"); n != 1 {
				t.Errorf("%d invoices were sent, want 1", n)
			}
		})
	}
}

func TestAccIssuance_destroyPlansSayWhatStays(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := newWorkspace(t, onceConfig(s, ""), "")
	w.mustApply()
	for _, test := range []struct{ extra, want string }{
		{"", `Destroying only forgets NFS-e 1 \(order-1\)(.|\n)*stays\s+at\s+the\s+service`},
		{`cancellation_reason = "Ordered twice by mistake"`, `Destroying cancels NFS-e 1 \(order-1\)(.|\n)*cannot\s+be\s+undone`},
	} {
		w.write(onceConfig(s, test.extra))
		w.mustApply()
		if output := w.mustRun("plan", "-destroy"); !regexp.MustCompile(test.want).MatchString(output) {
			t.Errorf("with %q the destroy plan lacks %q:\n%s", test.extra, test.want, output)
		}
		w.write(strings.Replace(onceConfig(s, test.extra), "order-1", "order-2", 1))
		if output := w.mustRun("plan"); !regexp.MustCompile(test.want).MatchString(output) {
			t.Errorf("with %q the plan of a replacement lacks %q:\n%s", test.extra, test.want, output)
		}
	}
}
