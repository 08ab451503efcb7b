package einvoice

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
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
			c := mustClient(t, Config{BaseURL: server.URL + "/v1", APIKey: testKey, RequestTimeout: 300 * time.Millisecond})
			for range 5 {
				must(t, errorOf(c.WebhookSecret(t.Context())))
				begun := c.Beginning(func(context.Context) error { <-time.After(310 * time.Millisecond); return nil })
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
