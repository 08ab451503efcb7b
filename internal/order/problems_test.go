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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
)

func TestOrderProblems_sayWhatHappenedAndWhatToDo(t *testing.T) {
	t.Parallel()
	held := &einvoice.Order{ID: "id-1", Status: "created"}
	rejected := &einvoice.Invoice{ID: "inv-1", Model: einvoice.ModelProduct, Status: "rejected", ProcessingDetail: &einvoice.ProcessingDetail{Code: "539", Message: "Duplicidade"}}
	rejection := invoiceProblems{{Kind: issuing.Rejected, Model: einvoice.ModelProduct, Invoice: rejected}}
	lost := errors.New("connection reset")
	ended := func(kind issuing.Kind, order *einvoice.Order, cause error) *problem {
		return &problem{Problem: issuing.Problem{Kind: kind, Cause: cause}, order: order}
	}
	missing, another := ended(issuing.TimedOut, held, context.DeadlineExceeded), ended(issuing.Another, held, nil)
	missing.LastLook = lost
	another.Sent, another.Differences = true, []issuing.Difference{{Of: "amount", Wanted: "1", Held: "2"}}
	created, inState := resourceTerms(nil, false), resourceTerms(nil, true)
	for name, test := range map[string]struct {
		problem error
		terms   terms
		want    []string
	}{
		"an interrupt": {ended(issuing.Interrupted, held, context.Canceled), created, []string{
			"Interrupted in order t-1", "id-1", "Run apply again: it looks the order up by its `transaction_id`", "nothing is recorded or issued twice",
		}},
		"an interrupt before anything": {ended(issuing.Interrupted, nil, context.Canceled), created, []string{"is not known"}},
		"time that is over":            {ended(issuing.Interrupted, held, context.DeadlineExceeded), created, []string{"Out of time in order t-1"}},
		"an invoice that is missing": {missing, created, []string{
			"No invoice yet: order t-1", "The last look at it failed: connection reset.", "issue_invoices = true",
		}},
		"an invoice that is missing, to an action": {ended(issuing.TimedOut, held, context.DeadlineExceeded), actionTerms, []string{
			"Invoke the action again to go on waiting", "look at the order in the back office",
		}},
		"a creation that was lost": {ended(issuing.AnswerLost, nil, lost), created, []string{"Answer lost: order t-1", "connection reset", "does not list the order"}},
		"a status that was lost":   {ended(statusLost, held, lost), created, []string{"Answer lost: the status of order t-1", `"approved"`, `still shows "created"`}},
		"an issue that was lost":   {ended(issueLost, held, lost), created, []string{"Answer lost: the explicit issue of order t-1", "issues only what is still not issued"}},
		"a rejection": {rejection, created, []string{
			"NF-e (t-1) was rejected: 539", "Duplicidade.", "raise `next_number` in the company's settings", "run apply again: the order is found", "Nothing is kept in state, and no second order is made.",
			"inv-1", "new `transaction_id`",
		}},
		"a rejection of an order in state": {rejection, inState, []string{"The order stays in state."}},
		"a rejection, to an action": {rejection, actionTerms, []string{
			"Rejected by the tax authority, definitive.", "Correct the cause at the service", "and invoke the action again: the order is found by its transaction_id",
		}},
		"an invoice that is not settled": {&issuing.Problem{Kind: issuing.TimedOut, Model: einvoice.ModelProduct, Invoice: rejected}, inState, []string{
			"Still in progress: NF-e (t-1)", "it finds the order by its `transaction_id`", "Raise `timeouts`",
		}},
		"another order after a POST": {another, created, []string{
			"amount: 1 in the configuration, 2 at the service", "Nothing was sent a second time.",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &ordering{Service: issuing.Service{Patience: time.Minute}, wanted: einvoice.Order{TransactionID: "t-1"}, status: "approved"}
			diags := o.outcome(t.Context(), test.problem, test.terms)
			if len(diags) != 1 || !diags.HasError() {
				t.Fatalf("%v, want one error", diags)
			}
			fixture.WantTexts(t, diags, test.want...)
		})
	}
}

func TestOrderWarnings_sayWhatHappenedAndWhatToDo(t *testing.T) {
	t.Parallel()
	rejected := &einvoice.Invoice{ID: "inv-1", Model: einvoice.ModelProduct, Status: "rejected", ProcessingDetail: &einvoice.ProcessingDetail{Code: "539", Message: "Duplicidade"}}
	m := &orderModel{ID: types.StringValue("id-1"), TransactionID: types.StringValue("t-1"), Invoices: orderInvoicesFromAPI([]*einvoice.Invoice{rejected})}
	valid, draft := &einvoice.Invoice{ID: "inv-2", Model: einvoice.ModelProduct, Status: "authorized"}, &einvoice.Invoice{ID: "inv-3", Model: einvoice.ModelService, Status: "created"}
	contingent := &einvoice.Invoice{ID: "inv-4", Model: einvoice.ModelConsumer, Status: "inContingent"}
	const reason = "Pedido em duplicidade"
	of := func(reason string, invoices ...*einvoice.Invoice) diag.Diagnostic {
		return (&orderModel{ID: m.ID, TransactionID: m.TransactionID, CancellationReason: attribute.TextOrNull(reason), Invoices: orderInvoicesFromAPI(invoices)}).destroyWarning()
	}
	replaced := &ordering{wanted: einvoice.Order{TransactionID: "t-1"}, replaced: []*einvoice.Invoice{rejected}}
	for name, test := range map[string]struct {
		diag diag.Diagnostic
		want []string
	}{
		"a destroy":                    {m.destroyWarning(), []string{"Destroying only forgets order t-1", "id-1", "NF-e (rejected)", "Nothing is sent."}},
		"a destroy of valid invoices":  {of("", valid, rejected), []string{"Destroying only forgets order t-1", "NF-e (rejected), NF-e (authorized)", "set `cancellation_reason` and apply"}},
		"a destroy of drafts":          {of(reason, draft), []string{"Destroying only forgets order t-1", "Nothing is sent.", "may still issue"}},
		"a destroy that cancels":       {of(reason, valid, rejected), []string{"Destroying cancels the invoices of order t-1", "\"" + reason + "\"", "it cannot be undone: NF-e (authorized).", "24 hours", "The order stays at the service (id id-1)."}},
		"a destroy that will fail":     {of(reason, valid, contingent), []string{"Destroying will fail: order t-1", "NFC-e (inContingent)", "for none of its invoices", "remove `cancellation_reason`"}},
		"a destroy without invoices":   {(&orderModel{ID: m.ID, TransactionID: m.TransactionID, Invoices: orderInvoicesFromAPI(nil)}).destroyWarning(), []string{"no invoices yet", "may still issue"}},
		"rejected, and waited for":     {(&orderModel{TransactionID: m.TransactionID, WaitForInvoices: types.BoolValue(true)}).rejectedInState(rejected), []string{"NF-e (t-1) is rejected", "Code 539", "Duplicidade.", "next apply issues it again"}},
		"rejected, and not waited for": {m.rejectedInState(rejected), []string{"set `wait_for_invoices = true` and apply"}},
		"what an import cannot show": {m.importedUnseen([]string{"`extra_json`", "`items[0].price`"}), []string{
			"Takes over imported order t-1", "nothing of this is sent: `extra_json`, `items[0].price`.", "could not be compared", "make sure that it is this sale",
		}},
		"an order that is gone":              {m.goneAtService(), []string{"Order t-1 is gone at the service", "NF-e (rejected)", "never recorded again"}},
		"a rejected one that stays as it is": {replaced.outcome(t.Context(), nil, resourceTerms(nil, true))[0], []string{"NF-e (t-1) is rejected, and another one has its place", "inv-1"}},
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
