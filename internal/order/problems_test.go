package order

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
)

func TestOrderProblems_sayWhatHappenedAndWhatToDo(t *testing.T) {
	t.Parallel()
	held := &einvoice.Order{ID: "id-1", Status: "created"}
	rejected := &einvoice.Invoice{ID: "inv-1", Model: einvoice.ModelProduct, Status: "rejected", ProcessingDetail: &einvoice.ProcessingDetail{Code: "539", Message: "Duplicidade"}}
	denied := &einvoice.Invoice{ID: "inv-2", Model: einvoice.ModelService, Status: "denied", ProcessingDetail: &einvoice.ProcessingDetail{Code: "302", Message: "Uso denegado"}}
	rejection := engine.InvoiceProblems{{Kind: engine.Rejected, Model: einvoice.ModelProduct, Invoice: rejected}}
	lost := errors.New("connection reset")
	ended := func(kind engine.Kind, order *einvoice.Order, cause error) *engine.Problem {
		return &engine.Problem{Kind: kind, Cause: cause, Order: order}
	}
	missing, another, unsent := ended(engine.TimedOut, held, context.DeadlineExceeded), ended(engine.Another, held, nil), ended(engine.Another, held, nil)
	missing.LastLook = lost
	differ := []engine.Difference{{Of: "amount", Wanted: "1", Held: "2"}}
	another.Sent, another.Differences, unsent.Differences = true, differ, differ
	gone, refused := ended(engine.RequestFailed, nil, fixture.FailureOf(t, 404, nil, "")), ended(engine.RequestFailed, nil,
		fixture.FailureOf(t, 400, nil, `{"errors":[{"message":"The field Name is invalid","path":"customer.name"}]}`))
	gone.Request, refused.Request = "follow", "create"
	again, several := ended(engine.AnswerLost, nil, lost), ended(engine.Several, nil, nil)
	again.Repetitions, several.Orders = 2, []*einvoice.Order{held, {ID: "id-2", Status: "approved"}}
	created, inState := resourceTerms(nil, false), resourceTerms(nil, true)
	for name, test := range map[string]struct {
		problem error
		terms   terms
		want    []string
	}{
		"an interrupt": {ended(engine.Interrupted, held, context.Canceled), created, []string{
			"Interrupted while issuing order t-1", "id-1", "Run apply again: it looks the order up by its `transaction_id`", "nothing is sent twice",
		}},
		"an interrupt before anything": {ended(engine.Interrupted, nil, context.Canceled), created, []string{"is not known"}},
		"time that is over":            {ended(engine.Interrupted, held, context.DeadlineExceeded), created, []string{"Interrupted while issuing order t-1", "The time for it was over."}},
		"an invoice that is missing": {missing, created, []string{
			"No invoice yet: order t-1", "The last look at it failed: connection reset.", "issue_invoices = true",
		}},
		"an invoice that is missing, to an action": {ended(engine.TimedOut, held, context.DeadlineExceeded), actionTerms, []string{
			"Invoke the action again to go on waiting", "look at the order in the back office",
		}},
		"a creation that was lost":       {ended(engine.AnswerLost, nil, lost), created, []string{"Answer lost: order t-1", "connection reset", "does not list it", "Nothing was sent a second time."}},
		"a creation that was lost again": {again, created, []string{"Answer lost: order t-1", "It was sent 3 times"}},
		"a status that was lost":         {ended(engine.StatusLost, held, lost), created, []string{"Answer lost: the status of order t-1", `"approved"`, `still shows "created"`, "Nothing was sent a second time."}},
		"an issue that was lost":         {ended(engine.IssueLost, held, lost), created, []string{"Answer lost: the explicit issue of order t-1", "Nothing was sent a second time.", "issues only what is still not issued"}},
		"a rejection": {rejection, created, []string{
			"NF-e (t-1) was rejected: 539", "Duplicidade.", "raise `next_number` in the company's settings", "run apply again: the order is found", "Nothing is kept in state, and no second order is made.",
			"inv-1", "definitive", "found by its `transaction_id`", "new `transaction_id`",
		}},
		"each of two": {append(rejection, &engine.Problem{Kind: engine.Ended, Model: einvoice.ModelService, Invoice: denied}), created, []string{
			"NF-e (t-1) was rejected: 539", "NFS-e (t-1) is denied", "Uso denegado", "new `transaction_id`",
		}},
		"a rejection of an order in state": {rejection, inState, []string{"The order stays in state."}},
		"a rejection, to an action": {rejection, actionTerms, []string{
			"Rejected by the tax authority, definitive.", "Correct the cause at the service", "and invoke the action again: the order is found by its transaction_id",
		}},
		"an invoice that is not settled": {engine.InvoiceProblems{{Kind: engine.TimedOut, Model: einvoice.ModelProduct, Invoice: rejected}}, inState, []string{
			"Still in progress: NF-e (t-1)", "it finds the order by its `transaction_id`", "Raise `timeouts`",
		}},
		"another order after a POST": {another, created, []string{
			"Another order has this transaction_id: order t-1", "amount: 1 in the configuration, 2 at the service", "What this run sent was not answered.",
		}},
		"another order":             {unsent, created, []string{"Another order has this transaction_id: order t-1", "Nothing was sent. Choose another"}},
		"several orders":            {several, created, []string{"Several orders have this transaction_id: order t-1", "id-1 (created) and id-2 (approved)", "Nothing was sent"}},
		"an order that is canceled": {ended(engine.Ended, &einvoice.Order{ID: "id-1", Status: "canceled"}, nil), created, []string{"Order t-1 is canceled", "new `transaction_id`"}},
		"a request that is refused": {refused, created, []string{"Cannot create order t-1", "The field Name is invalid."}},
		"a request that fails":      {gone, created, []string{"Cannot follow order t-1", "404", "never recorded twice"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &engine.Ordering{Service: engine.Service{Patience: time.Minute}, Wanted: einvoice.Order{TransactionID: "t-1"}, Status: "approved"}
			diags := test.terms.outcome(t.Context(), o, test.problem)
			var each engine.InvoiceProblems
			if _ = errors.As(test.problem, &each); len(diags) != max(1, len(each)) || len(diags.Errors()) != len(diags) {
				t.Fatalf("%v, want an error for each problem", diags)
			}
			fixture.WantTexts(t, diags, test.want...)
		})
	}
}

func TestOrderWarnings_sayWhatHappenedAndWhatToDo(t *testing.T) {
	t.Parallel()
	rejected := &einvoice.Invoice{ID: "inv-1", Model: einvoice.ModelProduct, Status: "rejected", ProcessingDetail: &einvoice.ProcessingDetail{Code: "539", Message: "Duplicidade"}}
	base := record{ID: types.StringValue("id-1"), TransactionID: types.StringValue("t-1")}
	m := &orderModel{record: base}
	m.Invoices = invoicesFromAPI([]*einvoice.Invoice{rejected})
	valid, draft := &einvoice.Invoice{ID: "inv-2", Model: einvoice.ModelProduct, Status: "authorized"}, &einvoice.Invoice{ID: "inv-3", Model: einvoice.ModelService, Status: "created"}
	contingent := &einvoice.Invoice{ID: "inv-4", Model: einvoice.ModelConsumer, Status: "inContingent"}
	const reason = "Pedido em duplicidade"
	of := func(reason string, invoices ...*einvoice.Invoice) diag.Diagnostic {
		m := &orderModel{record: base, CancellationReason: attribute.TextOrNull(reason)}
		m.Invoices = invoicesFromAPI(invoices)
		return m.destroyWarning()
	}
	wanted := einvoice.Order{TransactionID: "t-1"}
	replaced, found := &engine.Ordering{Wanted: wanted, Replaced: []*einvoice.Invoice{rejected}}, &engine.Ordering{Wanted: wanted, Found: &einvoice.Order{ID: "id-1"}}
	accepted := &engine.Ordering{Wanted: wanted}
	accepted.Notes = []engine.Event{{Kind: engine.InContingency, Model: einvoice.ModelConsumer, Invoice: contingent}}
	shown, issued := &einvoice.Order{ID: "id-1", Status: "created"}, &einvoice.Order{ID: "id-1", Status: "created", Invoices: []*einvoice.Invoice{valid}}
	sold := &orderModel{record: base}
	sold.Status = types.StringValue("approved")
	for name, test := range map[string]struct {
		diag diag.Diagnostic
		want []string
	}{
		"a destroy":                    {m.destroyWarning(), []string{"Destroying only forgets order t-1", "id-1", "NF-e (rejected)", "Nothing is sent."}},
		"a destroy of valid invoices":  {of("", valid, rejected), []string{"Destroying only forgets order t-1", "NF-e (rejected), NF-e (authorized)", "set `cancellation_reason` and apply"}},
		"a destroy of drafts":          {of(reason, draft), []string{"Destroying only forgets order t-1", "Nothing is sent.", "may still issue"}},
		"a destroy that cancels":       {of(reason, valid, rejected), []string{"Destroying cancels the invoices of order t-1", "\"" + reason + "\"", "it cannot be undone: NF-e (authorized).", "24 hours", "The order stays at the service (id id-1)."}},
		"a destroy that will fail":     {of(reason, valid, contingent), []string{"Destroying will fail: order t-1", "NFC-e (inContingent)", "for none of its invoices", "remove `cancellation_reason`"}},
		"a destroy without invoices":   {of(""), []string{"no invoices yet", "may still issue"}},
		"rejected, and waited for":     {(&orderModel{record: base, WaitForInvoices: types.BoolValue(true)}).rejectedInState(rejected), []string{"NF-e (t-1) is rejected", "Code 539", "Duplicidade.", "next apply issues it again"}},
		"rejected, and not waited for": {m.rejectedInState(rejected), []string{"set `wait_for_invoices = true` and apply"}},
		"what an import cannot show": {m.notCompared([]string{"`extra_json`", "`items[0].price`"}), []string{
			"Takes over imported order t-1", "nothing of this is sent: `extra_json`, `items[0].price`.", "could not be compared", "make sure that it is this sale",
		}},
		"an order that is gone":              {m.goneAtService(), []string{"Order t-1 is gone at the service", "NF-e (rejected)", "never recorded again"}},
		"a rejected one that stays as it is": {resourceTerms(nil, true).outcome(t.Context(), replaced, nil)[0], []string{"NF-e (t-1) is rejected, and another one has its place", "inv-1"}},
		"an order that was there":            {resourceTerms(nil, false).outcome(t.Context(), found, nil)[0], []string{"Found order t-1 at the service", "id-1"}},
		"one in contingency":                 {resourceTerms(nil, false).outcome(t.Context(), accepted, nil)[0], []string{"NFC-e (t-1) is in contingency"}},
		"an order that apply goes on with": {sold.prospect(engine.Prospect{Order: shown})[0], []string{
			"Order t-1 exists: apply goes on with it", `(id id-1, status "created"), with no invoices yet.`, "No second order will be recorded. Nothing will be sent.",
		}},
		"an order that its status issues": {sold.prospect(engine.Prospect{Order: issued, Steps: []engine.Step{engine.ChangesStatus, engine.LetsIssue, engine.Awaits}})[0], []string{
			"with 1 invoice(s): NF-e (authorized).", `Apply will change its status to "approved", and let the service issue its invoices, and wait until its invoices are settled.`,
		}},
		"an order that is issued explicitly": {sold.prospect(engine.Prospect{Order: issued, Steps: []engine.Step{engine.IssuesRest, engine.Awaits}})[0], []string{"Apply will issue what is rejected or not issued yet, and wait"}},
		"an order in doubt":                  {sold.prospect(engine.Prospect{InDoubt: true})[0], []string{"Order t-1 may exist: apply looks for it first"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.diag.Severity() != diag.SeverityWarning {
				t.Errorf("%s is no warning", test.diag.Summary())
			}
			fixture.WantTexts(t, diag.Diagnostics{test.diag}, test.want...)
		})
	}
}
