package webhook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestWebhook(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "webhooks.json")
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
