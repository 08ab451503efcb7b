package main

import (
	"context"
	"fmt"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// mostOfInvoice is what an invoice that the authority authorizes within ten
// seconds may cost: its look-up, its creation, and two polls.
const mostOfInvoice = 4

// issuing counts what issuing invoices costs, and what their refresh does.
func (b *bench) issuing(ctx context.Context) ([]result, error) {
	many := b.sizes.invoices
	var results []result
	for _, c := range []struct {
		invoices int
		after    time.Duration
	}{
		{1, time.Second},
		{1, 9900 * time.Millisecond},
		{many, time.Second},
		{many, 9 * time.Second},
	} {
		more, err := b.issue(ctx, c.invoices, c.after)
		if err != nil {
			return nil, err
		}
		results = append(results, more...)
	}
	return results, nil
}

func (b *bench) issue(ctx context.Context, n int, after time.Duration) ([]result, error) {
	s, err := serve(sandbox.Options{AuthorizeAfter: after})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	w, err := b.workspace(s, noLimits...)
	if err != nil {
		return nil, err
	}
	if err := w.write(invoices(n)); err != nil {
		return nil, err
	}
	issued, said, err := counted(s, func() error {
		_, err := w.apply(ctx, "-parallelism=30")
		return err
	})
	if err != nil {
		return nil, err
	}
	refreshed, readings, err := counted(s, func() error {
		_, err := w.plan(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	label := "1 invoice"
	if n > 1 {
		label = fmt.Sprintf("Each of %d invoices at once", n)
	}
	results := []result{{
		what: fmt.Sprintf("%s, authorized after %s s", label, number(after.Seconds())), unit: "requests",
		target: mostOfInvoice, measured: float64(issued) / float64(n), note: said,
	}}
	if n > 1 && after == time.Second {
		results = append(results, result{
			what: fmt.Sprintf("Plan over %d authorized invoices", n), unit: "requests", target: float64(n), measured: float64(refreshed), note: readings,
		})
	}
	return results, nil
}
