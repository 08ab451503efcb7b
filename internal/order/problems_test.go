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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

func TestOrder_whatAPersonIsShown(t *testing.T) {
	t.Parallel()
	invoiceIn := func(id string, model, status einvoice.Enum) *einvoice.Invoice {
		return &einvoice.Invoice{ID: einvoice.Text(id), Model: model, Status: status}
	}
	rejected := invoiceIn("inv-1", einvoice.ModelProduct, "rejected")
	rejected.ProcessingDetail = &einvoice.ProcessingDetail{Code: "539", Message: "Duplicidade"}
	valid, draft := invoiceIn("inv-3", einvoice.ModelProduct, "authorized"), invoiceIn("inv-4", einvoice.ModelService, "created")
	contingent := invoiceIn("inv-5", einvoice.ModelConsumer, "inContingent")
	held, lost := &einvoice.Order{ID: "id-1", Status: "created"}, errors.New("connection reset")
	rejection := engine.InvoiceProblems{{Kind: engine.Rejected, Model: einvoice.ModelProduct, Invoice: rejected}}
	var shown []fixture.Shown
	for _, test := range []struct {
		name    string
		problem error
	}{
		{"an invoice that is missing", &engine.Problem{Kind: engine.TimedOut, Order: held, Cause: context.DeadlineExceeded, LastLook: lost}},
		{"a status that was lost", &engine.Problem{Kind: engine.StatusLost, Order: held, Cause: lost}},
		{"an issue that was lost", &engine.Problem{Kind: engine.IssueLost, Order: held, Cause: lost}},
		{"a rejection", rejection},
		{"an order that is canceled", &engine.Problem{Kind: engine.Ended, Order: &einvoice.Order{ID: "id-1", Status: "canceled"}}},
		{"a request that fails", &engine.Problem{Kind: engine.RequestFailed, Request: "follow", Cause: fixture.FailureOf(t, 404, nil, "")}},
	} {
		of := func(terms terms, form text.Form) diag.Diagnostics {
			o := &engine.Ordering{Service: engine.Service{Patience: time.Minute}, Wanted: einvoice.Order{TransactionID: "t-1"}, Status: "approved"}
			return terms.outcome(text.InForm(t.Context(), form), o, test.problem)
		}
		shown = append(shown, fixture.Shown{Case: test.name, Apply: of(resourceTerms(nil, false), text.Apply)}, fixture.Shown{Case: test.name, Action: of(actionTerms, text.Action)})
	}
	base := record{ID: types.StringValue("id-1"), TransactionID: types.StringValue("t-1")}
	with := func(reason string, invoices ...*einvoice.Invoice) *orderModel {
		m := &orderModel{record: base, CancellationReason: attribute.TextOrNull(reason)}
		m.Invoices = invoicesFromAPI(invoices)
		return m
	}
	outcome := func(o engine.Ordering) diag.Diagnostic {
		o.Wanted.TransactionID = "t-1"
		return resourceTerms(nil, true).outcome(t.Context(), &o, nil)[0]
	}
	issued := &einvoice.Order{ID: "id-1", Status: "created", Invoices: []*einvoice.Invoice{valid}}
	const reason = "Pedido em duplicidade"
	waits, sold := with("", rejected), with("")
	waits.WaitForInvoices, sold.Status = types.BoolValue(true), types.StringValue("approved")
	other := with("")
	other.TransactionID = types.StringValue("t-2")
	for _, test := range []struct {
		name string
		diag diag.Diagnostic
	}{
		{"a rejection of an order in state", resourceTerms(nil, true).outcome(t.Context(), &engine.Ordering{}, rejection)[0]},
		{"a destroy", with("", rejected).destroyWarning()},
		{"a destroy of valid invoices", with("", valid, rejected).destroyWarning()},
		{"a destroy of drafts", with(reason, draft).destroyWarning()},
		{"a destroy that cancels", with(reason, valid, rejected).destroyWarning()},
		{"a destroy that will fail", with(reason, valid, contingent).destroyWarning()},
		{"a destroy without invoices", with("").destroyWarning()},
		{"a replacement", other.secondOrder(with("", valid, rejected))},
		{"a replacement of one without invoices", other.secondOrder(with(""))},
		{"a replacement that cancels", other.secondOrder(with(reason, valid))},
		{"a status that lets the service issue", sold.issuedByStatus()},
		{"rejected, and waited for", waits.rejectedInState(rejected)},
		{"rejected, and not waited for", with("").rejectedInState(rejected)},
		{"what an import cannot show", with("").notCompared([]string{"`extra_json`", "`items[0].price`"})},
		{"an order that is gone", with("", rejected).goneAtService()},
		{"a rejected one that stays as it is", outcome(engine.Ordering{Replaced: []*einvoice.Invoice{rejected}})},
		{"an order that was there", outcome(engine.Ordering{Found: &einvoice.Order{ID: "id-1"}})},
		{"an order that apply goes on with", sold.prospect(engine.Prospect[einvoice.Order]{Found: held})[0]},
		{"an order that its status issues", sold.prospect(engine.Prospect[einvoice.Order]{Found: issued, Steps: []engine.Step{engine.ChangesStatus, engine.LetsIssue, engine.Awaits}})[0]},
		{"an order that is issued explicitly", sold.prospect(engine.Prospect[einvoice.Order]{Found: issued, Steps: []engine.Step{engine.IssuesRest, engine.Awaits}})[0]},
		{"an order in doubt", sold.prospect(engine.Prospect[einvoice.Order]{InDoubt: true})[0]},
	} {
		shown = append(shown, fixture.Shown{Case: test.name, Apply: diag.Diagnostics{test.diag}})
	}
	fixture.WantShown(t, shown)
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
		got := resourceTerms(nil, false).outcome(t.Context(), &engine.Ordering{Wanted: einvoice.Order{TransactionID: "t-1"}}, p)
		if len(got) != 1 || got[0].Summary() != want || got[0].Severity() != diag.SeverityError {
			t.Errorf("%v, want %q", got, want)
		}
	}
}
