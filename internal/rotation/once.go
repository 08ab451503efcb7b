package rotation

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

const (
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
// answered, one entry for the account and in it one line for each creation that
// waits for its answer. It is one entry, not one for each creation: whoever
// rotates changes the secret for all of them, and must first tell who of them
// had changed it already.
type rotating struct {
	client *einvoice.Client
	store  journal.Store
	waits  []time.Duration // before each look at the secret while an answer is missing
	now    func() time.Time

	creation    string
	windowHours *int64
	wantSecret  bool
	process     string // whose answers are not taken over; "" takes over none
}

// rotated is a rotation that has happened.
type rotated struct {
	id     string            // made here
	answer einvoice.Rotation // empty where the answer was lost
	secret string            // the secret in force; "" when it is not wanted and the answer did not tell
	at     time.Time
}

// unanswered is what the journal knows of a creation whose request has begun.
type unanswered struct {
	Before string    `json:"before"` // hash of the secret before the request
	Begun  time.Time `json:"begun"`
}

// answered is what the journal keeps of a rotation whose answer came. The run
// may end before the CLI writes its state, and nothing at the service would tell
// the next run of it.
type answered struct {
	At         time.Time     `json:"at"`
	RotatedAt  einvoice.Text `json:"rotatedAt,omitempty"`
	ValidUntil einvoice.Text `json:"validUntil,omitempty"`
	Process    string        `json:"process"`
}

// perform rotates once, or adopts the rotation of an earlier run whose answer
// was lost. Without a result nothing may come into state, or the object would be
// tainted and rotated again.
func (r *rotating) perform(ctx context.Context) (*rotated, diag.Diagnostics) {
	entry, err := r.store.Entry(ctx, journalKindRotation, r.client.BaseURL(), r.client.Fingerprint())
	if err != nil {
		return nil, rotationNotBegun(err)
	}
	defer func() { _ = entry.Close() }()
	pending, ok := pendingRotations(entry.State())
	if !ok {
		return nil, unreadableRotations(entry)
	}
	secret, err := r.client.WebhookSecret(ctx)
	if err != nil {
		return nil, message.ApiError(ctx, "read webhook secret", err, nil)
	}
	if done := r.takeOver(ctx); done != nil {
		done.secret = secret
		var diags diag.Diagnostics
		if _, ok := pending[r.creation]; ok { // The run ended between the two notes.
			delete(pending, r.creation)
			diags = keepPending(entry, pending)
		}
		return done, append(diags, rotationTakenOver(done))
	}
	before := attribute.HashOfText(secret)
	if own, ok := pending[r.creation]; ok {
		if before == own.Before && r.now().Sub(own.Begun) < rotationPatience {
			if secret, err = r.look(ctx, own.Before); err != nil {
				return nil, message.ApiError(ctx, "read webhook secret", err, nil)
			}
			before = attribute.HashOfText(secret)
		}
		if before != own.Before {
			delete(pending, r.creation)
			diags := keepPending(entry, pending)
			diags.Append(rotationAdopted(own.Begun))
			done := &rotated{id: uuid.NewString(), secret: secret, at: own.Begun}
			r.keep(ctx, done)
			return done, diags
		}
	}
	for creation, other := range pending {
		if other.Before == before {
			delete(pending, creation) // Nothing has come of that request; after this one it would seem so.
		}
	}
	pending[r.creation] = unanswered{Before: before, Begun: r.now().UTC()}
	if diags := keepPending(entry, pending); diags.HasError() {
		return nil, diags
	}
	return r.rotate(ctx, entry, pending)
}

// rotate sends the request, which is in the journal by now.
func (r *rotating) rotate(ctx context.Context, entry *journal.Entry, pending map[string]unanswered) (*rotated, diag.Diagnostics) {
	own := pending[r.creation]
	answer, err := r.client.RotateWebhookSecret(ctx, r.windowHours)
	if err != nil && !errors.Is(err, einvoice.ErrAmbiguous) {
		delete(pending, r.creation)
		diags := keepPending(entry, pending)
		diags.Append(message.ApiError(ctx, "rotate webhook secret", err, nil)...)
		return nil, diags
	}
	done := &rotated{id: uuid.NewString(), at: own.Begun}
	if err == nil {
		done.answer, done.secret = *answer, answer.Secret
		if attribute.HashOfText(done.secret) == own.Before {
			done.secret = "" // An answer that shows the secret from before does not tell the new one.
		}
	}
	if err != nil || r.wantSecret && done.secret == "" {
		secret, lookErr := r.look(ctx, own.Before)
		switch {
		case lookErr != nil:
			return nil, rotationUnread(err, lookErr)
		case attribute.HashOfText(secret) == own.Before:
			return nil, rotationUnseen(err)
		}
		done.secret = secret
	}
	r.keep(ctx, done) // Before the request counts as answered: a kill in between must not forget both.
	delete(pending, r.creation)
	diags := keepPending(entry, pending)
	if err != nil {
		diags.Append(rotationAnswerLost(err))
	}
	return done, diags
}

// keep takes down an answered rotation until [rotating.confirm]. What cannot be
// written is not kept: the rotation itself has happened.
func (r *rotating) keep(ctx context.Context, done *rotated) {
	if r.process == "" {
		return
	}
	note, err := json.Marshal(answered{At: done.at, RotatedAt: done.answer.RotatedAt, ValidUntil: done.answer.PreviousSecretValidUntil, Process: r.process})
	if err != nil {
		return
	}
	if entry := r.openRotated(ctx); entry != nil {
		defer func() { _ = entry.Close() }()
		if entry.Begin(string(note)) == nil {
			_ = entry.Settled(done.id)
		}
	}
}

// takeOver finds the rotation of an earlier run that was answered and that no
// state holds.
func (r *rotating) takeOver(ctx context.Context) *rotated {
	if r.process == "" {
		return nil
	}
	entry := r.openRotated(ctx)
	if entry == nil {
		return nil
	}
	defer func() { _ = entry.Close() }()
	kept := entry.State()
	var note answered
	if kept.ID == "" || kept.Note == "" || json.Unmarshal([]byte(kept.Note), &note) != nil {
		return nil
	}
	if note.Process == r.process || r.now().Sub(note.At) > rotatedMemory {
		return nil
	}
	return &rotated{id: kept.ID, at: note.At, answer: einvoice.Rotation{RotatedAt: note.RotatedAt, PreviousSecretValidUntil: note.ValidUntil}}
}

// confirm takes down that a state holds a rotation: a creation like it is
// another rotation then.
func (r *rotating) confirm(ctx context.Context, id string) {
	if entry := r.openRotated(ctx); entry != nil {
		defer func() { _ = entry.Close() }()
		if entry.State().ID == id {
			_ = entry.Forget()
		}
	}
}

// openRotated returns nil where the entry cannot be had.
func (r *rotating) openRotated(ctx context.Context) *journal.Entry {
	entry, err := r.store.Entry(ctx, journalKindRotated, r.client.BaseURL(), r.client.Fingerprint(), r.creation)
	if err != nil {
		return nil
	}
	return entry
}

// look reads the secret until it is another one than before, as often as there
// are waits, and returns the last one it saw.
func (r *rotating) look(ctx context.Context, before string) (secret string, err error) {
	for _, wait := range r.waits {
		if err := session.Pause(ctx, wait); err != nil {
			return "", err
		}
		if secret, err = r.client.WebhookSecret(ctx); err != nil {
			return "", err
		}
		if attribute.HashOfText(secret) != before {
			break
		}
	}
	return secret, nil
}

// pendingRotations reads the journal's note; ok is false when a request has
// begun and the note does not tell which.
func pendingRotations(state journal.State) (pending map[string]unanswered, ok bool) {
	pending = map[string]unanswered{}
	if state.Begun.IsZero() {
		return pending, true // What a settled entry notes has been answered.
	}
	if err := json.Unmarshal([]byte(state.Note), &pending); err != nil || len(pending) == 0 {
		return nil, false
	}
	return pending, true
}

// keepPending writes the creations that still wait for an answer. An error means
// that they are not kept.
func keepPending(entry *journal.Entry, pending map[string]unanswered) diag.Diagnostics {
	if len(pending) == 0 {
		if err := entry.Forget(); err != nil {
			return unwritableRotations(entry, err)
		}
		return nil
	}
	note, err := json.Marshal(pending)
	if err != nil {
		return diag.Diagnostics{message.ProviderBug("a note for the journal cannot be written: %s", err)}
	}
	if err := entry.Begin(string(note)); err != nil {
		return unwritableRotations(entry, err)
	}
	return nil
}
