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
func TestGuard_sendsNothingLate(t *testing.T) {
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
				for opened := false; !opened; { // A busy machine may be late itself.
					opened = errorOf(c.WebhookSecret(t.Context())) == nil
				}
				late := &guard{begin: func() { <-time.After(310 * time.Millisecond) }}
				if _, err := c.RotateWebhookSecret(t.Context(), window, late); !errors.Is(err, ErrNotSent) {
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
func TestGuard_takesBackWhatWasNotProcessed(t *testing.T) {
	t.Parallel()
	good, limited := status(200, `{"id":"1"}`), status(429, ``)
	create := func(c *Client) call { return c.operation("create_customer").with(Customer{Name: "A"}) }
	remove := func(c *Client) call { return c.object("delete", KindCustomer, "1") }
	for _, tt := range []struct {
		name     string
		of       func(*Client) call
		outcomes []outcome
		want     string
	}{
		{"a 429", create, []outcome{limited, limited, good}, "begin back begin back begin"},
		{"no connection", create, []outcome{refused, good}, "begin back begin"},
		{"the last 429", create, []outcome{status(429, ``, "Retry-After", "1800")}, "begin"},
		{"a lost answer", create, []outcome{reset}, "begin"},
		{"a lost answer, repeated", remove, []outcome{reset, good}, "begin begin"},
		{"a 429 after a lost answer", remove, []outcome{reset, limited, good}, "begin begin begin"},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			c, _ := played(t, 2, tt.outcomes...)
			var happened []string
			req := tt.of(c)
			req.guard = &guard{
				begin: func() { happened = append(happened, "begin") },
				back:  func() { happened = append(happened, "back") },
			}
			_, _ = c.do(t.Context(), req)
			if got := strings.Join(happened, " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

type guard struct{ begin, back func() }

func (g *guard) Begin(context.Context) error { g.begin(); return nil }
func (g *guard) TakeBack(context.Context)    { g.back() }
