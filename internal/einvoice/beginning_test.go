package einvoice

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// What is late never leaves, whether it has a body or not, and on a connection that is open already.
func TestBeginning_sendsNothingLate(t *testing.T) {
	t.Parallel()
	hours := int64(1)
	for name, window := range map[string]*int64{"without a body": nil, "with a body": &hours} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var posts atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					posts.Add(1)
				}
				_, _ = w.Write([]byte(`{"secret":"whsec_a"}`))
			}))
			defer server.Close()
			c := mustClient(t, Config{BaseURL: server.URL + "/v1", APIKey: testKey, RequestTimeout: 300 * time.Millisecond, MaxRetries: 10})
			for range 5 {
				must(t, errorOf(c.WebhookSecret(t.Context())))
				begun := c.Beginning(func(context.Context) error { <-time.After(310 * time.Millisecond); return nil }, nil)
				if _, err := begun.RotateWebhookSecret(t.Context(), window); !errors.Is(err, ErrNotSent) {
					t.Fatalf("got %v, want that nothing was sent", err)
				}
			}
			if n := posts.Load(); n != 0 {
				t.Errorf("%d late requests were sent", n)
			}
		})
	}
}

// The record of what must happen once is put back while the client waits to repeat an attempt that was certainly not
// processed: a process that is killed in that wait leaves nothing in doubt.
func TestBeginning_takesBackWhatWasNotProcessed(t *testing.T) {
	t.Parallel()
	good, limited := status(200, `{"id":"1"}`), status(429, ``)
	for _, tt := range []struct {
		name, method string
		outcomes     []outcome
		want         string
	}{
		{"a 429", "POST", []outcome{limited, limited, good}, "begin back begin back begin"},
		{"no connection", "POST", []outcome{refused, good}, "begin back begin"},
		{"the last 429", "POST", []outcome{status(429, ``, "Retry-After", "1800")}, "begin"},
		{"a lost answer", "POST", []outcome{reset}, "begin"},
		{"a lost answer, repeated", "DELETE", []outcome{reset, good}, "begin begin"},
		{"a 429 after a lost answer", "DELETE", []outcome{reset, limited, good}, "begin begin begin"},
		{"a read", "GET", []outcome{limited, good}, ""},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			c, _ := played(t, 2, tt.outcomes...)
			var happened []string
			begun := c.Beginning(
				func(context.Context) error { happened = append(happened, "begin"); return nil },
				func(context.Context) { happened = append(happened, "back") },
			)
			_ = operations[tt.method](t.Context(), begun)
			if got := strings.Join(happened, " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
