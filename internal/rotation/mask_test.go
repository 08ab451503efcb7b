package rotation

import (
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// A mask looks the same before and after a rotation.
func TestRotation_takesNoMaskForTheSecret(t *testing.T) {
	t.Parallel()
	for _, mask := range []string{"whsec_R0****", "********", "[hidden]"} {
		t.Run(mask, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			s.Inject(sandbox.Fault{Method: "GET", Path: "/v1/webhooks/secret", Kind: sandbox.FaultBody, Body: `{"secret":"` + mask + `"}`, Times: -1})
			dir := t.TempDir()
			if done := mustRotate(t, rotationAt(t, s, dir, "a")); done.secret != s.WebhookSecret() {
				t.Errorf("the secret is %q, want the one that the answer shows", done.secret)
			}
			masked := func() {
				s.Inject(sandbox.Fault{Method: "POST", Path: fixture.RotatePath, Kind: sandbox.FaultBody, Body: `{"secret":"` + mask + `"}`})
			}
			masked()
			if done := mustRotate(t, rotationAt(t, s, dir, "b")); done.secret != "" {
				t.Errorf("the secret is %q, want none", done.secret)
			}
			fixture.WantRotations(t, s, 2)

			fixture.DropRotation(s, sandbox.FaultDropAfter)
			lost := mustFail(t, rotationAt(t, s, dir, "c"), unreadable)
			fixture.WantTexts(t, lost.diagnostics(t.Context(), message.Applying), "response to the rotation was lost", "shows it masked", lost.entry)
			for _, creation := range []string{"c", "c", "d"} { // Nothing sends it again, nor another one in its place.
				later := rotationAt(t, s, dir, creation)
				later.once.Run = "second run"
				mustFail(t, later, unreadable)
			}
			fixture.WantRotations(t, s, 3)
		})
	}
}

// The mask comes after a rotation was sent.
func TestRotation_whoseSecretIsMaskedAfterwardsStaysInDoubt(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	dir := t.TempDir()
	fixture.DropRotation(s, sandbox.FaultDropAfter)
	s.Inject(sandbox.Fault{Method: "GET", Path: "/v1/webhooks/secret", Kind: sandbox.FaultBody, Body: `{"secret":"whsec_R0****"}`, Skip: 1, Times: 2})
	mustFail(t, rotationAt(t, s, dir, "a"), unreadable)
	later := func() *rotation {
		r := rotationAt(t, s, dir, "a")
		r.once.Run, r.once.Clock.Now = "second run", func() time.Time { return time.Now().Add(time.Hour) }
		return r
	}
	mustFail(t, later(), unreadable)
	if done := mustRotate(t, later()); !done.takenOver || done.secret != s.WebhookSecret() { // The service shows it again.
		t.Errorf("the rotation is %+v, want that of the first run", done)
	}
	fixture.WantRotations(t, s, 1)
}
