package main

import (
	"context"
	"fmt"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// mostOfInvoice is what an invoice that the authority authorizes within ten seconds may cost: its look-up, its
// creation, two polls, and a look for a twin where no list was read after the creation.
const mostOfInvoice = 5

// issuing counts what issuing invoices costs, and what their refresh does.
func (b *bench) issuing(ctx context.Context) ([]result, error) {
	var results []result
	for _, c := range []struct {
		invoices int
		after    time.Duration
	}{
		{1, time.Second},
		{1, 9900 * time.Millisecond},
		{b.sizes.invoices, time.Second},
		{b.sizes.invoices, 9 * time.Second},
	} {
		options := sandbox.Options{AuthorizeAfter: c.after}
		more, err := b.unlimited(options, invoices(c.invoices), func(w *workspace) ([]result, error) {
			issued, said, err := w.count(ctx, apply, "-parallelism=30")
			if err != nil {
				return nil, err
			}
			refreshed, readings, err := w.count(ctx, plan)
			if err != nil {
				return nil, err
			}
			label := "1 invoice"
			if c.invoices > 1 {
				label = fmt.Sprintf("Each of %d invoices at once", c.invoices)
			}
			results := []result{{
				what: fmt.Sprintf("%s, authorized after %s s", label, number(c.after.Seconds())), unit: "requests",
				target: mostOfInvoice, measured: issued / float64(c.invoices), note: said,
			}}
			if c.invoices > 1 && c.after == time.Second {
				results = append(results, result{
					what: fmt.Sprintf("Plan over %d authorized invoices", c.invoices), unit: "requests",
					target: float64(c.invoices), measured: refreshed, note: readings,
				})
			}
			return results, nil
		})
		if err != nil {
			return nil, err
		}
		results = append(results, more...)
	}
	return results, nil
}
