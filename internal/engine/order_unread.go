package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// listedOrKnown returns the order that the list shows. Where there is no list, the journal alone decides: an order
// that may have been sent ends the run.
func (o *Ordering) listedOrKnown(ctx context.Context, t *once.Turn) (*einvoice.Order, error) {
	found, err := o.list(ctx)
	switch {
	case err == nil:
		return o.choose(found)
	case !errors.Is(err, einvoice.ErrMissing):
		return nil, err
	}
	o.noList = err
	t.MustLast()
	if t.Known.Result != "" || t.Known.Phase == journal.Idle && t.Foreign.Phase == journal.Idle {
		return nil, nil //nolint:nilnil // It is read by its id, or sent.
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

// isHidden reports whether no invoice of an order can ever show: the order cannot be read, and the models that it
// issues are not listed.
func (o *Ordering) isHidden(order *einvoice.Order) bool {
	return o.noOrderRead != nil && HidesInvoices(order, o.Wanted.Items, o.hiddenModels)
}

// HidesInvoices reports whether an order that cannot be read shows no invoice, and unlisted models issue all its
// items.
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
