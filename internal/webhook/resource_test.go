package webhook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const (
	webhookSecret = "s3cr-in-the-query"
	webhookURL    = "https://erp.example/hooks?token=" + webhookSecret

	webhookMinimal = "event = \"invoice.authorized\"\nurl = \"" + webhookURL + "\"\n"
)

func TestWebhook_isEnabledAndDisabledBySecondRequests(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	const update = plancheck.ResourceActionUpdate
	// sent looks at the writes since the last step, and at the only webhook of the service.
	sent := func(enabled bool, want ...string) func() {
		return func() {
			t.Helper()
			var got []string
			for _, r := range s.Requests() {
				if r.Method != "GET" {
					got = append(got, r.Method+regexp.MustCompile(`^/v1/webhooks(/[^/]{36})?`).ReplaceAllString(r.Path, ""))
				}
			}
			expect.Is(t, fmt.Sprint(got), fmt.Sprint(want), "the writes are %v, want %v", got, want)
			if webhooks := s.Objects(sandbox.KindWebhooks); len(webhooks) != 1 || webhooks[0]["enabled"] != enabled {
				t.Errorf("the service has %v, want one webhook with enabled %t", webhooks, enabled)
			}
			s.ResetRequests()
		}
	}
	off := func() {
		sent(true, "PUT/enable")()
		testkit.PatchAll(s, sandbox.KindWebhooks, map[string]any{"enabled": false})
	}
	testkit.Serve(t, s, nil).Object("einvoice_webhook").RunAnew(s,
		testkit.Step{Arguments: webhookMinimal + "enabled = false", State: map[string]any{"enabled": false}},
		testkit.Step{Before: sent(false, "POST", "PUT/disable"), Arguments: webhookMinimal, Plans: update, State: map[string]any{"enabled": true}},
		// The service disables one by itself.
		testkit.Step{Before: off, Arguments: webhookMinimal, Plans: update, State: map[string]any{"enabled": true}},
		testkit.Step{Before: sent(true, "PUT/enable"), Arguments: strings.Replace(webhookMinimal, "authorized", "rejected", 1) + "enabled = false", Plans: update},
	)
	sent(false, "PUT", "PUT/disable")()
}

func TestWebhook_refusesWrongValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	testkit.WantRefusalsOf(t, "einvoice_webhook", "webhook_refuses_wrong_values_while_planning.json")
}

func TestWebhook_showsNoQueryInTheServicesMessage(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{
		Method: "POST", Path: "/v1/webhooks", Kind: sandbox.FaultStatus, Status: 400,
		Body: `{"errors":[{"message":"The url ` + webhookURL + ` with ` + webhookSecret + ` is blocked","path":"Url"}]}`,
	})
	_, said := testkit.Serve(t, s, nil).Object("einvoice_webhook").Create(map[string]any{"event": "invoice.authorized", "url": webhookURL})
	testkit.WantErrorAt(t, said, "url", `API message: The url https://erp\.example/hooks\?\.\.\. with \.\.\. is blocked\.`)
	if text := testkit.TextsOf(said); strings.Contains(text, webhookSecret) {
		t.Errorf("the error shows the query: %s", text)
	}
}

func TestWebhook_cannotBeDisabled(t *testing.T) {
	t.Parallel()
	arguments := map[string]any{"event": "invoice.authorized", "url": "https://erp.example/", "enabled": false}
	for name, test := range rows.Read[map[string]struct {
		Options sandbox.Options
		Refuses bool
		Left    int
		Want    string
	}](t, "webhook_cannot_be_disabled.json") {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, test.Options)
			if test.Refuses {
				s.Inject(sandbox.Fault{Method: "PUT", Path: "/v1/webhooks/{id}/disable", Kind: sandbox.FaultStatus, Status: 400, Message: "not now"})
			}
			state, said := testkit.Serve(t, s, nil).Object("einvoice_webhook").Create(arguments)
			failed := strings.ReplaceAll(testkit.ErrorsIn(said), "\n", " ")
			failed, _, _ = strings.Cut(failed, "  PUT /v1")
			left := s.Objects(sandbox.KindWebhooks)
			if !regexp.MustCompile(test.Want).MatchString(failed) || strings.Contains(failed, "Nothing was changed") {
				t.Errorf("the error is %q, want %s", failed, test.Want)
			}
			if len(left) != test.Left || (state["id"] != nil) != (test.Left > 0) || test.Left > 0 && (state["id"] != left[0]["id"] || state["enabled"] != true) {
				t.Errorf("the state is %v, and the service has %v", state, left)
			}
			if len(left) > 0 && !strings.Contains(failed, fmt.Sprint(left[0]["id"])) {
				t.Errorf("the error does not name the webhook: %q", failed)
			}
		})
	}
}

func TestWebhookDataSource_findsByIDOrByEventAndURL(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed("webhooks", map[string]any{"id": "id-1", "event": "invoice.authorized", "url": webhookURL, "enabled": true})
	for range 2 {
		s.Seed("webhooks", map[string]any{"event": "invoice.rejected", "url": "https://erp.example/twice?token=" + webhookSecret})
	}
	testkit.WantDataReads(t, s, "einvoice_webhook", rows.Read[[]testkit.DataRead](t, "webhook_data_source_finds.json"))
}

func TestWebhook_importsByEventAndURL(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	const odd = "https://erp.example/a,url=b?events=1,2&token=" + webhookSecret
	authorized := s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.authorized", "url": webhookURL})
	rejected := s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.rejected", "url": odd})
	one := s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.canceled", "url": webhookURL})
	other := s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.canceled", "url": webhookURL})
	refused := map[string]string{
		"event=invoice.rejected,url=" + webhookURL:        `Webhook not found: No webhook sends invoice\.rejected to "https://erp\.example/hooks\?\.\.\."`,
		"event=invoice.canceled,url=" + webhookURL:        `More than one webhook.*: 2 webhooks.*` + one + ", " + other,
		"url=" + webhookURL + ",event=invoice.authorized": `Invalid import ID.*event=invoice\.authorized,url=https://erp\.example\.com/hooks`,
		"event=invoice.authorized," + webhookURL:          `Invalid import ID`,
		"event=invoice.authorized,url=":                   `Invalid import ID`,
		"event=,url=" + webhookURL:                        `Invalid import ID`,
		webhookURL:                                        `Invalid import ID`,
	}
	p := testkit.Serve(t, s, nil)
	testkit.WantImports(t, p, s, "einvoice_webhook", map[string]string{
		authorized: authorized, "event=invoice.authorized,url=" + webhookURL: authorized, "event=invoice.rejected,url=" + odd: rejected,
	}, refused)
	for text := range refused {
		if said := testkit.ErrorsIn(p.Object("einvoice_webhook").Import(text)); strings.Contains(said, webhookSecret) {
			t.Errorf("the error shows the query: %s", said)
		}
	}
}

// A service that shows a webhook in its own way has made it all the same: no second one is created.
func TestWebhook_isKnownInTheFormInWhichTheServiceShowsIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ event, url, warning string }{
		"the event in capitals": {"Invoice.Authorized", "https://erp.example/hooks?token=s3cret", ""},
		"no query":              {"invoice.authorized", "https://erp.example/hooks", "Not kept as sent: url"},
		"a masked query":        {"invoice.authorized", "https://erp.example/hooks?token=****", "Not kept as sent: url"},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			id := s.Seed(sandbox.KindWebhooks, map[string]any{"event": test.event, "url": test.url, "enabled": true})
			s.Inject(sandbox.Fault{
				Method: "POST", Path: "/v1/webhooks", Kind: sandbox.FaultBody, Status: 200,
				Body: fmt.Sprintf(`{"id": %q, "event": %q, "url": %q, "enabled": true}`, id, test.event, test.url),
			})
			o := testkit.Serve(t, s, nil).Object("einvoice_webhook")
			state, said := o.Create(map[string]any{"event": "invoice.authorized", "url": "https://erp.example/hooks?token=s3cret"})
			text := testkit.TextsOf(said)
			if testkit.ErrorsIn(said) != "" || state["id"] != id || state["event"] != "invoice.authorized" || !strings.Contains(text, test.warning) || strings.Contains(text, "s3cret") {
				t.Errorf("the state is %v, and it says %s", state, text)
			}
			fixture.WantRequests(t, s, "POST", "/v1/webhooks", 1)
		})
	}
}

// receives is a resource with a write-only argument, in the place of the secret store of the example.
func receives(s *sandbox.Server, provider string) string {
	return fmt.Sprintf(`
resource "einvoice_company_settings" "receiver" {
  provider   = %s
  company_id = %q
  secrets = {
    service_password_wo         = ephemeral.einvoice_webhook_secret.current.secret
    service_password_wo_version = "1"
  }
}
`, provider, s.OwnerCompanyID())
}

func TestAccWebhookSecret_goesToAWriteOnlyArgumentAndIntoNoFile(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	example := filepath.Join(testkit.ExamplesDir, "ephemeral-resources", "einvoice_webhook_secret")
	w := testkit.ExampleWorkspace(t, s, example)
	if !w.Cli.AtLeast(1, 11) {
		t.Skipf("%s has no write-only arguments", w.Cli)
	}
	w.Write("") // The example has a terraform block of its own.
	const file = "ephemeral-resource.tf"
	w.Edit(file, "    aws = {\n      source = \"hashicorp/aws\"\n    }\n", "")
	text, err := os.ReadFile(filepath.Join(w.Dir, file))
	expect.NoError(t, err)
	_, store, _ := strings.Cut(string(text), `resource "aws_ssm_parameter"`)
	w.Edit(file, `resource "aws_ssm_parameter"`+store, receives(s, "einvoice"))
	before := s.WebhookSecret()
	w.MustRun("plan", "-input=false", "-out=saved.plan")
	w.MustRun("apply", "-input=false", "saved.plan")
	handed := s.SettingsClear(s.OwnerCompanyID())["serviceInvoice"].(map[string]any)["password"]
	if handed != s.WebhookSecret() || handed == before {
		t.Errorf("the other resource was given %q; the secret is %q and was %q", handed, s.WebhookSecret(), before)
	}
	w.MustPlanNothing()
	if found := w.InFiles(s.WebhookSecret()); len(found) > 0 {
		t.Errorf("the secret is in %s", found)
	}
}

func TestWebhookSecret_isReadAndNeverChanged(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for range 2 { // A CLI opens it in plan, and again in apply.
		shown, said := p.Open("einvoice_webhook_secret", nil)
		p.MustNotFail(said)
		expect.Is[any](t, shown["secret"], s.WebhookSecret(), "the secret")
	}
	if all, reads := len(s.Requests()), s.Count("GET", "/v1/webhooks/secret"); all != 2 || reads != 2 {
		t.Errorf("%d requests, %d of them reads of the secret, want 2", all, reads)
	}
}

func TestWebhookSecret_reportsWhatFails(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	for key, want := range map[any]string{"": "Empty API key", "nobody": "Cannot read webhook secret", tftypes.UnknownValue: "Provider configuration not known yet"} {
		_, diagnostics := testkit.Serve(t, s, map[string]any{"api_key": key}).Open("einvoice_webhook_secret", nil)
		expect.Contains(t, testkit.ErrorsIn(diagnostics), want)
	}
	s.Inject(sandbox.Fault{Method: "GET", Path: "/v1/webhooks/secret", Kind: sandbox.FaultBody, Body: `{"secret":"whsec_R0****"}`})
	if _, said := testkit.Serve(t, s, nil).Open("einvoice_webhook_secret", nil); !strings.Contains(testkit.ErrorsIn(said), "The service shows the secret masked") {
		t.Errorf("a mask is read, and what is said is %q", testkit.ErrorsIn(said))
	}
}
