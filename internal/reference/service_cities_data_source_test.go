package reference_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestServiceCitiesDataSource_filters(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]sandbox.Options{
		"a service that filters":         {MaxPageSize: 20},
		"a service that ignores filters": {MaxPageSize: 20, IgnoreFilters: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
	if !strings.Contains(failed, "list_cities") {
		t.Errorf("it fails with %q", failed)
	}
}
