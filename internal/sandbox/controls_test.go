package sandbox

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// control talks to the sandbox itself, without a key.
func (c *client) control(method, path, body string) got {
	c.t.Helper()
	return (&client{t: c.t, s: c.s}).exchange(method, strings.TrimSuffix(c.s.BaseURL(), "/v1")+path, body, nil)
}

func TestControl_scriptNeedsNoKey(t *testing.T) {
	t.Parallel()
	c, clock := newSlowIssuer(t)
	wantStatus(t, c.control("POST", "/_sandbox/script", `{"integrationId":"s-1","outcomes":[
		{"kind":"transient","code":"SPD001","message":"m","status":"enqueued","delay":"3s","untilCheck":true,"then":{"kind":"reject","code":"9","message":"n"}},
		"deny"]}`), http.StatusOK)
	path := c.scripted("/service-invoices")
	clock.Advance(3 * time.Second)
	wantFields(t, c.must("GET", path, nil), object{"status": "enqueued", "processingDetail": object{"code": "SPD001", "message": "m"}})
	wantFields(t, c.must("POST", path+"/check-status", nil), object{"status": "rejected", "processingDetail": object{"code": "9"}})
	c.must("POST", path+"/issue", nil)
	clock.Advance(time.Second)
	c.wantStatusAt(path, "second outcome", "denied")
}

func TestControl_scriptRefusesWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	for _, body := range []string{
		`{"integrationId":"s-1","outcomes":["explode"]}`, `{"outcomes":[]}`, `{"integrationId":"a","outcomes":[{"kind":"deny","delay":"soon"}]}`,
		`{"integrationId":"a","outcomes":[{"kind":7}]}`, `no`,
		`{"integrationId":"a","outcome":["deny"]}`, `{"integrationId":"a","outcomes":[{"kind":"reject","reason":"no"}]}`,
	} {
		wantStatus(t, c.control("POST", "/_sandbox/script", body), http.StatusBadRequest)
	}
}

func TestControl_requestsShowWhatWasSent(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{Clock: NewManualClock(noon)})
	c.must("GET", "/service-invoices?integrationId=a%20b", nil)
	c.do("POST", "/service-invoices", `{"description":"x"}`)
	list := c.control("GET", "/_sandbox/requests", "").doc["requests"].([]any)
	if len(list) != 2 {
		t.Fatalf("requests = %v, want two: the controls do not count", list)
	}
	wantFields(t, list[0].(object), object{
		"method": "GET", "path": "/v1/service-invoices", "query": "integrationId=a+b", "companyId": c.s.OwnerCompanyID(),
		"status": json.Number("200"), "at": "2026-03-10T12:00:00.0000000Z", "body": nil,
	})
	wantFields(t, list[1].(object), object{"method": "POST", "status": json.Number("400"), "body": `{"description":"x"}`})
}

// A site that a browser on this machine has open, or another machine, must neither read what was sent nor choose what
// becomes of an invoice.
func TestControl_isForThisMachineAlone(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{RateLimit: true})
	const script = `{"integrationId":"s-1","outcomes":["deny"]}`
	for _, tt := range []struct {
		name, method, path, body string
		from                     string
		header                   http.Header
		want                     int
	}{
		{name: "a program here", method: "POST", path: "script", body: script, want: 200},
		{name: "a page of this machine", method: "POST", path: "script", body: script, header: http.Header{"Origin": {"http://127.0.0.1:9999"}}, want: 200},
		{name: "a page of elsewhere", method: "POST", path: "script", body: script, header: http.Header{"Origin": {"https://evil.example"}}, want: 403},
		{name: "a page of nowhere", method: "POST", path: "script", body: script, header: http.Header{"Origin": {"null"}}, want: 403},
		{name: "another machine", method: "GET", path: "requests", from: "192.0.2.1:1234", want: 403},
		{name: "a form", method: "POST", path: "script", body: script, header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, want: 415},
		{name: "text", method: "POST", path: "script", body: script, header: http.Header{"Content-Type": {"text/plain"}}, want: 415},
		{name: "no type", method: "POST", path: "script", body: script, header: http.Header{"Content-Type": nil}, want: 415},
		{name: "without end", method: "POST", path: "script", body: strings.Repeat(" ", maxControlBody+1), want: 413},
		{name: "an unknown control", method: "GET", path: "nothing", want: 404},
	} {
		r := httptest.NewRequestWithContext(t.Context(), tt.method, "http://127.0.0.1:8080/_sandbox/"+tt.path, strings.NewReader(tt.body))
		r.RemoteAddr = "127.0.0.1:4321"
		if tt.from != "" {
			r.RemoteAddr = tt.from
		}
		r.Header.Set("Content-Type", "application/json")
		maps.Copy(r.Header, tt.header)
		w := httptest.NewRecorder()
		c.s.ServeHTTP(w, r)
		if w.Code != tt.want {
			t.Errorf("%s: %d %s, want %d", tt.name, w.Code, w.Body, tt.want)
		}
		wantSame(t, "", w.Header().Get("x-rate-limit-remaining"), "%s: remaining requests", tt.name)
	}
	wantSame(t, 0, c.s.Count("", ""), "number of recorded requests")
}

func TestControl_requestsShowNoSecret(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.do("PUT", "/companies/"+c.s.OwnerCompanyID()+"/settings", `{"consumerInvoice":{"csc":"planted-csc","tokenId":"1"},"serviceInvoice":{"password":"planted-password"}}`)
	c.do("POST", "/webhooks", `{"event":"invoice.authorized","url":"https://example.com/hook?token=planted-token"}`)
	c.do("GET", "/customers?key="+c.s.OwnerKey(), nil)
	c.do("POST", "/customers", "planted-in-what-is-no-json")
	shown := c.control("GET", "/_sandbox/requests", "").raw
	wantNoTexts(t, shown, "planted", c.s.OwnerKey())
	wantTexts(t, shown, "tokenId", "https://example.com/hook")
}

func TestRecord_keepsTheNewestBodies(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	defer s.Close()
	body := make([]byte, maxRequestBody)
	for range 5 {
		s.record(httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/customers", nil), body)
	}
	kept := 0
	for _, r := range s.log {
		kept += len(r.Body)
	}
	if kept > maxRecorded || len(s.log[4].Body) == 0 || len(s.log) != 5 {
		t.Errorf("%d bytes of %d requests are kept", kept, len(s.log))
	}
}
