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
	const own, moved = "/v1/service-invoices/1", "/v1/moved"
	for _, tt := range []struct {
		name, method, location string
		status, calls          int
		kind, text             string
	}{
		{"a read goes on at the same address", "GET", moved, 302, 2, "", ""},
		{"a read goes on for good", "GET", moved, 308, 2, "", ""},
		{"the default port is the same address", "GET", "https://HOST.example:443" + moved, 301, 2, "", ""},
		{"a read does not go round for ever", "GET", own, 302, maxRedirects + 1, "redirect", "again and again"},
		{"a read does not go to another port", "GET", "https://host.example:8443" + moved, 307, 1, "redirect", "set base_url to it"},
		{"a read does not go to another host", "GET", "https://stranger.example/v1", 301, 1, "redirect", "https://stranger.example,"},
		{"a read does not go to plain HTTP", "GET", "http://host.example" + moved, 301, 1, "redirect", "set base_url to it"},
		{"a read does not go to plain HTTP at the same port", "GET", "http://host.example:443" + moved, 301, 1, "redirect", "set base_url to it"},
		{"a write goes nowhere", "POST", moved, 307, 1, "redirect", "base_url"},
		{"a write that says where its result is was processed", "POST", moved, 303, 1, "redirect, ambiguous", "base_url"},
		{"a write that was perhaps processed", "POST", moved, 302, 1, "redirect, ambiguous", "base_url"},
		{"a write without an address to go on", "POST", "", 301, 1, "redirect, ambiguous", "without a usable address"},
		{"a deletion goes nowhere", "DELETE", moved, 307, 1, "redirect", "base_url"},
		{"a change goes nowhere", "PUT", moved, 308, 1, "redirect", "base_url"},
		{"a redirect to nowhere", "GET", "", 302, 1, "redirect", "without a usable address"},
		{"no key in the text", "PUT", "https://x.example/" + testKey, 308, 1, "redirect", "https://x.example,"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, n := played(t, 5, func(r *http.Request) (*http.Response, error) {
				traced(r, true)
				if r.URL.Path != moved {
					return reply(tt.status, ``, "Location", tt.location), nil
				}
				if r.Method != http.MethodGet || r.Header.Get("X-Api-Key") != testKey {
					t.Errorf("%s with key %q", r.Method, r.Header.Get("X-Api-Key"))
				}
				return reply(200, `{"id":"1"}`), nil
			})
			err := operations[tt.method](t.Context(), c)
			if got := kinds(err); got != tt.kind || *n != tt.calls {
				t.Errorf("%v is %s after %d requests, want %s after %d", err, got, *n, tt.kind, tt.calls)
			}
			if err != nil && (!strings.Contains(err.Error(), tt.text) || strings.Contains(err.Error(), testKey)) {
				t.Errorf("the text is %v, want %q", err, tt.text)
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

func TestRefuse_isNoAnswer(t *testing.T) {
	t.Parallel()
	c := scripted(t, nil)
	ctx := t.Context()
	for name, err := range map[string]error{
		"an id that is empty":             c.Delete(ctx, KindCustomer, ""),
		"an id that is the collection":    c.Delete(ctx, KindCustomer, "."),
		"an id that is the parent":        c.Delete(ctx, KindCustomer, ".."),
		"an unknown model":                errorOf(c.Invoice(ctx, "otherInvoice", "1")),
		"a payload that is no object":     errorOf(c.CreateInvoice(ctx, ModelService, []byte(`[1]`), nil)),
		"a payload that is no JSON":       errorOf(c.CreateInvoice(ctx, ModelService, []byte(`{"a":`), nil)),
		"extra fields that are no object": errorOf(c.CreateCustomer(ctx, Customer{Name: "x"}, []byte(`[1]`))),
		"extra fields that are no JSON":   errorOf(c.UpdateCustomer(ctx, "1", Customer{}, Customer{}, []byte(`{}{}`))),
		"an unknown format":               errorOf(c.InvoiceDocument(ctx, ModelService, "1", "doc", "")),
	} {
		wantKind(t, err, "not sent", name)
	}
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
