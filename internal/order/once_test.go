package order_test

import (
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// forEachOrderService runs a scenario that must leave exactly one order with one
// authorized invoice. A second order under one transaction_id is what both
// services would make of a second POST.
func forEachOrderService(t *testing.T, scenario func(t *testing.T, s *sandbox.Server)) {
	t.Helper()
	t.Parallel()
	for name, options := range map[string]sandbox.Options{
		"on a service that lists at once": {AuthorizeAfter: 2 * time.Second},
		"on a service that lists late":    {AuthorizeAfter: 2 * time.Second, ListLag: 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, options)
			scenario(t, s)
			wantOrders(t, s, 1)
			if invoices := s.Invoices(einvoice.ModelService); len(invoices) != 1 || invoices[0]["status"] != "authorized" {
				t.Errorf("the service holds %d invoices, want 1, authorized: %v", len(invoices), invoices)
			}
		})
	}
}

func TestAccOrder_onceWhenTheAnswerIsLost(t *testing.T) {
	forEachOrderService(t, func(t *testing.T, s *sandbox.Server) {
		w := acctest.NewWorkspace(t, acctest.Config(s, acctest.OrderBody("")), "")
		s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: fixture.OrdersPath})
		w.MustApply()
		if output := w.MustRun("plan", "-detailed-exitcode"); !strings.Contains(output, "No changes") {
			t.Errorf("the second plan is not empty:\n%s", output)
		}
	})
}

func TestAccOrder_onceWhenKilledInThePost(t *testing.T) {
	forEachOrderService(t, func(t *testing.T, s *sandbox.Server) {
		w := acctest.NewWorkspace(t, acctest.Config(s, acctest.OrderBody("")), "")
		acctest.KilledDuring(t, w, s, "POST", fixture.OrdersPath)
		w.MustApply()
	})
}

func TestAccOrder_onceWhenKilledWhileWaiting(t *testing.T) {
	forEachOrderService(t, func(t *testing.T, s *sandbox.Server) {
		w := acctest.NewWorkspace(t, acctest.Config(s, acctest.OrderBody("")), "")
		acctest.KilledDuring(t, w, s, "GET", fixture.ServiceInvoices+"/{id}")
		w.MustApply()
	})
}

func TestAccOrder_onceWhenKilledInTheExplicitIssue(t *testing.T) {
	forEachOrderService(t, func(t *testing.T, s *sandbox.Server) {
		w := acctest.NewWorkspace(t, acctest.Config(s, acctest.OrderBody("auto_issue_mode = \"disabled\"\nissue_invoices = true")), "")
		acctest.KilledDuring(t, w, s, "POST", fixture.OrderIssuePath)
		w.MustApply()
		if n := s.Count("POST", fixture.OrderIssuePath); n != 1 {
			t.Errorf("%d explicit issues were sent, want 1", n)
		}
	})
}

func TestAccOrder_onceWhenKilledWhileApproving(t *testing.T) {
	forEachOrderService(t, func(t *testing.T, s *sandbox.Server) {
		w := acctest.NewWorkspace(t, acctest.Config(s, acctest.OrderBody(`auto_issue_mode = "afterPayment"`)), "")
		w.MustApply()
		w.Write(acctest.Config(s, acctest.OrderBody("auto_issue_mode = \"afterPayment\"\nstatus = \"approved\"")))
		acctest.KilledDuring(t, w, s, "PUT", fixture.OrderPath+"/status")
		w.MustApply()
		if output := w.MustRun("plan", "-detailed-exitcode"); !strings.Contains(output, "No changes") {
			t.Errorf("the plan afterwards is not empty:\n%s", output)
		}
	})
}

func TestAccOrder_onceFromTwoRunsAtOnceOnOneMachine(t *testing.T) {
	forEachOrderService(t, func(t *testing.T, s *sandbox.Server) {
		machine := t.TempDir()
		var runs sync.WaitGroup
		for range 2 {
			w := acctest.NewWorkspace(t, acctest.Config(s, acctest.OrderBody("")), machine)
			runs.Go(func() {
				if output, ok := w.Run("apply", "-auto-approve", "-input=false"); !ok {
					t.Errorf("a run failed:\n%s", output)
				}
			})
		}
		runs.Wait()
	})
}

func TestAccOrder_interruptEndsAWaitAndTheNextRunGoesOn(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{AuthorizeAfter: 4 * time.Second})
	w := acctest.NewWorkspace(t, acctest.Config(s, acctest.OrderBody("")), "")
	cmd, output := w.Command("apply", "-auto-approve", "-input=false")
	started := make(chan struct{})
	s.Before("GET", fixture.ServiceInvoices+"/{id}", func() {
		<-started
		// The whole group, as a terminal does.
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
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
	if !strings.Contains(output.String(), "Interrupted while issuing NFS-e (t-1)") {
		t.Errorf("the interrupt is not explained:\n%s", output)
	}
	w.MustApply()
	wantOrders(t, s, 1)
}

func TestAccOrder_warnsOfWhatAPlanAloneDoesNotShow(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewWorkspace(t, "", "")
	warns := func(want string, args ...string) {
		t.Helper()
		if output := w.MustRun(args...); !regexp.MustCompile(want).MatchString(output) {
			t.Errorf("%v lacks %q:\n%s", args, want, output)
		}
	}
	apply := []string{"apply", "-auto-approve", "-input=false"}
	const paid = "auto_issue_mode = \"afterPayment\"\nstatus = \"approved\""
	w.Write(acctest.Config(s, acctest.OrderBody("auto_issue_mode = \"afterWarrency\"\npayment_method = \"barter\"\neffective_date = \"2026-03-15\"")))
	warns(`Unusual payment method(.|\n)*billetBank`, "plan")
	warns(`Warranty without an end`, "plan")
	warns(`Effective date without an explicit issue`, "plan")
	for _, sum := range []struct{ from, to, want, answer string }{
		{"amount         = 100", "amount = 101", "Order amount that does not add up(.|\n)*`amount`\\s+is\\s+101(.|\n)*=\\s+100", `order\s+amount\s+101\s+does\s+not\s+match`},
		{"price    = 25", "price = 26", "Item amount that does not add up(.|\n)*`items\\[0\\].amount`(.|\n)*4\\s+x\\s+26\\s+=\\s+104", `item\s+amount\s+100\s+does\s+not\s+match`},
	} {
		w.Write(strings.Replace(acctest.Config(s, acctest.OrderBody("")), sum.from, sum.to, 1))
		warns(sum.want, "plan")
		// The service decides.
		if output, ok := w.Run(apply...); ok || !regexp.MustCompile(`Cannot create order t-1(.|\n)*`+sum.answer).MatchString(output) {
			t.Errorf("an apply with %s ended so:\n%s", sum.to, output)
		}
	}
	w.Write(acctest.Config(s, acctest.OrderBody(paid)))
	w.MustApply()
	warns(`Destroying only forgets order t-1(.|\n)*NFS-e\s+1\s+\(authorized\)`, "plan", "-destroy")
	w.Write(strings.Replace(acctest.Config(s, acctest.OrderBody(paid)), "t-1", "t-2", 1))
	warns(`Destroying only forgets order t-1`, "plan")
	w.Write(acctest.Config(s, acctest.OrderBody(paid)))

	s.Patch(sandbox.KindOrders, orderAtService(s), map[string]any{"status": "completed", "amount": 90})
	warns(`Order t-1 is sent back to approved(.|\n)*completed`, "plan")
	warns(`Order t-1 is another one at the service(.|\n)*amount:\s+100\s+in\s+the\s+configuration,\s+90`, "plan")
	s.Patch(sandbox.KindOrders, orderAtService(s), map[string]any{"status": "approved", "amount": 100})
	s.SetInvoiceStatus(s.Invoices(einvoice.ModelService)[0]["id"].(string), "rejected")
	warns(`NFS-e 1 \(t-1\) is rejected(.|\n)*next\s+apply\s+issues\s+it\s+again`, "plan")
	warns(`Found order t-1|Apply complete`, apply...)
	s.Remove(sandbox.KindOrders, orderAtService(s))
	warns(`Order t-1 is gone at the service(.|\n)*never\s+recorded\s+again`, "plan")
}
