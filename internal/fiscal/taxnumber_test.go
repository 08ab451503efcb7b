package fiscal_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
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

// now is when the payloads of these tests are checked.
const now = "2026-11-22T10:30:00-03:00"

// What no rule finds anything in.
const (
	cleanNFe = `{"operationNature":"Venda","operationType":"outgoing","destination":"interstate","purposeType":"normal","isFinalCustomer":false,
		"effectiveDate":"2026-11-22T10:29:00-03:00",
		"receiver":{"name":"Padaria Central Ltda","federalTaxNumber":"12.ABC.345/01DE-35","stateTaxNumber":"110.042.490.114","email":"fiscal@example.com","phoneNumber":"(11) 98765-4321",
			"address":{"street":"Avenida Paulista","number":"1000","district":"Bela Vista","postalCode":"01310-100","city":{"code":3550308,"state":"sp"}}},
		"items":[
			{"code":"PAO-001","description":"Pão francês","gtinCode":"7891000315507","ncm":"19059090","cfop":6102,"unit":"UN","quantity":10,"unitAmount":1.99,"totalAmount":19.90,
				"unitTax":"UN","quantityTax":10,"unitTaxAmount":1.99,"makeupTotal":true,"discountAmount":0.90,
				"taxes":{"icms":{"origin":"0","cst":"00","baseTax":19.00,"rate":12,"amount":2.28},"pis":{"cst":"07"},"cofins":{"cst":"07"},"ibsCbs":{"cst":"000"}}}],
		"payments":[{"method":"pix","amount":19.00}],
		"total":{"productAmount":19.90,"discountAmount":0.90,"invoiceAmount":19.00}}`
	cleanNFCe = `{"isFinalCustomer":true,"destination":"internal","presenceType":"presence",
		"items":[
			{"code":"CAFE-001","description":"Café","gtinCode":"SEM GTIN","ncm":"09012100","cfop":5102,"unit":"KG","quantity":0.5,"unitAmount":60,"totalAmount":30.00,
				"unitTax":"KG","quantityTax":0.5,"unitTaxAmount":60,"makeupTotal":true,"taxes":{"icms":{"origin":"0","csosn":"102"}}}],
		"payments":[{"method":"01","amount":10},{"method":"creditCard","amount":20,"card":{"isIntegratedPayment":false}}]}`
	cleanNFSe = `{"description":"Consultoria","federalServiceCode":"17.01","nationalTaxationCode":"170101","nbsCode":"115022000","taxationType":"taxationInMunicipality",
		"location":{"code":3550308},"receiver":{"name":"Padaria Central Ltda","federalTaxNumber":"529.982.247-25"},"total":{"invoiceAmount":1500.00,"issRate":2}}`
)

// retained is the ICMS of fuel that was collected before.
const retained = `"singleStageRetAdRemRate":1.12,"singleStageRetAmount":11.20`

// cleanReturn is a return of goods.
var cleanReturn = strings.NewReplacer(`"purposeType":"normal"`, `"purposeType":"devolution"`, `6102`, `6202`,
	`[{"method":"pix","amount":19.00}]`, `[{"method":"90","amount":0}]`).Replace(cleanNFe)

func decoded(t *testing.T, text string) any {
	t.Helper()
	value, err := jsontree.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

func check(t *testing.T, model, text string) []fiscal.Finding {
	t.Helper()
	return fiscal.CheckPayload(model, decoded(t, text), now, "")
}

// What a rule foresees stands in the table of law, with its source, for the models of the rule.
func TestPayloadRules_foreseeWhatTheLawHas(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, rule := range fiscal.PayloadRules() {
		if seen[rule.Code] || rule.Sources() == "" || !strings.HasSuffix(rule.About, ".") || rule.Severity != fiscal.SeverityError && rule.Severity != fiscal.SeverityWarning {
			t.Errorf("the rule %q is not whole, or there twice", rule.Code)
		}
		seen[rule.Code] = true
		if len(rule.Laws) == 0 && rule.Source == "" {
			t.Errorf("%s has neither a law nor a source", rule.Code)
		}
		for _, code := range rule.Laws {
			if law, ok := fiscal.LawOf(code); !ok || law.Source == "" || !law.HoldsOn(now[:10]) {
				t.Errorf("%s foresees %s, of which the law says %+v", rule.Code, code, law)
			}
		}
	}
}

func TestCheckPayload_judgesTheRegimeWhereItIsKnown(t *testing.T) {
	t.Parallel()
	bare := strings.Replace(cleanNFe, `,"ibsCbs":{"cst":"000"}`, ``, 1)
	fuel := strings.Replace(cleanNFe, `"cst":"00","baseTax":19.00,"rate":12,"amount":2.28`, `"cst":"61",`+retained, 1)
	unmarked := strings.Replace(cleanNFCe, `"SEM GTIN"`, `""`, 1)
	for name, tt := range map[string]struct{ model, payload, regime, want string }{
		"a CST of nobody known":                       {"productInvoice", cleanNFe, "", ""},
		"a CST of the normal regime":                  {"productInvoice", cleanNFe, fiscal.RegimeNormal, ""},
		"a CST above the limit":                       {"productInvoice", cleanNFe, fiscal.RegimeExcess, ""},
		"a CST of the Simples Nacional":               {"productInvoice", cleanNFe, fiscal.RegimeSimples, "icms_code items[0].taxes.icms.cst"},
		"fuel of the Simples Nacional":                {"productInvoice", fuel, fiscal.RegimeSimples, ""},
		"a CSOSN of the Simples Nacional":             {"consumerInvoice", cleanNFCe, fiscal.RegimeSimples, ""},
		"a CSOSN of the normal regime":                {"consumerInvoice", cleanNFCe, fiscal.RegimeNormal, "icms_code items[0].taxes.icms.csosn"},
		"a CSOSN above the limit":                     {"consumerInvoice", cleanNFCe, fiscal.RegimeExcess, "icms_code items[0].taxes.icms.csosn"},
		"a CSOSN of a regime with another word":       {"consumerInvoice", cleanNFCe, "lucroPresumido", ""},
		"no IBS and CBS, of nobody known":             {"productInvoice", bare, "", "ibs_cbs_missing items[0]"},
		"no IBS and CBS, of the normal regime":        {"productInvoice", bare, fiscal.RegimeNormal, "ibs_cbs_missing items[0]"},
		"no IBS and CBS, above the limit":             {"productInvoice", bare, fiscal.RegimeExcess, ""},
		"an empty GTIN of what may be an MEI":         {"consumerInvoice", unmarked, "", ""},
		"an empty GTIN of an MEI":                     {"consumerInvoice", unmarked, fiscal.RegimeMEI, ""},
		"an empty GTIN of another one in the Simples": {"consumerInvoice", unmarked, fiscal.RegimeSimples, "gtin items[0].gtinCode"},
	} {
		var found []string
		for _, f := range fiscal.CheckPayload(tt.model, decoded(t, tt.payload), now, tt.regime) {
			found = append(found, f.Code+" "+f.Path)
		}
		expect.Is(t, strings.Join(found, ", "), tt.want, "%s", name)
	}
}

func TestCheckPayload_ofWhatIsNoObject(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`[]`, `"x"`, `1`, `null`, `true`} {
		if found := check(t, "serviceInvoice", text); len(found) != 1 || found[0].Code != "not_an_object" || found[0].Severity != fiscal.SeverityError {
			t.Errorf("%s: %+v", text, found)
		}
	}
}

func TestCheckPayload_namesTheNearestMember(t *testing.T) {
	t.Parallel()
	for written, meant := range map[string]string{
		"receivar": "receiver", "Receiver": "receiver", "effective_date": "effectiveDate", "itens": "items", "paymets": "payments", "totals": "total",
	} {
		found := check(t, "consumerInvoice", strings.Replace(cleanNFCe, `"isFinal`, `"`+written+`":null,"`+written+`":{},"isFinal`, 1))
		if len(found) != 1 || found[0].Code != "unknown_member" || !strings.Contains(found[0].Message.In(t.Context()), "Did you mean `"+meant+"`?") {
			t.Errorf("%s: %+v, want %q", written, found, meant)
		}
	}
	if found := check(t, "serviceInvoice", strings.Replace(cleanNFSe, `"total"`, `"xyz":1,"total"`, 1)); len(found) != 1 || strings.Contains(found[0].Message.In(t.Context()), "Did you mean") {
		t.Errorf("%+v", found)
	}
	// What goods, their items and totals hold is not known whole: only a slip is worth a word.
	if found := check(t, "productInvoice", strings.Replace(cleanNFe, `"total"`, `"export":{},"total"`, 1)); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	for _, name := range []string{"ipiAmount", "fcpAmount", "icmsDesonAmount"} {
		if found := check(t, "productInvoice", strings.Replace(cleanNFe, `"invoiceAmount"`, `"`+name+`":0,"invoiceAmount"`, 1)); len(found) != 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestCheckPayload_judgesADateOnlyWhereItIsToldTheTime(t *testing.T) {
	t.Parallel()
	value := decoded(t, strings.Replace(cleanNFe, "2026-11-22T10:29", "2026-10-01T10:29", 1))
	if found := fiscal.CheckPayload("productInvoice", value, "", ""); len(found) != 0 {
		t.Errorf("without a time: %+v", found)
	}
	for at, past := range map[string]bool{"2026-10-31T23:59:00-03:00": false, "2026-11-01T02:59:00Z": false, "2026-11-01T03:00:00Z": true, "2026-11-01": true, "yesterday": false} {
		found := fiscal.CheckPayload("productInvoice", value, at, "")
		if slices.ContainsFunc(found, func(f fiscal.Finding) bool { return f.Code == "past_date" }) != past {
			t.Errorf("at %s: %+v", at, found)
		}
	}
}

func TestCheckPayload_mixesOfRegimes(t *testing.T) {
	t.Parallel()
	item := cleanNFCe[strings.Index(cleanNFCe, `{"code"`):strings.Index(cleanNFCe, "],\n\t\t\"payments")]
	for second, want := range map[string]int{`"cst":"00","baseTax":30,"rate":18,"amount":5.4`: 1, `"cst":"61",` + retained: 0, `"csosn":"500"`: 0} {
		mixed := strings.Replace(cleanNFCe, "],\n\t\t\"payments", ","+strings.NewReplacer(`"csosn":"102"`, second, "5102", "5656").Replace(item)+"],\n\t\t\"payments", 1)
		mixed = strings.Replace(mixed, `"amount":20`, `"amount":50`, 1)
		found := check(t, "consumerInvoice", mixed)
		if len(found) != want || want == 1 && (found[0].Code != "icms_code" || found[0].Path != "items[1].taxes.icms") {
			t.Errorf("%s: %+v", second, found)
		}
	}
}

// What the law exempts, or leaves to what a payload does not show, is no finding.
func TestCheckPayload_isSilentWhereThePayloadDecidesNothing(t *testing.T) {
	t.Parallel()
	const paid, reform = `{"method":"pix","amount":19.00}`, `,"ibsCbs":{"cst":"000"}`
	for name, tt := range map[string]struct {
		clean   string
		replace []string
	}{
		"a purchase from somebody without one": {cleanNFe, []string{
			`"operationType":"outgoing"`, `"operationType":"incoming"`, `6102`, `2102`, `"stateTaxNumber":"110.042.490.114",`, ``,
		}},
		"a return of goods from before 2026": {cleanReturn, []string{
			reform, ``, `"makeupTotal"`, `"sourceDocument":{"accessKey":"33150308370779000149550010001100931002410775","itemNumber":1},"makeupTotal"`,
		}},
		"IBS and CBS in the total, from 2027": {cleanNFe, []string{
			`2026-11-22T10:29`, `2027-01-02T10:29`, `"invoiceAmount":19.00`, `"invoiceAmount":23.75`, paid, `{"method":"pix","amount":23.75}`,
		}},
		"fractions of IBS and CBS, and their rounding": {cleanNFe, []string{`"ibsCbs":{`, `"ibsCbs":{"baseTax":1000.4,"cbsRate":0.009,"cbsAmount":9.01,`}},
		"CBS that is deferred":                         {cleanNFe, []string{`"ibsCbs":{`, `"ibsCbs":{"baseTax":1000,"cbsRate":0.9,"cbsAmount":0,"cbsDeferral":9,`}},
		"the rates of 2027":                            {cleanNFe, []string{`2026-11-22T10:29`, `2027-01-02T10:29`, `"ibsCbs":{`, `"ibsCbs":{"ibsCityRate":0.05,`}},
		"a total that the service may calculate": {cleanNFe, []string{
			`"total":{`, `"total":{"icmsBaseTax":19.00,"icmsAmount":2.28,`, `"cst":"00","baseTax":19.00,"rate":12,"amount":2.28`, `"cst":"90"`,
		}},
		"no state registration of Bahia is judged":       {cleanNFe, []string{`{"code":3550308,"state":"sp"}`, `{"code":2927408,"state":"ba"}`}},
		"a service without an ISS, not listed by LC 116": {cleanNFSe, []string{`"17.01"`, `"99.01"`, `170101`, `990101`}},
	} {
		text := strings.NewReplacer(tt.replace...).Replace(tt.clean)
		at := now
		if strings.Contains(text, "2027-01-02") {
			at = "2027-01-02T10:30:00-03:00"
		}
		model := "productInvoice"
		if tt.clean == cleanNFSe {
			model = "serviceInvoice"
		}
		if found := fiscal.CheckPayload(model, decoded(t, text), at, ""); len(found) != 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestCheckPayload_asksForIBSAndCBSFromTheDayOn(t *testing.T) {
	t.Parallel()
	bare := strings.Replace(cleanNFe, `,"ibsCbs":{"cst":"000"}`, ``, 1)
	for day, want := range map[string]int{"2026-08-02": 0, "2026-08-03": 1} {
		if found := fiscal.CheckPayload("productInvoice", decoded(t, strings.Replace(bare, "2026-11-22", day, 1)), "", ""); len(found) != want {
			t.Errorf("%s: %+v", day, found)
		}
	}
}

func TestSendablePayload_changesTheSpellingAlone(t *testing.T) {
	t.Parallel()
	for written, want := range rows.Read[map[string]string](t, "sendable_payload_changes_the_spelling_alone.json") {
		expect.Is(t, string(fiscal.SendablePayload(json.RawMessage(written))), want, "%s\nbecomes \nwant", written)
		if !fiscal.SamePayload(written, want) {
			t.Errorf("%s is another payload than %s", written, want)
		}
	}
	// What is not the punctuation of a number in a party stays.
	for _, kept := range []string{
		`{"receiver":{"federalTaxNumber":"AB-1234","name":"A. B.","address":{"postalCode":"K1A 0B1","street":"Rua 1.000"}},"description":"11.222.333/0001-81"}`,
		`{"receiver":{"address":{"city":{"code":"0123456"}}}}`, `{"items":[{"ncm":"1905.90.90"}],"total":1.50}`, `[1]`, `no JSON`, ``, `{"receiver":null}`,
	} {
		expect.Is(t, string(fiscal.SendablePayload(json.RawMessage(kept))), kept, "becomes")
	}
	if fiscal.SamePayload(`{"receiver":{"federalTaxNumber":"11222333000181"}}`, `{"receiver":{"federalTaxNumber":"11222333000182"}}`) || fiscal.SamePayload(`x`, `x`) {
		t.Error("two payloads are taken for one")
	}
}

func TestPayload_turnsACustomerIntoAReceiver(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ object, want string }{
		"a customer": {
			`{"receiver":{"id":"7c9e6679","name":"Café","legal_name":"Café Ltda","federal_tax_number":"12.ABC.345/01DE-35","state_tax_number":"110.042.490.114","city_tax_number":null,
				"email":"a@example.com","phone":"","mobile_phone":"(11) 98765-4321","extra_json":"{}",
				"address":{"street":"Avenida Paulista","number":"1000","district":"Bela Vista","postal_code":"01310-100","additional_information":null,
					"city":{"code":"3550308","name":"São Paulo","state":"sp"},"country":{"code":1058,"name":"Brasil"},"city_name":"São Paulo"}},
				"description":"Café & pão <b>","total":{"invoiceAmount":17.90}}`,
			`{"description":"Café \u0026 pão \u003cb\u003e","receiver":{"address":{"city":{"code":3550308,"name":"São Paulo","state":"sp"},"country":"BRA","district":"Bela Vista","number":"1000",` +
				`"postalCode":"01310100","street":"Avenida Paulista"},"email":"a@example.com","federalTaxNumber":"12ABC34501DE35","name":"Café Ltda","phoneNumber":"11987654321","stateTaxNumber":"110042490114"},` +
				`"total":{"invoiceAmount":17.90}}`,
		},
		"a customer without a legal name, abroad": {
			`{"receiver":{"name":"Pastel","legal_name":null,"federal_tax_number":"PT-501","address":{"city":null,"city_name":"Lisboa","country":{"code":6076,"name":"Portugal"}}}}`,
			`{"receiver":{"address":{"city":{"name":"Lisboa"},"country":"Portugal"},"federalTaxNumber":"PT-501","name":"Pastel"}}`,
		},
		"the address of a customer alone": {
			`{"receiver":{"name":"A","address":{"postal_code":"01310-100","country":{"code":null,"name":null}}}}`,
			`{"receiver":{"address":{"postalCode":"01310100"},"name":"A"}}`,
		},
		"the service's own names": {
			`{"receiver":{"id":"1","name":"A","federalTaxNumber":"11.222.333/0001-81","federal_tax_number":"1"},"items":[{"code":"1","ncm":null},null],"x":null}`,
			`{"items":[{"code":"1"}],"receiver":{"federalTaxNumber":"11222333000181","name":"A"}}`,
		},
	} {
		got, err := fiscal.Payload(decoded(t, test.object).(map[string]any))
		if err != nil || got != test.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, test.want)
		}
	}
}

func FuzzPayload(f *testing.F) {
	for _, payload := range []string{cleanNFe, cleanNFCe, cleanNFSe, `{"total":{"invoiceAmount":1e999999999}}`, `{"receiver":[],"items":[[]],"payments":{}}`, `{"receiver":{"address":{"city":{"code":"3550308"}}},"receiver":1}`} {
		f.Add("productInvoice", payload)
	}
	f.Fuzz(func(t *testing.T, model, payload string) {
		sent := fiscal.SendablePayload(json.RawMessage(payload))
		if again := fiscal.SendablePayload(sent); string(again) != string(sent) {
			t.Errorf("%q becomes %q and then %q", payload, sent, again)
		}
		value, err := jsontree.Decode([]byte(payload))
		if err != nil {
			return
		}
		if !json.Valid(sent) {
			t.Errorf("%q becomes %q, which is no JSON", payload, sent)
		}
		found := fiscal.CheckPayload(model, value, now, "")
		for i, again := range fiscal.CheckPayload(model, value, now, "") {
			expect.Same(t, found[i], again, "%q and then", payload)
		}
		object, ok := value.(map[string]any)
		if !ok {
			return
		}
		text, err := fiscal.Payload(object)
		if err != nil {
			return
		}
		rewritten, err := jsontree.Decode([]byte(text))
		if err != nil {
			t.Fatalf("%q is written as %q", payload, text)
		}
		if again, err := fiscal.Payload(rewritten.(map[string]any)); err != nil || again != text {
			t.Errorf("%q is written as %q and then %q (%v)", payload, text, again, err)
		}
	})
}

// Payloads in the words of integrations that run against the service: names, codes and types are theirs.
func TestCheckPayload_findsNothingInWhatIntegrationsSend(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/real_contract.json")
	if err != nil {
		t.Fatal(err)
	}
	var payloads []struct {
		Name, Model, Regime string
		Payload             json.RawMessage
	}
	if err := json.Unmarshal(raw, &payloads); err != nil || len(payloads) < 20 {
		t.Fatalf("%v, %d payloads", err, len(payloads))
	}
	for _, p := range payloads {
		if found := fiscal.CheckPayload(p.Model, decoded(t, string(p.Payload)), now, p.Regime); len(found) != 0 {
			t.Errorf("%s: %+v", p.Name, found)
		}
	}
}

func TestCheckPayload_namesTheRightNameOfWhatIsCalledOtherwise(t *testing.T) {
	t.Parallel()
	for _, tt := range [][4]string{
		{cleanNFe, `"pis":{`, `"ipi":{"cst":"50","frameworkCode":"999","amount":0},"pis":{`, "items[0].taxes.ipi.frameworkCode classificationCode"},
		{cleanNFe, `"ibsCbs":{`, `"ibsCbs":{"cClassTrib":"000001",`, "items[0].taxes.ibsCbs.cClassTrib classification"},
		{cleanNFe, `"makeupTotal"`, `"referencedDocument":{},"makeupTotal"`, "items[0].referencedDocument sourceDocument"},
		{cleanNFe, `"receiver":{`, `"receiver":{"municipalTaxNumber":"1",`, "receiver.municipalTaxNumber cityTaxNumber"},
		{cleanNFe, `"total":{`, `"total":{"taxesAmount":0,`, "total.taxesAmount totalTax"},
		{cleanNFe, `"total":{`, `"total":{"iiAmount":0,`, "total.iiAmount importTaxAmount"},
		{cleanNFSe, `"total":{`, `"ibsCbs":{"cClassTrib":"000001"},"total":{`, "ibsCbs.cClassTrib classification"},
		{cleanNFSe, `"total":{`, `"totals":{"issRat":1,`, "total.issRat issRate"},
	} {
		model := map[bool]string{true: "serviceInvoice", false: "productInvoice"}[tt[0] == cleanNFSe]
		path, right, _ := strings.Cut(tt[3], " ")
		found := check(t, model, strings.Replace(tt[0], tt[1], tt[2], 1))
		if len(found) != 1 || found[0].Path != path || !strings.Contains(found[0].Message.In(t.Context()), "`"+right+"`") {
			t.Errorf("%s: %+v, want %s", path, found, right)
		}
	}
}
