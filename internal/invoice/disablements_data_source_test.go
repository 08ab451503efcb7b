package invoice_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func disablementsConfig(s *sandbox.Server, arguments string) string {
	return acctest.Config(s, "data \"einvoice_disablements\" \"test\" {\n"+arguments+"\n}")
}

// foundDisablements checks the first numbers of the ranges.
func foundDisablements(numbers ...int64) statecheck.StateCheck {
	var checks []knownvalue.Check
	for _, n := range numbers {
		checks = append(checks, knownvalue.ObjectPartial(map[string]knownvalue.Check{"initial_number": knownvalue.Int64Exact(n)}))
	}
	return statecheck.ExpectKnownValue("data.einvoice_disablements.test", tfjsonpath.New("disablements"), knownvalue.ListExact(checks))
}

func TestAccDisablementsDataSource_filters(t *testing.T) {
	for name, options := range map[string]sandbox.Options{
		"a service that filters":         {MaxPageSize: 1},
		"a service that ignores filters": {MaxPageSize: 1, IgnoreFilters: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := sandbox.Start(t, options)
			for i, status := range []string{"registered", "rejected", "inProcessing"} {
				s.Seed(sandbox.KindDisablements, map[string]any{
					"initialNumber": 10 * (i + 1), "finalNumber": 10*(i+1) + 5, "series": "1", "reason": "Falha na numeração", "status": status,
					"date": fmt.Sprintf("2026-11-%02dT10:00:00-03:00", 10+i), "messageCode": "102", "messageText": "ok", "protocolNumber": "135", "environment": "production",
				})
			}
			s.Seed(sandbox.KindDisablements, map[string]any{"initialNumber": 90, "_model": "consumerInvoice"})
			var steps []resource.TestStep
			for _, test := range []struct {
				arguments string
				want      []int64
			}{
				{``, []int64{10, 20, 30}},
				{`status = "rejected"`, []int64{20}},
				{`status = "error"`, nil},
				{`start_date = "2026-11-11"`, []int64{20, 30}},
				{`end_date = "2026-11-11"`, []int64{10, 20}},
				{"start_date = \"2026-11-11T10:00:00-03:00\"\nend_date = \"2026-11-11T13:00:00Z\"", []int64{20}},
				{"start_date = \"2026-11-11\"\nstatus = \"inProcessing\"", []int64{30}},
			} {
				steps = append(steps, resource.TestStep{Config: disablementsConfig(s, test.arguments), ConfigStateChecks: []statecheck.StateCheck{foundDisablements(test.want...)}})
			}
			first := tfjsonpath.New("disablements").AtSliceIndex(0)
			steps[0].ConfigStateChecks = append(steps[0].ConfigStateChecks, statecheck.ExpectKnownValue("data.einvoice_disablements.test", first, knownvalue.ObjectExact(map[string]knownvalue.Check{
				"id": knownvalue.NotNull(), "identifier": knownvalue.NotNull(), "date": knownvalue.StringExact("2026-11-10T10:00:00-03:00"),
				"initial_number": knownvalue.Int64Exact(10), "final_number": knownvalue.Int64Exact(15), "series": knownvalue.StringExact("1"),
				"reason": knownvalue.StringExact("Falha na numeração"), "protocol_number": knownvalue.StringExact("135"), "status": knownvalue.StringExact("registered"),
				"environment": knownvalue.StringExact("production"), "message_code": knownvalue.StringExact("102"), "message_text": knownvalue.StringExact("ok"),
			})))
			acctest.Run(t, steps)
		})
	}
}

func TestAccDisablementsDataSource_wrongValues(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	var steps []resource.TestStep
	for _, test := range []struct{ arguments, want string }{
		{`status = "done"`, `Invalid status(.|\n)*inProcessing,\s+registered,\s+rejected,\s+error`},
		{`start_date = "11/2026"`, `Invalid start date(.|\n)*2026-11-30`},
		{`end_date = ""`, `Invalid end date`},
	} {
		steps = append(steps, resource.TestStep{Config: disablementsConfig(s, test.arguments), PlanOnly: true, ExpectError: regexp.MustCompile(test.want)})
	}
	acctest.Run(t, steps)
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests for configurations that are wrong, want none", n)
	}
}
