package journal

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
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
	// Stamp is when the request left or was settled, by the store's clock, as this
	// machine's clock shows it. A zero Stamp is filled in by the swap.
	Stamp time.Time `json:"stamp"`
	// Result is the id that the service gave.
	Result string `json:"result,omitempty"`
	// Content is a hash of what was sent, or a short text of the noun's own.
	Content string `json:"content,omitempty"`
	// Held reports that a state was seen that has the result.
	Held bool `json:"held,omitempty"`
	// Holder names the object of a state that has taken the result. It is made here.
	Holder string `json:"holder,omitempty"`
	// Company is the tax number of the company that sent, where it is known, and Key a
	// digest of its API key.
	Company string `json:"company,omitempty"`
	Key     string `json:"key,omitempty"`
	// Run names the run of a CLI that swapped last.
	Run string `json:"run,omitempty"`
	// Others are the settled records of other companies under the same name, as JSON.
	Others string `json:"others,omitempty"`
}

// In returns the record in another phase, from now on, with the id that the phase is about.
func (r Record) In(phase Phase, result string) Record {
	r.Phase, r.Result, r.Stamp = phase, result, time.Time{}
	return r
}

// understood reports whether the phase is one of this version of the provider. Of
// anything else a store says that a request may have left.
func (r *Record) understood() bool {
	return r.Phase == Idle || r.Phase == Sending || r.Phase == Settled
}

// done reports whether the record is of no use once it is old.
func (r *Record) done() bool { return r.Phase == Idle || r.Phase == Settled && r.Held }

// Version names one state of a record. It is drawn at random with each swap, so that
// a record which changed and changed back is not taken for unchanged. No record has
// version 0.
type Version int64

func newVersion() Version { return Version(rand.Int64N(1<<62) + 1) } //nolint:gosec // It only has to differ.

// Key names a record. Make it with [KeyOf].
type Key struct {
	Kind, hash string
	former     string
	// Fleeting is of what may be lost with the power of the machine: a second one
	// costs no tax. Its swaps do not wait for the disk.
	Fleeting bool
	// OfObject is of what is named by an id that the service gave: no other company has
	// anything of that name, whichever API key a record of it was made with.
	OfObject bool
}

// KeyOf is the key of a kind (lower-case letters and hyphens, readable where the record
// is kept) and of parts, of which only a hash is kept.
func KeyOf(kind string, parts ...string) Key { return Key{Kind: kind, hash: hashOf(kind, parts)} }

// Formerly names the entry in which version 0.1 kept the same thing, by that version's
// parts. An entry that is not settled is an [UnsettledError] of Load.
func (k Key) Formerly(kind string, parts ...string) Key {
	k.former = kind + "-" + hashOf(kind, parts)
	return k
}

// hashLength is that of a hash in hexadecimal.
const hashLength = 2 * sha256.Size

func (k Key) name() string { return k.Kind + "-" + k.hash }

// hashOf writes the length before each part, so that no two lists of parts make the
// same bytes.
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
	// Load returns a record and its version; the zero Record and version 0 where there
	// is none. It waits for nobody. It fails where the store cannot be read.
	Load(ctx context.Context, key Key) (Record, Version, error)

	// Swap puts a record in the place of the one with that version and returns the new
	// version. The error wraps [ErrChanged] where somebody else was faster, and
	// [ErrInMemory] beside a version where only this process knows the record. After any
	// other error the record may or may not be kept: nothing may be sent.
	Swap(ctx context.Context, key Key, from Version, to Record) (Version, error)

	// Where names the record's place to a person who has to remove it.
	Where(key Key) string
}

var (
	// ErrChanged is of a swap that came too late.
	ErrChanged = errors.New("somebody else was faster")
	// ErrInMemory is of a swap that only this process knows of, because the directory of
	// the journal cannot be written.
	ErrInMemory = errors.New("the journal's directory cannot be written")
)

// UnsettledError is of a thing that an older version of the provider began and did
// not finish. Nothing is sent for it until a person has looked and removed the entry.
type UnsettledError struct {
	Where string    // the place of the old entry
	Begun time.Time // when the old version began; zero where it had an answer that no state was seen to hold
}

func (e *UnsettledError) Error() string {
	return "an older version of the provider began it and did not record its end in " + e.Where
}
