package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const (
	// mostOfCompanies is in times of what one company takes with as many invoices each.
	mostOfCompanies = 1.3

	companiesFormat = `provider "einvoice" {
  company_keys = {
%s  }
}
resource "einvoice_invoice_issuance" "test" {
  count          = %d
  issuer         = [%s][count.index %% %d]
  model          = "serviceInvoice"
  integration_id = "order-${count.index}"
  payload_json = jsonencode({
    description        = "Consulting"
    federalServiceCode = "17.01"
    total              = { invoiceAmount = 100 }
  })
}
`
)

// companies compares many companies that issue in one run, each under its own key and its own limit, with one.
func (b *bench) companies(ctx context.Context) ([]result, error) {
	each, many := b.sizes.invoices, b.sizes.companies
	one, _, err := b.issueBy(ctx, 1, each)
	if err != nil {
		return nil, err
	}
	all, refused, err := b.issueBy(ctx, many, each)
	if err != nil {
		return nil, err
	}
	floor, err := b.buildFloor(ctx)
	if err != nil {
		return nil, err
	}
	idle, _, err := b.issueBy(ctx, many, each, floor)
	if err != nil {
		return nil, err
	}
	label := fmt.Sprintf("%d companies with %d invoices each", many, each)
	return []result{
		{
			what: label + ", in times of one company",
			unit: unitTimes, target: mostOfCompanies, measured: float64(all) / float64(one),
			note: fmt.Sprintf("%s, %s, and %s with a provider that does nothing; "+
				"`-parallelism` as many as there are invoices", seconds(all), seconds(one), seconds(idle)),
		},
		{what: label + ": refused", unit: "requests", measured: float64(refused)},
	}, nil
}

// issueBy applies so many invoices of each of so many companies, under the service's real limit. The floor issues none.
func (b *bench) issueBy(
	ctx context.Context, companies, each int, floor ...string,
) (took time.Duration, refused int, err error) {
	s, err := serve(sandbox.Options{RateLimit: true, AuthorizeAfter: time.Second})
	if err != nil {
		return 0, 0, err
	}
	defer s.Close()
	var keys strings.Builder
	var numbers []string
	for i := range companies {
		id := s.Seed(sandbox.KindCompanies, map[string]any{
			"name": fmt.Sprintf("Filial %d", i), "legalName": "Filial Ltda", "federalTaxNumber": cnpj(i),
			"address": map[string]any{"city": map[string]any{"code": "3550308", "name": "São Paulo", "state": "sp"}},
		})
		fmt.Fprintf(&keys, "    %q = %q\n", cnpj(i), s.KeyOf(id))
		numbers = append(numbers, fmt.Sprintf("%q", cnpj(i)))
	}
	n := companies * each
	w, err := b.workspace(s, fmt.Sprintf(companiesFormat, &keys, n, strings.Join(numbers, ", "), companies), floor...)
	if err != nil {
		return 0, 0, err
	}
	took, err = w.run(ctx, apply, fmt.Sprintf("-parallelism=%d", n))
	if issued := len(s.Invoices("")); err == nil && issued != n && floor == nil {
		err = fmt.Errorf("%d invoices were issued, want %d", issued, n)
	}
	fmt.Fprintf(b.out, "%d invoices of %d companies: %s, processors %s, %d requests.\n",
		n, companies, seconds(took), seconds(w.cpu), len(s.Requests()))
	return took, refusals(s), err
}

// refusals counts the requests that the service refused by its limit.
func refusals(s *sandbox.Server) int {
	n := 0
	for _, r := range s.Requests() {
		if r.Status == http.StatusTooManyRequests {
			n++
		}
	}
	return n
}
