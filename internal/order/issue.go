package order

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// issuingOf is the state machine of one invoice of the order. It never issues by
// itself: the order does, by its trigger or explicitly.
func (o *ordering) issuingOf(v *einvoice.Invoice) *issuing.Issuing {
	return &issuing.Issuing{
		Client: o.client, JournalDir: o.journalDir, Patience: o.patience, Now: o.now, Sleep: o.sleep,
		Model: string(v.Model), Known: o.known(), Twin: o.twin, Again: o.issuedAgain,
		Issue: true, IssuedDraft: true, AcceptContingency: o.acceptContingency, Report: o.report,
	}
}

// Known is how an order is found again.
func (o *ordering) known() issuing.Known {
	return issuing.Known{Thing: "order", Attribute: "transaction_id", Value: string(o.wanted.TransactionID)}
}

func (o *ordering) decide(v *einvoice.Invoice) issuing.Decision { return o.issuingOf(v).Decide(v) }

// fails tells that an invoice has ended otherwise than wanted.
func (o *ordering) fails(v *einvoice.Invoice) bool {
	switch o.decide(v) {
	case issuing.DecideReconcile, issuing.DecideDead:
		return true
	default:
		return false
	}
}

// replaced tells that a failed invoice has another one of its model in its
// place. It does not count then: issuing it again would make two of one sale.
func (o *ordering) replaced(order *einvoice.Order, v *einvoice.Invoice) bool {
	if !o.fails(v) {
		return false
	}
	for _, other := range order.Invoices {
		if other.ID != v.ID && other.Model == v.Model && !o.fails(other) {
			return true
		}
	}
	return false
}

// issueRest issues explicitly what the order has not issued: all of it where the
// configuration asks for that, else only what was rejected for good.
func (o *ordering) issueRest(ctx context.Context, entry *journal.Entry, order *einvoice.Order) (*einvoice.Order, diag.Diagnostics) {
	order, err := o.survey(ctx, order.ID)
	if err != nil {
		return order, o.unread(ctx, order, err)
	}
	if !o.hasRest(order) {
		return order, nil
	}
	if begun := entry.State(); notedOrder(begun) == string(order.ID) && o.now().Before(begun.Begun.Add(o.patience)) {
		// An explicit issue was never answered. What it did may not show yet.
		if order, _, err = o.awaitMove(ctx, order, begun.Begun.Add(o.patience)); err != nil {
			return order, o.unread(ctx, order, err)
		}
	}
	rejected, diags := o.reconcile(ctx, order)
	if diags.HasError() || rejected == 0 && !(o.issueNow && o.hasUnissued(order)) {
		return order, diags
	}
	if rejected == 0 && o.triggered(order) {
		// The service does it by itself; a second request could do it twice.
		moved := false
		if order, moved, err = o.awaitMove(ctx, order, o.now().Add(o.patience)); err != nil {
			return order, append(diags, o.unread(ctx, order, err)...)
		}
		if moved {
			return order, diags
		}
	}
	order, more := o.issueExplicitly(ctx, entry, order)
	return order, append(diags, more...)
}

// hasRest tells that there may be something to issue explicitly.
func (o *ordering) hasRest(order *einvoice.Order) bool {
	for _, v := range order.Invoices {
		if o.decide(v) == issuing.DecideReconcile && !o.replaced(order, v) {
			return true
		}
	}
	return o.issueNow && o.hasUnissued(order)
}

// hasUnissued tells that the order has drafts, or nothing at all yet.
func (o *ordering) hasUnissued(order *einvoice.Order) bool {
	for _, v := range order.Invoices {
		if string(v.Status) == einvoice.StatusCreated {
			return true
		}
	}
	return len(order.Invoices) == 0
}

// reconcile asks the authority about each rejected invoice, which may hold
// another result, and counts those that stay rejected.
func (o *ordering) reconcile(ctx context.Context, order *einvoice.Order) (rejected int, diags diag.Diagnostics) {
	for n, v := range order.Invoices {
		if o.decide(v) != issuing.DecideReconcile || o.replaced(order, v) {
			continue
		}
		checked, err := o.client.CheckInvoiceStatus(ctx, string(v.Model), string(v.ID))
		switch {
		case err == nil && checked != nil && o.decide(checked) != issuing.DecideReconcile:
			order.Invoices[n] = checked
		case ctx.Err() != nil:
			return rejected, o.interrupted(order, ctx.Err())
		case err == nil, issuing.AnsweredNo(err):
			rejected++
		default:
			return rejected, o.issuingOf(v).Failed("check the status of invoice", err)
		}
	}
	return rejected, nil
}

// issueExplicitly asks the service to issue what is not issued yet. Its answer
// shows nothing, so what came of it is read; a lost answer is settled alike, and
// never by a second request.
func (o *ordering) issueExplicitly(ctx context.Context, entry *journal.Entry, order *einvoice.Order) (*einvoice.Order, diag.Diagnostics) {
	var diags diag.Diagnostics
	if err := entry.Begin(notedIssue + string(order.ID)); err != nil {
		diags.Append(issuing.UnwritableJournal(err))
	}
	err := o.client.IssueOrderInvoices(ctx, string(order.ID), o.effectiveDate)
	lost := errors.Is(err, einvoice.ErrAmbiguous)
	if !lost {
		diags.Append(settledAs(entry, order.ID)...)
	}
	if err != nil && !lost && !issuing.Mentions(err, fiscal.CodeAlreadyAuthorized) {
		return order, append(diags, o.refused(ctx, "issue the invoices of "+o.label(), err)...)
	}
	if ctx.Err() != nil {
		return order, append(diags, o.interrupted(order, ctx.Err())...)
	}
	until := o.now()
	if lost || err == nil && o.waits {
		until = until.Add(o.patience)
	}
	current, moved, lookErr := o.awaitMove(ctx, order, until)
	switch {
	case lookErr != nil:
		return order, append(diags, o.unread(ctx, order, lookErr)...)
	case lost && !moved:
		return current, append(diags, o.issueLost(current, err)...)
	case lost:
		diags.Append(settledAs(entry, order.ID)...)
	}
	return current, diags
}

// awaitMove looks until the order's invoices have moved on from what they were
// before, or until time is up.
func (o *ordering) awaitMove(ctx context.Context, before *einvoice.Order, until time.Time) (*einvoice.Order, bool, error) {
	for n := 0; ; n++ {
		current, err := o.survey(ctx, before.ID)
		if err != nil {
			return before, false, err
		}
		if movedOn(before, current) {
			return current, true, nil
		}
		if !o.now().Before(until) {
			return current, false, nil
		}
		if err := o.sleep(ctx, issuing.LookPauses[min(n, len(issuing.LookPauses)-1)]); err != nil {
			return current, false, err
		}
	}
}

// movedOn tells that an order shows a new invoice, or a new word about one that
// was not issued.
func movedOn(before, current *einvoice.Order) bool {
	were := map[einvoice.Text]*einvoice.Invoice{}
	for _, v := range before.Invoices {
		were[v.ID] = v
	}
	for _, v := range current.Invoices {
		was := were[v.ID]
		if was == nil || was.Status != v.Status || string(v.Status) == einvoice.StatusRejected && !issuing.SameWord(was, v) {
			return true
		}
	}
	return false
}

// survey reads an order and each of its invoices.
func (o *ordering) survey(ctx context.Context, id einvoice.Text) (*einvoice.Order, error) {
	order, err := o.client.Order(ctx, string(id), string(o.wanted.TransactionID))
	if err != nil {
		return &einvoice.Order{ID: id}, err
	}
	for n, v := range order.Invoices {
		full, err := o.client.Invoice(ctx, string(v.Model), string(v.ID))
		if errors.Is(err, einvoice.ErrNotFound) {
			continue // Shown by the order alone, and that is what is known of it.
		}
		if err != nil {
			return order, err
		}
		order.Invoices[n] = inFull(v, full)
	}
	return order, nil
}

// inFull is an invoice as its own read shows it, with what only the order tells.
func inFull(shown, full *einvoice.Invoice) *einvoice.Invoice {
	if full.Model == "" {
		full.Model = shown.Model
	}
	if full.Status == "" {
		full.Status = shown.Status
	}
	return full
}
