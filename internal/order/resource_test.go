package order_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestOrder(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "orders.json")
}

func TestOrder_refusesEveryOtherChange(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	product := map[string]any{"code": "S1", "name": "Consulta", "invoice_model": "serviceInvoice"}
	sold := map[string]any{
		"transaction_id": "t-1", "amount": 100, "customer": map[string]any{"name": "Maria"}, "extra_json": `{"tag":1}`,
		"items": []any{map[string]any{"quantity": 4, "price": 25, "amount": 100, "product": product}},
	}
	o := testkit.Serve(t, s, nil).Object("einvoice_order")
	o.MustCreate(sold)
	for _, change := range rows.Read[[]testkit.Refusal](t, "order_refuses_every_other_change.json") {
		arguments := maps.Clone(sold)
		testkit.Set(arguments, change.At, change.Value)
		_, said := o.Plan(o.Value(o.Type, arguments))
		testkit.WantErrorAt(t, said, change.At, "Cannot change order t-1.*"+change.Want)
	}
	fixture.WantWrites(t, s, 1)
}

func TestOrder_refusesWrongValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	testkit.WantRefusalsOf(t, "einvoice_order", "order_refuses_wrong_values_while_planning.json")
}

func TestOrderDataSources(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "order_reads.json")
}

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

// A block that is renamed without `moved` leaves and comes at the same moment. Either
// the new one has the order, whose invoice stays valid, or it is told what was canceled.
func TestOrder_aLeavingBlockNeverCancelsWhatAnotherHasTakenOver(t *testing.T) {
	t.Parallel()
	const both = testkit.BothAtOnce
	for _, order := range []string{testkit.TheNewOneFirst, testkit.TheOldOneFirst, both, both} {
		rows.Case(t, order, func(t *testing.T) {
			s := sandboxOfTwoModels(t)
			p := testkit.Serve(t, s, nil)
			old, renamed := p.Object("einvoice_order"), p.Object("einvoice_order")
			old.Run(testkit.Step{Arguments: twoModels})
			said := old.RenameTo(renamed, twoModels, order)
			expect.Contains(t, testkit.TextsOf(said), "Renamed without")
			want := "canceled"
			if renamed.State() != nil || order == testkit.TheNewOneFirst {
				want = "authorized"
			}
			for _, v := range s.Invoices("") {
				expect.Is[any](t, v["status"], want, "an invoice, and the new block holds %v", renamed.State())
			}
			expect.Is(t, len(s.Objects(sandbox.KindOrders)), 1, "orders")
		})
	}
}

// What is canceled already is left alone by the next try. Which of the two is refused is up to the service.
func TestOrder_aRefusedCancellationIsTriedAgain(t *testing.T) {
	t.Parallel()
	testkit.OnClock(t, sandbox.Options{}, func(t *testing.T, s *testkit.Clocked) {
		s.SetSettings(s.OwnerCompanyID(), map[string]any{"general": map[string]any{"allowMultipleInvoiceModelsPerOrder": true}})
		s.ScriptInvoice("t-1", sandbox.CancelRefused("501", "Prazo de cancelamento superior ao previsto"))
		o := s.Process(nil).Object("einvoice_order")
		o.Run(testkit.Step{Arguments: twoModels})
		failed := o.End()
		expect.Is(t, strings.Count(failed, "Cancellation refused"), 1, "refusals in %s", failed)
		expect.Contains(t, failed, "(t-1): Code 501")
		fixture.WantRequests(t, s.Server, "DELETE", "", 2)
		o.MustNotFail(o.Refresh())
		var statuses []string
		for _, v := range s.Invoices("") {
			statuses = append(statuses, fmt.Sprint(v["status"]))
		}
		slices.Sort(statuses)
		expect.Same(t, []string{"authorized", "canceled"}, statuses, "the invoices")
		expect.Is(t, o.End(), "", "the next try says")
		fixture.WantRequests(t, s.Server, "DELETE", "", 3)
		for _, v := range s.Invoices("") {
			expect.Is(t, v["status"], any("canceled"), "an invoice")
		}
	})
}
