// Package journal keeps records of what must happen exactly once.
//
// A request whose answer was lost may have been processed, and a list of the service that lags does not show it. So
// whoever is about to send such a request swaps its record to [Sending] first. A swap names the version that it
// replaces: of two that begin at the same time one fails, and has sent nothing.
//
// Nothing is locked for longer than a swap takes, and no connection has to live. A killed or stopped process, a
// restarted database and a pooler are all the same: somebody who did not swap.
//
// [Files] keeps records on this machine, [Postgres] for many machines. File names and keys
// are hashes. A record holds times, ids of the service, tax numbers of companies and hashes: never a payload, never a
// key.
package journal

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"
)

// Phase is how far a thing is.
type Phase string

// The phases.
const (
	Idle    Phase = ""        // nothing was sent, or nothing came of it
	Sending Phase = "sending" // a request left, and nobody has recorded its answer
	Settled Phase = "settled" // the service has answered
)

// Record is what the journal knows of one thing that must happen once.
type Record struct {
	Phase Phase `json:"phase,omitempty"`
	// Stamp is when the request left or was settled. The store's clock counts, and a load converts it to the time of this
	// machine. A swap fills in a zero Stamp.
	Stamp  time.Time `json:"stamp"`
	Result string    `json:"result,omitempty"` // the id that the service gave
	Note   string    `json:"note,omitempty"`   // what else its noun remembers: see [NoteOf]
	Held   bool      `json:"held,omitempty"`   // a state was seen that has the result
	Run    string    `json:"run,omitempty"`    // names the run of a CLI that swapped last
}

// In returns the record in another phase, from now on, with the id that the phase is about.
func (r Record) In(phase Phase, result string) Record {
	r.Phase, r.Result, r.Stamp = phase, result, time.Time{}
	return r
}

// NoteOf returns the note of a record as its noun knows it; the zero note where there is none, or one of another noun.
func NoteOf[T any](r Record) (note T) {
	if json.Unmarshal([]byte(r.Note), &note) != nil {
		return *new(T)
	}
	return note
}

// Noted returns the record with a note of its noun: a small struct of texts and flags. A zero note is none.
func (r Record) Noted(note any) Record {
	text, _ := json.Marshal(note) // Texts and flags can be written.
	if r.Note = string(text); r.Note == "{}" {
		r.Note = ""
	}
	return r
}

// isKnown reports whether this version of the provider knows the phase. Of any other a store says that a request may
// have left.
func (r *Record) isKnown() bool { return r.Phase == Idle || r.Phase == Sending || r.Phase == Settled }

// isDone reports whether the record is of no use once it is old.
func (r *Record) isDone() bool { return r.Phase == Idle || r.Phase == Settled && r.Held }

// Version names one state of a record. Each swap draws it at random, so that a record which changed and changed back
// counts as changed. No record has version 0.
type Version int64

func newVersion() Version { return Version(rand.Int64N(1<<62) + 1) } //nolint:gosec // It only has to differ.

// Key names a record. Make it with [KeyOf].
type Key struct {
	Kind, hash string
}

// KeyOf returns the key of a kind (lower-case letters and hyphens, readable where the record is kept) and of parts, of
// which only a hash is kept. What a company names has that company among its parts. An id of the service needs none.
func KeyOf(kind string, parts ...string) Key { return Key{Kind: kind, hash: hashOf(kind, parts)} }

const hashLength = 2 * sha256.Size // in hexadecimal

func (k Key) name() string { return k.Kind + "-" + k.hash }

// hashOf writes the length before each part, so that no two lists of parts make the same bytes.
func hashOf(kind string, parts []string) string {
	h := sha256.New()
	for _, part := range append([]string{kind}, parts...) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Store keeps records. Its methods may be called from several goroutines.
type Store interface {
	// Load returns a record and its version; the zero Record and version 0 where there is none. It waits for nobody.
	// It fails where the store cannot be read.
	Load(ctx context.Context, key Key) (Record, Version, error)

	// Swap puts a record in the place of the one with that version, and returns the new version. The error wraps
	// [ErrChanged] where somebody else was faster, and [ErrInMemory] beside a version where only this process knows
	// the record. After any other error the record may or may not be kept: nothing may be sent.
	Swap(ctx context.Context, key Key, from Version, to Record) (Version, error)

	// Where names the record's place to a person who has to remove it.
	Where(key Key) string
}

var (
	// ErrChanged is the error of a swap that came too late.
	ErrChanged = errors.New("somebody else was faster")
	// ErrInMemory is the error of a swap that only this process knows, because the directory cannot be written.
	ErrInMemory = errors.New("the journal's directory cannot be written")
)
