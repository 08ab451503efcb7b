package engine

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// finish waits for the invoices that are due, and returns the order with its invoices in full.
func (o *Ordering) finish(ctx context.Context, order *einvoice.Order) (*einvoice.Order, error) {
	if !o.Waits || !o.isDue(order) || o.isHidden(order) {
		_ = Complete(ctx, o.Client, order, LacksNumber) // The next refresh completes what cannot be read now.
		return order, nil
	}
	settled := map[string]*einvoice.Invoice{}
	order, err := o.awaitInvoices(ctx, order)
	for err == nil {
		o.readInFull(ctx, order, settled)
		var pending []*einvoice.Invoice
		for _, v := range order.Invoices {
			switch {
			case settled[keyOf(v)] != nil:
			case IsReplaced(order.Invoices, v):
				settled[keyOf(v)] = v
				o.Replaced = append(o.Replaced, v)
			default:
				pending = append(pending, v)
			}
		}
		if len(pending) == 0 {
			return order, nil
		}
		if err = o.follow(ctx, pending, settled); err == nil {
			// The service may have split the sale further or made another invoice.
			order, err = o.awaitInvoices(ctx, &einvoice.Order{ID: order.ID})
		}
	}
	return nil, err
}

// awaitInvoices reads the order until it shows an invoice. It remembers a failed read and tries again, unless that
// cannot help.
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
			return len(order.Invoices) > 0 || o.isHidden(order), nil
		case problemsOf(err) != nil:
			return false, err
		case ctx.Err() != nil:
			return false, ctx.Err()
		case reads.isFinal(err, &o.Service):
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
func (o *Ordering) readInFull(ctx context.Context, order *einvoice.Order, settled map[string]*einvoice.Invoice) {
	for n, v := range order.Invoices {
		if known := settled[keyOf(v)]; known != nil {
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

// follow waits for several invoices at once: a slow one must not hide how the others ended.
func (o *Ordering) follow(
	ctx context.Context, pending []*einvoice.Invoice, settled map[string]*einvoice.Invoice,
) error {
	type end struct {
		run     *Issuing
		invoice *einvoice.Invoice
		err     error
	}
	ends := make([]end, len(pending))
	var following sync.WaitGroup
	for n, v := range pending {
		following.Go(func() {
			run := o.issuingOf(v)
			current, err := run.follow(ctx, v)
			ends[n] = end{run, current, err}
		})
	}
	following.Wait()
	var failed InvoiceProblems
	for n, v := range pending {
		settled[keyOf(v)] = completed(ends[n].invoice, v)
		o.Notes = append(o.Notes, ends[n].run.Notes...)
		failed = append(failed, problemsOf(ends[n].err)...)
	}
	return failed.orNil()
}

// keyOf returns the id of an invoice in one spelling, for a map.
func keyOf(v *einvoice.Invoice) string { return strings.ToLower(string(v.ID)) }
