package e2e_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// secretsConfig holds every kind of secret the provider takes or makes.
func secretsConfig(s *sandbox.Server, planted map[string]string) string {
	company := companyBlock("branch", "11444777000161", "deletion_protection = false")
	return testkit.Config(s, company+fmt.Sprintf(`
resource "einvoice_company_settings" "branch" {
  company_id       = einvoice_company.branch.id
  consumer_invoice = { token_id = "1", csc = %[1]q }
  service_invoice  = { user_name = "city", password = %[2]q }
}
resource "einvoice_webhook" "test" {
  event = "invoice.authorized"
  url   = "https://example.com/hook?token=%[3]s"
}
resource "einvoice_webhook_secret_rotation" "test" {}
`, planted["csc"], planted["password"], planted["token"]))
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
	s := sandbox.Start(t, sandbox.Options{})
	planted := plantedSecrets()
	w := testkit.NewWorkspace(t, secretsConfig(s, planted), "")
	logs := filepath.Join(t.TempDir(), "trace.log")
	w.Environ = append(w.Environ, "TF_LOG=TRACE", "TF_LOG_PATH="+logs)

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
	w.Write(strings.Replace(secretsConfig(s, planted), `token_id = "1"`, `token_id = "2"`, 1))
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

// releasedVersion is that of the archive the tests install.
const releasedVersion = "0.1.0"

// releaseSetting reads the first value of a key in .goreleaser.yml after a line, as goreleaser fills it in.
func releaseSetting(t *testing.T, after, key string) string {
	t.Helper()
	_, rest, _ := strings.Cut(readPage(t, ".goreleaser.yml"), "\n"+after+":\n")
	value := regexp.MustCompile(`(?m)^ +(?:- )?` + regexp.QuoteMeta(key) + ` *"?([^"\n]+)"?$`).FindStringSubmatch(rest)
	if value == nil {
		t.Fatalf(".goreleaser.yml has no %s below %s", key, after)
	}
	filled := strings.NewReplacer("{{ .ProjectName }}", "terraform-provider-einvoice", "{{ .Version }}", releasedVersion,
		"{{ .Os }}", runtime.GOOS, "{{ .Arch }}", runtime.GOARCH).Replace(value[1])
	expect.False(t, strings.Contains(filled, "{{"), "%s of .goreleaser.yml is not understood here: %s", key, filled)
	return filled
}

// releaseArchive is the provider's archive for this platform, linked and named as .goreleaser.yml says. It is compiled
// as for the other tests, which costs nothing.
func releaseArchive(t *testing.T) (name, content string) {
	t.Helper()
	dir, program := t.TempDir(), releaseSetting(t, "builds", "binary:")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	linked, built := "-s -w "+releaseSetting(t, "builds", "-s -w"), filepath.Join(dir, program)
	_, err := cli.Output(exec.CommandContext(t.Context(), "go", "build", "-ldflags", linked, "-o", built, "../.."))
	expect.NoError(t, err)
	return releaseSetting(t, "archives", "name_template:") + ".zip", zipped(t, dir)
}

// zipped is an archive of a directory.
func zipped(t *testing.T, dir string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	expect.NoError(t, z.AddFS(os.DirFS(dir)))
	expect.NoError(t, z.Close())
	return b.String()
}

// mirroredWorkspace is a workspace whose CLI installs the released archive from a
// directory, and knows no other way: no registry, no network, no override.
func mirroredWorkspace(t *testing.T, config string) (w *testkit.Workspace, archives []string) {
	t.Helper()
	w = testkit.NewWorkspace(t, config, "")
	name, archive := releaseArchive(t)
	mirror := t.TempDir()
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		dir := filepath.Join(mirror, host, "einvoice-br", "einvoice")
		expect.NoError(t, os.MkdirAll(dir, 0o700))
		archives = append(archives, filepath.Join(dir, name))
		replaceFile(t, archives[len(archives)-1], archive)
	}
	file := filepath.Join(t.TempDir(), "mirror.tfrc")
	content := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", filepath.ToSlash(mirror))
	replaceFile(t, file, content)
	// Whoever asks a registry all the same is refused a connection.
	w.Environ = append(cli.Environ(w.Environ, file), "HTTPS_PROXY=http://127.0.0.1:1", "https_proxy=http://127.0.0.1:1", "NO_PROXY=", "no_proxy=")
	return w, archives
}

func releasedConfig(s *sandbox.Server) string {
	return fmt.Sprintf(`
terraform {
  required_providers {
    einvoice = {
      source  = "einvoice-br/einvoice"
      version = %q
    }
  }
}

provider "einvoice" {
  base_url = %q
  api_key  = %q
}
`, releasedVersion, s.BaseURL(), s.OwnerKey()) + invoiceBlock("sale", "released-1", "10", "")
}

func TestAccRelease_theArchiveIsInstalledFromAMirrorAndAppliesUnlessItWasChanged(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w, archives := mirroredWorkspace(t, releasedConfig(s))
	output := w.MustRun("init", "-input=false")
	expect.False(t, strings.Contains(output, "development overrides") || !strings.Contains(output, "v"+releasedVersion),
		"init does not install %s:\n%s", releasedVersion, output)
	lock := fileText(t, filepath.Join(w.Dir, ".terraform.lock.hcl"))
	expect.Contains(t, lock, `version     = "`+releasedVersion+`"`)
	expect.Contains(t, lock, `"h1:`)
	w.MustApply()
	if invoices := s.InvoicesByIntegrationID("released-1"); len(invoices) != 1 || invoices[0]["status"] != "authorized" {
		t.Errorf("the invoices are %v, want one that is authorized", invoices)
	}
	// The version is set while linking.
	sent, _ := s.Last("POST", fixture.ServiceInvoices)
	expect.Contains(t, sent.Header.Get("User-Agent"), releasedVersion)

	// An archive that was changed is not installed.
	expect.NoError(t, os.RemoveAll(filepath.Join(w.Dir, ".terraform")))
	other := t.TempDir()
	replaceFile(t, filepath.Join(other, "terraform-provider-einvoice_v"+releasedVersion), "#!/bin/sh\n")
	for _, path := range archives {
		replaceFile(t, path, zipped(t, other))
	}
	refused, ok := w.Run("init", "-input=false")
	expect.False(t, ok || !strings.Contains(testkit.Unwrapped(refused), "checksum"),
		"init succeeds: %t, want a refusal for the checksum:\n%s", ok, refused)
}
