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

// What ends a run from outside, and what several processes do at once, on a service
// that lists an order seconds later. Lost answers are cases of the engine and of
// the fault matrix. A second order under one transaction_id is what any service
// would make of a second POST.

func TestAccOrder_onceWhateverEndsARun(t *testing.T) {
	t.Parallel()
	killed := func(body, method, path string) func(t *testing.T, s *sandbox.Server) {
		return func(t *testing.T, s *sandbox.Server) {
			w := acctest.NewWorkspace(t, acctest.Config(s, acctest.OrderBody(body)), "")
			acctest.KilledDuring(t, w, s, method, path)
			w.MustApply()
		}
	}
	for name, scenario := range map[string]func(t *testing.T, s *sandbox.Server){
		"killed in the POST":   killed("", "POST", fixture.OrdersPath),
		"killed while waiting": killed("", "GET", fixture.ServiceInvoices+"/{id}"),
		"killed in the explicit issue": func(t *testing.T, s *sandbox.Server) {
			killed("auto_issue_mode = \"disabled\"\nissue_invoices = true", "POST", fixture.OrderIssuePath)(t, s)
			if n := s.Count("POST", fixture.OrderIssuePath); n != 1 {
				t.Errorf("%d explicit issues were sent, want 1", n)
			}
		},
		"killed while approving": func(t *testing.T, s *sandbox.Server) {
			w := acctest.NewWorkspace(t, acctest.Config(s, acctest.OrderBody(`auto_issue_mode = "afterPayment"`)), "")
			w.MustApply()
			w.Write(acctest.Config(s, acctest.OrderBody("auto_issue_mode = \"afterPayment\"\nstatus = \"approved\"")))
			acctest.KilledDuring(t, w, s, "PUT", fixture.OrderPath+"/status")
			w.MustApply()
			w.MustRun("plan", "-detailed-exitcode") // Succeeds only when it is empty.
		},
		"from two runs at once on one machine": func(t *testing.T, s *sandbox.Server) {
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
		},
		"interrupted while waiting": func(t *testing.T, s *sandbox.Server) {
			w := acctest.NewWorkspace(t, acctest.Config(s, acctest.OrderBody("")), "")
			output := acctest.EndedDuring(t, w, s, "GET", fixture.ServiceInvoices+"/{id}", syscall.SIGINT)
			if !strings.Contains(output, "Interrupted while issuing NFS-e (t-1)") {
				t.Errorf("the interrupt is not explained:\n%s", output)
			}
			w.MustApply()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{AuthorizeAfter: 3 * time.Second, ListLag: 6 * time.Second})
			scenario(t, s)
			wantOrders(t, s, 1)
			if invoices := s.Invoices(einvoice.ModelService); len(invoices) != 1 || invoices[0]["status"] != "authorized" {
				t.Errorf("the service holds %d invoices, want 1, authorized: %v", len(invoices), invoices)
			}
		})
	}
}

func TestAccOrder_warnsOfWhatAPlanAloneDoesNotShow(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewWorkspace(t, "", "")
	warns := func(output string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !regexp.MustCompile(want).MatchString(output) {
				t.Errorf("the output lacks %q:\n%s", want, output)
			}
		}
	}
	const paid = "auto_issue_mode = \"afterPayment\"\nstatus = \"approved\""
	w.Write(acctest.Config(s, acctest.OrderBody("auto_issue_mode = \"afterWarrency\"\npayment_method = \"barter\"\neffective_date = \"2026-03-15\"")))
	warns(w.MustRun("plan"), `Unusual payment method(.|\n)*billetBank`, `Warranty without an end`, `Effective date without an explicit issue`)
	for _, sum := range []struct{ from, to, want, answer string }{
		{"amount         = 100", "amount = 101", "Order amount that does not add up(.|\n)*`amount`\\s+is\\s+101(.|\n)*is\\s+100\\.", `order\s+amount\s+101\s+does\s+not\s+match`},
		{"price    = 25", "price = 26", "Item amount that does not add up(.|\n)*`items\\[0\\].amount`(.|\n)*4\\s+x\\s+26\\s+=\\s+104", `item\s+amount\s+100\s+does\s+not\s+match`},
	} {
		w.Write(strings.Replace(acctest.Config(s, acctest.OrderBody("")), sum.from, sum.to, 1))
		warns(w.MustRun("plan"), sum.want)
		// The service decides.
		if output, ok := w.Run("apply", "-auto-approve", "-input=false"); ok || !regexp.MustCompile(`Cannot create order t-1(.|\n)*`+sum.answer).MatchString(output) {
			t.Errorf("an apply with %s ended so:\n%s", sum.to, output)
		}
	}
	w.Write(acctest.Config(s, acctest.OrderBody(paid)))
	w.MustApply()
	warns(w.MustRun("plan", "-destroy"), `Destroying only forgets order t-1(.|\n)*NFS-e\s+1\s+\(authorized\)`)
	w.Write(strings.Replace(acctest.Config(s, acctest.OrderBody(paid)), "t-1", "t-2", 1))
	warns(w.MustRun("plan"), `Destroying only forgets order t-1`)
	w.Write(acctest.Config(s, acctest.OrderBody(paid)))

	s.Patch(sandbox.KindOrders, orderAtService(s), map[string]any{"status": "completed", "amount": 90})
	warns(w.MustRun("plan"), `Order t-1 is sent back to approved(.|\n)*completed`,
		`Order t-1 is another one at the service(.|\n)*amount:\s+100\s+in\s+the\s+configuration,\s+90`)
	s.Patch(sandbox.KindOrders, orderAtService(s), map[string]any{"status": "approved", "amount": 100})
	s.SetInvoiceStatus(s.Invoices(einvoice.ModelService)[0]["id"].(string), "rejected")
	warns(w.MustRun("plan"), `NFS-e 1 \(t-1\) is rejected(.|\n)*next\s+apply\s+issues\s+it\s+again`)
	w.MustApply()
	s.Remove(sandbox.KindOrders, orderAtService(s))
	warns(w.MustRun("plan"), `Order t-1 is gone at the service(.|\n)*never\s+recorded\s+again`)
}
