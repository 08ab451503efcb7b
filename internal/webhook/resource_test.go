package webhook_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const (
	address       = acctest.Address("einvoice_webhook.test")
	webhookSecret = "s3cr-in-the-query"

	webhookMinimal = "event = \"invoice.authorized\"\nurl = \"https://erp.example/hooks?token=" + webhookSecret + "\""
)

func webhookConfig(s *sandbox.Server, arguments string) string {
	return acctest.Config(s, fmt.Sprintf("resource \"einvoice_webhook\" \"test\" {\n%s\n}", arguments))
}

// enabledAtService checks the only webhook of the sandbox.
func enabledAtService(s *sandbox.Server, want bool) func(*terraform.State) error {
	return func(*terraform.State) error {
		webhooks := s.Objects("webhooks")
		if len(webhooks) != 1 || webhooks[0]["enabled"] != want {
			return fmt.Errorf("the service has %v, want one webhook with enabled %t", webhooks, want)
		}
		return nil
	}
}

func TestAccWebhook_createsEnabled(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{{
		Config: webhookConfig(s, webhookMinimal),
		ConfigStateChecks: []statecheck.StateCheck{
			address.Has("id", knownvalue.NotNull()),
			address.Has("enabled", knownvalue.Bool(true)),
			address.Has("url", knownvalue.StringExact("https://erp.example/hooks?token="+webhookSecret)),
		},
	}})
	sent, _ := s.Last("POST", "/v1/webhooks")
	if got, want := string(sent.Body), `{"event":"invoice.authorized","url":"https://erp.example/hooks?token=`+webhookSecret+`"}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if n := fixture.CountWrites(s); n != 2 {
		t.Errorf("%d writes, want the creation and the deletion", n)
	}
}

func TestAccWebhook_isDisabledByASecondRequest(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{
			Config:            webhookConfig(s, webhookMinimal+"\nenabled = false"),
			ConfigStateChecks: []statecheck.StateCheck{address.Has("enabled", knownvalue.Bool(false))},
			Check:             enabledAtService(s, false),
		},
		{
			PreConfig:        s.ResetRequests,
			Config:           webhookConfig(s, webhookMinimal),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
			Check:            enabledAtService(s, true),
		},
	})
	if enabled, puts := s.Count("PUT", "/v1/webhooks/{id}/enable"), s.Count("PUT", ""); enabled != 1 || puts != 1 {
		t.Errorf("%d requests to enable of %d PUTs, want one and nothing else", enabled, puts)
	}
}

func TestAccWebhook_enablesAgainWhatTheServiceDisabled(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := webhookConfig(s, webhookMinimal)
	acctest.Run(t, []resource.TestStep{
		{Config: config},
		{
			PreConfig: func() { acctest.PatchAll(s, "webhooks", map[string]any{"enabled": false}) },
			Config:    config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(string(address), plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(string(address), tfjsonpath.New("enabled"), knownvalue.Bool(true)),
			}},
			Check: enabledAtService(s, true),
		},
		{Config: config, ConfigPlanChecks: address.Plans(plancheck.ResourceActionNoop)},
	})
}

func TestAccWebhook_updatesInPlace(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	same := statecheck.CompareValue(compare.ValuesSame())
	id := func() statecheck.StateCheck { return same.AddStateValue(string(address), tfjsonpath.New("id")) }
	acctest.Run(t, []resource.TestStep{
		{Config: webhookConfig(s, webhookMinimal), ConfigStateChecks: []statecheck.StateCheck{id()}},
		{
			Config:           webhookConfig(s, "event = \"invoice.rejected\"\nurl = \"http://127.0.0.1:9/hooks\"\nenabled = false"),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{
				id(),
				address.Has("event", knownvalue.StringExact("invoice.rejected")),
				address.Has("url", knownvalue.StringExact("http://127.0.0.1:9/hooks")),
			},
			Check: enabledAtService(s, false),
		},
	})
	if body, disabled := s.Count("PUT", "/v1/webhooks/{id}"), s.Count("PUT", "/v1/webhooks/{id}/disable"); body != 1 || disabled != 1 {
		t.Errorf("%d updates and %d requests to disable, want one of each", body, disabled)
	}
}

func TestAccWebhook_importsByID(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{Config: webhookConfig(s, webhookMinimal)},
		{ResourceName: string(address), ImportState: true, ImportStateVerify: true},
		{ResourceName: string(address), ImportState: true, ImportStateKind: resource.ImportBlockWithID, Config: webhookConfig(s, webhookMinimal)},
	})
}

func TestAccWebhook_importsByIdentity(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		Steps: []resource.TestStep{
			{Config: webhookConfig(s, webhookMinimal)},
			{ResourceName: string(address), ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity, Config: webhookConfig(s, webhookMinimal)},
		},
	})
}

func TestAccWebhook_recreatesWhatVanished(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{Config: webhookConfig(s, webhookMinimal)},
		{
			PreConfig:        func() { acctest.RemoveAll(s, "webhooks") },
			Config:           webhookConfig(s, webhookMinimal),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionCreate),
		},
	})
}

func TestAccWebhook_validatesWhilePlanning(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	for name, test := range map[string]struct{ arguments, want string }{
		"an event that does not exist": {
			"event = \"invoice.issued\"\nurl = \"https://erp.example/\"", `Invalid event(.|\n)*"invoice\.issued"(.|\n)*inbound_invoice\.completed`,
		},
		"a URL without TLS": {
			"event = \"invoice.rejected\"\nurl = \"http://erp.example/hooks?token=" + webhookSecret + "\"",
			`Invalid url(.|\n)*"http://erp\.example/hooks\?\.\.\."(.|\n)*https(.|\n)*loopback`,
		},
		"an empty URL": {"event = \"invoice.rejected\"\nurl = \"\"", `Empty url(.|\n)*omit`},
	} {
		t.Run(name, func(t *testing.T) {
			acctest.Run(t, []resource.TestStep{{
				Config: webhookConfig(s, test.arguments), PlanOnly: true, ExpectError: regexp.MustCompile(test.want),
			}})
		})
	}
	t.Cleanup(func() {
		if n := len(s.Requests()); n != 0 {
			t.Errorf("%d requests were sent for configurations that are wrong", n)
		}
	})
}

func TestAccWebhook_showsNoQueryInTheServicesMessage(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{
		Method: "POST", Path: "/v1/webhooks", Kind: sandbox.FaultStatus, Status: 400,
		Body: `{"errors":[{"message":"The url https://erp.example/hooks?token=` + webhookSecret + ` with ` + webhookSecret + ` is blocked","path":"Url"}]}`,
	})
	acctest.Run(t, []resource.TestStep{{
		// The line of the configuration that the CLI quotes must not hold it either.
		Config: acctest.Config(s, `
locals { address = "https://erp.example/hooks?token=`+webhookSecret+`" }
resource "einvoice_webhook" "test" {
  event = "invoice.authorized"
  url   = sensitive(local.address)
}`),
		ExpectError: regexp.MustCompile(`API message: The url https://erp\.example/hooks\?\.\.\. with\s+\.\.\.\s+is\s+blocked\.`),
	}})
}

func TestAccWebhook_adoptsWhatALostAnswerMade(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed("webhooks", map[string]any{"event": "invoice.authorized", "url": "https://erp.example/hooks"})
	s.Inject(sandbox.Fault{Method: "POST", Path: "/v1/webhooks", Kind: sandbox.FaultDropAfter})
	acctest.Run(t, []resource.TestStep{{
		Config:            webhookConfig(s, webhookMinimal+"\nenabled = false"),
		ConfigStateChecks: []statecheck.StateCheck{address.Has("enabled", knownvalue.Bool(false))},
	}})
	if n := s.Count("POST", "/v1/webhooks"); n != 1 {
		t.Errorf("%d creations were sent, want 1", n)
	}
	if n := s.Count("PUT", "/v1/webhooks/{id}/disable"); n != 1 {
		t.Errorf("%d requests to disable were sent, want 1", n)
	}
	if left := s.Objects("webhooks"); len(left) != 1 || left[0]["url"] != "https://erp.example/hooks" {
		t.Errorf("the service has %v, want the other webhook alone", left)
	}
}

func TestAccWebhook_refusesSeveralAfterALostAnswer(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed("webhooks", map[string]any{"event": "invoice.authorized", "url": "https://erp.example/hooks?token=" + webhookSecret})
	s.Inject(sandbox.Fault{Method: "POST", Path: "/v1/webhooks", Kind: sandbox.FaultDropAfter})
	acctest.Run(t, []resource.TestStep{{
		Config:      webhookConfig(s, webhookMinimal),
		ExpectError: regexp.MustCompile(`Several objects match(.|\n)*webhook\s+for\s+invoice\.authorized\s+to\s+https://erp\.example/hooks\?\.\.\.`),
	}})
}

func TestAccWebhook_keepsTheIDWhenDisablingFails(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Method: "PUT", Path: "/v1/webhooks/{id}/disable", Kind: sandbox.FaultStatus, Status: 400, Message: "not now"})
	acctest.Run(t, []resource.TestStep{
		{Config: webhookConfig(s, webhookMinimal+"\nenabled = false"), ExpectError: regexp.MustCompile(`Cannot disable webhook(.|\n)*not now`)},
		{Config: webhookConfig(s, webhookMinimal+"\nenabled = false"), Check: enabledAtService(s, false)},
	})
	if n := s.Count("DELETE", "/v1/webhooks/{id}"); n != 2 {
		t.Errorf("%d deletions, want one of the webhook whose id was kept and one at the end", n)
	}
}

func TestAccWebhook_waitsForUnknownInputs(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{{
		Config: acctest.Config(s, `
resource "terraform_data" "input" {
  input = { event = "invoice.canceled", url = "https://erp.example/", enabled = false }
}
resource "einvoice_webhook" "test" {
  event   = terraform_data.input.output.event
  url     = terraform_data.input.output.url
  enabled = terraform_data.input.output.enabled
}`),
		ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectUnknownValue(string(address), tfjsonpath.New("enabled"))}},
		ConfigStateChecks: []statecheck.StateCheck{address.Has("event", knownvalue.StringExact("invoice.canceled")), address.Has("enabled", knownvalue.Bool(false))},
	}})
}

func TestAccWebhook_sendsNothingTwiceAndNothingWhilePlanning(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := webhookConfig(s, webhookMinimal)
	acctest.Run(t, []resource.TestStep{
		{Config: config, PlanOnly: true, ExpectNonEmptyPlan: true}, // The webhook is still to be created.
		{PreConfig: func() {
			if n := len(s.Requests()); n != 0 {
				t.Errorf("%d requests while planning a creation, want none", n)
			}
		}, Config: config},
		{PreConfig: s.ResetRequests, Config: config, PlanOnly: true},
		{PreConfig: func() {
			if n := fixture.CountWrites(s); n != 0 {
				t.Errorf("%d writes while planning, want none", n)
			}
			s.ResetRequests()
		}, Config: config, Destroy: true},
	})
	if n := s.Count("DELETE", "/v1/webhooks/{id}"); n != 1 {
		t.Errorf("%d deletions, want 1", n)
	}
}

func TestAccWebhook_worksByListsAlone(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{NoReadByID: true})
	acctest.Run(t, []resource.TestStep{
		{Config: webhookConfig(s, webhookMinimal+"\nenabled = false")},
		{Config: webhookConfig(s, webhookMinimal+"\nenabled = false"), ConfigPlanChecks: address.Plans(plancheck.ResourceActionNoop)},
	})
}

func TestAccWebhookDataSource_findsByIDOrByEventAndURL(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	for range 2 {
		s.Seed("webhooks", map[string]any{"event": "invoice.rejected", "url": "https://erp.example/twice?token=" + webhookSecret})
	}
	found := func(name, key string, value knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.einvoice_webhook."+name, tfjsonpath.New(key), value)
	}
	lookUp := func(arguments string) string {
		return acctest.Config(s, "data \"einvoice_webhook\" \"x\" {\n"+arguments+"\n}")
	}
	fails := func(arguments, want string) resource.TestStep {
		return resource.TestStep{Config: lookUp(arguments), PlanOnly: true, ExpectError: regexp.MustCompile(want)}
	}
	acctest.Run(t, []resource.TestStep{
		{
			Config: webhookConfig(s, webhookMinimal) + `
data "einvoice_webhook" "by_id" { id = einvoice_webhook.test.id }
data "einvoice_webhook" "by_url" {
  event      = einvoice_webhook.test.event
  url        = einvoice_webhook.test.url
  depends_on = [einvoice_webhook.test]
}`,
			ConfigStateChecks: []statecheck.StateCheck{
				found("by_id", "event", knownvalue.StringExact("invoice.authorized")),
				found("by_url", "id", knownvalue.NotNull()),
				found("by_url", "enabled", knownvalue.Bool(true)),
			},
		},
		fails("id = \"nobody\"", `Webhook not found(.|\n)*"nobody"`),
		fails("event = \"invoice.canceled\"\nurl = \"https://erp.example/hooks\"", `Webhook not found(.|\n)*invoice\.canceled`),
		fails("event = \"invoice.rejected\"\nurl = \"https://erp.example/twice?token="+webhookSecret+"\"", `Webhook is not the only one(.|\n)*/twice\?\.\.\."`),
		fails("event = \"invoice.rejected\"", `(?i)must be specified together|these attributes must be configured together`),
		fails("id = \"x\"\nevent = \"invoice.rejected\"\nurl = \"https://erp.example/\"", `(?i)cannot be configured together`),
		fails("", `(?i)at least one`),
		{Config: acctest.Config(s, "")},
	})
}

func TestAccWebhook_showsNoQueryInItsLog(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewWorkspace(t, webhookConfig(s, webhookMinimal), "")
	w.Environ = append(w.Environ, "TF_LOG=TRACE")
	logged := 0
	for line := range strings.Lines(w.MustApply()) {
		if !strings.Contains(line, "provider.terraform-provider-einvoice") {
			continue // The plan shows the URL: it is no sensitive attribute.
		}
		logged++
		if strings.Contains(line, webhookSecret) {
			t.Errorf("a log line of the provider shows the query: %s", line)
		}
	}
	if logged == 0 {
		t.Error("the provider logged nothing")
	}
}
