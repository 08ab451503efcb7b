package fiscal_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

func TestTaxNumber_kindAndNormalizedForm(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in, normalized string
		kind           fiscal.Kind
	}{
		"a CPF in digits":                                         {"52998224725", "52998224725", fiscal.KindCPF},
		"a CPF with punctuation":                                  {"529.982.247-25", "52998224725", fiscal.KindCPF},
		"a CPF with wrong check digits is still a CPF":            {"529.982.247-00", "52998224700", fiscal.KindCPF},
		"a CNPJ in digits":                                        {"45997418000153", "45997418000153", fiscal.KindCNPJ},
		"a CNPJ with punctuation and white space":                 {" 11.222.333/0001-81\u00a0", "11222333000181", fiscal.KindCNPJ},
		"an alphanumeric CNPJ":                                    {"12.ABC.345/01DE-35", "12ABC34501DE35", fiscal.KindCNPJ},
		"an alphanumeric CNPJ in lower case":                      {"12abc34501de35", "12ABC34501DE35", fiscal.KindCNPJ},
		"14 characters that end in a letter are foreign":          {"12ABC34501DE3X", "12ABC34501DE3X", fiscal.KindForeign},
		"14 characters with a letter before the last are foreign": {"12ABC34501DEX5", "12ABC34501DEX5", fiscal.KindForeign},
		"a foreign document keeps its punctuation and case":       {"  US-12.345/678a ", "US-12.345/678a", fiscal.KindForeign},
		"letters make 11 characters foreign":                      {"5299822472A", "5299822472A", fiscal.KindForeign},
		"other punctuation makes it foreign":                      {"529*982*247-25", "529*982*247-25", fiscal.KindForeign},
		"twelve digits are foreign":                               {"529982247255", "529982247255", fiscal.KindForeign},
		"digits of another script are foreign":                    {"٥٢٩٩٨٢٢٤٧٢٥", "٥٢٩٩٨٢٢٤٧٢٥", fiscal.KindForeign},
		"nothing is foreign":                                      {"", "", fiscal.KindForeign},
	}
	for name, tt := range tests {
		kind, got := fiscal.TaxNumberKind(tt.in), fiscal.NormalizeTaxNumber(tt.in)
		if again := fiscal.NormalizeTaxNumber(got); kind != tt.kind || got != tt.normalized || again != got {
			t.Errorf("%s: %q is %s %q, and then %q, want %s %q", name, tt.in, kind, got, again, tt.kind, tt.normalized)
		}
	}
}

func TestCheckTaxNumber(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   string
		want string // a part of the error; empty for none
	}{
		"a valid CPF":                                   {"529.982.247-25", ""},
		"another valid CPF":                             {"11144477735", ""},
		"the official alphanumeric CNPJ":                {"12.ABC.345/01DE-35", ""},
		"the same in lower case":                        {"12abc34501de35", ""},
		"a valid CNPJ":                                  {"45997418000153", ""},
		"a CNPJ with both digits different":             {"11222333000181", ""},
		"a CNPJ whose branch is 1":                      {"11444777000161", ""},
		"a CNPJ with the check digits 84":               {"42318949000184", ""},
		"a CNPJ with the check digits 32":               {"44038188000132", ""},
		"a foreign document has none":                   {"US-123", ""},
		"a CPF with a wrong last digit":                 {"529.982.247-24", "CPF 52998224724 has the check digits 24, which should be 25"},
		"a CPF with a wrong first check digit":          {"52998224735", "which should be 25"},
		"a CNPJ with wrong check digits":                {"45.997.418/0001-00", "CNPJ 45997418000100 has the check digits 00, which should be 53"},
		"an alphanumeric CNPJ with wrong check digits":  {"12ABC34501DE36", "check digits 36, which should be 35"},
		"a CPF of one digit repeated passes the sum":    {"111.111.111-11", "one digit repeated"},
		"a CNPJ of zeros passes the sum":                {"00000000000000", "one digit repeated"},
		"a CNPJ of one digit repeated fails either way": {"11111111111111", "one digit repeated"},
	}
	for name, tt := range tests {
		err := fiscal.CheckTaxNumber(tt.in)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: CheckTaxNumber(%q) = %v, want %q", name, tt.in, err, tt.want)
		}
	}
}

func TestWithLeadingZeros(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"1222333000128": "01222333000128", "1.222.333/0001-28": "01222333000128", // One zero is gone, of a CNPJ.
		"191000100": "", "360305000104": "00360305000104", // Two are.
		"12345000165": "00012345000165",                                                        // Three are, so that it has the length of a CPF.
		"1234567890":  "01234567890", "191": "", "12345678909": "", "123456797": "00123456797", // CPFs.
		"1222333000129": "", "9222333000105": "", "11222333000181": "", "52998224725": "", "": "", "US-123": "", "000000000": "",
	} {
		if got := fiscal.WithLeadingZeros(in); got != want {
			t.Errorf("WithLeadingZeros(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestParseTaxNumber(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want, wrong string }{
		"a CPF with punctuation":                          {"529.982.247-25", "52998224725", ""},
		"the official alphanumeric CNPJ in lower case":    {" 12.abc.345/01de-35\u00a0", "12ABC34501DE35", ""},
		"the position of a character, as it is written":   {"52é.982.247-25", "", "tax number: character 3 is 'é'; digits, the letters of a CNPJ (without accents) and the punctuation (. - /) belong in a CPF or CNPJ"},
		"white space counts in a position":                {" 5299822472*", "", "character 12 is '*'"},
		"a letter in a CPF":                               {"a2998224725", "", "character 1 is 'A'; a CPF has digits only"},
		"a letter before the last character of a CNPJ":    {"12.ABC.345/01DE-X5", "", "character 17 is 'X'; a CNPJ ends in two digits"},
		"a CNPJ whose last character is missing":          {"12.ABC.345/01DE-3", "", "it has 13 digits and letters; a CPF has 11 and a CNPJ 14"},
		"a CNPJ without its leading zero":                 {"1222333000128", "", "it has 13 digits; with the leading zeros that spreadsheets drop it is 01.222.333/0001-28"},
		"wrong check digits":                              {"12ABC34501DE53", "", "tax number: CNPJ 12ABC34501DE53 has the check digits 53, which should be 35"},
		"one digit repeated":                              {"11111111111", "", "one digit repeated"},
		"digits of another script, which look the part":   {"٥٢٩٩٨٢٢٤٧٢٥", "", "character 1 is '٥'"},
		"a letter with an accent, in two code points":     {"12A\u0301BC34501DE35", "", "character 4 is"},
		"text that is no UTF-8, without losing its place": {"12\xff", "", "character 3 is"},
	}
	for name, tt := range tests {
		got, err := fiscal.ParseTaxNumber(tt.in)
		if got != tt.want || (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("%s: ParseTaxNumber(%q) = %q, %v, want %q, %q", name, tt.in, got, err, tt.want, tt.wrong)
		}
	}
}

func TestFormatTaxNumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"52998224725": "529.982.247-25", "529982247-25": "529.982.247-25",
		"11222333000181": "11.222.333/0001-81", "12abc34501de35": "12.ABC.345/01DE-35",
		" US-123 ": "US-123", "": "",
	} {
		if got := fiscal.FormatTaxNumber(in); got != want {
			t.Errorf("FormatTaxNumber(%q) = %q, want %q", in, got, want)
		}
	}
}
