package main

import (
	"context"
	"fmt"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// What plans over invoices and orders may cost.
const (
	mostOfInvoices = 24 // a thousand in an account of as many
	mostOfSeveral  = 20 // twelve of the last month in an account of fifty thousand

	accountMonths = 60 // over which the account's other documents are spread
)

// documents are invoices or orders of a workspace, and the account that they are in.
type documents struct {
	kind, noun string
	objects    int
	account    int
	most       int
	config     func(n int, date time.Time) string
}

// invoicePlans counts what plans cost over invoices that are authorized, and over orders whose invoices are.
func (b *bench) invoicePlans(ctx context.Context) ([]result, error) {
	many, account := b.sizes.refreshed, b.sizes.account
	var results []result
	for _, d := range []documents{
		{sandbox.KindServiceInvoices, "authorized invoices", many, many, mostOfInvoices, datedInvoices},
		{sandbox.KindServiceInvoices, "authorized invoices", 5, account, mostOfFew, datedInvoices},
		{sandbox.KindServiceInvoices, "authorized invoices of last month", 12, account, mostOfSeveral, datedInvoices},
		{sandbox.KindOrders, "orders with authorized invoices", many, many, mostOfInvoices, orders},
		{sandbox.KindOrders, "orders with authorized invoices", 5, account, mostOfFew, orders},
		{sandbox.KindOrders, "orders with authorized invoices", 12, account, mostOfSeveral, orders},
	} {
		config := d.config(d.objects, time.Now().AddDate(0, -1, 0))
		measure := func(w *workspace) ([]result, error) { return d.measure(ctx, w) }
		more, err := b.unlimited(sandbox.Options{}, config, measure)
		if err != nil {
			return nil, fmt.Errorf("%d %s: %w", d.objects, d.noun, err)
		}
		results = append(results, more...)
	}
	return results, nil
}

func (d documents) measure(ctx context.Context, w *workspace) ([]result, error) {
	if _, err := w.run(ctx, apply, "-parallelism=30"); err != nil {
		return nil, err
	}
	fill(w.service, d.kind, d.account)
	n, said, err := w.count(ctx, plan)
	return []result{{
		what: fmt.Sprintf("%s %s in an account of %s", grouped(d.objects), d.noun, grouped(d.account)),
		unit: "requests", target: float64(d.most), measured: n, note: said,
	}}, err
}

// fill adds documents of others, spread over months, until an account has so many of a kind.
func fill(s *sandbox.Server, kind string, account int) {
	now := time.Now()
	for i := len(s.Objects(kind)); i < account; i++ {
		s.Seed(kind, map[string]any{
			"effectiveDate": now.AddDate(0, -(i % accountMonths), 0).Format(time.RFC3339),
			"transactionId": fmt.Sprintf("other-%d", i), "integrationId": fmt.Sprintf("other-%d", i),
		})
	}
}
