package fiscal_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

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
		"payments":[{"method":"01","amount":10},{"method":"creditCard","amount":20}]}`
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
		if got := strings.Join(found, ", "); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
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
			reform, ``, `"makeupTotal"`, `"origin":{"key":"33150308370779000149550010001100931002410775"},"makeupTotal"`,
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
