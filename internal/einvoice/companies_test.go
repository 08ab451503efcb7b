package einvoice

import (
	"encoding/json"
	"testing"
)

func TestCompany_keys(t *testing.T) {
	t.Parallel()
	s := newService(t,
		exchange{
			method: "POST", path: "/v1/companies",
			body:   `{"economicActivities":[{"code":"6201501","type":"main"}],"federalTaxNumber":"191","name":"n","taxRegime":"regimeNormal"}`,
			answer: `{"id":"1","name":"n","taxRegime":"regimeNormal","apiCredentials":{"apiKey":"abcd-efgh"}}`,
		},
		exchange{method: "GET", path: "/v1/companies/1", answer: `{"id":"1","taxRegime":0,"economicActivities":[{"code":6201501,"type":"main","isMain":true}],"apiCredentials":{"apiKey":"abcd****"}}`},
		exchange{method: "GET", path: "/v1/companies?page=1&pageSize=100", answer: `{"items":[{"id":"1","apiCredentials":null}],"hasNext":false}`},
	)
	c, ctx := s.client(), t.Context()
	in := Company{Name: "n", FederalTaxNumber: "191", TaxRegime: "regimeNormal", EconomicActivities: []EconomicActivity{{Code: "6201501", Type: "main"}}, APIKey: "not sent"}
	v, err := c.CreateCompany(ctx, in, nil)
	if err != nil || v.APIKey != "abcd-efgh" || IsMasked(v.APIKey) {
		t.Errorf("%+v, %v", v, err)
	}
	v, err = c.Company(ctx, "1")
	if err != nil || v.APIKey != "abcd****" || !IsMasked(v.APIKey) || v.TaxRegime != "" || v.EconomicActivities[0].Code != "6201501" {
		t.Errorf("%+v, %v", v, err)
	}
	for v, err := range c.Companies(ctx) {
		if err != nil || v.APIKey != "" {
			t.Errorf("%+v, %v", v, err)
		}
	}
}

func TestCompany_updateSendsTheWholeRecord(t *testing.T) {
	t.Parallel()
	const held = `{"id":"1","name":"old","email":"old@x.example","phone":"11999999999","taxRegime":"regimeNormal","foreign":{"a":10.00},"nothing":null,
		"address":{"street":"old","number":"1","floor":3,"city":{"code":"3550308","name":"São Paulo","state":"sp"}},
		"economicActivities":[{"code":"1","type":"main"},{"code":"2","type":"secondary"}],"apiCredentials":{"apiKey":"abcd****"}}`
	const sent = `{"added":true,"address":{"city":{"name":"Santos","state":"SP"},"floor":3,"number":null,"street":"s"},"economicActivities":[{"code":"3","type":"main"}],"email":null,"foreign":{"a":10.00,"b":2},"id":"1","name":"new","nothing":null,"phone":"11999999999","taxRegime":"regimeNormal"}`
	next := Company{ID: "1", Name: "new", Address: &Address{Street: "s", City: &City{Name: "Santos", State: "SP"}}, EconomicActivities: []EconomicActivity{{Code: "3", Type: "main"}}}
	prior := Company{ID: "1", Name: "old", Email: "old@x.example", Address: &Address{Street: "old", Number: "1", City: &City{Code: "3550308"}}}
	s := newService(t,
		exchange{method: "GET", path: "/v1/companies/1", answer: held},
		exchange{method: "PUT", path: "/v1/companies/1", body: sent, answer: sent},
	)
	v, err := s.client().UpdateCompany(t.Context(), "1", next, prior, []byte(`{"foreign":{"b":2},"added":true}`))
	if err != nil || v.Name != "new" {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestCompany_updateFailures(t *testing.T) {
	t.Parallel()
	read := exchange{method: "GET", path: "/v1/companies/1", answer: `{"id":"1"}`}
	put := exchange{method: "PUT", path: "/v1/companies/1", body: `{"id":"1","name":"n"}`}
	update := nothing(func(c *Client) error {
		return errorOf(c.UpdateCompany(t.Context(), "1", Company{Name: "n"}, Company{}, nil))
	})
	runOperations(t, []operation[any]{
		{"the record cannot be read", update, []exchange{read.answering(500, ``)}, nil, "server, ambiguous"},
		{"the record is not taken from the list", update, []exchange{read.answering(404, ``)}, nil, "not found"},
		{"the record is no object", update, []exchange{read.answering(200, `[]`)}, nil, "bad answer, ambiguous"},
		{"the service refuses", update, []exchange{read, put.answering(400, ``)}, nil, "bad request"},
		{"the answer shows nothing, and so it is read", update, []exchange{read, put.answering(200, `{"success":true}`), read}, nil, ""},
	})
}

func TestSettings_read(t *testing.T) {
	t.Parallel()
	const document = `{"general":{"decimalPrecision":2.00, "technicalResponsible":{"email":"a<b"}},"productInvoice":null,"future":{"x":[1]},"companyId":"1"}`
	settings := &Settings{
		Raw: json.RawMessage(document),
		Blocks: map[string]SettingsBlock{
			"general": {"decimalPrecision": json.RawMessage(`2.00`), "technicalResponsible": json.RawMessage(`{"email":"a<b"}`)},
			"future":  {"x": json.RawMessage(`[1]`)},
		},
	}
	empty := func(raw string) *Settings {
		return &Settings{Raw: json.RawMessage(raw), Blocks: map[string]SettingsBlock{}}
	}
	read := func(c *Client) (*Settings, error) { return c.CompanySettings(t.Context(), "1") }
	runAnswers(t, exchange{method: "GET", path: "/v1/companies/1/settings"}, read, []answered[*Settings]{
		{"bare", 200, document, settings, ""},
		{"below result", 200, `{"result":` + document + `}`, settings, ""},
		{"below data", 200, `{"data":` + document + `}`, settings, ""},
		{"a block that is null", 200, `{"general":null}`, empty(`{"general":null}`), ""},
		{"no block", 200, `{}`, empty(`{}`), ""},
		{"a list", 200, `[]`, nil, "bad answer, ambiguous"},
		{"null", 200, `null`, nil, "bad answer, ambiguous"},
		{"another company's", 200, `{"general":{},"companyId":"2"}`, nil, "bad answer, ambiguous"},
		{"another object", 200, `{"id":"1","name":"a company"}`, nil, "bad answer, ambiguous"},
	})
}

func TestSettings_putSendsEachByte(t *testing.T) {
	t.Parallel()
	const body = `{"general":{"decimalPrecision":2.00,"technicalResponsible":{ "email" : "a<b&c" }},"näxt":{}}`
	blocks := map[string]SettingsBlock{
		"general": {"decimalPrecision": json.RawMessage(`2.00`), "technicalResponsible": json.RawMessage(`{ "email" : "a<b&c" }`)},
		"näxt":    {},
	}
	put := nothing(func(c *Client) error {
		return c.RewriteSettings(t.Context(), "1", func(*Settings) (map[string]SettingsBlock, error) { return blocks, nil })
	})
	read := exchange{method: "GET", path: "/v1/companies/1/settings", answer: `{}`}
	write := exchange{method: "PUT", path: "/v1/companies/1/settings", body: body}.answering
	runOperations(t, []operation[any]{
		{"a block", put, []exchange{read, write(200, `{"general":{}}`)}, nil, ""},
		{"success", put, []exchange{read, write(200, `{"success":true}`)}, nil, ""},
		{"a text", put, []exchange{read, write(200, `"saved"`)}, nil, ""},
		{"nothing", put, []exchange{read, write(204, ``)}, nil, ""},
		{"not successful", put, []exchange{read, write(200, `{"success":"false"}`)}, nil, "not successful"},
	})
}
