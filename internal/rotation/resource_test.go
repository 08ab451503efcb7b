package rotation_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// A rotation has no case for import, for vanishing and for a failure after the
// creation: the service keeps no record of it, and Create either returns all of
// it or nothing.
func TestWebhookSecretRotation(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "rotations.json")
}

func TestWebhookSecretRotation_validatesWhilePlanning(t *testing.T) {
	t.Parallel()
	testkit.WantRefusals(t, "einvoice_webhook_secret_rotation", map[string]any{}, []testkit.Refusal{
		{Name: "a window that is too long", At: "window_hours", Value: 73, Want: `window_hours.*between 0 and 72, got: 73`},
		{Name: "a window below none", At: "window_hours", Value: -1, Want: `between 0 and 72, got: -1`},
		{Name: "a trigger without a value", At: "triggers", Value: map[string]any{"a": nil}, Want: `(?i)null`},
	})
}

func TestAccWebhookSecretRotation_rotatesOnceWhenKilledInTheRequest(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	const block = `resource "einvoice_webhook_secret_rotation" "test" {}`
	w := testkit.NewWorkspace(t, testkit.Config(s, block, `request_timeout = "5s"`), "") // The next run waits for 20.
	testkit.KilledDuring(t, w, s, "POST", fixture.RotatePath)
	expect.Contains(t, w.MustApply(), "Adopted an earlier rotation")
	fixture.WantRotations(t, s, 1)
}

// What an action makes of a lost answer is shown in package rotation.
func TestRotationAction_rotatesOnceEachTime(t *testing.T) {
	t.Parallel()
	const name = "einvoice_webhook_secret_rotate"
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	secrets := map[string]bool{s.WebhookSecret(): true}
	for range 2 {
		result := p.Invoke(name, map[string]any{"window_hours": 24})
		result.Expect(t, "The service also signs deliveries with the former secret until", "", "")
		secrets[s.WebhookSecret()] = true
		for secret := range secrets {
			if strings.Contains(strings.Join(result.Progress, "\n"), secret) {
				t.Error("the progress shows a secret")
			}
		}
	}
	p.Invoke(name, nil).Expect(t, "The webhook secret was rotated at", "", "")
	secrets[s.WebhookSecret()] = true
	if n := fixture.Rotations(s); n != 3 || len(secrets) != 4 {
		t.Errorf("%d rotations and %d secrets, want 3 and 4", n, len(secrets))
	}
}
