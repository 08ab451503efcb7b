package rotation

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

const (
	// journalKindRotation keeps the rotations of an account that wait for their
	// answer, in one entry.
	journalKindRotation = "rotation"

	// rotationPatience is how long after its beginning a request that was never
	// answered may still change the secret.
	rotationPatience = time.Minute

	// journalKindRotated keeps an answered rotation until a state was seen to
	// hold it, one entry for each creation.
	journalKindRotated = "rotated"

	// rotatedMemory is for how long an answered rotation that no state holds is
	// taken over instead of repeated.
	rotatedMemory = 24 * time.Hour
)

// thisProcess tells what this run has done from what an earlier one has: two
// creations that are alike in one configuration are two rotations.
var thisProcess = uuid.NewString()

// rotating is one rotation of the account's secret on its way. A second one
// would end the window in which receivers may still verify with the secret from
// before, so it must not happen by accident.
//
// The service keeps no list of rotations, but the secret itself tells: when it
// is another one than before the request, the rotation has happened. The journal
// on this machine keeps the hash of the secret from before until the request is
// answered, for each creation that waits. They are in one entry of the account:
// whoever rotates changes the secret for all of them, and must first tell who of
// them had changed it already.
type rotating struct {
	client *einvoice.Client
	store  journal.Store
	clock  poll.Clock

	creation    string // names this creation in the journal
	windowHours *int64
	wantSecret  bool
	process     string // whose answers are not taken over; "" takes over none
}

// rotated is a rotation that has happened.
type rotated struct {
	id        string            // made here
	answer    einvoice.Rotation // empty where the answer was lost
	secret    string            // the secret in force; "" when it is not wanted and the answer did not tell
	at        time.Time
	takenOver bool  // an earlier run has rotated; nothing was sent now
	answered  bool  // of one that was taken over: the earlier run had its answer
	lost      error // why this run has no answer
}

// unanswered is what the journal knows of a creation whose request has begun.
type unanswered struct {
	Before string    `json:"before"` // hash of the secret before the request
	Begun  time.Time `json:"begun"`
}

// keptAnswer is what the journal keeps of a rotation whose answer came. The run
// may end before the CLI writes its state, and nothing at the service would tell
// the next run of it.
type keptAnswer struct {
	At         time.Time     `json:"at"`
	RotatedAt  einvoice.Text `json:"rotatedAt,omitempty"`
	ValidUntil einvoice.Text `json:"validUntil,omitempty"`
	Process    string        `json:"process"`
}

// perform rotates once, or takes over the rotation of an earlier run. With a
// problem nothing may come into state, or the object would be tainted and rotated
// again.
func (r *rotating) perform(ctx context.Context) (*rotated, *problem) {
	entry, err := r.store.Entry(ctx, journalKindRotation, r.client.BaseURL(), r.client.Fingerprint())
	if err != nil {
		return nil, &problem{kind: busy, cause: err}
	}
	defer func() { _ = entry.Close() }()
	pending, ok := pendingRotations(entry.State())
	if !ok {
		return nil, &problem{kind: unreadable, entry: entry.Path(), begun: entry.State().Begun}
	}
	secret, err := r.client.WebhookSecret(ctx)
	if err != nil {
		return nil, &problem{kind: unread, cause: err}
	}
	if done := r.takeOver(ctx); done != nil {
		done.secret = secret
		return r.settled(entry, pending, done) // It may still be pending, where the run ended between the two notes.
	}
	if own, ok := pending[r.creation]; ok {
		if attribute.HashOfText(secret) == own.Before && r.clock.Now().Sub(own.Begun) < rotationPatience {
			if secret, err = r.look(ctx, own.Before); err != nil {
				return nil, &problem{kind: unread, cause: err}
			}
		}
		if attribute.HashOfText(secret) != own.Before {
			done := &rotated{id: uuid.NewString(), secret: secret, at: own.Begun, takenOver: true}
			r.keep(ctx, done)
			return r.settled(entry, pending, done)
		}
	}
	before := attribute.HashOfText(secret)
	for creation, other := range pending {
		if other.Before == before {
			delete(pending, creation) // Nothing has come of that request; after this one it would seem so.
		}
	}
	pending[r.creation] = unanswered{Before: before, Begun: r.clock.Now().UTC()}
	if err := keepPending(entry, pending); err != nil {
		return nil, &problem{kind: unwritable, entry: entry.Path(), cause: err}
	}
	return r.rotate(ctx, entry, pending)
}

// rotate sends the request, which is in the journal by now.
func (r *rotating) rotate(ctx context.Context, entry *journal.Entry, pending map[string]unanswered) (*rotated, *problem) {
	own := pending[r.creation]
	answer, err := r.client.RotateWebhookSecret(ctx, r.windowHours)
	done := &rotated{id: uuid.NewString(), at: own.Begun}
	switch {
	case err == nil:
		done.answer, done.secret = *answer, answer.Secret
		if attribute.HashOfText(done.secret) == own.Before {
			done.secret = "" // An answer that shows the secret from before does not tell the new one.
		}
	case errors.Is(err, einvoice.ErrAmbiguous):
		done.lost = err
	default:
		_, unrecorded := r.settled(entry, pending, nil)
		return nil, &problem{kind: refused, cause: err, unrecorded: unrecorded}
	}
	if done.lost != nil || r.wantSecret && done.secret == "" {
		secret, err := r.look(ctx, own.Before)
		switch {
		case err != nil:
			return nil, &problem{kind: unreadAfter, cause: err, lost: done.lost}
		case attribute.HashOfText(secret) == own.Before:
			return nil, &problem{kind: unchanged, lost: done.lost}
		}
		done.secret = secret
	}
	r.keep(ctx, done) // Before the request counts as answered: a kill in between must not forget both.
	return r.settled(entry, pending, done)
}

// settled takes this creation out of those that wait for an answer.
func (r *rotating) settled(entry *journal.Entry, pending map[string]unanswered, done *rotated) (*rotated, *problem) {
	if _, ok := pending[r.creation]; !ok {
		return done, nil
	}
	delete(pending, r.creation)
	if err := keepPending(entry, pending); err != nil {
		return nil, &problem{kind: unwritable, entry: entry.Path(), cause: err}
	}
	return done, nil
}

// keep records an answered rotation until [rotating.confirm]. What cannot be
// written is not kept: the rotation itself has happened.
func (r *rotating) keep(ctx context.Context, done *rotated) {
	note, err := json.Marshal(keptAnswer{At: done.at, RotatedAt: done.answer.RotatedAt, ValidUntil: done.answer.PreviousSecretValidUntil, Process: r.process})
	if entry := r.openRotated(ctx); entry != nil && err == nil {
		defer func() { _ = entry.Close() }()
		if entry.Begin(string(note)) == nil {
			_ = entry.Settled(done.id)
		}
	}
}

// takeOver finds the rotation of an earlier run that was answered and that no
// state holds.
func (r *rotating) takeOver(ctx context.Context) *rotated {
	entry := r.openRotated(ctx)
	if entry == nil {
		return nil
	}
	defer func() { _ = entry.Close() }()
	kept := entry.State()
	var note keptAnswer
	if kept.ID == "" || kept.Note == "" || json.Unmarshal([]byte(kept.Note), &note) != nil || note.Process == r.process || r.clock.Now().Sub(note.At) > rotatedMemory {
		return nil
	}
	return &rotated{
		id: kept.ID, at: note.At, takenOver: true, answered: true,
		answer: einvoice.Rotation{RotatedAt: note.RotatedAt, PreviousSecretValidUntil: note.ValidUntil},
	}
}

// confirm records that a state holds a rotation: a creation like it is another
// rotation then.
func (r *rotating) confirm(ctx context.Context, id string) {
	if entry := r.openRotated(ctx); entry != nil {
		defer func() { _ = entry.Close() }()
		if entry.State().ID == id {
			_ = entry.Forget()
		}
	}
}

// openRotated returns nil where the entry cannot be had, and where answers are
// not taken over.
func (r *rotating) openRotated(ctx context.Context) *journal.Entry {
	if r.process == "" {
		return nil
	}
	entry, err := r.store.Entry(ctx, journalKindRotated, r.client.BaseURL(), r.client.Fingerprint(), r.creation)
	if err != nil {
		return nil
	}
	return entry
}

// look reads the secret until it is another one than before, a few times at most,
// and returns the last one it saw.
func (r *rotating) look(ctx context.Context, before string) (secret string, err error) {
	err = r.clock.Few(ctx, session.LookPauses, func() (changed bool, err error) {
		secret, err = r.client.WebhookSecret(ctx)
		return attribute.HashOfText(secret) != before, err
	})
	return secret, err
}

// pendingRotations reads the journal's note; ok is false when a request has
// begun and the note does not tell which.
func pendingRotations(state journal.State) (pending map[string]unanswered, ok bool) {
	pending = map[string]unanswered{}
	if state.Begun.IsZero() {
		return pending, true // What a settled entry notes has been answered.
	}
	err := json.Unmarshal([]byte(state.Note), &pending)
	return pending, err == nil && len(pending) > 0
}

// keepPending writes the creations that still wait for an answer.
func keepPending(entry *journal.Entry, pending map[string]unanswered) error {
	if len(pending) == 0 {
		return entry.Forget()
	}
	note, err := json.Marshal(pending)
	if err != nil {
		return err
	}
	return entry.Begin(string(note))
}
