package fiscal_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestTaxNumber_kindAndNormalizedForm(t *testing.T) {
	t.Parallel()
	tests := rows.Read[map[string]struct {
		In, Normalized string
		Kind           fiscal.Kind
	}](t, "tax_number_kind_and_normalized_form.json")
	for name, tt := range tests {
		kind, got := fiscal.TaxNumberKind(tt.In), fiscal.NormalizeTaxNumber(tt.In)
		if again := fiscal.NormalizeTaxNumber(got); kind != tt.Kind || got != tt.Normalized || again != got {
			t.Errorf("%s: %q is %s %q, and then %q, want %s %q", name, tt.In, kind, got, again, tt.Kind, tt.Normalized)
		}
	}
}

func TestCheckTaxNumber(t *testing.T) {
	t.Parallel()
	tests := rows.Read[map[string]struct {
		In   string
		Want string // a part of the error; empty for none
	}](t, "check_tax_number.json")
	for name, tt := range tests {
		err := fiscal.CheckTaxNumber(tt.In)
		if (err == nil) != (tt.Want == "") || err != nil && !strings.Contains(err.Error(), tt.Want) {
			t.Errorf("%s: CheckTaxNumber(%q) = %v, want %q", name, tt.In, err, tt.Want)
		}
	}
}

func TestWithLeadingZeros(t *testing.T) {
	t.Parallel()
	for in, want := range rows.Read[map[string]string](t, "with_leading_zeros.json") {
		expect.Is(t, fiscal.WithLeadingZeros(in), want, "WithLeadingZeros(%q)", in)
	}
}

func TestParseTaxNumber(t *testing.T) {
	t.Parallel()
	tests := rows.Read[map[string]struct{ In, Want, Wrong string }](t, "parse_tax_number.json")
	for name, tt := range tests {
		got, err := fiscal.ParseTaxNumber(tt.In)
		if got != tt.Want || (err == nil) != (tt.Wrong == "") || err != nil && !strings.Contains(err.Error(), tt.Wrong) {
			t.Errorf("%s: ParseTaxNumber(%q) = %q, %v, want %q, %q", name, tt.In, got, err, tt.Want, tt.Wrong)
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
		expect.Is(t, fiscal.FormatTaxNumber(in), want, "FormatTaxNumber(%q)", in)
	}
}

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
		expect.Is(t, fiscal.ValidStateTaxNumber(in), want, "ValidStateTaxNumber(%q)", in)
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
		expect.Is(t, fiscal.StateTaxNumberFits("MT", number), want, "%q", number)
	}
	for _, state := range []string{"AP", "BA", "GO", "RO", "RR", "TO", "EX", ""} {
		if !fiscal.StateTaxNumberFits(state, "12345678") {
			t.Errorf("%s is judged", state)
		}
	}
}

func TestIsState(t *testing.T) {
	t.Parallel()
	states := strings.Fields("AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO")
	for _, s := range append(states, "sp", " Rj ", "an", " EX ") {
		if !fiscal.IsState(s) {
			t.Errorf("%q is no state", s)
		}
	}
	for _, s := range []string{"", "XX", "São Paulo", "35"} {
		if fiscal.IsState(s) {
			t.Errorf("%q is a state", s)
		}
	}
}

func TestCheckCityCode(t *testing.T) {
	t.Parallel()
	// The capital of each state, in the order of their codes.
	capitals := strings.Fields("1100205 1200401 1302603 1400100 1501402 1600303 1721000 2111300 2211001 2304400 2408102 2507507 2611606 2704302 " +
		"2800308 2927408 3106200 3205309 3304557 3550308 4106902 4205407 4314902 5002704 5103403 5208707 5300108")
	for _, code := range append(capitals, "3599999", "9999999") {
		if err := fiscal.CheckCityCode(code); err != nil {
			t.Error(err)
		}
	}
	for code, want := range map[string]string{
		"355030": "7 digits", "35503080": "7 digits", "355030A": "7 digits", "": "7 digits", "9950308": "begins with 99", "3450308": "begins with 34",
	} {
		if err := fiscal.CheckCityCode(code); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("CheckCityCode(%q) = %v, want an error with %q", code, err, want)
		}
	}
}

func TestHoursWest(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]int{
		"12260111222333000181550010000000011000000014": 5, "13": 4, "1302603": 4, "35": 3, "53": 3, "99": 3, "1": 3, "": 3,
	} {
		expect.Is(t, fiscal.HoursWest(key), want, "HoursWest(%q)", key)
	}
}

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
		"the key of a national NFS-e":           {strings.Repeat("3", 50), "access key: it has 50 characters, as the key of a national NFS-e has; only the 44 of an NF-e or NFC-e can be taken apart"},
		"a letter among the digits":             {"3526X112ABC34501DE35550010000000421123456788", `access key: character 5 is 'X'; a digit belongs there`},
		"a letter in the issuer's check digits": {"35261112ABC34501DEX5550010000000421123456788", `character 19 is 'X'; a digit`},
		"white space does not count":            {"3526 X112 ABC3 4501 DE35 5500 1000 0000 4211 2345 6788", `character 5 is 'X'`},
		"punctuation in the issuer":             {"352611.12ABC34501DE35550010000000421123456788", `access key: character 7 is '.'; positions 7 to 18 hold digits and letters without accents`},
		"an accent in the issuer":               {"35261112ÁBC34501DE35550010000000421123456788", `character 9 is 'Á'`},
		"a letter at the end":                   {valid[:43] + "X", `character 44 is 'X'`},
		"a wrong check digit":                   {valid[:43] + "7", "the check digit at position 44 is 7, but the 43 characters before it call for 8"},
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
