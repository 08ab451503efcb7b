package einvoice

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
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

// alone makes a client at an address of its own, because what a process remembers of a
// limit stays.
func alone(t *testing.T, cfg Config) *Client {
	t.Helper()
	cfg.BaseURL, cfg.APIKey = "https://"+strconv.FormatUint(rand.Uint64(), 36)+".example/v1", testKey
	return mustClient(t, cfg)
}

// One sale is a look-up and a creation. Whatever is counted here and on other
// machines, each is made, without any retry being allowed.
func TestLimit_everyCreationIsMade(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                 string
		perMinute, perSecond int // what this machine believes; 0 is no pacing
		service              *pacetest.Service
		most                 time.Duration
		refusals             int
	}{
		{name: "pacing off", service: pacetest.Usual(), most: 130 * time.Second, refusals: 30},
		{
			name: "pacing off, a sliding window", service: &pacetest.Service{PerMinute: 60, PerSecond: 5, Sliding: true},
			most: 130 * time.Second, refusals: 60,
		},
		{
			name: "pacing off, no headers", service: &pacetest.Service{PerMinute: 60, PerSecond: 5, Silent: true},
			most: 180 * time.Second, refusals: 400,
		},
		{
			name:    "pacing off, only Retry-After",
			service: &pacetest.Service{PerMinute: 60, PerSecond: 5, Silent: true, RetryAfter: "1"},
			most:    150 * time.Second, refusals: 2000,
		},
		{
			name: "more than the service allows", perMinute: 600, perSecond: 50, service: pacetest.Usual(),
			most: 180 * time.Second, refusals: 2000,
		},
		{
			name: "less than was ever believed", perMinute: 60, perSecond: 5,
			service: &pacetest.Service{PerMinute: 20, PerSecond: 2}, most: 330 * time.Second, refusals: 600,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := alone(t, Config{
					RequestsPerMinute: tt.perMinute, RequestsPerSecond: tt.perSecond, Wrap: over(tt.service).wrap,
				})
				begun := time.Now()
				var wg sync.WaitGroup
				work := make(chan struct{})
				for range 30 {
					wg.Go(func() {
						for range work {
							if _, err := c.Invoice(t.Context(), ModelProduct, "1"); err != nil {
								t.Error(err)
							}
							if _, err := c.CreateInvoice(t.Context(), ModelProduct, []byte(`{}`)); err != nil {
								t.Error(err)
							}
						}
					})
				}
				for range 50 {
					work <- struct{}{}
				}
				close(work)
				wg.Wait()
				if took, n := time.Since(begun), tt.service.Refusals(); took > tt.most || n > tt.refusals {
					t.Errorf("it took %s and %d refusals", took, n)
				}
			})
		})
	}
}
