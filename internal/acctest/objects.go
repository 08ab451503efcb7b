package acctest

import (
	"maps"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// PlanNew validates and plans a new object, and returns all that is said.
func (p *Protocol) PlanNew(kind string, arguments map[string]any) (planned *tfprotov6.PlanResourceChangeResponse, said []*tfprotov6.Diagnostic) {
	p.T.Helper()
	config := p.Value(p.Schemas.ResourceSchemas[kind].ValueType(), arguments)
	valid, err := p.ValidateResourceConfig(p.T.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: kind, Config: p.Dynamic(config), ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		p.T.Fatal(err)
	}
	if ErrorsIn(valid.Diagnostics) != "" {
		return nil, valid.Diagnostics
	}
	planned = p.Plan(kind, config, tftypes.NewValue(config.Type(), nil), nil)
	return planned, append(valid.Diagnostics, planned.Diagnostics...)
}

// Create plans and applies a new object as a CLI does, and returns its state, nil
// where there is none, and all that is said.
func (p *Protocol) Create(kind string, arguments map[string]any) (state map[string]any, said []*tfprotov6.Diagnostic) {
	p.T.Helper()
	planned, said := p.PlanNew(kind, arguments)
	if ErrorsIn(said) != "" {
		return nil, said
	}
	of := p.Schemas.ResourceSchemas[kind].ValueType()
	applied, err := p.ApplyResourceChange(p.T.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: kind, PriorState: p.Dynamic(tftypes.NewValue(of, nil)), PlannedState: planned.PlannedState, Config: p.Config(p.Schemas.ResourceSchemas[kind], arguments),
		PlannedPrivate: planned.PlannedPrivate, PlannedIdentity: planned.PlannedIdentity,
	})
	if err != nil {
		p.T.Fatal(err)
	}
	state, _ = JSON(p.T, p.Unpack(applied.NewState, of)).(map[string]any)
	return state, append(said, applied.Diagnostics...)
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
	if _, said := p.PlanNew(kind, valid); ErrorsIn(said) != "" {
		t.Fatalf("what is to be valid is refused: %s", ErrorsIn(said))
	}
	for _, refusal := range refusals {
		t.Run(refusal.Name, func(t *testing.T) {
			arguments := maps.Clone(valid)
			Set(arguments, refusal.At, refusal.Value)
			_, said := p.PlanNew(kind, arguments)
			WantErrorAt(t, said, refusal.At, refusal.Want)
		})
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were sent for configurations that are wrong", n)
	}
}

// WantErrorAt checks what an error says, as a regular expression, and that it is
// at the argument.
func WantErrorAt(t *testing.T, said []*tfprotov6.Diagnostic, at, want string) {
	t.Helper()
	root, _, _ := strings.Cut(at, ".")
	for _, d := range said {
		if d.Severity == tfprotov6.DiagnosticSeverityError && d.Attribute != nil && d.Attribute.Steps()[0] == tftypes.AttributeName(root) &&
			regexp.MustCompile("(?s)"+want).MatchString(d.Summary+": "+d.Detail) {
			return
		}
	}
	t.Errorf("the errors are %q, want one at %s with %q", ErrorsIn(said), root, want)
}

// DataRead is one way to read a data source.
type DataRead struct {
	Name      string
	Arguments map[string]any
	State     map[string]any // a part of what is read
	Error     string         // a regular expression of what is said instead
}

// WantDataReads checks what a data source reads and refuses.
func WantDataReads(t *testing.T, s *sandbox.Server, kind string, reads []DataRead) {
	t.Helper()
	p := Serve(t, s, nil)
	for _, read := range reads {
		t.Run(read.Name, func(t *testing.T) {
			state, failed := p.ReadData(kind, read.Arguments)
			if (read.Error == "") != (failed == "") || !regexp.MustCompile("(?s)"+read.Error).MatchString(failed) {
				t.Errorf("the error is %q, want %q", failed, read.Error)
			}
			for name, want := range read.State {
				if diff := cmp.Diff(want, state[name]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
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
