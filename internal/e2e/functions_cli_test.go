package e2e_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
)

// The examples show what the functions return; this is what they refuse.
func TestAccFunctions_nameTheCharacterThatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ call, want string }{
		"in an access key":          {`access_key_parse("3526X112ABC34501DE35550010000000421123456788")`, "character 5 is 'X'; a digit belongs there"},
		"in a tax number":           {`tax_number_normalize("12.ABC.345/01DE-3X")`, "character 18 is 'X'; a CNPJ ends in two digits"},
		"in a check digit":          {`tax_number_normalize("12.ABC.345/01DE-36")`, "12ABC34501DE calls for 35"},
		"in a key without any part": {`integration_id("", "")`, "give at least one part that names the document"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewWorkspace(t, acctest.ExampleVersions+"\noutput \"result\" {\n  value = provider::einvoice::"+tt.call+"\n}\n", "")
			output, ok := w.Run("plan", "-input=false")
			if text := strings.Join(strings.Fields(acctest.Unwrapped(output)), " "); ok || !strings.Contains(text, tt.want) || !strings.Contains(text, "Invalid function argument") {
				t.Errorf("want an error with %q:\n%s", tt.want, output)
			}
		})
	}
}
