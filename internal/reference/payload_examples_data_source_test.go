package reference_test

import (
	"regexp"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestPayloadExamplesDataSource_readsTheExamplesOfACity(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	for _, test := range rows.Read[[]struct {
		Name, City string
		Providers  []string // one for each example
		Fails      string
	}](t, "payload_examples_data_source_reads_the_examples_of_a_city.json") {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
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
