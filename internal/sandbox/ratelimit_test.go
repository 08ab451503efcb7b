package sandbox

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// burst sends n requests and returns how many were let through.
func (c *client) burst(n int) int {
	c.t.Helper()
	passed := 0
	for range n {
		if c.do("GET", "/customers", nil).status == http.StatusOK {
			passed++
		}
	}
	return passed
}

func TestRateLimit_headersAreOnEveryAnswer(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock, RateLimit: true})
	c.s.Inject(Fault{Kind: FaultStatus, Status: 500, Path: "/v1/products"})
	var got []string
	for _, path := range []string{"/customers", "/customers/x", "/nothing", "/products"} {
		h := c.do("GET", path, nil).header
		got = append(got, strings.Join([]string{h.Get("x-rate-limit-limit"), h.Get("x-rate-limit-remaining"), h.Get("x-rate-limit-reset")}, " "))
	}
	const reset = "2026-03-10T12:01:00.0000000Z"
	wantSame(t, []string{"1m 59 " + reset, "1m 58 " + reset, "1m 57 " + reset, "1m 56 " + reset}, got, "headers")
}

func TestRateLimit_fiveASecondAndSixtyAMinutePerKey(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock, RateLimit: true})
	other := c.as(c.s.Seed(KindCompanies, object{"name": "B"}))
	wantSame(t, 5, c.burst(6), "passed of 6 requests in a second")
	second := c.do("GET", "/customers", nil)
	wantStatus(t, second, http.StatusTooManyRequests)
	if second.header.Get("x-rate-limit-remaining") != "55" || len(second.problems()) != 1 {
		t.Errorf("429 of the second = %s with %s remaining, want a message and 55", second.raw, second.header.Get("x-rate-limit-remaining"))
	}
	wantSame(t, 5, other.burst(5), "passed requests of another key")
	passed := 5
	for range 12 {
		clock.Advance(time.Second)
		passed += c.burst(5)
	}
	wantSame(t, 60, passed, "passed requests in a minute")
	wantSame(t, "0", c.do("GET", "/customers", nil).header.Get("x-rate-limit-remaining"), "remaining requests")
	clock.Advance(48*time.Second - time.Nanosecond)
	wantSame(t, 0, c.burst(1), "passed requests at the end of a full window")
	clock.Advance(time.Nanosecond)
	wantSame(t, 5, c.burst(6), "passed of 6 requests in the next window")
}

func TestRateLimit_aRefusedRequestUsesUpNoFault(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newClient(t, Options{Clock: clock, RateLimit: true})
	c.burst(5)
	c.s.Inject(Fault{Kind: FaultStatus, Status: 503})
	wantStatus(t, c.do("GET", "/customers", nil), http.StatusTooManyRequests)
	clock.Advance(time.Second)
	wantStatus(t, c.do("GET", "/customers", nil), http.StatusServiceUnavailable)
}
