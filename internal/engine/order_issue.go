package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
		Model: string(v.Model), OfOrder: &o.Wanted, Watch: o.Watch,
	}
}

// issueRest issues explicitly what the order has not issued: all of it where the
// configuration asks for that, else only what was rejected for good.
func (o *Ordering) issueRest(ctx context.Context, order *einvoice.Order) (*einvoice.Order, error) {
	id := order.ID
	var first *einvoice.Order // as it was when this run looked first, or before it sent
	key := journal.KeyOf("order-issue", o.Client.BaseURL(), strings.ToLower(string(id))).
		Formerly("order", o.Client.Fingerprint(), string(o.Wanted.TransactionID))
	key.OfObject = true
	err := o.do(ctx, &o.Service, key, func(ctx context.Context, t *once.Turn) (err error) {
		if order, err = o.survey(ctx, id); err != nil {
			return o.unread(ctx, err)
		}
		first = cmp.Or(first, order)
		order, err = o.issueTurn(ctx, t, &first, order)
		return err
	})
	return order, err
}

// issueTurn issues what is left of an order as it is now. Its answer shows nothing, so
// what came of it is read; a lost answer is settled alike.
func (o *Ordering) issueTurn(ctx context.Context, t *once.Turn, first **einvoice.Order, order *einvoice.Order) (*einvoice.Order, error) {
	moved := movedOnFrom(*first)(order)
	switch {
	case o.isUnseen(order) && t.Known.Phase == journal.Settled:
		return order, nil // An earlier run has asked for it, and nothing shows what is left.
	case o.isUnseen(order) && t.Known.Phase == journal.Sending && !t.InDoubt():
		return order, o.unprovenRequest(IssueLost, order)
	case o.lost != nil && moved, t.Known.Phase == journal.Sending && !o.hasRest(order):
		t.Settle(ctx, string(order.ID))
		return order, nil
	case !o.hasRest(order):
		return order, nil
	case t.InDoubt() && !moved, t.Young() && t.Known.Content == contentOf(order):
		return order, once.ErrUnproven // What the request did, of this run or another, may not show yet.
	case o.lost != nil:
		return order, o.lostAnswer(IssueLost, order)
	case t.Known.Phase == journal.Settled && t.Known.Content == contentOf(order) && !slices.ContainsFunc(order.Invoices, IsRejected):
		return order, nil // It was answered, and is late: a second request could do it twice.
	}
	rejected, err := o.reconcile(ctx, order)
	if err != nil || rejected == 0 && !(o.IssueNow && hasUnissued(order)) {
		return order, err
	}
	if rejected == 0 && o.triggered(order) {
		// The service does it by itself; a second request could do it twice.
		moved := false
		if order, moved, err = o.lookUntil(ctx, order, o.Clock.Now().Add(o.Patience), o.survey, movedOnFrom(order)); err != nil || moved {
			return order, err
		}
	}
	*first = order
	return o.issueExplicitly(ctx, t, order)
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
		checked, err := o.issuingOf(v).ask(ctx, v)
		switch {
		case ctx.Err() != nil:
			return rejected, o.problem(Interrupted, ctx.Err())
		case err != nil:
			return rejected, problemsOf(err)
		case IsRejected(checked):
			rejected++
		default:
			order.Invoices[n] = checked
		}
	}
	return rejected, nil
}

// issueExplicitly asks the service to issue what is not issued yet.
func (o *Ordering) issueExplicitly(ctx context.Context, t *once.Turn, order *einvoice.Order) (*einvoice.Order, error) {
	until := o.Clock.Now()
	err := o.send(ctx, &o.Service, t, request{name: requestIssue, content: contentOf(order), of: order.ID, models: o.Models()}, func(c *einvoice.Client) (einvoice.Text, error) {
		err := c.IssueOrderInvoices(ctx, string(order.ID), o.EffectiveDate)
		if err != nil && !errors.Is(err, einvoice.ErrAmbiguous) && Mentions(err, fiscal.CodeAlreadyAuthorized) {
			return order.ID, nil
		}
		if until = o.Clock.Now(); o.Waits {
			until = until.Add(o.Patience)
		}
		return order.ID, err
	})
	switch {
	case err != nil:
		return order, err
	case ctx.Err() != nil:
		return order, o.problem(Interrupted, ctx.Err())
	}
	order, _, err = o.lookUntil(ctx, order, until, o.survey, movedOnFrom(order))
	return order, err
}

// contentOf names what an order shows of its invoices.
func contentOf(order *einvoice.Order) string {
	var shown []string
	for _, v := range order.Invoices {
		shown = append(shown, fmt.Sprintln(keyOf(v), v.Status, lastWord(v)))
	}
	slices.Sort(shown)
	return digestOf([]byte(strings.Join(shown, "")))
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
