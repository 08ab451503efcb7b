package engine

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// finish waits for the invoices that are due, and returns the order with its
// invoices in full.
func (o *Ordering) finish(ctx context.Context, order *einvoice.Order) (*einvoice.Order, error) {
	if !o.Waits || !o.due(order) || o.isUnseen(order) {
		_ = Complete(ctx, o.Client, order, LacksNumber) // The next refresh completes what cannot be read now.
		return order, nil
	}
	settled := map[string]*einvoice.Invoice{}
	order, err := o.awaitInvoices(ctx, order)
	for err == nil {
		o.firstLook(ctx, order, settled)
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
			// The service may have split the sale further, or made an invoice anew.
			order, err = o.awaitInvoices(ctx, &einvoice.Order{ID: order.ID})
		}
	}
	return nil, err
}

// awaitInvoices reads the order until it shows an invoice; one that does is not
// read. A failed read is remembered and tried again, unless it cannot get better.
func (o *Ordering) awaitInvoices(ctx context.Context, order *einvoice.Order) (*einvoice.Order, error) {
	if len(order.Invoices) > 0 {
		return order, nil
	}
	var lastLook error
	var missing time.Time
	err := o.Clock.Until(ctx, append([]time.Duration{0}, PollPauses...), func() (bool, error) {
		current, err := o.read(ctx, order.ID)
		lastLook = err
		if err == nil && o.isUnseen(current) {
			order = current
			return true, nil
		}
		switch {
		case err == nil:
			order, missing = current, time.Time{}
		case problemsOf(err) != nil:
			return false, err
		case ctx.Err() != nil:
			return false, ctx.Err()
		case errors.Is(err, einvoice.ErrForbidden), errors.Is(err, einvoice.ErrUnauthorized):
			return false, o.failed(ctx, requestFollow, err)
		case errors.Is(err, einvoice.ErrNotFound):
			if missing.IsZero() {
				missing = o.Clock.Now()
			}
			if o.Clock.Now().Sub(missing) >= o.Patience {
				return false, o.failed(ctx, requestFollow, err)
			}
		}
		return len(order.Invoices) > 0, nil
	})
	if err == nil || problemsOf(err) != nil {
		return order, err
	}
	p := o.problem(Interrupted, err)
	if errors.Is(err, context.DeadlineExceeded) {
		p.Kind, p.Order, p.LastLook = TimedOut, order, lastLook
	}
	return nil, p
}

// firstLook puts each invoice in full in the place of the three fields that the
// order shows. One that cannot be read now is read again while it is followed.
func (o *Ordering) firstLook(ctx context.Context, order *einvoice.Order, settled map[string]*einvoice.Invoice) {
	for n, v := range order.Invoices {
		if known := settled[keyOf(v)]; known != nil {
			order.Invoices[n] = known
			continue
		}
		if full, err := o.Client.Invoice(ctx, string(v.Model), string(v.ID)); err == nil {
			order.Invoices[n] = completed(full, v)
		} else if string(v.Status) == einvoice.StatusRejected {
			v.Status = "" // Whether for good only its code tells.
		}
	}
}

// follow waits for several invoices at once: one that takes its time must not
// hide how the others ended.
func (o *Ordering) follow(ctx context.Context, pending []*einvoice.Invoice, settled map[string]*einvoice.Invoice) error {
	runs, ends, errs := make([]*Issuing, len(pending)), make([]*einvoice.Invoice, len(pending)), make([]error, len(pending))
	var following sync.WaitGroup
	for n, v := range pending {
		runs[n] = o.issuingOf(v)
		following.Go(func() { ends[n], errs[n] = runs[n].Follow(ctx, v) })
	}
	following.Wait()
	var failed InvoiceProblems
	for n, v := range pending {
		settled[keyOf(v)] = completed(ends[n], v)
		o.Notes = append(o.Notes, runs[n].Notes...)
		if p := (*Problem)(nil); errors.As(errs[n], &p) {
			failed = append(failed, p)
		}
	}
	return failed.orNil()
}

// keyOf is the id of an invoice for a map, in one spelling, as [einvoice.SameID] compares.
func keyOf(v *einvoice.Invoice) string { return strings.ToLower(string(v.ID)) }
