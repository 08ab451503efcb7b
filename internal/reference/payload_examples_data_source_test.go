package reference_test

import (
	"regexp"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestPayloadExamplesDataSource_readsTheExamplesOfACity(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	for _, test := range []struct {
		name, city string
		providers  []string // one for each example
		fails      string
	}{
		{name: "a city with a system of its own", city: "3550308", providers: []string{"paulistana"}},
		{name: "one that uses the national environment for some regimes", city: "4106902", providers: []string{"issCuritiba", "national"}},
		{name: "one without examples", city: "3509502"},
		{name: "one that the service does not know", city: "3500105", fails: `City not found.*3500105`},
		{name: "a code of 6 digits", city: "355030", fails: `Invalid city code`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			state, failed := p.ReadData("einvoice_payload_examples", map[string]any{"city_code": test.city})
			if (test.fails == "") != (failed == "") || !regexp.MustCompile("(?s)"+test.fails).MatchString(failed) {
				t.Errorf("the error is %q, want %q", failed, test.fails)
			}
			examples, _ := state["examples"].([]any)
			if len(examples) != len(test.providers) {
				t.Fatalf("%d examples, want %d", len(examples), len(test.providers))
			}
			for i, provider := range test.providers {
				example, _ := examples[i].(map[string]any)
				body, _ := example["body_json"].(string)
				if example["provider"] != provider || example["source_issued_on"] == nil || !regexp.MustCompile(`^\{.*"invoiceAmount":150\.00`).MatchString(body) {
					t.Errorf("example %d is %v, want one of %s", i, example, provider)
				}
			}
		})
	}
}
