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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// The files of examples/pipelines, which users copy as they are. `make test-tools` gives
// them to OPA and actionlint, which `make test` does not build.

var pipelinesDir = filepath.Join(testkit.ExamplesDir, "pipelines")

// What the rules in them are called is known to tflint and HCP Terraform alone, which are too large to be built here.
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
	expect.NoError(t, err)
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
			expect.True(t, slices.Contains(known, name), "%s names %s, which the provider does not read", path, name)
		}
		for _, pin := range pinnedAction.FindAllStringSubmatch(text, -1) {
			pins++
			if commit, here := own[pin[1]]; here && commit != pin[2] {
				t.Errorf("%s pins %s to %s, and this repository to %s", path, pin[1], pin[2], commit)
			}
		}
		return nil
	})
	expect.NoError(t, err)
	expect.False(t, names < 10 || pins < 8, "%d names and %d pins were found; there are more", names, pins)
}

var opa = flag.String("opa", "", "the path of OPA, for the test of the policies")

// What the policies and the drift job say about what a CLI writes; what they say about
// each kind of change is in examples/pipelines/policy/einvoice_test.rego.

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
	if err == nil && len(refused) == 1 && strings.HasPrefix(refused[0], file+" passes: ") {
		return nil
	}
	expect.False(t, (err == nil) != (len(refused) == 0), "the script ends with %v, and says %q", err, refused)
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
	expect.False(t, len(refused) > 0, "%s: refused, too: %q", name, refused)
}

func TestAccPipelines_policiesTellPlansApart(t *testing.T) {
	t.Parallel()
	if *opa == "" {
		t.Skip("`make test-tools` builds OPA for this")
	}
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewAttached(t, "")
	dir := filepath.Join("testdata", "policies")
	copyExample(t, filepath.Join(dir, "outer"), filepath.Join(w.Dir, "outer"))
	given := testkit.Config(s, strings.Replace(fileText(t, filepath.Join(dir, "main.tf")), "OWNER", s.OwnerCompanyID(), 1))
	w.Write(given)
	w.MustRun("get")
	w.MustApply()

	policy := t.TempDir()
	copyExample(t, filepath.Join(pipelinesDir, "policy"), policy)
	judge := func(name, config, file string, refused ...string) {
		t.Helper()
		if config != "" {
			w.Write(config)
			w.MustRun("plan", "-input=false", "-out="+file)
		}
		compareRefusals(t, name, verdict(t, w, policy, file), refused)
	}
	for name, row := range rows.Read[map[string]struct {
		Replace, Add []string // Add has lines.
		Refused      []string
	}](t, "policies_tell_plans_apart.json") {
		judge(name, strings.NewReplacer(row.Replace...).Replace(given)+strings.Join(row.Add, "\n"), "tfplan", row.Refused...)
	}
	if w.Cli.Product == cli.Terraform && w.Cli.AtLeast(1, 14) {
		invoked := fmt.Sprintf(`
action "einvoice_invoice_cancel" "wrong" {
  config {
    model  = "serviceInvoice"
    id     = %q
    reason = "Issued for the wrong month"
  }
}`, s.InvoicesByIntegrationID("a")[0]["id"])
		w.Write(given + invoked)
		w.MustRun("plan", "-input=false", "-out=tfplan", "-invoke=action.einvoice_invoice_cancel.wrong")
		judge("an action", "", "tfplan", "action.einvoice_invoice_cancel.wrong is invoked")
	}

	// What is no plan, what is approved, and what nobody judges.
	replaceFile(t, filepath.Join(w.Dir, "state.json"), w.MustRun("show", "-json"))
	replaceFile(t, filepath.Join(w.Dir, "empty.json"), "")
	judge("a state", "", "state.json", "This is not a plan")
	for _, name := range []string{"missing", "empty.json"} {
		expect.False(t, len(verdict(t, w, policy, name)) == 0, "%s passes", name)
	}
	approved := filepath.Join(policy, "approved.rego")
	const none, some = "production := []", `production := ["einvoice_company_settings.main"]`
	replaceFile(t, approved, strings.Replace(fileText(t, approved), none, some, 1))
	judge("production that is approved", strings.Replace(given, "development", "production", 1), "tfplan")
	removeFile(t, filepath.Join(policy, "einvoice.rego"))
	removeFile(t, filepath.Join(policy, "einvoice_test.rego"))
	judge("without policies", "", "tfplan", "The plan was not judged.")
}

var jqProgram = regexp.MustCompile(`(?s)\| jq -r '(.*?)' >`)

func TestAccPipelines_driftIsTold(t *testing.T) {
	t.Parallel()
	found := jqProgram.FindStringSubmatch(fileText(t, filepath.Join(pipelinesDir, "github-drift.yml")))
	if found == nil {
		t.Fatal("the drift file has no program for jq")
	}
	query, err := gojq.Parse(found[1])
	expect.NoError(t, err)
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewAttached(t, testkit.Config(s, fileText(t, filepath.Join("testdata", "drift.tf"))))
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
	expect.Same(t, []string{certificate}, differences(), "with a check that fails alone")
	testkit.PatchAll(s, sandbox.KindCustomers, map[string]any{"name": "Outra"})
	expect.Same(t, []string{"- `einvoice_customer.padaria`: update", certificate}, differences(), "after a change elsewhere")
}

// TestAccPipelines_lastMonthIsLetGo applies the guide's blocks to what they are for.
func TestAccPipelines_lastMonthIsLetGo(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewAttached(t, testkit.Config(s, invoiceBlock("cafe", "2026-11-cafe", "1500", "")+
		`locals { october = ["2026-10-cafe", "2026-10-padaria"] }`+
		invoiceBlock("october", "${each.key}", "900", "for_each = toset(local.october)\ncancellation_reason = \"Issued for the wrong month\"")))
	w.MustApply()
	s.ResetRequests()

	blocks := guideBlocks(fileText(t, filepath.Join(guidesDir, "pipelines.md")), w.Cli.Product)
	if len(blocks) != 1 {
		t.Fatalf("the guide has %d configurations, want 1", len(blocks))
	}
	w.Write(testkit.Config(s, blocks[0]))
	expect.Contains(t, w.MustApply(), "Plan: 1 to add, 0 to change, 0 to destroy")
	fixture.WantWrites(t, s, 1)
	for _, id := range []string{"2026-10-cafe", "2026-10-padaria", "2026-11-cafe", "2026-11-padaria"} {
		all := s.InvoicesByIntegrationID(id)
		expect.True(t, hasBecome(all, object{"status": "authorized"}), "under %s are %v, want one, authorized", id, all)
	}
	expect.False(t, w.State()["einvoice_invoice_issuance.october"] != nil, "the last month is still in state")
}
