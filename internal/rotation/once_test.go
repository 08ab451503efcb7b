package rotation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// rotationAt prepares a rotation that never waits.
func rotationAt(t *testing.T, s *sandbox.Server, dir, creation string) *rotation {
	t.Helper()
	var waited time.Duration
	clock := poll.Clock{
		Now:   func() time.Time { return time.Now().Add(waited) },
		Pause: func(ctx context.Context, d time.Duration) error { waited += d; return ctx.Err() },
	}
	journal := &once.Journal{Store: journal.OpenFiles(dir), Clock: clock, Patience: 20 * time.Second, Run: "first run"}
	return &rotation{client: fixture.OwnerClient(t, s), once: journal, creation: creation, wantSecret: true}
}

func mustRotate(t *testing.T, r *rotation) *outcome {
	t.Helper()
	done, failed := r.perform(t.Context())
	if failed != nil {
		t.Fatalf("the rotation failed: %v", failed)
	}
	return done
}

func mustFail(t *testing.T, r *rotation, want problemKind) *problem {
	t.Helper()
	done, failed := r.perform(t.Context())
	if failed == nil || failed.kind != want {
		t.Fatalf("got %+v and the problem %v, want %q", done, failed, want)
	}
	return failed
}

func TestDecide(t *testing.T) {
	t.Parallel()
	const own, old = "sent by this run", false
	lost, answered := outcome{id: own, lost: errors.New("lost")}, outcome{id: own}
	in := func(phase journal.Phase, creation, before, result string) journal.Record {
		r := journal.Record{Phase: phase, Result: result, Run: "earlier run"}
		return r.Noted(rotationNote{Before: before, Creation: creation})
	}
	held, twin := in(journal.Settled, "a", "s0", "r"), in(journal.Settled, "a", "s0", "r")
	held.Held, twin.Run = true, "this run"
	for _, test := range []struct {
		name   string
		known  journal.Record
		sent   outcome
		secret string
		young  bool
		want   step
	}{
		{"nothing is known", journal.Record{}, outcome{}, "s0", old, send},
		{"nothing is known, masked", journal.Record{}, outcome{}, "", old, send},
		{"another run sends", in(journal.Sending, "a", "s0", "r"), outcome{}, "s1", true, wait},
		{"another run sends, masked", in(journal.Sending, "a", "", "r"), outcome{}, "", true, wait},
		{"another run has rotated", in(journal.Sending, "a", "s0", "r"), outcome{}, "s1", old, takeOver},
		{"another run has not rotated", in(journal.Sending, "a", "s0", "r"), outcome{}, "s0", old, send},
		{"another run has rotated for other triggers", in(journal.Sending, "b", "s0", "r"), outcome{}, "s1", old, send},
		{"a mask before", in(journal.Sending, "a", "", "r"), outcome{}, "s1", old, refuse},
		{"a mask now", in(journal.Sending, "a", "s0", "r"), outcome{}, "", old, refuse},
		{"a mask now, other triggers", in(journal.Sending, "b", "s0", "r"), outcome{}, "", old, refuse},
		{"answered", in(journal.Settled, "a", "s0", "r"), outcome{}, "s1", true, takeOver},
		{"answered, masked", in(journal.Settled, "a", "", "r"), outcome{}, "", old, takeOver},
		{"answered, and not shown yet", held, outcome{}, "s0", true, wait},
		{"answered, and nothing changed", in(journal.Settled, "a", "s0", "r"), outcome{}, "s0", old, send},
		{"answered, and in a state", held, outcome{}, "s1", true, send},
		{"answered in this run", twin, outcome{}, "s1", true, send},
		{"answered for other triggers", in(journal.Settled, "b", "s0", "r"), outcome{}, "s1", true, send},
		{"lost, and not shown yet", in(journal.Sending, "a", "s0", own), lost, "s0", true, wait},
		{"lost, and nothing changed", in(journal.Sending, "a", "s0", own), lost, "s0", old, endUnchanged},
		{"lost, and changed", in(journal.Sending, "a", "s0", own), lost, "s1", true, finish},
		{"lost, masked", in(journal.Sending, "a", "", own), lost, "", true, refuse},
		{"answered without the secret, masked since", in(journal.Sending, "a", "s0", own), answered, "", true, finish},
	} {
		r := &rotation{once: &once.Journal{Run: "this run"}, creation: "a", sent: test.sent}
		if got := r.decide(test.known, test.secret, test.young); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// unreadableAfterwards lets the secret be read before the rotation, and not after it.
func unreadableAfterwards(s *sandbox.Server) {
	s.Inject(sandbox.Fault{Method: "GET", Path: "/v1/webhooks/secret", Kind: sandbox.FaultStatus, Status: 403, Skip: 1})
}

func TestRotation_ofAnActionIsTakenOverOnlyAfterALostAnswer(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	dir := t.TempDir()
	in := func(run string) *rotation {
		r := rotationAt(t, s, dir, "a")
		r.once.Run, r.stateless = run, true
		return r
	}
	mustRotate(t, in("first run"))
	mustRotate(t, in("second run"))
	fixture.WantRotations(t, s, 2)
	fixture.DropRotation(s, sandbox.FaultDropAfter)
	unreadableAfterwards(s)
	mustFail(t, in("third run"), unreadableAfter)
	mustRotate(t, in("fourth run"))
	fixture.WantRotations(t, s, 3)
	mustRotate(t, in("fifth run"))
	fixture.WantRotations(t, s, 4)
}

func TestRotation_readsTheSecretThatTheAnswerDoesNotTell(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{EmptyRotateAnswer: true})
	r := rotationAt(t, s, t.TempDir(), "a")
	before, err := r.client.WebhookSecret(t.Context())
	expect.NoError(t, err)
	done := mustRotate(t, r)
	if done.secret == "" || done.secret == before {
		t.Error("the secret in force was not read")
	}
	r.wantSecret = false
	s.ResetRequests()
	if done := mustRotate(t, r); done.secret != "" {
		t.Error("the secret was read although nobody wants it")
	}
	fixture.WantRequests(t, s, "GET", "/v1/webhooks/secret", 1)
}

func TestRotation_forgetsWhatTheServiceRefused(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	dir := t.TempDir()
	s.Inject(sandbox.Fault{Method: "POST", Path: fixture.RotatePath, Kind: sandbox.FaultStatus, Status: 403, Message: "plan"})
	if problem := mustFail(t, rotationAt(t, s, dir, "a"), refused); !errors.Is(problem.cause, einvoice.ErrForbidden) {
		t.Errorf("got %+v", problem)
	}
	s.RotateWebhookSecret(0) // By somebody else: nothing to adopt.
	mustRotate(t, rotationAt(t, s, dir, "a"))
	fixture.WantRotations(t, s, 2)
}

func TestRotation_refusesAJournalThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	r := rotationAt(t, s, t.TempDir(), "a")
	where := r.once.Store.Where(accountKey(r.client))
	expect.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(where), 0o700), os.WriteFile(where, []byte("no record of ours"), 0o600)))
	if problem := mustFail(t, r, unreadable); problem.entry != where || time.Since(problem.begun) > time.Minute {
		t.Errorf("got %+v, want the entry and the time", problem)
	}
	fixture.WantRotations(t, s, 0)
}
