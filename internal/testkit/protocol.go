package testkit

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// What only some CLIs offer, and what a CLI adds nothing to, is tested as a CLI
// would use it, over the protocol: whichever CLI is at hand, and without one.

// protocolServer is every call of the protocol that this provider answers.
type protocolServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// Protocol is a configured provider, with its schemas.
type Protocol struct {
	protocolServer

	T       testing.TB
	Schemas *tfprotov6.GetProviderSchemaResponse

	configured map[string]any // the arguments of the last time
}

// Serve configures the provider for the sandbox as its main company, without
// pacing. Settings replace or add provider arguments.
func Serve(t testing.TB, s *sandbox.Server, settings map[string]any) *Protocol {
	t.Helper()
	return Configured(t, ServedProvider(), s, settings)
}

// Configured is Serve for any server of the provider.
func Configured(t testing.TB, server tfprotov6.ProviderServer, s *sandbox.Server, settings map[string]any) *Protocol {
	t.Helper()
	p := newProtocol(t, server)
	p.Configure(asOwner(s.BaseURL(), s.OwnerKey(), settings))
	return p
}

// asOwner are the arguments of a provider without pacing. Settings replace or add some.
func asOwner(baseURL, key string, settings map[string]any) map[string]any {
	arguments := map[string]any{"base_url": baseURL, "api_key": key, "requests_per_minute": 0, "requests_per_second": 0}
	maps.Copy(arguments, settings)
	return arguments
}

// newProtocol is a provider that is not configured yet.
func newProtocol(t testing.TB, provider tfprotov6.ProviderServer) *Protocol {
	t.Helper()
	server, ok := provider.(protocolServer)
	if !ok {
		t.Fatal("the provider does not serve list resources and actions")
	}
	return &Protocol{protocolServer: server, T: t, Schemas: servedSchemas()}
}

// servedSchemas are those of the provider, which are the same each time.
var servedSchemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	schemas, err := ServedProvider().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		panic(err) // It asks nobody.
	}
	return schemas
})

// Configure gives the provider its arguments, as a CLI does before each plan and each apply.
func (p *Protocol) Configure(arguments map[string]any) {
	p.T.Helper()
	p.configured = arguments
	resp := Answered(p.T, p.ConfigureProvider, &tfprotov6.ConfigureProviderRequest{
		Config: p.Config(p.Schemas.Provider, arguments),
	})
	p.MustNotFail(resp.Diagnostics)
}

// Answered is the provider's answer to a request of the protocol. What it has to say
// against a request is in its diagnostics.
func Answered[Request, Answer any](
	t testing.TB, call func(context.Context, Request) (Answer, error), request Request,
) Answer {
	t.Helper()
	answer, err := call(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// Config is a configuration block with these arguments, in which everything else is null.
func (p *Protocol) Config(schema *tfprotov6.Schema, arguments map[string]any) *tfprotov6.DynamicValue {
	p.T.Helper()
	return p.Dynamic(p.Value(schema.ValueType(), arguments))
}

// Value is a value of a type: of a map the object with these members, whose other
// members are null, of a slice the list or set. tftypes.UnknownValue is not known yet, and so is (unknown) in data.
func (p *Protocol) Value(of tftypes.Type, value any) tftypes.Value {
	p.T.Helper()
	if value == "(unknown)" {
		value = tftypes.UnknownValue
	}
	switch of := of.(type) {
	case tftypes.Object:
		given, ok := value.(map[string]any)
		if !ok {
			return tftypes.NewValue(of, value)
		}
		members := map[string]tftypes.Value{}
		for name, t := range of.AttributeTypes {
			members[name] = p.Value(t, given[name])
		}
		for name := range given {
			if _, ok := members[name]; !ok {
				p.T.Fatalf("there is no argument %s", name)
			}
		}
		return tftypes.NewValue(of, members)
	case tftypes.Map:
		given, ok := value.(map[string]any)
		if !ok {
			return tftypes.NewValue(of, value)
		}
		elements := map[string]tftypes.Value{}
		for name, element := range given {
			elements[name] = p.Value(of.ElementType, element)
		}
		return tftypes.NewValue(of, elements)
	case tftypes.List:
		return tftypes.NewValue(of, p.values(of.ElementType, value))
	case tftypes.Set:
		return tftypes.NewValue(of, p.values(of.ElementType, value))
	default:
		// A CLI reads 0.1 with more digits than a float64 has.
		if number, ok := value.(float64); ok && of.Is(tftypes.Number) {
			exact, _, err := big.ParseFloat(strconv.FormatFloat(number, 'f', -1, 64), 10, 512, big.ToNearestEven)
			if err != nil {
				p.T.Fatal(err)
			}
			return tftypes.NewValue(of, exact)
		}
	}
	return tftypes.NewValue(of, value)
}

// values are those of a slice; anything else stays as it is.
func (p *Protocol) values(of tftypes.Type, value any) any {
	p.T.Helper()
	given, ok := value.([]any)
	if !ok {
		return value
	}
	elements := make([]tftypes.Value, len(given))
	for i, element := range given {
		elements[i] = p.Value(of, element)
	}
	return elements
}

// Dynamic packs a value as the protocol carries it.
func (p *Protocol) Dynamic(value tftypes.Value) *tfprotov6.DynamicValue {
	p.T.Helper()
	packed, err := tfprotov6.NewDynamicValue(value.Type(), value)
	if err != nil {
		p.T.Fatal(err)
	}
	return &packed
}

// Unpack takes out what the protocol carries.
func (p *Protocol) Unpack(value *tfprotov6.DynamicValue, of tftypes.Type) tftypes.Value {
	p.T.Helper()
	unpacked, err := value.Unmarshal(of)
	if err != nil {
		p.T.Fatal(err)
	}
	return unpacked
}

// Attributes are those of an object as the protocol carries it; nil when it carries none.
func (p *Protocol) Attributes(value *tfprotov6.DynamicValue, of tftypes.Type) map[string]tftypes.Value {
	p.T.Helper()
	if value == nil {
		return nil
	}
	return p.Members(p.Unpack(value, of))
}

// Members are those of an object; nil where it is none, null or not known.
func (p *Protocol) Members(value tftypes.Value) (members map[string]tftypes.Value) {
	p.T.Helper()
	if value.IsKnown() && !value.IsNull() && value.Type().Is(tftypes.Object{}) {
		if err := value.As(&members); err != nil {
			p.T.Fatal(err)
		}
	}
	return members
}

// TextIn is "" for null and unknown.
func TextIn(t testing.TB, value tftypes.Value) string {
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

// Heard checks the manners of what is said, and returns it.
func (p *Protocol) Heard(said []*tfprotov6.Diagnostic) []*tfprotov6.Diagnostic {
	p.T.Helper()
	for _, d := range said {
		at := ""
		if d.Attribute != nil && len(d.Attribute.Steps()) > 0 {
			at = fmt.Sprint(d.Attribute.Steps()[0])
		}
		for _, fault := range fixture.Faults(at, d.Summary, d.Detail) {
			p.T.Errorf("a text %s\n%s\n\n%s", fault, d.Summary, d.Detail)
		}
	}
	return said
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

// JSON is a value as encoding/json reads it from a state file.
func JSON(t testing.TB, value tftypes.Value) any {
	t.Helper()
	if value.IsNull() || !value.IsKnown() {
		return nil
	}
	var err error
	defer func() {
		if err != nil {
			t.Fatal(err)
		}
	}()
	of := value.Type()
	switch {
	case of.Is(tftypes.String):
		var text string
		err = value.As(&text)
		return text
	case of.Is(tftypes.Number):
		var number big.Float
		err = value.As(&number)
		float, _ := number.Float64()
		return float
	case of.Is(tftypes.Bool):
		var flag bool
		err = value.As(&flag)
		return flag
	case of.Is(tftypes.List{}), of.Is(tftypes.Set{}), of.Is(tftypes.Tuple{}):
		var elements []tftypes.Value
		err = value.As(&elements)
		list := []any{}
		for _, element := range elements {
			list = append(list, JSON(t, element))
		}
		return list
	default:
		var members map[string]tftypes.Value
		err = value.As(&members)
		object := map[string]any{}
		for name, member := range members {
			object[name] = JSON(t, member)
		}
		return object
	}
}
