package e2e_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// The examples are what users copy, so each of them is applied as it stands,
// with the provider's settings in the environment.

// exampleDirs are the directories with something to apply, by a name such as "resources/einvoice_customer".
func exampleDirs(t *testing.T) []string {
	t.Helper()
	dirs := []string{"inbound-certificate", "payload-example", "quickstart"}
	for _, kind := range []string{"resources", "data-sources", "functions", "payloads"} {
		entries, err := os.ReadDir(filepath.Join(testkit.ExamplesDir, kind))
		expect.NoError(t, err)
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
	found, err := fs.Glob(os.DirFS(testkit.ExamplesDir), "resources/*/resource_*.tf")
	if err != nil || len(found) == 0 {
		t.Fatalf("there are no further examples: %v", err)
	}
	return found
}

// exampleModule is the name of the module that an example becomes.
func exampleModule(dir string) string {
	return strings.NewReplacer("/", "_", "-", "_", ".", "_").Replace(dir)
}

// takeExampleAsModule copies an example into a module of the workspace, which talks to
// the service, and returns how the module is called with the provider of that name.
func takeExampleAsModule(t *testing.T, w *testkit.Workspace, s *sandbox.Server, dir, provider string) string {
	t.Helper()
	name := exampleModule(dir)
	module := testkit.Workspace{T: t, Dir: filepath.Join(w.Dir, name)}
	expect.NoError(t, os.Mkdir(module.Dir, 0o700))
	module.TakeExample(s, filepath.Join(testkit.ExamplesDir, filepath.FromSlash(dir)))
	files, err := filepath.Glob(filepath.Join(module.Dir, "*.tf"))
	expect.NoError(t, err)
	service, key := serviceArguments(s)
	versions, configured := false, false
	for _, file := range files {
		text := fileText(t, file)
		versions = versions || strings.Contains(text, "required_providers")
		// What it leaves to the environment is another service in each module.
		replaceFile(t, file, providerBlock.ReplaceAllStringFunc(text, func(block string) string {
			configured = configured || !strings.Contains(block, "alias ")
			add := service
			if !strings.Contains(block, "api_key ") {
				add += key
			}
			return strings.Replace(block, "{", "{\n"+add, 1)
		}))
	}
	if !versions {
		replaceFile(t, filepath.Join(module.Dir, "versions.tf"), testkit.ExampleVersions)
	}
	if configured {
		return fmt.Sprintf("module %[1]q {\n  source = \"./%[1]s\"\n}\n", name)
	}
	const call = "module %[1]q {\n  source = \"./%[1]s\"\n  providers = { einvoice = einvoice.%[2]s }\n}\n"
	return fmt.Sprintf(call, name, provider)
}

func serviceArguments(s *sandbox.Server) (service, key string) {
	return fmt.Sprintf("  base_url = %q\n  requests_per_minute = 0\n  requests_per_second = 0\n", s.BaseURL()),
		fmt.Sprintf("  api_key = %q\n", s.OwnerKey())
}

var providerBlock = regexp.MustCompile(`(?m)^provider "einvoice" \{(\}|(?s:.*?)^\})`)

// makesNothing tells whether an example has no resource.
func makesNothing(t *testing.T, dir string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testkit.ExamplesDir, filepath.FromSlash(dir), "*.tf"))
	expect.NoError(t, err)
	return filepath.Ext(dir) != ".tf" && !slices.ContainsFunc(files, func(file string) bool {
		return strings.Contains("\n"+fileText(t, file), "\nresource ")
	})
}

// notBlockedByCancellation are the examples of whole documents.
var notBlockedByCancellation = []string{"quickstart", "payload-example", "resources/einvoice_invoice_issuance", "resources/einvoice_order", "resources/einvoice_correction_letter"}

// TestAccExamples_applyPlanEmptyAndDestroy takes all examples as modules of one
// configuration, each with a service of its own but those that make nothing.
func TestAccExamples_applyPlanEmptyAndDestroy(t *testing.T) {
	t.Parallel()
	w := testkit.NewAttached(t, "")
	services, calls := map[string]*sandbox.Server{}, testkit.ExampleVersions
	for _, dir := range append(exampleDirs(t), furtherExamples(t)...) {
		of := dir
		if makesNothing(t, dir) {
			of = "reads"
		}
		if services[of] == nil {
			services[of] = sandbox.Start(t, sandbox.Options{})
			calls += aliasOf(services[of], exampleModule(of), "")
		}
		calls += takeExampleAsModule(t, w, services[of], dir, exampleModule(of))
	}
	w.Write(calls)
	w.MustRun("get")
	apply := []string{"apply", "-auto-approve", "-input=false", "-parallelism=40"}
	wantNoDoubt(t, w.MustRun(apply...))
	for dir, s := range services {
		issued := s.Invoices("")
		for _, invoice := range issued {
			if status := invoice["status"]; status != "authorized" && status != "created" {
				t.Errorf("%s: invoice %v is %v: %v", dir, invoice["integrationId"], status, invoice["processingDetail"])
			}
		}
		expect.False(t, strings.HasPrefix(dir, "payloads/") && len(issued) == 0, "%s: nothing was issued", dir)
	}

	// The next apply finds nothing to do. A canceled invoice is no failure, and does not keep it from that.
	for _, dir := range notBlockedByCancellation {
		s, canceled := services[dir], 0
		for _, kind := range []string{sandbox.KindServiceInvoices, sandbox.KindProductInvoices, sandbox.KindConsumerInvoices} {
			for _, invoice := range s.Objects(kind) {
				if invoice["status"] == "authorized" {
					s.SetInvoiceStatus(invoice["id"].(string), "canceled")
					canceled++
				}
			}
		}
		expect.False(t, canceled == 0, "%s: no invoice can be canceled", dir)
	}
	for _, s := range services {
		s.ResetRequests()
	}
	output := w.MustRun(append(apply, "-json")...)
	expect.Contains(t, output, "Resources: 0 added, 0 changed, 0 destroyed.")
	for dir, s := range services {
		expect.Is(t, fixture.CountWrites(s), 0, "%s writes of the second apply", dir)
	}
	for _, dir := range notBlockedByCancellation {
		warned := slices.ContainsFunc(strings.Split(output, "\n"), func(line string) bool {
			return strings.Contains(line, `"module.`+exampleModule(dir)+".") && strings.Contains(line, "is canceled")
		})
		expect.True(t, warned, "%s: the apply does not warn of the cancellation:\n%s", dir, output)
	}

	w.MustRun("destroy", "-auto-approve", "-input=false", "-parallelism=40")
	for dir, s := range services {
		for kind, left := range map[string]int{sandbox.KindCompanies: 1, sandbox.KindCustomers: 0, sandbox.KindProducts: 0, sandbox.KindWebhooks: 0} {
			expect.Is(t, len(s.Objects(kind)), left, "%s %s after destroy", dir, kind)
		}
		wantKnownFields(t, s)
	}
}

var selfStatusCondition = regexp.MustCompile(`(?m)^\s*condition\s*=.*\bself\.(status|invoices)\b.*$`)

// everyCopied visits all files that a user may copy from.
func everyCopied(t *testing.T, visit func(path, text string)) {
	t.Helper()
	roots := []string{testkit.ExamplesDir, "../../templates", "../../README.md", "../../README.pt-BR.md", "../cmd/demo"}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && filepath.Ext(path) != ".go" {
				visit(path, fileText(t, path))
			}
			return err
		})
		expect.NoError(t, err)
	}
}

var (
	usedProvider = regexp.MustCompile(`(?m)^ *source += "einvoice-br/einvoice"\n(?: *version = "(.*)"$)?`)
	nextVersion  = regexp.MustCompile(`(?m)^## (\d+\.\d+)\.\d+`)
)

// Until 1.0 a minor version may break what a user copies; a module leaves the upper bound to those who call it. And no
// example has a postcondition on the status of an invoice: the resource's own error says it, and Terraform adds "Invalid
// index" for each other invoice of a for_each.
func TestExamples_pinTheVersionAndLeaveRejectionsToTheResource(t *testing.T) {
	t.Parallel()
	minor := nextVersion.FindStringSubmatch(readPage(t, "CHANGELOG.md"))
	if minor == nil {
		t.Fatal("the changelog names no version")
	}
	found := 0
	everyCopied(t, func(path, text string) {
		want := "~> " + minor[1] + ".0"
		if filepath.Base(path) == "versions.tf" {
			want = ">= " + minor[1] + ".0"
		}
		for _, used := range usedProvider.FindAllStringSubmatch(text, -1) {
			found++
			expect.Is(t, used[1], want, "%s wants version of the provider; it should be", path)
		}
		condition := selfStatusCondition.FindString(text)
		expect.Is(t, condition, "", "%s has a postcondition on a status", path)
	})
	expect.False(t, found < 20, "%d places found; there are more", found)
}

var importTarget = regexp.MustCompile(`(?m)^(\s*to\s*= )`)

// What is applied is valid.
func TestAccExamples_ofTheProviderAndOfImportsAreValid(t *testing.T) {
	t.Parallel()
	w := testkit.NewAttached(t, "")
	s := sandbox.Start(t, sandbox.Options{})
	copyFile(t, filepath.Join(testkit.ExamplesDir, "provider", "provider.tf"), filepath.Join(w.Dir, "provider.tf"))
	imports := map[string]string{"import-by-string-id.tf": "", "import-by-identity.tf": ""}
	replaceFile(t, filepath.Join(w.Dir, "all.tf"), aliasOf(s, "all", ""))
	calls := map[string]bool{}
	for _, dir := range exampleDirs(t) {
		for name := range imports {
			text, err := os.ReadFile(filepath.Join(testkit.ExamplesDir, filepath.FromSlash(dir), name))
			if err != nil {
				continue // Some cannot be imported, which another test is about.
			}
			imports[name] += importTarget.ReplaceAllString(string(text), "${1}module."+exampleModule(dir)+".")
			if !calls[dir] {
				calls[dir] = true
				replaceFile(t, filepath.Join(w.Dir, exampleModule(dir)+".tf"), takeExampleAsModule(t, w, s, dir, "all"))
			}
		}
	}
	w.MustRun("get")
	for name, since := range map[string]int{"import-by-string-id.tf": 8, "import-by-identity.tf": 12} {
		expect.False(t, strings.Count(imports[name], "module.") < 8,
			"there are few examples %s:\n%s", name, imports[name])
		if w.Cli.AtLeast(1, since) {
			w.Write(imports[name])
			w.MustRun("validate")
		}
	}
	expect.Is(t, len(s.Requests()), 0, "requests while validating")
}

func TestAccExamples_ofActionsAndQueriesAreValid(t *testing.T) {
	t.Parallel()
	all := registered(t)
	for _, kind := range []string{"actions", "list-resources"} {
		for _, name := range all[kind] {
			rows.Case(t, kind+"/"+name, func(t *testing.T) {
				needsTerraform(t, 14, kind)
				s := sandbox.Start(t, sandbox.Options{})
				w := testkit.NewWorkspace(t, testkit.ExampleVersions, "")
				w.TakeExample(s, filepath.Join(testkit.ExamplesDir, kind, name))
				if kind == "actions" {
					w.MustRun("validate")
					return
				}
				copyFile(t, filepath.Join(testkit.ExamplesDir, kind, name, "list-resource.tfquery.hcl"), filepath.Join(w.Dir, "list.tfquery.hcl"))
				w.MustRun("query")
			})
		}
	}
}

// notImportable are resources that say on their page why they have no import.
var notImportable = []string{"einvoice_company_certificate", "einvoice_correction_letter", "einvoice_webhook_secret_rotation"}

// Everything has examples, a page, and a line in the changelog.
func TestEverything_isShown(t *testing.T) {
	t.Parallel()
	wanted, changelog := []string{"examples/provider/provider.tf", "examples/quickstart/main.tf", "docs/index.md"}, readPage(t, "CHANGELOG.md")
	isThere := func(file string) bool {
		_, err := os.Stat(filepath.Join(repositoryRoot, filepath.FromSlash(file)))
		return err == nil
	}
	all := registered(t)
	for kind, of := range map[string]struct{ title, example string }{
		"resources": {"Resource", "resource.tf"}, "data-sources": {"Data Source", "data-source.tf"},
		"functions": {"Function", "function.tf"}, "actions": {"Action", "action.tf"},
		"ephemeral-resources": {"Ephemeral Resource", "ephemeral-resource.tf"},
		"list-resources":      {"List Resource", "list-resource.tfquery.hcl"},
	} {
		for _, name := range all[kind] {
			page := "docs/" + kind + "/" + strings.TrimPrefix(name, "einvoice_") + ".md"
			wanted = append(wanted, page, "examples/"+kind+"/"+name+"/"+of.example)
			expect.Contains(t, changelog, "* **New "+of.title+":** `"+name+"`\n")
		}
		entries, err := os.ReadDir(filepath.Join(testkit.ExamplesDir, kind))
		expect.NoError(t, err)
		for _, entry := range entries {
			expect.True(t, slices.Contains(all[kind], entry.Name()),
				"examples/%s/%s is an example of nothing", kind, entry.Name())
		}
	}
	for _, file := range wanted {
		expect.True(t, isThere(file), "%s is missing; run `make generate` for docs", file)
	}
	for _, name := range all["resources"] {
		imports := "examples/resources/" + name + "/import.sh"
		expect.Is(t, isThere(imports), !slices.Contains(notImportable, name), "%s is there", imports)
	}
}

// What a release has written into a state must be readable for good. The files
// below testdata/state/VERSION are the states that the examples had with that
// version, one for each type, and are never written again. Before a release:
//
//	make testacc CLI=tofu TESTARGS='-run TestAccState' ACCEPTANCE='./internal/e2e -keep-state v0.2.0'
var keepState = flag.String("keep-state", "", "write the states of the examples as those of this version")

// keptState is one object in the state of a release, and what the service held.
type keptState struct {
	SchemaVersion   int64                       `json:"schema_version"`
	Attributes      map[string]any              `json:"attributes"`
	Private         json.RawMessage             `json:"private,omitempty"`
	IdentityVersion int64                       `json:"identity_schema_version"`
	Identity        map[string]any              `json:"identity"`
	Service         map[string][]map[string]any `json:"service"`
	Settings        map[string]any              `json:"settings,omitempty"`
}

// What differs in each sandbox goes by these.
const (
	keptOwner  = "00000000-0000-4000-8000-00000000000e" // id of the main company
	keptSecret = "whsec_of_the_sandbox"
)

var keptKinds = []string{
	sandbox.KindCompanies, sandbox.KindCustomers, sandbox.KindProducts, sandbox.KindWebhooks, sandbox.KindServiceInvoices, sandbox.KindProductInvoices,
	sandbox.KindConsumerInvoices, sandbox.KindOrders, sandbox.KindCertificates, sandbox.KindInbound,
}

func TestAccState_ofTheExamplesIsKept(t *testing.T) {
	t.Parallel()
	if *keepState == "" {
		t.Skip("only with -keep-state")
	}
	for _, name := range registered(t)["resources"] {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{Seed: 1})
			if name == "einvoice_inbound_manifestation" { // It is about what was received.
				s.SeedInbound(s.OwnerCompanyID(), map[string]any{"model": "productInvoice", "issuedOn": "2026-11-20T10:00:00-03:00"})
			}
			w := testkit.ExampleWorkspace(t, s, filepath.Join(testkit.ExamplesDir, "resources", name))
			w.MustApply()
			w.MustApply() // After a refresh, the settings show also what nobody configures.
			kept := keptFrom(t, w, name)
			kept.Service = map[string][]map[string]any{}
			for _, kind := range keptKinds {
				for _, doc := range s.Objects(kind) {
					if doc["id"] != s.OwnerCompanyID() {
						kept.Service[kind] = append(kept.Service[kind], doc)
					}
				}
			}
			if company, ok := kept.Attributes["company_id"].(string); ok {
				kept.Settings = s.SettingsClear(company)
			}
			content, err := json.MarshalIndent(kept, "", "  ")
			expect.NoError(t, err)
			file := filepath.Join("testdata", "state", *keepState, name+".json")
			expect.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
			text := strings.NewReplacer(s.OwnerCompanyID(), keptOwner, s.WebhookSecret(), keptSecret).Replace(string(content)) + "\n"
			replaceFile(t, file, text)
		})
	}
}

// keptFrom takes the first object of a type out of a state file.
func keptFrom(t *testing.T, w *testkit.Workspace, name string) keptState {
	t.Helper()
	var state struct {
		Resources []struct {
			Type      string
			Instances []struct {
				keptState

				Private []byte `json:"private"` // in base64
			}
		}
	}
	expect.NoError(t, json.Unmarshal([]byte(fileText(t, filepath.Join(w.Dir, "terraform.tfstate"))), &state))
	for _, r := range state.Resources {
		if kept := r.Instances[0].keptState; r.Type == name && kept.Identity != nil {
			kept.Private = r.Instances[0].Private
			return kept
		}
	}
	t.Fatalf("the example has no %s with an identity, which Terraform 1.12 and later write", name)
	return keptState{}
}

func TestState_ofEachReleaseIsReadWithoutALossAndKeepsItsIdentity(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "state", "v*", "*.json"))
	expect.NoError(t, err)
	for _, name := range registered(t)["resources"] {
		isThere := slices.ContainsFunc(files, func(file string) bool { return filepath.Base(file) == name+".json" })
		expect.True(t, isThere, "no release has a state of %s", name)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		rows.Case(t, filepath.Base(filepath.Dir(file))+" "+name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			content := fileText(t, file)
			var kept keptState
			text := strings.NewReplacer(keptOwner, s.OwnerCompanyID(), keptSecret, s.WebhookSecret()).Replace(content)
			expect.NoError(t, json.Unmarshal([]byte(text), &kept))
			for kind, docs := range kept.Service {
				for _, doc := range docs {
					s.Seed(kind, doc)
				}
			}
			if company, ok := kept.Attributes["company_id"].(string); ok && !s.SetSettings(company, kept.Settings) {
				t.Fatalf("company %s has no settings", company)
			}
			p := testkit.Serve(t, s, nil)
			identities := testkit.Answered(t, p.GetResourceIdentitySchemas, &tfprotov6.GetResourceIdentitySchemasRequest{})
			of := identities.IdentitySchemas[name]
			identity := &tfprotov6.ResourceIdentityData{IdentityData: p.Dynamic(p.Value(of.ValueType(), kept.Identity))}
			readsWithoutALoss(p, name, &kept, of, identity)
			importsByIdentity(p, name, &kept, identity)
			expect.False(t, fixture.CountWrites(s) > 0, "%d requests changed something", fixture.CountWrites(s))
		})
	}
}

// readsWithoutALoss upgrades and reads a state as a newer provider does on its first refresh.
func readsWithoutALoss(
	p *testkit.Protocol, name string, kept *keptState,
	identified *tfprotov6.ResourceIdentitySchema, by *tfprotov6.ResourceIdentityData,
) {
	p.T.Helper()
	raw, err := json.Marshal(kept.Attributes)
	expect.NoError(p.T, err)
	upgraded := testkit.Answered(p.T, p.UpgradeResourceState, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: name, Version: kept.SchemaVersion, RawState: &tfprotov6.RawState{JSON: raw},
	})
	p.MustNotFail(upgraded.Diagnostics)
	read := testkit.Answered(p.T, p.ReadResource, &tfprotov6.ReadResourceRequest{
		TypeName: name, CurrentState: upgraded.UpgradedState, CurrentIdentity: by, Private: kept.Private,
	})
	for _, d := range append(upgraded.Diagnostics, read.Diagnostics...) {
		p.T.Errorf("%s: %s", d.Summary, d.Detail)
	}
	of := p.Schemas.ResourceSchemas[name].ValueType()
	for step, state := range map[string]*tfprotov6.DynamicValue{"the upgrade": upgraded.UpgradedState, "the read": read.NewState} {
		held, ok := testkit.JSON(p.T, p.Unpack(state, of)).(map[string]any)
		if !ok {
			p.T.Fatalf("%s has lost the object", step)
		}
		maps.DeleteFunc(held, func(attribute string, _ any) bool { _, was := kept.Attributes[attribute]; return !was }) // Newer than the version.
		diff := cmp.Diff(withoutNulls(kept.Attributes), withoutNulls(held))
		expect.False(p.T, diff != "", "%s changes the state (-before +after):\n%s", step, diff)
	}
	// As CLIs do that know nothing of identities: the provider sets it by itself,
	// in a read and in an update that changes nothing.
	again := testkit.Answered(p.T, p.ReadResource, &tfprotov6.ReadResourceRequest{
		TypeName: name, CurrentState: read.NewState, Private: read.Private,
	})
	p.MustNotFail(again.Diagnostics)
	updated := testkit.Answered(p.T, p.ApplyResourceChange, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: name, PriorState: again.NewState, PlannedState: again.NewState, Config: again.NewState, PlannedPrivate: again.Private,
	})
	p.MustNotFail(updated.Diagnostics)
	for step, set := range map[string]*tfprotov6.ResourceIdentityData{"the read": read.NewIdentity, "a read without one": again.NewIdentity, "an update without one": updated.NewIdentity} {
		if set == nil {
			p.T.Errorf("%s sets no identity", step)
			continue
		}
		shown, _ := testkit.JSON(p.T, p.Unpack(set.IdentityData, identified.ValueType())).(map[string]any)
		maps.DeleteFunc(shown, func(attribute string, _ any) bool { _, was := kept.Identity[attribute]; return !was }) // Newer than the version.
		expect.Same(p.T, kept.Identity, shown, "the identity after %s", step)
	}
}

// importsByIdentity finds the same object by its identity alone, unless the resource says that it cannot be imported.
func importsByIdentity(p *testkit.Protocol, name string, kept *keptState, identity *tfprotov6.ResourceIdentityData) {
	p.T.Helper()
	imported := testkit.Answered(p.T, p.ImportResourceState, &tfprotov6.ImportResourceStateRequest{
		TypeName: name, Identity: identity,
	})
	if slices.Contains(notImportable, name) {
		expect.Contains(p.T, testkit.ErrorsIn(imported.Diagnostics), "cannot be imported")
		return
	}
	p.MustNotFail(imported.Diagnostics)
	read := testkit.Answered(p.T, p.ReadResource, &tfprotov6.ReadResourceRequest{
		TypeName: name, CurrentState: imported.ImportedResources[0].State, CurrentIdentity: imported.ImportedResources[0].Identity, Private: imported.ImportedResources[0].Private,
	})
	p.MustNotFail(read.Diagnostics)
	held := p.Attributes(read.NewState, p.Schemas.ResourceSchemas[name].ValueType())
	for attribute, value := range kept.Identity {
		expect.Is(p.T, testkit.JSON(p.T, held[attribute]), value, "%s imported by identity", attribute)
	}
}

// withoutNulls makes states comparable in which attributes came later: those are null in an upgraded one.
func withoutNulls(object map[string]any) map[string]any {
	kept := map[string]any{}
	for name, value := range object {
		if value != nil {
			kept[name] = value
		}
		if nested, ok := value.(map[string]any); ok {
			kept[name] = withoutNulls(nested)
		}
	}
	return kept
}
