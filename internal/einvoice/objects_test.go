package einvoice

import (
	"encoding/json"
	"strings"
	"testing"
)

const customersPage = "/v1/customers?page=1&pageSize=100"

func TestCustomer_read(t *testing.T) {
	t.Parallel()
	read := exchange{method: "GET", path: "/v1/customers/B"}.answering
	list := exchange{method: "GET", path: customersPage}.answering
	for _, tt := range []struct {
		name   string
		script []exchange
		want   string // name of the customer
		kind   string
	}{
		{"by id", []exchange{read(200, `{"id":"B","name":"x"}`)}, "x", ""},
		{"in a result wrapper", []exchange{read(200, `{"result":{"id":"B","name":"x"},"success":true}`)}, "x", ""},
		{"in a data wrapper", []exchange{read(200, `{"data":{"id":"B","name":"x"}}`)}, "x", ""},
		{"in a wrapper named after it", []exchange{read(200, `{"customer":{"id":"B","name":"x"}}`)}, "x", ""},
		{"another object beside others is no wrapper", []exchange{read(200, `{"name":"x","parent":{"id":"C"}}`)}, "", "bad answer, ambiguous"},
		{"data of its own is no wrapper", []exchange{read(200, `{"id":"B","name":"x","data":{"id":"C","name":"y"}}`)}, "x", ""},
		{"with fields nobody knows", []exchange{read(200, `{"id":"B","name":"x","more":[{}],"address":null,"email":null}`)}, "x", ""},
		{"without an id", []exchange{read(200, `{"name":"x"}`)}, "", "bad answer, ambiguous"},
		{"empty", []exchange{read(204, ``)}, "", "bad answer, ambiguous"},
		{"a wrong shape", []exchange{read(200, `{"id":"B","name":{}}`)}, "", "bad answer, ambiguous"},
		{"from the list where there is no such route", []exchange{read(404, ``), list(200, `{"items":[{"id":"A"},{"id":"b","name":"x"}],"hasNext":false}`)}, "x", ""},
		{"from the list where the route is not allowed", []exchange{read(405, ``), list(200, `[{"id":"B","name":"x"}]`)}, "x", ""},
		{"gone", []exchange{read(404, ``), list(200, `{"items":[{"id":"A"}],"hasNext":false}`)}, "", "not found"},
		{"gone by the list alone", []exchange{read(405, ``), list(200, `[]`)}, "", "not found, method not allowed"},
		{"gone, and the list is a single other one", []exchange{read(404, ``), list(200, `{"id":"A"}`)}, "", "not found"},
		{"a single other one proves nothing", []exchange{read(405, ``), list(200, `{"id":"A"}`)}, "", "bad answer, ambiguous"},
		{"another object", []exchange{read(200, `{"id":"A","name":"y"}`)}, "", "bad answer, ambiguous"},
		{"another object in a wrapper", []exchange{read(200, `{"result":{"id":"A","name":"y"}}`)}, "", "bad answer, ambiguous"},
		{"neither read nor listed", []exchange{read(404, ``), list(404, ``)}, "", "unproven"},
		{"not read where nothing is listed", []exchange{read(404, ``), list(405, ``)}, "", "not found"},
		{"neither read nor listed by the service", []exchange{read(405, ``), list(405, ``)}, "", "method not allowed"},
		{"the list cannot be read", []exchange{read(404, ``), list(500, ``)}, "", "server, ambiguous"},
		{"the list has no end", []exchange{read(404, ``), list(200, `{"items":[],"hasNext":true}`)}, "", "bad answer, ambiguous"},
		{"the list is not understood", []exchange{read(404, ``), list(200, `{"message":"no"}`)}, "", "bad answer, ambiguous"},
		{"not allowed", []exchange{read(403, ``)}, "", "forbidden"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v, err := newService(t, tt.script...).client().Customer(t.Context(), "B")
			wantKind(t, err, tt.kind)
			if err == nil && (string(v.Name) != tt.want || !strings.Contains(string(v.Raw), `"name":"x"`) || strings.Contains(string(v.Raw), "result")) {
				t.Errorf("customer %+v", v)
			}
		})
	}
}

func TestCustomer_decodesTheWholeShape(t *testing.T) {
	t.Parallel()
	s := newService(t, exchange{method: "GET", path: "/v1/customers/1", answer: `{"id":"1","name":"n","legalName":"l","federalTaxNumber":191,"stateTaxNumber":"ISENTO","cityTaxNumber":"","email":"e@x.example",
		"phone":"1","mobilePhone":null,"address":{"street":"s","district":"d","postalCode":"01001000","number":12,"additionalInformation":null,
		"city":{"code":3550308,"name":"São Paulo","state":"sp"},"country":{"name":"Brasil","code":"1058"},"cityName":"São Paulo"}}`})
	v, err := s.client().Customer(t.Context(), "1")
	if err != nil {
		t.Fatal(err)
	}
	v.Raw = nil
	want := &Customer{
		ID: "1", Name: "n", LegalName: "l", FederalTaxNumber: "191", StateTaxNumber: "ISENTO", Email: "e@x.example", Phone: "1",
		Address: &Address{
			Street: "s", District: "d", PostalCode: "01001000", Number: "12", City: &City{Code: "3550308", Name: "São Paulo", State: "sp"},
			Country: &Country{Name: "Brasil", Code: ptr(Int(1058))}, CityName: "São Paulo",
		},
	}
	wantSame(t, want, v)
	var country Country
	if err := json.Unmarshal([]byte(`"Brasil"`), &country); err != nil || country.Name != "Brasil" {
		t.Errorf("%+v, %v", country, err)
	}
}

func TestCustomer_create(t *testing.T) {
	t.Parallel()
	in := Customer{ID: "ignored", Name: "A & B", FederalTaxNumber: "191", Address: &Address{Street: "Rua A", City: &City{Code: "3550308"}, Country: &Country{Code: ptr(Int(1058))}}}
	const extra = `{"name":"loses","note":1.50,"address":{"street":"loses","floor":3,"city":{"name":"loses"}}}`
	const body = `{"address":{"city":{"code":"3550308"},"country":{"code":1058},"floor":3,"street":"Rua A"},"federalTaxNumber":"191","name":"A & B","note":1.50}`
	for _, tt := range []struct {
		name, answer string
		status       int
		id           Text
		kind         string
	}{
		{"an object", `{"id":"1"}`, 201, "1", ""},
		{"a wrapped object", `{"result":{"id":"1"}}`, 200, "1", ""},
		{"no object", `{"success":true}`, 200, "", "bad answer, ambiguous"},
		{"nothing", ``, 204, "", "bad answer, ambiguous"},
		{"a refusal", `{"success":false,"errors":[{"message":"taken","path":"federalTaxNumber"}]}`, 200, "", "not successful"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, exchange{method: "POST", path: "/v1/customers", body: body, status: tt.status, answer: tt.answer})
			v, err := s.client().CreateCustomer(t.Context(), in, []byte(extra))
			wantKind(t, err, tt.kind)
			if err == nil && v.ID != tt.id {
				t.Errorf("customer %+v", v)
			}
		})
	}
}

func TestCustomer_update(t *testing.T) {
	t.Parallel()
	city := &City{Code: "3550308", Name: "São Paulo", State: "sp"}
	for _, tt := range []struct {
		name        string
		next, prior Customer
		extra       string
		body        string
	}{
		{"all of next", Customer{Name: "n", Email: "e"}, Customer{}, ``, `{"email":"e","name":"n"}`},
		{"null for what only prior had", Customer{Name: "n"}, Customer{Name: "o", Email: "e"}, ``, `{"email":null,"name":"n"}`},
		{"null inside the address", Customer{Address: &Address{Street: "s"}}, Customer{Address: &Address{Street: "o", Number: "1"}}, ``, `{"address":{"number":null,"street":"s"}}`},
		{"null for the whole address", Customer{Name: "n"}, Customer{Address: &Address{Street: "o"}}, ``, `{"address":null,"name":"n"}`},
		{"a city is sent whole", Customer{Address: &Address{City: &City{Code: "3304557"}}}, Customer{Address: &Address{City: city}}, ``, `{"address":{"city":{"code":"3304557"}}}`},
		{"a country is sent whole", Customer{Address: &Address{Country: &Country{Name: "Brasil"}}}, Customer{Address: &Address{Country: &Country{Code: ptr(Int(1058))}}}, ``, `{"address":{"country":{"name":"Brasil"}}}`},
		{"null for a city", Customer{Address: &Address{Street: "s"}}, Customer{Address: &Address{City: city}}, ``, `{"address":{"city":null,"street":"s"}}`},
		{"extra fields beside", Customer{Name: "n"}, Customer{Email: "e"}, `{"a":{"b":[1]},"name":"loses"}`, `{"a":{"b":[1]},"email":null,"name":"n"}`},
		{"an extra field is not cleared", Customer{Name: "n"}, Customer{Email: "e", Address: &Address{Street: "o"}}, `{"email":"x","address":{"floor":1}}`, `{"address":{"floor":1,"street":null},"email":"x","name":"n"}`},
		{"ids are not part of it", Customer{ID: "1", Name: "n"}, Customer{ID: "1"}, ` `, `{"name":"n"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, exchange{method: "PUT", path: "/v1/customers/1", body: tt.body, answer: `{"id":"1","name":"answered"}`})
			v, err := s.client().UpdateCustomer(t.Context(), "1", tt.next, tt.prior, []byte(tt.extra))
			if err != nil || v.Name != "answered" {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
}

func TestUpdate_readsOnlyWhatTheAnswerDoesNotShow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		script []exchange
		kind   string
	}{
		{"success alone", []exchange{{answer: `{"success":true}`}, {method: "GET", path: "/v1/customers/1", answer: `{"id":"1","name":"read"}`}}, ""},
		{"another object", []exchange{{answer: `{"id":"2","name":"other"}`}, {method: "GET", path: "/v1/customers/1", answer: `{"id":"1","name":"read"}`}}, ""},
		{"nothing", []exchange{{status: 204}, {method: "GET", path: "/v1/customers/1", answer: `{"id":"1","name":"read"}`}}, ""},
		{"a refusal", []exchange{{answer: `{"success":false}`}}, "not successful"},
		{"gone", []exchange{{status: 404}}, "not found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.script[0].method, tt.script[0].path, tt.script[0].body = "PUT", "/v1/customers/1", `{"name":"n"}`
			v, err := newService(t, tt.script...).client().UpdateCustomer(t.Context(), "1", Customer{Name: "n"}, Customer{}, nil)
			wantKind(t, err, tt.kind)
			if err == nil && v.Name != "read" {
				t.Errorf("%+v", v)
			}
		})
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	del := exchange{method: "DELETE", path: "/v1/customers/1"}.answering
	read := exchange{method: "GET", path: "/v1/customers/1"}.answering
	list := exchange{method: "GET", path: customersPage}.answering
	for _, tt := range []struct {
		name   string
		script []exchange
		kind   string
	}{
		{"done", []exchange{del(200, `{"success":true}`)}, ""},
		{"done without a body", []exchange{del(204, ``)}, ""},
		{"refused in a 200", []exchange{del(200, `{"success":false,"message":"in use"}`)}, "not successful"},
		{"gone already", []exchange{del(404, ``), read(404, ``), list(200, `[]`)}, ""},
		{"found nowhere", []exchange{del(404, ``), read(404, ``), list(404, ``)}, "unproven"},
		{"gone already, and nothing is ever listed", []exchange{del(404, ``), read(404, ``), list(405, ``)}, ""},
		{"done, says an answer about another one", []exchange{del(200, `{"id":"2"}`)}, ""},
		{"no such route", []exchange{del(404, ``), read(200, `{"id":"1"}`)}, "cannot delete"},
		{"no such routes", []exchange{del(404, ``), read(404, ``), list(200, `[{"id":"1"}]`)}, "cannot delete"},
		{"the check fails", []exchange{del(404, ``), read(503, ``)}, "server, ambiguous"},
		{"not allowed", []exchange{del(405, ``)}, "cannot delete"},
		{"not implemented", []exchange{del(501, ``)}, "cannot delete"},
		{"forbidden", []exchange{del(403, ``)}, "forbidden"},
		{"failed", []exchange{del(500, ``)}, "server, ambiguous"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := newService(t, tt.script...).client().DeleteCustomer(t.Context(), "1")
			wantKind(t, err, tt.kind)
		})
	}
}

func TestProduct_operations(t *testing.T) {
	t.Parallel()
	const object = `{"id":"1","name":"n","code":7,"price":"10.50","invoiceModel":0}`
	s := newService(
		t,
		exchange{method: "POST", path: "/v1/products", body: `{"code":"c","name":"n","price":10.5}`, answer: object},
		exchange{method: "GET", path: "/v1/products/1", answer: object},
		exchange{method: "PUT", path: "/v1/products/1", body: `{"invoiceModel":null,"name":"n","price":0}`, answer: object},
		exchange{method: "GET", path: "/v1/products?page=1&pageSize=100", answer: "[" + object + "]"},
		exchange{method: "DELETE", path: "/v1/products/1", answer: `{"success":true}`},
	)
	c, ctx := s.client(), t.Context()
	want := &Product{ID: "1", Name: "n", Code: "7", Price: ptr(Number(10.5)), Raw: json.RawMessage(object)}
	got, err := c.CreateProduct(ctx, Product{Name: "n", Code: "c", Price: ptr(Number(10.5))}, nil)
	same(t, want, got, err)
	got, err = c.Product(ctx, "1")
	same(t, want, got, err)
	got, err = c.UpdateProduct(ctx, "1", Product{Name: "n", Price: ptr(Number(0))}, Product{InvoiceModel: ModelService}, nil)
	same(t, want, got, err)
	for got, err := range c.Products(ctx) {
		same(t, want, got, err)
	}
	if err := c.DeleteProduct(ctx, "1"); err != nil {
		t.Error(err)
	}
}

func TestWebhook_operations(t *testing.T) {
	t.Parallel()
	const object = `{"id":"1","event":"invoice.authorized","url":"https://x.example/h?a=1&b=2","enabled":true}`
	s := newService(
		t,
		exchange{method: "POST", path: "/v1/webhooks", body: `{"event":"invoice.authorized","url":"https://x.example/h?a=1&b=2"}`, answer: object},
		exchange{method: "GET", path: "/v1/webhooks/1", answer: object},
		exchange{method: "PUT", path: "/v1/webhooks/1", body: `{"event":"invoice.authorized","url":"https://x.example/"}`, answer: object},
		exchange{method: "GET", path: "/v1/webhooks?page=1&pageSize=100", answer: "[" + object + "]"},
		exchange{method: "PUT", path: "/v1/webhooks/1/enable", answer: object},
		exchange{method: "PUT", path: "/v1/webhooks/1/disable", answer: `{"success":true}`},
		exchange{method: "PUT", path: "/v1/webhooks/1/disable", answer: `{"success":false}`},
		exchange{method: "DELETE", path: "/v1/webhooks/1", answer: `{"success":true}`},
	)
	c, ctx := s.client(), t.Context()
	want := &Webhook{ID: "1", Event: "invoice.authorized", URL: "https://x.example/h?a=1&b=2", Enabled: ptr(Flag(true)), Raw: json.RawMessage(object)}
	got, err := c.CreateWebhook(ctx, "invoice.authorized", "https://x.example/h?a=1&b=2")
	same(t, want, got, err)
	got, err = c.Webhook(ctx, "1")
	same(t, want, got, err)
	got, err = c.UpdateWebhook(ctx, "1", "invoice.authorized", "https://x.example/")
	same(t, want, got, err)
	for got, err := range c.Webhooks(ctx) {
		same(t, want, got, err)
	}
	got, err = c.SetWebhookEnabled(ctx, "1", true)
	same(t, want, got, err)
	got, err = c.SetWebhookEnabled(ctx, "1", false)
	same(t, nil, got, err)
	_, err = c.SetWebhookEnabled(ctx, "1", false)
	wantKind(t, err, "not successful")
	if err := c.DeleteWebhook(ctx, "1"); err != nil {
		t.Error(err)
	}
}

func same[T any](t *testing.T, want, got *T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	wantSame(t, want, got)
}

func TestWebhookSecret(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ answer, want, kind string }{
		{`{"secret":"whsec_a"}`, "whsec_a", ""},
		{`{"result":{"secret":"whsec_a"}}`, "whsec_a", ""},
		{`{"result":"whsec_a"}`, "whsec_a", ""},
		{`{"data":{"secret":"whsec_a"}}`, "whsec_a", ""},
		{`"whsec_a"`, "whsec_a", ""},
		{`{"secret":null}`, "", "bad answer, ambiguous"},
		{`"Under maintenance"`, "", "bad answer, ambiguous"},
		{`{"result":"Under maintenance"}`, "", "bad answer, ambiguous"},
		{`[]`, "", "bad answer, ambiguous"},
		{``, "", "bad answer, ambiguous"},
	} {
		t.Run(tt.answer, func(t *testing.T) {
			t.Parallel()
			s := newService(t, exchange{method: "GET", path: "/v1/webhooks/secret", answer: tt.answer})
			secret, err := s.client().WebhookSecret(t.Context())
			if got := kinds(err); got != tt.kind || secret != tt.want {
				t.Errorf("secret %q, %v", secret, err)
			}
		})
	}
}

func TestRotateWebhookSecret(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, answer string
		window       *int64
		body         string
		want         Rotation
	}{
		{"all that can be told", `{"secret":"s","rotatedAt":"2026-01-01","previousSecretValidUntil":"2026-01-02"}`, ptr(int64(24)), `{"windowHours":24}`, Rotation{"s", "2026-01-01", "2026-01-02"}},
		{"a window of nothing", `{"result":{"secret":"s"}}`, ptr(int64(0)), `{"windowHours":0}`, Rotation{Secret: "s"}},
		{"a text that is a secret", `"whsec_s"`, nil, ``, Rotation{Secret: "whsec_s"}},
		{"a text that is none", `"done"`, nil, ``, Rotation{}},
		{"a bare secret", `whsec_s`, nil, ``, Rotation{Secret: "whsec_s"}},
		{"a message", `done, whsec_ follows`, nil, ``, Rotation{}},
		{"success", `{"success":true}`, nil, ``, Rotation{}},
		{"nothing", ``, nil, ``, Rotation{}},
		{"something else", `{"secret":{"a":1}}`, nil, ``, Rotation{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, exchange{method: "POST", path: "/v1/webhooks/secret/rotate", body: tt.body, answer: tt.answer})
			got, err := s.client().RotateWebhookSecret(t.Context(), tt.window)
			same(t, &tt.want, got, err)
		})
	}
	s := newService(t, exchange{method: "POST", path: "/v1/webhooks/secret/rotate", answer: `{"success":false}`})
	_, err := s.client().RotateWebhookSecret(t.Context(), nil)
	wantKind(t, err, "not successful")
}
