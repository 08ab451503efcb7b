package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// listedOrKnown is the order that the list shows. Where there is no list, the journal alone
// decides, as for an invoice: an order that may have been sent ends the run.
func (o *Ordering) listedOrKnown(ctx context.Context, t *once.Turn) (*einvoice.Order, error) {
	listed, err := o.listed(ctx)
	if !errors.Is(err, einvoice.ErrMissing) {
		return listed, err
	}
	o.unlisted = err
	t.MustLast()
	switch {
	case t.Known.Result != "", t.Known.Phase == journal.Idle && t.Foreign.Phase == journal.Idle:
		return nil, nil //nolint:nilnil // It is read by its id, or sent.
	case o.lost == nil && t.InDoubt():
		return nil, once.ErrUnproven // Another run may be about to record the answer.
	}
	p := o.problem(Unlisted, cmp.Or(o.lost, o.unlisted))
	p.Record = t.Where()
	return nil, p
}

// readByInvoices is an order that the service neither reads nor lists: as it was last
// seen, with the invoices that name it or are known.
func (o *Ordering) readByInvoices(ctx context.Context, id einvoice.Text, unread error) (*einvoice.Order, error) {
	last := einvoice.Order{ID: id, TransactionID: o.Wanted.TransactionID, Invoices: o.Known}
	if o.order != nil && einvoice.SameID(o.order.ID, id) {
		last = *o.order
	}
	unlisted, err := ShowInvoices(ctx, o.Client, &last)
	if err != nil {
		return nil, err
	}
	o.unreadable, o.unseen = unread, unlisted
	return &last, nil
}

// ShowInvoices adds to an order that cannot be read the invoices that name it. Those of
// unlisted models, which have no list, do not show.
func ShowInvoices(ctx context.Context, client *einvoice.Client, order *einvoice.Order) (unlisted []string, err error) {
	found, unlisted, err := client.InvoicesOfOrder(ctx, string(order.ID), string(order.TransactionID))
	for _, v := range order.Invoices {
		if FindInvoice(found, v) == nil {
			found = append(found, v)
		}
	}
	order.Invoices = found
	return unlisted, err
}

// isUnseen reports whether no invoice of an order can ever show: it cannot be read, and
// the models that it issues are not listed.
func (o *Ordering) isUnseen(order *einvoice.Order) bool {
	return o.unreadable != nil && HidesInvoices(order, o.Wanted.Items, o.unseen)
}

// HidesInvoices reports whether an order that cannot be read shows no invoice, and all that
// it sells is issued by unlisted models.
func HidesInvoices(order *einvoice.Order, items []einvoice.OrderItem, unlisted []string) bool {
	return len(order.Invoices) == 0 && !slices.ContainsFunc(items, func(item einvoice.OrderItem) bool {
		return item.Product == nil || !slices.Contains(unlisted, string(item.Product.InvoiceModel))
	})
}

// noteUnseen notes, once a run, of which models no invoice was waited for.
func (o *Ordering) noteUnseen(order *einvoice.Order) {
	if o.unreadable == nil || !o.Waits || !o.due(order) {
		return
	}
	for _, model := range o.unseen {
		shows := slices.ContainsFunc(order.Invoices, func(v *einvoice.Invoice) bool { return string(v.Model) == model })
		if !shows && slices.Contains(o.Models(), model) && o.Client.IsFirstMissing(model+" of an order") {
			o.Notes = append(o.Notes, Event{Kind: InvoicesUnseen, Model: model})
		}
	}
}

// unprovenRequest is a request about an order that may have been processed, and that
// nothing can show.
func (o *Ordering) unprovenRequest(kind Kind, order *einvoice.Order) *Problem {
	p := o.lostAnswer(kind, order)
	p.Cause = cmp.Or(o.lost, o.unreadable)
	return p
}
