package pace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace/pacetest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

const testKey = "0123abcd"

func usual(store Store) *Limiter { return New(60, 5, store, testKey) }

// bubble is a parallel subtest with a synthetic clock.
func bubble(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	rows.Case(t, name, func(t *testing.T) { synctest.Test(t, test) })
}

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
	for _, tt := range rows.Read[[]struct {
		Name          string
		Service       *pacetest.Service
		Start         rows.Span // into the service's window
		PerMinute     int
		InMemory      bool
		Plan, Aliases int
		Others        int // requests of another machine before the plan
		Most          rows.Span
	}](t, "limiter_plan_then_apply.json") {
		bubble(t, tt.Name, func(t *testing.T) {
			<-time.After(time.Duration(tt.Start))
			service := tt.Service
			var store Store
			if !tt.InMemory {
				store = journal.OpenFiles(filepath.Join(t.TempDir(), "cache"))
			}
			for range tt.Others {
				service.Arrive()
				<-time.After(250 * time.Millisecond)
			}
			begun := time.Now()
			load(t, tt.Plan, service, New(tt.PerMinute, 5, store, testKey))
			var apply []*Limiter
			for range tt.Aliases {
				apply = append(apply, New(tt.PerMinute, 5, store, testKey))
			}
			load(t, 120, service, apply...)
			took := time.Since(begun)
			if n, made := service.Refusals(), len(service.Arrivals()); n != 0 || made != tt.Others+tt.Plan+120 {
				t.Errorf("%d were refused, %d made", n, made)
			}
			if took > time.Duration(tt.Most) {
				t.Errorf("it took %s, want at most %s", took, time.Duration(tt.Most))
			}
			if busiest := busiestMinute(service.Arrivals()); tt.PerMinute < 60 && busiest > tt.PerMinute {
				t.Errorf("%d requests in one minute", busiest)
			}
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
		bubble(t, tt.name, func(t *testing.T) {
			store := journal.OpenFiles(t.TempDir())
			tt.end(acquire(t, New(60, tt.perSecond, store, testKey)))
			begun := time.Now()
			acquire(t, New(60, tt.perSecond, store, testKey))
			if took := time.Since(begun); took < tt.least || took > tt.most {
				t.Errorf("the next request waited %s, want %s to %s", took, tt.least, tt.most)
			}
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

// rewrite reads and writes by a pair of permits, and returns how much later the write went.
func rewrite(t *testing.T, l *Limiter, service *pacetest.Service) (apart time.Duration) {
	t.Helper()
	read, write, err := l.AcquirePair(t.Context())
	must(t, err)
	read.Answered(service.Exchange())
	begun := time.Now()
	must(t, write.Hold(t.Context()))
	apart = time.Since(begun)
	write.Answered(service.Exchange())
	return apart
}

// Processes that share a store read and write by pairs without one refusal, and no two of them wait for each other.
func TestLimiter_pairs(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Name                 string
		PerMinute, PerSecond int
		Service              *pacetest.Service
		Changes              int
		Apart, Most          rows.Span // A lock of the file may be waited for, too.
	}](t, "limiter_pairs.json") {
		bubble(t, tt.Name, func(t *testing.T) {
			dir, begun, work := t.TempDir(), time.Now(), make(chan int)
			var apart atomic.Int64
			var running sync.WaitGroup
			for range 2 {
				l := New(tt.PerMinute, tt.PerSecond, journal.OpenFiles(dir), testKey)
				for range 5 {
					running.Go(func() {
						for range work {
							if d := int64(rewrite(t, l, tt.Service)); d > apart.Load() {
								apart.Store(d)
							}
						}
					})
				}
			}
			for i := range tt.Changes {
				work <- i
			}
			close(work)
			running.Wait()
			took, longest := time.Since(begun), time.Duration(apart.Load())
			if n := tt.Service.Refusals(); n != 0 || took > time.Duration(tt.Most) || longest > time.Duration(tt.Apart) {
				t.Errorf("%d refusals in %s, writes up to %s after their reads", n, took, longest)
			}
		})
	}
}

// Another process that takes each slot as it gets free keeps no pair waiting for long.
func TestLimiter_pairGoesOnBesideABusyProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, service := t.TempDir(), &pacetest.Service{PerMinute: 100000, PerSecond: 5}
		busy, l := New(0, 5, journal.OpenFiles(dir), testKey), New(0, 5, journal.OpenFiles(dir), testKey)
		ended, running := make(chan struct{}), sync.WaitGroup{}
		for range 10 {
			running.Go(func() {
				for {
					select {
					case <-ended:
						return
					default:
						acquire(t, busy).Answered(service.Exchange())
					}
				}
			})
		}
		begun := time.Now()
		for range 10 {
			rewrite(t, l, service)
		}
		if took := time.Since(begun); took > 3*time.Minute || service.Refusals() != 0 {
			t.Errorf("ten pairs took %s", took)
		}
		close(ended)
		running.Wait()
	})
}

func TestLimiter_aPairThatIsNotUsedIsGivenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := journal.OpenFiles(t.TempDir())
		l := New(60, 2, store, testKey)
		acquire(t, l).Answered(pacetest.Usual().Exchange())
		<-time.After(PerSecondPause)
		for range 3 {
			begun := time.Now()
			read, write, err := l.AcquirePair(t.Context())
			must(t, err)
			read.Unused()
			write.Unused()
			if took := time.Since(begun); took != 0 {
				t.Errorf("it waited %s", took)
			}
		}
		ctx, leave := context.WithCancel(t.Context())
		if _, _, err := New(60, 5, leaver{store, leave}, testKey).AcquirePair(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if state := stored(t, store); len(state.Exchanges) != 1 {
			t.Errorf("slots are still held: %v", state.Exchanges)
		}
	})
}

// A log without a word looks like a run that hangs.
func TestLimiter_tellsOnceOfALongWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told []time.Duration
		ctx := poll.Telling(t.Context(), func(_ context.Context, why string, d time.Duration) {
			if why == "wait.limit" {
				told = append(told, d)
			}
		})
		l := New(2, 5, journal.OpenFiles(t.TempDir()), testKey)
		for range 3 {
			permit, err := l.Acquire(ctx, false)
			must(t, err)
			permit.Answered(200, nil)
		}
		if len(told) != 1 || told[0] < 10*time.Second || told[0] > time.Minute+time.Second {
			t.Errorf("it tells of %v, want one wait of about a minute", told)
		}
	})
}
