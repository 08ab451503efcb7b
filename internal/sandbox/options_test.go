package sandbox

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
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

func TestFault_stallsUntilTheServerCloses(t *testing.T) {
	t.Parallel()
	s := Start(t, Options{})
	s.Inject(Fault{Kind: FaultStall, Path: "/v1/customers"})
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimSuffix(strings.TrimPrefix(s.BaseURL(), "http://"), "/v1"))
	expect.NoError(t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "GET /v1/customers HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\n\r\n", s.OwnerKey())
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	expect.NoError(t, err)
	defer resp.Body.Close()
	wantSame(t, http.StatusOK, resp.StatusCode, "status before the stall")
	one := make([]byte, 1)
	if _, err := resp.Body.Read(one); err != nil || one[0] != '{' {
		t.Errorf("body begins with %q %v, want the real one", one, err)
	}
	s.Close()
}

func TestFault_isAimedByMethodPathBodySkipAndTimes(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	c.s.Inject(Fault{Kind: FaultStatus, Status: 500, Method: "GET", Path: "/v1/customers/{id}", Skip: 1, Times: 2})
	c.s.Inject(Fault{Kind: FaultStatus, Status: 502, Method: "POST", Contains: `"B"`})
	c.s.Inject(Fault{Kind: FaultStatus, Status: 405, Method: "DELETE", Times: -1})
	statuses := func(method, path string, body any, n int) []int {
		var out []int
		for range n {
			out = append(out, c.do(method, path, body).status)
		}
		return out
	}
	got := [][]int{
		statuses("GET", "/customers/x", nil, 4),
		statuses("GET", "/customers", nil, 1),
		statuses("POST", "/customers", object{"name": "A"}, 1),
		statuses("POST", "/customers", object{"name": "B"}, 2),
	}
	wantSame(t, [][]int{{404, 500, 500, 404}, {200}, {200}, {502, 200}}, got, "statuses")
	wantSame(t, 1, len(c.s.PendingFaults()), "number of pending faults, of which one has met no request")
	wantSame(t, []int{405, 405, 405}, statuses("DELETE", "/customers/x", nil, 3), "statuses")
	wantSame(t, 0, len(c.s.PendingFaults()), "number of pending faults")
}

// judge stands in for a test that should fail.
type judge struct {
	cleanups []func()
	errors   []string
	skipped  bool
}

func (j *judge) Skipped() bool                { return j.skipped }
func (j *judge) Helper()                      {}
func (j *judge) Cleanup(f func())             { j.cleanups = append(j.cleanups, f) }
func (j *judge) Errorf(f string, args ...any) { j.errors = append(j.errors, fmt.Sprintf(f, args...)) }
func (j *judge) Fatalf(f string, args ...any) { j.Errorf(f, args...) }

func TestStart_failsATestThatLeavesAFaultOrHookBehind(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		skipped bool
		declare func(*Server)
		want    []string
	}{
		{"nothing left", false, func(*Server) {}, nil},
		{"a fault taken back", false, func(s *Server) { s.Inject(Fault{Kind: FaultStall}); s.ClearFaults() }, nil},
		{"a fault", false, func(s *Server) { s.Inject(Fault{Kind: FaultDropAfter, Method: "POST", Path: "/v1/orders"}) }, []string{
			`sandbox: fault "drop after POST /v1/orders" was declared and never happened (skip 0, times 1 left)`,
		}},
		{"a hook", false, func(s *Server) { s.Before("GET", "/v1/orders", func() {}) }, []string{`sandbox: the hook before "GET /v1/orders" never ran`}},
		{"a fault in a test that is skipped", true, func(s *Server) { s.Inject(Fault{Kind: FaultDropAfter}) }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j := &judge{skipped: tt.skipped}
			tt.declare(Start(j, Options{}))
			for _, f := range j.cleanups {
				f()
			}
			wantSame(t, tt.want, j.errors, "errors")
		})
	}
}

func TestRequests_areRecordedWithTheKeyMasked(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Clock: NewManualClock(noon)})
	c.must("POST", "/customers?dry=1", object{"name": "A"})
	c.do("GET", "/customers/x", nil)
	(&client{t: t, s: c.s, key: "nobody"}).do("GET", "/customers", nil)

	first := c.s.Requests()[0]
	if first.Header.Get("X-Api-Key") != mask(c.key, visibleOfKey) || strings.Contains(fmt.Sprint(c.s.Requests()), c.key) {
		t.Errorf("the log holds key %q, want it masked", first.Header.Get("X-Api-Key"))
	}
	first.Header = nil
	want := Request{
		Method: "POST", Path: "/v1/customers", Query: map[string][]string{"dry": {"1"}}, Key: c.s.OwnerCompanyID(),
		Body: []byte(`{"name":"A"}`), Status: 200, At: noon,
	}
	wantSame(t, want, first, "record")
	if last, ok := c.s.Last("", ""); !ok || last.Key != "" || last.Status != http.StatusForbidden {
		t.Errorf("last = %+v, want a refused request of nobody", last)
	}
	for want, args := range map[int][2]string{3: {"", ""}, 2: {"GET", ""}, 1: {"GET", "/v1/customers/{id}"}, 0: {"PUT", "/v1/customers"}} {
		wantSame(t, want, c.s.Count(args[0], args[1]), "Count(%q, %q)", args[0], args[1])
	}
	c.s.ResetRequests()
	if _, ok := c.s.Last("", ""); ok || c.s.Count("", "") != 0 {
		t.Error("the log is not empty after ResetRequests")
	}
}
