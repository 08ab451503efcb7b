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
	type states = []string
	for name, test := range map[string]struct {
		mode, status string
		issue        types.Bool
		waits        types.Bool
		accepts      bool
		invoices     states
		want         bool
	}{
		"authorized":                        {mode: "immediately", invoices: states{"authorized"}},
		"in progress":                       {mode: "immediately", invoices: states{"authorized", "enqueued"}, want: true},
		"a draft":                           {mode: "immediately", invoices: states{"created"}, want: true},
		"a draft that nothing triggers":     {mode: "disabled", invoices: states{"created"}},
		"a draft before payment":            {mode: "afterPayment", status: "awaitingPayment", invoices: states{"created"}},
		"a draft after payment":             {mode: "afterPayment", status: "approved", invoices: states{"created"}, want: true},
		"a draft during the warranty":       {mode: "afterWarrency", invoices: states{"created"}},
		"a draft that was to be issued":     {mode: "disabled", issue: types.BoolValue(true), invoices: states{"created"}, want: true},
		"none although one is due":          {mode: "immediately", want: true},
		"none where none is due":            {mode: "disabled"},
		"a status of the future":            {mode: "immediately", invoices: states{"underReview"}, want: true},
		"rejected":                          {mode: "immediately", invoices: states{"rejected"}, want: true},
		"rejected, with another in place":   {mode: "immediately", invoices: states{"rejected", "authorized"}},
		"canceled by hand":                  {mode: "immediately", invoices: states{"canceled"}},
		"in contingency":                    {mode: "immediately", invoices: states{"inContingent"}, want: true},
		"in contingency, accepted":          {mode: "immediately", invoices: states{"inContingent"}, accepts: true},
		"in progress and not waited for":    {mode: "immediately", waits: types.BoolValue(false), invoices: states{"enqueued"}},
		"in progress, waiting is unknown":   {mode: "immediately", waits: types.BoolUnknown(), invoices: states{"enqueued"}, want: true},
		"in progress, the issue is unknown": {mode: "disabled", issue: types.BoolUnknown(), invoices: states{"enqueued"}, want: true},
		"in progress, the mode is unknown":  {mode: "?", invoices: states{"enqueued"}, want: true},
	} {
		var invoices []*einvoice.Invoice
		for n, status := range test.invoices {
			invoices = append(invoices, &einvoice.Invoice{ID: einvoice.Text(rune('a' + n)), Model: einvoice.ModelService, Status: einvoice.Enum(status)})
		}
		plan := orderModel{
			record:        record{AutoIssueMode: types.StringValue(test.mode), Status: attribute.TextOrNull(test.status)},
			IssueInvoices: test.issue, WaitForInvoices: test.waits, AcceptContingency: types.BoolValue(test.accepts),
		}
		if test.mode == "?" {
			plan.AutoIssueMode = types.StringUnknown()
		}
		if test.waits.IsNull() {
			plan.WaitForInvoices = types.BoolValue(true)
		}
		expect.Is(t, plan.goesOn(&orderModel{record: record{Invoices: invoicesFromAPI(invoices)}}), test.want, "%s: goes on", name)
	}
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
	type states = []string
	for name, test := range map[string]struct {
		invoices states
		want     []string // summaries
	}{
		"all is well":                        {states{"authorized", "inContingent", "enqueued"}, nil},
		"canceled":                           {states{"canceled"}, []string{"NF-e (t-1) is canceled"}},
		"rejected":                           {states{"rejected"}, []string{"NF-e (t-1) is rejected"}},
		"one of two does not hide the other": {states{"canceled", "denied"}, []string{"NF-e (t-1) is canceled", "NF-e (t-1) is denied"}},
		"canceled, and issued again":         {states{"canceled", "authorized"}, nil},
		"rejected, issued again and then canceled": {states{"rejected", "canceled"}, []string{"NF-e (t-1) is canceled"}},
	} {
		held := &einvoice.Order{}
		for n, status := range test.invoices {
			held.Invoices = append(held.Invoices, &einvoice.Invoice{ID: einvoice.Text(rune('a' + n)), Model: einvoice.ModelProduct, Status: einvoice.Enum(status)})
		}
		m := &orderModel{record: record{TransactionID: types.StringValue("t-1")}}
		var got []string
		for _, d := range append(m.refresh(t.Context(), held), m.warnOfEnded(t.Context())...) {
			got = append(got, d.Summary())
		}
		expect.Same(t, test.want, got, "%s", name)
		wants := orderModel{record: record{AutoIssueMode: types.StringValue("immediately")}, WaitForInvoices: types.BoolValue(true)}
		if name == "rejected, issued again and then canceled" && wants.goesOn(m) {
			t.Errorf("%s: a sale that a person has canceled is issued again", name)
		}
	}
}

// line is an item with the numbers given, the others null.
func line(numbers map[string]types.Float64) types.Object {
	values := map[string]attr.Value{"product": types.ObjectNull(productTypes)}
	for _, name := range []string{"quantity", "price", "amount", "discount_amount", "freight_amount"} {
		values[name] = types.Float64Null()
		if n, ok := numbers[name]; ok {
			values[name] = n
		}
	}
	return types.ObjectValueMust(itemTypes, values)
}

func reais(f float64) types.Float64 { return types.Float64Value(f) }

func TestOrder_sumsAreCheckedWhereAllPartsAreKnown(t *testing.T) {
	t.Parallel()
	type numbers = map[string]types.Float64
	unknown := types.Float64Unknown()
	atTheItem := path.Root("items").AtListIndex(0)
	for name, test := range map[string]struct {
		amount, freight, discount types.Float64
		items                     []attr.Value
		at                        path.Path // of the warning; empty for none
		texts                     []string
	}{
		"all agrees": {
			amount: reais(26), freight: reais(5), discount: reais(4),
			items: []attr.Value{line(numbers{"quantity": reais(2.5), "price": reais(10.4), "discount_amount": reais(1), "amount": reais(25)})},
		},
		"binary fractions are no difference": {
			amount: reais(0.3), items: []attr.Value{line(numbers{"amount": reais(0.1)}), line(numbers{"quantity": reais(2), "price": reais(0.1), "amount": reais(0.2)})},
		},
		"half a cent is rounding": {
			amount: reais(1), items: []attr.Value{line(numbers{"quantity": reais(3), "price": reais(0.335), "amount": reais(1)})},
		},
		"half a cent of an item without an amount rounds up": {
			amount: reais(2.02), items: []attr.Value{line(numbers{"quantity": reais(3), "price": reais(0.335)}), line(numbers{"quantity": reais(3), "price": reais(0.335)})},
		},
		"no items at all": {amount: reais(1)},
		"the item does not add up": {
			amount: reais(3.3), items: []attr.Value{line(numbers{"quantity": reais(3), "price": reais(1.1), "discount_amount": reais(1), "amount": reais(3.3)})},
			at: atTheItem, texts: []string{"`items[0].amount` is 3.3", "3 x 1.1 - 1 = 2.3"},
		},
		"the order does not add up": {
			amount: reais(25), freight: reais(5), discount: reais(4), items: []attr.Value{line(numbers{"amount": reais(10)}), line(numbers{"amount": reais(15.5)})},
			at: path.Root("amount"), texts: []string{"`amount` is 25", "25.5 + 5 - 4 = 26.5"},
		},
		"an unknown amount": {amount: unknown, items: []attr.Value{line(numbers{"amount": reais(1)})}},
		"an unknown price":  {amount: reais(1), items: []attr.Value{line(numbers{"quantity": reais(3), "price": unknown, "amount": reais(1)})}},
		"an unknown discount of an item": {
			amount: reais(2), items: []attr.Value{line(numbers{"quantity": reais(1), "price": reais(9), "discount_amount": unknown, "amount": reais(2)})},
		},
		"an unknown item": {amount: reais(9), items: []attr.Value{line(numbers{"amount": reais(1)}), types.ObjectUnknown(itemTypes)}},
	} {
		rows.Case(t, name, func(t *testing.T) {
			items := types.ListValueMust(types.ObjectType{AttrTypes: itemTypes}, test.items)
			m := orderModel{record: record{
				Amount: test.amount, FreightAmount: test.freight, DiscountAmount: test.discount, Items: items,
			}}
			diags := m.checkItems(t.Context())
			fixture.WantTexts(t, diags, test.texts...)
			if len(test.at.Steps()) == 0 {
				fixture.FailOn(t, diags)
				return
			}
			if len(diags) != 1 {
				t.Fatalf("%d diagnostics, want 1: %v", len(diags), diags)
			}
			if at, ok := diags[0].(diag.DiagnosticWithPath); !ok || !at.Path().Equal(test.at) || at.Severity() != diag.SeverityWarning {
				t.Errorf("%v, want a warning on %s", diags[0], test.at)
			}
		})
	}
	unknownList := orderModel{record: record{
		Amount: reais(1), Items: types.ListUnknown(types.ObjectType{AttrTypes: itemTypes}),
	}}
	fixture.FailOn(t, unknownList.checkItems(t.Context()))
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
