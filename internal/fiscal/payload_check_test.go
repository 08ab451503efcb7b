package fiscal_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// now is when the payloads of these tests are checked.
const now = "2026-11-22T10:30:00-03:00"

// modelOf tells of which model a clean payload is.
func modelOf(clean string) string {
	switch clean {
	case cleanNFe, cleanReturn, cleanNote, exported, internal:
		return "productInvoice"
	case cleanNFSe:
		return "serviceInvoice"
	}
	return "consumerInvoice"
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

func TestCheckPayload_findsNothingInACleanPayload(t *testing.T) {
	t.Parallel()
	withChange := strings.Replace(cleanNFCe, `"amount":20}]`, `"amount":50}],"changeAmount":30`, 1)
	complement := strings.Replace(cleanNFe, `"purposeType":"normal"`, `"purposeType":"complement","referencedDocuments":[{"accessKey":"1"}]`, 1)
	for _, clean := range []string{cleanNFe, complement, cleanNFCe, withChange, cleanNFSe, cleanReturn, cleanNote, exported, internal, `{"description":"Consultoria","cityServiceCode":"1","total":{"invoiceAmount":1}}`} {
		model := modelOf(clean)
		switch {
		case clean[2] == 'd':
			model = "serviceInvoice"
		case clean == complement:
			model = "productInvoice"
		}
		if diff := cmp.Diff([]fiscal.Finding(nil), check(t, model, clean)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", model, diff)
		}
	}
}

// What a rule foresees stands in the table of law, with its source, for the models of the rule.
func TestPayloadRules_foreseeWhatTheLawHas(t *testing.T) {
	t.Parallel()
	for _, rule := range fiscal.PayloadRules() {
		if len(rule.Laws) == 0 && rule.Source == "" {
			t.Errorf("%s has neither a law nor a source", rule.Code)
		}
		for _, code := range rule.Laws {
			if law, ok := fiscal.LawOf(code); !ok || law.Source == "" || law.Cause == "" || !law.HoldsOn(now[:10]) {
				t.Errorf("%s foresees %s, of which the law says %+v", rule.Code, code, law)
			}
		}
	}
}

func TestCheckPayload_judgesTheRegimeWhereItIsKnown(t *testing.T) {
	t.Parallel()
	bare := strings.Replace(cleanNFe, `,"ibsCbs":{"cst":"000"}`, ``, 1)
	fuel := strings.Replace(cleanNFe, `"cst":"00","rate":12`, `"cst":"61"`, 1)
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
		if got := strings.Join(found, ", "); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// Every rule has a payload that it alone finds something in, so that one mistake is
// told once, and by the rule that is about it.
func TestPayloadRules_eachHasAMistakeOfItsOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, rule := range fiscal.PayloadRules() {
		if seen[rule.Code] || rule.Sources() == "" || !strings.HasSuffix(rule.About, ".") || rule.Severity != fiscal.SeverityError && rule.Severity != fiscal.SeverityWarning {
			t.Errorf("the rule %q is not whole, or there twice", rule.Code)
		}
		seen[rule.Code] = true
		if rule.Code == "not_an_object" {
			continue // See below.
		}
		if len(triggers[rule.Code]) == 0 {
			t.Errorf("%s has no payload that triggers it", rule.Code)
		}
		for _, mistake := range triggers[rule.Code] {
			if !strings.Contains(mistake.clean, mistake.replace) {
				t.Errorf("%s: %q is not in the clean payload", rule.Code, mistake.replace)
			}
			found := check(t, modelOf(mistake.clean), strings.Replace(mistake.clean, mistake.replace, mistake.by, 1))
			if len(found) != 1 || found[0].Code != rule.Code || found[0].Severity != rule.Severity || found[0].Path != mistake.path {
				t.Errorf("%s at %q: found %+v", rule.Code, mistake.path, found)
				continue
			}
			if message := found[0].Message; !strings.HasSuffix(message, ".") || strings.Contains(message, "%!") || strings.ContainsRune("abcdefghijklmnopqrstuvwxyz", rune(message[0])) {
				t.Errorf("%s: the message %q is no sentence", rule.Code, message)
			}
		}
	}
	for code := range triggers {
		if !seen[code] {
			t.Errorf("there is no rule %s", code)
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

func TestCheckPayload_namesTheNearestMember(t *testing.T) {
	t.Parallel()
	for written, meant := range map[string]string{
		"receivar": "receiver", "Receiver": "receiver", "effective_date": "effectiveDate", "itens": "items", "paymets": "payments", "totals": "total",
	} {
		found := check(t, "consumerInvoice", strings.Replace(cleanNFCe, `"isFinal`, `"`+written+`":null,"`+written+`":{},"isFinal`, 1))
		if len(found) != 1 || found[0].Code != "unknown_member" || strings.Contains(found[0].Message, "Did you mean `"+meant+"`?") != (meant != "") {
			t.Errorf("%s: %+v, want %q", written, found, meant)
		}
	}
	if found := check(t, "serviceInvoice", strings.Replace(cleanNFSe, `"total"`, `"xyz":1,"total"`, 1)); len(found) != 1 || strings.Contains(found[0].Message, "Did you mean") {
		t.Errorf("%+v", found)
	}
	// What goods, their items and totals hold is not known whole: only a slip is worth a word.
	if found := check(t, "productInvoice", strings.Replace(cleanNFe, `"total"`, `"export":{},"total"`, 1)); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	for _, name := range []string{"ipiAmount", "fcpAmount", "iiAmount", "icmsDesonAmount"} {
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
	for second, want := range map[string]int{`"cst":"00"`: 1, `"cst":"61"`: 0, `"csosn":"500"`: 0} {
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
		"949 in a return":                  {cleanReturn, []string{`6202`, `6949`}},
		"a sale outside the establishment": {cleanNFCe, []string{`"presenceType":"presence"`, `"presenceType":"5"`}},
		"a delivery in the issuer's state": {cleanNFe, []string{`6102`, `5102`, `"items"`, `"delivery":{"name":"x"},"items"`}},
		"a return of goods from before 2026": {cleanReturn, []string{
			reform, ``, `"makeupTotal"`, `"origin":{"key":"33150308370779000149550010001100931002410775"},"makeupTotal"`,
		}},
		"IBS and CBS in the total, from 2027": {cleanNFe, []string{
			`2026-11-22T10:29`, `2027-01-02T10:29`, `"invoiceAmount":19.00`, `"invoiceAmount":23.75`, paid, `{"method":"pix","amount":23.75}`,
		}},
		"fractions of IBS and CBS, and their rounding": {cleanNFe, []string{`"ibsCbs":{`, `"ibsCbs":{"baseTax":1000.4,"cbsRate":0.009,"cbsAmount":9.01,`}},
		"CBS that is deferred":                         {cleanNFe, []string{`"ibsCbs":{`, `"ibsCbs":{"baseTax":1000,"cbsRate":0.9,"cbsAmount":0,"cbsDeferral":9,`}},
		"a regular taxation, whose rates are 0":        {cleanNFe, []string{`"ibsCbs":{`, `"ibsCbs":{"cbsRate":0,"ibsStateRate":0,`}},
		"the rates of 2027":                            {cleanNFe, []string{`2026-11-22T10:29`, `2027-01-02T10:29`, `"ibsCbs":{`, `"ibsCbs":{"ibsCityRate":0.05,`}},
		"a vehicle, at another rate":                   {cleanNFe, []string{`19059090`, `87032310`, `"rate":12`, `"rate":18`}},
		"an interstate sale to the order of another":   {cleanNFe, []string{`6102`, `6119`, `"rate":12`, `"rate":18`}},
		"a total that the service may calculate":       {cleanNFe, []string{`"total":{`, `"total":{"icmsBaseTax":19.00,"icmsAmount":2.28,`}},
		"an exempt item with the amount that is not owed": {cleanNFe, []string{
			`"cst":"00","rate":12`, `"cst":"40","amount":2.28`, `"total":{`, `"total":{"icmsAmount":0,`,
		}},
		"no state registration of Bahia is judged":       {cleanNFe, []string{`{"code":3550308,"state":"sp"}`, `{"code":2927408,"state":"ba"}`}},
		"goods of an adjustment without an NCM":          {cleanReturn, []string{`"devolution"`, `"adjustment"`, `6202`, `6949`, `19059090`, `00`}},
		"a service without an ISS, not listed by LC 116": {cleanNFSe, []string{`"17.01"`, `"99.01"`, `170101`, `990101`}},
		"a service that another city's company does in Rio": {cleanNFSe, []string{
			`"nationalTaxationCode":"170101",`, ``, `3550308`, `3304557`, `"description"`, `"taxLocation":"serviceProvisionMunicipality","description"`,
		}},
	} {
		text := strings.NewReplacer(tt.replace...).Replace(tt.clean)
		at := now
		if strings.Contains(text, "2027-01-02") {
			at = "2027-01-02T10:30:00-03:00"
		}
		if found := fiscal.CheckPayload(modelOf(tt.clean), decoded(t, text), at, ""); len(found) != 0 {
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
