package provider

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// secretsConfig holds every kind of secret the provider takes or makes.
func secretsConfig(s *sandbox.Server, planted map[string]string, more string) string {
	return configFor(s, fmt.Sprintf(`
resource "einvoice_company" "branch" {
  name                = "Branch"
  legal_name          = "Branch Ltda"
  federal_tax_number  = "11444777000161"
  deletion_protection = false
  address             = { street = "Rua A", number = "1", district = "Centro", postal_code = "01310100", city = { code = "3550308" } }
}
resource "einvoice_company_settings" "branch" {
  company_id       = einvoice_company.branch.id
  consumer_invoice = { token_id = "1", csc = %[1]q }
  service_invoice  = { user_name = "city", password = %[2]q }
  %[4]s
}
resource "einvoice_webhook" "test" {
  event = "invoice.authorized"
  url   = "https://example.com/hook?token=%[3]s"
}
resource "einvoice_webhook_secret_rotation" "test" {}
`, planted["csc"], planted["password"], planted["token"], more))
}

// TestAccSecrets_appearNowhereButInState plants a unique value for each secret,
// and searches everything that is written while the CLI and the provider log
// all they can.
func TestAccSecrets_appearNowhereButInState(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	planted := map[string]string{}
	for _, name := range []string{"csc", "password", "token"} {
		planted[name] = "planted" + strings.ReplaceAll(uuid.NewString(), "-", "")
	}
	w := newWorkspace(t, secretsConfig(s, planted, ""), "")
	logs := filepath.Join(t.TempDir(), "trace.log")
	w.environ = append(w.environ, "TF_LOG=TRACE", "TF_LOG_PATH="+logs)

	var written strings.Builder
	run := func(args ...string) {
		output, _ := w.run(args...)
		written.WriteString(output)
	}
	run("plan", "-out=saved")
	run("show", "saved")
	run("apply", "saved")
	run("plan")
	run("apply", "-json", "-auto-approve")
	// Errors are where secrets slip out: the service repeats what it was sent.
	w.write(strings.Replace(secretsConfig(s, planted, ""), `token_id = "1"`, `token_id = "2"`, 1))
	s.Inject(sandbox.Fault{
		Kind: sandbox.FaultStatus, Method: "PUT", Path: "/v1/companies/{id}/settings", Status: 400,
		Body: fmt.Sprintf(`{"errors":[{"message":"csc %s or key %s is wrong","path":"consumerInvoice.csc"}]}`, planted["csc"], s.OwnerKey()),
	})
	run("apply", "-auto-approve")
	if words := strings.Join(strings.Fields(written.String()), " "); !strings.Contains(words, "csc (secret) or key (API key) is wrong") {
		t.Errorf("the error of the settings is not shown:\n%s", written.String())
	}
	s.RegenerateKey(s.OwnerCompanyID())
	run("plan")

	secrets := map[string]string{"the main company's key": s.OwnerKey(), "the webhook secret": s.WebhookSecret()}
	for name, value := range planted {
		secrets["the "+name] = value
	}
	for _, value := range stateValues(t, w, "einvoice_company", "api_key") {
		secrets["the branch's key"] = value
	}
	log, err := os.ReadFile(logs)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(log), "Answer from the service") {
		t.Error("the log of the provider was not written: this test would find nothing in it")
	}
	// In a plan's own text a webhook's url is shown: it is not marked sensitive.
	text := strings.ReplaceAll(written.String(), "https://example.com/hook?token="+planted["token"], "")
	for name, value := range secrets {
		if value == "" {
			t.Errorf("%s is not known: this test would find nothing", name)
			continue
		}
		if strings.Contains(text, value) {
			t.Errorf("%s is in what the CLI printed:\n%s", name, around(text, value))
		}
		if strings.Contains(string(log), value) && name != "the token" {
			t.Errorf("%s is in the log:\n%s", name, around(string(log), value))
		}
	}
}

// TestAccSecrets_writeOnlyValuesNeverReachState also fails an update: the
// framework nullifies write-only values only where there is no error.
func TestAccSecrets_writeOnlyValuesNeverReachState(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := newWorkspace(t, "", "")
	if (w.cli.Product == "Terraform" || w.cli.Product == "OpenTofu") && !w.cli.AtLeast(1, 11) {
		t.Skip("write-only arguments need Terraform or OpenTofu 1.11")
	}
	first, second := "planted"+uuid.NewString(), "planted"+uuid.NewString()
	config := func(value, version string) string {
		return configFor(s, fmt.Sprintf(`
resource "einvoice_company_settings" "own" {
  company_id       = %q
  consumer_invoice = { token_id = "1" }
  secrets          = { csc_wo = %q, csc_wo_version = %q, service_password_wo = %[2]q, service_password_wo_version = %[3]q }
}`, s.OwnerCompanyID(), value, version))
	}
	w.write(config(first, "1"))
	w.mustApply()
	if got := s.SettingsClear(s.OwnerCompanyID())["consumerInvoice"]; !strings.Contains(fmt.Sprint(got), first) {
		t.Errorf("the csc was not sent: %v", got)
	}
	w.write(config(second, "2"))
	s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "PUT", Path: "/v1/companies/{id}/settings", Status: 400, Body: `{"message":"no"}`})
	if output, ok := w.run("apply", "-auto-approve"); ok {
		t.Errorf("the update must fail:\n%s", output)
	}
	w.mustApply()
	for _, name := range []string{"terraform.tfstate", "terraform.tfstate.backup"} {
		state, err := os.ReadFile(filepath.Join(w.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range []string{first, second} {
			if strings.Contains(string(state), value) {
				t.Errorf("a write-only value is in %s", name)
			}
		}
	}
	if got := s.SettingsClear(s.OwnerCompanyID())["consumerInvoice"]; !strings.Contains(fmt.Sprint(got), second) {
		t.Errorf("the new csc was not sent: %v", got)
	}
}

// stateValues reads one attribute of all resources of a type from the state.
func stateValues(t *testing.T, w *workspace, kind, attribute string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	var state struct {
		Resources []struct {
			Type      string
			Instances []struct{ Attributes map[string]any }
		}
	}
	if err := json.Unmarshal(text, &state); err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, r := range state.Resources {
		for _, instance := range r.Instances {
			if value, ok := instance.Attributes[attribute].(string); ok && r.Type == kind {
				values = append(values, value)
			}
		}
	}
	return values
}

// around shows where a value was found, without the value.
func around(text, value string) string {
	i := strings.Index(text, value)
	return text[max(0, i-300):i] + "[HERE]"
}
