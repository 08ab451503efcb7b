package rotation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
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
	done, said := r.perform(t.Context())
	if done == nil {
		t.Fatalf("the rotation failed: %v", said)
	}
	return done
}

// mustFail wants an error whose texts say why.
func mustFail(t *testing.T, r *rotation, want ...string) {
	t.Helper()
	done, said := r.perform(t.Context())
	if done != nil || !said.HasError() {
		t.Fatalf("got %+v and %v, want %q", done, said, want)
	}
	fixture.WantTexts(t, said, want...)
}

const (
	masked = "Cannot tell whether a rotation has happened"
	unseen = "Cannot read the rotated webhook secret"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	const own, old = "sent by this run", false
	lost, answered := outcome{id: own, lost: "lost"}, outcome{id: own}
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

func TestRotation_takesOverWhatNoStateHolds(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	dir := t.TempDir()
	in := func(run string) *rotation {
		r := rotationAt(t, s, dir, "a")
		r.once.Run = run
		return r
	}
	first := mustRotate(t, in("first run"))
	mustRotate(t, in("first run")) // Two alike in one configuration are two.
	fixture.WantRotations(t, s, 2)

	last := mustRotate(t, in("second run"))
	fixture.WantRotations(t, s, 2)
	if !last.adopted || last.id == "" || last.id == first.id || last.secret != s.WebhookSecret() {
		t.Errorf("the rotation that was taken over is %+v", last)
	}
	mustRotate(t, in("second run")) // It is taken over once.
	fixture.WantRotations(t, s, 3)
	other := in("second run")
	other.creation = "b" // Other triggers are another rotation.
	mustRotate(t, other)
	fixture.WantRotations(t, s, 4)

	mustRotate(t, in("second run")) // Of two, the account remembers the last one.
	fixture.WantRotations(t, s, 5)

	in("second run").confirm(t.Context(), "another id")
	again := mustRotate(t, in("third run"))
	fixture.WantRotations(t, s, 5)
	in("third run").confirm(t.Context(), again.id)
	mustRotate(t, in("fourth run"))
	fixture.WantRotations(t, s, 6)
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
	mustFail(t, in("third run"), unseen)
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
	if err != nil {
		t.Fatal(err)
	}
	done := mustRotate(t, r)
	if done.secret == "" || done.secret == before {
		t.Error("the secret in force was not read")
	}
	r.wantSecret = false
	s.ResetRequests()
	if done := mustRotate(t, r); done.secret != "" {
		t.Error("the secret was read although nobody wants it")
	}
	if n := s.Count("GET", "/v1/webhooks/secret"); n != 1 {
		t.Errorf("the secret was read %d times, want once before the rotation", n)
	}
}

func TestRotation_forgetsWhatTheServiceRefused(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	dir := t.TempDir()
	s.Inject(sandbox.Fault{Method: "POST", Path: fixture.RotatePath, Kind: sandbox.FaultStatus, Status: 403, Message: "plan"})
	mustFail(t, rotationAt(t, s, dir, "a"), "Cannot rotate webhook secret", "HTTP 403")
	s.RotateWebhookSecret(0) // By somebody else: nothing to adopt.
	mustRotate(t, rotationAt(t, s, dir, "a"))
	fixture.WantRotations(t, s, 2)
}

func TestRotation_refusesAJournalThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	r := rotationAt(t, s, t.TempDir(), "a")
	where := r.once.Store.Where(accountKey(r.client))
	if err := errors.Join(os.MkdirAll(filepath.Dir(where), 0o700), os.WriteFile(where, []byte("no record of ours"), 0o600)); err != nil {
		t.Fatal(err)
	}
	mustFail(t, r, masked, where, "began at "+time.Now().UTC().Format("2006-01-02T"))
	fixture.WantRotations(t, s, 0)
}
