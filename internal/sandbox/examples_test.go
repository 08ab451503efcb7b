package sandbox

import (
	"encoding/json"
	"net/http"
	"testing"
)

func TestExamples_canBeIssuedAsTheyAre(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	for _, m := range municipalities {
		for _, example := range c.must("GET", "/service-invoices/cities/"+m.code+"/payload-example", nil)["examples"].([]any) {
			doc := c.must("POST", "/service-invoices", example)
			wantSame(t, "authorized", statusOf(t, c, service, doc["id"].(string)), "status of the example of %s", m.name)
		}
	}
	wantSame(t, []UnknownField(nil), c.s.UnknownFields(), "unknown fields")
}

func TestExamples_byKindOfCity(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	for code, want := range map[string][]string{
		"3550308": {"paulistana"}, "3106200": {"bhiss", "national"}, "3304557": {"national"}, "1200401": {"ginfes"}, "3509502": {},
	} {
		got := []string{}
		for _, example := range c.must("GET", "/service-invoices/cities/"+code+"/payload-example", nil)["examples"].([]any) {
			example := example.(object)
			if example["sourceIssuedOn"] == nil {
				t.Errorf("an example of %s has no date", code)
			}
			got = append(got, example["provider"].(string))
		}
		wantSame(t, want, got, "examples of %s", code)
	}
	wantStatus(t, c.do("GET", "/service-invoices/cities/3500000/payload-example", nil), http.StatusNotFound)
}

func TestCities_listWithFilters(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	wantFields(t, c.must("GET", "/service-invoices/cities?pageSize=10", nil), object{
		"totalCount": json.Number("45"), "pageCount": json.Number("5"), "hasNext": true,
	})
	wantFields(t, c.must("GET", "/service-invoices/cities?state=pr", nil), object{"totalCount": json.Number("2")})
	city := c.items("/service-invoices/cities?code=4106902")[0].(object)
	wantFields(t, city, object{
		"code": "4106902", "name": "Curitiba", "state": "PR", "nationalServiceInvoiceRegimes": []any{"mei", "simplesNacional"},
		"provider": object{"name": "issCuritiba", "options": object{"rps": true, "authentication": "certificate"}},
	})
	plain := c.items("/service-invoices/cities?code=3509502")[0].(object)
	wantFields(t, plain, object{"nationalServiceInvoiceRegimes": nil})
}
