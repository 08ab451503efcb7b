package journal

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gofrs/flock"
)

const (
	folder     = "journal"
	lockSuffix = ".lock"
	tempSuffix = ".tmp"
)

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
	path    string
	kind    string
	hash    string
	durable bool
	release func()

	mu     sync.Mutex
	lock   *flock.Flock
	state  State
	closed bool
}

// Open opens the entry for kind and parts and waits until nobody else holds
// it. The kind (lower-case letters, digits and hyphens) is readable in the
// file's name; the parts are not, so that a key may be one of them. An empty
// dir keeps the entry in memory.
//
// It fails when ctx ends first, with an error that wraps the context's, and
// when kind has another form. A directory or a file that cannot be used is no
// error. Opening an entry that the same goroutine holds waits for ever.
func Open(ctx context.Context, dir string, kind string, parts ...string) (*Entry, error) {
	if !kindForm.MatchString(kind) {
		return nil, fmt.Errorf("journal: %q is not a kind of entry", kind)
	}
	hash := hashOf(kind, parts)
	if dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
	}
	e := &Entry{kind: kind, hash: hash, path: filepath.Join(dir, folder, kind+"-"+hash)}

	prepared := dir != "" && prepareFolder(filepath.Dir(e.path)) == nil
	if prepared {
		pruneDaily(ctx, filepath.Dir(e.path))
	}
	release, err := holdInProcess(ctx, e.path)
	if err != nil {
		return nil, fmt.Errorf("journal: waiting for %s: %w", e.path, err)
	}
	e.release = release
	if prepared {
		e.lock, err = lockFile(ctx, e.path+lockSuffix)
		if err != nil && ctx.Err() != nil {
			release()
			return nil, fmt.Errorf("journal: waiting for %s: %w", e.path, ctx.Err())
		}
		e.durable = err == nil && probe(e.path+tempSuffix) == nil
	}

	// What this process remembers is newer than the file: it was kept while the
	// directory could not be written.
	remembered, ok := recall(e.path)
	switch {
	case ok && e.durable && writeState(e.path, e.kind, e.hash, remembered) == nil:
		forgetRemembered(e.path)
		e.state = remembered
	case ok:
		e.durable = false
		e.state = remembered
	case e.durable || dir != "" && exists(e.path):
		e.state = readState(e.path, e.kind, e.hash)
	}
	if now := time.Now(); e.state.Begun.After(now) {
		e.state.Begun = now
	}
	return e, nil
}

// State returns what the entry knows: as found by Open, then as written.
func (e *Entry) State() State {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

// Path returns where the entry is kept, for messages that tell a person which
// file to remove. If the entry is not durable there may be no such file.
func (e *Entry) Path() string { return e.path }

// Durable reports whether the entry outlives this process and excludes other
// processes. It is false where the directory could not be written or locked.
func (e *Entry) Durable() bool { return e.durable }

// Begin records that a request begins now. It must succeed before anything is
// sent. The note is a short opaque text of the caller's, for instance a hash in
// hexadecimal; an id that was known before is forgotten.
func (e *Entry) Begin(note string) error {
	if !utf8.ValidString(note) {
		return errors.New("journal: a note is text")
	}
	// Round drops the monotonic reading: the times of two processes are compared.
	return e.write(State{Begun: time.Now().Round(0).UTC(), Note: note})
}

// Settled records that the request was answered and what the service calls the
// result. The id must not be empty: use [Entry.Forget] if nothing came of it.
func (e *Entry) Settled(id string) error {
	if id == "" {
		return errors.New("journal: a settled request has an id")
	}
	return e.write(State{ID: id, Note: e.State().Note})
}

// Confirm records that the result of a settled request is known to be kept where
// it belongs, so that whoever asks for it again means another one: the note
// goes, the id stays. An entry that is not settled does not change.
func (e *Entry) Confirm() error {
	s := e.State()
	if s.ID == "" || s.Note == "" {
		return nil
	}
	return e.write(State{ID: s.ID})
}

// Forget records that nothing is known any more, as before the first Begin.
func (e *Entry) Forget() error {
	return e.write(State{})
}

// Close lets others open the entry. It may be called more than once.
func (e *Entry) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	var err error
	if e.lock != nil {
		err = e.lock.Close()
	}
	// The file's lock goes first: whoever waits in this process for the entry
	// must not find it held by nobody.
	e.release()
	if err != nil {
		return fmt.Errorf("journal: unlocking %s: %w", e.path, err)
	}
	return nil
}

func (e *Entry) write(s State) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return fmt.Errorf("journal: %s: %w", e.path, errClosed)
	}
	if !e.durable {
		remember(e.path, s)
		e.state = s
		return nil
	}
	if err := writeState(e.path, e.kind, e.hash, s); err != nil {
		return fmt.Errorf("journal: writing %s: %w", e.path, err)
	}
	e.state = s
	return nil
}

// hashOf writes the length before each part, so that no two lists of parts
// make the same bytes.
func hashOf(kind string, parts []string) string {
	h := sha256.New()
	for _, part := range append([]string{kind}, parts...) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func prepareFolder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		// A folder made by hand may be open to others. That it cannot be closed
		// is no reason to remember nothing.
		_ = os.Chmod(path, 0o700)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// probe finds a read-only file system before anything depends on the entry.
func probe(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(path))
}
