package order

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// lookUp finds the order that exists under the transaction_id, by the list and
// by the journal. Nothing is ever posted on a look-up that failed.
func (o *ordering) lookUp(ctx context.Context, entry *journal.Entry) (*einvoice.Order, diag.Diagnostics) {
	known := entry.State()
	id := known.ID
	if noted := notedOrder(known); noted != "" {
		id = noted
	}
	found, diags := o.list(ctx)
	if diags.HasError() {
		return nil, diags
	}
	if found == nil && id == "" && !known.Begun.IsZero() {
		// A POST was never answered. What it made may not be listed yet.
		found, diags = o.lookPatiently(ctx, known.Begun.Add(o.patience))
		if diags.HasError() {
			return nil, diags
		}
	}
	if found != nil {
		id = string(found.ID)
	}
	if id == "" {
		return nil, diags
	}
	// A list may lag behind in what it shows of an order, too.
	current, err := o.client.Order(ctx, id, string(o.wanted.TransactionID))
	switch {
	case errors.Is(err, einvoice.ErrNotFound):
		return found, diags // Gone at the service, where it is not listed either.
	case err != nil:
		return nil, append(diags, o.refused(ctx, "look up "+o.label(), err)...)
	case current.TransactionID != "" && current.TransactionID != o.wanted.TransactionID:
		return found, diags
	}
	if known.ID == "" && notedOrder(known) == "" {
		diags.Append(settledAs(entry, current.ID)...)
	}
	return current, diags
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
func (o *ordering) list(ctx context.Context) (*einvoice.Order, diag.Diagnostics) {
	same, err := einvoice.Matching(o.client.Orders(ctx, string(o.wanted.TransactionID)), func(held *einvoice.Order) bool {
		return held.TransactionID == o.wanted.TransactionID
	})
	if err != nil {
		return nil, o.refused(ctx, "look up "+o.label(), err)
	}
	var alive []*einvoice.Order
	for _, held := range same {
		if !slices.Contains(orderEnds, string(held.Status)) {
			alive = append(alive, held)
		}
	}
	switch {
	case len(alive) == 1:
		return alive[0], nil
	case len(alive) > 1:
		return nil, o.severalFound(alive)
	case len(same) > 0:
		return same[len(same)-1], nil
	}
	return nil, nil
}

// lookPatiently repeats the look-up until the order shows, or until the time
// after which an accepted one would have been listed.
func (o *ordering) lookPatiently(ctx context.Context, until time.Time) (*einvoice.Order, diag.Diagnostics) {
	found, diags := o.list(ctx)
	for n := 0; found == nil && !diags.HasError() && o.now().Before(until); n++ {
		if err := o.sleep(ctx, issuing.LookPauses[min(n, len(issuing.LookPauses)-1)]); err != nil {
			return nil, append(diags, o.interrupted(nil, err)...)
		}
		found, diags = o.list(ctx)
	}
	return found, diags
}

// adoptPatiently settles a POST whose outcome is not known: the order is looked
// for again and again, and nothing is sent a second time.
func (o *ordering) adoptPatiently(ctx context.Context, entry *journal.Entry, lost error) (*einvoice.Order, diag.Diagnostics) {
	if ctx.Err() != nil {
		return nil, o.interrupted(nil, lost)
	}
	found, diags := o.lookPatiently(ctx, o.now().Add(o.patience))
	if diags.HasError() {
		return nil, diags
	}
	if found == nil {
		return nil, append(diags, o.answerLost(lost)...)
	}
	adopted, more := o.adopt(ctx, entry, found)
	return adopted, append(diags, more...)
}

// adopt takes an order that came to be beside this run's POST for its outcome.
func (o *ordering) adopt(ctx context.Context, entry *journal.Entry, found *einvoice.Order) (*einvoice.Order, diag.Diagnostics) {
	diags := o.fits(found)
	if diags.HasError() {
		return found, diags
	}
	diags.Append(settledAs(entry, found.ID)...)
	current, err := o.client.Order(ctx, string(found.ID), string(o.wanted.TransactionID))
	if err != nil {
		return found, append(diags, o.unread(ctx, found, err)...)
	}
	return current, diags
}

// lookUntil reads an order until it is as wanted, or until patience ends; it
// returns the last look.
func (o *ordering) lookUntil(ctx context.Context, order *einvoice.Order, wanted func(*einvoice.Order) bool) (*einvoice.Order, error) {
	until := o.now().Add(o.patience)
	for n := 0; ; n++ {
		current, err := o.client.Order(ctx, string(order.ID), string(o.wanted.TransactionID))
		if err != nil {
			return order, err
		}
		if wanted(current) || !o.now().Before(until) {
			return current, nil
		}
		if err := o.sleep(ctx, issuing.LookPauses[min(n, len(issuing.LookPauses)-1)]); err != nil {
			return current, err
		}
	}
}
