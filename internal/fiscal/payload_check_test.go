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

// What no rule finds anything in.
const (
	cleanNFe = `{"operationNature":"Venda","operationType":"outgoing","destination":"interstate","purposeType":"normal","isFinalCustomer":false,
		"effectiveDate":"2026-11-22T10:29:00-03:00",
		"receiver":{"name":"Padaria Central Ltda","federalTaxNumber":"12.ABC.345/01DE-35","stateTaxNumber":"110.042.490.114","email":"fiscal@example.com","phoneNumber":"(11) 98765-4321",
			"address":{"street":"Avenida Paulista","number":"1000","district":"Bela Vista","postalCode":"01310-100","city":{"code":3550308,"state":"sp"}}},
		"items":[
			{"code":"PAO-001","description":"Pão francês","gtinCode":"7891000315507","ncm":"19059090","cfop":6102,"unit":"UN","quantity":10,"unitAmount":1.99,"totalAmount":19.90,
				"unitTax":"UN","quantityTax":10,"unitTaxAmount":1.99,"makeupTotal":true,"discountAmount":0.90,
				"taxes":{"icms":{"origin":"0","cst":"00","rate":12},"pis":{"cst":"07"},"cofins":{"cst":"07"},"ibsCbs":{"cst":"000"}}}],
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

var (
	// A return, and a note of IBS and CBS alone.
	cleanReturn = strings.NewReplacer(`"purposeType":"normal"`, `"purposeType":"devolution"`, `6102`, `6202`,
		`[{"method":"pix","amount":19.00}]`, `[{"method":"90","amount":0}]`).Replace(cleanNFe)
	exported = strings.NewReplacer(`"interstate"`, `"international"`, `6102`, `7102`, `"stateTaxNumber":"110.042.490.114",`, ``,
		`{"code":3550308,"state":"sp"}`, `{"code":9999999,"name":"Lisboa","state":"EX"}`).Replace(cleanNFe)
	cleanNote = strings.NewReplacer(`"purposeType":"normal"`, `"purposeType":"debit","debitType":"penaltyAndInterest"`, `6102`, `6949`,
		`"icms":{"origin":"0","cst":"00","rate":12},"pis":{"cst":"07"},"cofins":{"cst":"07"},`, ``,
		`[{"method":"pix","amount":19.00}]`, `[{"method":"90","amount":0}]`).Replace(cleanNFe)
)

// triggers have, for each rule, payloads in which it alone finds something: a clean
// one with a text replaced.
var triggers = map[string][]struct{ clean, replace, by, path string }{
	"owned_member": {
		{cleanNFSe, `"description"`, `"IntegrationID":"a","description"`, "IntegrationID"},
		{cleanNFCe, `{"isFinal`, `{"status":"created","isFinal`, "status"},
	},
	"unknown_member": {
		{cleanNFe, `"receiver":{`, `"receivar":{},"receiver":{`, "receivar"},
		{cleanNFe, `"name":"Padaria`, `"legalName":"x","name":"Padaria`, "receiver.legalName"},
		{cleanNFe, `"ncm":"19059090"`, `"ncm":"19059090","descryption":"x"`, "items[0].descryption"},
		{cleanNFSe, `"location":{`, `"tax_location":"companyMunicipality","location":{`, "tax_location"},
	},
	"wrong_type": {
		{cleanNFCe, `"isFinalCustomer":true`, `"isFinalCustomer":"yes"`, "isFinalCustomer"},
		{cleanNFSe, `"receiver":{"name":"Padaria Central Ltda","federalTaxNumber":"529.982.247-25"}`, `"receiver":"529.982.247-25"`, "receiver"},
		{cleanNFSe, `"total":{"invoiceAmount":1500.00,"issRate":2}`, `"total":1500`, "total"},
		{cleanNFCe, `"payments":[{"method":"01","amount":10},{"method":"creditCard","amount":20}]`, `"payments":{"method":"01","amount":30}`, "payments"},
		{cleanNFCe, `"amount":20}]`, `"amount":20},"pix"]`, "payments"},
	},
	"converted_type": {
		{cleanNFSe, `"529.982.247-25"`, `52998224725`, "receiver.federalTaxNumber"},
		{cleanNFSe, `1500.00`, `"1500.00"`, "total.invoiceAmount"},
	},
	"unknown_word":       {{cleanNFe, `"purposeType":"normal"`, `"printingType":"paper"`, "printingType"}},
	"unusual_word":       {{cleanNFSe, `"taxationInMunicipality"`, `"taxed"`, "taxationType"}},
	"method_of_an_order": {{cleanNFCe, `"method":"01"`, `"method":"cash"`, "payments[0].method"}},
	"unusual_method":     {{cleanNFCe, `"method":"01"`, `"method":"gold"`, "payments[0].method"}},
	"too_long":           {{cleanNFe, `"street":"Avenida Paulista"`, `"street":"` + strings.Repeat("a", 101) + `"`, "receiver.address.street"}},
	"too_long_for_the_authority": {
		{cleanNFe, `"operationNature":"Venda"`, `"operationNature":"` + strings.Repeat("é", 61) + `"`, "operationNature"},
		{cleanNFCe, `"unit":"KG"`, `"unit":"QUILOGRAMA"`, "items[0].unit"},
	},
	"no_date": {
		{cleanNFe, `"effectiveDate":"2026-11-22T10:29:00-03:00"`, `"effectiveDate":"22/11/2026"`, "effectiveDate"},
		{cleanNFSe, `"location"`, `"issuedOn":"2026-02-30","location"`, "issuedOn"},
	},
	"past_date": {
		{cleanNFe, `"effectiveDate":"2026-11-22T10:29:00-03:00"`, `"effectiveDate":"2026-10-22"`, "effectiveDate"},
		{cleanNFCe, `"destination"`, `"effectiveDate":"2026-11-22T13:20:00Z","destination"`, "effectiveDate"},
	},
	"tax_number": {
		{cleanNFSe, `529.982.247-25`, `529.982.247-26`, "receiver.federalTaxNumber"},
		{cleanNFe, `12.ABC.345/01DE-35`, `12.ABC.345/01DE-36`, "receiver.federalTaxNumber"},
		{cleanNFe, `12.ABC.345/01DE-35`, `1112223330001`, "receiver.federalTaxNumber"},
		{cleanNFe, `12.ABC.345/01DE-35`, `1222333000128`, "receiver.federalTaxNumber"},
		{cleanNFe, `"items"`, `"authorizedPersons":["11222333000181","1"],"items"`, "authorizedPersons[1]"},
		{cleanNFe, `"items"`, `"delivery":{"federalTaxNumber":"11222333000182"},"items"`, "delivery.federalTaxNumber"},
	},
	"state_tax_number": {
		{cleanNFe, `110.042.490.114`, `isenta`, "receiver.stateTaxNumber"},
		{cleanNFe, `110.042.490.114`, `110.042.490.115`, "receiver.stateTaxNumber"},
	},
	"state_tax_number_abroad": {{exported, `"name":"Padaria`, `"stateTaxNumber":"12","name":"Padaria`, "receiver.stateTaxNumber"}},
	"phone":                   {{cleanNFe, `(11) 98765-4321`, `4321`, "receiver.phoneNumber"}},
	"email":                   {{cleanNFe, `fiscal@example.com`, `fiscal.example.com`, "receiver.email"}},
	"postal_code":             {{cleanNFe, `01310-100`, `1310-100`, "receiver.address.postalCode"}},
	"city_code": {
		{cleanNFe, `{"code":3550308,"state":"sp"}`, `{"code":350308}`, "receiver.address.city.code"},
		{cleanNFe, `3550308`, `3550309`, "receiver.address.city.code"},
		{cleanNFSe, `3550308`, `"9950308"`, "location.code"},
	},
	"city_state": {
		{cleanNFe, `"state":"sp"`, `"state":"rj"`, "receiver.address.city.state"},
		{cleanNFe, `"state":"sp"`, `"state":"xx"`, "receiver.address.city.state"},
	},
	"receiver_missing":    {{cleanNFe, cleanNFe[strings.Index(cleanNFe, `"receiver":`):strings.Index(cleanNFe, `"items":`)], ``, "receiver"}},
	"receiver_incomplete": {{cleanNFe, `"name":"Padaria Central Ltda",`, ``, "receiver"}},
	"address_incomplete": {
		{cleanNFe, `"district":"Bela Vista",`, ``, "receiver.address"},
		{cleanNFe, `{"code":3550308,"state":"sp"}`, `{"state":"sp"}`, "receiver.address"},
	},
	"destination_abroad": {{
		cleanNFe, cleanNFe[strings.Index(cleanNFe, `"stateTaxNumber"`):strings.Index(cleanNFe, `}},`)],
		`"address":{"street":"a","number":"1","district":"b","city":{"code":9999999,"name":"Lisboa","state":"EX"}`, "destination",
	}},
	"final_customer_missing": {{cleanNFe, `"isFinalCustomer":false,`, ``, "isFinalCustomer"}},
	"consumer_operation": {
		{cleanNFCe, `"isFinalCustomer":true`, `"isFinalCustomer":false`, "isFinalCustomer"},
		{cleanNFCe, `"internal"`, `"interstate"`, "destination"},
		{cleanNFCe, `"presenceType":"presence"`, `"presenceType":"internet"`, "presenceType"},
	},
	"not_a_contributor": {{cleanNFe, `"stateTaxNumber":"110.042.490.114",`, ``, "isFinalCustomer"}},
	"outside_reference": {{cleanNFe, `"purposeType":"normal"`, `"presenceType":"5"`, "referencedDocuments"}},
	"reform_alone":      {{cleanNote, `"taxes":{`, `"taxes":{"icms":{"origin":"0","cst":"41"},"pis":{"cst":"07"},`, "items[0].taxes"}},
	"consumer_delivery": {{cleanNFCe, `"presenceType":"presence"`, `"presenceType":"delivery"`, "receiver"}},
	"complement_reference": {
		{cleanNFe, `"purposeType":"normal"`, `"purposeType":"complement"`, "referencedDocuments"},
		{cleanNFe, `"purposeType":"normal"`, `"purposeType":"complement","referencedDocuments":[{},{}]`, "referencedDocuments"},
	},
	"purpose": {
		{cleanNote, `"debitType":"penaltyAndInterest",`, ``, "debitType"},
		{cleanNFe, `"purposeType":"normal"`, `"debitType":"advancePayment"`, "debitType"},
	},
	"note_direction":  {{cleanNote, `"debit","debitType":"penaltyAndInterest"`, `"credit","creditType":"appropriation"`, "operationType"}},
	"icms_interstate": {{cleanNFe, `"rate":12`, `"rate":18`, "items[0].taxes.icms.rate"}},
	"ibs_cbs_rate": {
		{cleanNFe, `"ibsCbs":{`, `"ibsCbs":{"ibsStateRate":0.2,`, "items[0].taxes.ibsCbs.ibsStateRate"},
		{cleanNFe, `"ibsCbs":{`, `"ibsCbs":{"ibsCityRate":0.1,`, "items[0].taxes.ibsCbs.ibsCityRate"},
		{cleanNFe, `"ibsCbs":{`, `"ibsCbs":{"cbsRate":8.8,`, "items[0].taxes.ibsCbs.cbsRate"},
	},
	"ibs_cbs_amount": {
		{cleanNFe, `"ibsCbs":{`, `"ibsCbs":{"baseTax":1000,"cbsRate":0.9,"cbsAmount":9.02,`, "items[0].taxes.ibsCbs.cbsAmount"},
		{cleanNFe, `"ibsCbs":{`, `"ibsCbs":{"baseTax":1000,"ibsStateRate":0.1,"ibsStateAmount":2,`, "items[0].taxes.ibsCbs.ibsStateAmount"},
		{cleanNFe, `"ibsCbs":{`, `"ibsCbs":{"baseTax":1000,"ibsCityRate":0,"ibsCityAmount":1,`, "items[0].taxes.ibsCbs.ibsCityAmount"},
	},
	"iss_rate":        {{cleanNFSe, `"issRate":2`, `"issRate":6`, "total.issRate"}},
	"items_missing":   {{`{"isFinalCustomer":true,"payments":[{"method":"pix","amount":1}]}`, `"payments"`, `"items":[],"payments"`, "items"}},
	"item_incomplete": {{cleanNFCe, `"makeupTotal":true,`, ``, "items[0]"}},
	"taxes_missing":   {{cleanNFCe, `"taxes":{"icms":{"origin":"0","csosn":"102"}}`, `"taxes":null`, "items[0].taxes"}, {cleanNFe, `"pis":{"cst":"07"},`, ``, "items[0].taxes"}},
	"icms_code": {
		{cleanNFCe, `"csosn":"102"`, `"rate":1`, "items[0].taxes.icms"},
		{cleanNFCe, `"csosn":"102"`, `"csosn":"102","cst":"00"`, "items[0].taxes.icms"},
		{cleanNFCe, `"csosn":"102"`, `"cst":"102"`, "items[0].taxes.icms.cst"},
		{cleanNFe, `"cst":"00","rate":12`, `"csosn":"00"`, "items[0].taxes.icms.csosn"},
		{cleanNFe, `"cst":"00"`, `"cst":"01"`, "items[0].taxes.icms.cst"},
	},
	"icms_consumer": {{cleanNFCe, `"102"`, `"101"`, "items[0].taxes.icms"}, {cleanNFCe, `"102"`, `"500"`, "items[0].cfop"}},
	"icms_amount":   {{cleanNFe, `"rate":12`, `"rate":12,"baseTax":100,"amount":11`, "items[0].taxes.icms.amount"}},
	"ibs_cbs_code": {
		{cleanNFe, `"ibsCbs":{"cst":"000"}`, `"ibsCbs":{"cst":"0"}`, "items[0].taxes.ibsCbs.cst"},
		{cleanNFe, `"ibsCbs":{"cst":"000"}`, `"ibsCbs":{"cst":"000","cClassTrib":"1"}`, "items[0].taxes.ibsCbs.cClassTrib"},
		{cleanNFSe, `"location"`, `"ibsCbs":{"cst":"000","classification":"200001"},"location"`, "ibsCbs.classification"},
	},
	"cfop_return": {{cleanNFe, `6102`, `6202`, "items[0].cfop"}, {cleanReturn, `6202`, `6102`, "items[0].cfop"}},
	"payment_none": {
		{cleanReturn, `"method":"90"`, `"method":"pix"`, "payments[0].method"},
		{cleanReturn, `"amount":0}]`, `"amount":19}]`, "payments[0].amount"},
		{cleanNFCe, `[{"method":"01","amount":10},{"method":"creditCard","amount":20}]`, `[{"method":"90","amount":0}]`, "payments[0].method"},
		{cleanNFe, `{"method":"pix","amount":19.00}`, `{"method":"91","amount":19.00}`, "payments[0].amount"},
	},
	"payment_other": {{cleanNFCe, `"method":"01"`, `"method":"99"`, "payments[0]"}, {cleanNFCe, `"method":"01"`, `"method":"other"`, "payments[0]"}},
	"city_code_missing": {{cleanNFSe, `"nationalTaxationCode":"170101","nbsCode":"115022000","taxationType":"taxationInMunicipality",
		"location":{"code":3550308}`, `"location":{"code":3304557}`, "nationalTaxationCode"}},
	"ncm_form":         {{cleanNFe, `"19059090"`, `"1905909"`, "items[0].ncm"}, {cleanNFe, `"19059090"`, `"00"`, "items[0].ncm"}},
	"cfop_form":        {{cleanNFe, `6102`, `4102`, "items[0].cfop"}, {cleanNFCe, `5102`, `"510"`, "items[0].cfop"}, {cleanNFCe, `5102`, `"5.102"`, "items[0].cfop"}},
	"cfop_direction":   {{cleanNFe, `6102`, `2102`, "items[0].cfop"}},
	"cfop_destination": {{cleanNFe, `6102`, `5102`, "items[0].cfop"}, {cleanNFe, `"interstate"`, `"internal"`, "items[0].cfop"}},
	"cfop_consumer":    {{cleanNFCe, `5102`, `5401`, "items[0].cfop"}},
	"gtin":             {{cleanNFe, `7891000315507`, `7891000315508`, "items[0].gtinCode"}, {cleanNFe, `7891000315507`, ``, "items[0].gtinCode"}},
	"ibs_cbs_missing":  {{cleanNFe, `,"ibsCbs":{"cst":"000"}`, ``, "items[0]"}},
	"item_total":       {{cleanNFe, `"unitAmount":1.99`, `"unitAmount":1.89`, "items[0].totalAmount"}, {cleanNFCe, `"makeupTotal":true`, `"makeupTotal":true,"discountAmount":31`, "items[0].discountAmount"}},
	"item_sums": {
		{cleanNFe, `"discountAmount":0.90,"invoiceAmount"`, `"discountAmount":0.10,"invoiceAmount"`, "total.discountAmount"},
		{cleanNFe, `"discountAmount":0.90,"invoiceAmount":19.00`, `"discountAmount":0.90,"freightAmount":1,"invoiceAmount":20.00`, "total.freightAmount"},
		{cleanNFe, `"total":{`, `"total":{"pisAmount":1,`, "total.pisAmount"},
	},
	"products_total":   {{cleanNFe, `"makeupTotal":true`, `"makeupTotal":false`, "total.productAmount"}},
	"invoice_total":    {{cleanNFe, `"invoiceAmount":19.00`, `"invoiceAmount":19.80`, "total.invoiceAmount"}},
	"payments_missing": {{cleanNFe, `"payments":[{"method":"pix","amount":19.00}]`, `"payments":[]`, "payments"}},
	"payments_total":   {{cleanNFe, `"method":"pix","amount":19.00`, `"method":"pix","amount":18.00`, "payments"}, {cleanNFCe, `"amount":20}`, `"amount":21}`, "payments"}, {cleanNFCe, `"payments"`, `"changeAmount":5,"payments"`, "payments"}},
	"service_incomplete": {
		{cleanNFSe, `"description":"Consultoria",`, ``, ""},
		{cleanNFSe, `"invoiceAmount":1500.00,`, ``, ""},
	},
	"service_amount":         {{cleanNFSe, `1500.00`, `0`, "total.invoiceAmount"}},
	"service_code_missing":   {{cleanNFSe, `"federalServiceCode":"17.01","nationalTaxationCode":"170101",`, ``, "federalServiceCode"}},
	"federal_service_code":   {{cleanNFSe, `"17.01"`, `"170101"`, "federalServiceCode"}, {cleanNFSe, `"17.01"`, `"99.99"`, "federalServiceCode"}},
	"national_taxation_code": {{cleanNFSe, `"170101"`, `"17.01"`, "nationalTaxationCode"}, {cleanNFSe, `"170101"`, `"172601"`, "nationalTaxationCode"}},
	"nbs_code":               {{cleanNFSe, `"115022000"`, `"1150"`, "nbsCode"}},
}

// modelOf tells of which model a clean payload is.
func modelOf(clean string) string {
	switch clean {
	case cleanNFe, cleanReturn, cleanNote, exported:
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
	for _, clean := range []string{cleanNFe, complement, cleanNFCe, withChange, cleanNFSe, cleanReturn, cleanNote, exported, `{"description":"Consultoria","cityServiceCode":"1","total":{"invoiceAmount":1}}`} {
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
		if len(found) != 1 || found[0].Code != "unknown_member" || strings.Contains(found[0].Message, "Is `"+meant+"` meant?") != (meant != "") {
			t.Errorf("%s: %+v, want %q", written, found, meant)
		}
	}
	if found := check(t, "serviceInvoice", strings.Replace(cleanNFSe, `"total"`, `"xyz":1,"total"`, 1)); len(found) != 1 || strings.Contains(found[0].Message, "Is `") {
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
		if found := check(t, modelOf(tt.clean), text); len(found) != 0 {
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
