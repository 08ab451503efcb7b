package rotation

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// rotation is one of the account's secret. It is sent once: a second one ends the window in which receivers may still
// verify with the secret from before. The service keeps no list of rotations. Only another secret than before the
// request shows that a rotation has happened.
type rotation struct {
	client *einvoice.Client
	once   *once.Journal

	creation    string // names the triggers and the window of the block, or the action
	windowHours *int64
	wantSecret  bool
	stateless   bool // no state will hold the rotation: an answered one is never taken over

	sent outcome // by this run; without an id it has sent nothing
}

// outcome is a rotation that has happened, or one that this run has sent.
type outcome struct {
	id        string            // made here
	answer    einvoice.Rotation // empty where the answer was lost
	secret    string            // the secret in force; "" where it is masked, or not wanted and not in the answer
	at        time.Time
	takenOver bool  // an earlier run has rotated; nothing was sent now
	answered  bool  // of one that was taken over: the earlier run had its answer
	lost      error // why this run has no answer
}

// rotationNote is what the record of an account remembers of its last rotation, beside the id in Result. Held says that
// a state has it. A settled rotation that no state has is taken over by a later run of the same creation.
type rotationNote struct {
	Before   string `json:"before,omitempty"` // the hash of the secret before it; "" where the service showed a mask
	Creation string `json:"creation,omitempty"`
}

// accountKey names the record of an account. The key of the API tells the account.
func accountKey(client *einvoice.Client) journal.Key {
	return journal.KeyOf("rotation", client.BaseURL(), client.Fingerprint())
}

// step is what a run does next.
type step string

const (
	wait         step = "look again"
	refuse       step = "a mask proves nothing"
	send         step = "rotate"
	takeOver     step = "an earlier run has rotated"
	finish       step = "this run has rotated"
	endUnchanged step = "the rotation of this run changed nothing"
)

// decide says what a run does about the record of its account. It sends nothing. secret is the hash of the one in
// force, or "" where the service shows a mask. A young record is of what may still take effect or not show yet.
func (r *rotation) decide(known journal.Record, secret string, isYoung bool) step {
	note := journal.NoteOf[rotationNote](known)
	isOpen := known.Phase == journal.Sending
	isProof := note.Before != "" && secret != ""
	isSame := isProof && note.Before == secret
	if r.sent.id != "" && r.sent.id == known.Result {
		return r.decideSent(isProof, isSame, isYoung)
	}
	switch {
	case isYoung && (isOpen || isSame): // Its run may be alive, or its change would be taken for that of the next one.
		return wait
	case isOpen && !isProof:
		return refuse
	case isSame, note.Creation != r.creation, !isOpen && (known.Held || known.Run == r.once.Run):
		return send
	}
	return takeOver
}

// decideSent decides for a run that has sent what the record speaks of.
func (r *rotation) decideSent(isProof, isSame, isYoung bool) step {
	switch {
	case isSame && isYoung:
		return wait
	case isSame:
		return endUnchanged
	case !isProof && r.sent.lost != nil:
		return refuse
	}
	return finish
}

// perform rotates once, or takes over the rotation of an earlier run. With a problem nothing may come into state, or
// the object would be tainted and rotated again.
func (r *rotation) perform(ctx context.Context) (*outcome, *problem) {
	r.sent = outcome{}
	var done *outcome
	err := r.once.Do(ctx, accountKey(r.client), func(ctx context.Context, t *once.Turn) (err error) {
		done, err = r.turn(ctx, t)
		return err
	})
	failed, isProblem := errors.AsType[*problem](err)
	if err == nil || isProblem {
		return done, failed
	}
	return nil, r.failed(unrecorded, err)
}

// failed is the problem of a run. Once it has sent its request, all that is missing is a look at the secret.
func (r *rotation) failed(kind problemKind, cause error) *problem {
	if r.sent.id != "" {
		kind = unreadableAfter
	}
	return &problem{kind: kind, cause: cause, lost: r.sent.lost}
}

// turn reads the secret, decides and acts.
func (r *rotation) turn(ctx context.Context, t *once.Turn) (*outcome, error) {
	secret, err := r.client.WebhookSecret(ctx)
	if err != nil && !errors.Is(err, einvoice.ErrMasked) {
		return nil, r.failed(secretUnreadable, err)
	}
	next := r.decide(t.Known, hashOf(secret), t.Young())
	tflog.Info(ctx, "decided about the rotation of the webhook secret", map[string]any{
		"record": t.Known.Phase, "next": next,
	})
	switch next {
	case wait:
		return nil, once.ErrLookAgain
	case refuse:
		return nil, &problem{kind: unreadable, entry: t.Where(), begun: t.Known.Stamp, lost: r.sent.lost}
	case endUnchanged:
		return nil, &problem{kind: unchanged, lost: r.sent.lost}
	case finish:
		r.sent.secret = secret
		return r.settle(ctx, t, &r.sent)
	case takeOver:
		return r.settle(ctx, t, &outcome{
			id: t.Known.Result, secret: secret, at: t.Known.Stamp,
			takenOver: true, answered: t.Known.Phase == journal.Settled,
		})
	case send:
		if r.sent.id == "" {
			return r.send(ctx, t, hashOf(secret))
		}
	}
	return nil, r.failed(unreadableAfter, errors.New("another run has rotated since"))
}

// send sends the request. Without a usable answer the next turn looks at the secret.
func (r *rotation) send(ctx context.Context, t *once.Turn, before string) (*outcome, error) {
	earlier, id := t.Known, uuid.NewString()
	guard := t.Sending(rotationNote{Before: before, Creation: r.creation}, id)
	answer, err := r.client.RotateWebhookSecret(ctx, r.windowHours, guard)
	switch {
	case once.IsUnsent(err):
		return nil, err
	case err != nil && einvoice.IsRefusal(err):
		t.Keep(ctx, earlier) // Where that fails, the next run finds the secret unchanged.
		return nil, &problem{kind: refused, cause: err}
	}
	r.sent = outcome{id: id, at: t.Known.Stamp, lost: err}
	if err != nil {
		return nil, once.ErrLookAgain
	}
	r.sent.answer = *answer
	if hashOf(answer.Secret) != before { // An answer with the secret from before does not tell the new one.
		r.sent.secret = answer.Secret
	}
	if r.wantSecret && r.sent.secret == "" && before != "" { // Else a read shows no secret either.
		return nil, once.ErrLookAgain
	}
	return r.settle(ctx, t, &r.sent)
}

// settle records that the rotation has happened, and that this run has it. Without an answer to this run the record
// must not have changed: another run may have found that nothing came of the request, and rotated since.
func (r *rotation) settle(ctx context.Context, t *once.Turn, done *outcome) (*outcome, error) {
	next := t.Known
	next.Phase, next.Held = journal.Settled, r.stateless
	t.Keep(ctx, next)
	isAnswered := !done.takenOver && done.lost == nil
	switch {
	case isAnswered, t.Unkept == nil, errors.Is(t.Unkept, journal.ErrInMemory):
		return done, nil
	case errors.Is(t.Unkept, journal.ErrChanged):
		return nil, t.Unkept
	}
	return nil, &once.StoreError{Cause: t.Unkept}
}

// confirm records that a state holds a rotation: a creation like it is another rotation then.
func (r *rotation) confirm(ctx context.Context, id string) {
	t, err := r.once.Load(ctx, accountKey(r.client))
	if err == nil && t.Known.Result == id && !t.Known.Held { // Else a later refresh records it.
		next := t.Known
		next.Phase, next.Held = journal.Settled, true
		t.Keep(ctx, next)
	}
}

// hashOf is of a secret, "" where that is not known.
func hashOf(secret string) string {
	if secret == "" {
		return ""
	}
	return attribute.HashOfText(secret)
}
