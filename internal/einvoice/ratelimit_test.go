package einvoice

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// limited is a service that enforces the limit: per second in any second, per
// minute in windows that are fixed or slide.
type limited struct {
	limits  rateLimits // the service's own
	sliding bool
	aligned bool // fixed windows begin at whole minutes, not with a request
	silent  bool // no headers
	latency time.Duration

	retryAfter string // of each refusal

	mu       sync.Mutex
	arrivals []time.Time
	opened   time.Time // of the fixed window
	used     int
	refusals int
	requests int
}

func (l *limited) arrive(now time.Time) (status int, header http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
	inSecond, inMinute := 0, 0
	oldest := now
	for _, at := range l.arrivals {
		if now.Sub(at) < time.Second {
			inSecond++
		}
		if now.Sub(at) < time.Minute {
			if inMinute++; at.Before(oldest) {
				oldest = at
			}
		}
	}
	end := oldest.Add(time.Minute)
	if !l.sliding {
		if now.Sub(l.opened) >= time.Minute {
			l.opened, l.used = now, 0
			if l.aligned {
				l.opened = now.Truncate(time.Minute)
			}
		}
		inMinute, end = l.used, l.opened.Add(time.Minute)
	}
	status = http.StatusOK
	if inSecond >= l.limits.perSecond || inMinute >= l.limits.perMinute {
		status = http.StatusTooManyRequests
		l.refusals++
	} else {
		l.arrivals = append(l.arrivals, now)
		l.used++
		inMinute++
	}
	header = http.Header{}
	if !l.silent {
		header.Set("x-rate-limit-limit", "1m")
		header.Set("x-rate-limit-remaining", strconv.Itoa(l.limits.perMinute-inMinute))
		header.Set("x-rate-limit-reset", end.UTC().Format(time.RFC3339Nano))
	}
	if l.retryAfter != "" && status == http.StatusTooManyRequests {
		header.Set("Retry-After", l.retryAfter)
	}
	return status, header
}

// wire is the service as a transport with latency.
func (l *limited) wire() wire {
	return func(r *http.Request) (*http.Response, error) {
		traced(r, true)
		delay(max(l.latency, 10*time.Millisecond))
		status, header := l.arrive(time.Now())
		delay(max(l.latency, 10*time.Millisecond))
		resp := reply(status, `{"id":"1"}`)
		resp.Header = header
		return resp, nil
	}
}

// delay takes up to twice d on the synthetic clock.
func delay(d time.Duration) { <-time.After(rand.N(2 * d)) }

var serviceLimits = rateLimits{perMinute: 60, perSecond: 5}

// process makes a client as another process has it: sharing nothing but the store.
func process(t *testing.T, cfg Config) *Client {
	t.Helper()
	cfg.BaseURL, cfg.APIKey = "https://host.example/v1", testKey
	c := mustClient(t, cfg)
	c.pace.rate.memory = newRateMemory()
	return c
}

// load has ten goroutines of each client make n requests in all.
func load(ctx context.Context, t *testing.T, n int, clients ...*Client) {
	t.Helper()
	var wg sync.WaitGroup
	work := make(chan struct{})
	for _, c := range clients {
		for range 10 {
			wg.Go(func() {
				for range work {
					if _, err := c.Invoice(ctx, ModelService, "1"); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	for range n {
		work <- struct{}{}
	}
	close(work)
	wg.Wait()
}

func TestRateLimit_planThenApply(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		sliding   bool
		aligned   bool
		silent    bool
		latency   time.Duration
		start     time.Duration // into the service's window
		aliases   int
		perMinute int
		inMemory  bool
		plan      int
		most      time.Duration
	}{
		{name: "fixed windows", plan: 50, most: 140 * time.Second},
		{name: "fixed windows, two aliases", aliases: 2, plan: 50, most: 140 * time.Second},
		{name: "120 requests take two windows", aliases: 1, plan: 0, most: 80 * time.Second},
		{name: "windows at whole minutes", aligned: true, start: 37 * time.Second, aliases: 2, plan: 50, most: 160 * time.Second},
		{name: "a window that turns in the burst", aligned: true, start: 55 * time.Second, aliases: 2, plan: 50, most: 160 * time.Second},
		{name: "a sliding window", sliding: true, aliases: 2, plan: 50, most: 150 * time.Second},
		{name: "no headers, a sliding window", sliding: true, silent: true, aliases: 2, plan: 50, most: 150 * time.Second},
		{name: "no headers, fixed windows", silent: true, aliases: 3, plan: 50, most: 150 * time.Second},
		{name: "arrivals in another order than they were sent", sliding: true, latency: 400 * time.Millisecond, aliases: 2, plan: 50, most: 200 * time.Second},
		{name: "a share of the limit", perMinute: 30, aliases: 2, plan: 10, most: 290 * time.Second},
		{name: "in memory alone", inMemory: true, plan: 50, most: 145 * time.Second},
		{name: "in memory alone, a sliding window", sliding: true, inMemory: true, plan: 50, most: 160 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				<-time.After(tt.start)
				service := &limited{limits: serviceLimits, sliding: tt.sliding, aligned: tt.aligned, silent: tt.silent, latency: tt.latency}
				cfg := Config{RequestsPerMinute: 60, RequestsPerSecond: 5, Budget: journal.OpenFiles(filepath.Join(t.TempDir(), "cache")), Wrap: service.wire().wrap}
				if tt.perMinute > 0 {
					cfg.RequestsPerMinute = tt.perMinute
				}
				if tt.inMemory {
					cfg.Budget = nil
				}
				begun := time.Now()
				if tt.plan > 0 {
					load(t.Context(), t, tt.plan, process(t, cfg))
				}
				apply := []*Client{process(t, cfg)}
				for len(apply) < tt.aliases {
					apply = append(apply, process(t, cfg))
				}
				load(t.Context(), t, 120, apply...)
				took := time.Since(begun)
				if service.refusals != 0 || service.requests != tt.plan+120 {
					t.Errorf("%d of %d requests were refused", service.refusals, service.requests)
				}
				if took > tt.most {
					t.Errorf("it took %s, want at most %s", took, tt.most)
				}
				if tt.perMinute > 0 {
					if busiest := busiestMinute(service.arrivals); busiest > tt.perMinute {
						t.Errorf("%d requests in one minute", busiest)
					}
				}
			})
		})
	}
}

func busiestMinute(arrivals []time.Time) int {
	most := 0
	for i, first := range arrivals {
		n := 0
		for _, at := range arrivals[i:] {
			if at.Sub(first) < time.Minute {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

func TestRateLimit_offWithoutNumbers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := mustClient(t, Config{
		BaseURL: "https://host.example/v1", APIKey: testKey, Budget: journal.OpenFiles(dir),
		Wrap: (&limited{limits: rateLimits{perMinute: 1000, perSecond: 1000}}).wire().wrap,
	})
	load(t.Context(), t, 20, c)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 0 || len(c.pace.rate.memory.state.Exchanges) != 0 {
		t.Errorf("files %v, %v, and %d exchanges are counted", entries, err, len(c.pace.rate.memory.state.Exchanges))
	}
}

func TestRateLimit_perSecondAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := limited{limits: rateLimits{perMinute: 1000, perSecond: 2}}
		c := process(t, Config{RequestsPerSecond: 2, Budget: journal.OpenFiles(t.TempDir()), Wrap: service.wire().wrap})
		begun := time.Now()
		load(t.Context(), t, 10, c)
		if took := time.Since(begun); service.refusals != 0 || took < 4*time.Second || took > 5*time.Second {
			t.Errorf("%d refusals in %s", service.refusals, took)
		}
	})
}

func TestRateLimit_clientsOfOneProcessShareMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := limited{limits: serviceLimits}
		// Its own address each time, because what a process remembers stays.
		address := "https://" + strconv.FormatUint(rand.Uint64(), 36) + ".example/v1"
		cfg := Config{BaseURL: address, APIKey: testKey, RequestsPerMinute: 60, RequestsPerSecond: 5, Wrap: service.wire().wrap}
		begun := time.Now()
		load(t.Context(), t, 20, mustClient(t, cfg), mustClient(t, cfg))
		if service.refusals != 0 {
			t.Errorf("%d refusals", service.refusals)
		}
		if at := service.arrivals[0]; at.Sub(begun) < perSecondPause {
			t.Errorf("the first request of the process waited only %s", at.Sub(begun))
		}
	})
}

func TestRateLimit_othersWaitForTheAsker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := process(t, Config{RequestsPerMinute: 60, RequestsPerSecond: 5, Budget: journal.OpenFiles(t.TempDir())})
		begun := time.Now()
		asker, err := c.pace.acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan time.Duration, 2)
		for range 2 {
			go func() {
				p, err := c.pace.acquire(t.Context())
				if err != nil {
					t.Error(err)
				}
				went := time.Since(begun)
				p.answered(200, http.Header{})
				done <- went
			}()
		}
		synctest.Wait()
		if len(done) != 0 {
			t.Error("a second request went out before the first was answered")
		}
		<-time.After(3 * time.Second)
		asker.answered(200, http.Header{"X-Rate-Limit-Remaining": {"59"}, "X-Rate-Limit-Reset": {time.Now().Add(50 * time.Second).Format(time.RFC3339)}})
		for range 2 {
			if at := <-done; at < 3*time.Second || at > 3*time.Second+2*ratePoll {
				t.Errorf("a request went out after %s", at)
			}
		}
	})
}

func TestRateLimit_goesOnAfterARequestWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		end         func(*permit) // of the first request, which asks for the window
		perSecond   int
		least, most time.Duration // that the next one waits
	}{
		{"a process that died is forgotten", func(*permit) {}, 5, rateForget, rateForget + ratePoll},
		{"a lost answer is followed at once", (*permit).lost, 5, 0, 0},
		{"the slot of a canceled call is given back", (*permit).unused, 1, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := Config{RequestsPerMinute: 60, RequestsPerSecond: tt.perSecond, Budget: journal.OpenFiles(t.TempDir())}
				first, err := process(t, cfg).pace.acquire(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				tt.end(first)
				begun := time.Now()
				if _, err := process(t, cfg).pace.acquire(t.Context()); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begun); took < tt.least || took > tt.most {
					t.Errorf("the next request waited %s, want %s to %s", took, tt.least, tt.most)
				}
			})
		})
	}
}

func TestRateLimit_waitEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := process(t, Config{RequestsPerMinute: 60, RequestsPerSecond: 1, Budget: journal.OpenFiles(t.TempDir()), Wrap: wire(func(*http.Request) (*http.Response, error) {
			return nil, errReset
		}).wrap})
		if _, err := c.pace.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				_, err := c.CreateInvoice(ctx, ModelService, []byte(`{}`))
				if got := kinds(err); got != "not sent" || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v is %s", err, got)
				}
			})
		}
		wg.Wait()
		if took := time.Since(begun); took != 300*time.Millisecond {
			t.Errorf("it took %s", took)
		}
	})
}

func TestRateLimit_waitsOutWhatOthersUsed(t *testing.T) {
	t.Parallel()
	// Another machine uses the same key: 429s come although this one counts well.
	synctest.Test(t, func(t *testing.T) {
		service := limited{limits: serviceLimits}
		for range 58 {
			service.arrive(time.Now())
			<-time.After(250 * time.Millisecond)
		}
		service.refusals = 0
		c := process(t, Config{RequestsPerMinute: 60, RequestsPerSecond: 5, MaxRetries: 2, Budget: journal.OpenFiles(t.TempDir()), Wrap: service.wire().wrap})
		load(t.Context(), t, 30, c)
		if service.refusals != 0 || service.requests != 58+30 {
			t.Errorf("%d refusals of %d", service.refusals, service.requests)
		}
	})
}

// One sale is a look-up and a creation. Whatever is counted here and on other
// machines, each is made, without any retry being allowed.
func TestRateLimit_everyCreationIsMade(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                 string
		perMinute, perSecond int // what this machine believes; 0 is no pacing
		limits               rateLimits
		sliding, silent      bool
		retryAfter           string
		others               int // requests of another machine before
		most                 time.Duration
		refusals             int
	}{
		{name: "pacing off", limits: serviceLimits, most: 130 * time.Second, refusals: 30},
		{name: "pacing off, a sliding window", limits: serviceLimits, sliding: true, most: 130 * time.Second, refusals: 60},
		{name: "pacing off, no headers", limits: serviceLimits, silent: true, most: 180 * time.Second, refusals: 400},
		{name: "pacing off, only Retry-After", limits: serviceLimits, silent: true, retryAfter: "1", most: 150 * time.Second, refusals: 2000},
		{name: "pacing off, another machine used the minute", limits: serviceLimits, others: 60, most: 190 * time.Second, refusals: 40},
		{name: "pacing on", perMinute: 60, perSecond: 5, limits: serviceLimits, most: 130 * time.Second},
		{name: "pacing by the second alone", perSecond: 5, limits: serviceLimits, most: 130 * time.Second, refusals: 30},
		{name: "pacing by the minute alone", perMinute: 60, limits: serviceLimits, most: 130 * time.Second, refusals: 60},
		{name: "more than the service allows", perMinute: 600, perSecond: 50, limits: serviceLimits, most: 180 * time.Second, refusals: 2000},
		{name: "less than was ever believed", perMinute: 60, perSecond: 5, limits: rateLimits{perMinute: 20, perSecond: 2}, most: 330 * time.Second, refusals: 600},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := &limited{limits: tt.limits, sliding: tt.sliding, silent: tt.silent, retryAfter: tt.retryAfter}
				for range tt.others {
					service.arrive(time.Now())
					<-time.After(200 * time.Millisecond)
				}
				service.refusals = 0
				c := process(t, Config{RequestsPerMinute: tt.perMinute, RequestsPerSecond: tt.perSecond, Wrap: service.wire().wrap})
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
				t.Logf("%s, %d refusals", time.Since(begun), service.refusals)
				if took := time.Since(begun); took > tt.most || service.refusals > tt.refusals {
					t.Errorf("it took %s and %d refusals", took, service.refusals)
				}
			})
		})
	}
}
