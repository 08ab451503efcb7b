package engine

import (
	"context"
	"slices"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// lookPauses begin with a look at once.
var lookPauses = append([]time.Duration{0}, once.LookPauses...)

// search finds the order by the list and by the journal, each of which may be behind the other. read: it was read by
// its id. Nothing is ever posted after a search that failed.
func (o *Ordering) search(
	ctx context.Context, listed *einvoice.Order, known journal.Record,
) (order *einvoice.Order, read bool, err error) {
	id := known.Result
	if listed != nil && (id == "" || !isOver(listed)) {
		id = string(listed.ID)
	}
	if id == "" {
		return nil, false, nil
	}
	// A list may lag behind in what it shows of an order, too.
	byID := func() (*einvoice.Order, error) { return o.read(ctx, einvoice.Text(id)) }
	current, err := readPatiently(ctx, &o.Service, byID)
	switch {
	case problemsOf(err) != nil && o.noList != nil:
		return nil, false, err // No list says that there is no other one.
	case problemsOf(err) != nil, err == nil && current == nil:
		return listed, false, nil //nolint:nilerr // Another sale's, or gone, where it is not listed either.
	case err != nil:
		return nil, false, o.failed(ctx, requestLookUp, err)
	}
	return current, true, nil
}

// isNamed reports whether an order shows this transaction_id, or none.
func (o *Ordering) isNamed(order *einvoice.Order) bool {
	return order.TransactionID == "" || einvoice.SameClientID(order.TransactionID, o.Wanted.TransactionID)
}

// list finds the orders under the transaction_id in the service's list.
func (o *Ordering) list(ctx context.Context) ([]*einvoice.Order, error) {
	name := o.Wanted.TransactionID
	found, err := named(o.Client.Orders(ctx, string(name)), name,
		func(order *einvoice.Order) einvoice.Text { return order.TransactionID })
	if err != nil {
		return nil, o.failed(ctx, requestLookUp, err)
	}
	return found, nil
}

// choose picks the order to go on with. Orders that are over do not count beside another one.
func (o *Ordering) choose(found []*einvoice.Order) (*einvoice.Order, error) {
	alive := slices.DeleteFunc(slices.Clone(found), isOver)
	switch {
	case len(alive) == 1:
		return alive[0], nil
	case len(alive) > 1:
		p := o.problem(Several, nil)
		p.Orders = alive
		return nil, p
	case len(found) > 0:
		return found[len(found)-1], nil
	}
	return nil, nil //nolint:nilnil // The contract: none.
}
