package e2e_test

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// What holds for every schema is tested here, over whatever is registered.

// registered are the names of what is served, by the name of their kind in docs and examples.
func registered(t *testing.T) map[string][]string {
	t.Helper()
	served := served(t)
	return map[string][]string{
		"resources":           slices.Sorted(maps.Keys(served.ResourceSchemas)),
		"data-sources":        slices.Sorted(maps.Keys(served.DataSourceSchemas)),
		"functions":           slices.Sorted(maps.Keys(served.Functions)),
		"ephemeral-resources": slices.Sorted(maps.Keys(served.EphemeralResourceSchemas)),
		"list-resources":      slices.Sorted(maps.Keys(served.ListResourceSchemas)),
		"actions":             slices.Sorted(maps.Keys(served.ActionSchemas)),
	}
}

// served is what the provider tells a CLI of itself.
func served(t *testing.T) *tfprotov6.GetProviderSchemaResponse {
	t.Helper()
	served := testkit.Answered(t, testkit.ServedProvider().GetProviderSchema, &tfprotov6.GetProviderSchemaRequest{})
	if text := testkit.ErrorsIn(served.Diagnostics); text != "" {
		t.Error(text)
	}
	return served
}

// servedSchemas are the schemas as a CLI gets them, by a name such as
// "resource einvoice_company".
func servedSchemas(t *testing.T) map[string]*tfprotov6.Schema {
	t.Helper()
	served := served(t)
	schemas := map[string]*tfprotov6.Schema{"provider": served.Provider}
	for name, s := range served.ResourceSchemas {
		schemas["resource "+name] = s
	}
	for name, s := range served.DataSourceSchemas {
		schemas["data source "+name] = s
	}
	for name, s := range served.EphemeralResourceSchemas {
		schemas["ephemeral resource "+name] = s
	}
	for name, s := range served.ListResourceSchemas {
		schemas["list resource "+name] = s
	}
	for name, s := range served.ActionSchemas {
		schemas["action "+name] = s.Schema
	}
	return schemas
}

// everyAttribute calls visit with each attribute of a schema, nested ones too,
// and with its siblings.
func everyAttribute(at string, siblings []*tfprotov6.SchemaAttribute, visit func(at string, a *tfprotov6.SchemaAttribute, siblings []*tfprotov6.SchemaAttribute)) {
	for _, a := range siblings {
		visit(at+a.Name, a, siblings)
		if a.NestedType != nil {
			everyAttribute(at+a.Name+".", a.NestedType.Attributes, visit)
		}
	}
}

// The framework validates what it serves.
func TestSchemas_ofEachResourceHaveADescribedIdentity(t *testing.T) {
	t.Parallel()
	identities := testkit.Answered(
		t, testkit.ServedProvider().GetResourceIdentitySchemas, &tfprotov6.GetResourceIdentitySchemasRequest{},
	)
	if text := testkit.ErrorsIn(identities.Diagnostics); text != "" {
		t.Error(text)
	}
	for name := range served(t).ResourceSchemas {
		identity := identities.IdentitySchemas[name]
		if identity == nil {
			t.Errorf("%s has no identity", name)
			continue
		}
		for _, a := range identity.IdentityAttributes {
			if !strings.HasSuffix(a.Description, ".") {
				t.Errorf("%s: the description %q of %s does not end with a period", name, a.Description, a.Name)
			}
		}
	}
}

// neededCLI is what the description of a kind says of the CLIs that have it.
var neededCLI = map[string]string{
	"ephemeral resource": "Needs Terraform 1.10 or later, or OpenTofu 1.11 or later",
	"list resource":      "Needs `terraform query` of Terraform 1.14 or later",
	"action":             "Needs Terraform 1.14 or later",
}

// sentTogether are write-only attributes that share the version of another one.
var sentTogether = map[string]string{"password_wo": "pfx_base64_wo"}

// soundSecret are names that sound like a secret and hold none.
var soundSecret = []string{"access_key", "token_id", "store_secret", "previous_secret_valid_until"}

var attributeName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// secretWords are in the names of what is secret.
var secretWords = regexp.MustCompile("key|password|token|secret|certificate|csc|pfx")

func TestSchemas_describeAndNameAttributesAlike(t *testing.T) {
	t.Parallel()
	for name, s := range servedSchemas(t) {
		kind, _, _ := strings.Cut(name, " einvoice_")
		// Users of an older CLI must see on the page that something is not for them.
		if !strings.HasSuffix(s.Block.Description, ".") || !strings.Contains(s.Block.Description, neededCLI[kind]) {
			t.Errorf("%s is described by %q, want sentences with %q", name, s.Block.Description, neededCLI[kind])
		}
		if len(s.Block.BlockTypes) > 0 {
			t.Errorf("%s has blocks: nested attributes are what this provider uses", name)
		}
		everyAttribute(name+": ", s.Block.Attributes, func(at string, a *tfprotov6.SchemaAttribute, siblings []*tfprotov6.SchemaAttribute) {
			if !strings.HasSuffix(a.Description, ".") {
				t.Errorf("%s: the description %q does not end with a period", at, a.Description)
			}
			if !attributeName.MatchString(a.Name) {
				t.Errorf("%s is not in snake case", at)
			}
			expect.Is(t, strings.HasSuffix(a.Name, "_wo"), a.WriteOnly, "%s is write-only, and its name says otherwise", at)
			// An object is as secret as what is in it, which is visited too.
			if a.NestedType == nil && !a.Sensitive && !a.WriteOnly && !slices.Contains(soundSecret, a.Name) &&
				!strings.HasSuffix(a.Name, "_wo_version") && secretWords.MatchString(a.Name) {
				t.Errorf("%s sounds like a secret and is neither sensitive nor write-only", at)
			}
			version := cmp.Or(sentTogether[a.Name], a.Name) + "_version"
			isVersion := func(other *tfprotov6.SchemaAttribute) bool { return other.Name == version }
			if a.WriteOnly && !slices.ContainsFunc(siblings, isVersion) {
				t.Errorf("%s has no %s beside it: nothing could send it again", at, version)
			}
		})
	}
}

// A provider that is not configured keeps the state of a resource, and refuses
// to read a data source, once either is decoded into its model.
func TestSchemas_decodeIntoTheirModels(t *testing.T) {
	t.Parallel()
	p := testkit.NewNetwork(t).Protocol(t)
	for name, s := range p.Schemas.ResourceSchemas {
		read := testkit.Answered(t, p.ReadResource, &tfprotov6.ReadResourceRequest{
			TypeName: name, CurrentState: p.Dynamic(filled(s.ValueType())),
		})
		expect.Is(t, testkit.ErrorsIn(read.Diagnostics), "", "resource %s", name)
	}
	for name, s := range p.Schemas.DataSourceSchemas {
		read := testkit.Answered(t, p.ReadDataSource, &tfprotov6.ReadDataSourceRequest{
			TypeName: name, Config: p.Dynamic(filled(s.ValueType())),
		})
		if len(read.Diagnostics) != 1 || read.Diagnostics[0].Summary != "Provider configuration not known yet" {
			t.Errorf("reading data source %s ends with %q", name, testkit.ErrorsIn(read.Diagnostics))
		}
	}
}

// filled is a value whose objects and collections are all there, so that
// decoding it reaches every field. Texts are there too, for an identity, and are JSON.
func filled(of tftypes.Type) tftypes.Value {
	switch is := of.(type) {
	case tftypes.Object:
		values := map[string]tftypes.Value{}
		for name, t := range is.AttributeTypes {
			values[name] = filled(t)
		}
		return tftypes.NewValue(of, values)
	case tftypes.List, tftypes.Set, tftypes.Map:
		return within(of, filled)
	}
	if of.Is(tftypes.String) {
		return tftypes.NewValue(of, "1")
	}
	return tftypes.NewValue(of, nil)
}

func TestEverything_hasAPageAndIsInTheChangelog(t *testing.T) {
	t.Parallel()
	changelog, pages := readPage(t, "CHANGELOG.md"), []string{"index"}
	titles := map[string]string{
		"resources": "Resource", "data-sources": "Data Source", "functions": "Function", "actions": "Action",
		"ephemeral-resources": "Ephemeral Resource", "list-resources": "List Resource",
	}
	for kind, names := range registered(t) {
		for _, name := range names {
			pages = append(pages, kind+"/"+strings.TrimPrefix(name, "einvoice_"))
			if line := "* **New " + titles[kind] + ":** `" + name + "`\n"; !strings.Contains(changelog, line) {
				t.Errorf("CHANGELOG.md lacks %q", line)
			}
		}
	}
	for _, page := range pages {
		if _, err := os.Stat(filepath.Join("..", "..", "docs", filepath.FromSlash(page)+".md")); err != nil {
			t.Errorf("docs/%s.md is missing: run `make generate`", page)
		}
	}
}
