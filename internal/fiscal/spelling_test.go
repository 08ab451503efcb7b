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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := tt.normalize(tt.in)
			if got != tt.want {
				t.Errorf("got %q for %q, want %q", got, tt.in, tt.want)
			}
			if again := tt.normalize(got); again != got {
				t.Errorf("normalizing %q again gives %q", got, again)
			}
		})
	}
}

func TestValidStateTaxNumber(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"110042490114":     true,
		"110.042.490-114":  true,
		"ISENTO":           true,
		"isento":           true,
		"ISENTA":           false,
		"P-01100424.3/002": false,
		"":                 false,
		"-":                false,
	}
	for in, want := range tests {
		if got := fiscal.ValidStateTaxNumber(in); got != want {
			t.Errorf("ValidStateTaxNumber(%q) = %t, want %t", in, got, want)
		}
	}
}
