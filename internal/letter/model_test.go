package letter

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
)

// act is what somebody does with the letter.
type act int

const (
	apply   act = iota // on one of several machines with one store
	refresh            // then the state is forgotten: the letter is to be sent once more
	look               // a person looks at the invoice, and removes the record where no letter came of it
)

func (a act) String() string { return [...]string{"apply", "refresh", "look"}[a] }

type step struct {
	Act     act
	Before  []oncetest.Happening
	Outages []oncetest.Outage
	After   time.Duration
}

// world is all that outlives a run.
type world struct {
	t       testing.TB
	store   journal.Memory
	runs    int
	state   string // the event that a state holds; "" for none
	events  int    // at the service
	allowed int    // how many there may be
}

func (w *world) serve(method, _ string, _ []byte) (int, string) {
	if method == "GET" {
		return 200, `{"id":"7c9e6679","status":"authorized","model":"productInvoice"}`
	}
	w.events++
	return 200, fmt.Sprintf(`{"eventId":"event-%d"}`, w.events)
}

// run applies or refreshes, and returns what the letter ends with.
func (w *world) run(s step) *problem {
	w.runs++
	r := &oncetest.Run{Happenings: s.Before, Outages: s.Outages, Serve: w.serve, Meanwhile: func() {
		if w.runs%2 == 0 {
			w.look()
		}
		w.run(step{Act: apply})
	}}
	ctx, c := w.correcting(r)
	if s.Act == refresh {
		if w.state != "" {
			w.allowed++
			c.confirm(ctx, w.state)
			w.state = ""
		}
		r.End()
		return nil
	}
	done, failed := c.perform(ctx)
	if r.End() && failed == nil {
		w.state = done.eventID
	}
	return failed
}

func (w *world) correcting(r *oncetest.Run) (context.Context, *correcting) {
	ctx, client, once := r.Begin(w.t, &w.store)
	return ctx, &correcting{client: client, once: once, invoiceID: "7c9e6679", letter: fixture.TestLetter}
}

// look is what a person does who is told that the letter is in doubt.
func (w *world) look() {
	<-time.After(time.Minute)
	_, c := w.correcting(&oncetest.Run{})
	key := c.key()
	record, version, err := w.store.Load(context.Background(), key)
	if err == nil && record.Phase == journal.Sending && w.events < w.allowed {
		_, err = w.store.Swap(context.Background(), key, version, journal.Record{})
	}
	if err != nil {
		w.t.Error(err)
	}
}

// play lives through a history, and returns what is wrong with it.
func play(t testing.TB, history []step) error {
	w := &world{t: t, allowed: 1}
	for n, s := range history {
		<-time.After(s.After)
		if s.Act == look {
			w.look()
		} else {
			w.run(s)
		}
		if w.events > w.allowed {
			return fmt.Errorf("step %d: %d events, and %d may be", n, w.events, w.allowed)
		}
	}
	w.look()
	failed := w.run(step{})
	if w.events > w.allowed || failed == nil && w.events == 0 {
		return fmt.Errorf("at the end: %d events, and %d may be: %w", w.events, w.allowed, failed)
	}
	if failed != nil && (failed.kind != unanswered || w.events < w.allowed) {
		return fmt.Errorf("the letter does not come to an end: %w", failed)
	}
	return nil
}

var histories = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
	s := step{
		Act:   rapid.SampledFrom([]act{apply, apply, apply, refresh, look}).Draw(t, "act"),
		After: rapid.SampledFrom([]time.Duration{0, 0, time.Second, 10 * time.Second, time.Minute}).Draw(t, "after"),
	}
	s.Before, s.Outages = oncetest.Draw(t)
	return s
}), 1, 6)

// The model test of a letter: whatever happens between two steps of a run, the same
// letter is sent again only after a state was seen that holds the one before, or after a
// person has seen that there is none.
func TestModel_noLetterIsSentTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		history := histories.Draw(r, "history")
		var wrong error
		synctest.Test(t, func(t *testing.T) { wrong = play(t, history) })
		if wrong != nil {
			r.Fatalf("%v\n%+v", wrong, history)
		}
	})
}
