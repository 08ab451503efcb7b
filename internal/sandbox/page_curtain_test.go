package sandbox

import (
	"net/http"
	"testing"
	"time"
)

func TestCheckSignature_saysWhichSecretSigned(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		since func(s *Server, clock *ManualClock, d *Delivery)
		want  string
		tone  string
	}{
		{"nothing happened", func(*Server, *ManualClock, *Delivery) {}, "valid: secret in force", "good"},
		{"rotated with a window", func(s *Server, _ *ManualClock, _ *Delivery) { s.RotateWebhookSecret(2) }, "valid: previous secret, in its rotation window", "good"},
		{"the window is over", func(s *Server, clock *ManualClock, _ *Delivery) {
			s.RotateWebhookSecret(2)
			clock.Advance(2 * time.Hour)
		}, "previous secret, no longer valid", "gone"},
		{"rotated without a window", func(s *Server, _ *ManualClock, _ *Delivery) { s.RotateWebhookSecret(0) }, "previous secret, no longer valid", "gone"},
		{"rotated twice", func(s *Server, _ *ManualClock, _ *Delivery) {
			s.RotateWebhookSecret(2)
			s.RotateWebhookSecret(2)
		}, "matches no secret that the account has now", "bad"},
		{"another body", func(_ *Server, _ *ManualClock, d *Delivery) { d.Body = append(d.Body, ' ') }, "matches no secret that the account has now", "bad"},
		{"another id", func(_ *Server, _ *ManualClock, d *Delivery) { d.Attempts[0].Header.Set("webhook-id", "x") }, "matches no secret that the account has now", "bad"},
		{"no signature", func(_ *Server, _ *ManualClock, d *Delivery) { d.Attempts[0].Header.Del("webhook-signature") }, "matches no secret that the account has now", "bad"},
		{"no timestamp", func(_ *Server, _ *ManualClock, d *Delivery) { d.Attempts[0].Header.Del("webhook-timestamp") }, "no timestamp", "bad"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			clock := NewManualClock(noon)
			c := newClient(t, Options{Clock: clock})
			c.subscribe(EventAuthorized, newReceiver(t, http.StatusOK).url)
			c.happen(EventAuthorized, map[string]any{"id": "7"})
			d := c.s.Deliveries()[0]
			tt.since(c.s, clock, &d)
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			if got, tone := c.s.checkSignature(d.Attempts[0].Header, d.Body, clock.Now()); got != tt.want || tone != tt.tone {
				t.Errorf("verdict = %q (%s), want %q (%s)", got, tone, tt.want, tt.tone)
			}
		})
	}
}

func TestCurtain_hidesByNameAndByValue(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	t.Cleanup(s.Close)
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"serviceInvoice": map[string]any{"password": "secret-word"}, "consumerInvoice": map[string]any{"csc": "12"}})
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.curtain()
	for name, tt := range map[string]struct {
		field string
		value any
		want  string
	}{
		"a plain text":                    {"userName", "fiscal", "fiscal"},
		"a text with a secret in it":      {"userName", "a secret-word b", "a (hidden) b"},
		"a short secret is in many texts": {"series", "12", "12"},
		"a field whose name says it":      {"apiKey", "x", "(hidden)"},
		"an identifier that only sounds":  {"tokenId", "000001", "000001"},
		"a flag whose name says it":       {"hasPassword", true, "true"},
		"a number whose name says it":     {"senha", 1234, "(hidden)"},
		"what is below":                   {"options", object{"list": []any{object{"clientSecret": "x", "n": 1}, "secret-word"}, "secret-word": nil}, `{"(hidden)":null,"list":[{"clientSecret":"(hidden)","n":1},"(hidden)"]}`},
		"markup is left to the template":  {"options", []any{"<b>"}, `["<b>"]`},
		"nothing":                         {"password", nil, ""},
	} {
		if got := c.value(tt.field, tt.value); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestCurtain_showsAddressesAndFailuresWithoutTheirSecrets(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	t.Cleanup(s.Close)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &pageMaker{s: s, curtain: s.curtain()}
	for raw, want := range map[string]string{
		"https://user:pw@hooks.example:8/in/a?token=1#f": "https://hooks.example:8/in/a?…",
		"http://127.0.0.1:1/" + s.signing.secret:         "http://127.0.0.1:1/(hidden)",
		"::not a url":                                    "an address that is no URL",
		"":                                               "an address that is no URL",
	} {
		if got := p.address(raw); got != want {
			t.Errorf("%q is shown as %q, want %q", raw, got, want)
		}
	}
	for raw, want := range map[string]string{
		`Post "http://h/?token=a": dial tcp 127.0.0.1:1: connect: connection refused`: "no answer: dial tcp 127.0.0.1:1: connect: connection refused",
		"build the request: odd":                                    "no answer: build the request: odd",
		`build the request: parse "http://h/?token=\"a\"": invalid`: "no answer: build the request: parse …: invalid",
		`Post "http://h/?token=a`:                                   "no answer: Post …",
	} {
		if got := p.failure(raw); got != want {
			t.Errorf("%q is shown as %q, want %q", raw, got, want)
		}
	}
}
