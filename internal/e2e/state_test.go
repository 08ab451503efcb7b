package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
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
	content := fileText(t, filepath.Join(w.Dir, "terraform.tfstate"))
	var state struct {
		Resources []struct {
			Type      string
			Instances []struct {
				keptState

				Private string `json:"private"`
			}
		}
	}
	expect.NoError(t, json.Unmarshal([]byte(content), &state))
	for _, r := range state.Resources {
		if r.Type != name {
			continue
		}
		instance := r.Instances[0]
		if instance.Identity == nil {
			t.Fatalf("%s writes no identity: take Terraform 1.12 or later", w.Cli)
		}
		private, err := base64.StdEncoding.DecodeString(instance.Private)
		expect.NoError(t, err)
		kept := instance.keptState
		if len(private) > 0 {
			kept.Private = private
		}
		return kept
	}
	t.Fatalf("the example has no %s", name)
	return keptState{}
}

func TestState_ofEachReleaseIsReadWithoutALossAndKeepsItsIdentity(t *testing.T) {
	t.Parallel()
	versions, err := filepath.Glob(filepath.Join("testdata", "state", "v*"))
	if err != nil || len(versions) == 0 {
		t.Fatalf("there are no states: %v", err)
	}
	for _, name := range registered(t)["resources"] {
		if !slices.ContainsFunc(versions, func(dir string) bool {
			_, err := os.Stat(filepath.Join(dir, name+".json"))
			return err == nil
		}) {
			t.Errorf("no release has a state of %s", name)
		}
	}
	for _, dir := range versions {
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		expect.NoError(t, err)
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".json")
			rows.Case(t, filepath.Base(dir)+" "+name, func(t *testing.T) {
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
				if n := fixture.CountWrites(s); n > 0 {
					t.Errorf("%d requests changed something", n)
				}
			})
		}
	}
}

// readsWithoutALoss upgrades and reads a state as a newer provider does on its
// first refresh.
func readsWithoutALoss(
	p *testkit.Protocol, name string, kept *keptState,
	identified *tfprotov6.ResourceIdentitySchema, by *tfprotov6.ResourceIdentityData,
) {
	p.T.Helper()
	upgraded := testkit.Answered(p.T, p.UpgradeResourceState, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: name, Version: kept.SchemaVersion, RawState: rawState(p.T, kept.Attributes),
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
		if diff := cmp.Diff(withoutNulls(kept.Attributes), withoutNulls(held)); diff != "" {
			p.T.Errorf("%s changes the state (-before +after):\n%s", step, diff)
		}
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
		if diff := cmp.Diff(kept.Identity, shown); diff != "" {
			p.T.Errorf("%s changes the identity (-before +after):\n%s", step, diff)
		}
	}
}

// importsByIdentity finds the same object by its identity alone, unless the
// resource says that it cannot be imported.
func importsByIdentity(p *testkit.Protocol, name string, kept *keptState, identity *tfprotov6.ResourceIdentityData) {
	p.T.Helper()
	imported := testkit.Answered(p.T, p.ImportResourceState, &tfprotov6.ImportResourceStateRequest{
		TypeName: name, Identity: identity,
	})
	if slices.Contains(notImportable, name) {
		if text := testkit.ErrorsIn(imported.Diagnostics); !strings.Contains(text, "cannot be imported") {
			p.T.Errorf("the import ends with %q", text)
		}
		return
	}
	p.MustNotFail(imported.Diagnostics)
	read := testkit.Answered(p.T, p.ReadResource, &tfprotov6.ReadResourceRequest{
		TypeName: name, CurrentState: imported.ImportedResources[0].State, CurrentIdentity: imported.ImportedResources[0].Identity, Private: imported.ImportedResources[0].Private,
	})
	p.MustNotFail(read.Diagnostics)
	held := p.Attributes(read.NewState, p.Schemas.ResourceSchemas[name].ValueType())
	for attribute, value := range kept.Identity {
		if got := testkit.JSON(p.T, held[attribute]); got != value {
			p.T.Errorf("imported by identity, %s is %v, want %v", attribute, got, value)
		}
	}
}

func rawState(t testing.TB, value map[string]any) *tfprotov6.RawState {
	t.Helper()
	text, err := json.Marshal(value)
	expect.NoError(t, err)
	return &tfprotov6.RawState{JSON: text}
}

// withoutNulls makes states comparable in which attributes came later: those are
// null in an upgraded one.
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
