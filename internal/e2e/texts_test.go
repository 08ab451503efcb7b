package e2e_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// The texts of all validators. fixture.Faults has the rules of a diagnostic, which each
// test that reads one checks.

// wrongValues are what people write by mistake: nothing, a word that is none of those
// asked for, a CNPJ that lacks its check digits, and far too much.
var wrongValues = []string{"", "no such word", "11.222.333/0001", strings.Repeat("x", 6000)}

func TestSchemas_refuseWrongValuesInPlainWords(t *testing.T) {
	t.Parallel()
	p := acctest.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	heard := 0
	for name, s := range servedSchemas(t) {
		everyAttribute("", s.Block.Attributes, func(at string, a *tfprotov6.SchemaAttribute, _ []*tfprotov6.SchemaAttribute) {
			for _, text := range wrongValues {
				if value, ok := saying(a, text); ok {
					said := validated(t, p, name, s, holding(s.ValueType(), strings.Split(at, "."), value))
					heard += len(p.Heard(said))
				}
			}
		})
	}
	if heard < 500 {
		t.Errorf("only %d diagnostics were heard", heard)
	}
}

// saying is the text as a value of an argument that takes texts.
func saying(a *tfprotov6.SchemaAttribute, text string) (value tftypes.Value, ok bool) {
	word := tftypes.NewValue(tftypes.String, text)
	switch {
	case a.NestedType != nil || !a.Optional && !a.Required:
		return value, false
	case a.Type.Is(tftypes.String):
		return word, true
	case a.Type.Is(tftypes.List{ElementType: tftypes.String}), a.Type.Is(tftypes.Set{ElementType: tftypes.String}):
		return tftypes.NewValue(a.Type, []tftypes.Value{word}), true
	case a.Type.Is(tftypes.Map{ElementType: tftypes.String}):
		return tftypes.NewValue(a.Type, map[string]tftypes.Value{text: word}), true
	}
	return value, false
}

// holding is a configuration in which nothing but one value is set.
func holding(of tftypes.Type, at []string, value tftypes.Value) tftypes.Value {
	switch of := of.(type) {
	case tftypes.Object:
		members := map[string]tftypes.Value{}
		for name, is := range of.AttributeTypes {
			members[name] = tftypes.NewValue(is, nil)
		}
		members[at[0]] = value
		if len(at) > 1 {
			members[at[0]] = holding(of.AttributeTypes[at[0]], at[1:], value)
		}
		return tftypes.NewValue(of, members)
	case tftypes.List:
		return tftypes.NewValue(of, []tftypes.Value{holding(of.ElementType, at, value)})
	case tftypes.Set:
		return tftypes.NewValue(of, []tftypes.Value{holding(of.ElementType, at, value)})
	case tftypes.Map:
		return tftypes.NewValue(of, map[string]tftypes.Value{"key": holding(of.ElementType, at, value)})
	}
	return value
}

// validated is what is said of a configuration of the kind and name of a schema.
func validated(t *testing.T, p *acctest.Protocol, name string, s *tfprotov6.Schema, value tftypes.Value) []*tfprotov6.Diagnostic {
	t.Helper()
	config, err := tfprotov6.NewDynamicValue(s.ValueType(), value)
	if err != nil {
		t.Fatal(err)
	}
	kind, noun, _ := strings.Cut(name, " einvoice_")
	noun = "einvoice_" + noun
	var said []*tfprotov6.Diagnostic
	switch kind {
	case "provider":
		resp, failed := p.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: &config})
		said, err = resp.Diagnostics, failed
	case "resource":
		resp, failed := p.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
			TypeName: noun, Config: &config, ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
		})
		said, err = resp.Diagnostics, failed
	case "data source":
		resp, failed := p.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: noun, Config: &config})
		said, err = resp.Diagnostics, failed
	case "ephemeral resource":
		resp, failed := p.ValidateEphemeralResourceConfig(t.Context(), &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: noun, Config: &config})
		said, err = resp.Diagnostics, failed
	case "list resource":
		resp, failed := p.ValidateListResourceConfig(t.Context(), &tfprotov6.ValidateListResourceConfigRequest{TypeName: noun, Config: &config})
		said, err = resp.Diagnostics, failed
	case "action":
		resp, failed := p.ValidateActionConfig(t.Context(), &tfprotov6.ValidateActionConfigRequest{ActionType: noun, Config: &config})
		said, err = resp.Diagnostics, failed
	}
	if err != nil {
		t.Fatal(err)
	}
	return said
}
