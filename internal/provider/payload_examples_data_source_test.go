package provider

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestAccPayloadExamplesDataSource_readsTheExamplesOfACity(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := func(code string) string {
		return configFor(s, fmt.Sprintf("data \"einvoice_payload_examples\" \"test\" {\n city_code = %q\n}", code))
	}
	at := func(path tfjsonpath.Path, value knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.einvoice_payload_examples.test", path, value)
	}
	list := tfjsonpath.New("examples")
	first := list.AtSliceIndex(0)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: testFactories(),
		Steps: []resource.TestStep{
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
			{Config: configFor(s, "")},
		},
	})
}

func TestCompactJSON(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"white space between values goes", "{ \"a\" :\n 10.00 }", `{"a":10.00}`},
		{"white space in texts stays", `{"a":"x  y"}`, `{"a":"x  y"}`},
		{"what is no JSON stays", `{"a":`, `{"a":`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := compactJSON([]byte(test.text)); got != test.want {
				t.Errorf("compactJSON(%s) = %s, want %s", test.text, got, test.want)
			}
		})
	}
}
