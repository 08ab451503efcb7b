package reference_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestServiceCitiesDataSource_filters(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]sandbox.Options{
		"a service that filters":         {MaxPageSize: 20},
		"a service that ignores filters": {MaxPageSize: 20, IgnoreFilters: true},
	} {
		rows.Case(t, name, func(t *testing.T) {
			p := testkit.Serve(t, sandbox.Start(t, options), nil)
			cities := func(want int, arguments map[string]any) []any {
				t.Helper()
				state, failed := p.ReadData("einvoice_service_cities", arguments)
				found, _ := state["cities"].([]any)
				if failed != "" || len(found) != want {
					t.Fatalf("%d cities with %v, want %d: %s", len(found), arguments, want, failed)
				}
				return found
			}
			cities(45, nil)
			curitiba, _ := cities(1, map[string]any{"code": "4106902"})[0].(map[string]any)
			options, _ := curitiba["provider_options_json"].(string)
			if !strings.HasPrefix(options, "{") || !strings.Contains(options, `"authentication":"certificate"`) {
				t.Errorf("the options of the provider are %s", options)
			}
			want := map[string]any{
				"code": "4106902", "name": "Curitiba", "state": "PR", "provider_name": "issCuritiba", "provider_options_json": options,
				"national_service_invoice_regimes": []any{"mei", "simplesNacional"},
			}
			expect.Same(t, want, curitiba, "the city")
			if first, _ := cities(11, map[string]any{"state": "Sp"})[0].(map[string]any); first["national_service_invoice_regimes"] != nil {
				t.Errorf("the regimes are %v, want null", first["national_service_invoice_regimes"])
			}
			cities(11, map[string]any{"state": "sp", "limit": 11})
			cities(0, map[string]any{"code": "3550308", "state": "PR"})
			cities(0, map[string]any{"code": "3500105"})
		})
	}
}

func TestServiceCitiesDataSource_readsNoMoreThanItsLimit(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 5})
	state, failed := testkit.Serve(t, s, nil).ReadData("einvoice_service_cities", map[string]any{"limit": 2})
	if cities, _ := state["cities"].([]any); len(cities) != 2 || failed != "" {
		t.Errorf("a limit of 2 reads %v: %s", cities, failed)
	}
	fixture.WantRequests(t, s, "", "", 1)
}

func TestServiceCitiesDataSource_wrongValues(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	testkit.WantDataReads(t, s, "einvoice_service_cities", []testkit.DataRead{
		{Name: "an empty code", Arguments: map[string]any{"code": ""}, Error: `Empty code`},
		{Name: "a state by its name", Arguments: map[string]any{"state": "São Paulo"}, Error: `Invalid state.*two-letter`},
		{Name: "a limit of nothing", Arguments: map[string]any{"limit": 0}, Error: `at least 1, got: 0`},
	})
	fixture.WantRequests(t, s, "", "", 0)
}

func TestServiceCitiesDataSource_namesTheMissingOperation(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{OnlySpecified: true})
	_, failed := testkit.Serve(t, s, nil).ReadData("einvoice_service_cities", map[string]any{"limit": 2})
	expect.Contains(t, failed, "list_cities")
}

func TestPayloadExamplesDataSource_readsTheExamplesOfACity(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	for _, test := range rows.Read[[]struct {
		Name, City string
		Providers  []string // one for each example
		Fails      string
	}](t, "payload_examples_data_source_reads_the_examples_of_a_city.json") {
		rows.Case(t, test.Name, func(t *testing.T) {
			state, failed := p.ReadData("einvoice_payload_examples", map[string]any{"city_code": test.City})
			if (test.Fails == "") != (failed == "") || !regexp.MustCompile("(?s)"+test.Fails).MatchString(failed) {
				t.Errorf("the error is %q, want %q", failed, test.Fails)
			}
			examples, _ := state["examples"].([]any)
			if len(examples) != len(test.Providers) {
				t.Fatalf("%d examples, want %d", len(examples), len(test.Providers))
			}
			for i, provider := range test.Providers {
				example, _ := examples[i].(map[string]any)
				body, _ := example["body_json"].(string)
				if example["provider"] != provider || example["source_issued_on"] == nil || !regexp.MustCompile(`^\{.*"invoiceAmount":150\.00`).MatchString(body) {
					t.Errorf("example %d is %v, want one of %s", i, example, provider)
				}
			}
		})
	}
}

// TestPayloadExamples_haveNoFindings checks what the service shows of each city.
func TestPayloadExamples_haveNoFindings(t *testing.T) {
	t.Parallel()
	client := fixture.OwnerClient(t, sandbox.Start(t, sandbox.Options{}))
	seen := 0
	for city, err := range client.ServiceCities(t.Context(), "", "") {
		expect.NoError(t, err)
		examples, err := client.PayloadExamples(t.Context(), string(city.Code))
		expect.NoError(t, err)
		for _, example := range examples {
			seen++
			payload, err := jsontree.Decode(example.Body)
			expect.NoError(t, err)
			for _, finding := range fiscal.CheckPayload("serviceInvoice", payload, "2026-11-22", "") {
				t.Errorf("%s: %s %s: %s", city.Code, finding.Code, finding.Path, finding.Message.In(t.Context()))
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d examples, want one for each capital", seen)
	}
}
