package sandbox

import (
	"encoding/json"
	"net/http"
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
	wantFields(t, c.must("GET", path, nil), map[string]any{"status": "enqueued", "processingDetail": map[string]any{"code": "SPD001", "message": "m"}})
	wantFields(t, c.must("POST", path+"/check-status", nil), map[string]any{"status": "rejected", "processingDetail": map[string]any{"code": "9"}})
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
	wantFields(t, list[0].(map[string]any), map[string]any{
		"method": "GET", "path": "/v1/service-invoices", "query": "integrationId=a+b", "companyId": c.s.OwnerCompanyID(),
		"status": json.Number("200"), "at": "2026-03-10T12:00:00.0000000Z", "body": nil,
	})
	wantFields(t, list[1].(map[string]any), map[string]any{"method": "POST", "status": json.Number("400"), "body": `{"description":"x"}`})
}
