package order

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

func TestOrder_planGoesOnWithWhatIsNotSettled(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Row, Mode, Status string
		Issue, Waits      any // true, false or (unknown)
		Accepts, GoesOn   bool
		Invoices          []string
	}](t, "order_plan_goes_on_with_what_is_not_settled.json") {
		plan := orderModel{
			record:        record{AutoIssueMode: types.StringValue(test.Mode), Status: attribute.TextOrNull(test.Status)},
			IssueInvoices: flag(test.Issue), WaitForInvoices: flag(test.Waits), AcceptContingency: types.BoolValue(test.Accepts),
		}
		if test.Mode == unknown {
			plan.AutoIssueMode = types.StringUnknown()
		}
		if test.Waits == nil {
			plan.WaitForInvoices = types.BoolValue(true)
		}
		held := &orderModel{record: record{Invoices: invoicesFromAPI(invoicesOf(einvoice.ModelService, test.Invoices))}}
		expect.Is(t, plan.goesOn(held), test.GoesOn, "%s: goes on", test.Row)
	}
}

// unknown is a value of a table that is not known yet.
const unknown = "(unknown)"

func flag(value any) types.Bool {
	is, isKnown := value.(bool)
	switch {
	case isKnown:
		return types.BoolValue(is)
	case value == unknown:
		return types.BoolUnknown()
	}
	return types.BoolNull()
}

// invoicesOf are invoices of a model with these statuses.
func invoicesOf(model einvoice.Enum, statuses []string) (invoices []*einvoice.Invoice) {
	for n, status := range statuses {
		invoices = append(invoices, &einvoice.Invoice{ID: einvoice.Text(rune('a' + n)), Model: model, Status: einvoice.Enum(status)})
	}
	return invoices
}

// shownOf is a value of a placeholder in English.
func shownOf(value any) string {
	if t, ok := value.(text.Text); ok {
		return t.In(context.Background())
	}
	return fmt.Sprint(value)
}

func TestOrder_changesAreFoundLeafByLeaf(t *testing.T) {
	t.Parallel()
	item := func(quantity attr.Value) attr.Value {
		return types.ObjectValueMust(map[string]attr.Type{"quantity": types.Float64Type}, map[string]attr.Value{"quantity": quantity})
	}
	itemType := types.ObjectType{AttrTypes: map[string]attr.Type{"quantity": types.Float64Type}}
	items := func(elements ...attr.Value) attr.Value { return types.ListValueMust(itemType, elements) }
	for name, test := range map[string]struct {
		now, was attr.Value
		want     []string
	}{
		"the same":                 {items(item(reais(1))), items(item(reais(1))), nil},
		"a leaf of an element":     {items(item(reais(1)), item(reais(3))), items(item(reais(1)), item(reais(2))), []string{"items[1].quantity: 2 to 3"}},
		"a leaf that is not known": {items(item(types.Float64Unknown())), items(item(reais(2))), nil},
		"a leaf that is omitted":   {items(item(types.Float64Null())), items(item(reais(2))), []string{"items[0].quantity: 2 to not set"}},
		"another length":           {items(item(reais(1))), items(item(reais(1)), item(reais(2))), []string{"items: a list of 2 to a list of 1"}},
		"nothing known":            {types.ListUnknown(itemType), items(item(reais(1))), nil},
		"a text":                   {types.StringValue("b"), types.StringValue("a"), []string{`items: "a" to "b"`}},
		"a spelled text":           {attribute.SpelledOrNull(attribute.DateTimeSpelling, "2026-03-10"), attribute.SpelledOrNull(attribute.DateTimeSpelling, ""), []string{`items: not set to "2026-03-10"`}},
		"a flag":                   {types.BoolValue(true), types.BoolValue(false), []string{"items: false to true"}},
		"an object that is new":    {item(reais(1)), types.ObjectNull(itemType.AttrTypes), []string{"items: not set to set"}},
	} {
		var got []string
		for _, c := range attribute.Changes(path.Root("items"), test.now, test.was) {
			got = append(got, c.At.String()+": "+shownOf(asText(c.Was))+" to "+shownOf(asText(c.Now)))
		}
		expect.Same(t, test.want, got, "%s", name)
	}
}

func TestOrder_extraThatTheServiceShowsOtherwiseIsNamed(t *testing.T) {
	t.Parallel()
	m := &orderModel{ExtraJSON: attribute.JSONValue(`{"a":1,"b":{"c":2},"d":null}`)}
	for held, want := range map[string][]string{
		`{"a":1.0,"b":{"c":2,"more":3},"other":4}`: nil,
		`{}`:                    nil,
		`{"a":null}`:            nil,
		`{"a":2,"b":{"c":"2"}}`: {"extra_json: another `a` at the service", "extra_json: another `b` at the service"},
		`[]`:                    nil,
	} {
		var got []string
		for _, difference := range m.extraDifferences([]byte(held)) {
			got = append(got, shownOf(difference))
		}
		expect.Same(t, want, got, "%s", held)
	}
	if got := (&orderModel{}).extraDifferences([]byte(`{"a":1}`)); got != nil {
		t.Errorf("%v without extra_json", got)
	}
}

func TestOrder_everyPlanWarnsOfInvoicesThatEndedElsewhere(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Row                string
		Invoices, Warnings []string // their statuses, and the summaries
	}](t, "order_every_plan_warns_of_invoices_that_ended_elsewhere.json") {
		held := &einvoice.Order{Invoices: invoicesOf(einvoice.ModelProduct, test.Invoices)}
		m := &orderModel{record: record{TransactionID: types.StringValue("t-1")}}
		var got []string
		for _, d := range append(m.refresh(t.Context(), held), m.warnOfEnded(t.Context())...) {
			got = append(got, d.Summary())
		}
		expect.Same(t, test.Warnings, got, "%s", test.Row)
	}
}

func reais(f float64) types.Float64 { return types.Float64Value(f) }

func TestOrder_sumsAreCheckedWhereAllPartsAreKnown(t *testing.T) {
	t.Parallel()
	number := func(value any) types.Float64 {
		f, isKnown := value.(float64)
		switch {
		case isKnown:
			return reais(f)
		case value == unknown:
			return types.Float64Unknown()
		}
		return types.Float64Null()
	}
	item := func(value any) attr.Value {
		numbers, isKnown := value.(map[string]any)
		if !isKnown {
			return types.ObjectUnknown(itemTypes)
		}
		values := map[string]attr.Value{"product": types.ObjectNull(productTypes)}
		for _, name := range []string{"quantity", "price", "amount", "discount_amount", "freight_amount"} {
			values[name] = number(numbers[name])
		}
		return types.ObjectValueMust(itemTypes, values)
	}
	for _, test := range rows.Read[[]struct {
		Row                              string
		Amount, Freight, Discount, Items any
		At                               string // of the warning; "" for none
		Says                             []string
	}](t, "order_sums_are_checked_where_all_parts_are_known.json") {
		rows.Case(t, test.Row, func(t *testing.T) {
			itemType := types.ObjectType{AttrTypes: itemTypes}
			list, isKnown := test.Items.([]any)
			items := make([]attr.Value, len(list))
			for n, value := range list {
				items[n] = item(value)
			}
			m := orderModel{record: record{
				Amount: number(test.Amount), FreightAmount: number(test.Freight), DiscountAmount: number(test.Discount),
				Items: types.ListValueMust(itemType, items),
			}}
			if !isKnown && test.Items != nil {
				m.Items = types.ListUnknown(itemType)
			}
			diags, at := m.checkItems(t.Context()), ""
			fixture.WantTexts(t, diags, test.Says...)
			for _, d := range diags.Warnings() {
				located, _ := d.(diag.DiagnosticWithPath)
				at += located.Path().String()
			}
			expect.Is(t, at, test.At, "of %v the warnings are at", diags)
			expect.Is(t, diags.HasError(), false, "an error")
		})
	}
}

// What orders have in common with invoices is worded in package invoice.
func TestOrder_problemsNameTheOrder(t *testing.T) {
	t.Parallel()
	held := &einvoice.Order{ID: "id-1", Status: "created"}
	for want, p := range map[string]*engine.Problem{
		"Interrupted while issuing order t-1": {Kind: engine.Interrupted, Order: held, Cause: context.Canceled},
		"Still in progress: NF-e (t-1)": {
			Kind: engine.TimedOut, Model: einvoice.ModelProduct, Queued: true, Cause: context.DeadlineExceeded,
			Invoice: &einvoice.Invoice{ID: "inv-1", Status: "rejected"},
		},
		"Response lost: order t-1":                           {Kind: engine.AnswerLost, Cause: errors.New("connection reset")},
		"It is not known whether this exists: order t-1":     {Kind: engine.Unlisted, Cause: errors.New("connection reset")},
		"Another order has this transaction_id: order t-1":   {Kind: engine.Another, Order: held},
		"Several orders have this transaction_id: order t-1": {Kind: engine.Several, Orders: []*einvoice.Order{held, held}},
	} {
		got := outcome(t.Context(), &engine.Ordering{Wanted: einvoice.Order{TransactionID: "t-1"}}, p, nil, false)
		if len(got) != 1 || got[0].Summary() != want || got[0].Severity() != diag.SeverityError {
			t.Errorf("%v, want %q", got, want)
		}
	}
}

// An entry of the list that shows anything otherwise than the state is not believed.
func TestOrder_isShownAsItIsInState(t *testing.T) {
	t.Parallel()
	number := einvoice.Int(7)
	state := &orderModel{
		record: record{
			TransactionID: types.StringValue("t-1"), Amount: types.Float64Value(10), Status: types.StringValue("approved"),
			AutoIssueMode: types.StringValue("immediately"),
			Invoices: invoicesFromAPI([]*einvoice.Invoice{
				{ID: "a", Model: einvoice.ModelService, Status: einvoice.StatusAuthorized, Number: &number},
				{ID: "b", Model: einvoice.ModelProduct, Status: einvoice.StatusCanceled},
			}),
		},
		ExtraJSON: attribute.JSONValue(`{"tag":1}`),
	}
	for name, test := range rows.Read[map[string]struct {
		Entry string
		Want  bool
	}](t, "order_is_shown_as_it_is_in_state.json") {
		held := &einvoice.Order{Raw: json.RawMessage(test.Entry)}
		expect.NoError(t, json.Unmarshal(held.Raw, held))
		expect.Is(t, state.isShownBy(held), test.Want, "%s: it", name)
	}
	unset := *state
	unset.Status = types.StringNull()
	if !unset.isShownBy(&einvoice.Order{Status: "approved", Invoices: state.invoicesInState()}) {
		t.Error("a status that is not in state is compared")
	}
}
