package webhook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

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
