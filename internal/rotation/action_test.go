package rotation_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

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
