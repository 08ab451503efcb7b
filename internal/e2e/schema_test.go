package e2e_test

import (
	"cmp"
	_ "embed" // The table.
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
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

// servedSchemas are the schemas as a CLI gets them, by a name such as "resource einvoice_company".
func servedSchemas(t *testing.T) map[string]*tfprotov6.Schema {
	t.Helper()
	served := served(t)
	schemas := map[string]*tfprotov6.Schema{"provider": served.Provider}
	for kind, of := range map[string]map[string]*tfprotov6.Schema{
		"resource": served.ResourceSchemas, "data source": served.DataSourceSchemas,
		"ephemeral resource": served.EphemeralResourceSchemas, "list resource": served.ListResourceSchemas,
	} {
		for name, s := range of {
			schemas[kind+" "+name] = s
		}
	}
	for name, s := range served.ActionSchemas {
		schemas["action "+name] = s.Schema
	}
	return schemas
}

// everyAttribute calls visit with each attribute of a schema, nested ones too, and with its siblings.
func everyAttribute(at string, siblings []*tfprotov6.SchemaAttribute, visit func(at string, a *tfprotov6.SchemaAttribute, siblings []*tfprotov6.SchemaAttribute)) {
	for _, a := range siblings {
		visit(at+a.Name, a, siblings)
		if a.NestedType != nil {
			everyAttribute(at+a.Name+".", a.NestedType.Attributes, visit)
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
		expect.False(t, len(s.Block.BlockTypes) > 0, "%s has blocks: nested attributes are what this provider uses", name)
		everyAttribute(name+": ", s.Block.Attributes, func(at string, a *tfprotov6.SchemaAttribute, siblings []*tfprotov6.SchemaAttribute) {
			expect.True(t, strings.HasSuffix(a.Description, "."),
				"%s: the description %q does not end with a period", at, a.Description)
			expect.True(t, attributeName.MatchString(a.Name), "%s is not in snake case", at)
			expect.Is(t, strings.HasSuffix(a.Name, "_wo"), a.WriteOnly, "%s is write-only, and its name says otherwise", at)
			// An object is as secret as what is in it, which is visited too.
			if a.NestedType == nil && !a.Sensitive && !a.WriteOnly && !slices.Contains(soundSecret, a.Name) &&
				!strings.HasSuffix(a.Name, "_wo_version") && secretWords.MatchString(a.Name) {
				t.Errorf("%s sounds like a secret and is neither sensitive nor write-only", at)
			}
			version := cmp.Or(sentTogether[a.Name], a.Name) + "_version"
			isVersion := func(other *tfprotov6.SchemaAttribute) bool { return other.Name == version }
			expect.False(t, a.WriteOnly && !slices.ContainsFunc(siblings, isVersion),
				"%s has no %s beside it: nothing could send it again", at, version)
		})
	}
	identities := testkit.Answered(
		t, testkit.ServedProvider().GetResourceIdentitySchemas, &tfprotov6.GetResourceIdentitySchemasRequest{},
	)
	expect.Is(t, testkit.ErrorsIn(identities.Diagnostics), "", "the identities")
	for _, name := range registered(t)["resources"] {
		identity := identities.IdentitySchemas[name]
		if identity == nil {
			t.Errorf("%s has no identity", name)
			continue
		}
		for _, a := range identity.IdentityAttributes {
			expect.True(t, strings.HasSuffix(a.Description, "."),
				"%s: the description %q of %s does not end with a period", name, a.Description, a.Name)
		}
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

// The texts of all validators. fixture.Faults has the rules of a diagnostic, which each test that reads one checks.

// wrongValues are what people write by mistake: nothing, a word that is none of those
// asked for, a CNPJ that lacks its check digits, and far too much.
var wrongValues = []string{"", "no such word", "11.222.333/0001", strings.Repeat("x", 6000)}

func TestSchemas_refuseWrongValuesInPlainWords(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	heard := 0
	for name, s := range servedSchemas(t) {
		for _, text := range wrongValues {
			heard += len(p.Heard(validated(t, p, name, saying(s.Block.ValueType(), s.Block.Attributes, text))))
		}
	}
	expect.False(t, heard < 500, "only %d diagnostics were heard", heard)
}

// What is decoded into texts must hold no null.
func TestSchemas_refuseNullsInCollections(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	refused := 0
	for name, s := range servedSchemas(t) {
		if name == "provider" { // It reads sets without texts of their own.
			continue
		}
		of := s.Block.ValueType()
		for _, a := range s.Block.Attributes {
			isScalar := a.Type == nil || a.Type.Is(tftypes.String) || a.Type.Is(tftypes.Number) || a.Type.Is(tftypes.Bool)
			if isScalar || !a.Optional && !a.Required {
				continue
			}
			members := p.Members(saying(of, nil, ""))
			members[a.Name] = within(a.Type, func(of tftypes.Type) tftypes.Value { return tftypes.NewValue(of, nil) })
			testkit.WantErrorAt(t, validated(t, p, name, tftypes.NewValue(of, members)), a.Name, "")
			refused++
		}
	}
	expect.False(t, refused < 3, "%d collections were found; there are more", refused)
}

// saying is a configuration with the text in every argument that takes texts.
func saying(of tftypes.Type, attributes []*tfprotov6.SchemaAttribute, text string) tftypes.Value {
	object, _ := of.(tftypes.Object)
	members := map[string]tftypes.Value{}
	for name, is := range object.AttributeTypes { // Blocks too, of which there are none.
		members[name] = tftypes.NewValue(is, nil)
	}
	word := tftypes.NewValue(tftypes.String, text)
	for _, a := range attributes {
		is := a.ValueType()
		switch {
		case !a.Optional && !a.Required:
		case a.NestedType != nil:
			members[a.Name] = within(is, func(element tftypes.Type) tftypes.Value { return saying(element, a.NestedType.Attributes, text) })
		case is.Is(tftypes.String), is.Is(tftypes.List{ElementType: tftypes.String}), is.Is(tftypes.Set{ElementType: tftypes.String}), is.Is(tftypes.Map{ElementType: tftypes.String}):
			members[a.Name] = within(is, func(tftypes.Type) tftypes.Value { return word })
		}
	}
	return tftypes.NewValue(of, members)
}

// within is an element in a collection of its type, or alone.
func within(of tftypes.Type, element func(of tftypes.Type) tftypes.Value) tftypes.Value {
	switch is := of.(type) {
	case tftypes.List:
		return tftypes.NewValue(of, []tftypes.Value{element(is.ElementType)})
	case tftypes.Set:
		return tftypes.NewValue(of, []tftypes.Value{element(is.ElementType)})
	case tftypes.Map:
		return tftypes.NewValue(of, map[string]tftypes.Value{"key": element(is.ElementType)})
	}
	return element(of)
}

// validated is what is said of a configuration of the kind and name of a schema.
func validated(t *testing.T, p *testkit.Protocol, name string, value tftypes.Value) []*tfprotov6.Diagnostic {
	t.Helper()
	config := p.Dynamic(value)
	kind, noun, _ := strings.Cut(name, " einvoice_")
	noun = "einvoice_" + noun
	switch kind {
	case "provider":
		return testkit.Answered(t, p.ValidateProviderConfig, &tfprotov6.ValidateProviderConfigRequest{Config: config}).Diagnostics
	case "resource":
		return testkit.Answered(t, p.ValidateResourceConfig, &tfprotov6.ValidateResourceConfigRequest{
			TypeName: noun, Config: config,
			ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
		}).Diagnostics
	case "data source":
		request := &tfprotov6.ValidateDataResourceConfigRequest{TypeName: noun, Config: config}
		return testkit.Answered(t, p.ValidateDataResourceConfig, request).Diagnostics
	case "ephemeral resource":
		request := &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: noun, Config: config}
		return testkit.Answered(t, p.ValidateEphemeralResourceConfig, request).Diagnostics
	case "list resource":
		request := &tfprotov6.ValidateListResourceConfigRequest{TypeName: noun, Config: config}
		return testkit.Answered(t, p.ValidateListResourceConfig, request).Diagnostics
	default:
		request := &tfprotov6.ValidateActionConfigRequest{ActionType: noun, Config: config}
		return testkit.Answered(t, p.ValidateActionConfig, request).Diagnostics
	}
}

// A length that a source states is an error, any other one a warning.
func TestLengths_failOnlyWhereASourceStatesThem(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	for name, test := range rows.Read[map[string]struct {
		Kind   string
		At     string
		Most   int
		Stated bool
	}](t, "lengths_fail_only_where_a_source_states_them.json") {
		rows.Case(t, name, func(t *testing.T) {
			for _, tooLong := range []bool{false, true} {
				text := strings.Repeat("1", test.Most)
				if tooLong {
					text += "1"
				}
				kind := "einvoice_" + test.Kind
				of := p.Schemas.ResourceSchemas[kind].ValueType()
				said := validated(t, p, "resource "+kind, p.Value(of, nested(object{test.At: text})))
				failed, warned := false, false
				for _, d := range said {
					isError := d.Severity == tfprotov6.DiagnosticSeverityError
					failed = failed || isError && strings.HasPrefix(d.Summary, "Invalid")
					warned = warned || !isError && strings.HasPrefix(d.Summary, "Possibly too long")
				}
				expect.False(t, failed != (tooLong && test.Stated) || warned != (tooLong && !test.Stated),
					"of %d characters it says %s", len(text), testkit.TextsOf(said))
			}
		})
	}
}

// Whatever may hold a secret is in no error, however wrong its value is: what is sensitive or write-only, and every
// JSON text. CLIs hide a sensitive value in a plan, but not what an error quotes.
func TestErrors_quoteNothingThatMayBeASecret(t *testing.T) {
	t.Parallel()
	const secret = "Zx9SECRETzx9"
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	wrong := []string{
		secret, " " + secret + "\n", `{ "general": { "csrt": "` + secret + `" }`, `["` + secret + `"`, `{ "a": "` + secret + `" } x`,
		secret + `: 1`, `{"` + secret + `": {]}`, "postgres://u:" + secret + "@ [", "postgres://u:" + secret + "@h/db?x=%zz",
	}
	tested := 0
	for kind, schema := range servedSchemas(t) {
		if isAsked := regexp.MustCompile("^(provider|resource |data source )"); !isAsked.MatchString(kind) {
			continue
		}
		everyAttribute("", schema.Block.Attributes, func(at string, a *tfprotov6.SchemaAttribute, _ []*tfprotov6.SchemaAttribute) {
			if !a.Required && !a.Optional || !a.Sensitive && !a.WriteOnly && !strings.HasSuffix(a.Name, "_json") {
				return
			}
			for _, text := range wrong {
				values := []any{text}
				if a.ValueType().Is(tftypes.Map{ElementType: tftypes.String}) {
					values = []any{object{text: "11222333000181"}, object{"11222333000181": text}, object{text: text}, object{text: nil}}
				}
				for _, value := range values {
					tested++
					arguments := object{}
					testkit.Set(arguments, at, value)
					config := p.Value(schema.ValueType(), arguments)
					said := validated(t, p, kind, config)
					if kind == "provider" && testkit.ErrorsIn(said) == "" {
						set := testkit.Answered(t, p.ConfigureProvider, &tfprotov6.ConfigureProviderRequest{Config: p.Dynamic(config)})
						said = append(said, set.Diagnostics...)
					}
					for _, d := range said {
						isQuoted := strings.Contains(fmt.Sprint(d.Summary, d.Detail, d.Attribute), secret)
						expect.False(t, isQuoted, "%s: %s = %q: an error quotes it: %s: %s", kind, at, value, d.Summary, d.Detail)
					}
				}
			}
		})
	}
	expect.False(t, tested < 100, "only %d values were tried", tested)
}

// A value that is not known while planning may turn out to be anything that a configuration can say, also null. What
// was planned as known beside it must be true for each of these, or the CLI ends the apply as a bug of the provider.

// turnsOut are the values that an attribute turns out to have, one after the other, and what has to be configured
// beside it, by path; null takes a part of the common arguments out. A list ends where it began, unless not every
// change can be undone.
type turnsOut struct {
	As        []any
	Arguments object
}

type object = map[string]any

//go:embed testdata/unknown_values.json
var unknownValuesJSON []byte

// unknownValues are, for each resource, its arguments and the values of each attribute, by their paths.
var unknownValues = func() (values map[string]struct {
	Arguments  object
	Attributes map[string]turnsOut
},
) {
	if err := json.Unmarshal(unknownValuesJSON, &values); err != nil {
		panic(err)
	}
	return values
}()

// ownCompany stands for the id of the main company.
const ownCompany = "(own)"

// correctedInvoice is an authorized NF-e that each of these tests finds.
const correctedInvoice = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

// receivedInvoice is an NF-e that was issued against the company.
const receivedInvoice = "0f14d0ab-9605-4a62-a9e4-5ed26688389b"

// nested are arguments by their paths as a configuration has them.
func nested(byPath object) object {
	arguments := object{}
	for path, value := range byPath {
		testkit.Set(arguments, path, value)
	}
	return arguments
}

// aConfiguration is of an object of any kind: a service that has what objects refer to, the arguments, and what sets one
// of them by its path.
func aConfiguration(t *testing.T) (s *sandbox.Server, arguments object, set func(path string, value any)) {
	t.Helper()
	s = sandbox.Start(t, sandbox.Options{SecretReads: sandbox.SecretsClear})
	s.Seed(sandbox.KindProductInvoices, object{"id": correctedInvoice, "status": "authorized"})
	s.SeedInbound(s.OwnerCompanyID(), object{"id": receivedInvoice})
	fixture.ExpectConfiguredPFX(s)
	arguments = object{}
	return s, arguments, func(path string, value any) {
		if value == ownCompany {
			value = s.OwnerCompanyID()
		}
		testkit.Set(arguments, path, value)
	}
}

func TestUnknownValues_makeNothingKnownThatMayChange(t *testing.T) {
	t.Parallel()
	for name, row := range unknownValues {
		for at, test := range row.Attributes {
			rows.Case(t, name+"/"+at, func(t *testing.T) {
				s, arguments, set := aConfiguration(t)
				for path, value := range row.Arguments {
					set(path, value)
				}
				for path, value := range test.Arguments {
					set(path, value)
				}
				o := testkit.Serve(t, s, nil).Object(name)
				set(at, tftypes.UnknownValue)
				unknown := o.Value(o.Type, arguments)
				// A creation, and updates from each value to the next.
				for _, value := range test.As {
					set(at, value)
					becomes(o, fmt.Sprintf("%v", value), unknown, o.Value(o.Type, arguments))
				}
			})
		}
	}
}

// becomes plans an object with what is not known, and applies with what it turns out to be. The second plan must keep
// what the first said, and the object what the second said.
func becomes(o *testkit.Object, what string, unknown, known tftypes.Value) {
	o.T.Helper()
	first := o.MustPlan(unknown)
	if len(first.RequiresReplace) > 0 {
		o.Forget()
		first = o.MustPlan(unknown)
	}
	second := o.MustPlan(known)
	o.Agree("planned again as "+what, o.Unpack(first.PlannedState, o.Type), o.Unpack(second.PlannedState, o.Type))
	if o.T.Failed() {
		o.T.FailNow()
	}
	o.MustNotFail(o.Apply(known, second))
}

// Core applies ignore_changes to the configuration that a plan sees, and not to the one that an apply sees. So an apply
// that reads its configuration sends what no plan has shown.

// ignorable is a resource that is changed, with another value for each of its attributes, by their paths.
type ignorable struct {
	Arguments object    // each attribute has a value
	Change    [2]object // sends something; the second one where the attribute is in the first
	Others    object
	Local     []string // what no request depends on
	Lists     []string // are one value: what is in them is not ignored alone
}

func ignorables(t *testing.T) map[string]ignorable {
	t.Helper()
	return rows.Read[map[string]ignorable](t, "ignored.json")
}

// An apply sends what its plan has shown, whatever the configuration says about what is ignored.
func TestIgnored_isNotSent(t *testing.T) {
	t.Parallel()
	for name, row := range ignorables(t) {
		kind, _, _ := strings.Cut(name, " ")
		for at, other := range row.Others {
			rows.Case(t, name+"/"+at, func(t *testing.T) {
				change := row.Change[0]
				for path := range change {
					if path == at || strings.HasPrefix(path, at+".") {
						change = row.Change[1]
						break
					}
				}
				asPlanned := row.sent(t, kind, at, nil, change, true)
				expect.Same(t, asPlanned, row.sent(t, kind, at, other, change, true), "what is ignored changes what is sent")
				hasEffect := !slices.Equal(asPlanned, row.sent(t, kind, at, other, change, false))
				expect.False(t, hasEffect == slices.Contains(row.Local, at),
					"where it is not ignored, it changes what is sent: %t", hasEffect)
			})
		}
	}
}

// sent is what an update sends while an attribute is configured as other, which is nil for what it was before, and
// whether that is ignored.
func (row ignorable) sent(t *testing.T, kind, at string, other any, change object, isIgnored bool) (sent []string) {
	t.Helper()
	s, arguments, set := aConfiguration(t)
	_, key := fixture.Company(s, fixture.BranchNumber)
	for _, path := range slices.Sorted(maps.Keys(row.Arguments)) {
		set(path, row.Arguments[path])
	}
	settings := object{"company_keys": object{fixture.BranchNumber: key}}
	o := testkit.Serve(t, s, settings).Object(kind)
	o.MustCreate(arguments)
	o.Protocol = testkit.Serve(t, s, settings) // Another run.
	o.MustNotFail(o.Refresh())
	for path, value := range change {
		set(path, value)
	}
	shown := o.Ignoring(at, o.Value(o.Type, arguments))
	if other != nil {
		set(at, other)
	}
	if !isIgnored {
		shown = o.Value(o.Type, arguments)
	}
	planned, said := o.Plan(shown)
	failed := testkit.ErrorsIn(said)
	if failed == "" && len(planned.RequiresReplace) > 0 {
		failed = "it is replaced"
	}
	before := len(s.Requests())
	if failed == "" {
		failed = testkit.ErrorsIn(o.Apply(o.Value(o.Type, arguments), planned))
	}
	if isIgnored && failed != "" {
		t.Fatal(failed)
	}
	if failed != "" {
		sent = append(sent, failed)
	}
	for _, r := range s.Requests()[before:] {
		if r.Method != "GET" {
			text := fmt.Sprintf("%s %s as %s: %s", r.Method, r.Path, r.Key, r.Body)
			for _, varies := range []*regexp.Regexp{uuids, times} {
				text = varies.ReplaceAllString(text, "(varies)")
			}
			sent = append(sent, text)
		}
	}
	expect.False(t, len(sent) == 0 && len(change) > 0, "the change sends nothing")
	return sent
}

// What differs between two runs: ids and keys, and when the sandbox has made or changed an object.
var (
	uuids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|"(apiKey|concurrencyStamp)":"[^"]*"`)
	times = regexp.MustCompile(`"(creationTime|lastModificationTime)":"[^"]*"`)
)

// Every attribute that can be configured is in the table of what is ignored, and every one that may be configured and is
// computed otherwise in the table of unknown values.
func TestTables_haveEveryAttribute(t *testing.T) {
	t.Parallel()
	table := ignorables(t)
	for kind, schema := range served(t).ResourceSchemas {
		row := table[kind]
		others := with(row.Others, table[kind+" with secrets in state"].Others)
		everyAttribute("", schema.Block.Attributes, func(at string, a *tfprotov6.SchemaAttribute, _ []*tfprotov6.SchemaAttribute) {
			isWhole := slices.ContainsFunc(append(row.Lists, "secrets"), func(list string) bool { return strings.HasPrefix(at, list+".") })
			_, isTested := others[at]
			isLeftOut := !isTested && !isWhole && !a.WriteOnly && (a.Optional || a.Required)
			expect.False(t, isLeftOut, "%s: %s is not in the table of what is ignored", kind, at)
			_, isTested = unknownValues[kind].Attributes[at]
			expect.False(t, a.Optional && a.Computed && !isTested, "%s: %s is not in the table of unknown values", kind, at)
		})
	}
}
