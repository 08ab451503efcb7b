package sandbox

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox/page"
)

func secretOf(c *client) string {
	c.t.Helper()
	return c.must("GET", "/webhooks/secret", nil)["secret"].(string)
}

func TestSecret_isInTheFormOfStandardWebhooks(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	secret := secretOf(c)
	key, err := base64.StdEncoding.DecodeString(regexp.MustCompile(`^whsec_`).ReplaceAllString(secret, ""))
	if err != nil || len(key) != 32 || secret != c.s.WebhookSecret() {
		t.Errorf("secret = %q (%d bytes, %v), want whsec_ and the base64 of 32 bytes", secret, len(key), err)
	}
	wantSame(t, secretOf(c), secret, "the secret of a second read")
}

func TestSecret_aRotationAnswersTheNewOneAndHowLongTheOldOneLasts(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Clock: NewManualClock(noon)})
	tests := []struct {
		name, body string
		until      any
	}{
		{"without a body", "", nil},
		{"with an empty object", "{}", nil},
		{"without a window", `{"windowHours":0}`, nil},
		{"with the longest window", `{"windowHours":72}`, "2026-03-13T12:00:00.0000000Z"},
	}
	seen := map[string]bool{secretOf(c): true}
	for _, tt := range tests {
		var body any
		if tt.body != "" {
			body = tt.body
		}
		doc := c.must("POST", "/webhooks/secret/rotate", body)
		secret := secretOf(c)
		wantSame(t, object{"secret": secret, "rotatedAt": "2026-03-10T12:00:00.0000000Z", "previousSecretValidUntil": tt.until}, doc, "%s: answer", tt.name)
		if seen[secret] {
			t.Errorf("%s: the secret is not new", tt.name)
		}
		seen[secret] = true
	}
}

func TestSecret_aWindowBeyondItsLimitsIsRefused(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	before := secretOf(c)
	for _, body := range []string{`{"windowHours":73}`, `{"windowHours":-1}`, `{"windowHours":"long"}`} {
		wantStatus(t, c.do("POST", "/webhooks/secret/rotate", body), http.StatusBadRequest)
	}
	wantSame(t, before, secretOf(c), "the secret after a refused rotation")
}

func TestSignature_followsStandardWebhooks(t *testing.T) {
	t.Parallel()
	// The example of the Standard Webhooks reference libraries.
	got := signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	wantSame(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", got, "signature")
}

func TestCheckSignature_saysWhichSecretSigned(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		since func(s *Server, clock *ManualClock, d *Delivery)
		want  string
		tone  string
	}{
		{"nothing happened", func(*Server, *ManualClock, *Delivery) {}, page.SignedCurrent, "good"},
		{"rotated with a window", func(s *Server, _ *ManualClock, _ *Delivery) { s.RotateWebhookSecret(2) }, page.SignedWindow, "good"},
		{"the window is over", func(s *Server, clock *ManualClock, _ *Delivery) {
			s.RotateWebhookSecret(2)
			clock.Advance(2 * time.Hour)
		}, page.SignedExpired, "gone"},
		{"rotated without a window", func(s *Server, _ *ManualClock, _ *Delivery) { s.RotateWebhookSecret(0) }, page.SignedExpired, "gone"},
		{"rotated twice", func(s *Server, _ *ManualClock, _ *Delivery) {
			s.RotateWebhookSecret(2)
			s.RotateWebhookSecret(2)
		}, page.SignedNone, "bad"},
		{"another body", func(_ *Server, _ *ManualClock, d *Delivery) { d.Body = append(d.Body, ' ') }, page.SignedNone, "bad"},
		{"another id", func(_ *Server, _ *ManualClock, d *Delivery) { d.Attempts[0].Header.Set("webhook-id", "x") }, page.SignedNone, "bad"},
		{"no signature", func(_ *Server, _ *ManualClock, d *Delivery) { d.Attempts[0].Header.Del("webhook-signature") }, page.SignedNone, "bad"},
		{"no timestamp", func(_ *Server, _ *ManualClock, d *Delivery) { d.Attempts[0].Header.Del("webhook-timestamp") }, page.SignedUntimed, "bad"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			clock := NewManualClock(noon)
			c := newClient(t, Options{Clock: clock})
			c.subscribe(EventAuthorized, newReceiver(t, http.StatusOK).url)
			c.happen(EventAuthorized, object{"id": "7"})
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
