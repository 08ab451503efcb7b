package e2e_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// The examples are what users copy, so each of them is applied as it stands,
// with the provider's settings in the environment.

// exampleDirs are the directories with something to apply, by a name such as
// "resources/einvoice_customer".
func exampleDirs(t *testing.T) []string {
	t.Helper()
	dirs := []string{"inbound-certificate", "payload-example", "quickstart"}
	for _, kind := range []string{"resources", "data-sources", "functions", "payloads"} {
		entries, err := os.ReadDir(filepath.Join(acctest.ExamplesDir, kind))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			dirs = append(dirs, kind+"/"+entry.Name())
		}
	}
	return dirs
}

// furtherExamples are those that stand beside the first one of a page, by a name such
// as "resources/einvoice_customer/resource_2_abroad.tf". Each is whole by itself.
func furtherExamples(t *testing.T) []string {
	t.Helper()
	found, err := fs.Glob(os.DirFS(acctest.ExamplesDir), "resources/*/resource_*.tf")
	if err != nil || len(found) == 0 {
		t.Fatalf("there are no further examples: %v", err)
	}
	return found
}

// Where a page has several examples, the first line of each is its title there.
func TestExamples_haveTitlesWhereThereAreSeveral(t *testing.T) {
	t.Parallel()
	titled := regexp.MustCompile(`^# [A-Z][^\n]*[^.\n]\n\n`)
	for _, further := range furtherExamples(t) {
		for _, file := range []string{further, path.Join(path.Dir(further), "resource.tf")} {
			content, err := os.ReadFile(filepath.Join(acctest.ExamplesDir, filepath.FromSlash(file)))
			if err != nil {
				t.Fatal(err)
			}
			if !titled.Match(content) {
				t.Errorf("examples/%s does not begin with a title in a comment, and a blank line", file)
			}
		}
	}
}

func TestAccExamples_applyPlanEmptyAndDestroy(t *testing.T) {
	t.Parallel()
	for _, dir := range append(exampleDirs(t), furtherExamples(t)...) {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			w := acctest.ExampleWorkspace(t, s, filepath.Join(acctest.ExamplesDir, filepath.FromSlash(dir)))
			output := w.MustApply()
			for _, doubt := range []string{"Doubtful ", "Return without ", "References of a return ", "Not kept as sent", "Two new "} {
				if strings.Contains(output, doubt) {
					t.Errorf("the example is doubted:\n%s", output)
				}
			}
			issued := s.Invoices("")
			for _, invoice := range issued {
				if status := invoice["status"]; status != "authorized" && status != "created" {
					t.Errorf("invoice %v is %v: %v", invoice["integrationId"], status, invoice["processingDetail"])
				}
			}
			if strings.HasPrefix(dir, "payloads/") && len(issued) == 0 {
				t.Error("nothing was issued")
			}
			w.MustPlanNothing()
			w.MustRun("destroy", "-auto-approve", "-input=false")
			for kind, left := range map[string]int{sandbox.KindCompanies: 1, sandbox.KindCustomers: 0, sandbox.KindProducts: 0, sandbox.KindWebhooks: 0} {
				if n := len(s.Objects(kind)); n != left {
					t.Errorf("%d %s after destroy, want %d", n, kind, left)
				}
			}
			for _, field := range s.UnknownFields() {
				t.Errorf("the service does not know %v", field)
			}
		})
	}
}

// A canceled invoice is no failure, and must not keep a workspace from being
// applied. Other examples show other documents.
func TestAccExamples_aCancellationDoesNotBlockTheWorkspace(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"quickstart", "payload-example", "resources/einvoice_invoice_issuance", "resources/einvoice_order", "resources/einvoice_correction_letter"} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			w := acctest.ExampleWorkspace(t, s, filepath.Join(acctest.ExamplesDir, filepath.FromSlash(dir)))
			w.MustApply()
			canceled := 0
			for _, kind := range []string{sandbox.KindServiceInvoices, sandbox.KindProductInvoices, sandbox.KindConsumerInvoices} {
				for _, invoice := range s.Objects(kind) {
					if invoice["status"] == "authorized" {
						s.SetInvoiceStatus(invoice["id"].(string), "canceled")
						canceled++
					}
				}
			}
			s.ResetRequests()
			w.MustApply()
			output := w.MustRun("plan", "-refresh=false", "-input=false")
			if n := strings.Count(output, "is canceled"); canceled == 0 || n == 0 {
				t.Errorf("%d invoices are canceled, and the plan warns of %d:\n%s", canceled, n, output)
			}
			if n := fixture.CountWrites(s); n != 0 {
				t.Errorf("%d writes after the cancellation, want none", n)
			}
		})
	}
}

var statusCondition = regexp.MustCompile(`(?m)^\s*condition\s*=.*"authorized".*$`)

// TestExamples_conditionsLetACancellationPass is about every postcondition that a
// page or an example recommends.
func TestExamples_conditionsLetACancellationPass(t *testing.T) {
	t.Parallel()
	found := 0
	for _, root := range []string{acctest.ExamplesDir, "../../templates", "../../README.md", "../../README.pt-BR.md", "../cmd/demo"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(path, ".tftest.hcl") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, condition := range statusCondition.FindAllString(string(text), -1) {
				found++
				if !strings.Contains(condition, `"canceled"`) {
					t.Errorf("%s: a cancellation would block the workspace:%s", path, condition)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 10 {
		t.Errorf("%d conditions found; there are more", found)
	}
}

var (
	usedProvider = regexp.MustCompile(`(?m)^ *source += "einvoice-br/einvoice"\n(?: *version = "(.*)"$)?`)
	nextVersion  = regexp.MustCompile(`(?m)^## (\d+\.\d+)\.\d+`)
)

// TestExamples_pinTheVersion is about everything that a user may copy: until 1.0 a
// minor version may break it. A module leaves the upper bound to those who call it.
func TestExamples_pinTheVersion(t *testing.T) {
	t.Parallel()
	changelog, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	minor := nextVersion.FindStringSubmatch(string(changelog))
	if minor == nil {
		t.Fatal("the changelog names no version")
	}
	found := 0
	for _, root := range []string{acctest.ExamplesDir, "../../templates", "../../README.md", "../../README.pt-BR.md", "../cmd/demo"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) == ".go" {
				return err
			}
			want := "~> " + minor[1] + ".0"
			if filepath.Base(path) == "versions.tf" {
				want = ">= " + minor[1] + ".0"
			}
			text, err := os.ReadFile(path)
			for _, used := range usedProvider.FindAllStringSubmatch(string(text), -1) {
				found++
				if used[1] != want {
					t.Errorf("%s wants version %q of the provider; it should be %q", path, used[1], want)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 20 {
		t.Errorf("%d places found; there are more", found)
	}
}

// What is applied is valid.
func TestAccExamples_ofTheProviderAndOfImportsAreValid(t *testing.T) {
	t.Parallel()
	validate := func(dir, name string, since int) {
		t.Run(dir+" "+name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			w := acctest.ExampleWorkspace(t, s, filepath.Join(acctest.ExamplesDir, filepath.FromSlash(dir)))
			if !w.Cli.AtLeast(1, since) {
				t.Skipf("%s does not know this import", w.Cli)
			}
			if dir == "provider" {
				w.Write("") // It has a terraform block of its own.
			} else {
				copyFile(t, filepath.Join(acctest.ExamplesDir, filepath.FromSlash(dir), name), filepath.Join(w.Dir, name))
			}
			w.MustRun("validate")
			if n := len(s.Requests()); n != 0 {
				t.Errorf("%d requests while validating, want none", n)
			}
		})
	}
	validate("provider", "provider.tf", 8)
	for _, dir := range exampleDirs(t) {
		for name, since := range map[string]int{"import-by-string-id.tf": 8, "import-by-identity.tf": 12} {
			if _, err := os.Stat(filepath.Join(acctest.ExamplesDir, filepath.FromSlash(dir), name)); err == nil {
				validate(dir, name, since)
			}
		}
	}
}

func TestAccExamples_ofActionsAndQueriesAreValid(t *testing.T) {
	t.Parallel()
	newKinds := registeredNewKinds(t)
	for _, kind := range []string{"actions", "list-resources"} {
		for _, name := range newKinds[kind] {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := sandbox.Start(t, sandbox.Options{})
				w := acctest.NewWorkspace(t, acctest.ExampleVersions, "")
				w.TakeExample(s, filepath.Join(acctest.ExamplesDir, kind, name))
				needsTerraform(t, w, 14, kind)
				if kind == "actions" {
					w.MustRun("validate")
					return
				}
				copyFile(t, filepath.Join(acctest.ExamplesDir, kind, name, "list-resource.tfquery.hcl"), filepath.Join(w.Dir, "list.tfquery.hcl"))
				w.MustRun("query")
			})
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	replaceFile(t, to, string(content))
}

// notImportable are resources that say on their page why they have no import.
var notImportable = []string{"einvoice_company_certificate", "einvoice_correction_letter", "einvoice_webhook_secret_rotation"}

func TestExamples_existForEverythingThatIsRegistered(t *testing.T) {
	t.Parallel()
	wanted := []string{"provider/provider.tf", "quickstart/main.tf"}
	for name := range registeredResources(t) {
		wanted = append(wanted, "resources/"+name+"/resource.tf")
		imports := "resources/" + name + "/import.sh"
		if slices.Contains(notImportable, name) {
			if _, err := os.Stat(filepath.Join(acctest.ExamplesDir, filepath.FromSlash(imports))); err == nil {
				t.Errorf("examples/%s is there, and %s cannot be imported", imports, name)
			}
			continue
		}
		wanted = append(wanted, imports)
	}
	for name := range registeredDataSources(t) {
		wanted = append(wanted, "data-sources/"+name+"/data-source.tf")
	}
	newKinds := registeredNewKinds(t)
	for kind, file := range map[string]string{
		"functions": "function.tf", "ephemeral-resources": "ephemeral-resource.tf", "list-resources": "list-resource.tfquery.hcl", "actions": "action.tf",
	} {
		for _, name := range newKinds[kind] {
			wanted = append(wanted, kind+"/"+name+"/"+file)
		}
		entries, err := os.ReadDir(filepath.Join(acctest.ExamplesDir, kind))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if !slices.Contains(newKinds[kind], entry.Name()) {
				t.Errorf("examples/%s/%s is an example of nothing", kind, entry.Name())
			}
		}
	}
	for _, file := range wanted {
		if _, err := os.Stat(filepath.Join(acctest.ExamplesDir, filepath.FromSlash(file))); err != nil {
			t.Errorf("examples/%s is missing", file)
		}
	}
	for _, dir := range exampleDirs(t) {
		kind, name, _ := strings.Cut(dir, "/")
		_, isResource := registeredResources(t)[name]
		_, isDataSource := registeredDataSources(t)[name]
		if kind == "resources" && !isResource || kind == "data-sources" && !isDataSource {
			t.Errorf("examples/%s is an example of nothing", dir)
		}
	}
}
