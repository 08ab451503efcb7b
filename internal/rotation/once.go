package rotation

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// answeredMemory is for how long an answered rotation that no state holds is taken over
// instead of repeated.
const answeredMemory = 24 * time.Hour

// rotationNote is what the journal remembers of a rotation.
type rotationNote struct {
	// Before is the hash of the secret before it, "" where the service shows that masked.
	Before string `json:"before,omitempty"`
	// Unanswered: it has happened, and its run is not known to have had the answer.
	Unanswered bool `json:"unanswered,omitempty"`
}

func noteOf(r journal.Record) rotationNote { return journal.NoteOf[rotationNote](r) }

// rotation is one of the account's secret, made once: a second one would end the window in
// which receivers may still verify with the secret from before. The service keeps no list,
// but a secret that is another one than before the request shows that it has happened.
//
// The account has one record: the creation that rotates, the hash of the secret before, "" where the service shows
// that masked, and whether the rotation is recorded. Each creation has a record of its rotation, which is Held
// from when a state was seen that holds it. In place of a company a settled record has the
// hash of the secret afterwards, where it is known: the API key may be replaced.
type rotation struct {
	client *einvoice.Client
	once   *once.Journal

	creation    string // names this creation in the journal
	windowHours *int64
	wantSecret  bool
	stateless   bool // no state will hold the rotation: an answered one is never taken over

	sent *outcome // by this run, while it is not known to have happened
}

// outcome is a rotation that has happened.
type outcome struct {
	id        string            // made here
	answer    einvoice.Rotation // empty where the answer was lost
	secret    string            // the secret in force; "" when it is not wanted and the answer did not tell
	at        time.Time
	takenOver bool  // an earlier run has rotated; nothing was sent now
	answered  bool  // of one that was taken over: the earlier run had its answer
	lost      error // why this run has no answer
}

// accountKey names the record of the account's secret. The accounts of a service share this
// name: the record tells them apart by the API key, and by the secret where that was replaced.
func (r *rotation) accountKey() journal.Key {
	return journal.KeyOf("rotation", r.client.BaseURL()).
		Formerly("rotation", r.client.BaseURL(), r.client.Fingerprint())
}

// creationKey names the record of a creation's rotation.
func (r *rotation) creationKey(creation string) journal.Key {
	return journal.KeyOf("rotated", r.client.BaseURL(), creation).
		Formerly("rotated", r.client.BaseURL(), r.client.Fingerprint(), creation)
}

// idOf is the id of the rotation that takes the secret with that hash away. Whoever finds
// out that it has happened makes the same one.
func idOf(creation, before string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(creation+before)).String()
}

// perform rotates once, or takes over the rotation of an earlier run. With a problem nothing
// may come into state, or the object would be tainted and rotated again.
func (r *rotation) perform(ctx context.Context) (done *outcome, failed *problem) {
	r.sent = nil
	err := r.once.Do(ctx, r.accountKey(), func(ctx context.Context, t *once.Turn) (err error) {
		done, err = r.attempt(ctx, t)
		return err
	})
	switch {
	case err == nil, errors.As(err, &failed):
		return done, failed
	case r.sent != nil:
		return nil, &problem{kind: unreadableAfter, cause: err, lost: r.sent.lost}
	}
	return nil, &problem{kind: unrecorded, cause: err}
}

// attempt rotates unless this creation has rotated. Before that it settles what became of an
// earlier request, whoever has sent it: after the next one nobody could tell.
func (r *rotation) attempt(ctx context.Context, t *once.Turn) (*outcome, error) {
	isSending := t.Known.Phase == journal.Sending
	switch {
	case !isSending || noteOf(t.Known).Before != "":
	case r.sent != nil:
		return nil, &problem{kind: unreadable, entry: t.Where(), begun: t.Known.Stamp, lost: r.sent.lost}
	case t.Known.Result != "" && t.Young():
		return nil, once.ErrLookAgain // Only its own run can still record the answer.
	default:
		return nil, &problem{kind: unreadable, entry: t.Where(), begun: t.Known.Stamp}
	}
	secret, err := r.client.WebhookSecret(ctx)
	switch {
	case errors.Is(err, einvoice.ErrMasked) && !isSending: // Nothing is to be compared with it.
	case err != nil && r.sent != nil:
		return nil, &problem{kind: unreadableAfter, cause: err, lost: r.sent.lost}
	case err != nil:
		return nil, &problem{kind: secretUnreadable, cause: err}
	}
	before := hashOf(secret)
	t.Own(before != "" && t.Foreign.Company == before) // The secret is the account's.
	known := t.Known
	changed := known.Phase == journal.Sending && before != noteOf(known).Before
	switch {
	case known.Phase != journal.Idle && t.Young() && (before == noteOf(known).Before || r.isTwin(known)),
		t.InDoubt() && (before == noteOf(t.Foreign).Before || changed && known.Key != r.once.Key):
		return nil, once.ErrLookAgain // That request may still change it, or the change not show yet.
	case changed && known.Key != r.once.Key:
		return nil, &problem{kind: otherKey, entry: t.Where(), begun: known.Stamp}
	case changed, known.Phase == journal.Settled && !known.Held:
		if err := r.record(ctx, t, before); err != nil {
			return nil, err
		}
	}
	if done, err := r.takeOver(ctx, secret); done != nil || err != nil {
		return done, err
	}
	if r.sent != nil {
		return nil, &problem{kind: unchanged, lost: r.sent.lost}
	}
	return r.rotate(ctx, t, before)
}

// isTwin reports whether this run makes another rotation of the same name, whose answer is
// still to come.
func (r *rotation) isTwin(known journal.Record) bool {
	return known.Phase == journal.Sending && r.sent == nil && known.Result == r.creation && known.Run == r.once.Run
}

// rotate sends the request.
func (r *rotation) rotate(ctx context.Context, t *once.Turn, before string) (*outcome, error) {
	earlier := t.Known
	answer, err := r.client.RotateWebhookSecret(ctx, r.windowHours, t.Sending(rotationNote{Before: before}, r.creation))
	if once.IsUnsent(err) {
		return nil, err
	}
	done := &outcome{id: idOf(r.creation, before), at: t.Known.Stamp}
	switch {
	case err == nil:
		done.answer, done.secret = *answer, answer.Secret
		if hashOf(done.secret) == before {
			done.secret = "" // An answer that shows the secret from before does not tell the new one.
		}
	case !einvoice.IsRefusal(err):
		done.lost = err
	default:
		t.Keep(ctx, earlier) // Where that fails, the next run finds the secret unchanged.
		return nil, &problem{kind: refused, cause: err}
	}
	if done.lost != nil || r.wantSecret && done.secret == "" && before != "" { // Else a read shows no secret either.
		r.sent = done
		return r.attempt(ctx, t)
	}
	claimed := r.claim(ctx, done) // Before the account's record: a kill in between must not forget both.
	settled := t.Known
	settled.Phase, settled.Held, settled.Company = journal.Settled, claimed, hashOf(done.secret)
	t.Keep(ctx, settled)
	return done, nil
}

// record records the rotation that the account's record says has happened. It says so
// first: whoever is faster may have found that nothing came of it, and rotated since.
func (r *rotation) record(ctx context.Context, t *once.Turn, secret string) error {
	known := t.Known
	known.Phase, known.Company = journal.Settled, secret
	if err := keep(ctx, t, known); err != nil {
		return err
	}
	own, err := r.once.Load(ctx, r.creationKey(known.Result))
	if err != nil {
		return err
	}
	if id := idOf(known.Result, noteOf(known).Before); own.Known.Result != id {
		if err := keep(ctx, own, journal.Record{
			Phase: journal.Settled, Stamp: known.Stamp, Result: id, Company: secret, Others: own.Known.Others,
		}.Noted(rotationNote{Unanswered: true})); err != nil {
			return err
		}
	}
	known.Held = true
	return keep(ctx, t, known)
}

// keep records what at least this process has to know.
func keep(ctx context.Context, t *once.Turn, next journal.Record) error {
	t.Keep(ctx, next)
	switch {
	case t.Unkept == nil, errors.Is(t.Unkept, journal.ErrInMemory):
		return nil
	case errors.Is(t.Unkept, journal.ErrChanged):
		return t.Unkept
	}
	return &once.StoreError{Cause: t.Unkept}
}

// takeOver finds the rotation of this creation that has happened and that no state holds:
// the one of this run, or one of an earlier run.
func (r *rotation) takeOver(ctx context.Context, secret string) (*outcome, error) {
	t, err := r.once.Load(ctx, r.creationKey(r.creation))
	if err != nil {
		return nil, err
	}
	now := hashOf(secret)
	isOwn := now != "" && t.Foreign.Company == now
	if other := t.Foreign; noteOf(other).Unanswered && !other.Held && !isOwn {
		return nil, &problem{kind: otherKey, entry: t.Where(), begun: other.Stamp}
	}
	t.Own(isOwn)
	known := t.Known
	ours, lost := r.sent != nil && r.sent.id == known.Result, noteOf(known).Unanswered
	answered := !r.stateless && known.Run != r.once.Run && r.once.Clock.Now().Sub(known.Stamp) <= answeredMemory
	switch {
	case known.Phase == journal.Settled && ours:
		r.sent.secret = secret
		r.claim(ctx, r.sent)
		return r.sent, nil
	case known.Phase != journal.Settled, known.Held, !lost && !answered:
		return nil, nil //nolint:nilnil // None.
	}
	done := &outcome{id: known.Result, secret: secret, at: known.Stamp, takenOver: true, answered: !lost}
	if err := t.Confirm(ctx, r.claimed(t, done)); err != nil {
		return nil, err
	}
	return done, nil
}

// claim records that this run has a rotation, and reports whether the journal knows it by
// now.
func (r *rotation) claim(ctx context.Context, done *outcome) bool {
	ctx = context.WithoutCancel(ctx)
	err := r.once.Do(ctx, r.creationKey(r.creation), func(ctx context.Context, t *once.Turn) error {
		t.Keep(ctx, r.claimed(t, done))
		return t.Unkept
	})
	return err == nil || errors.Is(err, journal.ErrInMemory)
}

// claimed is the record of a rotation that this run has. Until a state was seen that holds
// it, only another run takes it over.
func (r *rotation) claimed(t *once.Turn, done *outcome) journal.Record {
	return journal.Record{
		Phase: journal.Settled, Stamp: done.at, Result: done.id, Held: r.stateless,
		Company: hashOf(done.secret), Others: t.Known.Others,
	}
}

// hashOf is of a secret, "" where that is not known: the service may show it masked.
func hashOf(secret string) string {
	if secret == "" {
		return ""
	}
	return attribute.HashOfText(secret)
}

// confirm records that a state holds a rotation: a creation like it is another one then.
func (r *rotation) confirm(ctx context.Context, id string) {
	_ = r.once.Hold(ctx, r.creationKey(r.creation), id) // Else a later refresh records it.
}
