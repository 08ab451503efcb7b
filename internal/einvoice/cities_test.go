package einvoice

import (
	"encoding/json"
	"testing"
)

func TestServiceCities(t *testing.T) {
	t.Parallel()
	const options = `{"rps":true, "nbsCode":"", "rate":1.0}`
	s := newService(t, exchange{
		method: "GET", path: "/v1/service-invoices/cities?code=3550308&page=1&pageSize=100&state=SP",
		answer: `{"hasNext":false,"items":[` +
			`{"id":"1","code":3550308,"name":"São Paulo","state":"SP","provider":{"name":"p","options":` + options + `},"nationalServiceInvoiceRegimes":["mei","simplesNacional"]},` +
			`{"id":"2","code":"1721000","provider":{"name":"national"},"nationalServiceInvoiceRegimes":"mei, regimeNormal"},` +
			`{"id":"3","provider":null,"nationalServiceInvoiceRegimes":null},` +
			`{"id":"4","provider":{"name":"","options":[]},"nationalServiceInvoiceRegimes":[]}]}`,
	})
	got, err := all(s.client().ServiceCities(t.Context(), "3550308", "sp"))
	wantKind(t, err, "")
	for _, v := range got {
		v.Raw = nil
	}
	want := []*ServiceCity{
		{
			ID: "1", Code: "3550308", Name: "São Paulo", State: "SP", Provider: &CityProvider{Name: "p", Options: json.RawMessage(options)},
			NationalRegimes: Regimes{"mei", "simplesNacional"},
		},
		{ID: "2", Code: "1721000", Provider: &CityProvider{Name: "national"}, NationalRegimes: Regimes{"mei", "regimeNormal"}},
		{ID: "3"},
		{ID: "4", Provider: &CityProvider{}, NationalRegimes: Regimes{}},
	}
	wantSame(t, want, got)
}
