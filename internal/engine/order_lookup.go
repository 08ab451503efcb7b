package engine

import (
	"context"
	"slices"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// lookPauses begin with a look at once.
var lookPauses = append([]time.Duration{0}, once.LookPauses...)

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
	order, several := chosenOrder(found)
	if several != nil {
		p := o.problem(Several, nil)
		p.Orders = several
		return nil, p
	}
	return order, nil
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
