// Package once has the one way in which something happens exactly once at the
// service: an invoice, an order, a letter, a rotation, a declaration, a creation.
//
// A run loads the record of the thing, looks at the service, and decides. Then it
// sends: it waits for the permit of the rate limit, swaps the record to Sending, and
// begins the exchange, with nothing in between and for each attempt anew. Whoever loses
// a swap has sent nothing and begins again. A record that is Sending and younger than
// the patience may belong to a run that is alive, or to one that was killed: until then
// only what the service shows counts, and nothing is sent.
//
// One window is left: a process that is stopped after the last look at the clock and
// before the first byte of a request, and resumed after the patience.
package once

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

// LookPauses are the pauses between looks at something in doubt; the last one repeats.
var LookPauses = []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 5 * time.Second}

// ErrUnproven is what an act returns that has to look again: the thing is in doubt,
// and the service shows nothing that proves what became of it.
var ErrUnproven = errors.New("nothing proves what became of the request")

// Journal is where and by whom things are made to happen once.
type Journal struct {
	Store    journal.Store
	Clock    poll.Clock
	Patience time.Duration // how long a request may still take effect or stay invisible after it left
	Lasting  bool          // what only this process would remember is not sent

	Key     string        // a digest of the API key that sends
	Company func() string // the tax number of the company that sends, "" while unknown; nil where it does not matter
	Run     string        // names the run of the CLI; "" where it does not matter
}

// Do loads a record and acts on it, again and again while the act is unproven or while
// somebody else was faster. It returns the first other error of the act, an error of
// the store, or the context's.
func (j *Journal) Do(ctx context.Context, key journal.Key, act func(ctx context.Context, t *Turn) error) error {
	for looks := 0; ; {
		t, err := j.Load(ctx, key)
		if err != nil {
			return err
		}
		err = act(ctx, t)
		switch {
		case errors.Is(err, journal.ErrChanged) && ctx.Err() == nil:
			continue
		case !errors.Is(err, ErrUnproven):
			return err
		}
		if err := j.Clock.Pause(ctx, LookPauses[min(looks, len(LookPauses)-1)]); err != nil {
			return err
		}
		looks++
	}
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
	t := &Turn{Known: record, journal: j, key: key, version: version}
	foreign := !key.OfObject && j.isForeign(record)
	if foreign && (j.company() == "" || record.Company == "") {
		t.Foreign = record
	}
	if foreign || record.Phase == journal.Idle {
		t.Known = j.ownBeside(record)
	}
	return t, nil
}

// Turn is a record as it was loaded, and the way to change it while nobody else does.
type Turn struct {
	// Known is the record, as it was loaded or swapped last. Where another company has
	// settled a thing of the same name, it is what is known of this company's.
	Known journal.Record
	// Foreign is what was settled with another key, where nobody knows whether that is
	// another company's or this one's of before.
	Foreign journal.Record
	// Unkept is why the last swap is known to this process alone, nil where it is kept.
	Unkept error

	journal *Journal
	key     journal.Key
	version journal.Version
}

// Own has the turn know what was settled with a key that was replaced since, once
// something shows that this company has it.
func (t *Turn) Own(shown bool) {
	if shown && t.Foreign.Phase != journal.Idle {
		t.Known, t.Foreign = t.Foreign, journal.Record{}
	}
}

// InDoubt reports whether a request may still take effect, or be invisible: the record
// is young, and nobody has recorded the answer, or nobody knows whose it is.
func (t *Turn) InDoubt() bool {
	since := t.Foreign.Stamp
	if t.Known.Phase == journal.Sending {
		since = t.Known.Stamp
	}
	return t.journal.IsYoung(since)
}

// Young reports whether what the record speaks of may not show at the service yet.
func (t *Turn) Young() bool { return t.journal.IsYoung(t.Known.Stamp) }

// IsYoung reports whether what was sent or settled then may not show at the service yet.
func (j *Journal) IsYoung(since time.Time) bool {
	return !since.IsZero() && j.Clock.Now().Before(since.Add(j.Patience))
}

// isForeign reports whether a record is settled and speaks of another company's thing.
func (j *Journal) isForeign(r journal.Record) bool {
	switch company := j.company(); {
	case r.Phase != journal.Settled || r.Key == "" && r.Company == "":
		return false
	case company != "" && r.Company != "":
		return company != r.Company
	}
	return r.Key != j.Key
}

// mostOthers bounds how many companies a record remembers under one name.
const mostOthers = 100

// ownBeside returns this company's record from beside that of another one, which it
// keeps beside the own one: a settled record stands in nobody's way, and is not lost.
func (j *Journal) ownBeside(record journal.Record) (own journal.Record) {
	var others, kept []journal.Record
	_ = json.Unmarshal([]byte(record.Others), &others) // What cannot be read is none.
	if record.Others = ""; record.Phase == journal.Settled {
		others = append(others, record)
	}
	for _, other := range others {
		if j.isForeign(other) {
			kept = append(kept, other)
		} else {
			own = other
		}
	}
	if len(kept) > 0 {
		text, _ := json.Marshal(kept[max(0, len(kept)-mostOthers):]) // Texts and times only.
		own.Others = string(text)
	}
	return own
}

// Where names the record to a person.
func (t *Turn) Where() string { return t.journal.Store.Where(t.key) }

// MustLast has nothing sent that only this process would remember.
func (t *Turn) MustLast() { t.journal.Lasting = true }

// Sending returns what is to be called as the last thing before each attempt of a
// request: it swaps the record to Sending, with a digest of what is sent and with the id
// of what it is sent to, "" for something new. Where that fails nothing may be sent.
func (t *Turn) Sending(content, result string) func(context.Context) error {
	return func(ctx context.Context) error {
		next := t.Known
		next.Phase, next.Content, next.Result, next.Held, next.Stamp = journal.Sending, content, result, false, time.Time{}
		before := t.Known
		err := t.swap(ctx, next)
		if err == nil && t.Unkept != nil && t.journal.Lasting {
			err = t.Unkept
			t.Keep(ctx, before)
		}
		if err == nil || errors.Is(err, journal.ErrChanged) {
			return err
		}
		return &StoreError{Cause: err}
	}
}

// Settle records the answer. It reports with [Turn.Unkept] alone that the record could
// not be written: the request has been answered, whatever the journal knows of it.
func (t *Turn) Settle(ctx context.Context, result string) {
	next := t.Known
	next.Phase, next.Result, next.Stamp = journal.Settled, result, time.Time{}
	t.Keep(ctx, next)
}

// Keep records what was found out.
func (t *Turn) Keep(ctx context.Context, next journal.Record) {
	// What became of a request is recorded after an interrupt, too.
	t.Unkept = t.swap(context.WithoutCancel(ctx), next)
}

// Hold records that a state holds what was settled with a result. What cannot be recorded
// is left for later.
func (j *Journal) Hold(ctx context.Context, key journal.Key, result string) {
	t, err := j.Load(ctx, key)
	if err != nil {
		return
	}
	t.Own(t.Foreign.Result == result)
	if next := t.Known; next.Result == result && next.Phase == journal.Settled && !next.Held {
		next.Held = true
		t.Keep(ctx, next)
	}
}

func (t *Turn) swap(ctx context.Context, next journal.Record) error {
	next.Key, next.Run = t.journal.Key, t.journal.Run
	if company := t.journal.company(); company != "" {
		next.Company = company
	}
	version, err := t.journal.Store.Swap(ctx, t.key, t.version, next)
	if version == 0 {
		return err
	}
	if next.Stamp.IsZero() {
		next.Stamp = t.journal.Clock.Now()
	}
	t.Known, t.version, t.Unkept, t.Foreign = next, version, err, journal.Record{}
	return nil
}

func (j *Journal) company() string {
	if j.Company == nil {
		return ""
	}
	return j.Company()
}

// StoreError is of a store that could not be used, so that nothing was sent.
type StoreError struct{ Cause error }

func (e *StoreError) Error() string { return e.Cause.Error() }
func (e *StoreError) Unwrap() error { return e.Cause }

// IsUnsent reports whether a request was held back because its record could not be
// swapped: [Journal.Do] knows what to do.
func IsUnsent(err error) bool {
	return errors.Is(err, journal.ErrChanged) || errors.As(err, new(*StoreError))
}
