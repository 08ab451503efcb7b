package testkit

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// ReadData validates and reads a data source as a CLI does, and returns its state, or what is said where that fails.
func (p *Protocol) ReadData(kind string, arguments map[string]any) (state map[string]any, failed string) {
	p.T.Helper()
	state, said := p.Read(kind, arguments)
	return state, ErrorsIn(said)
}

// Read is ReadData with all that is said; the state is nil where that fails.
func (p *Protocol) Read(kind string, arguments map[string]any) (state map[string]any, said []*tfprotov6.Diagnostic) {
	p.T.Helper()
	schema := p.Schemas.DataSourceSchemas[kind]
	if schema == nil {
		p.T.Fatalf("no data source %s is served", kind)
	}
	config := p.Config(schema, arguments)
	valid := Answered(p.T, p.ValidateDataResourceConfig, &tfprotov6.ValidateDataResourceConfigRequest{
		TypeName: kind, Config: config,
	})
	if said = p.Heard(valid.Diagnostics); ErrorsIn(said) != "" {
		return nil, said
	}
	read := Answered(p.T, p.ReadDataSource, &tfprotov6.ReadDataSourceRequest{TypeName: kind, Config: config})
	if said = append(said, p.Heard(read.Diagnostics)...); ErrorsIn(said) != "" {
		return nil, said
	}
	state, _ = JSON(p.T, p.Unpack(read.State, schema.ValueType())).(map[string]any)
	return state, said
}

// Open validates, opens and closes an ephemeral resource as a CLI does, and returns what it shows, nil where that fails,
// and all that is said.
func (p *Protocol) Open(kind string, arguments map[string]any) (shown map[string]any, said []*tfprotov6.Diagnostic) {
	p.T.Helper()
	schema := p.Schemas.EphemeralResourceSchemas[kind]
	config := p.Config(schema, arguments)
	valid := Answered(p.T, p.ValidateEphemeralResourceConfig, &tfprotov6.ValidateEphemeralResourceConfigRequest{
		TypeName: kind, Config: config,
	})
	if said = p.Heard(valid.Diagnostics); ErrorsIn(said) != "" {
		return nil, said
	}
	opened := Answered(p.T, p.OpenEphemeralResource, &tfprotov6.OpenEphemeralResourceRequest{TypeName: kind, Config: config})
	if !opened.RenewAt.IsZero() {
		p.T.Errorf("%s is to be renewed at %s", kind, opened.RenewAt)
	}
	closed := Answered(p.T, p.CloseEphemeralResource, &tfprotov6.CloseEphemeralResourceRequest{
		TypeName: kind, Private: opened.Private,
	})
	said = append(append(said, p.Heard(opened.Diagnostics)...), p.Heard(closed.Diagnostics)...)
	if opened.Result != nil {
		shown, _ = JSON(p.T, p.Unpack(opened.Result, schema.ValueType())).(map[string]any)
	}
	return shown, said
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

// WantRefusals checks that each wrong value is refused in plan, before anything is sent.
func WantRefusals(t *testing.T, kind string, valid map[string]any, refusals []Refusal) {
	t.Helper()
	s := sandbox.Start(t, sandbox.Options{})
	o := Serve(t, s, nil).Object(kind)
	o.MustPlan(o.Value(o.Type, valid))
	for _, refusal := range refusals {
		t.Run(refusal.Name, func(t *testing.T) {
			arguments := maps.Clone(valid)
			Set(arguments, refusal.At, refusal.Value)
			_, said := o.Plan(o.Value(o.Type, arguments))
			WantErrorAt(t, said, refusal.At, refusal.Want)
		})
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were sent for configurations that are wrong", n)
	}
}

// WantRefusalsOf is WantRefusals of a table in the package's testdata: what is valid, and what is refused.
func WantRefusalsOf(t *testing.T, kind, table string) {
	t.Helper()
	for _, of := range rows.Read[[]struct {
		Valid    map[string]any
		Refusals []Refusal
	}](t, table) {
		WantRefusals(t, kind, of.Valid, of.Refusals)
	}
}

// WantErrorAt checks what an error says, as a regular expression, and that it is at the argument.
func WantErrorAt(t testing.TB, said []*tfprotov6.Diagnostic, at, want string) {
	t.Helper()
	root, _, _ := strings.Cut(at, ".")
	for _, d := range said {
		if d.Severity == tfprotov6.DiagnosticSeverityError && d.Attribute != nil &&
			d.Attribute.Steps()[0] == tftypes.AttributeName(root) &&
			matches(want, d.Summary+": "+d.Detail) {
			return
		}
	}
	t.Errorf("the errors are %q, want one at %s with %q", ErrorsIn(said), root, want)
}

// WantImports checks which object each import ID finds, by its id, and what is said
// of each that is refused, as a regular expression. Nothing is changed by that.
func WantImports(t *testing.T, p *Protocol, s *sandbox.Server, kind string, found, refused map[string]string) {
	t.Helper()
	s.ResetRequests()
	for text, id := range found {
		o := p.Object(kind)
		p.MustNotFail(o.Import(text))
		if got := o.State()["id"]; got != id {
			t.Errorf("%q imports %v, want %s", text, got, id)
		}
	}
	for text, want := range refused {
		o := p.Object(kind)
		failed := ErrorsIn(o.Import(text))
		if !matches(want, failed) {
			t.Errorf("%q: the error is %q, want %q", text, failed, want)
		}
		if state := o.State(); state != nil {
			t.Errorf("%q imports %v", text, state)
		}
	}
	for _, r := range s.Requests() {
		if r.Method != http.MethodGet {
			t.Errorf("an import has sent %s %s", r.Method, r.Path)
		}
	}
}
