package rotation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// A rotation has no case for import, for vanishing and for a failure after the
// creation: the service keeps no record of it, and Create either returns all of
// it or nothing.

const (
	create  = plancheck.ResourceActionCreate
	nothing = plancheck.ResourceActionNoop
	update  = plancheck.ResourceActionUpdate
)

// rotation is one that does not exist yet, over the protocol.
func rotation(t *testing.T, s *sandbox.Server) *testkit.Object {
	t.Helper()
	return testkit.Serve(t, s, nil).Object("einvoice_webhook_secret_rotation")
}

func TestWebhookSecretRotation_dependsOnItsArguments(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Steps     []testkit.Step
		Rotations int
	}](t, "webhook_secret_rotation_depends_on_its_arguments.json") {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			o := rotation(t, s)
			o.Run(test.Steps...)
			fixture.WantRotations(t, s, test.Rotations)
			if state := o.State(); test.Rotations == 0 && len(s.Requests()) != 0 || test.Rotations != 0 && state["secret"] != s.WebhookSecret() {
				t.Errorf("%d requests, and the state does not hold the secret in force", len(s.Requests()))
			}
		})
	}
}

func TestWebhookSecretRotation_keepsItsTimeAndReadsNothingWithoutASecret(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{Clock: sandbox.NewManualClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))})
	o := rotation(t, s)
	const all = "triggers = { quarter = \"Q4\" }\nwindow_hours = 24\nstore_secret = false"
	o.Run(testkit.Step{Arguments: all, State: map[string]any{"secret": nil, "store_secret": false}})
	rotated, valid := fmt.Sprint(o.State()["rotated_at"]), fmt.Sprint(o.State()["previous_secret_valid_until"])
	if !strings.HasPrefix(rotated, "2026-11-20T") || !strings.HasPrefix(valid, "2026-11-21T") {
		t.Errorf("rotated at %s, and the secret from before is valid until %s", rotated, valid)
	}
	s.ResetRequests()
	o.Run(testkit.Step{Arguments: all, Plans: nothing, State: map[string]any{"rotated_at": rotated}})
	fixture.WantRequests(t, s, "", "", 0)
	o.Run(testkit.Step{Arguments: strings.Replace(all, "false", "true", 1), Plans: update, State: map[string]any{"rotated_at": rotated, "secret": s.WebhookSecret()}})
}

// Neither a refresh nor an answer may bring a mask into the state.
func TestWebhookSecretRotation_keepsTheSecretThatTheServiceMasks(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Method: "GET", Path: "/v1/webhooks/secret", Kind: sandbox.FaultBody, Body: `{"secret":"whsec_R0****"}`, Times: -1})
	full := rotation(t, s)
	full.Run(testkit.Step{Plans: create}, testkit.Step{Plans: nothing})
	expect.Is[any](t, full.State()["secret"], s.WebhookSecret(), "the state")
	full.Run(testkit.Step{Arguments: "store_secret = false", Plans: update, State: map[string]any{"secret": nil}})
	config := full.Value(full.Type, map[string]any{})
	if said := full.Apply(config, full.MustPlan(config)); !strings.HasPrefix(testkit.TextsOf(said), "Webhook secret not in state") {
		t.Errorf("the update says %q", testkit.TextsOf(said))
	}
	if got := full.State()["secret"]; got != nil {
		t.Errorf("the state has %v, want no secret", got)
	}
}

func TestWebhookSecretRotation_validatesWhilePlanning(t *testing.T) {
	t.Parallel()
	testkit.WantRefusals(t, "einvoice_webhook_secret_rotation", map[string]any{}, []testkit.Refusal{
		{Name: "a window that is too long", At: "window_hours", Value: 73, Want: `window_hours.*between 0 and 72, got: 73`},
		{Name: "a window below none", At: "window_hours", Value: -1, Want: `between 0 and 72, got: -1`},
		{Name: "a trigger without a value", At: "triggers", Value: map[string]any{"a": nil}, Want: `(?i)null`},
	})
}

func TestWebhookSecretRotation_isNotImported(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	testkit.WantImports(t, testkit.Serve(t, s, nil), s, "einvoice_webhook_secret_rotation", nil, map[string]string{"any": "keeps no record"})
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
