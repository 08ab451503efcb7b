package reference_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestReferenceDataSources(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "references.json")
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
