package fiscal_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

func TestParseAccessKey(t *testing.T) {
	t.Parallel()
	alphanumeric := fiscal.AccessKey{
		StateCode: "35", State: "SP", Year: 2026, Month: 11, FederalTaxNumber: "12ABC34501DE35",
		Model: "55", Series: 1, Number: 42, EmissionType: 1, Code: "12345678", CheckDigit: 8,
	}
	tests := map[string]struct {
		in   string
		want fiscal.AccessKey
	}{
		"an NFC-e": {"13181017921427000125650010000000309887251170", fiscal.AccessKey{
			StateCode: "13", State: "AM", Year: 2018, Month: 10, FederalTaxNumber: "17921427000125",
			Model: "65", Series: 1, Number: 30, EmissionType: 9, Code: "88725117", CheckDigit: 0,
		}},
		"an NF-e": {"33150308370779000149550010001100931002410775", fiscal.AccessKey{
			StateCode: "33", State: "RJ", Year: 2015, Month: 3, FederalTaxNumber: "08370779000149",
			Model: "55", Series: 1, Number: 110093, EmissionType: 1, Code: "00241077", CheckDigit: 5,
		}},
		"an alphanumeric issuer": {"35261112ABC34501DE35550010000000421123456788", alphanumeric},
		"an alphanumeric issuer in lower case and groups of four": {
			" 3526 1112 abc3 4501 de35 5500 1000 0000 4211 2345 6788\n", alphanumeric,
		},
	}
	for name, tt := range tests {
		got, err := fiscal.ParseAccessKey(tt.in)
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
	}
}

func TestParseAccessKey_saysWhatIsWrong(t *testing.T) {
	t.Parallel()
	const valid = "35261112ABC34501DE35550010000000421123456788"
	tests := map[string]struct{ in, want string }{
		"nothing":                               {"", "access key: it has 0 characters instead of 44"},
		"a character is missing":                {valid[:43], "43 characters instead of 44"},
		"a character too many":                  {valid + "1", "45 characters instead of 44"},
		"the key of a national NFS-e":           {strings.Repeat("3", 50), "access key: it has 50 characters, as the key of a national NFS-e has; only keys of an NF-e or NFC-e, with 44 characters, can be read"},
		"a letter among the digits":             {"3526X112ABC34501DE35550010000000421123456788", `access key: character 5 is 'X'; a digit belongs there`},
		"a letter in the issuer's check digits": {"35261112ABC34501DEX5550010000000421123456788", `character 19 is 'X'; a digit`},
		"white space does not count":            {"3526 X112 ABC3 4501 DE35 5500 1000 0000 4211 2345 6788", `character 5 is 'X'`},
		"punctuation in the issuer":             {"352611.12ABC34501DE35550010000000421123456788", `access key: character 7 is '.'; positions 7 to 18 may hold only digits and letters without accents`},
		"an accent in the issuer":               {"35261112ÁBC34501DE35550010000000421123456788", `character 9 is 'Á'`},
		"a letter at the end":                   {valid[:43] + "X", `character 44 is 'X'`},
		"a wrong check digit":                   {valid[:43] + "7", "the check digit at position 44 is 7, but the 43 characters before it require 8"},
		"a mistyped digit":                      {"35261112ABC34501DE35550010000000431123456788", "check digit at position 44"},
		"no such state":                         {"99261112ABC34501DE35550010000000421123456785", "positions 1 to 2 hold 99"},
		"no such month":                         {"35261312ABC34501DE35550010000000421123456785", "positions 5 to 6 hold 13"},
		"month zero":                            {"35260012ABC34501DE35550010000000421123456781", "positions 5 to 6 hold 00"},
		"another model":                         {"35261112ABC34501DE35570010000000421123456785", "positions 21 to 22 hold the model 57"},
		"no such emission type":                 {"35261112ABC34501DE35550010000000428123456785", "position 35 holds the emission type 8"},
	}
	for name, tt := range tests {
		got, err := fiscal.ParseAccessKey(tt.in)
		if err == nil || !strings.Contains(err.Error(), tt.want) || got != (fiscal.AccessKey{}) {
			t.Errorf("%s: %v and %v, want an error with %q", name, got, err, tt.want)
		}
	}
}
