package einvoice

import (
	"cmp"
	"encoding/json"
	"testing"
)

const customersPage = "/v1/customers?page=1&pageSize=100"

func TestCustomer_read(t *testing.T) {
	t.Parallel()
	read := exchange{method: "GET", path: "/v1/customers/B"}.answering
	list := exchange{method: "GET", path: customersPage}.answering
	other := exchange{method: "GET", path: "/v1/customers/A"}.answering
	customer := func(c *Client) (string, error) {
		v, err := c.Customer(t.Context(), "B")
		if err != nil {
			return "", err
		}
		return string(v.Raw), nil
	}
	const object = `{"id":"B","name":"x"}`
	runOperations(t, []operation[string]{
		{"by id", customer, []exchange{read(200, `{"id":"B","name":"x"}`)}, object, ""},
		{"in a result wrapper", customer, []exchange{read(200, `{"result":{"id":"B","name":"x"},"success":true}`)}, object, ""},
		{"in a data wrapper", customer, []exchange{read(200, `{"data":{"id":"B","name":"x"}}`)}, object, ""},
		{"another object beside others is no wrapper", customer, []exchange{read(200, `{"name":"x","parent":{"id":"C"}}`)}, "", "bad answer, ambiguous"},
		{"data of its own is no wrapper", customer, []exchange{read(200, `{"id":"B","name":"x","data":{"id":"C","name":"y"}}`)}, `{"id":"B","name":"x","data":{"id":"C","name":"y"}}`, ""},
		{"with fields nobody knows", customer, []exchange{read(200, `{"id":"B","name":"x","more":[{}],"address":null,"email":null}`)}, `{"id":"B","name":"x","more":[{}],"address":null,"email":null}`, ""},
		{"without an id", customer, []exchange{read(200, `{"name":"x"}`)}, "", "bad answer, ambiguous"},
		{"empty", customer, []exchange{read(204, ``)}, "", "bad answer, ambiguous"},
		{"from the list where there is no such route", customer, []exchange{read(404, ``), list(200, `{"items":[{"id":"A"},{"id":"b","name":"x"}],"hasNext":false}`)}, `{"id":"b","name":"x"}`, ""},
		{"from the list where the route is not allowed", customer, []exchange{read(405, ``), list(200, `[{"id":"B","name":"x"}]`)}, object, ""},
		{"gone", customer, []exchange{read(404, ``), list(200, `{"items":[{"id":"A"}],"hasNext":false}`)}, "", "not found"},
		{"gone by the list alone", customer, []exchange{read(405, ``), list(200, `[]`)}, "", "not found, method not allowed"},
		{"a single object is the one", customer, []exchange{read(405, ``), list(200, `{"id":"B","name":"x"}`)}, object, ""},
		{"a single other one proves nothing", customer, []exchange{read(404, ``), list(200, `{"id":"A"}`), other(404, ``)}, "", "missing"},
		{"gone beside a single one that is read by its id", customer, []exchange{read(404, ``), list(200, `{"id":"A"}`), other(200, `{"id":"A"}`)}, "", "not found"},
		{"another object", customer, []exchange{read(200, `{"id":"A","name":"y"}`)}, "", "bad answer, ambiguous"},
		{"neither read nor listed", customer, []exchange{read(404, ``), list(404, ``)}, "", "unproven"},
		{"not read where nothing is listed", customer, []exchange{read(404, ``), list(405, ``)}, "", "unproven"},
		{"neither read nor listed by the service", customer, []exchange{read(405, ``), list(405, ``)}, "", "method not allowed"},
		{"the list cannot be read", customer, []exchange{read(404, ``), list(500, ``)}, "", "server, ambiguous"},
		{"not allowed", customer, []exchange{read(403, ``)}, "", "forbidden"},
	})
}

func TestCustomer_create(t *testing.T) {
	t.Parallel()
	in := Customer{ID: "ignored", Name: "A & B", FederalTaxNumber: "191", Address: &Address{Street: "Rua A", City: &City{Code: "3550308"}, Country: &Country{Code: ptr(Int(1058))}}}
	const extra = `{"name":"loses","note":1.50,"address":{"street":"loses","floor":3,"city":{"name":"loses"}}}`
	const body = `{"address":{"city":{"code":"3550308"},"country":{"code":1058},"floor":3,"street":"Rua A"},"federalTaxNumber":"191","name":"A & B","note":1.50}`
	create := func(c *Client) (*Customer, error) { return c.CreateCustomer(t.Context(), in, []byte(extra)) }
	const whole = `{"id":"1","name":"","federalTaxNumber":"","address":null,"note":2}`
	created := &Customer{ID: "1", Raw: json.RawMessage(whole)}
	runAnswers(t, exchange{method: "POST", path: "/v1/customers", body: body}, create, []answered[*Customer]{
		{"an object", 201, whole, created, ""},
		{"a wrapped object", 200, `{"result":` + whole + `}`, created, ""},
		{"no object", 200, `{"success":true}`, nil, "bad answer, ambiguous"},
		{"nothing", 204, ``, nil, "bad answer, ambiguous"},
		{"a refusal", 200, `{"success":false,"errors":[{"message":"taken","path":"federalTaxNumber"}]}`, nil, "not successful"},
	})
}

func TestCustomer_update(t *testing.T) {
	t.Parallel()
	city := &City{Code: "3550308", Name: "São Paulo", State: "sp"}
	for _, tt := range []struct {
		name        string
		next, prior Customer
		extra       string
		body        string
		held        string // its id alone where it is not said
	}{
		{"all of next", Customer{Name: "n", Email: "e"}, Customer{}, ``, `{"email":"e","id":"1","name":"n"}`, ``},
		{"null for what only prior had", Customer{Name: "n"}, Customer{Name: "o", Email: "e"}, ``, `{"email":null,"id":"1","name":"n"}`, ``},
		{"null inside the address", Customer{Address: &Address{Street: "s"}}, Customer{Address: &Address{Street: "o", Number: "1"}}, ``, `{"address":{"number":null,"street":"s"},"id":"1"}`, ``},
		{"null for the whole address", Customer{Name: "n"}, Customer{Address: &Address{Street: "o"}}, ``, `{"address":null,"id":"1","name":"n"}`, ``},
		{"a city is sent whole", Customer{Address: &Address{City: &City{Code: "3304557"}}}, Customer{Address: &Address{City: city}}, ``, `{"address":{"city":{"code":"3304557"}},"id":"1"}`, ``},
		{"a country is sent whole", Customer{Address: &Address{Country: &Country{Name: "Brasil"}}}, Customer{Address: &Address{Country: &Country{Code: ptr(Int(1058))}}}, ``, `{"address":{"country":{"name":"Brasil"}},"id":"1"}`, ``},
		{"null for a city", Customer{Address: &Address{Street: "s"}}, Customer{Address: &Address{City: city}}, ``, `{"address":{"city":null,"street":"s"},"id":"1"}`, ``},
		{"extra fields beside", Customer{Name: "n"}, Customer{Email: "e"}, `{"a":{"b":[1]},"name":"loses"}`, `{"a":{"b":[1]},"email":null,"id":"1","name":"n"}`, ``},
		{"an extra field is not cleared", Customer{Name: "n"}, Customer{Email: "e", Address: &Address{Street: "o"}}, `{"email":"x","address":{"floor":1}}`, `{"address":{"floor":1,"street":null},"email":"x","id":"1","name":"n"}`, ``},
		{"what nobody manages is sent back", Customer{Name: "n"}, Customer{Name: "o", Email: "e"}, `{"b":{"x":2}}`, `{"a":1.50,"b":{"x":2,"y":null},"email":null,"id":"1","name":"n"}`, `{"id":"1","name":"o","email":"e","a":1.50,"b":{"x":1,"y":null}}`},
		{
			"also in the address, but for the city",
			Customer{Address: &Address{Street: "s", City: &City{Code: "3304557"}}},
			Customer{Address: &Address{Street: "o", Number: "1", City: city}},
			``,
			`{"address":{"city":{"code":"3304557"},"floor":2,"number":null,"street":"s"},"id":"1"}`,
			`{"id":"1","address":{"city":{"code":"3550308","name":"São Paulo"},"floor":2,"number":"1","street":"o"}}`,
		},
		{"ids are not part of it", Customer{ID: "1", Name: "n"}, Customer{ID: "1"}, ` `, `{"id":"1","name":"n"}`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t,
				exchange{method: "GET", path: "/v1/customers/1", answer: cmp.Or(tt.held, `{"id":"1"}`)},
				exchange{method: "PUT", path: "/v1/customers/1", body: tt.body, answer: tt.body},
			)
			if v, err := s.client().UpdateCustomer(t.Context(), "1", tt.next, tt.prior, []byte(tt.extra)); err != nil || v.ID != "1" {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
}

func TestUpdate_readsOnlyWhatTheAnswerDoesNotShow(t *testing.T) {
	t.Parallel()
	put := exchange{method: "PUT", path: "/v1/customers/1", body: `{"id":"1","name":"n"}`}.answering
	read := exchange{method: "GET", path: "/v1/customers/1", answer: `{"id":"1","name":"read"}`}
	customer := &Customer{ID: "1", Name: "read", Raw: json.RawMessage(`{"id":"1","name":"read"}`)}
	update := func(c *Client) (*Customer, error) {
		return c.UpdateCustomer(t.Context(), "1", Customer{Name: "n"}, Customer{}, nil)
	}
	short := exchange{method: "GET", path: "/v1/customers/1"}.answering
	list := exchange{method: "GET", path: customersPage}.answering
	runOperations(t, []operation[*Customer]{
		{"a field that was sent is not in it", update, []exchange{short(200, `{"id":"1"}`), put(200, `{"id":"1"}`), read}, customer, ""},
		{"nor can it be read", update, []exchange{short(200, `{"id":"1"}`), put(200, `{"id":"1"}`), short(503, ``)}, &Customer{ID: "1", Raw: json.RawMessage(`{"id":"1"}`)}, ""},
		{"success alone", update, []exchange{short(200, `{"id":"1"}`), put(200, `{"success":true}`), read}, customer, ""},
		{"another object", update, []exchange{short(200, `{"id":"1"}`), put(200, `{"id":"2","name":"other"}`), read}, customer, ""},
		{"nothing", update, []exchange{short(200, `{"id":"1"}`), put(204, ``), read}, customer, ""},
		{"a refusal", update, []exchange{short(200, `{"id":"1"}`), put(200, `{"success":false}`)}, nil, "not successful"},
		{"gone", update, []exchange{short(200, `{"id":"1"}`), put(404, ``), short(404, ``), list(200, `[]`)}, nil, "not found"},
	})
}

func TestDelete(t *testing.T) {
	t.Parallel()
	del := exchange{method: "DELETE", path: "/v1/customers/1"}.answering
	read := exchange{method: "GET", path: "/v1/customers/1"}.answering
	list := exchange{method: "GET", path: customersPage}.answering
	remove := nothing(func(c *Client) error { return c.Delete(t.Context(), KindCustomer, "1") })
	runOperations(t, []operation[any]{
		{"done", remove, []exchange{del(200, `{"success":true}`)}, nil, ""},
		{"refused in a 200", remove, []exchange{del(200, `{"success":false,"message":"in use"}`)}, nil, "not successful"},
		{"gone already", remove, []exchange{del(404, ``), read(404, ``), list(200, `[]`)}, nil, ""},
		{"found nowhere", remove, []exchange{del(404, ``), read(404, ``), list(404, ``)}, nil, "unproven"},
		{"done, says an answer about another one", remove, []exchange{del(200, `{"id":"2"}`)}, nil, ""},
		{"no such route", remove, []exchange{del(404, ``), read(200, `{"id":"1"}`)}, nil, "cannot delete"},
		{"no such routes", remove, []exchange{del(404, ``), read(404, ``), list(200, `[{"id":"1"}]`)}, nil, "cannot delete"},
		{"the check fails", remove, []exchange{del(404, ``), read(503, ``)}, nil, "server, ambiguous"},
		{"not allowed", remove, []exchange{del(405, ``)}, nil, "cannot delete"},
		{"not implemented", remove, []exchange{del(501, ``)}, nil, "cannot delete"},
	})
}

func TestProduct_operations(t *testing.T) {
	t.Parallel()
	const object = `{"id":"1","name":"n","code":7,"price":"10.50","invoiceModel":0}`
	s := newService(t,
		exchange{method: "POST", path: "/v1/products", body: `{"code":"c","name":"n","price":10.5}`, answer: object},
		exchange{method: "GET", path: "/v1/products/1", answer: object},
		exchange{method: "GET", path: "/v1/products/1", answer: object},
		exchange{method: "PUT", path: "/v1/products/1", body: `{"code":7,"id":"1","invoiceModel":null,"name":"n","price":0}`, answer: object},
		exchange{method: "GET", path: "/v1/products?page=1&pageSize=100", answer: "[" + object + "]"},
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
}

func TestWebhook_operations(t *testing.T) {
	t.Parallel()
	const object = `{"id":"1","event":"invoice.authorized","url":"https://x.example/h?a=1&b=2","enabled":true}`
	s := newService(t,
		exchange{method: "POST", path: "/v1/webhooks", body: `{"event":"invoice.authorized","url":"https://x.example/h?a=1&b=2"}`, answer: object},
		exchange{method: "GET", path: "/v1/webhooks/1", answer: object},
		exchange{method: "GET", path: "/v1/webhooks/1", answer: object},
		exchange{method: "PUT", path: "/v1/webhooks/1", body: `{"enabled":true,"event":"invoice.authorized","id":"1","url":"https://x.example/"}`, answer: object},
		exchange{method: "GET", path: "/v1/webhooks?page=1&pageSize=100", answer: "[" + object + "]"},
		exchange{method: "PUT", path: "/v1/webhooks/1/enable", answer: object},
		exchange{method: "PUT", path: "/v1/webhooks/1/disable", answer: `{"success":true}`},
		exchange{method: "PUT", path: "/v1/webhooks/1/disable", answer: `{"success":false}`},
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
}

func same[T any](t *testing.T, want, got *T, err error) {
	t.Helper()
	must(t, err)
	wantSame(t, want, got)
}

func TestWebhookSecret(t *testing.T) {
	t.Parallel()
	read := func(c *Client) (string, error) { return c.WebhookSecret(t.Context()) }
	runAnswers(t, exchange{method: "GET", path: "/v1/webhooks/secret"}, read, []answered[string]{
		{"a member", 200, `{"secret":"whsec_a"}`, "whsec_a", ""},
		{"a member below result", 200, `{"result":{"secret":"whsec_a"}}`, "whsec_a", ""},
		{"a text below result", 200, `{"result":"whsec_a"}`, "whsec_a", ""},
		{"a member below data", 200, `{"data":{"secret":"whsec_a"}}`, "whsec_a", ""},
		{"a text", 200, `"whsec_a"`, "whsec_a", ""},
		{"null", 200, `{"secret":null}`, "", "bad answer, ambiguous"},
		{"a message", 200, `"Under maintenance"`, "", "bad answer, ambiguous"},
		{"nothing", 200, ``, "", "bad answer, ambiguous"},
	})
}

func TestRotateWebhookSecret(t *testing.T) {
	t.Parallel()
	post := exchange{method: "POST", path: "/v1/webhooks/secret/rotate"}
	rotate := func(window *int64) func(*Client) (*Rotation, error) {
		return func(c *Client) (*Rotation, error) { return c.RotateWebhookSecret(t.Context(), window, nil) }
	}
	runAnswers(t, post, rotate(nil), []answered[*Rotation]{
		{"all that can be told", 200, `{"secret":"s","rotatedAt":"2026-01-01","previousSecretValidUntil":"2026-01-02"}`, &Rotation{"s", "2026-01-01", "2026-01-02"}, ""},
		{"a secret below result", 200, `{"result":{"secret":"s"}}`, &Rotation{Secret: "s"}, ""},
		{"a text that is a secret", 200, `"whsec_s"`, &Rotation{Secret: "whsec_s"}, ""},
		{"a text that is none", 200, `"done"`, &Rotation{}, ""},
		{"a bare secret", 200, `whsec_s`, &Rotation{Secret: "whsec_s"}, ""},
		{"a message", 200, `done, whsec_ follows`, &Rotation{}, ""},
		{"success", 200, `{"success":true}`, &Rotation{}, ""},
		{"nothing", 200, ``, &Rotation{}, ""},
		{"something else", 200, `{"secret":{"a":1}}`, &Rotation{}, ""},
		{"a refusal", 200, `{"success":false}`, nil, "not successful"},
	})
	for body, hours := range map[string]int64{`{"windowHours":24}`: 24, `{"windowHours":0}`: 0} {
		post.body = body
		runAnswers(t, post, rotate(&hours), []answered[*Rotation]{{body, 200, `{"secret":"s"}`, &Rotation{Secret: "s"}, ""}})
	}
}
