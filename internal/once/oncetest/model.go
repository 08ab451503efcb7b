// Package oncetest plays random histories of what must happen once. It interrupts each
// run between any two of its steps, and lets other runs go on there.
package oncetest

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

// Happening is what happens before a step of a run.
type Happening int

// What may happen.
const (
	Nothing      Happening = iota
	Another                // a run beside this one begins, or goes on
	Slow                   // the step takes a few seconds
	Stopped                // the process is stopped, and resumed after the patience
	Killed                 // the process is killed
	Unstored               // the store does not answer, and keeps nothing
	StoredUnseen           // the store keeps what it is told, and does not answer
)

func (h Happening) String() string {
	return [...]string{"nothing", "another", "slow", "stopped", "killed", "unstored", "storedUnseen"}[h]
}

// Outage is what happens to a request that changes something.
type Outage int

// What may happen to a request.
const (
	None        Outage = iota
	Limited            // answered with 429 and a time to wait
	LostBefore         // the connection is cut, and the request never arrives
	LostAfter          // the connection is cut after the request arrived
	LostLate           // the connection is cut, and the request takes effect seconds later
	Fails              // processed, and answered with 502
	Refused            // answered with 400
	Unavailable        // answered with 503
	Unreached          // there is no connection
	Conflicts          // processed, and answered with 409
)

func (o Outage) String() string {
	return [...]string{
		"none", "limited", "lostBefore", "lostAfter", "lostLate", "fails", "refused", "unavailable", "unreached", "conflicts",
	}[o]
}

// Fate is what happens in one run.
type Fate struct {
	Before    []Happening   // its steps, in turn
	Outages   []Outage      // of its requests that change something, in turn
	Wait      time.Duration // that a 429 asks for
	Meanwhile []Happening   // before the steps of the run beside it
	Ahead     time.Duration // by how much the clock of its machine is ahead
	Key       int           // which of the account's keys it has, unless that was replaced
}

var (
	happenings = []Happening{
		Nothing, Nothing, Nothing, Nothing, Nothing, Another, Another, Slow, Stopped, Killed, Unstored, StoredUnseen,
	}
	outages = []Outage{
		None, None, Limited, LostBefore, LostAfter, LostLate, Fails, Refused, Unavailable, Unreached, Conflicts,
	}
)

// Seconds draws one of so many seconds.
func Seconds(of ...int) *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.SampledFrom(of), func(n int) time.Duration { return time.Duration(n) * time.Second })
}

// Fates draws fates of a run.
var Fates = rapid.Custom(func(t *rapid.T) Fate {
	f := Fate{}
	f.draw(t)
	return f
})

func (f *Fate) draw(t *rapid.T) {
	f.Before = rapid.SliceOfN(rapid.SampledFrom(happenings), 0, 12).Draw(t, "before the steps")
	f.Outages = rapid.SliceOfN(rapid.SampledFrom(outages), 0, 3).Draw(t, "outages")
	if slices.Contains(f.Outages, Limited) {
		f.Wait = Seconds(24, 1, 7, 70, 115).Draw(t, "wait")
	}
	if slices.Contains(f.Before, Another) {
		f.Meanwhile = rapid.SliceOfN(rapid.SampledFrom(happenings[:len(happenings)-2]), 0, 8).Draw(t, "meanwhile")
	}
	f.Ahead = Seconds(0, 0, 0, -600, 45, 86400).Draw(t, "ahead")
	f.Key = rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "key")
}

// Step is one run, and how long after the one before it begins.
type Step struct {
	Act   string
	After time.Duration
	Fate
}

// Model is a noun that must happen once, with the service at which it does.
type Model interface {
	// Run is one run of the CLI that does what was drawn, or "" beside another run.
	Run(r *Run, act string)
	// Serve answers a request of a run.
	Serve(r *Run, req *http.Request, body []byte) (status int, answer string)
	// Wrong returns what must never be.
	Wrong() error
	// Settle brings all to its end, where nothing happens any more.
	Settle() error
}

// World is all that outlives a run.
type World struct {
	T     testing.TB
	Store Memory // that all machines share

	model Model
	count sync.Mutex // of what follows
	runs  int
	key   int        // the last of the account's
	mu    sync.Mutex // of the service
}

// NewWorld returns a world for one model.
func NewWorld(t testing.TB, model Model) *World { return &World{T: t, model: model} }

// Run is one run from its beginning to its end.
func (w *World) Run(f Fate, act string) {
	r := w.newRun(f, false)
	w.model.Run(r, act)
	r.end()
}

func (w *World) newRun(f Fate, beside bool) *Run {
	<-time.After(time.Millisecond) // No two runs begin at one moment.
	w.count.Lock()
	w.runs++
	w.key = max(w.key, f.Key)
	number := w.runs
	f.Key = w.key
	w.count.Unlock()
	ctx, kill := context.WithTimeout(context.Background(), time.Hour)
	return &Run{
		Fate: f, Beside: beside, Number: number, Context: ctx, kill: kill, world: w,
		Clock:  poll.Clock{Now: func() time.Time { return time.Now().Add(f.Ahead) }, Pause: poll.Pause},
		paused: pause{resume: make(chan struct{}), back: make(chan struct{})},
	}
}

// Locked reads the service while no request changes it: a late one may still arrive.
func (w *World) Locked(read func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	read()
}

func (w *World) wrong() (err error) {
	w.Locked(func() { err = w.model.Wrong() })
	return err
}

// Replay plays one history, and returns what is wrong with it.
func Replay(t *testing.T, begin func(*World) Model, history []Step) (wrong error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &World{T: t}
		w.model = begin(w)
		for n, s := range history {
			<-time.After(s.After)
			s.Outages = slices.Clone(s.Outages)
			w.Run(s.Fate, s.Act)
			if wrong = w.wrong(); wrong != nil {
				wrong = fmt.Errorf("after step %d: %w", n, wrong)
				return
			}
		}
		<-time.After(3 * Patience)
		if wrong = w.model.Settle(); wrong == nil {
			wrong = w.wrong()
		}
	})
	return wrong
}

// Play looks for a history of runs that do these acts with which something is wrong.
// draw draws what services differ in. It plays 300 fixed histories, or as many
// new ones for each processor as the flag rapid.checks says.
func Play(t *testing.T, acts []string, draw func(*rapid.T) func(*World) Model) {
	t.Helper()
	steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Step {
		s := Step{Act: rapid.SampledFrom(acts).Draw(t, "act"), After: Seconds(0, 0, 1, 10, 60).Draw(t, "after")}
		s.draw(t)
		return s
	}), 1, 6)
	for n := range Searches() {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				begin := draw(r)
				history := steps.Draw(r, "history")
				if wrong := Replay(t, begin, history); wrong != nil {
					r.Fatalf("%v\n%+v", wrong, history)
				}
			})
		})
	}
}

// Searches returns how many searches go on at the same time. It has rapid play fixed
// histories unless it was told how many to play.
var Searches = sync.OnceValue(func() int {
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "rapid.checks" })
	if told {
		return runtime.GOMAXPROCS(0)
	}
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "300"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	return 1
})
