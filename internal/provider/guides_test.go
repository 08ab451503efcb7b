package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const guidesDir = "../../templates/guides"

var (
	codeBlock     = regexp.MustCompile("(?ms)^```terraform\n(.*?)^```$")
	usedVariable  = regexp.MustCompile(`\bvar\.([a-z_]+)`)
	knownVariable = regexp.MustCompile(`(?m)^variable "([a-z_]+)"`)
)

// guideBlocks are the configurations in a guide that a product understands: a
// block that begins with "# OpenTofu" is for that alone, and so on.
func guideBlocks(text string, product cli.Product) []string {
	var blocks []string
	for _, match := range codeBlock.FindAllStringSubmatch(text, -1) {
		first, _, _ := strings.Cut(match[1], "\n")
		if only, ok := strings.CutPrefix(first, "# "); ok && slices.Contains([]cli.Product{cli.Terraform, cli.OpenTofu}, cli.Product(only)) && cli.Product(only) != product {
			continue
		}
		blocks = append(blocks, match[1])
	}
	return blocks
}

// missingVariables declares the variables that a text uses and does not declare.
func missingVariables(text string) string {
	var known, declared []string
	for _, match := range knownVariable.FindAllStringSubmatch(text, -1) {
		known = append(known, match[1])
	}
	for _, match := range usedVariable.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(known, match[1]) {
			known = append(known, match[1])
			declared = append(declared, fmt.Sprintf("variable %q {\n  type    = string\n  default = null\n}\n", match[1]))
		}
	}
	return strings.Join(declared, "")
}

// TestAccGuides_everyBlockIsValid takes all configurations of a guide as one, as
// a reader does who follows it.
func TestAccGuides_everyBlockIsValid(t *testing.T) {
	t.Parallel()
	guides, err := filepath.Glob(filepath.Join(guidesDir, "*.md*"))
	if err != nil || len(guides) == 0 {
		t.Fatalf("there are no guides in %s: %v", guidesDir, err)
	}
	for _, guide := range guides {
		t.Run(filepath.Base(guide), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(guide)
			if err != nil {
				t.Fatal(err)
			}
			w := newWorkspace(t, exampleVersions, "")
			if !w.cli.AtLeast(1, 11) {
				t.Skip("the guides use write-only arguments and ephemeral values")
			}
			blocks := guideBlocks(string(text), w.cli.Product)
			all := strings.Join(append(blocks, missingVariables(strings.Join(blocks, "\n"))), "\n")
			if err := os.WriteFile(filepath.Join(w.dir, "guide.tf"), []byte(all), 0o600); err != nil {
				t.Fatal(err)
			}
			// A block that encrypts the state wants its passphrase even to validate.
			w.environ = append(w.environ, "TF_VAR_state_passphrase=correct horse battery staple")
			if output, ok := w.run("validate"); !ok {
				t.Errorf("the blocks of the guide are not valid:\n%s\n%s", all, output)
			}
		})
	}
}

// TestAccGuides_encryptedStateShowsNoSecret applies the guide's way of encrypting
// the state with what has secrets in its state.
func TestAccGuides_encryptedStateShowsNoSecret(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(guidesDir, "secrets.md"))
	if err != nil {
		t.Fatal(err)
	}
	s := sandbox.Start(t, sandbox.Options{})
	planted := map[string]string{"csc": "planted-csc-3f9a", "password": "planted-password-77c1", "token": "planted-token-0b2e"}
	config := secretsConfig(s, planted, "")
	w := newWorkspace(t, config, "")
	if w.cli.Product != cli.OpenTofu {
		t.Skip("only OpenTofu encrypts its state by itself")
	}
	blocks := guideBlocks(string(text), cli.OpenTofu)
	encryption := slices.IndexFunc(blocks, func(b string) bool { return strings.Contains(b, "encryption {") })
	if encryption < 0 {
		t.Fatal("the guide shows no encryption")
	}
	w.write(config + blocks[encryption])
	w.environ = append(w.environ, "TF_VAR_state_passphrase=correct horse battery staple")
	w.mustRun("plan", "-out=saved")
	w.mustRun("apply", "saved")
	if plan, ok := w.run("plan", "-detailed-exitcode"); !ok {
		t.Errorf("the encrypted state cannot be planned with:\n%s", plan)
	}
	secrets := map[string]string{"the csc": planted["csc"], "the password": planted["password"], "the token": planted["token"], "the webhook secret": s.WebhookSecret()}
	for _, company := range s.Objects("companies") {
		secrets["the key of "+fmt.Sprint(company["name"])] = s.KeyOf(fmt.Sprint(company["id"]))
	}
	for _, name := range []string{"terraform.tfstate", "saved"} {
		held, err := os.ReadFile(filepath.Join(w.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "terraform.tfstate" && !strings.Contains(string(held), "encrypted_data") {
			t.Error("the state is not encrypted")
		}
		searchFor(t, name, string(held), secrets)
	}
}
