package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// canceledEvent has the sandbox sign and send one event, and returns what it sent.
func canceledEvent(t *testing.T, s *sandbox.Server) (http.Header, []byte, sandbox.Delivery) {
	t.Helper()
	s.SetInvoiceStatus(s.Seed(sandbox.KindServiceInvoices, map[string]any{"status": "authorized"}), "canceled")
	s.Settle()
	all := s.Deliveries()
	if len(all) == 0 || len(all[len(all)-1].Attempts) == 0 {
		t.Fatalf("nothing was sent: %+v", all)
	}
	last := all[len(all)-1]
	return last.Attempts[0].Header, last.Body, last
}

// TestWebhookReceiver_takesWhatTheSandboxSends runs the code that the guide shows.
func TestWebhookReceiver_takesWhatTheSandboxSends(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	var mu sync.Mutex
	kept := map[string]json.RawMessage{}
	full := false
	handler := Handler(s.WebhookSecret, func(id, event string, data json.RawMessage) error {
		mu.Lock()
		defer mu.Unlock()
		if full {
			return errors.New("no room")
		}
		expect.Is(t, event, sandbox.EventCanceled, "the event")
		kept[id] = data
		return nil
	})
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	s.Seed(sandbox.KindWebhooks, map[string]any{"event": sandbox.EventCanceled, "url": server.URL})

	header, body, delivery := canceledEvent(t, s)
	if delivery.State != sandbox.DeliverySucceeded {
		t.Fatalf("the delivery is %s: %+v", delivery.State, delivery.Attempts)
	}
	expect.Contains(t, string(kept[delivery.ID]), `"status":"canceled"`)

	answer := func(header http.Header, body []byte) int {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(body))
		request.Header = header
		recorder := httptest.NewRecorder()
		handler(recorder, request)
		return recorder.Code
	}
	expect.Is(t, answer(header, body), http.StatusNoContent, "the answer to the same delivery")
	expect.Is(t, len(kept), 1, "deliveries")
	expect.Is(t, answer(http.Header{}, body), http.StatusUnauthorized, "the answer to a delivery without a signature")
	full = true // It comes again.
	expect.Is(t, answer(header, body), http.StatusInternalServerError, "the answer to what could not be kept")
}

func TestWebhookReceiver_refusesWhatTheServiceDidNotSign(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed(sandbox.KindWebhooks, map[string]any{"event": sandbox.EventCanceled, "url": "http://127.0.0.1:9/"})
	header, body, _ := canceledEvent(t, s)
	now := time.Now()
	expect.NoError(t, Verify(s.WebhookSecret(), header, body, now))
	with := func(name, value string) http.Header {
		changed := header.Clone()
		changed.Set(name, value)
		return changed
	}
	tests := map[string]struct {
		secret string
		header http.Header
		body   []byte
		now    time.Time
	}{
		"another body":        {s.WebhookSecret(), header, append(bytes.Clone(body), ' '), now},
		"another id":          {s.WebhookSecret(), with("Webhook-Id", "7"), body, now},
		"another time":        {s.WebhookSecret(), with("Webhook-Timestamp", "1"), body, now},
		"no time":             {s.WebhookSecret(), with("Webhook-Timestamp", ""), body, now},
		"an old delivery":     {s.WebhookSecret(), header, body, now.Add(6 * time.Minute)},
		"one of the future":   {s.WebhookSecret(), header, body, now.Add(-6 * time.Minute)},
		"no signature":        {s.WebhookSecret(), with("Webhook-Signature", ""), body, now},
		"another version":     {s.WebhookSecret(), with("Webhook-Signature", "v9"+header.Get("Webhook-Signature")[2:]), body, now},
		"another secret":      {"whsec_c2VjcmV0", header, body, now},
		"no secret":           {"", header, body, now},
		"a secret in no form": {"whsec_*", header, body, now},
	}
	for name, tt := range tests {
		expect.False(t, Verify(tt.secret, tt.header, tt.body, tt.now) == nil, "%s is taken for genuine", name)
	}
}

// During the window of a rotation receivers with either secret go on.
func TestWebhookReceiver_goesOnThroughARotation(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed(sandbox.KindWebhooks, map[string]any{"event": sandbox.EventCanceled, "url": "http://127.0.0.1:9/"})
	first := s.WebhookSecret()
	for _, tt := range []struct {
		window       int
		previousSign bool
	}{{24, true}, {0, false}} {
		previous, current := s.WebhookSecret(), s.RotateWebhookSecret(tt.window)
		header, body, _ := canceledEvent(t, s)
		expect.Is(t, Verify(current, header, body, time.Now()), nil, "the new secret, with %d hours", tt.window)
		isGood := Verify(previous, header, body, time.Now()) == nil
		expect.Is(t, isGood, tt.previousSign, "the previous secret is good, with %d hours", tt.window)
	}
	header, body, _ := canceledEvent(t, s)
	expect.False(t, Verify(first, header, body, time.Now()) == nil, "the secret before the previous one is still good")
}

// TestServe runs the program as its first comment says: it asks for the secret, subscribes, and prints each delivery.
func TestServe_printsWhatTheSandboxSends(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	t.Setenv("EINVOICE_BASE_URL", s.BaseURL())
	t.Setenv("EINVOICE_API_KEY", s.OwnerKey())
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	expect.NoError(t, err)
	said, out := io.Pipe()
	ended := make(chan error)
	go func() { ended <- serve(t.Context(), listener, sandbox.EventCanceled, out) }()
	lines := bufio.NewScanner(said)
	expect.False(t, !lines.Scan() || !strings.Contains(lines.Text(), listener.Addr().String()),
		"it says %q, want its address", lines.Text())
	id := s.Seed(sandbox.KindServiceInvoices, map[string]any{"status": "authorized", "integrationId": "2026-11-a"})
	s.SetInvoiceStatus(id, "canceled")
	if !lines.Scan() || !strings.Contains(lines.Text(), "invoice.canceled") || !strings.Contains(lines.Text(), "2026-11-a canceled") {
		t.Errorf("it says %q, want the cancellation", lines.Text())
	}
	s.Settle()
	_ = listener.Close()
	expect.True(t, errors.Is(<-ended, net.ErrClosed), "it does not end with its listener")
}
