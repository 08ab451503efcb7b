package invoice_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const invoicesAddress = "data.einvoice_invoices.test"

func invoicesConfig(s *sandbox.Server, arguments string) string {
	return acctest.Config(s, "data \"einvoice_invoices\" \"test\" {\n"+arguments+"\n}")
}

// seedInvoices makes five service invoices, a to e.
func seedInvoices(s *sandbox.Server) {
	for i, status := range []string{"authorized", "rejected", "authorized", "canceled", "someNewStatus"} {
		s.Seed("serviceInvoices", map[string]any{
			"integrationId": string(rune('a' + i)), "status": status, "amount": 100 + i, "number": i,
			"effectiveDate": fmt.Sprintf("2026-11-%02dT10:00:00-03:00", 10+i),
			"order":         map[string]any{"id": "o", "transactionId": fmt.Sprintf("sale-%d", i%2)},
			"receiver":      map[string]any{"name": "Ana", "federalTaxNumber": []string{"11222333000181", "52998224725"}[i%2]},
		})
	}
}

// found checks the integration ids of the invoices.
func foundInvoices(ids string) statecheck.StateCheck {
	var checks []knownvalue.Check
	for _, id := range ids {
		checks = append(checks, knownvalue.ObjectPartial(map[string]knownvalue.Check{"integration_id": knownvalue.StringExact(string(id))}))
	}
	return statecheck.ExpectKnownValue(invoicesAddress, tfjsonpath.New("invoices"), knownvalue.ListExact(checks))
}

// A service that ignores its filters shows that they are applied here; TestInvoiceWish_matches
// has each of them by itself.
func TestAccInvoicesDataSource_filters(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 2, IgnoreFilters: true})
	seedInvoices(s)
	var steps []resource.TestStep
	for _, test := range []struct{ arguments, want string }{
		{``, "abcde"},
		{`integration_id = "nobody"`, ""},
		{"effective_date_start = \"2026-11-11\"\neffective_date_end = \"2026-11-13\"", "bcd"},
		{"statuses = [\"authorized\"]\ntransaction_id = \"sale-0\"\nreceiver_federal_tax_number = \"11222333000181\"\neffective_date_start = \"2026-11-11\"", "c"},
		{"limit = 3", "abc"},
		{"limit = 1\nstatuses = [\"canceled\"]", "d"},
	} {
		steps = append(steps, resource.TestStep{
			Config:            invoicesConfig(s, "model = \"serviceInvoice\"\n"+test.arguments),
			ConfigStateChecks: []statecheck.StateCheck{foundInvoices(test.want)},
		})
	}
	acctest.Run(t, steps)
}

func TestAccInvoicesDataSource_readsNoFurtherThanTheLimit(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 2})
	seedInvoices(s)
	w := acctest.NewAttached(t, invoicesConfig(s, "model = \"serviceInvoice\"\nlimit = 1"))
	output := w.MustRun("plan", "-input=false")
	if n := strings.Count(output, "Warning: List of invoices cut at the limit"); n != 1 {
		t.Errorf("the plan warns %d times that the list is cut, want once:\n%s", n, output)
	}
	if n := s.Count("GET", "/v1/service-invoices"); n != 1 {
		t.Errorf("%d pages were read, want 1", n)
	}
	w.Write(invoicesConfig(s, "model = \"serviceInvoice\"\nlimit = 5"))
	if output := w.MustRun("plan", "-input=false"); strings.Contains(output, "cut at the limit") {
		t.Errorf("the plan warns although nothing is left out:\n%s", output)
	}
}

func TestAccInvoicesDataSource_asksTheServiceToFilter(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	seedInvoices(s)
	acctest.Run(t, []resource.TestStep{{
		Config: invoicesConfig(s, `
  model                       = "serviceInvoice"
  integration_id              = "c"
  transaction_id              = "sale-0"
  effective_date_start        = "2026-11-01"
  effective_date_end          = "2026-11-30"
  receiver_federal_tax_number = "11.222.333/0001-81"`),
		ConfigStateChecks: []statecheck.StateCheck{foundInvoices("c")},
		ConfigPlanChecks:  resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
	}})
	sent, _ := s.Last("GET", "/v1/service-invoices")
	for name, want := range map[string]string{
		"integrationId": "c", "transactionId": "sale-0", "receiverFederalTaxNumber": "11222333000181",
		"effectiveDateStart": "2026-11-01T00:00:00-03:00", "effectiveDateEnd": "2026-11-30T23:59:59.999-03:00",
	} {
		if got := sent.Query.Get(name); got != want {
			t.Errorf("%s was sent as %q, want %q", name, got, want)
		}
	}
}

func TestAccInvoicesDataSource_readsTheWholeShape(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed("productInvoices", map[string]any{
		"integrationId": "a", "number": 0, "environmentType": 0, "govPurchase": map[string]any{"type": "union", "rate": 1.5},
		"authorizedPersons": []any{"52998224725"}, "contingency": map[string]any{"date": "2026-11-10", "reason": "SEFAZ"},
		"receiver": map[string]any{"name": "Ana", "suframaTaxNumber": "9", "address": map[string]any{
			"street": "Rua A", "country": "BRA", "city": map[string]any{"code": 3550308, "name": "São Paulo", "state": "sp"},
		}},
		"pickup": map[string]any{"name": "Doca", "address": nil}, "somethingNew": map[string]any{"x": 1.50},
	})
	at := func(path tfjsonpath.Path, value knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(invoicesAddress, path, value)
	}
	one := tfjsonpath.New("invoices").AtSliceIndex(0)
	acctest.Run(t, []resource.TestStep{{
		Config:            invoicesConfig(s, `model = "productInvoice"`),
		ConfigStateChecks: []statecheck.StateCheck{at(one.AtMapKey("id"), knownvalue.NotNull()), at(one.AtMapKey("raw_json"), knownvalue.Null())},
	}, {
		Config: invoicesConfig(s, "model = \"productInvoice\"\nraw = true"),
		ConfigStateChecks: []statecheck.StateCheck{
			at(one.AtMapKey("model"), knownvalue.StringExact("productInvoice")),
			at(one.AtMapKey("number"), knownvalue.Null()),
			at(one.AtMapKey("environment_type"), knownvalue.Null()),
			at(one.AtMapKey("is_from_api"), knownvalue.Bool(true)),
			at(one.AtMapKey("gov_purchase").AtMapKey("rate"), knownvalue.Float64Exact(1.5)),
			at(one.AtMapKey("authorized_persons").AtSliceIndex(0), knownvalue.StringExact("52998224725")),
			at(one.AtMapKey("contingency").AtMapKey("reason"), knownvalue.StringExact("SEFAZ")),
			at(one.AtMapKey("receiver").AtMapKey("address").AtMapKey("city").AtMapKey("code"), knownvalue.StringExact("3550308")),
			at(one.AtMapKey("receiver").AtMapKey("address").AtMapKey("country"), knownvalue.StringExact("BRA")),
			at(one.AtMapKey("pickup").AtMapKey("address"), knownvalue.Null()),
			at(one.AtMapKey("delivery"), knownvalue.Null()),
			at(one.AtMapKey("company").AtMapKey("federal_tax_number"), knownvalue.NotNull()),
			at(one.AtMapKey("raw_json"), knownvalue.StringFunc(func(text string) error {
				var raw struct {
					SomethingNew json.RawMessage `json:"somethingNew"`
					Result       any             `json:"result"`
				}
				if err := json.Unmarshal([]byte(text), &raw); err != nil {
					return err
				}
				if !strings.Contains(string(raw.SomethingNew), "1.5") || raw.Result != nil {
					return fmt.Errorf("raw_json is %s", text)
				}
				return nil
			})),
		},
	}})
}

func TestAccInvoicesDataSource_validatesWhilePlanning(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	var steps []resource.TestStep
	for _, test := range []struct{ arguments, want string }{
		{`model = "nfse"`, `Invalid model(.|\n)*"nfse"(.|\n)*serviceInvoice`},
		{"model = \"serviceInvoice\"\nstatuses = [\"done\"]", `"done"(.|\n)*authorized`},
		{"model = \"serviceInvoice\"\nlimit = 0", `Invalid limit(.|\n)*is 0`},
		{"model = \"serviceInvoice\"\neffective_date_end = \"30/11/2026\"", `Invalid effective date end(.|\n)*"30/11/2026"(.|\n)*"2026-11-30"`},
		{"model = \"serviceInvoice\"\nintegration_id = \"" + strings.Repeat("a", 37) + "\"", `1\s+to\s+36`},
	} {
		steps = append(steps, resource.TestStep{Config: invoicesConfig(s, test.arguments), PlanOnly: true, ExpectError: regexp.MustCompile(test.want)})
	}
	acctest.Run(t, steps)
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were sent for configurations that are wrong", n)
	}
}

func TestAccInvoicesDataSource_failsOnAFailedPage(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 2})
	seedInvoices(s)
	s.Inject(sandbox.Fault{Method: "GET", Path: "/v1/service-invoices", Kind: sandbox.FaultStatus, Status: 403, Skip: 1, Message: "no access"})
	acctest.Run(t, []resource.TestStep{{
		Config: invoicesConfig(s, `model = "serviceInvoice"`), PlanOnly: true, ExpectError: regexp.MustCompile(`Cannot read invoices(.|\n)*no access`),
	}})
}
