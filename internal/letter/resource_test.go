package letter_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// A correction letter has no case for an update in place, for import, for
// vanishing and for drift: the service shows no list of them.
func TestCorrectionLetter(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "letters.json")
}

func TestCorrectionLetter_refusesWrongValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	testkit.WantRefusals(t, "einvoice_correction_letter", map[string]any{"invoice_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7", "letter": fixture.TestLetter}, []testkit.Refusal{
		{Name: "14 characters", At: "letter", Value: strings.Repeat("ç", 14), Want: "Invalid letter.*has 14 characters.*15 to 1000"},
		{Name: "1001 characters", At: "letter", Value: strings.Repeat("a", 1001), Want: "Invalid letter.*has 1001 characters"},
		{Name: "no letter", At: "letter", Want: "Missing Configuration for Required Attribute"},
		{Name: "an empty invoice", At: "invoice_id", Value: "", Want: "Empty invoice id"},
	})
}
