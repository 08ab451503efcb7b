package reference_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func citiesConfig(s *sandbox.Server, arguments string) string {
	return acctest.Config(s, "data \"einvoice_service_cities\" \"test\" {\n"+arguments+"\n}")
}

func foundCities(path tfjsonpath.Path, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("data.einvoice_service_cities.test", path, value)
}

func TestAccServiceCitiesDataSource_filters(t *testing.T) {
	for name, options := range map[string]sandbox.Options{
		"a service that filters":         {MaxPageSize: 20},
		"a service that ignores filters": {MaxPageSize: 20, IgnoreFilters: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := sandbox.Start(t, options)
			list := tfjsonpath.New("cities")
			first := list.AtSliceIndex(0)
			acctest.Run(t, []resource.TestStep{
				{Config: citiesConfig(s, ""), ConfigStateChecks: []statecheck.StateCheck{foundCities(list, knownvalue.ListSizeExact(45))}},
				{
					Config: citiesConfig(s, `code = "4106902"`),
					ConfigStateChecks: []statecheck.StateCheck{
						foundCities(list, knownvalue.ListSizeExact(1)),
						foundCities(first, knownvalue.ObjectExact(map[string]knownvalue.Check{
							"code": knownvalue.StringExact("4106902"), "name": knownvalue.StringExact("Curitiba"), "state": knownvalue.StringExact("PR"),
							"provider_name":                    knownvalue.StringExact("issCuritiba"),
							"provider_options_json":            knownvalue.StringRegexp(regexp.MustCompile(`^\{.*"authentication":"certificate".*\}$`)),
							"national_service_invoice_regimes": knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("mei"), knownvalue.StringExact("simplesNacional")}),
						})),
					},
				},
				{
					Config: citiesConfig(s, `state = "Sp"`),
					ConfigStateChecks: []statecheck.StateCheck{
						foundCities(list, knownvalue.ListSizeExact(11)), foundCities(first.AtMapKey("national_service_invoice_regimes"), knownvalue.Null()),
					},
				},
				{Config: citiesConfig(s, "state = \"sp\"\nlimit = 2"), ConfigStateChecks: []statecheck.StateCheck{foundCities(list, knownvalue.ListSizeExact(2))}},
				{Config: citiesConfig(s, "code = \"3550308\"\nstate = \"PR\""), ConfigStateChecks: []statecheck.StateCheck{foundCities(list, knownvalue.ListSizeExact(0))}},
				{Config: citiesConfig(s, `code = "3500105"`), ConfigStateChecks: []statecheck.StateCheck{foundCities(list, knownvalue.ListSizeExact(0))}},
			})
		})
	}
}

func TestAccServiceCitiesDataSource_warnsWhereItCuts(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 5})
	w := acctest.NewWorkspace(t, citiesConfig(s, `limit = 2`), "")
	if output := w.MustRun("plan"); strings.Count(output, "Warning: List of cities cut at the limit") != 1 {
		t.Errorf("the plan does not warn once that the list is cut:\n%s", output)
	}
	if n := len(s.Requests()); n != 1 {
		t.Errorf("%d pages were read, want 1", n)
	}
}

func TestAccServiceCitiesDataSource_wrongValues(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	var steps []resource.TestStep
	for _, test := range []struct{ arguments, want string }{
		{`code = "355030"`, `Invalid city code`},
		{`code = ""`, `Empty code`},
		{`state = "São Paulo"`, `Invalid state(.|\n)*two-letter`},
		{`state = ""`, `Invalid state`},
		{`limit = 0`, `Invalid limit`},
	} {
		steps = append(steps, resource.TestStep{Config: citiesConfig(s, test.arguments), PlanOnly: true, ExpectError: regexp.MustCompile(test.want)})
	}
	acctest.Run(t, steps)
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests for configurations that are wrong, want none", n)
	}
}
