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
	client := fixture.OwnerClient(t, s)
	journal.Key = client.Fingerprint()
	return &rotation{client: client, once: journal, creation: creation, wantSecret: true}
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
	if !last.takenOver || !last.answered || last.id == "" || last.id == first.id || last.secret != s.WebhookSecret() {
		t.Errorf("the rotation that was taken over is %+v", last)
	}
	mustRotate(t, in("second run")) // It is taken over once.
	fixture.WantRotations(t, s, 3)
	other := in("second run")
	other.creation = "b" // Other triggers are another rotation.
	mustRotate(t, other)
	fixture.WantRotations(t, s, 4)

	in("second run").confirm(t.Context(), "another id")
	again := mustRotate(t, in("third run"))
	fixture.WantRotations(t, s, 4)
	old := in("fourth run")
	old.once.Clock.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	if done, err := old.takeOver(t.Context(), ""); done != nil || err != nil {
		t.Error("a rotation of yesterday was taken over", err)
	}
	in("third run").confirm(t.Context(), again.id)
	mustRotate(t, in("fourth run"))
	fixture.WantRotations(t, s, 5)
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
	mustRotate(t, rotationAt(t, s, dir, "b"))
	fixture.WantRotations(t, s, 4)
	mustRotate(t, in("fourth run"))
	fixture.WantRotations(t, s, 4)
	mustRotate(t, in("fifth run"))
	fixture.WantRotations(t, s, 5)
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

func TestRotation_adoptsWhatAnEarlierRunHadDone(t *testing.T) {
	t.Parallel()
	for name, isLost := range map[string]bool{"its answer was lost": true, "its answer did not tell the secret": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{EmptyRotateAnswer: !isLost})
			dir := t.TempDir()
			if isLost {
				fixture.DropRotation(s, sandbox.FaultDropAfter)
			}
			unreadableAfterwards(s)
			if problem := mustFail(t, rotationAt(t, s, dir, "a"), unreadableAfter); (problem.lost != nil) != isLost {
				t.Errorf("got %+v", problem)
			}
			if done := mustRotate(t, rotationAt(t, s, dir, "a")); !done.takenOver || done.answered || done.secret == "" {
				t.Errorf("got %+v, want the secret of the earlier run", done)
			}
			fixture.WantRotations(t, s, 1)
			mustRotate(t, rotationAt(t, s, dir, "a")) // Adopted once, not for ever.
			fixture.WantRotations(t, s, 2)
		})
	}
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
	where := r.once.Store.Where(r.accountKey())
	if err := errors.Join(os.MkdirAll(filepath.Dir(where), 0o700), os.WriteFile(where, []byte("no record of ours"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if problem := mustFail(t, r, unreadable); problem.entry != where || time.Since(problem.begun) > time.Minute {
		t.Errorf("got %+v, want the entry and the time", problem)
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were sent, want none", n)
	}
}
