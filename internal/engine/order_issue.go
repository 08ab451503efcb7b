package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// issuingOf follows one invoice of the order. It never issues by itself: the
// order does, by its trigger or explicitly.
func (o *Ordering) issuingOf(v *einvoice.Invoice) *Issuing {
	return &Issuing{
		Service: o.Service, Want: Want{Issue: true, AcceptContingency: o.AcceptContingency},
		Model: string(v.Model), OfOrder: true, Twin: o.twin, Watch: o.Watch,
	}
}

// explicit is an explicit issue on its way.
type explicit struct {
	first *einvoice.Order // as it was when this run looked first, or before it sent
	lost  error           // why the request had no usable answer
}

// issueRest issues explicitly what the order has not issued: all of it where the
// configuration asks for that, else only what was rejected for good.
func (o *Ordering) issueRest(ctx context.Context, order *einvoice.Order) (*einvoice.Order, error) {
	x := &explicit{}
	current := order
	key := journal.KeyOf("order-issue", o.Client.BaseURL(), strings.ToLower(string(order.ID))).
		Formerly("order", o.Client.Fingerprint(), string(o.Wanted.TransactionID))
	err := o.Once().Do(ctx, key, func(ctx context.Context, t *once.Turn) (err error) {
		current, err = o.survey(ctx, order.ID)
		if err != nil {
			return o.unread(ctx, current, err)
		}
		if x.first == nil {
			x.first = current
		}
		current, err = o.issueTurn(ctx, t, x, current)
		o.noteUnkept(t)
		return err
	})
	if err != nil {
		return nil, o.unsettled(current, cmp.Or(x.lost, err), err)
	}
	return current, nil
}

// issueTurn issues what is left of an order as it is now. Its answer shows nothing, so
// what came of it is read; a lost answer is settled alike.
func (o *Ordering) issueTurn(ctx context.Context, t *once.Turn, x *explicit, order *einvoice.Order) (*einvoice.Order, error) {
	moved := movedOnFrom(x.first)(order)
	switch {
	case x.lost != nil && moved, t.Known.Phase == journal.Sending && !o.hasRest(order):
		t.Settle(ctx, string(order.ID))
		return order, nil
	case !o.hasRest(order):
		return order, nil
	case t.InDoubt() && !moved:
		return order, once.ErrUnproven // What the request did may not show yet.
	case x.lost != nil:
		return order, o.problem(IssueLost, order, x.lost)
	}
	rejected, err := o.reconcile(ctx, order)
	if err != nil || rejected == 0 && !(o.IssueNow && hasUnissued(order)) {
		return order, err
	}
	if rejected == 0 && o.triggered(order) {
		// The service does it by itself; a second request could do it twice.
		moved := false
		if order, moved, err = o.lookUntil(ctx, order, o.Clock.Now().Add(o.Patience), o.survey, movedOnFrom(order)); err != nil {
			return order, o.unread(ctx, order, err)
		}
		if moved {
			return order, nil
		}
	}
	return o.issueExplicitly(ctx, t, x, order)
}

// hasRest tells that there may be something to issue explicitly.
func (o *Ordering) hasRest(order *einvoice.Order) bool {
	return o.IssueNow && hasUnissued(order) || slices.ContainsFunc(order.Invoices, func(v *einvoice.Invoice) bool {
		return IsRejected(v) && !IsReplaced(order.Invoices, v)
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
		if !IsRejected(v) || IsReplaced(order.Invoices, v) {
			continue
		}
		checked, err := o.Client.CheckInvoiceStatus(ctx, string(v.Model), string(v.ID))
		switch {
		case err == nil && checked != nil && !IsRejected(checked):
			order.Invoices[n] = checked
		case ctx.Err() != nil:
			return rejected, o.interrupted(order, ctx.Err())
		case err == nil, AnsweredNo(err):
			rejected++
		default:
			return rejected, InvoiceProblems{o.issuingOf(v).Failed(Check, v, err)}
		}
	}
	return rejected, nil
}

// issueExplicitly asks the service to issue what is not issued yet.
func (o *Ordering) issueExplicitly(ctx context.Context, t *once.Turn, x *explicit, order *einvoice.Order) (*einvoice.Order, error) {
	if err := o.takeTurn(ctx); err != nil {
		return order, err
	}
	before := t.Known
	x.first = order
	err := o.Client.Beginning(t.Sending("", string(order.ID))).IssueOrderInvoices(ctx, string(order.ID), o.EffectiveDate)
	switch {
	case once.IsUnsent(err):
		return order, err
	case errors.Is(err, einvoice.ErrAmbiguous):
		x.lost = err
		if ctx.Err() != nil {
			return order, o.interrupted(order, ctx.Err())
		}
		return order, once.ErrUnproven
	case err != nil && !Mentions(err, fiscal.CodeAlreadyAuthorized):
		t.Keep(ctx, before)
		return order, o.failed(ctx, requestIssue, err)
	}
	t.Settle(ctx, string(order.ID))
	if ctx.Err() != nil {
		return order, o.interrupted(order, ctx.Err())
	}
	until := o.Clock.Now()
	if err == nil && o.Waits {
		until = until.Add(o.Patience)
	}
	current, _, err := o.lookUntil(ctx, order, until, o.survey, movedOnFrom(order))
	if err != nil {
		return order, o.unread(ctx, order, err)
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
			return was == nil || was.Status != v.Status || string(v.Status) == einvoice.StatusRejected && !SameWord(was, v)
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
