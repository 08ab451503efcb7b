package e2e_test

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

const guidesDir = "../../templates/guides"

var (
	shellBlock    = regexp.MustCompile("(?ms)^```shell\n(.*?)^```$")
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

// fragments are the configurations of guides that are validated and not applied, by
// a text that each has, with the reason.
var fragments = map[string]map[string]string{
	"getting-started.md": {
		"2026-12-consulting": "it is rejected, as TestAccGuides_gettingStartedGoesAsItSays proves",
	},
	"several-machines.md": {
		"requests_per_minute = 20": "it makes the provider wait, and there is nothing else in it",
	},
	"secrets.md": {
		"encryption {": "TestAccGuides_encryptedStateShowsNoSecret applies it",
	},
}

// translated are the guides in English whose fragments and account one in Portuguese shares.
var translated = map[string]string{
	"comecar-uma-empresa.md": "onboarding.md", "primeiros-passos.md": "getting-started.md", "segredos.md": "secrets.md",
}

// guideAccounts are what a guide takes for granted of the account.
var guideAccounts = map[string]func(s *sandbox.Server, w *testkit.Workspace){
	"corrigir-cancelar-devolver.md": func(s *sandbox.Server, w *testkit.Workspace) {
		w.Environ = append(w.Environ, "TF_VAR_venda_id="+s.Seed(sandbox.KindProductInvoices, map[string]any{"integrationId": "venda-2026-0101"}))
	},
	"moving-in.md.tmpl": func(s *sandbox.Server, _ *testkit.Workspace) {
		s.Seed(sandbox.KindCustomers, map[string]any{"name": "Padaria Central", "federalTaxNumber": "11222333000181"})
		s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "2026-11-consulting", "amount": 1500})
	},
	"onboarding.md": withCertificateFile,
	"secrets.md":    withCertificateFile,
}

// withCertificateFile gives the variables of a guide a company, a CSC and a certificate that the service takes.
func withCertificateFile(s *sandbox.Server, w *testkit.Workspace) {
	fixture.ExpectConfiguredPFX(s)
	pfx, err := base64.StdEncoding.DecodeString(fixture.ConfiguredPFX)
	if err != nil {
		w.T.Fatal(err)
	}
	replaceFile(w.T, filepath.Join(w.Dir, "company.pfx"), string(pfx))
	w.Environ = append(w.Environ, "TF_VAR_company_id="+s.OwnerCompanyID(), "TF_VAR_csc=a code", "TF_VAR_csc_version=1",
		"TF_VAR_certificate_file=company.pfx", "TF_VAR_certificate_password="+fixture.ConfiguredPFXPassword)
}

// TestAccGuides_areValidAndApplied takes all configurations of a guide as one, as a
// reader does who follows it: all are valid, and those that are no fragments are
// applied.
func TestAccGuides_areValidAndApplied(t *testing.T) {
	t.Parallel()
	guides, err := filepath.Glob(filepath.Join(guidesDir, "*.md*"))
	if err != nil || len(guides) == 0 {
		t.Fatalf("there are no guides in %s: %v", guidesDir, err)
	}
	taken := map[string]bool{} // A guide in Portuguese may have the code of the one in English.
	for _, guide := range append(guides, "../../README.md", "../../README.pt-BR.md") {
		text := fileText(t, guide)
		name := filepath.Base(guide)
		code := fmt.Sprintf("%q", codeBlock.FindAllString(text, -1))
		if !codeBlock.MatchString(text) || taken[code] {
			continue
		}
		taken[code] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			w := testkit.NewAttached(t, testkit.ExampleVersions)
			if !w.Cli.AtLeast(1, 11) {
				t.Skip("the guides use write-only arguments and ephemeral values")
			}
			w.UseByEnvironment(s)
			blocks := guideBlocks(text, w.Cli.Product)
			if strings.Contains(strings.Join(blocks, "\n"), "required_providers") {
				w.Write("")
			}
			write := func(blocks []string) {
				all := strings.Join(blocks, "\n")
				replaceFile(t, filepath.Join(w.Dir, "guide.tf"), all+missingVariables(all))
			}
			source := cmp.Or(translated[name], name)
			if len(fragments[source]) > 0 { // What is applied is valid.
				write(blocks)
				// A block that encrypts the state wants its passphrase even to validate.
				w.Environ = append(w.Environ, "TF_VAR_state_passphrase=correct horse battery staple")
				w.MustRun("validate")
			}
			whole := slices.Clone(blocks)
			for part := range fragments[source] {
				if !strings.Contains(text, part) {
					t.Errorf("no block has %q", part)
				}
				whole = slices.DeleteFunc(whole, func(block string) bool { return strings.Contains(block, part) })
			}
			if account := guideAccounts[source]; account != nil {
				account(s, w)
			}
			write(whole)
			wantNoDoubt(t, w.MustApply())
			for _, invoice := range s.Invoices("") {
				if invoice["status"] != "authorized" {
					t.Errorf("invoice %v is %v: %v", invoice["integrationId"], invoice["status"], invoice["processingDetail"])
				}
			}
			w.MustPlanNothing()
			for _, field := range s.UnknownFields() {
				t.Errorf("the service does not know %v", field)
			}
		})
	}
}

// TestAccIndex_isValidAndApplied takes each provider block of the index on its own,
// with the companies that it speaks of, and a customer of the account that it makes.
func TestAccIndex_isValidAndApplied(t *testing.T) {
	t.Parallel()
	text := fileText(t, filepath.Join(guidesDir, "..", "index.md.tmpl"))
	w := testkit.NewAttached(t, testkit.ExampleVersions)
	for n, block := range guideBlocks(text, w.Cli.Product) {
		if strings.Contains(block, "resource ") || !strings.Contains(block, "provider \"einvoice\"") {
			t.Fatalf("this is no provider block:\n%s", block)
		}
		s := sandbox.Start(t, sandbox.Options{})
		w := testkit.NewAttached(t, testkit.ExampleVersions)
		w.UseByEnvironment(s)
		provider, companies := "einvoice", ""
		if alias := regexp.MustCompile(`alias\s*= "(\w+)"`).FindStringSubmatch(block); alias != nil {
			provider += "." + alias[1]
		}
		if strings.Contains(block, "einvoice_company.branch") {
			more := ""
			if strings.Contains(block, "for c in") {
				more = "count = 1"
			}
			companies = companyBlock("branch", "11.222.333/0001-81", more)
		}
		replaceFile(t, filepath.Join(w.Dir, "index.tf"), block+missingVariables(block)+companies+
			fmt.Sprintf("resource \"einvoice_customer\" \"test\" {\n  provider = %s\n  name = \"Café\"\n  federal_tax_number = \"45997418000153\"\n}\n", provider))
		w.MustApply()
		if made := len(s.Objects(sandbox.KindCustomers)); made != 1 {
			t.Errorf("block %d: %d customers were made, want 1", n+1, made)
		}
	}
}

// TestAccGuides_encryptedStateShowsNoSecret applies the guide's way of encrypting
// the state with what has secrets in its state.
func TestAccGuides_encryptedStateShowsNoSecret(t *testing.T) {
	t.Parallel()
	text := fileText(t, filepath.Join(guidesDir, "secrets.md"))
	s := sandbox.Start(t, sandbox.Options{})
	planted := plantedSecrets()
	config := secretsConfig(s, planted)
	w := testkit.NewAttached(t, config)
	if w.Cli.Product != cli.OpenTofu {
		t.Skip("only OpenTofu encrypts its state by itself")
	}
	blocks := guideBlocks(text, cli.OpenTofu)
	encryption := slices.IndexFunc(blocks, func(b string) bool { return strings.Contains(b, "encryption {") })
	if encryption < 0 {
		t.Fatal("the guide shows no encryption")
	}
	w.Write(config + blocks[encryption])
	w.Environ = append(w.Environ, "TF_VAR_state_passphrase=correct horse battery staple")
	w.MustRun("plan", "-out=saved")
	w.MustRun("apply", "saved")
	w.MustPlanNothing()
	secrets := secretsOf(s, planted)
	for _, name := range []string{"terraform.tfstate", "saved"} {
		held := fileText(t, filepath.Join(w.Dir, name))
		if name == "terraform.tfstate" && !strings.Contains(held, "encrypted_data") {
			t.Error("the state is not encrypted")
		}
		searchFor(t, name, held, secrets)
	}
}

// TestAccGuides_gettingStartedGoesAsItSays follows the guide for those who have no
// account yet: an invoice, the same one again without a state, and a rejection that
// stays until it is corrected.
func TestAccGuides_gettingStartedGoesAsItSays(t *testing.T) {
	t.Parallel()
	text := readPage(t, "templates/guides/getting-started.md")
	textBlock := regexp.MustCompile("(?ms)^```text\n(.*?)^```$")
	shown := textBlock.FindAllStringSubmatch(text, -1)
	translation := textBlock.FindAllStringSubmatch(readPage(t, "templates/guides/primeiros-passos.md"), -1)
	if len(shown) != 2 || len(translation) != 2 || shown[1][1] != translation[1][1] {
		t.Fatalf("the guides show %q and %q, want an error and the same line to add", shown, translation)
	}
	message, correction := shown[0][1], shown[1][1]
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewAttached(t, "")
	w.UseByEnvironment(s)
	blocks := guideBlocks(text, w.Cli.Product)
	first, second := blocks[0], blocks[1]
	w.Write(first)
	if output := w.MustApply(); !strings.Contains(output, "number = 1") {
		t.Errorf("the number of the invoice is not shown:\n%s", output)
	}
	removeFile(t, filepath.Join(w.Dir, "terraform.tfstate"))
	if output := w.MustApply(); !strings.Contains(output, "Adopted ") {
		t.Errorf("the invoice is not adopted:\n%s", output)
	}
	if n := s.Count("POST", "/v1/service-invoices"); n != 1 {
		t.Errorf("%d invoices were sent, want 1", n)
	}

	for language, message := range map[string]string{"en": message, "pt-BR": translation[0][1]} {
		w.Write(first + second + fmt.Sprintf("provider \"einvoice\" {\n  language = %q\n}\n", language))
		output, ok := w.Run("apply", "-auto-approve")
		for _, paragraph := range strings.Split(message, "\n\n") {
			if ok || !strings.Contains(testkit.Squeezed(output), testkit.Squeezed(paragraph)) {
				t.Errorf("the rejection is not shown as in the guide, %q:\n%s", paragraph, output)
			}
		}
	}
	const description = "dezembro de 2026\"\n"
	w.Write(first + strings.Replace(second, description, description+correction, 1))
	w.MustApply()
	w.MustPlanNothing()
	invoices := s.Invoices("")
	if len(invoices) != 2 {
		t.Errorf("%d invoices, want 2", len(invoices))
	}
	for _, invoice := range invoices {
		if invoice["status"] != "authorized" {
			t.Errorf("invoice %v is %v", invoice["integrationId"], invoice["status"])
		}
	}
	if posts, deletes := s.Count("POST", "/v1/service-invoices"), s.Count("DELETE", "/v1/service-invoices/{id}"); posts != 4 || deletes != 0 {
		t.Errorf("%d invoices were sent and %d canceled, want the first one, three times the second, and none", posts, deletes)
	}
}

// TestGuides_everyShellBlockParses has a shell read the commands without running
// them.
func TestGuides_everyShellBlockParses(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh on this system")
	}
	guides, err := filepath.Glob(filepath.Join(guidesDir, "*.md*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, guide := range append(guides, filepath.Join(guidesDir, "..", "index.md.tmpl"), "../../README.md", "../../README.pt-BR.md", "../../CONTRIBUTING.md") {
		text := fileText(t, guide)
		for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
			cmd := exec.CommandContext(t.Context(), shell, "-n")
			cmd.Stdin = strings.NewReader(block[1])
			if _, err := cli.Output(cmd); err != nil {
				t.Errorf("%s: a shell cannot read\n%s\n%v", guide, block[1], err)
			}
		}
	}
}
