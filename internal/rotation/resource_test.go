package rotation_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// A rotation has no case for import, for vanishing and for a failure after the
// creation: the service keeps no record of it, and Create either returns all of
// it or nothing.

const address = acctest.Address("einvoice_webhook_secret_rotation.test")

func rotationConfig(s *sandbox.Server, arguments string) string {
	return acctest.Config(s, fmt.Sprintf("resource \"einvoice_webhook_secret_rotation\" \"test\" {\n%s\n}", arguments))
}

// storesSecretOf compares the state with the secret in force.
func storesSecretOf(s *sandbox.Server) func(*terraform.State) error {
	return func(state *terraform.State) error {
		if got := state.RootModule().Resources[string(address)].Primary.Attributes["secret"]; got == "" || got != s.WebhookSecret() {
			return fmt.Errorf("the state does not hold the secret in force")
		}
		return nil
	}
}

func TestAccWebhookSecretRotation_rotatesWithoutArguments(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	before := s.WebhookSecret()
	config := rotationConfig(s, "")
	acctest.Run(t, []resource.TestStep{
		{Config: config, PlanOnly: true, ExpectNonEmptyPlan: true}, // The rotation is still to come.
		{
			PreConfig: func() {
				if n := len(s.Requests()); n != 0 {
					t.Errorf("%d requests while planning a creation, want none", n)
				}
			},
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectSensitiveValue(string(address), tfjsonpath.New("secret")),
				address.Has("id", knownvalue.StringRegexp(regexp.MustCompile(`^[0-9a-f-]{36}$`))),
				address.Has("store_secret", knownvalue.Bool(true)),
				address.Has("rotated_at", knownvalue.NotNull()),
				address.Has("previous_secret_valid_until", knownvalue.Null()),
			},
			Check: storesSecretOf(s),
		},
		{Config: config, PlanOnly: true},
		{Config: config, ResourceName: string(address), ImportState: true, ImportStateId: "any", ExpectError: regexp.MustCompile(`keeps no\s+record`)},
	})
	if s.WebhookSecret() == before {
		t.Error("the secret was not rotated")
	}
	sent, _ := s.Last("POST", fixture.RotatePath)
	if len(sent.Body) != 0 {
		t.Errorf("sent %s, want no body without a window", sent.Body)
	}
	if n := fixture.CountWrites(s); n != 1 {
		t.Errorf("%d writes, want the rotation alone: destroying sends nothing", n)
	}
}

func TestAccWebhookSecretRotation_takesAllArguments(t *testing.T) {
	clock := sandbox.NewManualClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	s := sandbox.Start(t, sandbox.Options{Clock: clock})
	config := rotationConfig(s, "triggers = { quarter = \"Q4\" }\nwindow_hours = 24\nstore_secret = false")
	acctest.Run(t, []resource.TestStep{
		{
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				address.Has("secret", knownvalue.Null()),
				address.Has("rotated_at", knownvalue.StringRegexp(regexp.MustCompile(`^2026-11-20T`))),
				address.Has("previous_secret_valid_until", knownvalue.StringRegexp(regexp.MustCompile(`^2026-11-21T`))),
			},
		},
		{PreConfig: s.ResetRequests, Config: config, ConfigPlanChecks: address.Plans(plancheck.ResourceActionNoop)},
	})
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests to refresh and destroy a rotation without a secret, want none", n)
	}
}

func TestAccWebhookSecretRotation_rotatesAgainForAnotherTrigger(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	differ := statecheck.CompareValue(compare.ValuesDiffer())
	id := func() statecheck.StateCheck { return differ.AddStateValue(string(address), tfjsonpath.New("id")) }
	step := func(arguments string) resource.TestStep {
		return resource.TestStep{
			Config:            rotationConfig(s, arguments),
			ConfigPlanChecks:  address.Plans(plancheck.ResourceActionReplace),
			ConfigStateChecks: []statecheck.StateCheck{id()},
			Check:             storesSecretOf(s),
		}
	}
	first := step(`triggers = { quarter = "Q1" }`)
	first.ConfigPlanChecks = address.Plans(plancheck.ResourceActionCreate)
	acctest.Run(t, []resource.TestStep{
		first,
		step(`triggers = { quarter = "Q2" }`),
		step("triggers = { quarter = \"Q2\" }\nwindow_hours = 0"),
		step(`triggers = { quarter = "Q1" }`), // As the first one, and still another rotation.
	})
	fixture.WantRotations(t, s, 4)
}

func TestAccWebhookSecretRotation_storesAndDropsTheSecretInPlace(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	same := statecheck.CompareValue(compare.ValuesSame())
	kept := func() statecheck.StateCheck { return same.AddStateValue(string(address), tfjsonpath.New("rotated_at")) }
	store := func(value string, checks ...statecheck.StateCheck) resource.TestStep {
		return resource.TestStep{
			Config: rotationConfig(s, "store_secret = "+value), ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: append(checks, kept()),
		}
	}
	read := store("true")
	read.Check = storesSecretOf(s)
	acctest.Run(t, []resource.TestStep{
		{Config: rotationConfig(s, ""), ConfigStateChecks: []statecheck.StateCheck{kept()}, Check: storesSecretOf(s)},
		store("false", address.Has("secret", knownvalue.Null())),
		read,
	})
	fixture.WantRotations(t, s, 1)
}

func TestAccWebhookSecretRotation_followsASecretThatWasRotatedElsewhere(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{Config: rotationConfig(s, "")},
		{PreConfig: func() { s.RotateWebhookSecret(0) }, RefreshState: true, Check: storesSecretOf(s)},
		{Config: rotationConfig(s, ""), ConfigPlanChecks: address.Plans(plancheck.ResourceActionNoop), Check: storesSecretOf(s)},
	})
	fixture.WantRotations(t, s, 1)
}

func TestAccWebhookSecretRotation_validatesWhilePlanning(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	var steps []resource.TestStep
	for _, test := range []struct{ arguments, want string }{
		{"window_hours = 73", `Invalid window hours(.|\n)*is 73(.|\n)*0 to\s+72`},
		{"window_hours = -1", `Invalid window hours(.|\n)*is -1`},
		{"triggers = { a = null }", `(?i)null`},
	} {
		steps = append(steps, resource.TestStep{Config: rotationConfig(s, test.arguments), PlanOnly: true, ExpectError: regexp.MustCompile(test.want)})
	}
	acctest.Run(t, steps)
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were sent for configurations that are wrong", n)
	}
}

func TestAccWebhookSecretRotation_tellsWhatTheServiceRefuses(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Method: "POST", Path: fixture.RotatePath, Kind: sandbox.FaultStatus, Status: 400, Message: "The window is too long"})
	acctest.Run(t, []resource.TestStep{
		{Config: rotationConfig(s, "window_hours = 72"), ExpectError: regexp.MustCompile(`Cannot rotate webhook secret(.|\n)*API message: The window is too long\.`)},
		{Config: rotationConfig(s, "window_hours = 72"), ConfigPlanChecks: address.Plans(plancheck.ResourceActionCreate)},
	})
}

func TestAccWebhookSecretRotation_waitsForUnknownInputs(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{{
		Config: acctest.Config(s, `
resource "terraform_data" "input" {
  input = { quarter = "Q4", hours = 3, store = false }
}
resource "einvoice_webhook_secret_rotation" "test" {
  triggers     = { quarter = terraform_data.input.output.quarter }
  window_hours = terraform_data.input.output.hours
  store_secret = terraform_data.input.output.store
}`),
		ConfigPlanChecks:  address.Plans(plancheck.ResourceActionCreate, address.Unknown("secret")),
		ConfigStateChecks: []statecheck.StateCheck{address.Has("secret", knownvalue.Null()), address.Has("window_hours", knownvalue.Int64Exact(3))},
	}})
	fixture.WantRotations(t, s, 1)
}

func TestAccWebhookSecretRotation_warnsInThePlanOfADestroy(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewAttached(t, rotationConfig(s, ""))
	w.MustApply()
	for _, command := range [][]string{{"plan", "-destroy", "-input=false"}, {"destroy", "-auto-approve"}} {
		output := w.MustRun(command...)
		if n := strings.Count(output, "Warning: Webhook secret stays as it was rotated"); n != 1 {
			t.Errorf("%s warns %d times of what stays, want once:\n%s", command[0], n, output)
		}
		if strings.Contains(output, s.WebhookSecret()) {
			t.Errorf("the output of %s shows the secret", command[0])
		}
	}
}

func TestAccWebhookSecretRotation_rotatesOnceWhenKilledInTheRequest(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewWorkspace(t, rotationConfig(s, "window_hours = 1"), "")
	acctest.KilledDuring(t, w, s, "POST", fixture.RotatePath)
	if output := w.MustApply(); !strings.Contains(output, "Took over an earlier rotation") {
		t.Errorf("the second run does not say that it took the rotation over:\n%s", output)
	}
	fixture.WantRotations(t, s, 1)
}
