package e2e_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/itchyny/gojq"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// The files of examples/pipelines, which users copy as they are. `make test-tools` gives
// them to OPA and actionlint, which `make test` does not build.

var pipelinesDir = filepath.Join(testkit.ExamplesDir, "pipelines")

// What the rules in them are called is known to tflint and HCP Terraform alone, which are
// too large to be built here.
func TestPipelines_otherFilesParse(t *testing.T) {
	t.Parallel()
	for _, file := range []string{".tflint.hcl", "mirror.tfrc", "policy/policies.hcl"} {
		if _, diags := hclparse.NewParser().ParseHCLFile(filepath.Join(pipelinesDir, filepath.FromSlash(file))); diags.HasErrors() {
			t.Error(diags)
		}
	}
}

func TestAccPipelines_configurationForTheCloudIsValid(t *testing.T) {
	t.Parallel()
	w := testkit.NewAttached(t, fileText(t, filepath.Join(pipelinesDir, "hcp-terraform", "main.tf")))
	w.MustRun("validate")
}

var (
	environmentName = regexp.MustCompile(`\bEINVOICE_[A-Z_]+\b`)
	pinnedAction    = regexp.MustCompile(`uses: (\S+)@(\S+) # (\S+)`)
)

// TestPipelines_nameWhatThereIs keeps the names of variables to the provider's, and the
// pins of actions to those that this repository runs itself, where it does.
func TestPipelines_nameWhatThereIs(t *testing.T) {
	t.Parallel()
	known := []string{message.EnvBaseURL, message.EnvAPIKey, message.EnvCacheDir, message.EnvCoordinationURL, message.EnvRequestsPerMinute, message.EnvRequestsPerSecond}
	own := map[string]string{}
	workflows, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, workflow := range workflows {
		for _, pin := range pinnedAction.FindAllStringSubmatch(fileText(t, workflow), -1) {
			own[pin[1]] = pin[2]
		}
	}
	names, pins := 0, 0
	err = filepath.WalkDir(pipelinesDir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text := fileText(t, path)
		for _, name := range environmentName.FindAllString(text, -1) {
			names++
			if !slices.Contains(known, name) {
				t.Errorf("%s names %s, which the provider does not read", path, name)
			}
		}
		for _, pin := range pinnedAction.FindAllStringSubmatch(text, -1) {
			pins++
			if commit, here := own[pin[1]]; here && commit != pin[2] {
				t.Errorf("%s pins %s to %s, and this repository to %s", path, pin[1], pin[2], commit)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if names < 10 || pins < 8 {
		t.Errorf("%d names and %d pins were found; there are more", names, pins)
	}
}

var opa = flag.String("opa", "", "the path of OPA, for the test of the policies")

// What the policies and the drift job say about what a CLI writes; what they say about
// each kind of change is in examples/pipelines/policy/einvoice_test.rego.

// policyCopy is the directory of the policies with an approval in one of its lists.
func policyCopy(t *testing.T, list, address string) string {
	t.Helper()
	dir := t.TempDir()
	copyExample(t, filepath.Join(pipelinesDir, "policy"), dir)
	file := filepath.Join(dir, "approved.rego")
	before := fileText(t, file)
	after := strings.Replace(before, list+" := []", fmt.Sprintf("%s := [%q]", list, address), 1)
	if list != "" && after == before {
		t.Fatalf("there is no list %q", list)
	}
	replaceFile(t, file, after)
	return dir
}

// verdict runs the script of the pipelines on a file: what it refuses, a line each.
func verdict(t *testing.T, w *testkit.Workspace, policy, file string) (refused []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(policy, "check.sh"), file)
	cmd.Dir = w.Dir
	cmd.Env = append(slices.Clone(w.Environ), "TF="+w.Cli.Path, "PATH="+filepath.Dir(*opa)+string(os.PathListSeparator)+os.Getenv("PATH"))
	var output strings.Builder // Refusals are told on both.
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	if lines := strings.TrimSpace(output.String()); lines != "" {
		refused = strings.Split(lines, "\n")
	}
	if (err == nil) != (len(refused) == 0) {
		t.Errorf("the script ends with %v, and says %q", err, refused)
	}
	return refused
}

func compareRefusals(t *testing.T, name string, refused, want []string) {
	t.Helper()
	for _, part := range want {
		if n := slices.IndexFunc(refused, func(line string) bool { return strings.Contains(line, part) }); n >= 0 {
			refused = slices.Delete(slices.Clone(refused), n, n+1)
		} else {
			t.Errorf("%s: nothing is said of %q in %q", name, part, refused)
		}
	}
	if len(refused) > 0 {
		t.Errorf("%s: refused, too: %q", name, refused)
	}
}

const judgedReason = `cancellation_reason = "Issued for the wrong month"`

func judgedInvoice(name, id, amount, more string) string {
	return fmt.Sprintf(`
resource "einvoice_invoice_issuance" %q {
  model          = "serviceInvoice"
  integration_id = %q
  payload_json   = jsonencode({ description = "Consultoria", federalServiceCode = "17.01", total = { invoiceAmount = %s } })
  %s
}
`, name, id, amount, more)
}

func judgedOrder(amount int) string {
	return fmt.Sprintf(`
resource "einvoice_order" "sale" {
  transaction_id = "t-1"
  amount         = %[1]d
  customer       = { name = "Maria" }
  items          = [{ price = %[1]d, product = { name = "Camisa" } }]
}
`, amount)
}

func judgedCompany(name, number, more string) string {
	return fmt.Sprintf(`
resource "einvoice_company" %[1]q {
  name               = %[1]q
  legal_name         = %[1]q
  federal_tax_number = %[2]q
  address            = { city = { code = "3550308" } }
  %[3]s
}
`, name, number, more)
}

func judgedSettings(s *sandbox.Server, word string) string {
	return fmt.Sprintf(`
resource "einvoice_company_settings" "main" {
  company_id       = %q
  product_invoice  = { environment_type = %s }
  consumer_invoice = { environment_type = "development" }
  service_invoice  = { environment_type = "simulation" }
}
`, s.OwnerCompanyID(), word)
}

func TestAccPipelines_policiesTellPlansApart(t *testing.T) {
	t.Parallel()
	if *opa == "" {
		t.Skip("`make test-tools` builds OPA for this")
	}
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewAttached(t, "")
	inner := filepath.Join(w.Dir, "outer", "inner")
	if err := os.MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	replaceFile(t, filepath.Join(w.Dir, "outer", "main.tf"), testkit.ExampleVersions+"variable \"ids\" { type = set(string) }\nmodule \"inner\" {\n  source = \"./inner\"\n  ids    = var.ids\n}\n")
	replaceFile(t, filepath.Join(inner, "main.tf"), testkit.ExampleVersions+"variable \"ids\" { type = set(string) }\n"+
		strings.Replace(judgedInvoice("this", "x", "1", "for_each = var.ids\n"+judgedReason), `"x"`, "each.key", 1))
	deep := func(ids string) string {
		return fmt.Sprintf("module \"deep\" {\n  source = \"./outer\"\n  ids    = [%s]\n}\n", ids)
	}

	kept, canceled := judgedInvoice("kept", "a", "1", ""), judgedInvoice("canceled", "b", "2", judgedReason)
	spare, modules := judgedCompany("spare", "11.222.333/0001-81", ""), deep(`"m-1", "m-2"`)
	given := judgedSettings(s, `"development"`) + kept + canceled + spare + modules
	w.Write(testkit.Config(s, given))
	w.MustRun("get")
	w.MustApply()

	plain := policyCopy(t, "", "")
	approvesDeletion := policyCopy(t, "companies", "einvoice_company.renamed")
	approvesProduction := policyCopy(t, "production", "einvoice_company_settings.main")
	later := "\nresource \"terraform_data\" \"later\" {\n  input = \"production\"\n}\n"
	alias := strings.Replace(aliasOfBranch(s, fmt.Sprintf("%q", s.OwnerKey())), `"branch"`, `"other"`, 1)
	for _, test := range []struct {
		name, config, json string
		policy             string
		arguments          []string
		refused            []string
	}{
		{name: "nothing changes", config: given},
		{
			name:   "one is forgotten, little is issued",
			config: judgedSettings(s, `"simulation"`) + canceled + spare + modules + judgedInvoice("c", "c", "4000", "") + judgedOrder(6000),
		},
		{
			name:   "invoices are canceled, deep in modules and before they are replaced",
			config: judgedSettings(s, `"development"`) + kept + judgedInvoice("canceled", "c", "2", judgedReason+"\n  lifecycle {\n    create_before_destroy = true\n  }") + spare + deep(`"m-1"`),
			refused: []string{
				"einvoice_invoice_issuance.canceled is canceled", "einvoice_invoice_issuance.canceled is replaced",
				`module.deep.module.inner.einvoice_invoice_issuance.this["m-2"] is canceled`,
			},
		},
		{
			name: "by an argument of the plan", config: given, arguments: []string{"-replace=einvoice_invoice_issuance.canceled", "-refresh=false"},
			refused: []string{"einvoice_invoice_issuance.canceled is canceled", "einvoice_invoice_issuance.canceled is replaced"},
		},
		{
			name:   "in the syntax of JSON, by an alias",
			config: kept + canceled + spare + modules + alias + judgedInvoice("large", "l", "10001", "provider = einvoice.other\n  payload_check = false"),
			json: fmt.Sprintf(`{"resource":{"einvoice_company_settings":{"main":{"company_id":%q,"product_invoice":{"environment_type":"production"},
				"consumer_invoice":{"environment_type":"development"},"service_invoice":{"environment_type":"simulation"}}}}}`, s.OwnerCompanyID()),
			refused: []string{"product_invoice.environment_type goes from development to production", "for 10001 reais", "einvoice_invoice_issuance.large has its payload unchecked"},
		},
		{
			name:   "known after apply",
			config: later + judgedSettings(s, "terraform_data.later.output") + kept + canceled + spare + modules + judgedInvoice("later", "l", "length(terraform_data.later.output)", ""),
			refused: []string{
				"product_invoice.environment_type goes from development to known after apply", "einvoice_invoice_issuance.later: what it amounts to is not known",
			},
		},
		{
			name: "a company that is let go", config: judgedSettings(s, `"development"`) + kept + canceled + modules + "removed {\n  from = einvoice_company.spare\n  lifecycle {\n    destroy = false\n  }\n}\n",
			refused: []string{"einvoice_company.spare is forgotten"},
		},
		{
			name: "moved to where an approval is", policy: approvesDeletion,
			config: judgedSettings(s, `"development"`) + kept + canceled + modules + judgedCompany("renamed", "11.222.333/0001-81", "deletion_protection = false") +
				"moved {\n  from = einvoice_company.spare\n  to   = einvoice_company.renamed\n}\n",
			refused: []string{"einvoice_company.renamed has no deletion_protection"},
		},
		{
			name: "production that is approved", policy: approvesProduction,
			config: judgedSettings(s, `"production"`) + kept + canceled + spare + modules,
		},
		{
			name:    "settings that do not say where a model issues",
			config:  given + judgedCompany("new", "45.997.418/0001-53", "") + "resource \"einvoice_company_settings\" \"new\" {\n  company_id = einvoice_company.new.id\n  service_invoice = { series = \"1\" }\n}\n",
			refused: []string{"product_invoice.environment_type", "consumer_invoice.environment_type", "service_invoice.environment_type goes from none to unset"},
		},
	} {
		extra := filepath.Join(w.Dir, "extra.tf.json")
		if test.json != "" {
			replaceFile(t, extra, test.json)
		}
		w.Write(testkit.Config(s, test.config))
		w.MustRun(append([]string{"plan", "-input=false", "-out=tfplan"}, test.arguments...)...)
		if test.policy == "" {
			test.policy = plain
		}
		compareRefusals(t, test.name, verdict(t, w, test.policy, "tfplan"), test.refused)
		if test.json != "" {
			removeFile(t, extra)
		}
	}

	if w.Cli.Product == cli.Terraform && w.Cli.AtLeast(1, 14) {
		id := fmt.Sprint(s.InvoicesByIntegrationID("a")[0]["id"])
		w.Write(testkit.Config(s, given+fmt.Sprintf("action \"einvoice_invoice_cancel\" \"wrong\" {\n  config {\n    model  = \"serviceInvoice\"\n    id     = %q\n    reason = \"Issued for the wrong month\"\n  }\n}\n", id)))
		w.MustRun("plan", "-input=false", "-out=tfplan", "-invoke=action.einvoice_invoice_cancel.wrong")
		compareRefusals(t, "an action", verdict(t, w, plain, "tfplan"), []string{"action.einvoice_invoice_cancel.wrong is invoked"})
	}

	// What is no plan, and what nobody judges.
	replaceFile(t, filepath.Join(w.Dir, "state.json"), w.MustRun("show", "-json"))
	replaceFile(t, filepath.Join(w.Dir, "empty.json"), "")
	compareRefusals(t, "a state", verdict(t, w, plain, "state.json"), []string{"This is not a plan"})
	for _, name := range []string{"missing", "empty.json"} {
		if refused := verdict(t, w, plain, name); len(refused) == 0 {
			t.Errorf("%s passes", name)
		}
	}
	removeFile(t, filepath.Join(approvesProduction, "einvoice.rego"))
	removeFile(t, filepath.Join(approvesProduction, "einvoice_test.rego"))
	compareRefusals(t, "without policies", verdict(t, w, approvesProduction, "tfplan"), []string{"The plan was not judged."})
}

var jqProgram = regexp.MustCompile(`(?s)\| jq -r '(.*?)' >`)

func TestAccPipelines_driftIsTold(t *testing.T) {
	t.Parallel()
	found := jqProgram.FindStringSubmatch(fileText(t, filepath.Join(pipelinesDir, "github-drift.yml")))
	if found == nil {
		t.Fatal("the drift file has no program for jq")
	}
	query, err := gojq.Parse(found[1])
	if err != nil {
		t.Fatal(err)
	}
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewAttached(t, testkit.Config(s, `
resource "einvoice_customer" "padaria" {
  name = "Padaria Secreta"
}
`+judgedCompany("branch", "11.222.333/0001-81", "")+`
data "einvoice_company_certificates" "branch" {
  company_id = einvoice_company.branch.id
}

check "certificate" {
  assert {
    condition     = coalesce(data.einvoice_company_certificates.branch.days_left, 0) >= 30
    error_message = "The company has no certificate."
  }
}
`))
	w.MustApply()
	differences := func() (lines []string) {
		w.MustRun("plan", "-input=false", "-lock=false", "-out=tfplan")
		var plan any
		w.MustDecode(&plan, "show", "-json", "tfplan")
		for results := query.Run(plan); ; {
			result, more := results.Next()
			if !more {
				return lines
			}
			lines = append(lines, fmt.Sprint(result))
		}
	}
	certificate := "- `check.certificate`: The company has no certificate."
	if got := differences(); !slices.Equal(got, []string{certificate}) {
		t.Errorf("with a check that fails alone: %q", got)
	}
	testkit.PatchAll(s, sandbox.KindCustomers, map[string]any{"name": "Outra"})
	if got := differences(); !slices.Equal(got, []string{"- `einvoice_customer.padaria`: update", certificate}) {
		t.Errorf("after a change elsewhere: %q", got)
	}
}

// TestAccPipelines_lastMonthIsLetGo applies the guide's blocks to what they are for.
func TestAccPipelines_lastMonthIsLetGo(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewAttached(t, testkit.Config(s, judgedInvoice("cafe", "2026-11-cafe", "1500", "")+
		`locals { october = ["2026-10-cafe", "2026-10-padaria"] }`+
		strings.Replace(judgedInvoice("october", "x", "900", "for_each = toset(local.october)\n"+judgedReason), `"x"`, "each.key", 1)))
	w.MustApply()
	s.ResetRequests()

	blocks := guideBlocks(fileText(t, filepath.Join(guidesDir, "pipelines.md")), w.Cli.Product)
	if len(blocks) != 1 {
		t.Fatalf("the guide has %d configurations, want 1", len(blocks))
	}
	w.Write(testkit.Config(s, blocks[0]))
	if output := w.MustApply(); !strings.Contains(output, "Plan: 1 to add, 0 to change, 0 to destroy") {
		t.Errorf("the plan does more than issue one:\n%s", output)
	}
	if n := fixture.CountWrites(s); n != 1 {
		t.Errorf("%d requests changed something, want the one that issues", n)
	}
	for id, want := range map[string]int{"2026-10-cafe": 1, "2026-10-padaria": 1, "2026-11-cafe": 1, "2026-11-padaria": 1} {
		if all := s.InvoicesByIntegrationID(id); len(all) != want || all[0]["status"] != "authorized" {
			t.Errorf("under %s are %v, want one that is authorized", id, all)
		}
	}
	if october := w.State()["einvoice_invoice_issuance.october"]; october != nil {
		t.Error("the last month is still in state")
	}
}
