// Package once makes something happen exactly once at the service: an invoice, an order, a letter, a rotation or
// a declaration.
//
// A run loads the record, looks at the service, and decides. Then it waits for the permit of the rate limit, swaps
// the record to Sending, and begins the exchange, with nothing in between and for each attempt anew. Whoever loses a
// swap has sent nothing and begins again. While a Sending record is younger than the patience, its run may still be
// alive: nothing is sent, and only what the service shows counts.
//
// One window is left: a process that is stopped between the last look at the clock and the first byte of a request,
// and resumed after the patience.
package once

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

// LookPauses are the pauses between looks at something in doubt; the last one repeats.
var LookPauses = []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 5 * time.Second}

// ErrLookAgain is returned by an act that has to look again after a pause: nothing at the service proves what became of
// a request.
var ErrLookAgain = errors.New("nothing proves what became of the request: look again")

// Journal says where and by whom things are made to happen once.
type Journal struct {
	Store    journal.Store
	Clock    poll.Clock
	Patience time.Duration // how long a request may still take effect or stay invisible after it left
	Lasting  bool          // nothing is sent whose record would end with this process

	Run string // names the run of the CLI; "" where it does not matter
}

// Turns is the one loop in which a thing happens once. Each turn has the record as it is then. Whoever is done leaves
// the loop, and whoever goes on looks again: after a pause, or at once where somebody else was faster. An error is of
// the store or of the context, and ends it.
func (j *Journal) Turns(ctx context.Context, key journal.Key) iter.Seq2[*Turn, error] {
	return func(yield func(*Turn, error) bool) {
		told := poll.Wait{Why: "wait.record"}
		for looks := 0; ; {
			t, err := j.Load(ctx, key)
			if !yield(t, err) || err != nil {
				return
			}
			switch err := ctx.Err(); {
			case t.isOvertaken && err == nil:
				continue
			case t.isOvertaken:
				yield(nil, err)
				return
			}
			pause := LookPauses[min(looks, len(LookPauses)-1)]
			told.Pauses(ctx, pause, t.Known.Stamp.Add(j.Patience).Sub(j.Clock.Now()))
			if err := j.Clock.Pause(ctx, pause); err != nil {
				yield(nil, err)
				return
			}
			looks++
		}
	}
}

// IsToLookAgain reports whether an error asks for another turn: nothing is proven, or somebody else was faster.
func IsToLookAgain(err error) bool {
	return errors.Is(err, ErrLookAgain) || errors.Is(err, journal.ErrChanged)
}

// Do acts on a record, turn by turn. It returns the first error of the act that does not ask for another turn, an error
// of the store, or the context's.
func (j *Journal) Do(ctx context.Context, key journal.Key, act func(ctx context.Context, t *Turn) error) error {
	for t, err := range j.Turns(ctx, key) {
		if err == nil {
			err = act(ctx, t)
		}
		if !IsToLookAgain(err) {
			return err
		}
	}
	return nil // The loop ends with an error, or from inside.
}

// Load loads a record for one turn. It waits for nobody.
func (j *Journal) Load(ctx context.Context, key journal.Key) (*Turn, error) {
	record, version, err := j.Store.Load(ctx, key)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &StoreError{Cause: err}
	}
	return &Turn{Known: record, journal: j, key: key, version: version}, nil
}

// Turn is a record as it was loaded, and the way to change it while nobody else does.
type Turn struct {
	// Known is the record, as it was loaded or swapped last.
	Known journal.Record
	// Unkept is why only this process knows of the last swap; nil where it is kept.
	Unkept error

	isOvertaken bool // somebody else has swapped the record since

	journal *Journal
	key     journal.Key
	version journal.Version
}

// InDoubt reports whether a request may still take effect or be invisible: the record is young and has no answer.
func (t *Turn) InDoubt() bool { return t.Known.Phase == journal.Sending && t.Young() }

// Young reports whether what the record speaks of may not show at the service yet.
func (t *Turn) Young() bool { return t.journal.IsYoung(t.Known.Stamp) }

// IsYoung reports whether what was sent or settled then may not show at the service yet.
func (j *Journal) IsYoung(since time.Time) bool {
	return !since.IsZero() && j.Clock.Now().Before(since.Add(j.Patience))
}

// Where names the record to a person.
func (t *Turn) Where() string { return t.journal.Store.Where(t.key) }

// MustLast forbids to send anything that only this process would remember.
func (t *Turn) MustLast() { t.journal.Lasting = true }

// Swap puts a record to Sending right before each attempt of a request, and back after one that was certainly not
// processed. It is the [einvoice.Guard] of what must happen once.
type Swap struct {
	turn    *Turn
	before  journal.Record
	sending journal.Record
	several bool
	mutex   sync.Mutex
}

// Sending returns the guard of a request, with the note of its noun, and the id that it is sent to or "" for something
// new.
func (t *Turn) Sending(note any, result string) *Swap {
	s := &Swap{turn: t, before: t.Known, sending: t.Known.In(journal.Sending, result).Noted(note)}
	s.sending.Held = false
	return s
}

// ForSeveral is a guard of several requests that are sent side by side. None of them takes the record back: what is
// taken back for one is on its way for another.
func (s *Swap) ForSeveral() *Swap {
	s.several = true
	return s
}

// Begin swaps the record to Sending. After its error nothing may be sent.
func (s *Swap) Begin(ctx context.Context) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	err := s.turn.swap(ctx, s.sending)
	if err == nil && s.turn.Unkept != nil && s.turn.journal.Lasting {
		err = s.turn.Unkept
		s.turn.Keep(ctx, s.before)
	}
	if err == nil || errors.Is(err, journal.ErrChanged) {
		return err
	}
	return &StoreError{Cause: err}
}

// TakeBack puts the record back, after an attempt that was certainly not processed.
func (s *Swap) TakeBack(ctx context.Context) {
	if !s.several {
		s.turn.Keep(ctx, s.before)
	}
}

// Settle records the answer. Only [Turn.Unkept] tells where that failed: the request was answered all the same.
func (t *Turn) Settle(ctx context.Context, result string) {
	t.Keep(ctx, t.Known.In(journal.Settled, result))
}

// Keep records what was found out, after an interrupt too.
func (t *Turn) Keep(ctx context.Context, next journal.Record) {
	t.Unkept = t.swap(context.WithoutCancel(ctx), next)
}

// Confirm is Keep for a turn that must end where somebody else was faster: it returns [journal.ErrChanged] then.
func (t *Turn) Confirm(ctx context.Context, next journal.Record) error {
	if t.Keep(ctx, next); errors.Is(t.Unkept, journal.ErrChanged) {
		return t.Unkept
	}
	return nil
}

func (t *Turn) swap(ctx context.Context, next journal.Record) error {
	next.Run = t.journal.Run
	version, err := t.journal.Store.Swap(ctx, t.key, t.version, next)
	if version == 0 {
		t.isOvertaken = t.isOvertaken || errors.Is(err, journal.ErrChanged)
		return err
	}
	if next.Stamp.IsZero() {
		next.Stamp = t.journal.Clock.Now()
	}
	t.Known, t.version, t.Unkept = next, version, err
	return nil
}

// StoreError is the error of a store that could not be used, so that nothing was sent.
type StoreError struct{ Cause error }

func (e *StoreError) Error() string { return e.Cause.Error() }
func (e *StoreError) Unwrap() error { return e.Cause }

// IsUnsent reports whether a request was held back because its record could not be swapped. [Journal.Do] goes on
// then.
func IsUnsent(err error) bool {
	return errors.Is(err, journal.ErrChanged) || errors.As(err, new(*StoreError))
}
