package sandbox

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"maps"
	"math/big"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"software.sslmate.com/src/go-pkcs12"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// sale is a consistent order with fields added.
func sale(more object) object {
	order := object{
		"transactionId": "t-1", "date": "2026-03-10T09:00:00-03:00", "amount": 26, "freightAmount": 5, "discountAmount": 4,
		"customer": object{"name": "Maria", "federalTaxNumber": "529.982.247-25", "address": object{
			"street": "Rua A", "city": object{"name": "São Paulo", "state": "SP"},
		}},
		"items": []any{object{
			"quantity": 2.5, "price": 10.4, "discountAmount": 1, "amount": 25,
			"product": object{"name": "Camisa", "code": "C1", "price": 10.4, "invoiceModel": "productInvoice"},
		}},
	}
	maps.Copy(order, more)
	return order
}

// statuses are those of an order's invoices.
func statuses(order object) []string {
	out := []string{}
	for _, invoice := range order["invoices"].([]any) {
		out = append(out, invoice.(object)["status"].(string))
	}
	return out
}

func (c *client) wantInvoices(path, when string, want ...string) {
	c.t.Helper()
	wantSame(c.t, append([]string{}, want...), statuses(c.must("GET", path, nil)), "%s: the states of the invoices", when)
}

func TestOrder_afterWarrantyIssuesOnTheDayAfterIt(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newIssuer(t, Options{Clock: clock})
	at := "/orders/" + c.must("POST", "/orders", sale(object{"autoIssueMode": "afterWarrency", "warrantyDate": "2026-03-12"}))["id"].(string)
	midnight := time.Date(2026, 3, 13, 0, 0, 0, 0, localZone)
	clock.Advance(midnight.Sub(noon) - 1)
	c.wantInvoices(at, "on the last day", "created")
	clock.Advance(1)
	c.wantInvoices(at, "on the day after", "authorized")
	wantStatus(t, c.do("POST", "/orders", sale(object{"autoIssueMode": "afterWarrency"})), http.StatusBadRequest)
}

func TestOrder_sumsMustAgree(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	product := object{"name": "Camisa"}
	c.refuses("POST", "/orders", []badBody{
		{"order amount", sale(object{"amount": 25}), []string{
			"amount: The order amount 25 does not match the sum of its items + freight - discount, 26.",
		}},
		{"item amount", sale(object{"amount": 3.3, "freightAmount": 0, "discountAmount": 0, "items": []any{
			object{"quantity": 3, "price": 1.1, "amount": 3.3, "product": product, "discountAmount": 1},
		}}), []string{"items[0].amount: The item amount 3.3 does not match quantity x price - discount, 2.3."}},
		{"no items", sale(object{"items": []any{}}), []string{"items: The Items field is required."}},
		{"no customer", sale(object{"customer": nil}), []string{"customer: The Customer field is required."}},
		{"a word of invoices for the payment", sale(object{"paymentMethod": "money"}), []string{
			`paymentMethod: Error converting value "money" to type 'PaymentMethod'. Path 'paymentMethod'.`,
		}},
		{"several models without the setting", sale(object{"amount": nil, "items": []any{
			object{"price": 1, "product": object{"name": "A", "invoiceModel": "productInvoice"}},
			object{"price": 1, "product": object{"name": "B", "invoiceModel": "serviceInvoice"}},
		}}), []string{"items: The items of an order must have one invoice model unless the company allows multiple models per order."}},
	})
	computed := c.must("POST", "/orders", sale(object{"amount": nil, "items": []any{object{"quantity": 3, "price": 1.1, "product": product}}}))
	wantFields(t, computed, object{"amount": json.Number("4.3")})
}

func TestOrder_isSplitByModelWhereTheCompanyAllowsIt(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.s.SetSettings(c.s.OwnerCompanyID(), object{"general": object{"allowMultipleInvoiceModelsPerOrder": true}})
	doc := c.must("POST", "/orders", sale(object{"amount": 31, "items": []any{
		object{"quantity": 1, "price": 10, "product": object{"name": "Camisa", "invoiceModel": "productInvoice"}},
		object{"quantity": 1, "price": 20, "description": "Bordado", "product": object{"name": "Serviço", "invoiceModel": "serviceInvoice"}},
	}}))
	if len(doc["invoices"].([]any)) != 2 {
		t.Fatalf("invoices = %v, want two", doc["invoices"])
	}
	wantFields(t, c.s.Invoices("serviceInvoice")[0], object{"amount": json.Number("21"), "description": "Bordado", "status": "authorized"})
	wantFields(t, c.s.Invoices("productInvoice")[0], object{"amount": json.Number("10"), "status": "authorized"})
}

func TestOrder_createsAndLinksCustomersAndProducts(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	first := c.must("POST", "/orders", sale(nil))
	second := c.must("POST", "/orders", sale(object{"transactionId": "t-2"}))
	wantSame(t, part(second, "customer")["id"], part(first, "customer")["id"], "customers of one tax number")
	customers, products := c.s.Objects(KindCustomers), c.s.Objects(KindProducts)
	if len(customers) != 1 || len(products) != 1 {
		t.Fatalf("%d customers and %d products exist, want 1 and 1", len(customers), len(products))
	}
	wantFields(t, customers[0], object{"name": "Maria", "federalTaxNumber": "52998224725", "mobilePhone": nil})
	wantFields(t, products[0], object{"name": "Camisa", "code": "C1", "price": json.Number("10.4"), "invoiceModel": "productInvoice"})

	c.s.Seed(KindProducts, object{"name": "Consulta", "code": "S1", "invoiceModel": "serviceInvoice"})
	known := c.must("POST", "/orders", sale(object{"amount": nil, "items": []any{object{"price": 1, "product": object{"name": "Consulta", "code": "S1"}}}}))
	wantFields(t, known["invoices"].([]any)[0].(object), object{"model": "serviceInvoice"})
}

func TestOrder_listFiltersByTransactionAndDate(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.must("POST", "/orders", sale(nil))
	c.must("POST", "/orders", sale(nil))
	c.must("POST", "/orders", sale(object{"transactionId": "t-11", "date": "2026-04-01T00:00:00Z"}))
	c.finds("/orders", map[string]int{
		"": 3, "transactionId=t-1": 2, "transactionId=t-11": 1, "transactionId=t": 0,
		"initialDate=2026-03-20": 1, "endDate=2026-03-20": 2, "initialDate=2026-03-01&endDate=2026-03-31": 2,
	}, "endDate=x")
	for _, item := range c.items("/orders") {
		wantSame(t, []string{"authorized"}, statuses(item.(object)), "the listed invoices")
	}
}

func TestOrder_belongsToItsCompany(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	at := "/orders/" + c.must("POST", "/orders", sale(nil))["id"].(string)
	company := c.s.Seed(KindCompanies, object{"name": "Filial", "federalTaxNumber": "45997418000153"})
	other := c.as(company)
	for _, r := range [][2]string{{"GET", at}, {"PUT", at + "/status"}, {"DELETE", at + "/cancel"}, {"POST", at + "/invoices/issue"}} {
		wantStatus(t, other.do(r[0], r[1], nil), http.StatusNotFound)
	}
	wantFields(t, other.must("GET", "/orders", nil), object{"totalCount": json.Number("0")})
}

func TestCustomer_answersAreNormalizedAndCompleted(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	doc := c.must("POST", "/customers", object{
		"name": "Maria", "federalTaxNumber": "529.982.247-25", "stateTaxNumber": "isento", "phone": "(11) 98765-4321",
		"address": object{"street": "Rua A", "postalCode": "01310-100", "city": object{"name": "sao paulo", "state": "SP"}},
	})
	wantFields(t, doc, object{
		"name": "Maria", "federalTaxNumber": "52998224725", "stateTaxNumber": "ISENTO", "phone": "11987654321",
		"legalName": nil, "email": nil, "mobilePhone": nil, "cityTaxNumber": nil, "lastModificationTime": nil,
		"address": object{
			"street": "Rua A", "postalCode": "01310100", "number": nil, "coordinates": nil, "cityName": "São Paulo",
			"city":    object{"code": "3550308", "name": "São Paulo", "state": "sp"},
			"country": object{"code": json.Number("1058"), "name": "Brasil"},
		},
	})
	if _, ok := doc["tenant"].(object); !ok {
		t.Errorf("tenant = %v, want an object that clients do not know", doc["tenant"])
	}
	wantSame(t, doc, c.must("GET", "/customers/"+doc["id"].(string), nil), "the read, after what the creation answered,")
}

func TestCustomer_putReplacesTheWholeRecord(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Clock: NewManualClock(noon), ExtraFields: map[string][]string{KindCustomers: {"segment"}}})
	before := c.must("POST", "/customers", object{"name": "A", "email": "a@b.example", "segment": "gold"})
	wantFields(t, before, object{"segment": "gold"})
	after := c.must("PUT", "/customers/"+before["id"].(string), object{"name": "B"})
	wantFields(t, after, object{
		"id": before["id"], "name": "B", "email": nil, "segment": nil,
		"creationTime": "2026-03-10T12:00:00.0000000Z", "lastModificationTime": "2026-03-10T12:00:00.0000000Z",
	})
}

func TestCustomer_refusesWhatTheLimitsForbid(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	long := func(n int) string { return strings.Repeat("x", n) }
	maxOf := func(path, field, limit string) string {
		return path + ": The field " + field + " must be a string with a maximum length of " + limit + "."
	}
	inAddress := func(field string, value any) object {
		return object{"name": "A", "address": object{field: value}}
	}
	c.refuses("POST", "/customers", []badBody{
		{"a name is required", object{"email": "a@b.example"}, []string{"name: The Name field is required."}},
		{"a blank name is none", object{"name": " "}, []string{"name: The Name field is required."}},
		{"name has 80 characters", object{"name": long(81)}, []string{maxOf("name", "Name", "80")}},
		{"a character counts once whatever its bytes", object{"name": strings.Repeat("ã", 80), "cityTaxNumber": long(21)}, []string{maxOf("cityTaxNumber", "CityTaxNumber", "20")}},
		{"legal name has 80 characters", object{"name": "A", "legalName": long(81)}, []string{maxOf("legalName", "LegalName", "80")}},
		{"a tax number has 14 characters as sent, punctuation included", object{"name": "A", "federalTaxNumber": "45.997.418/0001-53"}, []string{maxOf("federalTaxNumber", "FederalTaxNumber", "14")}},
		{"state tax number is digits or ISENTO", object{"name": "A", "stateTaxNumber": "12.3"}, []string{"stateTaxNumber: The field StateTaxNumber must contain digits only or ISENTO."}},
		{"e-mail has 50 characters", object{"name": "A", "email": long(50) + "@b.example"}, []string{maxOf("email", "Email", "50")}},
		{"e-mail is one", object{"name": "A", "email": "nobody"}, []string{"email: The Email field is not a valid e-mail address."}},
		{"a phone has 15 characters", object{"name": "A", "phone": "+55 11 98765-4321"}, []string{maxOf("phone", "Phone", "15")}},
		{"a phone is digits", object{"name": "A", "mobilePhone": "none"}, []string{"mobilePhone: The field MobilePhone is invalid"}},
		{"street has 100 characters", inAddress("street", long(101)), []string{maxOf("address.street", "Street", "100")}},
		{"number has 10 characters", inAddress("number", long(11)), []string{maxOf("address.number", "Number", "10")}},
		{"every problem is told", object{"legalName": long(81), "phone": true}, []string{
			"name: The Name field is required.", maxOf("legalName", "LegalName", "80"), "phone: Error converting the value of 'phone' to type 'System.String'.",
		}},
		{"an address is an object", object{"name": "A", "address": "Rua A"}, []string{"address: Cannot deserialize the value of 'address': a JSON object is required."}},
	})
	t.Cleanup(func() {
		wantSame(t, 0, len(c.s.Objects(KindCustomers)), "number of refused customers that are stored")
	})
}

func TestCustomer_taxNumberKeepsForeignDocumentsLiterally(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for sent, stored := range map[string]string{
		"529.982.247-25": "52998224725",    // A CPF loses its punctuation.
		"45997418000153": "45997418000153", // A CNPJ
		"12abc34501de35": "12ABC34501DE35", // with letters is in capitals.
		"ab-123.456":     "ab-123.456",     // A foreign document.
	} {
		doc := c.must("POST", "/customers", object{"name": "A", "federalTaxNumber": sent})
		expect.Is[any](t, doc["federalTaxNumber"], stored, "federalTaxNumber")
	}
}

func TestProduct_keepsItsPriceAsSent(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for _, body := range []string{
		`{"name":"A","code":"1","price":10.50,"invoiceModel":"PRODUCTINVOICE"}`,
		`{"name":"A","code":1,"price":"10.50","invoiceModel":"productInvoice"}`,
	} {
		doc := c.must("POST", "/products", body)
		want := object{"name": "A", "code": "1", "price": json.Number("10.50"), "invoiceModel": "productInvoice", "lastModificationTime": nil}
		wantFields(t, doc, want)
		wantSame(t, doc, c.must("GET", "/products/"+doc["id"].(string), nil), "the read, after what the creation answered,")
	}
}

func TestProduct_refusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	c.refuses("POST", "/products", []badBody{
		{"name and code are required", object{}, []string{"name: The Name field is required.", "code: The Code field is required."}},
		{"a price is a number", object{"name": "A", "code": "1", "price": "ten"}, []string{"price: Could not convert the value of 'price' to decimal."}},
		{"a model there is not", object{"name": "A", "code": "1", "invoiceModel": "nfe"}, []string{`invoiceModel: Error converting value "nfe" to type 'InvoiceModel'. Path 'invoiceModel'.`}},
	})
}

// branchBody is a company that can be created, with changes; a nil value takes a field out.
func branchBody(changes object) object {
	body := object{
		"name": "B", "legalName": "B Ltda", "federalTaxNumber": "45997418000153",
		"address": object{"city": object{"code": "3550308"}},
	}
	maps.Copy(body, changes)
	maps.DeleteFunc(body, func(_ string, v any) bool { return v == nil })
	return body
}

func newBranch(c *client) string {
	c.t.Helper()
	return c.must("POST", "/companies", branchBody(nil))["id"].(string)
}

func TestCompany_refusesWhatTheLimitsForbid(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	long := func(n int) string { return strings.Repeat("x", n) }
	activity := func(fields object) []any { return []any{fields} }
	c.refuses("POST", "/companies", []badBody{
		{"the four fields are required", branchBody(object{"name": nil, "legalName": nil, "federalTaxNumber": nil, "address": nil}), []string{
			"name: The Name field is required.", "legalName: The LegalName field is required.",
			"federalTaxNumber: The FederalTaxNumber field is required.", "address: The Address field is required.",
		}},
		{"the city is required", branchBody(object{"address": object{"street": "Rua A"}}), []string{"address.city: The City field is required."}},
		{"name has 80 characters", branchBody(object{"name": long(81)}), []string{"name: The field Name must be a string with a maximum length of 80."}},
		{"legal name has 80 characters", branchBody(object{"legalName": long(81)}), []string{"legalName: The field LegalName must be a string with a maximum length of 80."}},
		{"e-mail has 80 characters, more than a customer's", branchBody(object{"email": long(75) + "@b.com"}), []string{"email: The field Email must be a string with a maximum length of 80."}},
		{"phone has 15 characters", branchBody(object{"phone": "+55 11 98765-4321"}), []string{"phone: The field Phone must be a string with a maximum length of 15."}},
		{"a phone is digits", branchBody(object{"mobilePhone": "none"}), []string{"mobilePhone: The field MobilePhone is invalid"}},
		{"a tax number is a CNPJ or a CPF", branchBody(object{"federalTaxNumber": "123"}), []string{"federalTaxNumber: The field FederalTaxNumber is invalid"}},
		{"state tax number is digits or ISENTO", branchBody(object{"stateTaxNumber": "1-2"}), []string{"stateTaxNumber: The field StateTaxNumber must contain digits only or ISENTO."}},
		{"postal code has 15 characters", branchBody(object{"address": object{"postalCode": long(16), "city": object{"code": "3550308"}}}), []string{"address.postalCode: The field PostalCode must be a string with a maximum length of 15."}},
		{"an unknown tax regime", branchBody(object{"taxRegime": "lucroPresumido"}), []string{`taxRegime: Error converting value "lucroPresumido" to type 'TaxRegime'. Path 'taxRegime'.`}},
		{"an activity has a code", branchBody(object{"economicActivities": activity(object{"type": "main"})}), []string{"economicActivities[0].code: The Code field is required."}},
		{"an unknown type of activity", branchBody(object{"economicActivities": activity(object{"code": "1", "type": "first"})}), []string{`economicActivities[0].type: Error converting value "first" to type 'Type'. Path 'economicActivities[0].type'.`}},
	})
	t.Cleanup(func() {
		wantSame(t, 1, len(c.s.Objects(KindCompanies)), "number of companies")
	})
}

func TestCompany_putReplacesTheWholeRecordAndKeepsTheKey(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	created := c.must("POST", "/companies", branchBody(object{"email": "a@b.example", "taxRegime": "regimeNormal"}))
	id := created["id"].(string)
	key := c.s.KeyOf(id)
	created["name"] = "C"
	delete(created, "email")
	created["economicActivities"] = []any{object{"code": "1", "type": "main"}}
	created["apiCredentials"] = object{"apiKey": "aaaa****"}
	after := c.must("PUT", "/companies/"+id, created)
	wantFields(t, after, object{
		"id": id, "name": "C", "email": nil, "taxRegime": "regimeNormal",
		"apiCredentials": object{"apiKey": key[:4] + strings.Repeat("*", 36)},
	})
	after = c.must("PUT", "/companies/"+id, branchBody(nil))
	wantFields(t, after, object{"taxRegime": nil, "economicActivities": []any{}})
	wantSame(t, key, c.s.KeyOf(id), "the key after a PUT")
	wantStatus(t, c.do("PUT", "/companies/"+id, branchBody(object{"address": nil})), http.StatusBadRequest)
	wantSame(t, []UnknownField(nil), c.s.UnknownFields(), "unknown fields")
}

func TestCompany_aTakenTaxNumberIsRefusedUnlessTheMainCompanyAllowsIt(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	first := newBranch(c)
	body := branchBody(object{"federalTaxNumber": "45.997.418/0001-53"})
	c.refused("POST", "/companies", body, "federalTaxNumber: The CNPJ 45997418000153 already has a linked account.")
	c.must("PUT", "/companies/"+first, body)

	other := c.must("POST", "/companies", branchBody(object{"federalTaxNumber": "11222333000181"}))["id"].(string)
	wantStatus(t, c.do("PUT", "/companies/"+other, body), http.StatusBadRequest)

	allow := object{"general": object{"allowDuplicateFederalTaxNumbers": true}}
	c.must("PUT", "/companies/"+other+"/settings", allow)
	wantStatus(t, c.do("POST", "/companies", body), http.StatusBadRequest)
	c.must("PUT", "/companies/"+c.s.OwnerCompanyID()+"/settings", allow)
	c.must("POST", "/companies", body)
}

func TestCompany_deleteTakesKeySettingsAndCertificatesAlong(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id := newBranch(c)
	c.upload(id, "certificateFile", "pfx", "secret")
	wantFields(t, c.must("DELETE", "/companies/"+id, nil), object{"success": true})
	for _, path := range []string{"/companies/" + id, "/companies/" + id + "/settings", "/companies/" + id + "/certificates"} {
		wantStatus(t, c.do("GET", path, nil), http.StatusNotFound)
	}
	wantStatus(t, c.do("DELETE", "/companies/"+id, nil), http.StatusNotFound)
	wantSame(t, 0, len(c.s.Objects(KindCertificates)), "number of certificates that are left")
	if c.s.KeyOf(id) != "" || c.s.SettingsClear(id) != nil {
		t.Error("a deleted company still has a key or settings")
	}
}

func TestMunicipalities_codesHaveTheirCheckDigit(t *testing.T) {
	t.Parallel()
	for _, m := range municipalities {
		sum := 0
		for i, digit := range m.code[:6] {
			n := int(digit-'0') * (1 + i%2)
			sum += n/10 + n%10
		}
		wantSame(t, byte('0'+(10-sum%10)%10), m.code[6], "check digit of %s %s", m.code, m.name)
	}
}

func TestMunicipalities_everyStateHasOne(t *testing.T) {
	t.Parallel()
	for state, prefix := range stateCodes {
		found := false
		for _, m := range municipalities {
			found = found || strings.HasPrefix(m.code, prefix)
		}
		if !found {
			t.Errorf("no municipality of %s", state)
		}
	}
	wantSame(t, 27, len(stateCodes), "number of states")
}

func TestCity_isResolvedFromEitherForm(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	tests := []struct {
		name     string
		sent     object
		resolved any
		problem  string
	}{
		{"from its code", object{"code": "3304557"}, city("3304557", "Rio de Janeiro", "rj"), ""},
		{"from its code as an integer", object{"code": 3304557}, city("3304557", "Rio de Janeiro", "rj"), ""},
		{"from name and state without accents and in capitals", object{"name": "MACEIO", "state": "AL"}, city("2704302", "Maceió", "al"), ""},
		{"from all three", object{"code": "3550308", "name": "São Paulo", "state": "sp"}, city("3550308", "São Paulo", "sp"), ""},
		{"from a code that only the state vouches for", object{"code": "3500105"}, city("3500105", "Município 3500105", "sp"), ""},
		{"from the name given to such a code", object{"name": "Município 3500105", "state": "SP"}, city("3500105", "Município 3500105", "sp"), ""},
		{"keeping the sent name of such a code", object{"code": "3500105", "name": "Adamantina"}, city("3500105", "Adamantina", "sp"), ""},
		{"abroad", object{"name": "Lisboa", "state": "EX"}, city("9999999", "Lisboa", "ex"), ""},
		{"an empty city is none", object{}, nil, ""},
		{"not from a code of no state", object{"code": "9912345"}, nil, "address.city.code: The city 9912345 was not found."},
		{"not from a code of six digits", object{"code": "355030"}, nil, "address.city.code: The city 355030 was not found."},
		{"not from a code in another state", object{"code": "3550308", "state": "RJ"}, nil, "address.city.state: The city 3550308 is not in the state RJ."},
		{"not from a name of another state", object{"name": "Maceió", "state": "sp"}, nil, "address.city.name: The city Maceió/SP was not found."},
		{"not from a name alone", object{"name": "Maceió"}, nil, "address.city.state: The field State is required when the city has no code."},
		{"not from a state alone", object{"state": "sp"}, nil, "address.city.name: The field Name is required when the city has no code."},
		{"not from a state that is none", object{"code": "3550308", "state": "xx"}, nil, "address.city.state: Error converting value \"xx\" to type 'State'. Path 'address.city.state'."},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			g := c.in(t).do("POST", "/customers", object{"name": "A", "address": object{"city": tt.sent}})
			if tt.problem != "" {
				wantStatus(t, g, http.StatusBadRequest)
				wantSame(t, []string{tt.problem}, g.problems(), "problems")
				return
			}
			wantStatus(t, g, http.StatusOK)
			wantSame(t, tt.resolved, g.doc["address"].(object)["city"], "city")
		})
	}
}

func city(code, name, state string) object {
	return object{"code": code, "name": name, "state": state}
}

func TestCountry_isBrazilUnlessNamed(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	tests := []struct {
		name     string
		sent     any
		resolved object
	}{
		{"absent", nil, object{"code": json.Number("1058"), "name": "Brasil"}},
		{"empty", object{}, object{"code": json.Number("1058"), "name": "Brasil"}},
		{"a code sent as a string is answered as an integer", object{"code": "6076"}, object{"code": json.Number("6076"), "name": "Portugal"}},
		{"a known name has a code", object{"name": "franca"}, object{"code": json.Number("2755"), "name": "França"}},
		{"an unknown name has none", object{"name": "Nárnia"}, object{"code": nil, "name": "Nárnia"}},
		{"an unknown code keeps the name", object{"code": 3999, "name": "Japão"}, object{"code": json.Number("3999"), "name": "Japão"}},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			doc := c.in(t).must("POST", "/customers", object{"name": "A", "address": object{"country": tt.sent}})
			wantSame(t, tt.resolved, doc["address"].(object)["country"], "country")
		})
	}
}

// upload sends a certificate form; an empty password is left out.
func (c *client) upload(companyID, part, pfx, password string) got {
	c.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile(part, "a1.pfx")
	expect.NoError(c.t, err)
	_, _ = file.Write([]byte(pfx))
	if password != "" {
		_ = form.WriteField("password", password)
	}
	_ = form.Close()
	return c.send("POST", "/companies/"+companyID+"/certificates", body.String(), http.Header{"Content-Type": {form.FormDataContentType()}})
}

func (c *client) certificates(companyID string) []object {
	c.t.Helper()
	g := c.do("GET", "/companies/"+companyID+"/certificates", nil)
	wantStatus(c.t, g, http.StatusOK)
	var list []object
	if err := json.Unmarshal([]byte(g.raw), &list); err != nil {
		c.t.Fatalf("the list is no bare array: %s", g.raw)
	}
	return list
}

// pfx is a PKCS #12 file with a certificate of owner, which ends at noon, and its key.
func pfx(t *testing.T, owner, password string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	expect.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: owner, Organization: []string{"ICP-Brasil"}}, NotAfter: noon,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	expect.NoError(t, err)
	certificate, err := x509.ParseCertificate(der)
	expect.NoError(t, err)
	file, err := pkcs12.Modern.Encode(key, certificate, nil, password)
	expect.NoError(t, err)
	return string(file)
}

func TestCertificate_aRealFileIsOpened(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"MATRIZ LTDA:98765432000198", "MATRIZ LTDA, LOJA:98765432000279", "Certificado de teste"} {
		c := newClient(t, Options{})
		g := c.upload(c.s.OwnerCompanyID(), "certificateFile", pfx(t, owner, "right"), "right")
		wantStatus(t, g, http.StatusOK)
		subject, _ := g.doc["subject"].(string)
		if !strings.HasPrefix(strings.ReplaceAll(subject, `\,`, ","), "CN="+owner) {
			t.Errorf("subject = %s, want %s", subject, owner)
		}
		wantFields(t, g.doc, object{"issuer": subject, "expirationAt": "2026-03-10T12:00:00.0000000Z", "isActive": true})
	}
}

func TestCertificate_theLastOneReplacesTheOneBefore(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id, other := newBranch(c), c.s.OwnerCompanyID()
	for _, file := range []string{"first", "second"} {
		c.s.ExpectCertificate([]byte(file), "p", "CN=A", "CN=AC", noon)
	}
	for _, company := range []string{other, id} {
		wantStatus(t, c.upload(company, "certificateFile", "first", "p"), http.StatusOK)
	}
	wantStatus(t, c.upload(id, "certificateFile", "second", "p"), http.StatusOK)
	var active []any
	for _, list := range [][]object{c.certificates(id), c.certificates(other)} {
		for _, certificate := range list {
			active = append(active, certificate["isActive"])
		}
	}
	wantSame(t, []any{false, true, true}, active, "active certificates of the branch, then of the main company")
}

func TestCertificate_uploadsThatAreRefused(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id := c.s.OwnerCompanyID()
	c.s.ExpectCertificate([]byte("pfx"), "right", "CN=A", "CN=AC", noon.Add(time.Hour))
	c.s.ExpectCertificate([]byte("known"), "p", "CN=A", "CN=AC", noon.Add(time.Hour))
	wantStatus(t, c.upload(id, "certificateFile", "known", "p"), http.StatusOK)
	own := pfx(t, "MATRIZ LTDA:98765432000198", "right")
	tests := []struct{ name, part, pfx, password, want string }{
		{"a file the company has already", "certificateFile", "known", "p", "<nil>: The certificate is already registered."},
		{"a wrong password", "certificateFile", "pfx", "wrong", "password: The certificate password is invalid."},
		{"a wrong password of a real file", "certificateFile", own, "wrong", "password: The certificate password is invalid."},
		{"no PKCS #12 file", "certificateFile", "-----BEGIN CERTIFICATE-----", "p", "certificateFile: The certificate file is not a PKCS #12 file with a certificate and its key."},
		{"another company's", "certificateFile", pfx(t, "OUTRA LTDA:45997418000153", "p"), "p", "certificateFile: The certificate is of 45997418000153, and not of the company 98765432000198."},
		{"an empty file", "certificateFile", "", "p", "certificateFile: The CertificateFile field is required."},
		{"no password", "certificateFile", "new", "", "password: The Password field is required."},
		{"the part name of older texts", "file", "new", "p", "certificateFile: The CertificateFile field is required."},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			g := c.in(t).upload(id, tt.part, tt.pfx, tt.password)
			wantStatus(t, g, http.StatusBadRequest)
			wantSame(t, []string{tt.want}, g.problems(), "problems")
		})
	}
	wantStatus(t, c.do("POST", "/companies/"+id+"/certificates", object{}), http.StatusUnsupportedMediaType)
	wantStatus(t, c.send("POST", "/companies/"+id+"/certificates", "no form", http.Header{"Content-Type": {"multipart/form-data; boundary=x"}}), http.StatusBadRequest)
}

// spelled returns the fields of one block of a settings answer as they are spelled.
func spelled(t *testing.T, answer, block string) map[string]string {
	t.Helper()
	var doc map[string]json.RawMessage
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(answer), &doc); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	if err := json.Unmarshal(doc[block], &fields); err != nil {
		t.Fatalf("%s of %s: %v", block, answer, err)
	}
	out := map[string]string{}
	for name, value := range fields {
		out[name] = string(value)
	}
	return out
}

// wantSpelled compares a settings answer with a spelling of every field that the service has.
func wantSpelled(t *testing.T, answer string, spelling func(settingsField) string) {
	t.Helper()
	for _, shape := range settingsBlocks {
		want := map[string]string{}
		for _, field := range shape.fields {
			want[field.name] = spelling(field)
		}
		wantSame(t, want, spelled(t, answer, shape.name), "%s", shape.name)
	}
}

func ownSettings(c *client) string { return "/companies/" + c.s.OwnerCompanyID() + "/settings" }

// oneBlock is a PUT body with one block.
func oneBlock(name string, fields object) object { return object{name: fields} }

func TestSettings_ofANewCompanyHaveDefaultsAndFieldsNobodyKnows(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id := newBranch(c)
	g := c.do("GET", "/companies/"+id+"/settings", nil)
	wantStatus(t, g, http.StatusOK)
	wantSpelled(t, g.raw, func(f settingsField) string { return f.fresh })
	wantFields(t, g.doc, object{"companyId": id})
}

func TestSettings_aFieldLeftOutOfASentBlockGoesToItsDefault(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{SecretReads: SecretsClear})
	c.must("PUT", ownSettings(c), object{
		"general": object{"decimalPrecision": 4, "allowNaturalPersonCompany": true, "technicalResponsible": object{"contactName": "A"}},
		"productInvoice": object{
			"series": "2", "nextNumber": 7, "environmentType": "development", "danfePrintLayout": "simplified", "inbound": object{"enabled": true},
		},
		"consumerInvoice": object{"series": "3", "nextNumber": 8, "tokenId": "1", "csc": "s3cret", "allowOfflineContingency": true},
		"serviceInvoice":  object{"issueType": "annfs", "userName": "u", "password": "p", "nextBatchNumber": 9, "sendCityTaxNumber": true},
	})
	g := c.do("PUT", ownSettings(c), `{"general":{},"productInvoice":{},"consumerInvoice":{},"serviceInvoice":{}}`)
	wantStatus(t, g, http.StatusOK)
	wantSpelled(t, g.raw, func(f settingsField) string { return f.reset })
}

func TestSettings_anUnsetEnumIsAcceptedBackAndSoIsNull(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for _, unset := range []string{"0", "null"} {
		g := c.do("PUT", ownSettings(c), `{"serviceInvoice":{"environmentType":`+unset+`,"issueType":`+unset+`,"sendCityTaxNumber":null}}`)
		wantStatus(t, g, http.StatusOK)
		wantFields(t, g.doc, oneBlock("serviceInvoice", object{
			"environmentType": json.Number("0"), "issueType": json.Number("0"), "sendCityTaxNumber": false,
		}))
	}
}

func TestSettings_valuesComeBackByteForByte(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	general := `{ "decimalPrecision":2, "roundingTolerance": 1.50, "documentDelivery":{"z": "\u00e3\u003c<&>",  "a":[1.0, 2e3],"n":null},
		"invented": {"b":0.10,"a":"\/"}, "technicalResponsible": {"federalTaxNumber":"45997418000153","contactName":"Jo\u00e3o","email":null,"phone":null,"csrts":[ 1.0 ]} }`
	var sent map[string]json.RawMessage
	expect.NoError(t, json.Unmarshal([]byte(general), &sent))
	wantStatus(t, c.do("PUT", ownSettings(c), `{"general":`+general+`}`), http.StatusOK)
	for _, answer := range []string{c.do("GET", ownSettings(c), nil).raw, string(c.s.SettingsJSON(c.s.OwnerCompanyID()))} {
		got := spelled(t, answer, "general")
		for name, want := range sent {
			wantSame(t, string(want), got[name], "%s", name)
		}
	}
}

func TestSettings_whatTheServiceNormalizesIsAnsweredInItsOwnSpelling(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	doc := c.must("PUT", ownSettings(c), object{
		"general":        object{"technicalResponsible": object{"federalTaxNumber": "45.997.418/0001-53", "phone": "(11) 3333-4444", "nick": "x"}},
		"productInvoice": object{"series": 7, "nextNumber": "12", "environmentType": "DEVELOPMENT", "inbound": object{"enabled": true, "startDate": "2026-01-01"}},
	})
	wantFields(t, doc, object{
		"general": object{"technicalResponsible": object{
			"federalTaxNumber": "45997418000153", "phone": "1133334444", "contactName": nil, "email": nil, "csrts": nil, "nick": "x",
		}},
		"productInvoice": object{
			"series": "7", "nextNumber": json.Number("12"), "environmentType": "development",
			"inbound": object{"enabled": true, "startDate": "2026-01-01"},
		},
	})
}

func TestSettings_aFieldNobodyKnowsIsKeptWhileItIsSentAndNoted(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	wantFields(t, c.must("PUT", ownSettings(c), oneBlock("general", object{"invented": 1})), oneBlock("general", object{"invented": json.Number("1")}))
	doc := c.must("PUT", ownSettings(c), oneBlock("general", object{"decimalPrecision": 2, "roundingTolerance": 1}))
	if _, kept := doc["general"].(object)["invented"]; kept {
		t.Error("a field that was left out is still there")
	}
	// Sent one level too high, everything is ignored and the answer is a success.
	c.must("PUT", ownSettings(c), object{"decimalPrecision": 5, "companyId": "x"})
	want := []UnknownField{
		{"PUT", "/v1/companies/{id}/settings", "general.invented"}, {"PUT", "/v1/companies/{id}/settings", "decimalPrecision"},
	}
	wantSame(t, want, c.s.UnknownFields(), "unknown fields")
}

func TestSettings_refusesWhatIsWrongAndChangesNothing(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	before := string(c.s.SettingsJSON(c.s.OwnerCompanyID()))
	tests := rows.Read[[]struct {
		Name   string
		Block  string
		Fields object
		Want   string
	}](t, "settings_refuses_what_is_wrong_and_changes_nothing.json")
	for _, tt := range tests {
		rows.Case(t, tt.Name, func(t *testing.T) {
			c := c.in(t)
			body := oneBlock(tt.Block, tt.Fields)
			if tt.Block != "general" {
				body["general"] = object{"decimalPrecision": 9}
			}
			c.refused("PUT", ownSettings(c), body, tt.Want)
		})
	}
	t.Cleanup(func() {
		wantSame(t, before, string(c.s.SettingsJSON(c.s.OwnerCompanyID())), "the settings after a refused PUT")
	})
	wantStatus(t, c.do("PUT", ownSettings(c), `{"general":[]}`), http.StatusBadRequest)
}

func TestSettings_secretsAreReadAsTheAccountDoes(t *testing.T) {
	t.Parallel()
	for reads, want := range map[string][2]string{
		"": {`"s3****"`, `"pa**"`}, SecretsMasked: {`"s3****"`, `"pa**"`}, SecretsHidden: {`"******"`, `"****"`},
		SecretsClear: {`"s\u0033cret"`, `"pa\u0073s"`}, SecretsAbsent: {"", ""}, SecretsNull: {"null", "null"},
	} {
		c := newClient(t, Options{SecretReads: reads})
		before := c.do("GET", ownSettings(c), nil).raw
		wantSame(t, "null", spelled(t, before, "consumerInvoice")["csc"], "%q: an unset secret", reads)
		put := c.do("PUT", ownSettings(c), `{"consumerInvoice":{"tokenId":"1","csc":"s\u0033cret"},"serviceInvoice":{"password":"pa\u0073s"}}`)
		wantStatus(t, put, http.StatusOK)
		for _, raw := range []string{put.raw, c.do("GET", ownSettings(c), nil).raw} {
			got := [2]string{spelled(t, raw, "consumerInvoice")["csc"], spelled(t, raw, "serviceInvoice")["password"]}
			wantSame(t, want, got, "%q: csc and password", reads)
		}
		wantFields(t, c.s.SettingsClear(c.s.OwnerCompanyID()), object{
			"consumerInvoice": object{"csc": "s3cret"}, "serviceInvoice": object{"password": "pass"},
		})
	}
}

func TestSettings_aMaskThatIsWrittenBackBecomesTheSecret(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	c.s.SetSettings(c.s.OwnerCompanyID(), oneBlock("consumerInvoice", object{"tokenId": "1", "csc": "s3cret"}))
	c.must("PUT", ownSettings(c), c.must("GET", ownSettings(c), nil))
	wantFields(t, c.s.SettingsClear(c.s.OwnerCompanyID()), oneBlock("consumerInvoice", object{"csc": "s3****"}))
	wantSame(t, []UnknownField(nil), c.s.UnknownFields(), "unknown fields")
}

func TestSetSettings_setsWhatItNamesInItsSpelling(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id := c.s.OwnerCompanyID()
	before := spelled(t, string(c.s.SettingsJSON(id)), "productInvoice")
	if !c.s.SetSettings(id, oneBlock("productInvoice", object{"nextNumber": 40, "late": json.RawMessage(`{"x": 1.0}`)})) {
		t.Fatal("the main company has no settings")
	}
	before["nextNumber"], before["late"] = "40", `{"x": 1.0}`
	wantSame(t, before, spelled(t, string(c.s.SettingsJSON(id)), "productInvoice"), "the block")
	if c.s.SetSettings("nobody", nil) || c.s.SettingsJSON("nobody") != nil {
		t.Error("a company that does not exist has settings")
	}
}

func TestSettingsBlock_isAliveAndItsChangesAreAnswered(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	c.s.locked(func() {
		values := c.s.settingsBlock(c.s.OwnerCompanyID(), "productInvoice")
		values["nextNumber"] = json.Number("2")
		if integer(c.s.settingsBlock(c.s.OwnerCompanyID(), "productInvoice"), "nextNumber") != 2 {
			t.Error("the change is not seen")
		}
		if c.s.settingsBlock("nobody", "productInvoice") != nil || c.s.settingsBlock(c.s.OwnerCompanyID(), "nothing") != nil {
			t.Error("a block of nobody, or one that does not exist, is not nil")
		}
	})
	wantTexts(t, c.do("GET", ownSettings(c), nil).raw, `"productInvoice":{"series":"1","nextNumber":2,`)
}

// scripted issues an invoice under the id "s-1", which the outcomes are for, and returns its path.
func (c *client) scripted(path string, outcomes ...Outcome) string {
	c.t.Helper()
	c.s.ScriptInvoice("s-1", outcomes...)
	return path + "/" + c.issued(path, object{"integrationId": "s-1"})
}

func (c *client) wantStatusAt(path, when, want string) {
	c.t.Helper()
	if doc := c.must("GET", path, nil); doc["status"] != want {
		c.t.Errorf("%s: status = %v, want %s (%v)", when, doc["status"], want, doc["processingDetail"])
	}
}

func TestScript_outcomesAreTakenOneByOneAndThenAuthorize(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	path := c.scripted("/product-invoices", Reject("539", "Duplicidade"), Reject("E9999", "Rejeição genérica"))
	wantFields(t, c.must("GET", path, nil), object{
		"status": "rejected", "number": json.Number("0"), "accessKey": nil, "authorization": nil,
		"processingDetail": object{"status": "success", "code": "539", "message": "Duplicidade"},
	})
	c.must("POST", path+"/issue", nil)
	wantFields(t, c.must("GET", path, nil), object{"status": "rejected", "processingDetail": object{"code": "E9999"}})
	c.issued("/product-invoices", object{"integrationId": "s-1"})
	c.wantStatusAt(path, "after the script", "authorized")
}

func TestScript_stagesFollowByTime(t *testing.T) {
	t.Parallel()
	type stage struct {
		after          time.Duration
		status, detail string
	}
	tests := []struct {
		name    string
		outcome Outcome
		stages  []stage
	}{
		{"a delay replaces that of the options", Authorize().After(90 * time.Second), []stage{
			{90*time.Second - 1, "enqueued", "processing"}, {1, "authorized", "success"},
		}},
		{"received comes first", Authorize().ReceivedFirst(), []stage{
			{0, "enqueued", "processing"}, {time.Second, "received", "processing"}, {time.Second, "authorized", "success"},
		}},
		{"a failed detail is no verdict", Authorize().FailedDetailFirst(), []stage{
			{time.Second, "enqueued", "failed"}, {time.Second, "authorized", "success"},
		}},
		{"an unknown status is shown as it is", UnknownStatus("inReview", Authorize().After(5*time.Second)), []stage{
			{time.Second, "inReview", "processing"}, {5 * time.Second, "authorized", "success"},
		}},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			c, clock := newSlowIssuer(t)
			path := c.scripted("/service-invoices", tt.outcome)
			for _, stage := range tt.stages {
				clock.Advance(stage.after)
				wantFields(t, c.must("GET", path, nil), object{"status": stage.status, "processingDetail": object{"status": stage.detail}})
			}
		})
	}
}

func TestScript_checkStatusBringsWhatTheAuthorityHolds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		path        string
		outcome     Outcome
		delay       time.Duration
		shown       string
		after, code string
	}{
		{
			"after a transient code that time does not resolve", "/service-invoices",
			TransientCode("SPD999", "sem comunicação", Reject("202", "Falha")).OnlyByCheck(), time.Second, "rejected", "rejected", "202",
		},
		{"after a stage that has no delay", "/service-invoices", TransientCode("SPD001", "em processamento", Authorize()), 0, "rejected", "authorized", ""},
		{"after a rejection that it does not share", "/product-invoices", Reject("SPD004", "já autorizada").Reconciled(Authorize()), 0, "rejected", "authorized", "100"},
		{"after a contingency that ends in a rejection", "/consumer-invoices", Contingency(Reject("302", "Irregular")), 0, "inContingent", "rejected", "302"},
		{"and nothing new of a settled invoice", "/consumer-invoices", Reject("202", "Falha"), 0, "rejected", "rejected", "202"},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			clock := NewManualClock(noon)
			c := newIssuer(t, Options{Clock: clock, AuthorizeAfter: tt.delay})
			c.allowOffline()
			path := c.scripted(tt.path, tt.outcome)
			clock.Advance(time.Hour)
			c.wantStatusAt(path, "however much time passes", tt.shown)
			wantFields(t, c.must("POST", path+"/check-status", nil), object{"status": tt.after, "processingDetail": object{"code": orNull(tt.code)}})
		})
	}
	c := newIssuer(t, Options{})
	draft := "/service-invoices/" + c.issued("/service-invoices", object{"issue": false})
	wantStatus(t, c.do("POST", draft+"/check-status", nil), http.StatusBadRequest)
}

func TestScript_anOvertakenProcessingHasNoEffect(t *testing.T) {
	t.Parallel()
	c, clock := newSlowIssuer(t)
	path := c.scripted("/service-invoices", StuckUntilCheck(Reject("1", "alt")), Authorize().After(time.Minute))
	clock.Advance(time.Second)
	c.s.SetInvoiceStatus(c.s.Invoices("")[0]["id"].(string), "rejected")
	c.must("POST", path+"/issue", nil)
	wantStatus(t, c.do("POST", path+"/check-status", nil), http.StatusBadRequest)
	clock.Advance(time.Minute)
	c.wantStatusAt(path, "in the end", "authorized")
}

func TestScript_anNFCeIsValidInContingencyAndAuthorizedLater(t *testing.T) {
	t.Parallel()
	c, clock := newSlowIssuer(t)
	c.allowOffline()
	path := c.scripted("/consumer-invoices", Contingency(Authorize().After(time.Minute)))
	clock.Advance(time.Second)
	inContingency := c.must("GET", path, nil)
	wantFields(t, inContingency, object{
		"status": "inContingent", "issueType": "offLine", "number": json.Number("1"), "authorization": nil,
		"contingency": object{"date": "2026-03-10T09:00:01-03:00"},
	})
	key := wantEmission(t, inContingency, '9')
	wantStatus(t, c.do("DELETE", path, object{"reason": "A venda foi desfeita"}), http.StatusBadRequest)
	clock.Advance(time.Minute)
	authorized := c.must("GET", path, nil)
	wantFields(t, authorized, object{"status": "authorized", "number": json.Number("1"), "accessKey": key})
	if authorized["authorization"] == nil {
		t.Error("the authorized invoice has no protocol")
	}
}

// Specification, What the service does, rule 8: it stays synchronous.
func TestScript_anNFeInContingencyIsAuthorizedThroughTheSVC(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]struct {
		issueType string
		emission  byte
	}{"3550308": {"svcan", '6'}, "4106902": {"svcrs", '7'}} {
		c := newIssuer(t, Options{})
		c.s.locked(func() {
			c.s.update(KindCompanies, c.s.ownerID, func(doc object) {
				doc["address"] = object{"city": object{"code": state}}
			})
		})
		path := c.scripted("/product-invoices", Contingency(Reject("302", "Irregular")), Contingency(Authorize()))
		wantFields(t, c.must("GET", path, nil), object{"status": "rejected", "issueType": want.issueType, "number": json.Number("0")})
		c.must("POST", path+"/issue", nil)
		authorized := c.must("GET", path, nil)
		wantFields(t, authorized, object{"status": "authorized", "issueType": want.issueType, "contingency": object{"reason": "Autoridade fiscal indisponível"}})
		wantEmission(t, authorized, want.emission)
		wantTexts(t, c.do("GET", path+"/pdf", nil).raw, "EMITIDA EM CONTINGENCIA")
	}
}

func TestInvoice_aRequestCannotForceContingency(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	path := "/product-invoices/" + c.issued("/product-invoices", object{"issueType": "svcan", "contingency": object{"reason": "Sem internet"}})
	wantFields(t, c.must("GET", path, nil), object{"status": "authorized", "issueType": "normal", "contingency": nil})
}

// allowOffline allows the offline contingency of NFC-e.
func (c *client) allowOffline() {
	c.s.SetSettings(c.s.OwnerCompanyID(), object{"consumerInvoice": object{"allowOfflineContingency": true}})
}

// wantEmission compares the digit of the emission type, and returns the access key.
func wantEmission(t *testing.T, invoice object, emission byte) string {
	t.Helper()
	key, _ := invoice["accessKey"].(string)
	if len(key) != 44 || key[34] != emission {
		t.Errorf("access key %q does not tell the emission type %c", key, emission)
	}
	return key
}

func TestScript_whatWasRejectedAfterContingencyKeepsItsNumberAndSeries(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.allowOffline()
	path := c.scripted("/consumer-invoices", Contingency(Reject("302", "Irregular")))
	c.must("POST", path+"/check-status", nil)
	before := c.must("GET", path, nil)
	c.issued("/consumer-invoices", object{"integrationId": "s-1", "items": []any{soldItem("1", 1, 11)}, "total": nil, "payments": []any{object{"method": "pix", "amount": 11}}})
	wantFields(t, c.must("GET", path, nil), object{
		"status": "authorized", "amount": json.Number("11"),
		"number": before["number"], "series": before["series"], "accessKey": before["accessKey"],
	})
	wantFields(t, before, object{"series": "1", "number": json.Number("1")})
}

func TestScript_contingencyNeedsThePermissionOfTheCompanyAndNeverIsForServices(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/consumer-invoices", "/service-invoices"} {
		c := newIssuer(t, Options{})
		wantFields(t, c.must("GET", c.scripted(path, Contingency(Authorize())), nil), object{
			"status": "enqueued", "processingDetail": object{"code": "SPD999"},
		})
	}
}
