package order

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
)

// cancel cancels the invoices of an order that are valid, and waits until they are
// not. planned are those that the plan knew. The whole sale is looked at before
// anything is sent: half of it canceled is worse than none.
func (o *ordering) cancel(ctx context.Context, id, reason string, planned []*einvoice.Invoice) error {
	held, err := o.read(ctx, einvoice.Text(id))
	switch {
	case errors.Is(err, einvoice.ErrNotFound): // Its invoices are there all the same.
		held = &einvoice.Order{}
	case err != nil:
		return o.failed(ctx, requestRead, err)
	}
	if err := inFull(ctx, o.Client, held, func(v *einvoice.Invoice) bool { return v.Status == "" }); err != nil {
		return o.failed(ctx, requestRead, err)
	}
	invoices := slices.Clone(held.Invoices)
	for _, v := range planned {
		if !slices.ContainsFunc(invoices, sameInvoice(v)) {
			invoices = append(invoices, v)
		}
	}
	if err := o.unfit(invoices, planned); err != nil {
		return err
	}
	problems := make(invoiceProblems, len(invoices))
	var canceling sync.WaitGroup
	for n, v := range invoices {
		if issuing.EndingOf(string(v.Status)) == issuing.Canceled {
			canceling.Go(func() {
				_, err := o.issuingOf(v).CancelAsPlanned(ctx, string(v.ID), reason, string(v.Status))
				_ = errors.As(err, &problems[n])
			})
		}
	}
	canceling.Wait()
	if problems = slices.DeleteFunc(problems, func(p *issuing.Problem) bool { return p == nil }); len(problems) > 0 {
		return problems
	}
	return nil
}

func sameInvoice(v *einvoice.Invoice) func(*einvoice.Invoice) bool {
	return func(other *einvoice.Invoice) bool { return strings.EqualFold(string(v.ID), string(other.ID)) }
}

// unfit are the invoices that keep a sale from being canceled: those that the plan
// did not know so, and those that cannot be canceled yet.
func (o *ordering) unfit(invoices, planned []*einvoice.Invoice) error {
	var problems invoiceProblems
	for _, v := range invoices {
		kind := issuing.NotCancelable
		ending, at := issuing.EndingOf(string(v.Status)), slices.IndexFunc(planned, sameInvoice(v))
		switch {
		case at < 0 && ending != issuing.Forgotten, at >= 0 && !issuing.EndsAsPlanned(v, string(planned[at].Status)):
			kind = issuing.NotAsPlanned
		case ending != issuing.Unsettled:
			continue
		}
		problems = append(problems, &issuing.Problem{Kind: kind, Model: string(v.Model), Invoice: v})
	}
	if problems == nil {
		return nil
	}
	return problems
}
