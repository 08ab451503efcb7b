package e2e_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
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
			heard += len(p.Heard(validated(t, p, name, s, saying(s.Block.ValueType(), s.Block.Attributes, text))))
		}
	}
	if heard < 500 {
		t.Errorf("only %d diagnostics were heard", heard)
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
func validated(t *testing.T, p *testkit.Protocol, name string, s *tfprotov6.Schema, value tftypes.Value) []*tfprotov6.Diagnostic {
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

// A length that a source states is an error, any other one a warning.
func TestLengths_failOnlyWhereASourceStatesThem(t *testing.T) {
	t.Parallel()
	type arguments = map[string]any
	address := func(name string) func(string) arguments {
		return func(text string) arguments { return arguments{"address": arguments{name: text}} }
	}
	at := func(name string) func(string) arguments {
		return func(text string) arguments { return arguments{name: text} }
	}
	responsible := func(name string) func(string) arguments {
		return func(text string) arguments {
			return arguments{"general": arguments{"technical_responsible": arguments{name: text}}}
		}
	}
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	for name, test := range map[string]struct {
		kind   string
		with   func(text string) arguments
		most   int
		stated bool
	}{
		"name":                        {"customer", at("name"), 80, true},
		"legal name":                  {"customer", at("legal_name"), 80, true},
		"municipal registration":      {"customer", at("city_tax_number"), 20, true},
		"state registration":          {"customer", at("state_tax_number"), 20, true},
		"email":                       {"customer", at("email"), 50, true},
		"phone":                       {"customer", at("phone"), 15, true},
		"mobile phone":                {"customer", at("mobile_phone"), 15, true},
		"street":                      {"customer", address("street"), 100, true},
		"number in the street":        {"customer", address("number"), 10, true},
		"district":                    {"customer", address("district"), 100, true},
		"postal code":                 {"customer", address("postal_code"), 15, true},
		"additional information":      {"customer", address("additional_information"), 150, true},
		"company's name":              {"company", at("name"), 80, true},
		"company's legal name":        {"company", at("legal_name"), 80, true},
		"company's email":             {"company", at("email"), 80, true},
		"company's phone":             {"company", at("phone"), 15, true},
		"company's mobile phone":      {"company", at("mobile_phone"), 15, false},
		"technical responsible's":     {"company_settings", responsible("phone"), 15, false},
		"technical responsible's tax": {"company_settings", responsible("federal_tax_number"), 14, false},
		"integration id":              {"invoice_issuance", at("integration_id"), 36, true},
		"reason":                      {"invoice_issuance", at("cancellation_reason"), 255, false},
		"order's reason":              {"order", at("cancellation_reason"), 255, false},
		"order's identity":            {"order", at("transaction_id"), 36, false},
		"justification":               {"inbound_manifestation", at("justification"), 255, false},
		"letter":                      {"correction_letter", at("letter"), 1000, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, tooLong := range []bool{false, true} {
				text := strings.Repeat("1", test.most)
				if tooLong {
					text += "1"
				}
				resp := testkit.Answered(t, p.ValidateResourceConfig, &tfprotov6.ValidateResourceConfigRequest{
					TypeName: "einvoice_" + test.kind,
					Config:   p.Config(p.Schemas.ResourceSchemas["einvoice_"+test.kind], test.with(text)),
				})
				failed, warned := false, false
				for _, d := range resp.Diagnostics {
					isError := d.Severity == tfprotov6.DiagnosticSeverityError
					failed = failed || isError && strings.HasPrefix(d.Summary, "Invalid")
					warned = warned || !isError && strings.HasPrefix(d.Summary, "Long")
				}
				if failed != (tooLong && test.stated) || warned != (tooLong && !test.stated) {
					t.Errorf("of %d characters it says %s", len(text), testkit.TextsOf(resp.Diagnostics))
				}
			}
		})
	}
}
