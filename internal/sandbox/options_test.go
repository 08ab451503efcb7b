package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestOptions_onlySpecifiedLeavesOutWhatTheSpecificationDoesNotName(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{OnlySpecified: true})
	offered := map[string]bool{}
	for _, r := range c.s.Routes() {
		if r.Source == SourceAssumed {
			t.Errorf("%s is listed", r.Pattern())
		}
		offered[r.Pattern()] = true
	}
	whole := New(Options{})
	t.Cleanup(whole.Close)
	for _, r := range append(whole.Routes(), Route{Method: "PATCH", Path: "/v1/customers"}) {
		path := strings.NewReplacer("{id}", "3fa85f64-5717-4562-b3fc-2c963f66afa6", "{cityCode}", "3550308").Replace(r.Path)
		got := c.do(r.Method, strings.TrimPrefix(path, "/v1"), nil)
		if none := got.status == http.StatusNotFound && strings.Contains(got.raw, "<html"); none == offered[r.Pattern()] {
			t.Errorf("%s is answered %d %s, offered: %t", r.Pattern(), got.status, got.raw, offered[r.Pattern()])
		}
	}
}

// What one option changes; the check program tells each of them apart.
func TestOptions_changeOneAnswer(t *testing.T) {
	t.Parallel()
	draft := body(service, object{"integrationId": "a", "issue": false})
	reason, precision := object{"reason": cancelReason}, oneBlock("general", object{"decimalPrecision": 3})
	send := func(method, path string, body any) func(*client) got {
		return func(c *client) got { return c.do(method, path, body) }
	}
	// seeded sends to a document that is there.
	seeded := func(kind, status, method, path string, body any) func(*client) got {
		return func(c *client) got {
			id := c.s.Seed(kind, object{"name": "A", "status": status})
			return c.do(method, strings.ReplaceAll(path, "{id}", id), body)
		}
	}
	ofCustomer := func(method, path string) func(*client) got { return seeded(KindCustomers, "", method, path, nil) }
	settings := func(method string, body any) func(*client) got {
		return func(c *client) got { return c.do(method, ownSettings(c), body) }
	}
	series := func(c *client) got {
		for _, block := range []string{"productInvoice", "consumerInvoice", "serviceInvoice"} {
			c.s.SetSettings(c.s.OwnerCompanyID(), oneBlock(block, object{"series": "7"}))
		}
		c.must("PUT", ownSettings(c), precision)
		return c.do("GET", ownSettings(c), nil)
	}
	for name, tt := range map[string]struct {
		options Options
		do      func(c *client) got
		status  int    // 200 where it is 0
		want    string // in the answer; the whole of it where it is empty
	}{
		"an operation is left out":   {Options{Without: []string{"GET /v1/orders"}}, send("GET", "/orders", nil), 404, "<html"},
		"drafts":                     {Options{}, send("POST", service, draft), 0, `"status":"created"`},
		"drafts are queued":          {Options{QueueDrafts: true}, send("POST", service, draft), 0, `"status":"enqueued"`},
		"no read by id":              {Options{NoReadByID: true}, ofCustomer("GET", "/customers/{id}"), 404, "<html"},
		"no deletion":                {Options{NoCustomerDelete: true}, ofCustomer("DELETE", "/customers/{id}"), 405, ""},
		"an object in place of one":  {Options{SingleObjectLists: true}, ofCustomer("GET", "/customers"), 0, `"name":"A"`},
		"an empty page 1":            {Options{PagesFromZero: true}, ofCustomer("GET", "/customers?page=1"), 0, `"items":[]`},
		"an order is its invoice":    {Options{OrdersAnswerInvoice: true}, send("POST", "/orders", sale(nil)), 0, `"productInvoice"`},
		"an empty answer of secrets": {Options{EmptyRotateAnswer: true}, send("POST", "/webhooks/secret/rotate", nil), 0, ""},
		"an empty answer":            {Options{EmptySettingsAnswer: true}, settings("PUT", precision), 0, ""},
		"wrapped settings":           {Options{WrapResults: true}, settings("GET", nil), 0, `{"result":{`},
		"blocks that are kept":       {Options{}, series, 0, `"series":"7"`},
		"blocks that are reset":      {Options{SettingsReplaceAll: true}, series, 0, `"series":null,"nextNumber":null,`},
		"blocks that are filled": {
			Options{SettingsReplaceAll: true, SettingsResetFilled: true}, series, 0, `"series":"1","nextNumber":1,`,
		},
		"check-status is refused": {
			Options{CheckStatusQueued: true},
			seeded(KindProductInvoices, "rejected", "POST", product+"/{id}/check-status", nil), 400, "SPD006",
		},
		"no cancellation by DELETE": {
			Options{CancelByPost: true}, seeded(KindServiceInvoices, "authorized", "DELETE", service+"/{id}", reason), 405, "",
		},
		"a cancellation by POST": {
			Options{CancelByPost: true},
			seeded(KindServiceInvoices, "authorized", "POST", service+"/{id}/cancel", reason), 0, `"status":"authorized"`,
		},
		"no integrationId in a list": {
			Options{ListsWithoutIntegrationID: true}, func(c *client) got {
				c.must("POST", service, draft)
				g := c.do("GET", service+"?integrationId=a", nil)
				g.raw = fmt.Sprint(g.doc["totalCount"], " ", strings.Contains(g.raw, "integrationId"))
				return g
			}, 0, "1 false",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := tt.do(newIssuer(t, tt.options))
			wantStatus(t, g, max(tt.status, 200))
			if tt.want == "" && g.raw != "" || !strings.Contains(g.raw, tt.want) {
				t.Errorf("the answer is %s, want %q", g.raw, tt.want)
			}
		})
	}
}
