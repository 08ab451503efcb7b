package e2e_test

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// The lists of companies, customers, products and webhooks are alike, and so are
// their tests.
var wholeLists = []struct {
	plural, kind string
	objects      []map[string]any
	want         []map[string]knownvalue.Check
}{
	{
		"companies", sandbox.KindCompanies,
		[]map[string]any{
			{"name": "Filial", "legalName": "L", "federalTaxNumber": "45997418000153", "taxRegime": "simplesNacional", "economicActivities": []any{map[string]any{"code": "1", "type": "main"}}},
			{"name": "Outra", "federalTaxNumber": "11444777000161"},
		},
		[]map[string]knownvalue.Check{
			{"name": knownvalue.NotNull()}, // The main company.
			{
				"name": knownvalue.StringExact("Filial"), "legal_name": knownvalue.StringExact("L"), "federal_tax_number": knownvalue.StringExact("45997418000153"),
				"tax_regime": knownvalue.StringExact("simplesNacional"), "economic_activities": knownvalue.ListSizeExact(1), "api_key_masked": knownvalue.StringRegexp(regexp.MustCompile(`\*`)),
			},
			{"name": knownvalue.StringExact("Outra"), "email": knownvalue.Null()},
		},
	},
	{
		"customers", sandbox.KindCustomers,
		[]map[string]any{
			{"name": "Ana", "federalTaxNumber": "52998224725", "email": "", "address": map[string]any{"street": "Rua A", "city": map[string]any{"code": "3550308", "name": "São Paulo", "state": "sp"}}},
			{"name": "Bia"},
			{"name": "Caio"},
		},
		[]map[string]knownvalue.Check{
			{
				"name": knownvalue.StringExact("Ana"), "federal_tax_number": knownvalue.StringExact("52998224725"), "email": knownvalue.Null(),
				"address": knownvalue.ObjectPartial(map[string]knownvalue.Check{"street": knownvalue.StringExact("Rua A")}),
			},
			{"name": knownvalue.StringExact("Bia"), "address": knownvalue.Null()},
			{"name": knownvalue.StringExact("Caio")},
		},
	},
	{
		"products", sandbox.KindProducts,
		[]map[string]any{{"name": "Pão", "code": "P1", "price": 1.99, "invoiceModel": "productInvoice"}, {"name": "Bolo", "code": "P2"}},
		[]map[string]knownvalue.Check{
			{"name": knownvalue.StringExact("Pão"), "code": knownvalue.StringExact("P1"), "price": knownvalue.Float64Exact(1.99), "invoice_model": knownvalue.StringExact("productInvoice")},
			{"name": knownvalue.StringExact("Bolo"), "price": knownvalue.Null()},
		},
	},
	{
		"webhooks", sandbox.KindWebhooks,
		[]map[string]any{
			{"event": "invoice.authorized", "url": "https://erp.example/a?token=1", "enabled": true}, {"event": "invoice.rejected", "url": "https://erp.example/b", "enabled": false},
		},
		[]map[string]knownvalue.Check{
			{"event": knownvalue.StringExact("invoice.authorized"), "url": knownvalue.StringExact("https://erp.example/a?token=1"), "enabled": knownvalue.Bool(true)},
			{"event": knownvalue.StringExact("invoice.rejected"), "enabled": knownvalue.Bool(false)},
		},
	},
}

func TestAccLists_readAllPages(t *testing.T) {
	for _, list := range wholeLists {
		t.Run(list.plural, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{MaxPageSize: 1})
			var ids []string
			for _, object := range list.objects {
				ids = append(ids, s.Seed(list.kind, object))
			}
			var want []knownvalue.Check
			for i, fields := range list.want {
				fields = maps.Clone(fields)
				fields["id"] = knownvalue.NotNull()
				if own := i - (len(list.want) - len(ids)); own >= 0 {
					fields["id"] = knownvalue.StringExact(ids[own])
				}
				want = append(want, knownvalue.ObjectPartial(fields))
			}
			address := "data.einvoice_" + list.plural + ".test"
			resource.ParallelTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps: []resource.TestStep{{
					Config:            acctest.Config(s, fmt.Sprintf("data %q \"test\" {}", "einvoice_"+list.plural)),
					ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New(list.plural), knownvalue.ListExact(want))},
				}},
			})
			if n := fixture.CountWrites(s); n != 0 {
				t.Errorf("%d writes, want none", n)
			}
		})
	}
}

func TestAccLists_emptyOnesAreEmptyAndFailedOnesFail(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 1})
	for range 2 {
		s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.authorized", "url": "https://erp.example/a?token=plantedsecret", "enabled": true})
	}
	var body strings.Builder
	var checks []statecheck.StateCheck
	for _, plural := range []string{"customers", "products"} {
		fmt.Fprintf(&body, "data %q \"test\" {}\n", "einvoice_"+plural)
		checks = append(checks, statecheck.ExpectKnownValue("data.einvoice_"+plural+".test", tfjsonpath.New(plural), knownvalue.ListSizeExact(0)))
	}
	steps := []resource.TestStep{{Config: acctest.Config(s, body.String()), ConfigStateChecks: checks}}
	for _, plural := range []string{"companies", "customers", "products", "webhooks"} {
		steps = append(steps, resource.TestStep{
			PreConfig: func() {
				s.Inject(sandbox.Fault{
					Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/" + plural, Status: 403, Message: "no access to https://erp.example/a?token=plantedsecret", Times: 2,
				})
			},
			Config:   acctest.Config(s, fmt.Sprintf("data %q \"test\" {}", "einvoice_"+plural)),
			PlanOnly: true, ExpectError: regexp.MustCompile(`Cannot read ` + plural + `(.|\n)*no access`),
		})
	}
	// A failing second page is an error, not the end of the list.
	steps = append(steps, resource.TestStep{
		PreConfig: func() {
			s.ClearFaults()
			s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/webhooks", Status: 403, Message: "no page", Skip: 1})
		},
		Config: acctest.Config(s, `data "einvoice_webhooks" "test" {}`), PlanOnly: true, ExpectError: regexp.MustCompile(`Cannot read webhooks(.|\n)*no page`),
	})
	resource.ParallelTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories(), Steps: steps})
}

func TestAccWebhooksDataSource_showsNoSecretOfAURLInAnError(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewWorkspace(t, acctest.Config(s, `data "einvoice_webhooks" "test" {}`), "")
	s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/webhooks", Status: 403, Message: "no access to https://erp.example/a?token=plantedsecret"})
	if output, ok := w.Run("plan"); ok || strings.Contains(output, "plantedsecret") || !strings.Contains(output, "no access to") {
		t.Errorf("the plan ends with:\n%s", output)
	}
}
