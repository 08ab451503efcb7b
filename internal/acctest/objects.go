package acctest

import (
	"maps"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// Plan plans a resource as a CLI does.
func (p *Protocol) Plan(kind string, config, prior tftypes.Value, private []byte) *tfprotov6.PlanResourceChangeResponse {
	p.T.Helper()
	planned, err := p.PlanResourceChange(p.T.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: kind, PriorState: p.Dynamic(prior), Config: p.Dynamic(config), PriorPrivate: private,
		ProposedNewState: p.Dynamic(p.proposed(p.Schemas.ResourceSchemas[kind].Block.Attributes, prior, config)),
	})
	if err != nil {
		p.T.Fatal(err)
	}
	return planned
}

// proposed is the configuration, with the prior values of what is computed and
// not configured.
func (p *Protocol) proposed(attributes []*tfprotov6.SchemaAttribute, prior, config tftypes.Value) tftypes.Value {
	p.T.Helper()
	if config.IsNull() || !config.IsKnown() {
		return config
	}
	configured, held := maps.Clone(p.Members(config)), p.Members(prior)
	for _, a := range attributes {
		value, was := configured[a.Name], held[a.Name]
		switch {
		case a.WriteOnly:
			configured[a.Name] = tftypes.NewValue(value.Type(), nil)
		case value.IsNull() && a.Computed && held != nil:
			configured[a.Name] = was
		case a.NestedType != nil && a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			configured[a.Name] = p.proposed(a.NestedType.Attributes, was, value)
		}
	}
	return tftypes.NewValue(config.Type(), configured)
}

// Create validates, plans and applies a new object as a CLI does, and returns its
// state, or what is said where that fails.
func (p *Protocol) Create(kind string, arguments map[string]any) (state map[string]any, failed []*tfprotov6.Diagnostic) {
	p.T.Helper()
	schema := p.Schemas.ResourceSchemas[kind]
	config, none := p.Value(schema.ValueType(), arguments), tftypes.NewValue(schema.ValueType(), nil)
	planned, failed := p.planNew(kind, config)
	if failed != nil {
		return nil, failed
	}
	applied, err := p.ApplyResourceChange(p.T.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: kind, PriorState: p.Dynamic(none), PlannedState: planned.PlannedState, Config: p.Dynamic(config),
		PlannedPrivate: planned.PlannedPrivate, PlannedIdentity: planned.PlannedIdentity,
	})
	if err != nil {
		p.T.Fatal(err)
	}
	state, _ = JSON(p.T, p.Unpack(applied.NewState, schema.ValueType())).(map[string]any)
	return state, errorsAmong(applied.Diagnostics)
}

// planNew validates and plans a new object.
func (p *Protocol) planNew(kind string, config tftypes.Value) (planned *tfprotov6.PlanResourceChangeResponse, failed []*tfprotov6.Diagnostic) {
	p.T.Helper()
	valid, err := p.ValidateResourceConfig(p.T.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: kind, Config: p.Dynamic(config), ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		p.T.Fatal(err)
	}
	if failed := errorsAmong(valid.Diagnostics); failed != nil {
		return nil, failed
	}
	planned = p.Plan(kind, config, tftypes.NewValue(config.Type(), nil), nil)
	return planned, errorsAmong(planned.Diagnostics)
}

// ReadData validates and reads a data source as a CLI does, and returns its state,
// or what is said where that fails.
func (p *Protocol) ReadData(kind string, arguments map[string]any) (state map[string]any, failed string) {
	p.T.Helper()
	schema := p.Schemas.DataSourceSchemas[kind]
	if schema == nil {
		p.T.Fatalf("no data source %s is served", kind)
	}
	config := p.Config(schema, arguments)
	valid, err := p.ValidateDataResourceConfig(p.T.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: kind, Config: config})
	if err != nil {
		p.T.Fatal(err)
	}
	if failed := ErrorsIn(valid.Diagnostics); failed != "" {
		return nil, failed
	}
	read, err := p.ReadDataSource(p.T.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: kind, Config: config})
	if err != nil {
		p.T.Fatal(err)
	}
	if failed := ErrorsIn(read.Diagnostics); failed != "" {
		return nil, failed
	}
	state, _ = JSON(p.T, p.Unpack(read.State, schema.ValueType())).(map[string]any)
	return state, ""
}

// Set puts a value at a path such as address.city.code; nil takes it out. Other
// arguments that share its objects stay as they are.
func Set(arguments map[string]any, at string, value any) {
	name, rest, nested := strings.Cut(at, ".")
	if !nested {
		arguments[name] = value
		return
	}
	inner, _ := arguments[name].(map[string]any)
	inner = maps.Clone(inner)
	if inner == nil {
		inner = map[string]any{}
	}
	Set(inner, rest, value)
	arguments[name] = inner
}

// Refusal is a configuration that is right but for one value.
type Refusal struct {
	Name  string
	At    string // such as address.city.code
	Value any    // nil leaves it out
	Want  string // in the error that is at the attribute, as a regular expression
}

// WantRefusals checks that each wrong value is refused in plan, before anything is
// sent.
func WantRefusals(t *testing.T, kind string, valid map[string]any, refusals []Refusal) {
	t.Helper()
	s := sandbox.Start(t, sandbox.Options{})
	p := Serve(t, s, nil)
	of := p.Schemas.ResourceSchemas[kind].ValueType()
	if _, failed := p.planNew(kind, p.Value(of, valid)); failed != nil {
		t.Fatalf("what is to be valid is refused: %s", ErrorsIn(failed))
	}
	for _, refusal := range refusals {
		arguments := maps.Clone(valid)
		Set(arguments, refusal.At, refusal.Value)
		_, failed := p.planNew(kind, p.Value(of, arguments))
		WantErrorAt(t, refusal.Name, failed, refusal.At, refusal.Want)
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were sent for configurations that are wrong", n)
	}
}

// WantErrorAt checks that one of the errors is at the argument, and what it says.
func WantErrorAt(t *testing.T, name string, failed []*tfprotov6.Diagnostic, at, want string) {
	t.Helper()
	text := ErrorsIn(failed)
	if !regexp.MustCompile("(?s)" + want).MatchString(text) {
		t.Errorf("%s: the error is %q, want %q", name, text, want)
	}
	root, _, _ := strings.Cut(at, ".")
	for _, d := range failed {
		if d.Attribute != nil && d.Attribute.Steps()[0] == tftypes.AttributeName(root) {
			return
		}
	}
	t.Errorf("%s: no error is at %s: %q", name, root, text)
}

// errorsAmong is nil where there are none.
func errorsAmong(diagnostics []*tfprotov6.Diagnostic) (errors []*tfprotov6.Diagnostic) {
	for _, d := range diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			errors = append(errors, d)
		}
	}
	return errors
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
