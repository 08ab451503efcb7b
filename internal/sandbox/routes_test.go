package sandbox

import (
	"net/http"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestRoutes_unknownOnesAnswerAPage(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for _, path := range []string{"/nothing", "/v1/customers", "//customers", "/customers/", "/Customers"} {
		g := c.do("GET", path, nil)
		wantStatus(t, g, http.StatusNotFound)
		if !strings.HasPrefix(g.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: content type = %q, want HTML", path, g.header.Get("Content-Type"))
		}
	}
	g := c.do("PATCH", "/customers", object{})
	wantStatus(t, g, http.StatusMethodNotAllowed)
	if g.raw != "" || g.header.Get("Allow") == "" {
		t.Errorf("405 = %q with Allow %q, want an empty body and the methods", g.raw, g.header.Get("Allow"))
	}
}

func TestRoutes_everyAnswerHasItsOwnTraceID(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	a, b := c.do("GET", "/customers", nil).header.Get("x-trace-id"), c.do("GET", "/nothing", nil).header.Get("x-trace-id")
	if a == "" || b == "" || a == b {
		t.Errorf("trace ids are %q and %q", a, b)
	}
}

func TestBody_isAcceptedAsTheSpecificationLists(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for contentType, status := range rows.Read[map[string]int](t, "body_is_accepted_as_the_specification_lists.json") {
		g := c.send("POST", "/customers", `{"name":"A"}`, http.Header{"Content-Type": {contentType}})
		wantSame(t, status, g.status, "%q: status", contentType)
	}
}

func TestBody_thatIsNoObjectIsRefused(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for _, body := range []string{"", " ", "{", "[]", "null", `"name"`, `{"name":"A"} {}`} {
		g := c.do("POST", "/customers", body)
		if g.status != http.StatusBadRequest || len(g.problems()) != 1 {
			t.Errorf("%q = %d %s, want 400 with one message", body, g.status, g.raw)
		}
	}
}

func TestUnknownFields_areIgnoredAndRemembered(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	body := object{"name": "A", "tenant": "own", "id": "x", "nick": "B", "address": object{"zip": "1", "city": object{"ibge": 1}}}
	doc := c.must("POST", "/customers", body)
	c.must("POST", "/customers", body)
	if _, kept := doc["nick"]; kept {
		t.Error("an unknown field was answered")
	}
	got := map[UnknownField]int{}
	for _, u := range c.s.UnknownFields() {
		got[u]++
	}
	want := map[UnknownField]int{
		{"POST", "/v1/customers", "nick"}: 1, {"POST", "/v1/customers", "address.zip"}: 1, {"POST", "/v1/customers", "address.city.ibge"}: 1,
	}
	wantSame(t, want, got, "unknown fields")
}

func TestWrapResults_putsObjectsBelowResult(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{WrapResults: true})
	doc := c.must("POST", "/customers", object{"name": "A"})
	wantFields(t, doc, object{"result": object{"name": "A"}})
	wantSame(t, 1, len(doc), "number of members beside result, and itself")
	wantSame(t, 1, len(c.do("POST", "/customers", object{}).problems()), "number of problems at the root of a refusal")
	invoice := c.s.Seed(KindProductInvoices, object{"authorization": object{}})
	if raw := c.do("GET", "/product-invoices/"+invoice+"/xml", nil).raw; !strings.HasPrefix(raw, `"`) {
		t.Errorf("a document = %s, want it as it is", raw)
	}
}

func TestErrorForm_everyOneCarriesItsMessage(t *testing.T) {
	t.Parallel()
	const message = "The Name field is required."
	for form, want := range map[ErrorForm]string{
		FormErrors:  `{"errors":[{"message":"` + message + `","path":null}]}`,
		FormMessage: `{"message":"` + message + `"}`,
		FormTitle:   `{"status":400,"title":"` + message + `"}`,
		FormHTML:    "<!DOCTYPE html>\n<html><head><title>400 Bad Request</title></head><body><h2>" + message + "</h2></body></html>\n",
		FormEmpty:   "",
	} {
		c := newClient(t, Options{})
		c.s.Inject(Fault{Kind: FaultStatus, Status: http.StatusBadRequest, Form: form, Message: message})
		g := c.do("POST", "/customers", object{})
		wantStatus(t, g, http.StatusBadRequest)
		wantSame(t, want, g.raw, "form %d", form)
	}
	wantTexts(t, newClient(t, Options{}).do("GET", "/customers/none", nil).raw, `"path":null`)
}

func TestFields_readWhatTheServiceConverts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		read    func(*fields) any
		value   string
		want    string
		refused bool
	}{
		{"a decimal keeps its digits", func(f *fields) any { return f.number("x") }, `10.00`, `10.00`, false},
		{"a decimal from a string is a number", func(f *fields) any { return f.number("x") }, `"10.50"`, `10.50`, false},
		{"a word is no decimal", func(f *fields) any { return f.number("x") }, `"ten"`, `null`, true},
		{"a boolean is no decimal", func(f *fields) any { return f.number("x") }, `true`, `null`, true},
		{"an integer from a string is a number", func(f *fields) any { return f.integer("x") }, `"7"`, `7`, false},
		{"a fraction is no integer", func(f *fields) any { return f.integer("x") }, `7.5`, `null`, true},
		{"a string from a number is its digits", func(f *fields) any { return f.text("x", 5) }, `123`, `"123"`, false},
		{"an enum is stored in the service's spelling", func(f *fields) any { return f.enum("x", "pix", "billetBank") }, `"BILLETBANK"`, `"billetBank"`, false},
		{"an unknown word is no enum", func(f *fields) any { return f.enum("x", "pix") }, `"cash"`, `null`, true},
		{"a boolean is read", func(f *fields) any { return f.flag("x") }, `false`, `false`, false},
		{"a string is no boolean", func(f *fields) any { return f.flag("x") }, `"true"`, `null`, true},
		{"null is absent", func(f *fields) any { return f.number("x") }, `null`, `null`, false},
		{"a list opens its objects", func(f *fields) any { return len(f.children("x")) }, `[{},{}]`, `2`, false},
		{"an object is no list", func(f *fields) any { return len(f.children("x")) }, `{}`, `0`, true},
		{"a moment without offset is in Sao Paulo", func(f *fields) any { m, _ := f.moment("x"); return local(m) }, `"2026-03-10T09:00:00"`, `"2026-03-10T09:00:00-03:00"`, false},
		{"a moment with offset is that instant", func(f *fields) any { m, _ := f.moment("x"); return local(m) }, `"2026-03-10T12:00:00Z"`, `"2026-03-10T09:00:00-03:00"`, false},
		{"a day is its midnight", func(f *fields) any { m, _ := f.moment("x"); return local(m) }, `"2026-03-10"`, `"2026-03-10T00:00:00-03:00"`, false},
		{"a word is no moment", func(f *fields) any { _, ok := f.moment("x"); return ok }, `"today"`, `false`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := New(Options{})
			t.Cleanup(s.Close)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
			expect.NoError(t, err)
			r.Header.Set("Content-Type", "application/json")
			in := (&call{s: s, r: r, body: []byte(`{"x":` + tt.value + `}`), pattern: "POST /"}).input()
			if in.unreadable != nil {
				t.Fatal(in.unreadable)
			}
			wantSame(t, tt.want, string(mustJSON(tt.read(in))), "read")
			if err := in.check(); (err != nil) != tt.refused {
				t.Errorf("check = %v, want a refusal: %t", err, tt.refused)
			}
		})
	}
}
