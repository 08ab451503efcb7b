package order

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
)

// finish waits for the invoices that are due, and returns the order with its
// invoices in full.
func (o *ordering) finish(ctx context.Context, order *einvoice.Order) (*einvoice.Order, diag.Diagnostics) {
	if !o.waits || !o.due(order) {
		o.completeNumbers(ctx, order)
		return order, nil
	}
	var diags diag.Diagnostics
	settled := map[einvoice.Text]*einvoice.Invoice{}
	order, more := o.poll(ctx, order)
	for !more.HasError() {
		o.firstLook(ctx, order, settled)
		var pending []*einvoice.Invoice
		for _, v := range order.Invoices {
			switch {
			case settled[v.ID] != nil:
			case o.replaced(order, v):
				settled[v.ID] = v
				diags.Append(o.setAside(v))
			default:
				pending = append(pending, v)
			}
		}
		if len(pending) == 0 {
			return order, diags
		}
		more = o.follow(ctx, pending, settled)
		if diags.Append(more...); diags.HasError() {
			return order, diags
		}
		// The service may have split the sale further, or made an invoice anew.
		order, more = o.poll(ctx, &einvoice.Order{ID: order.ID})
	}
	return order, append(diags, more...)
}

// poll reads the order until it shows an invoice; one that does is not read. A
// failed read is remembered and tried again, unless it cannot get better.
func (o *ordering) poll(ctx context.Context, order *einvoice.Order) (*einvoice.Order, diag.Diagnostics) {
	var failure error
	var missing time.Time
	for n := 0; len(order.Invoices) == 0; n++ {
		if n > 0 {
			if err := o.sleep(ctx, issuing.PollPauses[min(n-1, len(issuing.PollPauses)-1)]); err != nil {
				return order, o.withoutInvoices(order, err, failure)
			}
		}
		current, err := o.client.Order(ctx, string(order.ID), string(o.wanted.TransactionID))
		switch {
		case err == nil:
			order, missing = current, time.Time{}
		case ctx.Err() != nil:
			return order, o.withoutInvoices(order, ctx.Err(), failure)
		case errors.Is(err, einvoice.ErrForbidden), errors.Is(err, einvoice.ErrUnauthorized):
			return order, o.refused(ctx, "follow "+o.label(), err)
		case errors.Is(err, einvoice.ErrNotFound):
			if missing.IsZero() {
				missing = o.now()
			}
			if o.now().Sub(missing) >= o.patience {
				return order, o.refused(ctx, "follow "+o.label(), err)
			}
		}
		failure = err
	}
	return order, nil
}

// firstLook puts each invoice in full in the place of the three fields that the
// order shows. One that cannot be read now is read again while it is followed.
func (o *ordering) firstLook(ctx context.Context, order *einvoice.Order, settled map[einvoice.Text]*einvoice.Invoice) {
	for n, v := range order.Invoices {
		if known := settled[v.ID]; known != nil {
			order.Invoices[n] = known
			continue
		}
		if full, err := o.client.Invoice(ctx, string(v.Model), string(v.ID)); err == nil {
			order.Invoices[n] = inFull(v, full)
		} else if string(v.Status) == einvoice.StatusRejected {
			v.Status = "" // Whether for good only its code tells.
		}
	}
}

// follow waits for several invoices at once: one that takes its time must not
// hide how the others ended.
func (o *ordering) follow(ctx context.Context, pending []*einvoice.Invoice, settled map[einvoice.Text]*einvoice.Invoice) diag.Diagnostics {
	ends, words := make([]*einvoice.Invoice, len(pending)), make([]diag.Diagnostics, len(pending))
	var following sync.WaitGroup
	for n, v := range pending {
		following.Go(func() { ends[n], words[n] = o.issuingOf(v).Wait(ctx, v) })
	}
	following.Wait()
	var diags diag.Diagnostics
	for n, v := range ends {
		settled[pending[n].ID] = inFull(pending[n], v)
		diags.Append(words[n]...)
	}
	return diags
}

// twin looks for the authorized invoice that SPD004 about another one speaks of.
func (o *ordering) twin(ctx context.Context, v *einvoice.Invoice) (*einvoice.Invoice, diag.Diagnostics) {
	for other, err := range o.client.Invoices(ctx, string(v.Model), einvoice.InvoiceFilter{TransactionID: string(o.wanted.TransactionID)}) {
		switch {
		case err != nil:
			return nil, o.issuingOf(v).Failed("look up invoice", err)
		case other.Order == nil || other.Order.TransactionID != o.wanted.TransactionID || other.ID == v.ID:
		case string(other.Status) == einvoice.StatusAuthorized:
			return other, nil
		}
	}
	return nil, nil
}

// completeNumbers adds what the order does not show of its invoices. That one
// cannot be read is no failure here: the next refresh completes it.
func (o *ordering) completeNumbers(ctx context.Context, order *einvoice.Order) {
	for n, v := range order.Invoices {
		if !mayHaveNumber(v) {
			continue
		}
		if full, err := o.client.Invoice(ctx, string(v.Model), string(v.ID)); err == nil {
			order.Invoices[n] = inFull(v, full)
		}
	}
}

// mayHaveNumber tells that an invoice without a number may have one at the
// service.
func mayHaveNumber(v *einvoice.Invoice) bool {
	switch string(v.Status) {
	case einvoice.StatusCreated, einvoice.StatusEnqueued, einvoice.StatusReceived:
		return false
	}
	return v.Number == nil || v.AccessKey == ""
}
