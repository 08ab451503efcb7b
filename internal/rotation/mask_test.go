package rotation

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// A mask looks the same before and after a rotation.
func TestRotation_takesNoMaskForTheSecret(t *testing.T) {
	t.Parallel()
	const mask = `{"secret":"whsec_R0****"}`
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Method: "GET", Path: "/v1/webhooks/secret", Kind: sandbox.FaultBody, Body: mask, Times: -1})
	dir := t.TempDir()
	if done := mustRotate(t, rotationAt(t, s, dir, "a")); done.secret != s.WebhookSecret() {
		t.Errorf("the secret is %q, want the one that the answer shows", done.secret)
	}
	s.Inject(sandbox.Fault{Method: "POST", Path: fixture.RotatePath, Kind: sandbox.FaultBody, Body: mask})
	if done := mustRotate(t, rotationAt(t, s, dir, "b")); done.secret != "" {
		t.Errorf("the secret is %q, want none", done.secret)
	}
	fixture.WantRotations(t, s, 2)

	fixture.DropRotation(s, sandbox.FaultDropAfter)
	c := rotationAt(t, s, dir, "c")
	mustFail(t, c, masked, "response to the rotation was lost", "shows it masked", c.once.Store.Where(accountKey(c.client)))
	for _, creation := range []string{"c", "c", "d"} { // Nothing sends it again, nor another one in its place.
		later := rotationAt(t, s, dir, creation)
		later.once.Run = "second run"
		mustFail(t, later, masked)
	}
	fixture.WantRotations(t, s, 3)
}
