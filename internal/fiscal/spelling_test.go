package fiscal_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

func TestNormalize(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		normalize func(string) string
		in, want  string
	}{
		"a state tax number loses its punctuation":         {fiscal.NormalizeStateTaxNumber, " 110.042.490.114 ", "110042490114"},
		"a state tax number with a slash":                  {fiscal.NormalizeStateTaxNumber, "062.307904/0081", "0623079040081"},
		"exempt in lower case is put in capitals":          {fiscal.NormalizeStateTaxNumber, " isento ", "ISENTO"},
		"another word stays":                               {fiscal.NormalizeStateTaxNumber, "Isenta", "Isenta"},
		"a state tax number with a letter stays":           {fiscal.NormalizeStateTaxNumber, "P-01100424.3/002", "P-01100424.3/002"},
		"a postal code loses its hyphen":                   {fiscal.NormalizePostalCode, "01310-100", "01310100"},
		"a postal code loses its dot":                      {fiscal.NormalizePostalCode, "01.310-100", "01310100"},
		"an en dash is a hyphen, too":                      {fiscal.NormalizePostalCode, "01310–100", "01310100"},
		"a foreign postal code with letters stays":         {fiscal.NormalizePostalCode, "SW1A 1AA", "SW1A 1AA"},
		"a postal code without digits stays":               {fiscal.NormalizePostalCode, " - ", " - "},
		"an empty postal code stays":                       {fiscal.NormalizePostalCode, "", ""},
		"a phone loses its punctuation":                    {fiscal.NormalizePhone, "(11) 91234-5678", "11912345678"},
		"a phone keeps a leading plus sign":                {fiscal.NormalizePhone, " +55 11 91234.5678", "+5511912345678"},
		"the digits of a phone have no plus sign":          {fiscal.PhoneDigits, " +55 11 91234.5678", "5511912345678"},
		"the digits of a phone with letters are its text":  {fiscal.PhoneDigits, "+55 11 ramal 12", "+55 11 ramal 12"},
		"a phone with a plus sign elsewhere stays":         {fiscal.NormalizePhone, "11 1234+5678", "11 1234+5678"},
		"a phone with letters stays with its plus sign":    {fiscal.NormalizePhone, "+55 11 ramal 12", "+55 11 ramal 12"},
		"a phone without digits stays with its plus sign":  {fiscal.NormalizePhone, "+()", "+()"},
		"a phone with an extension sign stays":             {fiscal.NormalizePhone, "1132345678#12", "1132345678#12"},
		"a state is put in lower case":                     {fiscal.NormalizeState, " SP ", "sp"},
		"a place loses case, accents and surplus spaces":   {fiscal.FoldPlace, "  SÃO  José\tdos Campos ", "sao jose dos campos"},
		"a place with a cedilla":                           {fiscal.FoldPlace, "Iguaçu", "iguacu"},
		"a place with a combining accent":                  {fiscal.FoldPlace, "Sa\u0303o Paulo", "sao paulo"},
		"a place keeps its hyphen and apostrophe":          {fiscal.FoldPlace, "Santa Bárbara D'Oeste-x", "santa barbara d'oeste-x"},
		"a place with a space that does not break a line":  {fiscal.FoldPlace, "Belo\u00a0Horizonte", "belo horizonte"},
		"digits of another script are no postal code here": {fiscal.NormalizePostalCode, "٠١٣١٠", "٠١٣١٠"},
	}
	for name, tt := range tests {
		got := tt.normalize(tt.in)
		if again := tt.normalize(got); got != tt.want || again != got {
			t.Errorf("%s: %q becomes %q and then %q, want %q", name, tt.in, got, again, tt.want)
		}
	}
}

func TestValidStateTaxNumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"110042490114": true, "110.042.490-114": true, "ISENTO": true, "isento": true,
		"ISENTA": false, "P-01100424.3/002": false, "": false, "-": false,
	} {
		if got := fiscal.ValidStateTaxNumber(in); got != want {
			t.Errorf("ValidStateTaxNumber(%q) = %t, want %t", in, got, want)
		}
	}
}

// The numbers are examples of the states, of SINTEGRA and of public libraries.
func TestStateTaxNumberFits(t *testing.T) {
	t.Parallel()
	for state, number := range map[string]string{
		"AC": "0100482300112", "DF": "0730000100109", "MG": "0623079040081", "MT": "00130000019", "PE": "032141840", "PR": "1234567850",
		"RJ": "99999993", "RN": "200400401", "RS": "2243658792", "SP": "110042490114",
	} {
		last := number[len(number)-1]
		slip := number[:len(number)-1] + string('0'+(last-'0'+1)%10)
		if !fiscal.StateTaxNumberFits(state, number) || fiscal.StateTaxNumberFits(state, slip) || fiscal.StateTaxNumberFits(state, number+"000000") {
			t.Errorf("%s: %s does not fit, or %s or a longer one does", state, number, slip)
		}
	}
	for number, want := range map[string]bool{"130000019": true, "0": false, "ISENTO": true, "": true} {
		if got := fiscal.StateTaxNumberFits("MT", number); got != want {
			t.Errorf("%q: %t, want %t", number, got, want)
		}
	}
	for _, state := range []string{"AP", "BA", "GO", "RO", "RR", "TO", "EX", ""} {
		if !fiscal.StateTaxNumberFits(state, "12345678") {
			t.Errorf("%s is judged", state)
		}
	}
}
