package einvoice

import (
	"net/http"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace/pacetest"
)

// over is a service with a limit as a transport.
func over(service *pacetest.Service) wire {
	return func(r *http.Request) (*http.Response, error) {
		traced(r, true)
		status, header := service.Exchange()
		resp := reply(status, `{"id":"1"}`)
		resp.Header = header
		return resp, nil
	}
}

// One sale is a look-up and a creation. Whatever is counted here and on other
// machines, each is made, without any retry being allowed.
func TestLimit_everyCreationIsMade(t *testing.T) {
	t.Parallel()
	limited := func(s *pacetest.Service) *pacetest.Service { s.PerMinute, s.PerSecond = 60, 5; return s }
	for _, tt := range []struct {
		name                 string
		perMinute, perSecond int // what this machine believes; 0 is no pacing
		service              *pacetest.Service
		most                 time.Duration
		refusals             int
	}{
		{"pacing off", 0, 0, pacetest.Usual(), 130 * time.Second, 30},
		{"pacing off, a sliding window", 0, 0, limited(&pacetest.Service{Sliding: true}), 130 * time.Second, 60},
		{"pacing off, no headers", 0, 0, limited(&pacetest.Service{Silent: true}), 180 * time.Second, 400},
		{"only Retry-After", 0, 0, limited(&pacetest.Service{Silent: true, RetryAfter: "1"}), 150 * time.Second, 2000},
		{"more than the service allows", 600, 50, pacetest.Usual(), 180 * time.Second, 2000},
		{"less than was ever believed", 60, 5, &pacetest.Service{PerMinute: 20, PerSecond: 2}, 330 * time.Second, 600},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			c := wired(t, over(tt.service), func(cfg *Config) {
				cfg.RequestsPerMinute, cfg.RequestsPerSecond = tt.perMinute, tt.perSecond
			})
			begun := time.Now()
			atOnce(30, 50, func(int) {
				if _, err := c.Invoice(t.Context(), ModelProduct, "1"); err != nil {
					t.Error(err)
				}
				if _, err := c.CreateInvoice(t.Context(), ModelProduct, []byte(`{}`), nil); err != nil {
					t.Error(err)
				}
			})
			if took, n := time.Since(begun), tt.service.Refusals(); took > tt.most || n > tt.refusals {
				t.Errorf("it took %s and %d refusals", took, n)
			}
		})
	}
}
