package fiscal_test

import "strings"

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
	// A sale to somebody without a registration.
	internal = strings.NewReplacer(`"interstate"`, `"internal"`, `6102`, `5102`, `"stateTaxNumber":"110.042.490.114",`, ``,
		`"isFinalCustomer":false`, `"isFinalCustomer":true`, `"cst":"00","rate":12`, `"csosn":"102"`).Replace(cleanNFe)
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
	"future_date": {
		{cleanNFe, `"effectiveDate":"2026-11-22T10:29:00-03:00"`, `"effectiveDate":"2026-11-23T10:31:00-03:00"`, "effectiveDate"},
		{cleanNFSe, `"location"`, `"effectiveDate":"2026-11-24","location"`, "effectiveDate"},
	},
	"authorized_receiver": {{cleanNFe, `"items"`, `"authorizedPersons":["12ABC34501DE35"],"items"`, "authorizedPersons[0]"}},
	"suframa":             {{cleanNFe, `"name":"Padaria`, `"suframaTaxNumber":"200123456","name":"Padaria`, "receiver.suframaTaxNumber"}},
	"consumer_receiver": {
		{cleanNFCe, `"items"`, `"receiver":{"suframaTaxNumber":"200123456"},"items"`, "receiver.suframaTaxNumber"},
		{cleanNFCe, cleanNFCe[strings.Index(cleanNFCe, `"quantity"`):], `"quantity":200,"unitAmount":60,"totalAmount":12000,"unitTax":"KG","quantityTax":200,"unitTaxAmount":60,
			"makeupTotal":true,"taxes":{"icms":{"origin":"0","csosn":"102"}}}],"payments":[{"method":"01","amount":12000}]}`, "receiver.federalTaxNumber"},
	},
	"consumer_item": {
		{cleanNFCe, `"taxes":{`, `"taxes":{"ipi":{"cst":"53"},`, "items[0].taxes.ipi"},
		{cleanNFCe, `5102`, `5933`, "items[0].cfop"},
	},
	"icms_receiver": {{internal, `"csosn":"102"`, `"csosn":"101"`, "items[0].taxes.icms"}},
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
		{cleanNFCe, `"items"`, `"referencedDocuments":[{}],"items"`, "referencedDocuments"},
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
	"note_direction": {{cleanNote, `"debit","debitType":"penaltyAndInterest"`, `"credit","creditType":"appropriation"`, "operationType"}},
	"icms_interstate": {
		{cleanNFe, `"rate":12`, `"rate":18`, "items[0].taxes.icms.rate"},
		{cleanNFe, `"origin":"0"`, `"origin":"2"`, "items[0].taxes.icms.rate"},
	},
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
	"service_amount":         {{cleanNFSe, `1500.00`, `0`, "total.invoiceAmount"}, {cleanNFSe, `"issRate"`, `"deductionsAmount":1500.01,"issRate"`, "total.deductionsAmount"}},
	"service_code_missing":   {{cleanNFSe, `"federalServiceCode":"17.01","nationalTaxationCode":"170101",`, ``, "federalServiceCode"}},
	"federal_service_code":   {{cleanNFSe, `"17.01"`, `"170101"`, "federalServiceCode"}, {cleanNFSe, `"17.01"`, `"99.99"`, "federalServiceCode"}},
	"national_taxation_code": {{cleanNFSe, `"170101"`, `"17.01"`, "nationalTaxationCode"}, {cleanNFSe, `"170101"`, `"172601"`, "nationalTaxationCode"}},
	"nbs_code":               {{cleanNFSe, `"115022000"`, `"1150"`, "nbsCode"}},
}
