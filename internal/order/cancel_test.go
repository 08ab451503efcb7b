package order_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// twoModels is an order that the service splits into an NF-e and an NFS-e.
const twoModels = `
transaction_id      = "t-1"
amount              = 30
customer            = { name = "Maria", federal_tax_number = "529.982.247-25" }
cancellation_reason = "Pedido em duplicidade"
items = [
  { price = 10, product = { code = "A", name = "Curso", invoice_model = "serviceInvoice" } },
  { price = 20, product = { code = "B", name = "Livro", invoice_model = "productInvoice" } },
]
`

// sandboxOfTwoModels lets an order have invoices of several models.
func sandboxOfTwoModels(t *testing.T) *sandbox.Server {
	t.Helper()
	s := sandbox.Start(t, sandbox.Options{})
	general := map[string]any{"allowMultipleInvoiceModelsPerOrder": true}
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"general": general})
	return s
}

// invoiceOf is the id of the first invoice of a model.
func invoiceOf(s *sandbox.Server, model string) string { return fmt.Sprint(s.Invoices(model)[0]["id"]) }

func TestOrder_destroyCancelsWhatThePlanHasSaid(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		arguments string
		planned   func(t *testing.T, s *sandbox.Server) // before the plan
		found     func(t *testing.T, s *sandbox.Server) // after it
		fails     string                                // what the destroy says
		deletes   int
		ends      string // of NF-e and NFS-e
	}{
		"all are authorized": {arguments: twoModels, deletes: 2, ends: "canceled, canceled"},
		"without a reason":   {arguments: strings.Replace(twoModels, "cancellation_reason", "#", 1), ends: "authorized, authorized"},
		"one was canceled elsewhere": {
			arguments: twoModels, deletes: 1, ends: "canceled, canceled",
			planned: func(_ *testing.T, s *sandbox.Server) {
				s.SetInvoiceStatus(invoiceOf(s, "productInvoice"), "canceled")
			},
		},
		"one is canceled after the plan": {
			arguments: twoModels, deletes: 1, ends: "canceled, canceled",
			found: func(_ *testing.T, s *sandbox.Server) {
				s.SetInvoiceStatus(invoiceOf(s, "productInvoice"), "canceled")
			},
		},
		"one is in progress": {
			arguments: twoModels, ends: "enqueued, authorized", fails: `Cannot cancel NF-e \(t-1\) yet.*To remove the order from state`,
			planned: func(_ *testing.T, s *sandbox.Server) {
				s.SetInvoiceStatus(invoiceOf(s, "productInvoice"), "enqueued")
			},
		},
		"one has moved on since the plan": {
			arguments: twoModels, ends: "authorized, authorized", fails: `Not destroyed: the status of NF-e.*The plan was made for an invoice with status "rejected"`,
			planned: func(_ *testing.T, s *sandbox.Server) {
				s.SetInvoiceStatus(invoiceOf(s, "productInvoice"), "rejected")
			},
			found: func(_ *testing.T, s *sandbox.Server) {
				s.SetInvoiceStatus(invoiceOf(s, "productInvoice"), "authorized")
			},
		},
		"one was issued since the plan": {
			arguments: strings.Replace(twoModels, "customer", "auto_issue_mode = \"disabled\"\ncustomer", 1), ends: "authorized, authorized",
			fails: `Not destroyed: the status of NF-e.*The plan did not know`,
			found: func(t *testing.T, s *sandbox.Server) {
				if err := fixture.OwnerClient(t, s).IssueOrderInvoices(t.Context(), orderAtService(s), "", nil); err != nil {
					t.Fatal(err)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandboxOfTwoModels(t)
			o := testkit.Serve(t, s, nil).Object("einvoice_order")
			o.Run(testkit.Step{Arguments: test.arguments})
			if test.planned != nil {
				test.planned(t, s)
				o.MustNotFail(o.Refresh())
			}
			if test.found != nil {
				test.found(t, s)
			}
			s.ResetRequests()
			failed := o.End()
			if (test.fails == "") != (failed == "") || !regexp.MustCompile("(?s)"+test.fails).MatchString(failed) {
				t.Errorf("the error is %q, want %q", failed, test.fails)
			}
			if (o.State() == nil) != (test.fails == "") {
				t.Errorf("the state is %v", o.State())
			}
			fixture.WantRequests(t, s, "DELETE", "", test.deletes)
			if n := s.Count("DELETE", "/v1/orders/{id}/cancel"); n != 0 {
				t.Error("the order was canceled, which promises nothing of its invoices")
			}
			ends := fmt.Sprintf("%v, %v", s.Invoices("productInvoice")[0]["status"], s.Invoices("serviceInvoice")[0]["status"])
			if ends != test.ends {
				t.Errorf("the invoices are %s, want %s", ends, test.ends)
			}
			if test.arguments != twoModels && test.fails == "" && len(s.Requests()) != 0 {
				t.Errorf("%d requests to forget the order", len(s.Requests()))
			}
		})
	}
}

// What is canceled already is left alone by the next try.
func TestOrder_aRefusedCancellationIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := sandboxOfTwoModels(t)
	s.ScriptInvoice("t-1", sandbox.CancelRefused("501", "Prazo de cancelamento superior ao previsto"))
	o := testkit.Serve(t, s, nil).Object("einvoice_order")
	o.Run(testkit.Step{Arguments: twoModels})
	failed := o.End()
	if strings.Count(failed, "Cancellation refused") != 1 || !strings.Contains(failed, "(t-1): Code 501") {
		t.Errorf("the error is %q", failed)
	}
	o.MustNotFail(o.Refresh())
	var statuses []string
	for _, v := range s.Invoices("") {
		statuses = append(statuses, fmt.Sprint(v["status"]))
	}
	slices.Sort(statuses)
	if diff := cmp.Diff([]string{"authorized", "canceled"}, statuses); diff != "" {
		t.Fatalf("the invoices (-want +got):\n%s", diff)
	}
	if failed := o.End(); failed != "" {
		t.Error(failed)
	}
	fixture.WantRequests(t, s, "DELETE", "", 3)
}

// A block that is renamed without `moved` leaves and comes at the same moment. Either
// the new one has the order, whose invoice stays valid, or it is told what was canceled.
func TestOrder_aLeavingBlockNeverCancelsWhatAnotherHasTakenOver(t *testing.T) {
	t.Parallel()
	const both = testkit.BothAtOnce
	for _, order := range []string{testkit.TheNewOneFirst, testkit.TheOldOneFirst, both, both} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			s := sandboxOfTwoModels(t)
			p := testkit.Serve(t, s, nil)
			old, renamed := p.Object("einvoice_order"), p.Object("einvoice_order")
			old.Run(testkit.Step{Arguments: twoModels})
			said := old.RenameTo(renamed, twoModels, order)
			if !strings.Contains(testkit.TextsOf(said), "Renamed without") {
				t.Errorf("no plan recommends a moved block")
			}
			want := "canceled"
			if renamed.State() != nil || order == testkit.TheNewOneFirst {
				want = "authorized"
			}
			for _, v := range s.Invoices("") {
				if v["status"] != want {
					t.Errorf("an invoice is %v, and the new block holds %v", v["status"], renamed.State())
				}
			}
			if n := len(s.Objects(sandbox.KindOrders)); n != 1 {
				t.Errorf("%d orders", n)
			}
		})
	}
}
