package main

import (
	"context"
	"fmt"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// changed is an object that is created, changed and destroyed, one step after the other.
type changed struct {
	what  string
	given string // applied before the steps
	steps []step
}

type step struct {
	what   string
	config string // "" destroys
	most   float64
}

// changes are one request each, with these exceptions. An object is read for the parts that its PUT would erase. A
// company is read after its creation and before its deletion. A webhook has requests of their own for enabling and
// disabling. Settings are read, written and verified.
func changes() []changed {
	named := func(kind, format string, args ...any) string {
		return fmt.Sprintf("resource \"einvoice_%s\" \"test\" {\n%s\n}\n", kind, fmt.Sprintf(format, args...))
	}
	customer := func(name string) string { return named("customer", "name = %q", name) }
	product := func(name string) string { return named("product", "name = %q\ncode = \"P-1\"", name) }
	webhook := func(url string, enabled bool) string {
		return named("webhook", "event = \"invoice.authorized\"\nurl = %q\nenabled = %t", url, enabled)
	}
	company := func(name string) string {
		return named("company", `name = %q
legal_name = "Padaria Ltda"
federal_tax_number = "11222333000181"
deletion_protection = false
address = { city = { code = "3550308" } }`, name)
	}
	settings := func(series string) string {
		return company("Padaria") + named("company_settings",
			"company_id = einvoice_company.test.id\nservice_invoice = { series = %q }", series)
	}
	const a, b = "https://a.example", "https://b.example"
	return []changed{
		{
			what:  "Customer",
			steps: []step{{"create", customer("a"), 1}, {"update", customer("b"), 2}, {"delete", "", 1}},
		},
		{what: "Product", steps: []step{{"create", product("a"), 1}, {"update", product("b"), 2}, {"delete", "", 1}}},
		{what: "Webhook", steps: []step{
			{"create", webhook(a, true), 1},
			{"update", webhook(b, true), 2},
			{"disable", webhook(b, false), 1},
			{"enable and update", webhook(a, true), 3},
			{"delete", "", 1},
		}},
		{what: "Company", steps: []step{{"create", company("a"), 3}, {"update", company("b"), 2}, {"delete", "", 2}}},
		{
			what: "Company settings", given: company("Padaria"),
			steps: []step{{"create", settings("2"), 3}, {"update", settings("3"), 3}},
		},
	}
}

// writes counts what changes cost, without the refresh before them.
func (b *bench) writes(ctx context.Context) ([]result, error) {
	var results []result
	for _, c := range changes() {
		more, err := b.unlimited(sandbox.Options{}, c.given, func(w *workspace) ([]result, error) {
			if _, err := w.run(ctx, apply); err != nil {
				return nil, err
			}
			var results []result
			for _, step := range c.steps {
				if err := w.write(step.config); err != nil {
					return nil, err
				}
				n, said, err := w.count(ctx, apply, "-refresh=false")
				if err != nil {
					return nil, err
				}
				results = append(results, result{
					what: c.what + ": " + step.what, unit: "requests", target: step.most, measured: n, note: said,
				})
			}
			return results, nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.what, err)
		}
		results = append(results, more...)
	}
	return results, nil
}
