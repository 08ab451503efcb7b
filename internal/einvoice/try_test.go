package einvoice

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestTry_showsTheAnswerAsItCame(t *testing.T) {
	t.Parallel()
	s := newService(t,
		exchange{method: "GET", path: "/v1/consumer-invoices?page=1", header: map[string]string{"x-rate-limit-limit": "1m"}, answer: `[{"id":1}]`},
		exchange{method: "GET", path: "/v1/product-invoices/1/pdf", answer: "%PDF-1.4"},
		exchange{method: "POST", path: "/v1/cancel/service/1", body: `{"reason":"x"}`, status: http.StatusNotFound, answer: "no " + testKey},
	)
	c := s.client(func(cfg *Config) {
		cfg.Operations = map[string]string{"cancel_invoice": "POST /v1/cancel/{model}/{id}"}
	})

	got, err := c.Try(t.Context(), "list_invoices", []string{"consumer"}, url.Values{"page": {"1"}}, nil)
	if err != nil || got.Status != http.StatusOK || string(got.Body) != `[{"id":1}]` || got.Header.Get("x-rate-limit-limit") != "1m" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := c.Try(t.Context(), "get_invoice_pdf", []string{"product", "1"}, nil, nil); err != nil || string(got.Body) != "%PDF-1.4" {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = c.Try(t.Context(), "cancel_invoice", []string{"service", "1"}, nil, map[string]string{"reason": "x"})
	if failure := (*Error)(nil); !errors.As(err, &failure) || got.Status != http.StatusNotFound || strings.Contains(err.Error(), testKey) {
		t.Errorf("%+v, %v", got, err)
	}
}
