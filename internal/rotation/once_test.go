package rotation

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// rotatingAt prepares a rotation that never waits.
func rotatingAt(t *testing.T, s *sandbox.Server, dir, creation string) *rotating {
	t.Helper()
	clock := poll.Clock{Now: time.Now, Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	return &rotating{client: fixture.OwnerClient(t, s), store: journal.OpenFiles(dir), clock: clock, creation: creation, wantSecret: true}
}

func mustRotate(t *testing.T, r *rotating) *rotated {
	t.Helper()
	done, failed := r.perform(t.Context())
	if failed != nil {
		t.Fatalf("the rotation failed: %v", failed)
	}
	return done
}

func mustFail(t *testing.T, r *rotating, want problemKind) *problem {
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

func TestRotating_rotatesOnceForEachCreation(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	dir := t.TempDir()
	one := mustRotate(t, rotatingAt(t, s, dir, "a"))
	if warnings := one.warnings(message.Applying); len(warnings) != 0 {
		t.Errorf("got %v", warnings)
	}
	fixture.WantRotations(t, s, 1)
	two := mustRotate(t, rotatingAt(t, s, dir, "a")) // A settled one is no reason not to rotate again.
	fixture.WantRotations(t, s, 2)
	if one.secret == "" || one.secret == two.secret {
		t.Error("the second rotation gave the secret of the first")
	}
}

func TestRotating_takesOverWhatNoStateHolds(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	dir := t.TempDir()
	in := func(process string) *rotating {
		r := rotatingAt(t, s, dir, "a")
		r.process = process
		return r
	}
	first := mustRotate(t, in("first run"))
	mustRotate(t, in("first run")) // Two alike in one configuration are two.
	fixture.WantRotations(t, s, 2)

	last := mustRotate(t, in("second run"))
	fixture.WantRotations(t, s, 2)
	if !last.takenOver || !last.answered || last.id == "" || last.id == first.id || last.secret != s.WebhookSecret() || last.answer.RotatedAt == "" {
		t.Errorf("the rotation that was taken over is %+v", last)
	}
	other := in("second run")
	other.creation = "b" // Other triggers are another rotation.
	mustRotate(t, other)
	fixture.WantRotations(t, s, 3)

	in("second run").confirm(t.Context(), "another id")
	if again := mustRotate(t, in("third run")); again.id != last.id {
		t.Error("a state with another rotation confirmed this one")
	}
	old := in("third run")
	old.clock.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	if old.takeOver(t.Context()) != nil {
		t.Error("a rotation of yesterday was taken over")
	}
	in("third run").confirm(t.Context(), last.id)
	mustRotate(t, in("third run"))
	fixture.WantRotations(t, s, 4)
}

func TestRotating_readsTheSecretThatTheAnswerDoesNotTell(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{EmptyRotateAnswer: true})
	r := rotatingAt(t, s, t.TempDir(), "a")
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

func TestRotating_settlesALostAnswerByTheSecret(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	fixture.DropRotation(s, sandbox.FaultDropAfter)
	if done := mustRotate(t, rotatingAt(t, s, t.TempDir(), "a")); done.secret == "" || !errors.Is(done.lost, einvoice.ErrAmbiguous) {
		t.Errorf("got %+v, want the secret, and why the answer is missing", done)
	}
	fixture.WantRotations(t, s, 1)
}

func TestRotating_doesNotRepeatWhatDidNotHappen(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	dir := t.TempDir()
	fixture.DropRotation(s, sandbox.FaultDropBefore)
	if problem := mustFail(t, rotatingAt(t, s, dir, "a"), unchanged); !errors.Is(problem.lost, einvoice.ErrAmbiguous) {
		t.Errorf("got %+v, want why the answer is missing", problem)
	}
	fixture.WantRotations(t, s, 1)
	mustRotate(t, rotatingAt(t, s, dir, "a"))
	fixture.WantRotations(t, s, 2)
}

func TestRotating_adoptsWhatAnEarlierRunHadDone(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	dir := t.TempDir()
	fixture.DropRotation(s, sandbox.FaultDropAfter)
	unreadableAfterwards(s)
	mustFail(t, rotatingAt(t, s, dir, "a"), unreadAfter)

	if done := mustRotate(t, rotatingAt(t, s, dir, "a")); !done.takenOver || done.answered || done.secret == "" {
		t.Errorf("got %+v, want the secret of the earlier run", done)
	}
	fixture.WantRotations(t, s, 1)
	mustRotate(t, rotatingAt(t, s, dir, "a")) // Adopted once, not for ever.
	fixture.WantRotations(t, s, 2)
}

func TestRotating_keepsARotationWhoseSecretCouldNotBeRead(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{EmptyRotateAnswer: true})
	dir := t.TempDir()
	unreadableAfterwards(s)
	if problem := mustFail(t, rotatingAt(t, s, dir, "a"), unreadAfter); problem.lost != nil {
		t.Errorf("got %+v, want it answered", problem)
	}
	mustRotate(t, rotatingAt(t, s, dir, "a"))
	fixture.WantRotations(t, s, 1)
}

func TestRotating_tellsTheRotationsOfOthersFromItsOwn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault sandbox.FaultKind
		want  int // requests after the last run
	}{
		{"a request that did not happen is sent again after another's rotation", sandbox.FaultDropBefore, 3},
		{"a request that did happen is adopted after another's rotation", sandbox.FaultDropAfter, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			dir := t.TempDir()
			fixture.DropRotation(s, test.fault)
			unreadableAfterwards(s)
			mustFail(t, rotatingAt(t, s, dir, "a"), unreadAfter)
			mustRotate(t, rotatingAt(t, s, dir, "b"))
			mustRotate(t, rotatingAt(t, s, dir, "a"))
			fixture.WantRotations(t, s, test.want)
		})
	}
}

func TestRotating_forgetsWhatTheServiceRefused(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	dir := t.TempDir()
	s.Inject(sandbox.Fault{Method: "POST", Path: fixture.RotatePath, Kind: sandbox.FaultStatus, Status: 403, Message: "plan"})
	if problem := mustFail(t, rotatingAt(t, s, dir, "a"), refused); !errors.Is(problem.cause, einvoice.ErrForbidden) || problem.unrecorded != nil {
		t.Errorf("got %+v", problem)
	}
	s.RotateWebhookSecret(0) // By somebody else: nothing to adopt.
	mustRotate(t, rotatingAt(t, s, dir, "a"))
	fixture.WantRotations(t, s, 2)
}

func TestRotating_refusesAJournalThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	r := rotatingAt(t, s, t.TempDir(), "a")
	entry, err := r.store.Entry(t.Context(), journalKindRotation, r.client.BaseURL(), r.client.Fingerprint())
	if err != nil {
		t.Fatal(err)
	}
	if err := entry.Begin("not a note of ours"); err != nil {
		t.Fatal(err)
	}
	begun := entry.State().Begun
	if err := entry.Close(); err != nil {
		t.Fatal(err)
	}
	if problem := mustFail(t, r, unreadable); problem.entry != entry.Path() || !problem.begun.Equal(begun) {
		t.Errorf("got %+v, want the entry and the time %s", problem, begun)
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were sent, want none", n)
	}
}
