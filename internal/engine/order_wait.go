package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// finish waits for the invoices that are due, and returns the order with its invoices in full.
func (o *Ordering) finish(ctx context.Context, order *einvoice.Order) (*einvoice.Order, error) {
	if !o.Waits || !o.isDue(order) {
		_ = Complete(ctx, o.Client, order, LacksNumber) // The next refresh completes what cannot be read now.
		return order, nil
	}
	var settled []*einvoice.Invoice
	order, err := o.awaitInvoices(ctx, order)
	for err == nil {
		o.readInFull(ctx, order, settled)
		var pending []*einvoice.Invoice
		for _, v := range order.Invoices {
			switch {
			case FindInvoice(settled, v) != nil:
			case IsReplaced(order.Invoices, v):
				settled = append(settled, v)
				o.Replaced = append(o.Replaced, v)
			default:
				pending = append(pending, v)
			}
		}
		if len(pending) == 0 {
			return order, nil
		}
		var ended []*einvoice.Invoice
		ended, err = o.follow(ctx, pending)
		if settled = append(settled, ended...); err == nil {
			// The service may have split the sale further or made another invoice.
			order, err = o.awaitInvoices(ctx, &einvoice.Order{ID: order.ID})
		}
	}
	return nil, err
}

// awaitInvoices reads the order until it shows an invoice. It reads again after a failure, unless that cannot help.
func (o *Ordering) awaitInvoices(ctx context.Context, order *einvoice.Order) (*einvoice.Order, error) {
	if len(order.Invoices) > 0 {
		return order, nil
	}
	var reads failedReads
	err := o.Clock.Until(ctx, append([]time.Duration{0}, pollPauses...), func() (bool, error) {
		current, err := o.read(ctx, order.ID)
		switch {
		case err == nil:
			order, reads = current, failedReads{}
			return len(order.Invoices) > 0, nil
		case problemsOf(err) != nil:
			return false, err
		case ctx.Err() != nil:
			return false, ctx.Err()
		case errors.Is(err, einvoice.ErrMissing), reads.isFinal(err, &o.Service):
			return false, o.failed(ctx, requestFollow, err)
		}
		return false, nil
	})
	if err == nil || problemsOf(err) != nil {
		return order, err
	}
	p := o.problem(Interrupted, err)
	if errors.Is(err, context.DeadlineExceeded) {
		p.Kind, p.Order, p.LastLook = TimedOut, order, reads.last
	}
	return nil, p
}

// readInFull puts each invoice in the place of the three fields that the order shows. One that cannot be read now is
// read again while it is followed.
func (o *Ordering) readInFull(ctx context.Context, order *einvoice.Order, settled []*einvoice.Invoice) {
	for n, v := range order.Invoices {
		if known := FindInvoice(settled, v); known != nil {
			order.Invoices[n] = known
			continue
		}
		if full, err := o.Client.Invoice(ctx, string(v.Model), string(v.ID)); err == nil {
			order.Invoices[n] = completed(full, v)
		} else if string(v.Status) == einvoice.StatusRejected {
			v.Status = "" // Only its code tells whether it is rejected for good.
		}
	}
}

// follow waits for several invoices at once, so that a slow one does not hide how the others ended.
func (o *Ordering) follow(ctx context.Context, pending []*einvoice.Invoice) ([]*einvoice.Invoice, error) {
	runs, ended := make([]*Issuing, len(pending)), make([]*einvoice.Invoice, len(pending))
	errs := make([]error, len(pending))
	var following sync.WaitGroup
	for n, v := range pending {
		runs[n] = o.issuingOf(v)
		following.Go(func() { ended[n], errs[n] = runs[n].follow(ctx, v) })
	}
	following.Wait()
	var failed InvoiceProblems
	for n, v := range pending {
		ended[n] = completed(ended[n], v)
		o.Notes = append(o.Notes, runs[n].Notes...)
		failed = append(failed, problemsOf(errs[n])...)
	}
	return ended, failed.orNil()
}
