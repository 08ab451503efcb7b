package fiscal_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// What is normalized is normalized once, and what is checked has a part of an error or none. The codes of cities are those
// of the capitals, in the order of the states' codes.
func TestNumbers_areReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	plain := func(f func(string) string) func(string) (string, error) {
		return func(s string) (string, error) { return f(s), nil }
	}
	is := func(f func(string) bool) func(string) (string, error) {
		return func(s string) (string, error) { return strconv.FormatBool(f(s)), nil }
	}
	do := map[string]func(string) (string, error){
		"kind of a tax number":     func(s string) (string, error) { return string(fiscal.TaxNumberKind(s)), nil },
		"check a tax number":       func(s string) (string, error) { return "", fiscal.CheckTaxNumber(s) },
		"check the code of a city": func(s string) (string, error) { return "", fiscal.CheckCityCode(s) },
		"hours west":               func(s string) (string, error) { return strconv.Itoa(fiscal.HoursWest(s)), nil },
		"parse a tax number":       fiscal.ParseTaxNumber,
		"with leading zeros":       plain(fiscal.WithLeadingZeros), "format a tax number": plain(fiscal.FormatTaxNumber),
		"is a state tax number": is(fiscal.ValidStateTaxNumber), "is a state": is(fiscal.IsState),
		"normalize a tax number": plain(fiscal.NormalizeTaxNumber), "normalize a state tax number": plain(fiscal.NormalizeStateTaxNumber),
		"normalize a postal code": plain(fiscal.NormalizePostalCode), "normalize a place": plain(fiscal.FoldPlace),
		"normalize a phone": plain(fiscal.NormalizePhone), "digits of a phone": plain(fiscal.PhoneDigits), "normalize a state": plain(fiscal.NormalizeState),
	}
	for _, tt := range rows.Read[[]struct{ Name, Does, In, Want, Wrong string }](t, "numbers.json") {
		got, err := do[tt.Does](tt.In)
		if got != tt.Want || (err == nil) != (tt.Wrong == "") || err != nil && !strings.Contains(err.Error(), tt.Wrong) {
			t.Errorf("%s, %s: %q is %q, %v; want %q, %q", tt.Does, tt.Name, tt.In, got, err, tt.Want, tt.Wrong)
		}
		if again, _ := do[tt.Does](got); strings.HasPrefix(tt.Does, "normalize") || tt.Does == "digits of a phone" {
			expect.Is(t, again, got, "%s, %s: again", tt.Does, tt.Name)
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
		expect.Is(t, fiscal.StateTaxNumberFits("MT", number), want, "%q", number)
	}
	for _, state := range []string{"AP", "BA", "GO", "RO", "RR", "TO", "EX", ""} {
		if !fiscal.StateTaxNumberFits(state, "12345678") {
			t.Errorf("%s is judged", state)
		}
	}
}

func TestParseAccessKey(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Name, In string
		Want     fiscal.AccessKey
		Wrong    string // a part of the error; empty for none
	}](t, "parse_access_key.json") {
		got, err := fiscal.ParseAccessKey(tt.In)
		expect.Is(t, got, tt.Want, "%s", tt.Name)
		if (err == nil) != (tt.Wrong == "") || err != nil && !strings.Contains(err.Error(), tt.Wrong) {
			t.Errorf("%s: %v, want an error with %q", tt.Name, err, tt.Wrong)
		}
	}
}

// now is when the payloads of these tests are checked.
const now = "2026-11-22T10:30:00-03:00"

// clean are payloads in which no rule finds anything.
func clean(t testing.TB) map[string]json.RawMessage {
	t.Helper()
	return rows.Read[map[string]json.RawMessage](t, "payload_clean.json")
}

// Each row replaces texts of a clean payload, and says what is found then.
func TestCheckPayload_findsWhatAVariationBrings(t *testing.T) {
	t.Parallel()
	models := map[string]string{"NFe": "productInvoice", "NFCe": "consumerInvoice", "NFSe": "serviceInvoice"}
	payloads := clean(t)
	for _, tt := range rows.Read[[]struct {
		Name, Of, Regime   string
		At                 *string // now where there is none
		Replace            map[string]string
		Finds, Says, Lacks string
	}](t, "payload_variations.json") {
		text, at := string(payloads[tt.Of]), now
		for old, with := range tt.Replace {
			if !strings.Contains(text, old) {
				t.Errorf("%s: there is no %q to replace", tt.Name, old)
			}
			text = strings.ReplaceAll(text, old, with)
		}
		if tt.At != nil {
			at = *tt.At
		}
		var found, said []string
		for _, f := range fiscal.CheckPayload(models[tt.Of], decoded(t, text), at, tt.Regime) {
			found, said = append(found, f.Code+" "+f.Path), append(said, f.Message.In(t.Context()))
		}
		expect.Is(t, strings.Join(found, ", "), tt.Finds, "%s", tt.Name)
		messages := strings.Join(said, "\n")
		if !strings.Contains(messages, tt.Says) || tt.Lacks != "" && strings.Contains(messages, tt.Lacks) {
			t.Errorf("%s: %s, want %q", tt.Name, messages, tt.Says)
		}
	}
}

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

func TestCheckPayload_ofWhatIsNoObject(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`[]`, `"x"`, `1`, `null`, `true`} {
		if found := check(t, "serviceInvoice", text); len(found) != 1 || found[0].Code != "not_an_object" || found[0].Severity != fiscal.SeverityError {
			t.Errorf("%s: %+v", text, found)
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
	tests := rows.Read[map[string]struct{ Object, Want json.RawMessage }](t, "payload_turns_a_customer_into_a_receiver.json")
	for name, tt := range tests {
		got, err := fiscal.Payload(decoded(t, string(tt.Object)).(map[string]any))
		expect.NoError(t, err)
		expect.Is(t, got, string(tt.Want), "%s", name)
	}
}

func FuzzPayload(f *testing.F) {
	for _, payload := range clean(f) {
		f.Add("productInvoice", string(payload))
	}
	for _, payload := range []string{
		`{"total":{"invoiceAmount":1e999999999}}`, `{"receiver":[],"items":[[]],"payments":{}}`,
		`{"receiver":{"address":{"city":{"code":"3550308"}}},"receiver":1}`,
	} {
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
