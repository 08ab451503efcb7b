package pace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace/pacetest"
)

const testKey = "0123abcd"

func usual(store Store) *Limiter { return New(60, 5, store, testKey) }

// load has ten goroutines of each limiter make n requests in all.
func load(t *testing.T, n int, service *pacetest.Service, limiters ...*Limiter) {
	t.Helper()
	var wg sync.WaitGroup
	work := make(chan struct{})
	for _, l := range limiters {
		for range 10 {
			wg.Go(func() {
				for range work {
					permit := acquire(t, l)
					permit.Answered(service.Exchange())
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

func acquire(t *testing.T, l *Limiter) *Permit {
	t.Helper()
	permit, err := l.Acquire(t.Context(), false)
	if err != nil {
		t.Error(err)
	}
	return permit
}

func TestLimiter_planThenApply(t *testing.T) {
	t.Parallel()
	aligned := func(s *pacetest.Service) { s.Aligned = true }
	sliding := func(s *pacetest.Service) { s.Sliding = true }
	silent := func(s *pacetest.Service) { s.Silent = true }
	for _, tt := range []struct {
		name          string
		change        func(*pacetest.Service)
		start         int // seconds into the service's window
		perMinute     int
		inMemory      bool
		plan, aliases int
		others        int // requests of another machine before the plan
		most          int // seconds
	}{
		{"fixed windows", nil, 0, 60, false, 50, 1, 0, 140},
		{"fixed windows, two aliases", nil, 0, 60, false, 50, 2, 0, 140},
		{"120 requests take two windows", nil, 0, 60, false, 0, 1, 0, 80},
		{"windows at whole minutes", aligned, 37, 60, false, 50, 2, 0, 160},
		{"a window that turns in the burst", aligned, 55, 60, false, 50, 2, 0, 160},
		{"a sliding window", sliding, 0, 60, false, 50, 2, 0, 150},
		{"no headers, a sliding window", func(s *pacetest.Service) { sliding(s); silent(s) }, 0, 60, false, 50, 2, 0, 150},
		{"no headers, fixed windows", silent, 0, 60, false, 50, 3, 0, 150},
		{"arrivals in another order than they were sent", func(s *pacetest.Service) {
			s.Sliding, s.Latency = true, 400*time.Millisecond
		}, 0, 60, false, 50, 2, 0, 200},
		{"a share of the limit", nil, 0, 30, false, 10, 2, 0, 290},
		{"in memory alone", nil, 0, 60, true, 50, 1, 0, 145},
		{"in memory alone, a sliding window", sliding, 0, 60, true, 50, 1, 0, 160},
		{"another machine has used most of it", nil, 0, 60, false, 0, 1, 58, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				<-time.After(time.Duration(tt.start) * time.Second)
				service := pacetest.Usual()
				if tt.change != nil {
					tt.change(service)
				}
				var store Store
				if !tt.inMemory {
					store = journal.OpenFiles(filepath.Join(t.TempDir(), "cache"))
				}
				for range tt.others {
					service.Arrive()
					<-time.After(250 * time.Millisecond)
				}
				begun := time.Now()
				load(t, tt.plan, service, New(tt.perMinute, 5, store, testKey))
				var apply []*Limiter
				for range tt.aliases {
					apply = append(apply, New(tt.perMinute, 5, store, testKey))
				}
				load(t, 120, service, apply...)
				took := time.Since(begun)
				if n, made := service.Refusals(), len(service.Arrivals()); n != 0 || made != tt.others+tt.plan+120 {
					t.Errorf("%d were refused, %d made", n, made)
				}
				if took > time.Duration(tt.most)*time.Second {
					t.Errorf("it took %s, want at most %d seconds", took, tt.most)
				}
				if busiest := busiestMinute(service.Arrivals()); tt.perMinute < 60 && busiest > tt.perMinute {
					t.Errorf("%d requests in one minute", busiest)
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

func TestLimiter_offWithoutNumbers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := New(0, 0, journal.OpenFiles(dir), testKey)
	load(t, 20, &pacetest.Service{PerMinute: 1000, PerSecond: 1000}, l)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 0 || len(l.memory.state.Exchanges) != 0 {
		t.Errorf("files %v, %v, and %d exchanges are counted", entries, err, len(l.memory.state.Exchanges))
	}
}

func TestLimiter_perSecondAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &pacetest.Service{PerMinute: 1000, PerSecond: 2}
		begun := time.Now()
		load(t, 10, service, New(0, 2, journal.OpenFiles(t.TempDir()), testKey))
		if took, n := time.Since(begun), service.Refusals(); n != 0 || took < 4*time.Second || took > 5*time.Second {
			t.Errorf("%d refusals in %s", n, took)
		}
	})
}

func TestLimiter_goesOnAfterARequestWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		end         func(*Permit) // of the first request, which asks for the window
		perSecond   int
		least, most time.Duration // that the next one waits
	}{
		{"a process that died is forgotten", func(*Permit) {}, 5, forgetAfter, forgetAfter + askPoll},
		{"a lost answer is followed at once", (*Permit).Lost, 5, 0, 0},
		{"the slot of a canceled call is given back", (*Permit).Unused, 1, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := journal.OpenFiles(t.TempDir())
				tt.end(acquire(t, New(60, tt.perSecond, store, testKey)))
				begun := time.Now()
				acquire(t, New(60, tt.perSecond, store, testKey))
				if took := time.Since(begun); took < tt.least || took > tt.most {
					t.Errorf("the next request waited %s, want %s to %s", took, tt.least, tt.most)
				}
			})
		})
	}
}

func TestLimiter_waitEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New(60, 1, journal.OpenFiles(t.TempDir()), testKey)
		acquire(t, l)
		begun := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		for range 2 {
			if _, err := l.Acquire(ctx, false); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		if took := time.Since(begun); took != 300*time.Millisecond {
			t.Errorf("it took %s", took)
		}
	})
}

// A request that sends back what was read just now goes ahead of the others of its process.
func TestLimiter_nextGoesAheadOfTheQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New(0, 1, nil, "")
		acquire(t, l).Lost()
		started, queued := time.Now(), sync.WaitGroup{}
		for range 30 {
			queued.Go(func() { acquire(t, l).Lost() })
		}
		synctest.Wait()
		permit, err := l.AcquireNext(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		permit.Lost()
		waited := time.Since(started)
		queued.Wait()
		if all := time.Since(started); waited > all/2 { // It and the first of the queue compete for each slot.
			t.Errorf("it waited %s of %s", waited, all)
		}
	})
}
