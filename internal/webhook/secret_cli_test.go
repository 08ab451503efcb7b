package webhook_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// besideStandIn makes the workspace use the stand-in for hashicorp/aws, and
// returns the file that holds what that was given.
func besideStandIn(t *testing.T, w *testkit.Workspace) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(program, filepath.Join(dir, testkit.StandInBinary)); err != nil {
		t.Fatal(err)
	}
	config, err := cli.WriteDevOverridesOf(dir, "hashicorp/aws", dir)
	if err != nil {
		t.Fatal(err)
	}
	given := filepath.Join(dir, "given")
	w.Environ = append(w.Environ, "TF_CLI_CONFIG_FILE="+config, testkit.EnvStandIn+"="+given)
	return given
}

func TestAccWebhookSecret_goesToAWriteOnlyArgumentAndIntoNoFile(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.ExampleWorkspace(t, s, filepath.Join(testkit.ExamplesDir, "ephemeral-resources", "einvoice_webhook_secret"))
	if !w.Cli.AtLeast(1, 11) {
		t.Skipf("%s has no write-only arguments", w.Cli)
	}
	w.Write("") // The example has a terraform block of its own.
	given := besideStandIn(t, w)
	before := s.WebhookSecret()
	w.MustRun("plan", "-input=false", "-out=saved.plan")
	w.MustRun("apply", "-input=false", "saved.plan")
	handed, err := os.ReadFile(given)
	if err != nil {
		t.Fatal(err)
	}
	if string(handed) != s.WebhookSecret() || string(handed) == before {
		t.Errorf("the other provider was given %q; the secret is %q and was %q", handed, s.WebhookSecret(), before)
	}
	w.MustPlanNothing()
	err = filepath.WalkDir(w.Dir, func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(file)
		if bytes.Contains(content, handed) {
			t.Errorf("%s holds the secret", entry.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A key that only this run makes is a clear error in plan, which no CLI replaces by
// one of its own about an unknown secret.
func TestAccWebhookSecret_needsAKeyThatIsKnown(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewAttached(t, testkit.Config(s, `
resource "terraform_data" "key" {
  input = "key"
}

ephemeral "einvoice_webhook_secret" "current" {}

resource "aws_ssm_parameter" "secret" {
  name     = "secret"
  type     = "SecureString"
  value_wo = ephemeral.einvoice_webhook_secret.current.secret
}`, "api_key = terraform_data.key.output"))
	if !w.Cli.AtLeast(1, 11) {
		t.Skipf("%s has no write-only arguments", w.Cli)
	}
	besideStandIn(t, w)
	output, ok := w.Run("plan", "-input=false")
	if ok || !strings.Contains(testkit.Unwrapped(output), "Provider configuration not known yet") || !strings.Contains(testkit.Unwrapped(output), "-target") {
		t.Errorf("it succeeded: %t, want an error that says what to do:\n%s", ok, output)
	}
}
