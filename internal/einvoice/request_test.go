package einvoice

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// hangUp reads the request and closes the connection without an answer.
func hangUp(t *testing.T) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.Close()
	}
}

func TestExchange_dropAfterProcessingIsAmbiguous(t *testing.T) {
	t.Parallel()
	// The first request leaves an idle connection behind, so that the POST meets a
	// reused one: the transport repeats some requests there by itself, and must
	// not repeat this one.
	s := newService(
		t,
		exchange{method: "GET", path: "/v1/service-invoices/1", answer: `{"id":"1"}`},
		exchange{method: "POST", path: "/v1/service-invoices", body: `{"a":1}`, serve: hangUp(t)},
		exchange{method: "POST", path: "/v1/service-invoices/1/issue", serve: hangUp(t)},
		exchange{method: "DELETE", path: "/v1/service-invoices/1", body: `{"reason":"a reason of some length"}`, serve: hangUp(t)},
	)
	c := s.client(func(cfg *Config) { cfg.MaxRetries = 5 })
	if _, err := c.Invoice(t.Context(), ModelService, "1"); err != nil {
		t.Fatal(err)
	}
	_, err := c.CreateInvoice(t.Context(), ModelService, []byte(`{"a":1}`))
	wantKind(t, err, "ambiguous")
	_, err = c.IssueInvoice(t.Context(), ModelService, "1")
	wantKind(t, err, "ambiguous")
	_, err = c.CancelInvoice(t.Context(), ModelService, "1", "a reason of some length")
	wantKind(t, err, "ambiguous")
}

func TestExchange_refusedConnectionIsNotSent(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	c := mustClient(t, Config{BaseURL: "http://" + address + "/v1", APIKey: testKey})
	_, err = c.CreateInvoice(t.Context(), ModelService, []byte(`{}`))
	wantKind(t, err, "not sent")
	if strings.Contains(err.Error(), "http://") {
		t.Errorf("the error shows the URL: %v", err)
	}
}

func TestExchange_unknownCertificateIsNotSent(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a request came through")
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // It complains of the refused handshake.
	server.StartTLS()
	t.Cleanup(server.Close)
	c := mustClient(t, Config{BaseURL: server.URL + "/v1", APIKey: testKey, MaxRetries: 20})
	_, err := c.CreateInvoice(t.Context(), ModelService, []byte(`{}`))
	if got := kinds(err); got != "not sent" || failed(t, err).Attempts != 1 {
		t.Errorf("%v is %s", err, got)
	}
}

func TestExchange_postAnswersAlthoughTheCallerLeft(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := newService(t, exchange{method: "POST", path: "/v1/service-invoices", body: "{}", serve: func(w http.ResponseWriter, r *http.Request) {
		cancel()
		select {
		case <-r.Context().Done():
			t.Error("the POST was cut off")
		case <-time.After(20 * time.Millisecond):
			_, _ = w.Write([]byte(`{"id":"1"}`))
		}
	}})
	v, err := s.client().CreateInvoice(ctx, ModelService, []byte("{}"))
	if err != nil || v.ID != "1" {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestRedirect_rules(t *testing.T) {
	t.Parallel()
	stranger := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a redirect was followed to a stranger: %s %s with key %q", r.Method, r.URL, r.Header.Get("X-Api-Key"))
	}))
	t.Cleanup(stranger.Close)
	for _, tt := range []struct {
		name, method, location string
		status, calls          int
		kind, text             string
	}{
		{"a read goes on at the same address", "GET", "/v1/moved", 302, 2, "", ""},
		{"a read goes on for good", "GET", "/v1/moved", 308, 2, "", ""},
		{"a read does not go to another port", "GET", stranger.URL + "/v1/moved", 307, 1, "redirect", "set base_url to it"},
		{"a read does not go to another host", "GET", "https://stranger.example/v1", 301, 1, "redirect", "https://stranger.example,"},
		{"a write goes nowhere", "POST", "/v1/moved", 307, 1, "redirect", "base_url"},
		{"a write that says where its result is was processed", "POST", "/v1/moved", 303, 1, "redirect, ambiguous", "base_url"},
		{"a deletion goes nowhere", "DELETE", "/v1/moved", 302, 1, "redirect", "base_url"},
		{"a change goes nowhere", "PUT", "/v1/moved", 308, 1, "redirect", "base_url"},
		{"a redirect to nowhere", "GET", "", 302, 1, "redirect", "without a usable address"},
		{"no key in the text", "PUT", "https://x.example/" + testKey, 308, 1, "redirect", "https://x.example,"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				if r.URL.Path == "/v1/moved" {
					if r.Method != http.MethodGet || r.Header.Get("X-Api-Key") != testKey {
						t.Errorf("%s with key %q", r.Method, r.Header.Get("X-Api-Key"))
					}
					_, _ = w.Write([]byte(`{"id":"1"}`))
					return
				}
				if tt.location != "" {
					w.Header().Set("Location", tt.location)
				}
				w.WriteHeader(tt.status)
			}))
			t.Cleanup(server.Close)
			c := mustClient(t, Config{BaseURL: server.URL + "/v1", APIKey: testKey, MaxRetries: 5})
			err := operations[tt.method](t.Context(), c)
			if got := kinds(err); got != tt.kind || int(calls.Load()) != tt.calls {
				t.Errorf("%v is %s after %d requests, want %s after %d", err, got, calls.Load(), tt.kind, tt.calls)
			}
			if err != nil && (!strings.Contains(err.Error(), tt.text) || strings.Contains(err.Error(), testKey)) {
				t.Errorf("the text is %v, want %q", err, tt.text)
			}
		})
	}
}

func TestRedirect_neverToPlainHTTP(t *testing.T) {
	t.Parallel()
	for _, location := range []string{"http://host.example/v1/service-invoices/1", "http://host.example:443/v1/service-invoices/1"} {
		c, n := played(t, 5, status(301, ``, "Location", location))
		err := operations["GET"](t.Context(), c)
		if got := kinds(err); got != "redirect" || *n != 1 {
			t.Errorf("%s: %v is %s after %d exchanges", location, err, got, *n)
		}
	}
}

func TestRedirect_defaultPortIsTheSameHost(t *testing.T) {
	t.Parallel()
	c, n := played(t, 0, status(301, ``, "Location", "https://HOST.example:443/v1/moved"), status(200, `{"id":"1"}`))
	if err := operations["GET"](t.Context(), c); err != nil || *n != 2 {
		t.Errorf("%v after %d exchanges", err, *n)
	}
}

func TestRedirect_endsARound(t *testing.T) {
	t.Parallel()
	c, n := played(t, 5, status(302, ``, "Location", "/v1/service-invoices/1"))
	err := operations["GET"](t.Context(), c)
	if got := kinds(err); got != "redirect" || *n != maxRedirects+1 {
		t.Errorf("%v is %s after %d exchanges", err, got, *n)
	}
}

func TestDelete_ambiguousThenGoneIsDone(t *testing.T) {
	t.Parallel()
	s := newService(
		t,
		exchange{method: "DELETE", path: "/v1/products/1", serve: hangUp(t)},
		exchange{method: "DELETE", path: "/v1/products/1", status: 404},
		exchange{method: "GET", path: "/v1/products/1", status: 404},
		exchange{method: "GET", path: "/v1/products?page=1&pageSize=100", answer: `{"items":[],"hasNext":false}`},
	)
	c := s.client(func(cfg *Config) { cfg.MaxRetries = 2 })
	if err := c.DeleteProduct(t.Context(), "1"); err != nil {
		t.Error(err)
	}
}

func TestWrap_seesEachAttempt(t *testing.T) {
	t.Parallel()
	s := newService(
		t,
		exchange{method: "GET", path: "/v1/service-invoices/1", status: 429, header: map[string]string{"Retry-After": "0"}},
		exchange{method: "GET", path: "/v1/service-invoices/1", answer: `{"id":"1"}`},
	)
	var seen []string
	c := s.client(func(cfg *Config) {
		cfg.MaxRetries = 1
		cfg.Wrap = func(next http.RoundTripper) http.RoundTripper {
			return wire(func(r *http.Request) (*http.Response, error) {
				seen = append(seen, r.Method)
				return next.RoundTrip(r)
			})
		}
	})
	if err := operations["GET"](t.Context(), c); err != nil || len(seen) != 2 {
		t.Errorf("%v, seen %v", err, seen)
	}
}

func TestRefuse_isNoAnswer(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.client()
	for name, call := range map[string]func() error{
		"a payload that is no object": func() error {
			_, err := c.CreateInvoice(t.Context(), ModelService, []byte(`[1]`))
			return err
		},
		"a payload that is no JSON": func() error {
			_, err := c.CreateInvoice(t.Context(), ModelService, []byte(`{"a":`))
			return err
		},
		"extra fields that are no object": func() error {
			_, err := c.CreateCustomer(t.Context(), Customer{Name: "x"}, []byte(`[1]`))
			return err
		},
		"extra fields that are no JSON": func() error {
			_, err := c.UpdateCustomer(t.Context(), "1", Customer{}, Customer{}, []byte(`{}{}`))
			return err
		},
		"an unknown format": func() error {
			_, err := c.InvoiceDocument(t.Context(), ModelService, "1", "doc")
			return err
		},
		"a settings block that is nil": func() error {
			return c.PutCompanySettings(t.Context(), "1", map[string]SettingsBlock{"general": nil})
		},
		"a settings value that is no JSON": func() error {
			return c.PutCompanySettings(t.Context(), "1", map[string]SettingsBlock{"general": {"a": []byte("x")}})
		},
	} {
		err := call()
		wantKind(t, err, "not sent", name)
		if errors.Is(err, ErrAmbiguous) {
			t.Errorf("%s: ambiguous", name)
		}
	}
}

func TestExchange_theTransportCannotRepeatAWrite(t *testing.T) {
	t.Parallel()
	for method, rewinds := range map[string]bool{"POST": false, "CANCEL": false, "PUT with a body": true} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			c, n := played(t, 0, func(r *http.Request) (*http.Response, error) {
				if got := r.GetBody != nil; got != rewinds {
					t.Errorf("the body can be had again: %v", got)
				}
				return reply(200, `{"id":"1"}`), nil
			})
			operation := operations[method]
			if operation == nil {
				operation = func(ctx context.Context, c *Client) error {
					_, err := c.UpdateWebhook(ctx, "1", "invoice.authorized", "https://x.example/")
					return err
				}
			}
			if err := operation(t.Context(), c); err != nil || *n != 1 {
				t.Errorf("%v after %d exchanges", err, *n)
			}
		})
	}
}
