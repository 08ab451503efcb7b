package e2e_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// The examples show what the functions return; this is what they refuse.
func TestAccFunctions_nameTheCharacterThatIsWrong(t *testing.T) {
	t.Parallel()
	w := testkit.NewAttached(t, testkit.ExampleVersions+`
output "key" {
  value = provider::einvoice::access_key_parse("3526X112ABC34501DE35550010000000421123456788")
}
output "number" {
  value = provider::einvoice::tax_number_normalize("12.ABC.345/01DE-3X")
}
output "check_digit" {
  value = provider::einvoice::tax_number_normalize("12.ABC.345/01DE-36")
}
output "no_part" {
  value = provider::einvoice::integration_id("", "")
}
`)
	output, ok := w.Run("plan", "-input=false")
	if n := strings.Count(output, "Invalid function argument"); ok || n != 4 {
		t.Errorf("it succeeded: %t, with %d errors, want 4", ok, n)
	}
	text := strings.Join(strings.Fields(testkit.Unwrapped(output)), " ")
	for _, want := range []string{
		"character 5 is 'X'; a digit belongs there", "character 18 is 'X'; a CNPJ ends in two digits", "12ABC34501DE calls for 35", "give at least one part that names the document",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want an error with %q:\n%s", want, output)
		}
	}
}
