package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// lookPauses are those of what is in doubt, after a look at once.
var lookPauses = append([]time.Duration{0}, once.LookPauses...)

// search finds the order by the list and by the journal, each of which may be behind
// the other; read tells that it was read by its id. Nothing is ever posted after a
// search that failed.
func (o *Ordering) search(ctx context.Context, listed *einvoice.Order, known journal.Record) (order *einvoice.Order, read bool, err error) {
	id := known.Result
	if listed != nil && (id == "" || !slices.Contains(endings, string(listed.Status))) {
		id = string(listed.ID)
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
		return listed, false, nil // Gone at the service, where it is not listed either.
	case err != nil:
		return nil, false, o.failed(ctx, requestLookUp, err)
	case !o.isNamed(current):
		return listed, false, nil
	}
	return current, true, nil
}

// isNamed tells that an order shows this transaction_id, or none.
func (o *Ordering) isNamed(held *einvoice.Order) bool {
	return held.TransactionID == "" || einvoice.SameClientID(held.TransactionID, o.Wanted.TransactionID)
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
		p := o.problem(Several, nil, nil)
		p.Orders = alive
		return nil, p
	case len(same) > 0:
		return same[len(same)-1], nil
	}
	return nil, nil
}

// adopt takes an order that came to be beside this run's POST for its outcome.
func (o *Ordering) adopt(ctx context.Context, t *once.Turn, found *einvoice.Order) (*einvoice.Order, error) {
	if err := o.fits(found); err != nil {
		return nil, err
	}
	t.Settle(ctx, string(found.ID))
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
