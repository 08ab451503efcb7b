package ordering

import (
	"context"
	"errors"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
)

// issuingOf follows one invoice of the order. It never issues by itself: the
// order does, by its trigger or explicitly.
func (o *Ordering) issuingOf(v *einvoice.Invoice) *issuing.Issuing {
	return &issuing.Issuing{
		Service: o.Service, Want: issuing.Want{Issue: true, AcceptContingency: o.AcceptContingency},
		Model: string(v.Model), OfOrder: true, Twin: o.twin, Watch: o.Watch,
	}
}

// issueRest issues explicitly what the order has not issued: all of it where the
// configuration asks for that, else only what was rejected for good.
func (o *Ordering) issueRest(ctx context.Context, entry *issuing.Entry, order *einvoice.Order) (*einvoice.Order, error) {
	order, err := o.survey(ctx, order.ID)
	if err != nil {
		return nil, o.unread(ctx, order, err)
	}
	if !o.hasRest(order) {
		return order, nil
	}
	if begun := entry.State(); einvoice.SameID(notedOrder(begun), order.ID) && o.Clock.Now().Before(begun.Begun.Add(o.Patience)) {
		// An explicit issue was never answered. What it did may not show yet.
		if order, _, err = o.lookUntil(ctx, order, begun.Begun.Add(o.Patience), o.survey, movedOnFrom(order)); err != nil {
			return nil, o.unread(ctx, order, err)
		}
	}
	rejected, err := o.reconcile(ctx, order)
	if err != nil || rejected == 0 && !(o.IssueNow && hasUnissued(order)) {
		return order, err
	}
	if rejected == 0 && o.triggered(order) {
		// The service does it by itself; a second request could do it twice.
		moved := false
		if order, moved, err = o.lookUntil(ctx, order, o.Clock.Now().Add(o.Patience), o.survey, movedOnFrom(order)); err != nil {
			return nil, o.unread(ctx, order, err)
		}
		if moved {
			return order, nil
		}
	}
	return o.issueExplicitly(ctx, entry, order)
}

// hasRest tells that there may be something to issue explicitly.
func (o *Ordering) hasRest(order *einvoice.Order) bool {
	return o.IssueNow && hasUnissued(order) || slices.ContainsFunc(order.Invoices, func(v *einvoice.Invoice) bool {
		return issuing.IsRejected(v) && !IsReplaced(order.Invoices, v)
	})
}

// hasUnissued tells that the order has drafts, or nothing at all yet.
func hasUnissued(order *einvoice.Order) bool {
	return len(order.Invoices) == 0 || slices.ContainsFunc(order.Invoices, func(v *einvoice.Invoice) bool {
		return string(v.Status) == einvoice.StatusCreated
	})
}

// reconcile asks the authority about each rejected invoice, which may hold
// another result, and counts those that stay rejected.
func (o *Ordering) reconcile(ctx context.Context, order *einvoice.Order) (rejected int, err error) {
	for n, v := range order.Invoices {
		if !issuing.IsRejected(v) || IsReplaced(order.Invoices, v) {
			continue
		}
		checked, err := o.Client.CheckInvoiceStatus(ctx, string(v.Model), string(v.ID))
		switch {
		case err == nil && checked != nil && !issuing.IsRejected(checked):
			order.Invoices[n] = checked
		case ctx.Err() != nil:
			return rejected, o.interrupted(order, ctx.Err())
		case err == nil, issuing.AnsweredNo(err):
			rejected++
		default:
			return rejected, InvoiceProblems{o.issuingOf(v).Failed(issuing.Check, v, err)}
		}
	}
	return rejected, nil
}

// issueExplicitly asks the service to issue what is not issued yet. Its answer
// shows nothing, so what came of it is read; a lost answer is settled alike, and
// never by a second request.
func (o *Ordering) issueExplicitly(ctx context.Context, entry *issuing.Entry, order *einvoice.Order) (*einvoice.Order, error) {
	done, err := o.admit(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := entry.Begin(notedIssue + string(order.ID)); err != nil {
		return nil, o.problem(issuing.Unrecorded, order, err)
	}
	err = o.Client.IssueOrderInvoices(ctx, string(order.ID), o.EffectiveDate)
	lost := errors.Is(err, einvoice.ErrAmbiguous)
	if !lost {
		entry.Known(order.ID)
	}
	if err != nil && !lost && !issuing.Mentions(err, fiscal.CodeAlreadyAuthorized) {
		return nil, o.failed(ctx, requestIssue, err)
	}
	if ctx.Err() != nil {
		return nil, o.interrupted(order, ctx.Err())
	}
	until := o.Clock.Now()
	if lost || err == nil && o.Waits {
		until = until.Add(o.Patience)
	}
	current, moved, lookErr := o.lookUntil(ctx, order, until, o.survey, movedOnFrom(order))
	switch {
	case lookErr != nil:
		return nil, o.unread(ctx, order, lookErr)
	case lost && !moved:
		return nil, o.problem(IssueLost, current, err)
	case lost:
		entry.Known(order.ID)
	}
	return current, nil
}

// movedOnFrom tells that an order shows a new invoice, or a new word about one
// that was not issued.
func movedOnFrom(before *einvoice.Order) func(*einvoice.Order) bool {
	were := map[string]*einvoice.Invoice{}
	for _, v := range before.Invoices {
		were[keyOf(v)] = v
	}
	return func(current *einvoice.Order) bool {
		return slices.ContainsFunc(current.Invoices, func(v *einvoice.Invoice) bool {
			was := were[keyOf(v)]
			return was == nil || was.Status != v.Status || string(v.Status) == einvoice.StatusRejected && !issuing.SameWord(was, v)
		})
	}
}

// survey reads an order and each of its invoices.
func (o *Ordering) survey(ctx context.Context, id einvoice.Text) (*einvoice.Order, error) {
	order, err := o.read(ctx, id)
	if err != nil {
		return &einvoice.Order{ID: id}, err
	}
	return order, Complete(ctx, o.Client, order, func(*einvoice.Invoice) bool { return true })
}
