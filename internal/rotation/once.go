package rotation

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
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
	id      string            // made here
	answer  einvoice.Rotation // empty where the answer was lost
	secret  string            // the secret in force; "" where it is masked, or not wanted and not in the answer
	at      time.Time
	adopted bool // an earlier run has rotated; nothing was sent now
	lost    any  // why this run has no answer
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
	isOwn, isOpen := r.sent.id != "" && r.sent.id == known.Result, known.Phase == journal.Sending
	isDoubt := isOpen && !isOwn || isOwn && r.sent.lost != nil
	isProof := note.Before != "" && secret != ""
	isSame := isProof && note.Before == secret
	switch {
	case isYoung && (isSame || isOpen && !isOwn): // Its run may be alive, or its change would be taken for the next one's.
		return wait
	case isOwn && isSame:
		return endUnchanged
	case isDoubt && !isProof:
		return refuse
	case isOwn:
		return finish
	case isSame, note.Creation != r.creation, !isOpen && (known.Held || known.Run == r.once.Run):
		return send
	}
	return takeOver
}

// perform rotates once, or takes over the rotation of an earlier run. With an error nothing may come into state, or
// the object would be tainted and rotated again.
func (r *rotation) perform(ctx context.Context) (done *outcome, diags diag.Diagnostics) {
	r.sent = outcome{}
	err := r.once.Do(ctx, accountKey(r.client), func(ctx context.Context, t *once.Turn) (err error) {
		done, err = r.turn(ctx, t)
		return err
	})
	failure, isSaid := errors.AsType[say.Failure](err)
	switch {
	case isSaid:
		return nil, diag.Diagnostics(failure)
	case err != nil && r.sent.id != "":
		return nil, diag.Diagnostics(r.unseen(ctx, message.Cause(err)))
	case err != nil:
		return nil, message.Unrecorded(ctx, text.Of("rotation.label", nil), err)
	case done.adopted:
		diags = say.Warning(ctx, "rotation.adopted", text.With{"at": done.at.UTC().Format(time.RFC3339)})
	}
	return done, diags
}

// turn reads the secret, decides and acts.
func (r *rotation) turn(ctx context.Context, t *once.Turn) (*outcome, error) {
	secret, err := r.client.WebhookSecret(ctx)
	switch {
	case err == nil, errors.Is(err, einvoice.ErrMasked):
	case r.sent.id != "":
		return nil, r.unseen(ctx, message.Cause(err))
	default:
		return nil, say.Failure(message.APIError(ctx, message.Task("read", "webhook_secret"), err, nil))
	}
	next := r.decide(t.Known, hashOf(secret), t.Young())
	tflog.Info(ctx, "decided about the rotation of the webhook secret", map[string]any{
		"record": t.Known.Phase, "next": next,
	})
	switch next {
	case wait:
		return nil, once.ErrLookAgain
	case refuse:
		return nil, say.Failure(say.Error(ctx, "rotation.masked", text.With{
			"lost": r.sent.lost, "begun": t.Known.Stamp.UTC().Format(time.RFC3339), "entry": t.Where(),
		}))
	case endUnchanged:
		return nil, say.Failure(say.Error(ctx, "rotation.unchanged", text.With{"lost": r.sent.lost}))
	case finish:
		r.sent.secret = secret
		return r.settle(ctx, t, &r.sent)
	case takeOver:
		return r.settle(ctx, t, &outcome{id: t.Known.Result, secret: secret, at: t.Known.Stamp, adopted: true})
	case send:
		if r.sent.id == "" {
			return r.send(ctx, t, hashOf(secret))
		}
	}
	return nil, r.unseen(ctx, text.Of("rotation.overtaken", nil))
}

// unseen is the error of a run that has sent its request, and could not look at the secret since.
func (r *rotation) unseen(ctx context.Context, cause any) say.Failure {
	return say.Failure(say.Error(ctx, "rotation.unseen", text.With{"lost": r.sent.lost, "cause": cause}))
}

// send sends the request. Without a usable answer the next turn looks at the secret.
func (r *rotation) send(ctx context.Context, t *once.Turn, before string) (*outcome, error) {
	earlier, id := t.Known, uuid.NewString()
	answer, err := r.client.RotateWebhookSecret(ctx, r.windowHours, t.Sending(rotationNote{before, r.creation}, id))
	switch {
	case once.IsUnsent(err):
		return nil, err
	case err != nil && einvoice.IsRefusal(err):
		t.Keep(ctx, earlier) // Where that fails, the next run finds the secret unchanged.
		return nil, say.Failure(message.APIError(ctx, message.Task("rotate", "webhook_secret"), err, nil))
	}
	r.sent = outcome{id: id, at: t.Known.Stamp}
	if err != nil {
		r.sent.lost = message.Cause(err)
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
	if !done.adopted && done.lost == nil || t.Unkept == nil || errors.Is(t.Unkept, journal.ErrInMemory) {
		return done, nil
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
