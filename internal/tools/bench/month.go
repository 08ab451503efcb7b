package main

import (
	"context"
	"fmt"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// aMonth are invoices that are issued in one run, at the limit of the service.
type aMonth struct {
	invoices  int
	account   int // invoices that are there before
	perMinute int
	most      float64 // requests each
	options   sandbox.Options
	label     string
}

// month counts what the invoices of a month cost where the limit is what holds them up.
func (b *bench) month(ctx context.Context) ([]result, error) {
	var results []result
	for _, m := range []aMonth{
		{invoices: 90, most: 1.4, label: "in an empty account"},
		{invoices: 120, account: 3000, most: 1.8, label: "in an account of 3,000"},
		{
			invoices: 60, most: 2, label: "no merging, lists 3 s late",
			options: sandbox.Options{NoMergeByIntegrationID: true, ListLag: 3 * time.Second},
		},
		{invoices: 150, perMinute: 900, most: 1.6, label: "at 900 requests a minute"},
		{invoices: 400, most: 1.42, label: "in an empty account"},
	}[:b.sizes.months] {
		more, err := b.issueMonth(ctx, m)
		if err != nil {
			return nil, fmt.Errorf("%d invoices %s: %w", m.invoices, m.label, err)
		}
		results = append(results, more...)
	}
	return results, nil
}

func (b *bench) issueMonth(ctx context.Context, m aMonth) ([]result, error) {
	m.options.RateLimit, m.options.RateLimitPerMinute, m.options.AuthorizeAfter = true, m.perMinute, 2*time.Second
	s, err := serve(m.options)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	fill(s, sandbox.KindServiceInvoices, m.account)
	var settings []string
	if m.perMinute > 0 {
		settings = []string{fmt.Sprintf("EINVOICE_REQUESTS_PER_MINUTE=%d", m.perMinute)}
	}
	w, err := b.workspace(s, invoices(m.invoices), settings...)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	sent, said, err := w.count(ctx, apply)
	if err != nil {
		return nil, err
	}
	took := time.Since(began)
	for i := range m.invoices {
		if made := s.InvoicesByIntegrationID(fmt.Sprintf("order-%d", i)); len(made) != 1 {
			return nil, fmt.Errorf("%d invoices of one sale", len(made))
		}
	}
	label := fmt.Sprintf("Each of %d invoices %s", m.invoices, m.label)
	return []result{
		{
			what: label, unit: "requests", target: m.most, measured: sent / float64(m.invoices),
			note: said + "; " + seconds(took),
		},
		{what: fmt.Sprintf("Refusals (429) of these %d", m.invoices), unit: "refusals", measured: float64(refusals(s))},
	}, nil
}
