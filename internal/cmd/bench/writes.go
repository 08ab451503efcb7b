package main

import (
	"context"
	"fmt"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// changed is an object that is created, changed and destroyed, one step after
// the other.
type changed struct {
	what  string
	given string // applied before the steps
	steps []step
}

type step struct {
	what   string
	config string // "" destroys
	most   int    // requests
}

// Each change is one request, with these exceptions: a company is read for the
// parts that its PUT would erase, and asked for before it is deleted; a webhook
// is enabled and disabled by requests of their own; settings are read, written
// and verified.
var changes = func() []changed {
	customer := func(name string) string {
		return fmt.Sprintf("resource \"einvoice_customer\" \"test\" {\n  name = %q\n}\n", name)
	}
	product := func(name string) string {
		return fmt.Sprintf("resource \"einvoice_product\" \"test\" {\n  name = %q\n  code = \"P-1\"\n}\n", name)
	}
	webhook := func(url string, enabled bool) string {
		return fmt.Sprintf("resource \"einvoice_webhook\" \"test\" {\n  event = \"invoice.authorized\"\n  url = %q\n  enabled = %t\n}\n", url, enabled)
	}
	company := func(name string) string {
		return fmt.Sprintf("resource \"einvoice_company\" \"test\" {\n  name = %q\n  legal_name = \"Padaria Ltda\"\n  federal_tax_number = \"11222333000181\"\n"+
			"  deletion_protection = false\n  address = { city = { code = \"3550308\" } }\n}\n", name)
	}
	settings := func(series string) string {
		return company("Padaria") + fmt.Sprintf("resource \"einvoice_company_settings\" \"test\" {\n  company_id = einvoice_company.test.id\n  service_invoice = { series = %q }\n}\n", series)
	}
	const a, b = "https://a.example", "https://b.example"
	return []changed{
		{what: "Customer", steps: []step{{"create", customer("a"), 1}, {"update", customer("b"), 1}, {"delete", "", 1}}},
		{what: "Product", steps: []step{{"create", product("a"), 1}, {"update", product("b"), 1}, {"delete", "", 1}}},
		{what: "Webhook", steps: []step{
			{"create", webhook(a, true), 1},
			{"update", webhook(b, true), 1},
			{"disable", webhook(b, false), 1},
			{"enable and update", webhook(a, true), 2},
			{"delete", "", 1},
		}},
		{what: "Company", steps: []step{{"create", company("a"), 2}, {"update", company("b"), 2}, {"delete", "", 2}}},
		{what: "Company settings", given: company("Padaria"), steps: []step{{"create", settings("2"), 3}, {"update", settings("3"), 3}}},
	}
}()

// writes counts what changes cost, without the refresh before them.
func (b *bench) writes(ctx context.Context) ([]result, error) {
	var results []result
	for _, c := range changes {
		more, err := b.change(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.what, err)
		}
		results = append(results, more...)
	}
	return results, nil
}

func (b *bench) change(ctx context.Context, c changed) ([]result, error) {
	s, err := serve(sandbox.Options{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	w, err := b.workspace(s, noLimits...)
	if err != nil {
		return nil, err
	}
	if c.given != "" {
		if err := w.write(c.given); err != nil {
			return nil, err
		}
		if _, err := w.apply(ctx); err != nil {
			return nil, err
		}
	}
	var results []result
	for _, step := range c.steps {
		if err := w.write(step.config); err != nil {
			return nil, err
		}
		n, said, err := counted(s, func() error {
			_, err := w.apply(ctx, "-refresh=false")
			return err
		})
		if err != nil {
			return nil, err
		}
		results = append(results, result{what: c.what + ": " + step.what, unit: "requests", target: float64(step.most), measured: float64(n), note: said})
	}
	return results, nil
}
