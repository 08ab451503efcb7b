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

// issuingOf follows one invoice of the order. It never issues by itself: the order does.
func (o *Ordering) issuingOf(v *einvoice.Invoice) *Issuing {
	return &Issuing{
		Service: o.Service, Want: Want{Issue: true, AcceptContingency: o.AcceptContingency},
		Model: string(v.Model), OfOrder: &o.Wanted, Watch: o.Watch,
	}
}

// issueRest issues explicitly what the order has not issued: all of it where the configuration asks for that, else
// only what was rejected for good.
func (o *Ordering) issueRest(ctx context.Context, order *einvoice.Order) (*einvoice.Order, error) {
	id := order.ID
	o.before = nil
	key := journal.KeyOf("order-issue", o.Client.BaseURL(), strings.ToLower(string(id)))
	return turns(ctx, &o.attempt, &o.Service, key, func(ctx context.Context, t *once.Turn) (*einvoice.Order, error) {
		order, err := o.survey(ctx, id)
		if err != nil {
			return order, o.readFailed(ctx, err)
		}
		o.before = cmp.Or(o.before, order)
		return o.issueLeft(ctx, t, order)
	})
}

// issueLeft issues what is left of an order. No answer shows the outcome, so that the order is read.
func (o *Ordering) issueLeft(ctx context.Context, t *once.Turn, order *einvoice.Order) (*einvoice.Order, error) {
	f := restFacts{
		hasRest: o.hasRest(order), moved: movedOnFrom(o.before)(order), lost: o.lost != nil,
		same:        journal.NoteOf[issueNote](t.Known).Shown == contentOf(order),
		hasRejected: slices.ContainsFunc(order.Invoices, IsRejected), triggered: o.isTriggered(order),
	}
	for {
		switch decideRest(t.Known, f, o.Clock.Now(), o.Patience) {
		case restDone:
			return order, nil
		case restSettles:
			t.Settle(ctx, string(order.ID))
			return order, nil
		case restWaits:
			return order, once.ErrLookAgain
		case restStops:
			return order, o.lostAnswer(IssueLost, order)
		case restAsks:
			var err error
			if f.rejected, err = o.reconcile(ctx, order); err != nil {
				return order, err
			}
			f.reconciled, f.unissued = true, o.IssueNow && hasUnissued(order)
		case restLooks:
			var err error
			until := o.Clock.Now().Add(o.Patience)
			if order, f.moved, err = o.lookUntil(ctx, order, until, o.survey, movedOnFrom(order)); err != nil {
				return order, err
			}
			f.waited = true
		case restSends:
			o.before = order
			return o.issueExplicitly(ctx, t, order)
		}
	}
}

// hasRest reports whether there may be something to issue explicitly.
func (o *Ordering) hasRest(order *einvoice.Order) bool {
	return o.IssueNow && hasUnissued(order) || slices.ContainsFunc(order.Invoices, func(v *einvoice.Invoice) bool {
		return IsRejected(v) && !IsReplaced(order.Invoices, v)
	})
}

// hasUnissued reports whether the order has drafts, or nothing at all yet.
func hasUnissued(order *einvoice.Order) bool {
	return len(order.Invoices) == 0 || slices.ContainsFunc(order.Invoices, (*einvoice.Invoice).IsDraft)
}

// reconcile asks the authority about each rejected invoice, and counts those that stay rejected.
func (o *Ordering) reconcile(ctx context.Context, order *einvoice.Order) (rejected int, err error) {
	for n, v := range order.Invoices {
		if !IsRejected(v) || IsReplaced(order.Invoices, v) {
			continue
		}
		checked, err := o.issuingOf(v).askAuthority(ctx, v)
		switch {
		case err != nil:
			return rejected, err
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
	release, err := o.admit(ctx, &o.Service, o.Models())
	if err != nil {
		return order, err
	}
	before, id := t.Known, string(order.ID)
	err = o.Client.IssueOrderInvoices(ctx, id, o.EffectiveDate, t.Sending(issueNote{contentOf(order)}, id))
	release()
	until := o.Clock.Now()
	switch {
	case err != nil && !errors.Is(err, einvoice.ErrAmbiguous) && Mentions(err, fiscal.CodeAlreadyAuthorized):
		err = nil
	case o.Waits:
		until = until.Add(o.Patience)
	}
	err = o.recordOutcome(ctx, t, requestIssue, before, order.ID, order.ID, err)
	switch {
	case err != nil:
		return order, err
	case ctx.Err() != nil:
		return order, o.problem(Interrupted, ctx.Err())
	}
	order, _, err = o.lookUntil(ctx, order, until, o.survey, movedOnFrom(order))
	return order, err
}

// contentOf is a digest of what an order shows of its invoices.
func contentOf(order *einvoice.Order) string {
	var lines []string
	for _, v := range order.Invoices {
		lines = append(lines, fmt.Sprintln(strings.ToLower(string(v.ID)), v.Status, judgedOn(v)))
	}
	slices.Sort(lines)
	return digestOf([]byte(strings.Join(lines, "")))
}

// movedOnFrom returns a function that reports whether an order shows a new invoice, status or rejection.
func movedOnFrom(order *einvoice.Order) func(*einvoice.Order) bool {
	before := slices.Clone(order.Invoices)
	return func(current *einvoice.Order) bool {
		return slices.ContainsFunc(current.Invoices, func(v *einvoice.Invoice) bool {
			was := FindInvoice(before, v)
			return was == nil || was.Status != v.Status ||
				string(v.Status) == einvoice.StatusRejected && !sameJudgment(was, v)
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
