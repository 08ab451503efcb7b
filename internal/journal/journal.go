package journal

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"
	"unicode/utf8"
)

// Store keeps what must happen exactly once, and the shared budget of requests.
type Store interface {
	// Entry opens the entry for kind and parts and waits until nobody else holds
	// it. The kind (lower-case letters, digits and hyphens) is readable where the
	// entry is kept; the parts are not, so that a key may be one of them.
	//
	// It fails when ctx ends first, with an error that wraps the context's, and
	// when kind has another form. A place that cannot be used is no error: see
	// [Entry.Durable]. Opening an entry that the same goroutine holds waits for
	// ever.
	Entry(ctx context.Context, kind string, parts ...string) (*Entry, error)

	// UpdateBudget gives change the document of a key, nil where there is none, and
	// the time by the store's clock, and keeps what change returns; nil leaves the
	// document as it is. Nobody else changes it meanwhile. The key is a hash in
	// hexadecimal.
	//
	// It fails rather than wait for long. What change returned is then not kept,
	// if it was called at all.
	UpdateBudget(key string, change func(document []byte, now time.Time) []byte) error
}

// State is what an entry knows. The zero State knows nothing. Begun and ID are
// never both set.
type State struct {
	// Begun is when a request began that was never answered. It lies in the
	// past or is the time at which the entry was opened.
	Begun time.Time
	// ID is what the service called the result of a settled request.
	ID string
	// Note is what the caller gave to [Entry.Begin]. It stays when the request
	// is settled, until [Entry.Confirm].
	Note string
}

var errClosed = errors.New("the journal entry is closed")

var kindForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)

// Entry is one thing that must happen exactly once. Whoever holds it excludes
// every other holder in this process and, if it is durable, on this machine,
// until Close. Its methods may be called from several goroutines.
type Entry struct {
	path     string
	durable  bool
	required bool
	save     func(s State, sending bool) error // keeps a state for the next opening; one before a request for good
	release  func() error                      // lets others open the entry

	mu     sync.Mutex
	state  State
	closed bool
}

// State returns what the entry knows: as found by Open, then as written.
func (e *Entry) State() State {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

// Path returns where the entry is kept, for messages that tell a person which
// file to remove; "" where there is no directory. If the entry is not durable
// there may be no such file.
func (e *Entry) Path() string { return e.path }

// Durable reports whether the entry outlives this process and excludes other
// processes. It is false where the directory could not be written or locked.
func (e *Entry) Durable() bool { return e.durable }

// Required reports whether nothing may be sent that the entry could not record:
// other machines rely on it.
func (e *Entry) Required() bool { return e.required }

// Begin records that a request begins now. It must succeed before anything is
// sent. The note is a short opaque text of the caller's, for instance a hash in
// hexadecimal; an id that was known before is forgotten.
func (e *Entry) Begin(note string) error {
	if !utf8.ValidString(note) {
		return errors.New("journal: a note is text")
	}
	// Round drops the monotonic reading: the times of two processes are compared.
	return e.write(State{Begun: time.Now().Round(0).UTC(), Note: note}, true)
}

// Settled records that the request was answered and what the service calls the
// result. The id must not be empty: use [Entry.Forget] if nothing came of it.
func (e *Entry) Settled(id string) error {
	if id == "" {
		return errors.New("journal: a settled request has an id")
	}
	return e.write(State{ID: id, Note: e.State().Note}, false)
}

// Keep records a result together with a note, in one step. A killed process leaves
// them; a loss of power may take them.
func (e *Entry) Keep(id, note string) error {
	if id == "" || !utf8.ValidString(note) {
		return errors.New("journal: a result has an id, and a note is text")
	}
	return e.write(State{ID: id, Note: note}, false)
}

// Confirm records that the result of a settled request is known to be kept where
// it belongs, so that whoever asks for it again means another one: the note
// goes, the id stays. An entry that is not settled does not change.
func (e *Entry) Confirm() error {
	s := e.State()
	if s.ID == "" || s.Note == "" {
		return nil
	}
	return e.write(State{ID: s.ID}, false)
}

// Forget records that nothing is known any more, as before the first Begin.
func (e *Entry) Forget() error {
	return e.write(State{}, false)
}

// Restore records a state that the entry had before, because nothing came of what
// was begun since.
func (e *Entry) Restore(before State) error {
	return e.write(before, false)
}

// Close lets others open the entry. It may be called more than once.
func (e *Entry) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	if err := e.release(); err != nil {
		return fmt.Errorf("journal: unlocking %s: %w", e.path, err)
	}
	return nil
}

func (e *Entry) write(s State, sending bool) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return fmt.Errorf("journal: %s: %w", e.path, errClosed)
	}
	if err := e.save(s, sending); err != nil {
		return fmt.Errorf("journal: writing %s: %w", e.path, err)
	}
	e.state = s
	return nil
}
