package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// secretsConfig holds every kind of secret the provider takes or makes.
func secretsConfig(t *testing.T, s *sandbox.Server, planted map[string]string) string {
	t.Helper()
	words := strings.NewReplacer("CSC", planted["csc"], "PASSWORD", planted["password"], "TOKEN", planted["token"])
	return testkit.Config(s, words.Replace(fileText(t, filepath.Join("testdata", "secrets.tf"))))
}

// planting is a workspace with planted secrets, of which all is logged at a level into a file.
func planting(t *testing.T, level string) (s *sandbox.Server, w *testkit.Workspace, planted map[string]string, logs string) {
	t.Helper()
	s, planted, logs = sandbox.Start(t, sandbox.Options{}), plantedSecrets(), filepath.Join(t.TempDir(), "trace.log")
	w = testkit.NewWorkspace(t, secretsConfig(t, s, planted), "")
	w.Environ = append(w.Environ, "TF_LOG="+level, "TF_LOG_PATH="+logs)
	return s, w, planted, logs
}

// plantedSecrets are values that appear nowhere else.
func plantedSecrets() map[string]string {
	planted := map[string]string{}
	for _, name := range []string{"csc", "password", "token"} {
		planted[name] = "planted" + strings.ReplaceAll(uuid.NewString(), "-", "")
	}
	return planted
}

// secretsOf are the planted ones, and those that the service has made.
func secretsOf(s *sandbox.Server, planted map[string]string) map[string]string {
	secrets := map[string]string{"the webhook secret": s.WebhookSecret()}
	for name, value := range planted {
		secrets["the "+name] = value
	}
	for _, company := range s.Objects(sandbox.KindCompanies) {
		secrets["the key of "+fmt.Sprint(company["name"])] = s.KeyOf(fmt.Sprint(company["id"]))
	}
	return secrets
}

// withoutHook is a text without the webhook's url, which is not marked sensitive.
func withoutHook(text string, planted map[string]string) string {
	return strings.ReplaceAll(text, "https://example.com/hook?token="+planted["token"], "")
}

// TestAccSecrets_appearNowhereButInState plants a unique value for each secret, and searches everything that is written
// while the CLI and the provider log all they can.
func TestAccSecrets_appearNowhereButInState(t *testing.T) {
	t.Parallel()
	s, w, planted, logs := planting(t, "TRACE")

	var written strings.Builder
	run := func(args ...string) {
		output, _ := w.Run(args...)
		written.WriteString(output)
	}
	run("plan", "-out=saved")
	run("show", "saved")
	run("apply", "saved")
	run("apply", "-json", "-auto-approve")
	// Errors are where secrets slip out: the service repeats what it was sent.
	w.Write(strings.Replace(secretsConfig(t, s, planted), `token_id = "1"`, `token_id = "2"`, 1))
	s.Inject(sandbox.Fault{
		Kind: sandbox.FaultStatus, Method: "PUT", Path: "/v1/companies/{id}/settings", Status: 400,
		Body: fmt.Sprintf(`{"errors":[{"message":"csc %s or key %s is wrong","path":"consumerInvoice.csc"}]}`, planted["csc"], s.OwnerKey()),
	})
	run("apply", "-auto-approve")
	expect.Contains(t, strings.Join(strings.Fields(written.String()), " "), "csc (secret) or key (API key) is wrong")
	s.RegenerateKey(s.OwnerCompanyID())
	run("plan")

	secrets := secretsOf(s, planted)
	searchFor(t, "what the CLI printed", withoutHook(written.String(), planted), secrets)
	delete(secrets, "the token") // The CLI logs the plan itself.
	searchFor(t, "the log", providerLog(t, logs), secrets)
}

// searchFor fails the test for each value that is in a text.
func searchFor(t *testing.T, where, text string, secrets map[string]string) {
	t.Helper()
	for name, value := range secrets {
		if value == "" {
			t.Errorf("%s is not known: this test would find nothing", name)
			continue
		}
		if strings.Contains(text, value) {
			t.Errorf("%s is in %s:\n%s", name, where, around(text, value))
		}
	}
}

func providerLog(t *testing.T, file string) string {
	t.Helper()
	log := fileText(t, file)
	expect.True(t, strings.Contains(log, "Answer from the service"),
		"the log of the provider was not written: this test would find nothing in it")
	return log
}

// around shows where a value was found, without the value.
func around(text, value string) string {
	i := strings.Index(text, value)
	return text[max(0, i-300):i] + "[HERE]"
}
