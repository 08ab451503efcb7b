package rotation

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
)

// step is one run for one of two rotations of an account, on one of several machines with
// one store. It rotates, or it refreshes what a state holds, which is forgotten then.
type step struct {
	Creation int
	Before   []oncetest.Happening
	Outages  []oncetest.Outage
	After    time.Duration
}

// habits are what services differ in.
type habits struct {
	Lag  time.Duration // how long the secret is shown as it was
	Bare bool          // the answer does not tell the secret
}

// world is all that outlives a run.
type world struct {
	habits
	t     testing.TB
	store journal.Memory
	runs  int

	rotatedAt []time.Time // each rotation at the service
	of        [2]wanted
}

// wanted is one rotation in a configuration.
type wanted struct {
	state     string   // the id that a state holds; "" for none
	ids       []string // all that a state ever held
	rotations int      // at the service
	allowed   int
	uncertain bool // a refresh did not come to its end
}

// serve serves a run of a creation.
func (w *world) serve(creation int) func(method, path string, body []byte) (int, string) {
	return func(method, _ string, _ []byte) (int, string) {
		if method != "GET" {
			w.of[creation].rotations++
			w.rotatedAt = append(w.rotatedAt, time.Now())
			if w.Bare {
				return 200, `{}`
			}
			return 200, fmt.Sprintf(`{"secret":"whsec_%d"}`, len(w.rotatedAt))
		}
		shown := 0
		for _, at := range w.rotatedAt {
			if !time.Now().Before(at.Add(w.Lag)) {
				shown++
			}
		}
		return 200, fmt.Sprintf(`{"secret":"whsec_%d"}`, shown)
	}
}

func (w *world) run(s step) *problem {
	w.runs++
	of := &w.of[s.Creation]
	r := &oncetest.Run{Happenings: s.Before, Outages: s.Outages, Serve: w.serve(s.Creation)}
	r.Meanwhile = func() { // Another machine, which has the same state or rotates something else.
		if other := (s.Creation + w.runs) % 2; w.of[other].state == "" {
			w.run(step{Creation: other})
		}
	}
	ctx, client, journal := r.Begin(w.t, &w.store)
	journal.Run = fmt.Sprint(w.runs)
	rotation := &rotating{client: client, once: journal, creation: fmt.Sprint(s.Creation), wantSecret: true}
	if of.state != "" {
		rotation.confirm(ctx, of.state)
		of.state = ""
		of.allowed++
		of.uncertain = !r.End() || of.uncertain
		return nil
	}
	done, failed := rotation.perform(ctx)
	if r.End() && failed == nil {
		of.state = done.id
		if !slices.Contains(of.ids, done.id) {
			of.ids = append(of.ids, done.id)
		}
	}
	return failed
}

func (w *world) check() error {
	for _, of := range w.of {
		if of.rotations > of.allowed || len(of.ids) > of.rotations {
			return fmt.Errorf("%+v", w.of)
		}
	}
	return nil
}

// play lives through a history, and returns what is wrong with it.
func play(t testing.TB, service habits, history []step) error {
	w := &world{habits: service, t: t, of: [2]wanted{{allowed: 1}, {allowed: 1}}}
	for n, s := range history {
		<-time.After(s.After)
		w.run(s)
		if wrong := w.check(); wrong != nil {
			return fmt.Errorf("step %d: %w", n, wrong)
		}
	}
	<-time.After(time.Minute)
	for creation := range w.of {
		of := &w.of[creation]
		if of.state == "" {
			if failed := w.run(step{Creation: creation}); failed != nil {
				return fmt.Errorf("the rotation does not come to an end: %w", failed)
			}
		}
		if !of.uncertain && of.rotations != of.allowed {
			return fmt.Errorf("at the end: %+v", w.of)
		}
	}
	return w.check()
}

// The model test of rotations: whatever happens between two steps of a run, there is one
// rotation for each that is wanted.
func TestModel_rotatesOnce(t *testing.T) {
	t.Parallel()
	steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		s := step{
			Creation: rapid.IntRange(0, 1).Draw(t, "creation"),
			After:    rapid.SampledFrom([]time.Duration{0, 0, time.Second, 10 * time.Second, time.Minute}).Draw(t, "after"),
		}
		s.Before, s.Outages = oncetest.Draw(t)
		return s
	}), 1, 6)
	rapid.Check(t, func(r *rapid.T) {
		service := habits{
			Lag:  rapid.SampledFrom([]time.Duration{0, 0, 3 * time.Second, 5 * time.Second}).Draw(r, "lag"),
			Bare: rapid.Bool().Draw(r, "bare answers"),
		}
		history := steps.Draw(r, "history")
		var wrong error
		synctest.Test(t, func(t *testing.T) { wrong = play(t, service, history) })
		if wrong != nil {
			r.Fatalf("%v\n%+v\n%+v", wrong, service, history)
		}
	})
}
