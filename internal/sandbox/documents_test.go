package sandbox

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox/page"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestDocument_isAnsweredInEveryForm(t *testing.T) {
	t.Parallel()
	for _, form := range []string{DocumentJSON, DocumentBase64, DocumentRaw} {
		rows.Case(t, form, func(t *testing.T) {
			c := newIssuer(t, Options{DocumentForm: form})
			read := func(path, contentType string) string {
				if form != DocumentRaw {
					contentType = contentTypeJSON
				}
				g := c.do("GET", path, nil)
				wantSame(t, contentType, g.header.Get("Content-Type"), "content type of %s", path)
				if form == DocumentRaw {
					return g.raw
				}
				var content string
				if err := json.Unmarshal([]byte(g.raw), &content); err != nil {
					t.Fatalf("answer is no JSON string: %v", err)
				}
				if form == DocumentJSON {
					return content
				}
				raw, err := base64.StdEncoding.DecodeString(content)
				expect.NoError(t, err)
				return string(raw)
			}
			for _, path := range pathsOf {
				at := path + "/" + c.issued(path, object{"receiver": buyer(`José & "Cia" (SP)`)})
				pdf := read(at+"/pdf", "application/pdf")
				if !strings.HasPrefix(pdf, "%PDF-1.4\n") || !strings.HasSuffix(pdf, "%%EOF\n") || !strings.Contains(pdf, `Jose & "Cia" \(SP\)`) {
					t.Errorf("pdf of %s = %s", path, pdf)
				}
				document := read(at+"/xml", "application/xml")
				var parsed struct{ XMLName xml.Name }
				if err := xml.Unmarshal([]byte(document), &parsed); err != nil {
					t.Errorf("xml of %s: %v in %s", path, err, document)
				}
				expect.Contains(t, document, "<xNome>José &amp; &#34;Cia&#34; (SP)</xNome>")
			}
		})
	}
}

// receiver is somebody's server for webhooks; it answers the statuses in turn, then the last of them forever.
type receiver struct {
	url string

	mu       sync.Mutex
	statuses []int
	headers  []http.Header
	bodies   []string
}

func newReceiver(t *testing.T, statuses ...int) *receiver {
	t.Helper()
	r := &receiver{statuses: statuses}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.headers = append(r.headers, req.Header)
		r.bodies = append(r.bodies, string(body))
		status := r.statuses[0]
		if len(r.statuses) > 1 {
			r.statuses = r.statuses[1:]
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bodies)
}

func (c *client) subscribe(event, url string) string {
	return c.s.Seed(KindWebhooks, object{"event": event, "url": url})
}

// subscribed is a client with a webhook for authorizations and its receiver.
func subscribed(t *testing.T, statuses ...int) (c *client, clock *ManualClock, r *receiver, webhook string) {
	t.Helper()
	clock = NewManualClock(noon)
	c, r = newClient(t, Options{Clock: clock}), newReceiver(t, statuses...)
	return c, clock, r, c.subscribe(EventAuthorized, r.url)
}

// happen emits an event and waits until it is sent.
func (c *client) happen(event string, data object) {
	c.s.locked(func() { c.s.emit(event, data) })
	c.s.Settle()
}

func TestDelivery_isASignedPostOfIDEventAndData(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Clock: NewManualClock(noon)})
	r := newReceiver(t, http.StatusNoContent)
	webhook := c.subscribe(EventAuthorized, r.url+"/in?token=1")
	c.subscribe(EventRejected, r.url)
	c.happen(EventAuthorized, object{"id": "7", "amount": json.Number("10.50"), "company": object{"_own": 1, "name": "A"}, "_own": 1})

	deliveries := c.s.Deliveries()
	if len(deliveries) != 1 || r.count() != 1 {
		t.Fatalf("%d deliveries and %d requests, want one of each", len(deliveries), r.count())
	}
	d, header, body := deliveries[0], r.headers[0], r.bodies[0]
	want := `{"data":{"amount":10.50,"company":{"name":"A"},"id":"7"},"event":"invoice.authorized","id":"` + d.ID + `"}`
	wantSame(t, want, body, "body")
	for name, want := range map[string]string{
		"webhook-id": d.ID, "webhook-timestamp": strconv.FormatInt(noon.Unix(), 10), "Content-Type": "application/json; charset=utf-8",
		"webhook-signature": signature(c.s.WebhookSecret(), d.ID, noon, []byte(body)),
	} {
		wantSame(t, want, header.Get(name), "%s", name)
	}
	wantDelivery := Delivery{
		ID: d.ID, WebhookID: webhook, Event: EventAuthorized, URL: r.url + "/in?token=1", Body: []byte(want),
		State: DeliverySucceeded, Attempts: []DeliveryAttempt{{At: noon, Status: http.StatusNoContent}},
	}
	expect.Is(t, cmp.Diff(wantDelivery, d, cmpopts.IgnoreFields(DeliveryAttempt{}, "Header")), "", "delivery differs (-want +got):\n")
}

func TestPost_connectsToLoopbackAlone(t *testing.T) {
	t.Parallel()
	if _, err := post(t.Context(), "http://192.0.2.1/", nil, nil); err == nil {
		t.Error("an address beyond loopback was connected to")
	}
}

func TestDelivery_everyTryAndSkipIsTold(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock})
	told := make(chan string, 4)
	c.s.OnDelivery(func(d Delivery) { told <- d.State })
	r := newReceiver(t, http.StatusBadGateway, http.StatusOK)
	c.subscribe(EventAuthorized, r.url)
	c.subscribe(EventRejected, nowhere)
	c.happen(EventAuthorized, object{})
	clock.Advance(5 * time.Minute)
	c.s.Settle()
	c.happen(EventRejected, object{})
	close(told)
	var states []string
	for state := range told {
		states = append(states, state)
	}
	wantSame(t, []string{DeliveryPending, DeliverySucceeded, DeliverySkipped}, states, "states told")
}

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
		rows.Case(t, tt.name, func(t *testing.T) {
			c, clock, _, _ := subscribed(t, http.StatusOK)
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

func TestDelivery_isSignedWithBothSecretsInTheWindow(t *testing.T) {
	t.Parallel()
	c, clock, r, _ := subscribed(t, http.StatusOK)
	before := c.s.WebhookSecret()
	now := c.s.RotateWebhookSecret(72)
	for n, secrets := range [][]string{{now, before}, {now}} {
		c.happen(EventAuthorized, object{})
		var want []string
		for _, secret := range secrets {
			want = append(want, signature(secret, c.s.Deliveries()[n].ID, clock.Now(), []byte(r.bodies[n])))
		}
		wantSame(t, strings.Join(want, " "), r.headers[n].Get("webhook-signature"), "signatures")
		clock.Advance(72 * time.Hour)
	}
}

const nowhere = "https://hooks.example/in?token=1"
