package engine

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// Cancel cancels the invoices of an order that are valid, and waits until they are
// not. planned are those that the plan knew. The whole sale is looked at before
// anything is sent: half of it canceled is worse than none. Where something keeps it
// from being canceled as planned, that is InvoiceProblems, and nothing was sent for
// those of the kinds NotAsPlanned and NotCancelable.
func (o *Ordering) Cancel(ctx context.Context, id, reason string, planned []*einvoice.Invoice) error {
	held, err := o.read(ctx, einvoice.Text(id))
	switch {
	case errors.Is(err, einvoice.ErrNotFound): // Its invoices are there all the same.
		held = &einvoice.Order{}
	case err != nil:
		return o.failed(ctx, requestRead, err)
	}
	if err := Complete(ctx, o.Client, held, func(v *einvoice.Invoice) bool { return v.Status == "" }); err != nil {
		return o.failed(ctx, requestRead, err)
	}
	invoices := slices.Clone(held.Invoices)
	for _, v := range planned {
		if FindInvoice(invoices, v) == nil {
			invoices = append(invoices, v)
		}
	}
	if err := o.unfit(invoices, planned); err != nil {
		return err
	}
	problems := make(InvoiceProblems, len(invoices))
	var canceling sync.WaitGroup
	for n, v := range invoices {
		if EndingOf(string(v.Status)) == Canceled {
			canceling.Go(func() {
				_, err := o.issuingOf(v).CancelAsPlanned(ctx, string(v.ID), reason, string(v.Status))
				_ = errors.As(err, &problems[n])
			})
		}
	}
	canceling.Wait()
	if problems = slices.DeleteFunc(problems, func(p *Problem) bool { return p == nil }); len(problems) > 0 {
		return problems
	}
	return nil
}

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
func (o *Ordering) unfit(invoices, planned []*einvoice.Invoice) error {
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
	if problems == nil {
		return nil
	}
	return problems
}
