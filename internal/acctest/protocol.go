package acctest

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// What only some CLIs offer is tested here as a CLI would use it, over the
// protocol, so that it is tested whichever CLI is at hand.

// protocolServer is every call of the protocol that this provider answers.
type protocolServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// Protocol is a configured provider, with its schemas.
type Protocol struct {
	protocolServer

	T       *testing.T
	Schemas *tfprotov6.GetProviderSchemaResponse
}

// Serve configures the provider for the sandbox as its main company, without
// pacing. Settings replace or add provider arguments.
func Serve(t *testing.T, s *sandbox.Server, settings map[string]any) *Protocol {
	t.Helper()
	server, ok := ServedProvider().(protocolServer)
	if !ok {
		t.Fatal("the provider does not serve list resources and actions")
	}
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	p := &Protocol{protocolServer: server, T: t, Schemas: schemas}
	arguments := map[string]any{"base_url": s.BaseURL(), "api_key": s.OwnerKey(), "requests_per_minute": 0, "requests_per_second": 0}
	for name, value := range settings {
		arguments[name] = value
	}
	resp, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: p.Config(schemas.Provider, arguments)})
	if err != nil {
		t.Fatal(err)
	}
	p.MustNotFail(resp.Diagnostics)
	return p
}

// Config is a configuration block in which everything else is null.
func (p *Protocol) Config(schema *tfprotov6.Schema, arguments map[string]any) *tfprotov6.DynamicValue {
	p.T.Helper()
	object, ok := schema.ValueType().(tftypes.Object)
	if !ok {
		p.T.Fatalf("a schema is of type %s", schema.ValueType())
	}
	values := map[string]tftypes.Value{}
	for name, of := range object.AttributeTypes {
		values[name] = tftypes.NewValue(of, arguments[name])
	}
	for name := range arguments {
		if _, ok := values[name]; !ok {
			p.T.Fatalf("there is no argument %s", name)
		}
	}
	config, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, values))
	if err != nil {
		p.T.Fatal(err)
	}
	return &config
}

// Attributes are those of an object as the protocol carries it; nil when it
// carries none.
func (p *Protocol) Attributes(value *tfprotov6.DynamicValue, of tftypes.Type) map[string]tftypes.Value {
	p.T.Helper()
	if value == nil {
		return nil
	}
	object, err := value.Unmarshal(of)
	if err != nil {
		p.T.Fatal(err)
	}
	if object.IsNull() {
		return nil
	}
	var attributes map[string]tftypes.Value
	if err := object.As(&attributes); err != nil {
		p.T.Fatal(err)
	}
	return attributes
}

// TextIn is "" for null and unknown.
func TextIn(t *testing.T, value tftypes.Value) string {
	t.Helper()
	if value.IsNull() || !value.IsKnown() {
		return ""
	}
	var text string
	if err := value.As(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

// MustNotFail ends the test with the errors among the diagnostics.
func (p *Protocol) MustNotFail(diagnostics []*tfprotov6.Diagnostic) {
	p.T.Helper()
	if text := ErrorsIn(diagnostics); text != "" {
		p.T.Fatal(text)
	}
}

// ErrorsIn are the texts of the errors among the diagnostics, a line each.
func ErrorsIn(diagnostics []*tfprotov6.Diagnostic) string {
	var texts []string
	for _, d := range diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			texts = append(texts, d.Summary+": "+d.Detail)
		}
	}
	return strings.Join(texts, "\n")
}
