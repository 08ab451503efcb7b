package ordering

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// lookPauses are those of issuing after a look at once.
var lookPauses = append([]time.Duration{0}, issuing.LookPauses...)

// lookUp finds the order that exists under the transaction_id, and has the journal
// know it. Nothing is ever posted after a look-up that failed.
func (o *Ordering) lookUp(ctx context.Context, entry *issuing.Entry) (*einvoice.Order, error) {
	known := entry.State()
	found, read, err := o.search(ctx, known)
	if err == nil && read && known.ID == "" && notedOrder(known) == "" {
		entry.Settled(found.ID)
	}
	return found, err
}

// search finds the order by the list and by the journal, each of which may be behind
// the other; read tells that it was read by its id.
func (o *Ordering) search(ctx context.Context, known journal.State) (order *einvoice.Order, read bool, err error) {
	id := known.ID
	if noted := notedOrder(known); noted != "" {
		id = noted
	}
	found, err := o.list(ctx)
	if until := known.Begun.Add(o.Patience); err == nil && found == nil && id == "" && o.Clock.Now().Before(until) {
		// A POST was never answered. What it made may not be listed yet.
		found, err = o.lookPatiently(ctx, until)
	}
	if err != nil {
		return nil, false, err
	}
	if found != nil && (id == "" || !slices.Contains(endings, string(found.Status))) {
		id = string(found.ID)
	}
	if id == "" {
		return nil, false, nil
	}
	// A list may lag behind in what it shows of an order, too.
	var current *einvoice.Order
	err = o.Persistently(ctx, func() (err error) {
		current, err = o.read(ctx, einvoice.Text(id))
		return err
	})
	switch {
	case errors.Is(err, einvoice.ErrNotFound):
		return found, false, nil // Gone at the service, where it is not listed either.
	case err != nil:
		return nil, false, o.failed(ctx, requestLookUp, err)
	case !o.isNamed(current):
		return found, false, nil
	}
	return current, true, nil
}

// isNamed tells that an order shows this transaction_id, or none.
func (o *Ordering) isNamed(held *einvoice.Order) bool {
	return held.TransactionID == "" || einvoice.SameClientID(held.TransactionID, o.Wanted.TransactionID)
}

// notedOrder is the order whose explicit issue was begun and never answered; ""
// when there is none.
func notedOrder(known journal.State) string {
	if id, ok := strings.CutPrefix(known.Note, notedIssue); ok && !known.Begun.IsZero() {
		return id
	}
	return ""
}

// list finds the order under the transaction_id in the service's list. The
// filter may have been ignored, so equality is checked on every item. Orders that
// have come to nothing do not count beside another one.
func (o *Ordering) list(ctx context.Context) (*einvoice.Order, error) {
	same, err := einvoice.Matching(o.Client.Orders(ctx, string(o.Wanted.TransactionID)), func(held *einvoice.Order) bool {
		return held.TransactionID != "" && o.isNamed(held)
	})
	if err != nil {
		return nil, o.failed(ctx, requestLookUp, err)
	}
	respelled := func(held *einvoice.Order) bool { return held.TransactionID != o.Wanted.TransactionID }
	if exact := slices.DeleteFunc(slices.Clone(same), respelled); len(exact) > 0 {
		same = exact // Another spelling counts where nothing has the right one.
	}
	alive := slices.DeleteFunc(slices.Clone(same), func(held *einvoice.Order) bool { return slices.Contains(endings, string(held.Status)) })
	switch {
	case len(alive) == 1:
		return alive[0], nil
	case len(alive) > 1:
		p := o.problem(issuing.Several, nil, nil)
		p.Orders = alive
		return nil, p
	case len(same) > 0:
		return same[len(same)-1], nil
	}
	return nil, nil
}

// lookPatiently repeats the look-up until the order shows, or until the time
// after which an accepted one would have been listed.
func (o *Ordering) lookPatiently(ctx context.Context, until time.Time) (*einvoice.Order, error) {
	var found *einvoice.Order
	err := o.Clock.Until(ctx, lookPauses, func() (last bool, err error) {
		found, err = o.list(ctx)
		return found != nil || !o.Clock.Now().Before(until), err
	})
	if err != nil {
		return nil, o.interrupted(nil, err)
	}
	return found, nil
}

// adoptPatiently settles a POST whose outcome is not known: the order is looked
// for again and again. What shows nowhere may be sent again afterwards.
func (o *Ordering) adoptPatiently(ctx context.Context, entry *issuing.Entry, lost error) (*einvoice.Order, error) {
	if ctx.Err() != nil {
		return nil, o.interrupted(nil, lost)
	}
	found, err := o.lookPatiently(ctx, o.Clock.Now().Add(o.Patience))
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return nil, o.problem(issuing.AnswerLost, nil, lost)
	}
	return o.adopt(ctx, entry, found)
}

// adopt takes an order that came to be beside this run's POST for its outcome.
func (o *Ordering) adopt(ctx context.Context, entry *issuing.Entry, found *einvoice.Order) (*einvoice.Order, error) {
	if err := o.fits(found); err != nil {
		return nil, err
	}
	entry.Settled(found.ID)
	current, err := o.read(ctx, found.ID)
	if err != nil {
		return nil, o.unread(ctx, found, err)
	}
	return current, nil
}

// lookUntil looks at an order until it is as wanted, or until time is up; it
// returns the last look and whether that was the wanted one.
func (o *Ordering) lookUntil(ctx context.Context, order *einvoice.Order, until time.Time,
	look func(context.Context, einvoice.Text) (*einvoice.Order, error), wanted func(*einvoice.Order) bool,
) (last *einvoice.Order, is bool, err error) {
	last = order
	err = o.Clock.Until(ctx, lookPauses, func() (bool, error) {
		current, err := look(ctx, order.ID)
		if err != nil {
			return false, err
		}
		last, is = current, wanted(current)
		return is || !o.Clock.Now().Before(until), nil
	})
	return last, is, err
}
