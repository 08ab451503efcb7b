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

// The framework plans after each apply, and fails unless that plan is empty.
func TestAccWebhook_createsEnabledImportsByIDAndUpdatesInPlace(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	same := statecheck.CompareValue(compare.ValuesSame())
	id := func() statecheck.StateCheck { return same.AddStateValue(string(address), tfjsonpath.New("id")) }
	acctest.Run(t, []resource.TestStep{
		{
			Config: webhookConfig(s, webhookMinimal),
			ConfigStateChecks: []statecheck.StateCheck{
				id(),
				address.Has("enabled", knownvalue.Bool(true)),
				address.Has("url", knownvalue.StringExact("https://erp.example/hooks?token="+webhookSecret)),
			},
		},
		{ResourceName: string(address), ImportState: true, ImportStateVerify: true},
		{
			ResourceName: string(address), ImportState: true, ImportStateKind: resource.ImportBlockWithID, Config: webhookConfig(s, webhookMinimal),
			ImportStateId: "event=invoice.authorized,url=https://erp.example/hooks?token=" + webhookSecret,
		},
		{
			PreConfig: func() {
				if n := fixture.CountWrites(s); n != 1 {
					t.Errorf("%d writes, want the creation alone", n)
				}
			},
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
	sent, _ := s.Last("POST", "/v1/webhooks")
	if got, want := string(sent.Body), `{"event":"invoice.authorized","url":"https://erp.example/hooks?token=`+webhookSecret+`"}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if body, disabled := s.Count("PUT", "/v1/webhooks/{id}"), s.Count("PUT", "/v1/webhooks/{id}/disable"); body != 1 || disabled != 1 {
		t.Errorf("%d updates and %d requests to disable, want one of each", body, disabled)
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

func TestAccWebhook_enablesAgainWhatTheServiceDisabledAndRecreatesWhatVanished(t *testing.T) {
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
		{
			PreConfig:        func() { acctest.RemoveAll(s, "webhooks") },
			Config:           config,
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionCreate),
		},
	})
}

func TestWebhook_refusesWrongValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	acctest.WantRefusals(t, "einvoice_webhook", map[string]any{"event": "invoice.rejected", "url": "https://erp.example/"}, []acctest.Refusal{
		{Name: "an event that does not exist", At: "event", Value: "invoice.issued", Want: `Invalid event.*"invoice\.issued".*inbound_invoice\.completed`},
		{Name: "a URL without TLS", At: "url", Value: "http://erp.example/hooks?token=" + webhookSecret, Want: `Invalid url.*"http://erp\.example/hooks\?\.\.\.".*https.*loopback`},
		{Name: "an empty URL", At: "url", Value: "", Want: `Empty url.*omit`},
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

func TestWebhook_settlesALostAnswer(t *testing.T) {
	t.Parallel()
	const url = "https://erp.example/hooks?token=" + webhookSecret
	for name, tt := range map[string]struct {
		before string // the URL of a webhook that is there already
		want   string // the error
	}{
		"by adopting what has the event and the URL": {before: "https://erp.example/hooks"},
		"unless several have them":                   {before: url, want: `Several objects match.*webhook for invoice\.authorized to https://erp\.example/hooks\?\.\.\.`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			other := s.Seed("webhooks", map[string]any{"event": "invoice.authorized", "url": tt.before, "enabled": true})
			s.Inject(sandbox.Fault{Method: "POST", Path: "/v1/webhooks", Kind: sandbox.FaultDropAfter})
			state, said := acctest.Serve(t, s, nil).Object("einvoice_webhook").Create(map[string]any{"event": "invoice.authorized", "url": url, "enabled": false})
			if failed := acctest.ErrorsIn(said); (tt.want == "") != (failed == "") || !regexp.MustCompile("(?s)"+tt.want).MatchString(failed) {
				t.Errorf("the error is %q, want %q", failed, tt.want)
			}
			if adopted := state["enabled"] == false; adopted != (tt.want == "") {
				t.Errorf("the state is %v", state)
			}
			if held, _ := s.Object("webhooks", other); held["enabled"] != true {
				t.Errorf("the other webhook is now %v", held)
			}
			if n := s.Count("POST", "/v1/webhooks"); n != 1 {
				t.Errorf("%d creations were sent, want 1", n)
			}
		})
	}
}

func TestWebhook_keepsTheIDWhenDisablingFails(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Method: "PUT", Path: "/v1/webhooks/{id}/disable", Kind: sandbox.FaultStatus, Status: 400, Message: "not now"})
	state, said := acctest.Serve(t, s, nil).Object("einvoice_webhook").Create(map[string]any{"event": "invoice.authorized", "url": "https://erp.example/", "enabled": false})
	if failed := acctest.ErrorsIn(said); !strings.Contains(failed, "Cannot disable webhook") || !strings.Contains(failed, "not now") {
		t.Errorf("the error is %q", failed)
	}
	if state["id"] != s.Objects("webhooks")[0]["id"] || state["enabled"] != true {
		t.Errorf("the state is %v, want the webhook as it is", state)
	}
}

func TestWebhookDataSource_findsByIDOrByEventAndURL(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	const url, twice = "https://erp.example/hooks?token=" + webhookSecret, "https://erp.example/twice?token=" + webhookSecret
	id := s.Seed("webhooks", map[string]any{"event": "invoice.authorized", "url": url, "enabled": true})
	for range 2 {
		s.Seed("webhooks", map[string]any{"event": "invoice.rejected", "url": twice})
	}
	by := func(event, url string) map[string]any { return map[string]any{"event": event, "url": url} }
	acctest.WantDataReads(t, s, "einvoice_webhook", []acctest.DataRead{
		{Name: "by id", Arguments: map[string]any{"id": id}, State: map[string]any{"event": "invoice.authorized"}},
		{Name: "by event and URL", Arguments: by("invoice.authorized", url), State: map[string]any{"id": id, "enabled": true}},
		{Name: "an id that none has", Arguments: map[string]any{"id": "nobody"}, Error: `Webhook not found.*"nobody"`},
		{Name: "an event and URL that none has", Arguments: by("invoice.canceled", url), Error: `Webhook not found.*invoice\.canceled`},
		{Name: "an event and URL that two have", Arguments: by("invoice.rejected", twice), Error: `Webhook is not the only one.*/twice\?\.\.\."`},
		{Name: "an event alone", Arguments: map[string]any{"event": "invoice.rejected"}, Error: `(?i)must be specified together|these attributes must be configured together`},
		{Name: "everything", Arguments: map[string]any{"id": "x", "event": "invoice.rejected", "url": url}, Error: `(?i)cannot be configured together`},
		{Name: "nothing", Error: `(?i)at least one`},
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

func TestWebhook_importsByEventAndURL(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	const url, odd = "https://erp.example/hooks?token=" + webhookSecret, "https://erp.example/a,url=b?events=1,2&token=" + webhookSecret
	authorized := s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.authorized", "url": url})
	rejected := s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.rejected", "url": odd})
	one := s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.canceled", "url": url})
	other := s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.canceled", "url": url})
	refused := map[string]string{
		"event=invoice.rejected,url=" + url:        `Webhook not found: No webhook sends invoice\.rejected to "https://erp\.example/hooks\?\.\.\."`,
		"event=invoice.canceled,url=" + url:        `Webhook is not the only one: 2 webhooks.*` + one + ", " + other,
		"url=" + url + ",event=invoice.authorized": `Invalid import ID.*event=invoice\.authorized,url=https://erp\.example\.com/hooks`,
		"event=invoice.authorized," + url:          `Invalid import ID`,
		"event=invoice.authorized,url=":            `Invalid import ID`,
		"event=,url=" + url:                        `Invalid import ID`,
		url:                                        `Invalid import ID`,
	}
	p := acctest.Serve(t, s, nil)
	acctest.WantImports(t, p, s, "einvoice_webhook", map[string]string{
		authorized: authorized, "event=invoice.authorized,url=" + url: authorized, "event=invoice.rejected,url=" + odd: rejected,
	}, refused)
	for text := range refused {
		if said := acctest.ErrorsIn(p.Object("einvoice_webhook").Import(text)); strings.Contains(said, webhookSecret) {
			t.Errorf("the error shows the query: %s", said)
		}
	}
}
