package sandbox

import (
	"maps"
	"net/http"
	"strings"
	"testing"
)

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
