package reference_test

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

func TestAccPayloadExamplesDataSource_readsTheExamplesOfACity(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := func(code string) string {
		return acctest.Config(s, fmt.Sprintf("data \"einvoice_payload_examples\" \"test\" {\n city_code = %q\n}", code))
	}
	at := func(path tfjsonpath.Path, value knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.einvoice_payload_examples.test", path, value)
	}
	list := tfjsonpath.New("examples")
	first := list.AtSliceIndex(0)
	acctest.Run(t, []resource.TestStep{
		{
			Config: config("3550308"),
			ConfigStateChecks: []statecheck.StateCheck{
				at(list, knownvalue.ListSizeExact(1)),
				at(first.AtMapKey("provider"), knownvalue.StringExact("paulistana")),
				at(first.AtMapKey("source_issued_on"), knownvalue.NotNull()),
				at(first.AtMapKey("body_json"), knownvalue.StringRegexp(regexp.MustCompile(`^\{.*"invoiceAmount":150\.00`))),
			},
		},
		{
			Config: config("4106902"), // It uses the national environment for some regimes.
			ConfigStateChecks: []statecheck.StateCheck{
				at(list, knownvalue.ListSizeExact(2)),
				at(list.AtSliceIndex(1).AtMapKey("provider"), knownvalue.StringExact("national")),
			},
		},
		{Config: config("3509502"), ConfigStateChecks: []statecheck.StateCheck{at(list, knownvalue.ListSizeExact(0))}},
		{Config: config("3500105"), PlanOnly: true, ExpectError: regexp.MustCompile(`City not found(.|\n)*3500105`)},
		{Config: config("355030"), PlanOnly: true, ExpectError: regexp.MustCompile(`Invalid city code`)},
		{Config: acctest.Config(s, "")},
	})
}
