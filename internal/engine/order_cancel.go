package engine

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// Cancel cancels the valid invoices of an order, and waits until they are not valid. planned are those that the plan
// knew. It looks at all of them before it sends anything: half a sale canceled is worse than none. The error is
// InvoiceProblems; nothing was sent for those of the kinds NotAsPlanned and NotCancelable.
func (o *Ordering) Cancel(ctx context.Context, id, reason string, planned []*einvoice.Invoice) error {
	held := holding{block: o.Holder, id: einvoice.Text(id)}
	cancel := func(ctx context.Context, guard einvoice.Guard) (*einvoice.Order, error) {
		order, err := o.read(ctx, held.id)
		if errors.Is(err, einvoice.ErrNotFound) { // Its invoices exist all the same.
			order, err = &einvoice.Order{}, nil
		}
		if err == nil {
			err = Complete(ctx, o.Client, order, func(v *einvoice.Invoice) bool { return v.Status == "" })
		}
		if err != nil {
			return nil, o.failed(ctx, requestRead, err)
		}
		invoices := withMissing(slices.Clone(order.Invoices), planned)
		if err = checkCancelable(invoices, planned); err == nil {
			err = o.cancelAll(ctx, invoices, reason, guard)
		}
		return order, err
	}
	_, err := cancelHeld(ctx, &o.attempt, &o.Service, o.key(), held, cancel)
	return err
}

// cancelAll cancels the invoices that are valid, side by side.
func (o *Ordering) cancelAll(
	ctx context.Context, invoices []*einvoice.Invoice, reason string, guard einvoice.Guard,
) error {
	errs := make([]error, len(invoices))
	var running sync.WaitGroup
	for n, v := range invoices {
		if IsCancelable(v) {
			running.Go(func() {
				_, errs[n] = o.issuingOf(v).cancel(ctx, string(v.ID), reason, string(v.Status), guard)
			})
		}
	}
	running.Wait()
	var problems InvoiceProblems
	for _, err := range errs {
		if once.IsUnsent(err) {
			return err
		}
		problems = append(problems, problemsOf(err)...)
	}
	return problems.orNil()
}

// IsCancelable reports whether an invoice is valid, so that it can be canceled.
func IsCancelable(v *einvoice.Invoice) bool { return v.Meaning().Cancelable }

// FindInvoice finds an invoice among those that a plan or another read has shown; nil where it is not there.
func FindInvoice(among []*einvoice.Invoice, v *einvoice.Invoice) *einvoice.Invoice {
	at := slices.IndexFunc(among, hasID(v.ID))
	if at < 0 {
		return nil
	}
	return among[at]
}

// checkCancelable returns the problems of the invoices that keep a sale from being canceled: they are not as planned,
// or cannot be canceled yet.
func checkCancelable(invoices, planned []*einvoice.Invoice) error {
	var problems InvoiceProblems
	for _, v := range invoices {
		kind := NotCancelable
		ending, was := EndingOf(string(v.Status)), FindInvoice(planned, v)
		switch {
		case was == nil && ending != Forgotten, was != nil && !endsAsPlanned(v, string(was.Status)):
			kind = NotAsPlanned
		case ending != Unsettled:
			continue
		}
		problems = append(problems, &Problem{Kind: kind, Model: string(v.Model), Invoice: v})
	}
	return problems.orNil()
}
