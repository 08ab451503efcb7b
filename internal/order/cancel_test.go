package order_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
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

// destroy applies the destroy that a plan of the state in hand has said.
func destroy(o *acctest.Object) (failed string) {
	o.T.Helper()
	none := tftypes.NewValue(o.Type, nil)
	return acctest.ErrorsIn(o.Apply(none, &tfprotov6.PlanResourceChangeResponse{PlannedState: o.Dynamic(none)}))
}

// invoiceOf is the id of the order's invoice of a model.
func invoiceOf(t *testing.T, s *sandbox.Server, model string) string {
	t.Helper()
	found := s.Invoices(model)
	if len(found) != 1 {
		t.Fatalf("%d invoices of the model %s, want 1", len(found), model)
	}
	return fmt.Sprint(found[0]["id"])
}

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
			planned: func(t *testing.T, s *sandbox.Server) {
				s.SetInvoiceStatus(invoiceOf(t, s, "productInvoice"), "canceled")
			},
		},
		"one is canceled after the plan": {
			arguments: twoModels, deletes: 1, ends: "canceled, canceled",
			found: func(t *testing.T, s *sandbox.Server) {
				s.SetInvoiceStatus(invoiceOf(t, s, "productInvoice"), "canceled")
			},
		},
		"one is in progress": {
			arguments: twoModels, ends: "enqueued, authorized", fails: `Cannot cancel NF-e \(t-1\) yet.*To forget the order`,
			planned: func(t *testing.T, s *sandbox.Server) {
				s.SetInvoiceStatus(invoiceOf(t, s, "productInvoice"), "enqueued")
			},
		},
		"one has moved on since the plan": {
			arguments: twoModels, ends: "authorized, authorized", fails: `Not destroyed: the status of NF-e.*The plan was made for an invoice with status "rejected"`,
			planned: func(t *testing.T, s *sandbox.Server) {
				s.SetInvoiceStatus(invoiceOf(t, s, "productInvoice"), "rejected")
			},
			found: func(t *testing.T, s *sandbox.Server) {
				s.SetInvoiceStatus(invoiceOf(t, s, "productInvoice"), "authorized")
			},
		},
		"one was issued since the plan": {
			arguments: strings.Replace(twoModels, "customer", "auto_issue_mode = \"disabled\"\ncustomer", 1), ends: "authorized, authorized",
			fails: `Not destroyed: the status of NF-e.*The plan did not know it`,
			found: func(t *testing.T, s *sandbox.Server) {
				if err := fixture.OwnerClient(t, s).IssueOrderInvoices(t.Context(), orderAtService(s), ""); err != nil {
					t.Fatal(err)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			s.SetSettings(s.OwnerCompanyID(), map[string]any{"general": map[string]any{"allowMultipleInvoiceModelsPerOrder": true}})
			o := acctest.Serve(t, s, nil).Object("einvoice_order")
			o.Run(acctest.Step{Arguments: test.arguments})
			if test.planned != nil {
				test.planned(t, s)
				o.MustNotFail(o.Refresh())
			}
			if test.found != nil {
				test.found(t, s)
			}
			s.ResetRequests()
			failed := destroy(o)
			if (test.fails == "") != (failed == "") || !regexp.MustCompile("(?s)"+test.fails).MatchString(failed) {
				t.Errorf("the error is %q, want %q", failed, test.fails)
			}
			if (o.State() == nil) != (test.fails == "") {
				t.Errorf("the state is %v", o.State())
			}
			if n := s.Count("DELETE", ""); n != test.deletes {
				t.Errorf("%d cancellations were sent, want %d", n, test.deletes)
			}
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
	s := sandbox.Start(t, sandbox.Options{})
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"general": map[string]any{"allowMultipleInvoiceModelsPerOrder": true}})
	s.ScriptInvoice("t-1", sandbox.CancelRefused("501", "Prazo de cancelamento superior ao previsto"))
	o := acctest.Serve(t, s, nil).Object("einvoice_order")
	o.Run(acctest.Step{Arguments: twoModels})
	if failed := destroy(o); strings.Count(failed, "Cancellation refused") != 1 || !strings.Contains(failed, "(t-1): Code 501") {
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
	if failed := destroy(o); failed != "" {
		t.Error(failed)
	}
	if n := s.Count("DELETE", ""); n != 3 {
		t.Errorf("%d cancellations were sent, want 3", n)
	}
}

func TestOrder_reasonAndIdentityAreCheckedWhilePlanning(t *testing.T) {
	t.Parallel()
	valid := map[string]any{
		"transaction_id": "t-1", "amount": 10, "cancellation_reason": "Pedido em duplicidade",
		"customer": map[string]any{"name": "Maria"}, "items": []any{map[string]any{"price": 10, "product": map[string]any{"name": "Camisa"}}},
	}
	long := maps.Clone(valid)
	long["transaction_id"] = strings.Repeat("a", 36)
	acctest.WantRefusals(t, "einvoice_order", long, []acctest.Refusal{
		{Name: "an identity of 37 characters", At: "transaction_id", Value: strings.Repeat("a", 37), Want: "1 to 36 characters.*has 37"},
		{Name: "an identity with a space", At: "transaction_id", Value: "sale 1", Want: "1 to 36 characters"},
		{Name: "an empty identity", At: "transaction_id", Value: "", Want: "1 to 36 characters"},
		{Name: "a short reason", At: "cancellation_reason", Value: "mistake", Want: "15 to 255 characters.*has 7"},
	})
}

func TestAccOrder_destroyCancelsItsInvoices(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	config := func(more string) string {
		return acctest.Config(s, `
resource "einvoice_order" "test" {
  transaction_id = "t-1"
  amount         = 10
  customer       = { name = "Maria", federal_tax_number = "529.982.247-25" }
  items          = [{ price = 10, product = { name = "Curso", invoice_model = "serviceInvoice" } }]
  `+more+`
}`)
	}
	w := acctest.NewAttached(t, config(""))
	w.MustApply()
	s.ResetRequests()
	w.Write(config(`cancellation_reason = "Pedido em duplicidade"`))
	w.MustApply()
	if n := fixture.CountWrites(s); n != 0 {
		t.Errorf("%d writes to take a reason into state, want none", n)
	}
	warns := acctest.Unwrapped(w.MustRun("plan", "-destroy", "-input=false"))
	if !strings.Contains(warns, "Destroying cancels the invoices of order t-1") {
		t.Errorf("the plan does not say what it cancels:\n%s", warns)
	}
	w.MustRun("destroy", "-auto-approve", "-input=false")
	if status := s.Invoices("")[0]["status"]; status != "canceled" {
		t.Errorf("the invoice is %v, want canceled", status)
	}
}
