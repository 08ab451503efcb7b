package e2e_test

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
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
	"onboarding.md":      withCertificateFile,
	"secrets.md":         withCertificateFile,
	"company-onboarding": func(s *sandbox.Server, w *testkit.Workspace) { takeModule(w.T, w, s, "company-onboarding", 11) },
	"monthly-invoices": func(s *sandbox.Server, w *testkit.Workspace) {
		takeModule(w.T, w, s, "monthly-invoices", 8)
		copyFile(w.T, filepath.Join(w.Dir, "monthly-invoices", "example", "2026-11.csv"), filepath.Join(w.Dir, "2026-11.csv"))
	},
}

// withCertificateFile gives the variables of a guide a company, a CSC and a certificate that the service takes.
func withCertificateFile(s *sandbox.Server, w *testkit.Workspace) {
	fixture.ExpectConfiguredPFX(s)
	pfx, err := base64.StdEncoding.DecodeString(fixture.ConfiguredPFX)
	expect.NoError(w.T, err)
	replaceFile(w.T, filepath.Join(w.Dir, "company.pfx"), string(pfx))
	w.Environ = append(w.Environ, "TF_VAR_company_id="+s.OwnerCompanyID(), "TF_VAR_csc=a code", "TF_VAR_csc_version=1",
		"TF_VAR_certificate_file=company.pfx", "TF_VAR_certificate_password="+fixture.ConfiguredPFXPassword)
}

// TestAccGuides_areValidAndApplied takes all configurations of a guide, or of the README of a module, as one, as a reader
// does who follows it: all are valid, and those that are no fragments are applied.
func TestAccGuides_areValidAndApplied(t *testing.T) {
	t.Parallel()
	guides, err := filepath.Glob(filepath.Join(guidesDir, "*.md*"))
	if err != nil || len(guides) == 0 {
		t.Fatalf("there are no guides in %s: %v", guidesDir, err)
	}
	modules, err := filepath.Glob(filepath.Join(testkit.ExamplesDir, "modules", "*", "README.md"))
	expect.NoError(t, err)
	taken := map[string]bool{} // A guide in Portuguese may have the code of the one in English.
	for _, guide := range slices.Concat(guides, modules, []string{"../../README.md", "../../README.pt-BR.md"}) {
		text := fileText(t, guide)
		name := filepath.Base(guide)
		isModule := slices.Contains(modules, guide)
		if isModule {
			name = filepath.Base(filepath.Dir(guide))
		}
		code := fmt.Sprintf("%q", codeBlock.FindAllString(text, -1))
		if !codeBlock.MatchString(text) || taken[code] {
			continue
		}
		taken[code] = true
		rows.Case(t, name, func(t *testing.T) {
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
				expect.Contains(t, text, part)
				whole = slices.DeleteFunc(whole, func(block string) bool { return strings.Contains(block, part) })
			}
			if account := guideAccounts[source]; account != nil {
				account(s, w)
			}
			write(whole)
			if isModule {
				w.MustRun("get")
			}
			wantNoDoubt(t, w.MustApply())
			expect.False(t, isModule && fixture.CountWrites(s) == 0, "nothing was sent")
			wantAuthorized(t, s)
			w.MustPlanNothing()
			wantKnownFields(t, s)
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
		expect.Is(t, len(s.Objects(sandbox.KindCustomers)), 1, "block %d customers were made", n+1)
	}
}

// TestAccGuides_encryptedStateShowsNoSecret applies the guide's way of encrypting
// the state with what has secrets in its state.
func TestAccGuides_encryptedStateShowsNoSecret(t *testing.T) {
	t.Parallel()
	text := fileText(t, filepath.Join(guidesDir, "secrets.md"))
	s := sandbox.Start(t, sandbox.Options{})
	planted := plantedSecrets()
	config := secretsConfig(t, s, planted)
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
		expect.False(t, name == "terraform.tfstate" && !strings.Contains(held, "encrypted_data"),
			"the state is not encrypted")
		searchFor(t, name, held, secrets)
	}
}

// TestAccGuides_gettingStartedGoesAsItSays follows the guide for those who have no account yet: an invoice, the same
// one again without a state, and a rejection that stays until it is corrected.
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
	expect.Contains(t, w.MustApply(), "number = 1")
	removeFile(t, filepath.Join(w.Dir, "terraform.tfstate"))
	expect.Contains(t, w.MustApply(), "Adopted ")
	fixture.WantRequests(t, s, "POST", "/v1/service-invoices", 1)

	for language, message := range map[string]string{"en": message, "pt-BR": translation[0][1]} {
		w.Write(first + second + fmt.Sprintf("provider \"einvoice\" {\n  language = %q\n}\n", language))
		output, ok := w.Run("apply", "-auto-approve")
		for _, paragraph := range strings.Split(message, "\n\n") {
			expect.False(t, ok || !strings.Contains(testkit.Squeezed(output), testkit.Squeezed(paragraph)),
				"the rejection is not shown as in the guide, %q:\n%s", paragraph, output)
		}
	}
	const description = "dezembro de 2026\"\n"
	w.Write(first + strings.Replace(second, description, description+correction, 1))
	w.MustApply()
	w.MustPlanNothing()
	expect.Is(t, len(s.Invoices("")), 2, "invoices")
	wantAuthorized(t, s)
	if posts, deletes := s.Count("POST", "/v1/service-invoices"), s.Count("DELETE", "/v1/service-invoices/{id}"); posts != 4 || deletes != 0 {
		t.Errorf("%d invoices were sent and %d canceled, want the first one, three times the second, and none", posts, deletes)
	}
}

// TestGuides_everyShellBlockParses has a shell read the commands without running them.
func TestGuides_everyShellBlockParses(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh on this system")
	}
	guides, err := filepath.Glob(filepath.Join(guidesDir, "*.md*"))
	expect.NoError(t, err)
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

// sandboxProgram is the sandbox as a program of its own.
var sandboxProgram = sync.OnceValues(func() (string, error) {
	program := filepath.Join(os.Getenv(message.EnvCacheDir), "einvoice-sandbox")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	_, err := cli.Output(exec.CommandContext(context.Background(), "go", "build", "-o", program, "../cmd/sandbox"))
	return program, err
})

// copyExample copies an example with all that is below it, but nothing that a run in it has left there.
func copyExample(t *testing.T, from, to string) {
	t.Helper()
	expect.NoError(t, os.CopyFS(to, os.DirFS(from)))
	for _, pattern := range []string{".*", "*.tfstate*", "*/.*", "*/*.tfstate*"} {
		left, err := filepath.Glob(filepath.Join(to, pattern))
		expect.NoError(t, err)
		for _, name := range left {
			expect.NoError(t, os.RemoveAll(name))
		}
	}
}

// takeTesting makes a workspace a copy of examples/testing whose modules are installed, as
// `init` does it for a provider that a registry knows.
func takeTesting(t *testing.T, w *testkit.Workspace) *testkit.Workspace {
	t.Helper()
	removeFile(t, filepath.Join(w.Dir, "main.tf"))
	copyExample(t, filepath.Join(testkit.ExamplesDir, "testing"), w.Dir)
	w.MustRun("get")
	return w
}

// sandboxedTest runs the CLI's tests as the example's README says.
func sandboxedTest(t *testing.T, w *testkit.Workspace, args ...string) (output string, ok bool) {
	t.Helper()
	args = append([]string{"-script", filepath.Join("tests", "outcomes.json"), w.Cli.Path, "test", "-no-color"}, args...)
	program, err := sandboxProgram()
	expect.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = w.Dir, w.Environ
	cmd.WaitDelay = 5 * time.Second
	shown, err := cli.Output(cmd)
	if err != nil {
		return err.Error(), false
	}
	return string(shown), true
}

func TestAccTestingExample_passesAgainstTheSandbox(t *testing.T) {
	t.Parallel()
	output, ok := sandboxedTest(t, takeTesting(t, testkit.NewWorkspace(t, "", "")))
	expect.False(t, !ok || !strings.Contains(output, "Success! 12 passed, 0 failed."),
		"the tests of the example do not pass:\n%s", output)
}

// TestAccTestingExample_failsWhereItShould breaks the module and the script: tests that cannot fail are no example.
func TestAccTestingExample_failsWhereItShould(t *testing.T) {
	t.Parallel()
	tests := rows.Read[[]struct{ Name, Tests, File, From, To, Want string }](t, "acc_testing_example_fails_where_it_should.json")
	for _, tt := range tests {
		rows.Case(t, tt.Name, func(t *testing.T) {
			w := takeTesting(t, testkit.NewWorkspace(t, "", ""))
			w.Edit(tt.File, tt.From, tt.To)
			output, ok := sandboxedTest(t, w, "-filter="+filepath.Join("tests", tt.Tests+".tftest.hcl"))
			expect.False(t, ok || !strings.Contains(testkit.Unwrapped(output), tt.Want),
				"the tests pass: %t, want a failure that says %q:\n%s", ok, tt.Want, output)
		})
	}
}

const (
	repositoryRoot = "../.."
	repositoryURL  = "https://github.com/einvoice-br/terraform-provider-einvoice/"
)

var (
	linkTarget   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fencedBlock  = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	pageHeading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	pageAnchor   = regexp.MustCompile(`<a id="([^"]+)">`)
	notInAnchor  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	linkText     = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	frontSubject = regexp.MustCompile(`(?m)^subcategory: "(.*)"$`)
)

// pages are the texts of all pages that somebody reads, by their path from the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, dir := range []string{".", "docs", "examples"} {
		err := fs.WalkDir(os.DirFS(repositoryRoot), dir, func(file string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && dir == "." && file != dir:
				return fs.SkipDir
			case strings.HasSuffix(file, ".md"):
				texts[file] = readPage(t, file)
			}
			return nil
		})
		expect.NoError(t, err)
	}
	return texts
}

// anchors are the places of a page that a link can name, as GitHub and the registries do.
func anchors(text string) []string {
	var found []string
	for _, id := range pageAnchor.FindAllStringSubmatch(text, -1) {
		found = append(found, id[1])
	}
	for _, heading := range pageHeading.FindAllStringSubmatch(fencedBlock.ReplaceAllString(text, ""), -1) {
		words := strings.ToLower(linkText.ReplaceAllString(heading[1], "$1"))
		found = append(found, strings.ReplaceAll(notInAnchor.ReplaceAllString(words, ""), " ", "-"))
	}
	return found
}

// Links lead to what is there, and from the first page to every guide.
func TestPages_linkWhatIsThere(t *testing.T) {
	t.Parallel()
	all, leadsTo := pages(t), map[string][]string{}
	for file, text := range all {
		for _, link := range linkTarget.FindAllStringSubmatch(fencedBlock.ReplaceAllString(text, ""), -1) {
			target, anchor, _ := strings.Cut(link[1], "#")
			if ours, ok := strings.CutPrefix(target, repositoryURL); ok {
				_, inTree, ok := strings.Cut(ours, "/main/") // blob/main/FILE or tree/main/DIRECTORY
				if !ok {
					continue
				}
				target = inTree
			} else if strings.Contains(target, ":") {
				continue
			} else if target == "" {
				target = file
			} else {
				target = path.Join(path.Dir(file), target)
			}
			if _, err := os.Stat(filepath.Join(repositoryRoot, filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links %s, which is not there", file, link[1])
			}
			other, ok := all[target]
			expect.False(t, ok && anchor != "" && !slices.Contains(anchors(other), anchor),
				"%s links %s, and that page has no such heading", file, link[1])
			leadsTo[file] = append(leadsTo[file], target)
		}
	}
	reachable := []string{"docs/index.md"}
	for i := 0; i < len(reachable); i++ { // It grows on the way.
		for _, target := range leadsTo[reachable[i]] {
			if strings.HasPrefix(target, "docs/guides/") && !slices.Contains(reachable, target) {
				reachable = append(reachable, target)
			}
		}
	}
	for file := range all {
		expect.False(t, strings.HasPrefix(file, "docs/guides/") && !slices.Contains(reachable, file),
			"no way leads from the first page to %s", file)
	}
}

// The registries show the pages by subcategory. What is about one noun stands
// together: its resource, data sources, actions and the rest.
func TestDocs_haveOneSubcategoryForEachNoun(t *testing.T) {
	t.Parallel()
	of := map[string]string{}
	for file, text := range pages(t) {
		dir, name := path.Split(file)
		found := frontSubject.FindStringSubmatch(text)
		switch {
		case !strings.HasPrefix(file, "docs/") || file == "docs/index.md":
			continue
		case found == nil:
			t.Errorf("%s has no subcategory", file)
			continue
		case dir == "docs/guides/":
			if !slices.Contains([]string{"", "Guias em português"}, found[1]) {
				t.Errorf("%s is in %q, which is no subcategory of guides", file, found[1])
			}
			continue
		case !slices.Contains([]string{"Account", "Catalog", "Invoices", "Received invoices", "Webhooks", "Reference"}, found[1]):
			t.Errorf("%s is in %q: give its noun a place in the templates", file, found[1])
		}
		noun, _, _ := strings.Cut(strings.TrimSuffix(name, ".md"), "_")
		if stem, ok := strings.CutSuffix(noun, "ies"); ok {
			noun = stem + "y"
		}
		noun = strings.TrimSuffix(noun, "s")
		if before, ok := of[noun]; ok && before != found[1] {
			t.Errorf("%s is in %q, and another page about %s in %q", file, found[1], noun, before)
		}
		of[noun] = found[1]
	}
}

var (
	glossaryRow = regexp.MustCompile(`(?m)^\| [^|]+ \| [^|]+ \| [^|]+ \| ([^|]+) \|$`)
	codeSpan    = regexp.MustCompile("`[^`]+`")
	nameInCode  = regexp.MustCompile(`\w+`)
)

func TestGlossary_namesWhatThereIs(t *testing.T) {
	t.Parallel()
	known, names := shownNames(t), 0
	for _, row := range glossaryRow.FindAllStringSubmatch(readPage(t, "templates/guides/glossary.md"), -1) {
		for _, code := range codeSpan.FindAllString(row[1], -1) {
			for _, name := range nameInCode.FindAllString(code, -1) {
				names++
				expect.True(t, known[name], "a word is said to be in %s, and there is no %s", code, name)
			}
		}
	}
	expect.False(t, names < 60, "%d names were found; there are more", names)
}

var titlesCell = regexp.MustCompile("(?m)^\\| (`[^|]*?) \\|")

func TestTroubleshooting_hasTitlesThatTheProviderGives(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{"sandbox", "e2e", "tools"}, entry.Name()):
			return fs.SkipDir
		case path == "../text/testdata/en.txt", strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			text, err := os.ReadFile(path)
			source.Write(text)
			return err
		}
		return nil
	})
	expect.NoError(t, err)
	titles := 0
	for _, cell := range titlesCell.FindAllStringSubmatch(readPage(t, "templates/guides/troubleshooting.md"), -1) {
		if strings.Contains(cell[1], "(of the CLI)") {
			continue
		}
		for _, title := range codeSpan.FindAllString(cell[1], -1) {
			titles++
			for part := range strings.SplitSeq(strings.Trim(title, "`"), "…") {
				expect.Contains(t, source.String(), strings.Trim(part, " :"))
			}
		}
	}
	expect.False(t, titles < 50, "%d titles were found; there are more", titles)
}

// shownNames are the words of the pages about resources, data sources and functions,
// of the guides about payloads, and of the rules for payloads.
func shownNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, pattern := range []string{"../../docs/[^g]*/*.md", "../../docs/guides/payloads.md", "../../docs/guides/frequent-rejections.md", "../fiscal/shapes.csv"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("there is no %s: %v", pattern, err)
		}
		for _, file := range files {
			text := fileText(t, file)
			for _, name := range nameInCode.FindAllString(text, -1) {
				names[name] = true
			}
		}
	}
	return names
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	return fileText(t, filepath.Join(repositoryRoot, filepath.FromSlash(name)))
}

// wantNoDoubt checks that an apply of what users copy warns of nothing in it.
func wantNoDoubt(t *testing.T, output string) {
	t.Helper()
	for _, doubt := range []string{
		"Problems in payload_json", "Text that an invoice may not carry", "Not kept as sent", "Two new ", "holds nothing",
	} {
		expect.False(t, strings.Contains(output, doubt), "the apply warns %q:\n%s", doubt, output)
	}
}

var fieldRow = regexp.MustCompile("(?m)^\\| ((?:[^|]*`)[^|]*)\\|.*$")

// Both guides about payloads have the same fields, and the same codes of rejections for each.
func TestPayloads_areTheSameInBothLanguages(t *testing.T) {
	t.Parallel()
	codes := func(page string) (rows []string) {
		for _, row := range fieldRow.FindAllString(readPage(t, page), -1) {
			rows = append(rows, strings.Join(codeSpan.FindAllString(row, -1), " "))
		}
		return rows
	}
	english, portuguese := codes("templates/guides/payloads.md"), codes("templates/guides/preencher-o-payload.md")
	expect.Same(t, english, portuguese, "the fields in English and in Portuguese")
	expect.False(t, len(english) < 40, "%d fields were found", len(english))
}
