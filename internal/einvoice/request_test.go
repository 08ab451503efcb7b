package einvoice

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// The first request leaves an idle connection behind, so that the POST meets a reused one: the transport repeats some
// requests there by itself, and must not repeat this one.
func TestExchange_dropAfterProcessingIsAmbiguous(t *testing.T) {
	t.Parallel()
	var writes atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(`{"id":"1"}`))
			return
		}
		writes.Add(1)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.Close()
	}))
	t.Cleanup(server.Close)
	c := mustClient(t, Config{BaseURL: server.URL + "/v1", APIKey: testKey, MaxRetries: 5})
	for _, method := range []string{"POST", "ISSUE", "CANCEL"} {
		must(t, operations["GET"](t.Context(), c))
		wantKind(t, operations[method](t.Context(), c), "ambiguous", method)
	}
	expect.Is(t, writes.Load(), 3, "writes came")
}

func TestExchange_isNotSentWithoutAConnection(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	untrusted := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a request came through")
	}))
	untrusted.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // It complains of the refused handshake.
	untrusted.StartTLS()
	defer untrusted.Close()
	for address, maxRetries := range map[string]int{gone.URL: 0, untrusted.URL: 20} { // A certificate stays unknown.
		c := mustClient(t, Config{BaseURL: address + "/v1", APIKey: testKey, MaxRetries: maxRetries})
		_, err := c.CreateInvoice(t.Context(), ModelService, []byte(`{}`), nil)
		wantKind(t, err, "not sent", address)
		if failed(t, err).Attempts != 1 || strings.Contains(err.Error(), "://") {
			t.Errorf("%v after %d attempts", err, failed(t, err).Attempts)
		}
	}
}

func TestRedirect_rules(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Name, Method, Location string
		Status, Calls          int
		Kind, Text             string
	}](t, "redirect_rules.json") {
		rows.Case(t, tt.Name, func(t *testing.T) {
			c, n := played(t, 5, func(r *http.Request) (*http.Response, error) {
				traced(r, true)
				if r.URL.Path != "/v1/moved" {
					return reply(tt.Status, ``, "Location", strings.ReplaceAll(tt.Location, "KEY", testKey)), nil
				}
				if r.Method != http.MethodGet || r.Header.Get("X-Api-Key") != testKey {
					t.Errorf("%s with key %q", r.Method, r.Header.Get("X-Api-Key"))
				}
				return reply(200, `{"id":"1"}`), nil
			})
			err := operations[tt.Method](t.Context(), c)
			wantKind(t, err, tt.Kind)
			expect.Is(t, *n, tt.Calls, "requests")
			if err != nil && (!strings.Contains(err.Error(), tt.Text) || strings.Contains(err.Error(), testKey)) {
				t.Errorf("the text is %v, want %q", err, tt.Text)
			}
		})
	}
}

func TestDelete_afterAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reads []outcome
		calls int
		err   error
	}{
		"gone, and no list is asked: it may lag": {[]outcome{status(404, ``)}, 3, nil},
		"there":                                  {[]outcome{status(200, `{"id":"1"}`)}, 3, ErrCannotDelete},
		"listed, and no id is read":              {[]outcome{status(405, ``), status(200, `[{"id":"1"}]`)}, 4, ErrCannotDelete},
	} {
		bubble(t, name, func(t *testing.T) {
			c, n := played(t, 2, append([]outcome{reset, status(404, ``)}, tt.reads...)...)
			if err := operations["DELETE"](t.Context(), c); !errors.Is(err, tt.err) || *n != tt.calls {
				t.Errorf("%v after %d requests", err, *n)
			}
		})
	}
}

// What is JSON and no object, and ids that are none, are among the operations.
func TestRefuse_whatIsNoJSON(t *testing.T) {
	t.Parallel()
	c := scripted(t, nil)
	wantKind(t, errorOf(c.CreateInvoice(t.Context(), ModelService, []byte(`{"a":`), nil)), "not sent", "a payload")
	_, err := c.UpdateCustomer(t.Context(), "1", Customer{}, Customer{}, []byte(`{}{}`))
	wantKind(t, err, "not sent", "extra fields")
}

func TestExchange_theTransportCannotRepeatAWrite(t *testing.T) {
	t.Parallel()
	for method, rewinds := range map[string]bool{"POST": false, "CANCEL": false, "PUT with a body": true} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			c, n := played(t, 0, func(r *http.Request) (*http.Response, error) {
				if got := r.GetBody != nil; r.Method != http.MethodGet && got != rewinds {
					t.Errorf("the body can be had again: %v", got)
				}
				return reply(200, `{"id":"1","event":"","url":""}`), nil
			})
			operation := operations[method]
			if operation == nil {
				operation = func(ctx context.Context, c *Client) error {
					return errorOf(c.UpdateWebhook(ctx, "1", "invoice.authorized", "https://x.example/"))
				}
			}
			if err := operation(t.Context(), c); err != nil || *n != 1 && operations[method] != nil {
				t.Errorf("%v after %d exchanges", err, *n)
			}
		})
	}
}

func TestAnswer_isNotNestedTooDeep(t *testing.T) {
	t.Parallel()
	nested := func(levels int) string {
		return `{"id":"1","text":"[[[\\\"[[","x":` + strings.Repeat(`[`, levels-1) + strings.Repeat(`]`, levels-1) + `}`
	}
	for levels, kind := range map[int]string{maxNesting: "", maxNesting + 1: "bad answer, ambiguous", 9000: "bad answer, ambiguous"} {
		for method, operation := range operations {
			c, _ := played(t, 0, status(200, nested(levels)))
			err := operation(t.Context(), c)
			if got := kinds(err); err == nil != (kind == "") || err != nil && got != kind {
				t.Errorf("%s of %d levels: %v is %q, want %q", method, levels, err, got, kind)
			}
		}
	}
}
