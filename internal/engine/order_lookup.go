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

// orderUnnamed is the content of a record whose order was created, and answered with an invoice that does not name it.
const orderUnnamed = "order unnamed"

// listedOrKnown returns the order that the list shows. Where there is no list, the journal alone decides: an order
// that may have been sent is looked for by its invoices.
func (o *Ordering) listedOrKnown(ctx context.Context, t *once.Turn) (*einvoice.Order, error) {
	found, err := o.list(ctx)
	switch {
	case err == nil && (len(found) > 0 || t.Known.Content != orderUnnamed):
		return o.choose(found)
	case err != nil && !errors.Is(err, einvoice.ErrMissing):
		return nil, err
	case err != nil:
		o.noList = err
		t.MustLast()
	}
	if t.Known.Result != "" || t.Known.Phase == journal.Idle && t.Foreign.Phase == journal.Idle {
		return nil, nil //nolint:nilnil // It is read by its id, or sent.
	}
	return o.foundByInvoices(ctx, t)
}

// foundByInvoices returns the order, in doubt, that the lists of invoices show.
func (o *Ordering) foundByInvoices(ctx context.Context, t *once.Turn) (*einvoice.Order, error) {
	found, unlisted, err := o.Client.OrdersOfInvoices(ctx, string(o.Wanted.TransactionID))
	if err != nil {
		return nil, o.failed(ctx, requestLookUp, err)
	}
	if len(found) > 0 {
		o.order, err = o.choose(found)
		return o.order, err
	}
	mayShow := func(model string) bool { return !slices.Contains(unlisted, model) }
	if t.InDoubt() && o.isTriggered(&o.Wanted) && slices.ContainsFunc(o.Models(), mayShow) {
		return nil, once.ErrUnproven // A list may lag.
	}
	return nil, o.unproven(t)
}

// readByInvoices returns an order that the service neither reads nor lists: as it was last seen, with the invoices
// that name it or are known.
func (o *Ordering) readByInvoices(ctx context.Context, id einvoice.Text, missing error) (*einvoice.Order, error) {
	last := einvoice.Order{ID: id, TransactionID: o.Wanted.TransactionID, Invoices: o.Known}
	if o.order != nil && einvoice.SameID(o.order.ID, id) {
		last = *o.order
	}
	unlisted, err := ShowInvoices(ctx, o.Client, &last)
	if err != nil {
		return nil, err
	}
	o.noOrderRead, o.hiddenModels = missing, unlisted
	return &last, nil
}

// ShowInvoices adds to an order that cannot be read the invoices that name it. Those of the unlisted models, which
// have no list, do not show.
func ShowInvoices(
	ctx context.Context, client *einvoice.Client, order *einvoice.Order,
) (unlisted []string, err error) {
	found, unlisted, err := client.InvoicesOfOrder(ctx, string(order.ID), string(order.TransactionID))
	order.Invoices = withMissing(found, order.Invoices)
	return unlisted, err
}

// withMissing appends the known invoices that a read does not show.
func withMissing(found, known []*einvoice.Invoice) []*einvoice.Invoice {
	for _, v := range known {
		if FindInvoice(found, v) == nil {
			found = append(found, v)
		}
	}
	return found
}

// isHidden reports whether no invoice of an order can ever show: neither the order nor its models can be read.
func (o *Ordering) isHidden(order *einvoice.Order) bool {
	return o.noOrderRead != nil && HidesInvoices(order, o.Wanted.Items, o.hiddenModels)
}

// HidesInvoices reports whether an order that cannot be read shows no invoice, and issues unlisted models only.
func HidesInvoices(order *einvoice.Order, items []einvoice.OrderItem, unlisted []string) bool {
	return len(order.Invoices) == 0 && !slices.ContainsFunc(items, func(item einvoice.OrderItem) bool {
		return item.Product == nil || !slices.Contains(unlisted, string(item.Product.InvoiceModel))
	})
}

// noteHidden notes, once a process, the models whose invoices the run could not wait for.
func (o *Ordering) noteHidden(order *einvoice.Order) {
	if o.noOrderRead == nil || !o.Waits || !o.isDue(order) {
		return
	}
	for _, model := range o.hiddenModels {
		shows := slices.ContainsFunc(order.Invoices, func(v *einvoice.Invoice) bool { return string(v.Model) == model })
		if !shows && slices.Contains(o.Models(), model) && o.Client.IsFirstMissing(model+" of an order") {
			o.Notes = append(o.Notes, Event{Kind: InvoicesUnseen, Model: model})
		}
	}
}
