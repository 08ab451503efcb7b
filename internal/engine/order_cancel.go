package engine

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// Cancel cancels the invoices of an order that are valid, and waits until they are
// not. planned are those that the plan knew. The whole sale is looked at before
// anything is sent: half of it canceled is worse than none. Where something keeps it
// from being canceled as planned, that is InvoiceProblems, and nothing was sent for
// those of the kinds NotAsPlanned and NotCancelable.
func (o *Ordering) Cancel(ctx context.Context, id, reason string, planned []*einvoice.Invoice) error {
	held := holding{o.Holder, einvoice.Text(id)}
	return o.cancelHeld(ctx, &o.Service, o.key(), held, func(ctx context.Context, begin func(context.Context) error) error {
		invoices, err := o.planned(ctx, held.id, planned)
		if err == nil {
			err = unfit(invoices, planned)
		}
		if err != nil {
			return err
		}
		return o.cancelAll(ctx, invoices, reason, begin)
	})
}

// planned are the invoices of an order as they are, and those that the plan knew.
func (o *Ordering) planned(ctx context.Context, id einvoice.Text, planned []*einvoice.Invoice) ([]*einvoice.Invoice, error) {
	held, err := o.read(ctx, id)
	if errors.Is(err, einvoice.ErrNotFound) { // Its invoices are there all the same.
		held, err = &einvoice.Order{}, nil
	}
	if err == nil {
		err = Complete(ctx, o.Client, held, func(v *einvoice.Invoice) bool { return v.Status == "" })
	}
	if err != nil {
		return nil, o.failed(ctx, requestRead, err)
	}
	invoices := slices.Clone(held.Invoices)
	for _, v := range planned {
		if FindInvoice(invoices, v) == nil {
			invoices = append(invoices, v)
		}
	}
	return invoices, nil
}

// cancelAll cancels the invoices that are valid, side by side.
func (o *Ordering) cancelAll(ctx context.Context, invoices []*einvoice.Invoice, reason string, begin func(context.Context) error) error {
	errs := make([]error, len(invoices))
	var running sync.WaitGroup
	for n, v := range invoices {
		if IsCancelable(v) {
			running.Go(func() {
				i := o.issuingOf(v)
				i.begin = begin
				_, errs[n] = i.CancelAsPlanned(ctx, string(v.ID), reason, string(v.Status))
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
func IsCancelable(v *einvoice.Invoice) bool { return EndingOf(string(v.Status)) == Canceled }

// FindInvoice finds an invoice among those that a plan or another read has shown; nil where
// it is not there.
func FindInvoice(among []*einvoice.Invoice, v *einvoice.Invoice) *einvoice.Invoice {
	at := slices.IndexFunc(among, func(other *einvoice.Invoice) bool { return einvoice.SameID(v.ID, other.ID) })
	if at < 0 {
		return nil
	}
	return among[at]
}

// unfit are the invoices that keep a sale from being canceled: those that the plan
// did not know so, and those that cannot be canceled yet.
func unfit(invoices, planned []*einvoice.Invoice) error {
	var problems InvoiceProblems
	for _, v := range invoices {
		kind := NotCancelable
		ending, was := EndingOf(string(v.Status)), FindInvoice(planned, v)
		switch {
		case was == nil && ending != Forgotten, was != nil && !EndsAsPlanned(v, string(was.Status)):
			kind = NotAsPlanned
		case ending != Unsettled:
			continue
		}
		problems = append(problems, &Problem{Kind: kind, Model: string(v.Model), Invoice: v})
	}
	return problems.orNil()
}
