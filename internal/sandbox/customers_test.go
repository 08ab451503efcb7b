package sandbox

import (
	"encoding/json"
	"strings"
	"testing"
)

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
		if doc["federalTaxNumber"] != stored {
			t.Errorf("federalTaxNumber = %v, want %s", doc["federalTaxNumber"], stored)
		}
	}
}
