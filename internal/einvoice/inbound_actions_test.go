package einvoice

import (
	"errors"
	"testing"
	"time"
)

func TestSyncInbound(t *testing.T) {
	t.Parallel()
	post := exchange{method: "POST", path: "/v1/inbound-product-invoices/sync"}
	for _, tt := range []struct {
		name, answer string
		status       int
		kind         string
	}{
		{"OK as a JSON string", `"OK"`, 200, ""},
		{"OK as plain text", `OK`, 200, ""},
		{"nothing", ``, 202, ""},
		{"not successful", `{"success":false}`, 200, "not successful"},
		{"refused", `{"message":"no"}`, 400, "bad request"},
		{"failed, and not repeated", ``, 500, "server, ambiguous"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := post
			e.answer, e.status = tt.answer, tt.status
			c := newService(t, e).client(func(cfg *Config) { cfg.MaxRetries = 5 })
			if err := c.SyncInbound(t.Context()); kinds(err) != tt.kind {
				t.Errorf("%v is %q, want %q", err, kinds(err), tt.kind)
			}
		})
	}
}

func TestSyncInbound_reportsTheIntervalInsteadOfWaitingForIt(t *testing.T) {
	t.Parallel()
	refused := exchange{method: "POST", path: "/v1/inbound-product-invoices/sync", status: 429}
	for name, e := range map[string]exchange{
		"in the header":                    {header: map[string]string{"Retry-After": "30"}},
		"in the body":                      {answer: `{"retryAfterSeconds":30,"nextAllowedSyncAt":"2026-11-21T10:00:00-03:00"}`},
		"beside requests left for the key": {header: map[string]string{"x-rate-limit-remaining": "12"}, answer: `{"retryAfterSeconds":30}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e.method, e.path, e.status = refused.method, refused.path, refused.status
			c := newService(t, e).client(func(cfg *Config) { cfg.MaxRetries = 5 })
			err := c.SyncInbound(t.Context())
			var failure *Error
			if !errors.Is(err, ErrRateLimited) || !errors.As(err, &failure) || failure.RetryAfter != 30*time.Second {
				t.Errorf("%v, want a refusal for 30 seconds", err)
			}
		})
	}
}

func TestManifestInbound(t *testing.T) {
	t.Parallel()
	const path = "/v1/inbound-product-invoices/1/manifest"
	for _, tt := range []struct {
		name, justification, body, answer string
		status                            int
		shown                             bool
		kind                              string
	}{
		{"the invoice", "", `{"status":"confirmed"}`, `{"id":"1","manifestation":{"status":"confirmed"}}`, 200, true, ""},
		{"with a justification", "not bought by us", `{"justification":"not bought by us","status":"confirmed"}`, `{"result":{"id":"1"}}`, 200, true, ""},
		{"nothing", "", `{"status":"confirmed"}`, ``, 204, false, ""},
		{"another invoice", "", `{"status":"confirmed"}`, `{"id":"2"}`, 200, false, ""},
		{"refused by the authority", "", `{"status":"confirmed"}`, `{"message":"no"}`, 400, false, "bad request"},
		{"failed, and not repeated", "", `{"status":"confirmed"}`, ``, 502, false, "server, ambiguous"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newService(t, exchange{method: "POST", path: path, body: tt.body, answer: tt.answer, status: tt.status}).client(func(cfg *Config) { cfg.MaxRetries = 5 })
			got, err := c.ManifestInbound(t.Context(), "1", ManifestConfirmed, tt.justification)
			if kinds(err) != tt.kind {
				t.Errorf("%v is %q, want %q", err, kinds(err), tt.kind)
			}
			if (got != nil) != tt.shown {
				t.Errorf("the answer shows %v", got)
			}
		})
	}
	if _, err := newService(t).client().ManifestInbound(t.Context(), "", ManifestConfirmed, ""); kinds(err) != "not sent" {
		t.Errorf("without an id: %v", err)
	}
}
