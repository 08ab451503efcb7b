package e2e_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// The texts of all validators. fixture.Faults has the rules of a diagnostic, which each
// test that reads one checks.

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
	if heard < 500 {
		t.Errorf("only %d diagnostics were heard", heard)
	}
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
	if refused < 3 {
		t.Errorf("%d collections were found; there are more", refused)
	}
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
		return testkit.Answered(t, p.ValidateProviderConfig, &tfprotov6.ValidateProviderConfigRequest{
			Config: config,
		}).Diagnostics
	case "resource":
		return testkit.Answered(t, p.ValidateResourceConfig, &tfprotov6.ValidateResourceConfigRequest{
			TypeName: noun, Config: config,
			ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
		}).Diagnostics
	case "data source":
		return testkit.Answered(t, p.ValidateDataResourceConfig, &tfprotov6.ValidateDataResourceConfigRequest{
			TypeName: noun, Config: config,
		}).Diagnostics
	case "ephemeral resource":
		return testkit.Answered(t, p.ValidateEphemeralResourceConfig, &tfprotov6.ValidateEphemeralResourceConfigRequest{
			TypeName: noun, Config: config,
		}).Diagnostics
	case "list resource":
		return testkit.Answered(t, p.ValidateListResourceConfig, &tfprotov6.ValidateListResourceConfigRequest{
			TypeName: noun, Config: config,
		}).Diagnostics
	default:
		return testkit.Answered(t, p.ValidateActionConfig, &tfprotov6.ValidateActionConfigRequest{
			ActionType: noun, Config: config,
		}).Diagnostics
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
					warned = warned || !isError && strings.HasPrefix(d.Summary, "Long")
				}
				if failed != (tooLong && test.Stated) || warned != (tooLong && !test.Stated) {
					t.Errorf("of %d characters it says %s", len(text), testkit.TextsOf(said))
				}
			}
		})
	}
}
