package testkit

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// Object is one object that is planned, applied and read as a CLI does.
type Object struct {
	*Protocol

	Type tftypes.Type

	kind     string
	schema   *tfprotov6.Schema
	state    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

// Object is one of a kind that does not exist yet.
func (p *Protocol) Object(kind string) *Object {
	schema := p.Schemas.ResourceSchemas[kind]
	o := &Object{Protocol: p, kind: kind, schema: schema, Type: schema.ValueType()}
	o.Forget()
	return o
}

// Forget takes the object out of the state.
func (o *Object) Forget() {
	o.state, o.private, o.identity = tftypes.NewValue(o.Type, nil), nil, nil
}

// State is the object as encoding/json reads it from a state file; nil where there is none.
func (o *Object) State() map[string]any {
	state, _ := JSON(o.T, o.state).(map[string]any)
	return state
}

// Plan validates and plans a configuration, and returns all that is said. Null is what is to be destroyed.
func (o *Object) Plan(
	config tftypes.Value,
) (planned *tfprotov6.PlanResourceChangeResponse, said []*tfprotov6.Diagnostic) {
	o.T.Helper()
	if !config.IsNull() {
		valid := Answered(o.T, o.ValidateResourceConfig, &tfprotov6.ValidateResourceConfigRequest{
			TypeName:           o.kind,
			Config:             o.Dynamic(config),
			ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
		})
		if said = o.Heard(valid.Diagnostics); ErrorsIn(said) != "" {
			return nil, said
		}
	}
	planned = Answered(o.T, o.PlanResourceChange, &tfprotov6.PlanResourceChangeRequest{
		TypeName: o.kind, PriorState: o.Dynamic(o.state), Config: o.Dynamic(config), PriorPrivate: o.private,
		ProposedNewState: o.Dynamic(o.proposed(o.schema.Block.Attributes, o.state, config)),
	})
	return planned, append(said, o.Heard(planned.Diagnostics)...)
}

// MustPlan is a plan that does not fail.
func (o *Object) MustPlan(config tftypes.Value) *tfprotov6.PlanResourceChangeResponse {
	o.T.Helper()
	planned, said := o.Plan(config)
	o.MustNotFail(said)
	return planned
}

// Apply applies a plan, and returns all that is said. What is applied must be what was planned.
func (o *Object) Apply(config tftypes.Value, planned *tfprotov6.PlanResourceChangeResponse) []*tfprotov6.Diagnostic {
	o.T.Helper()
	applied := Answered(o.T, o.ApplyResourceChange, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: o.kind, PriorState: o.Dynamic(o.state), PlannedState: planned.PlannedState, Config: o.Dynamic(config),
		PlannedPrivate: planned.PlannedPrivate, PlannedIdentity: o.identity,
	})
	o.state, o.private, o.identity = o.Unpack(applied.NewState, o.Type), applied.Private, applied.NewIdentity
	if ErrorsIn(applied.Diagnostics) == "" {
		o.Agree("applied", o.Unpack(planned.PlannedState, o.Type), o.state)
	}
	return o.Heard(applied.Diagnostics)
}

// Create makes the object, and returns its state, nil where there is none, and all that is said.
func (o *Object) Create(arguments map[string]any) (state map[string]any, said []*tfprotov6.Diagnostic) {
	o.T.Helper()
	config := o.Value(o.Type, arguments)
	planned, said := o.Plan(config)
	if ErrorsIn(said) == "" {
		said = append(said, o.Apply(config, planned)...)
	}
	return o.State(), said
}

// MustCreate is Create where nothing fails.
func (o *Object) MustCreate(arguments map[string]any) (state map[string]any) {
	o.T.Helper()
	state, said := o.Create(arguments)
	o.MustNotFail(said)
	return state
}

// Refresh reads the object, if there is one, and returns all that is said.
func (o *Object) Refresh() []*tfprotov6.Diagnostic {
	o.T.Helper()
	if o.state.IsNull() {
		return nil
	}
	read := Answered(o.T, o.ReadResource, &tfprotov6.ReadResourceRequest{
		TypeName: o.kind, CurrentState: o.Dynamic(o.state), Private: o.private, CurrentIdentity: o.identity,
	})
	if ErrorsIn(read.Diagnostics) == "" {
		o.state, o.private, o.identity = o.Unpack(read.NewState, o.Type), read.Private, read.NewIdentity
	}
	return o.Heard(read.Diagnostics)
}

// Import takes the object into state by an import ID, reads it, and returns all that is said.
func (o *Object) Import(id string) []*tfprotov6.Diagnostic {
	o.T.Helper()
	return o.imported(&tfprotov6.ImportResourceStateRequest{TypeName: o.kind, ID: id})
}

// ImportBy is Import by an identity.
func (o *Object) ImportBy(identity map[string]any) []*tfprotov6.Diagnostic {
	o.T.Helper()
	packed := o.Dynamic(o.Value(o.identityType(), identity))
	return o.imported(&tfprotov6.ImportResourceStateRequest{
		TypeName: o.kind, Identity: &tfprotov6.ResourceIdentityData{IdentityData: packed},
	})
}

func (o *Object) identityType() tftypes.Type {
	o.T.Helper()
	schemas := Answered(o.T, o.GetResourceIdentitySchemas, &tfprotov6.GetResourceIdentitySchemasRequest{})
	return schemas.IdentitySchemas[o.kind].ValueType()
}

// Identity is that of the object in state.
func (o *Object) Identity() any {
	o.T.Helper()
	return JSON(o.T, o.Unpack(o.identity.IdentityData, o.identityType()))
}

func (o *Object) imported(request *tfprotov6.ImportResourceStateRequest) []*tfprotov6.Diagnostic {
	o.T.Helper()
	imported := Answered(o.T, o.ImportResourceState, request)
	if ErrorsIn(imported.Diagnostics) != "" {
		return o.Heard(imported.Diagnostics)
	}
	object := imported.ImportedResources[0]
	o.state, o.private, o.identity = o.Unpack(object.State, o.Type), object.Private, object.Identity
	said := append(imported.Diagnostics, o.Refresh()...)
	if ErrorsIn(said) != "" {
		o.Forget() // As a CLI does.
	}
	return said
}

// Step is one run: a refresh, a plan, an apply of what is planned, and a plan that has to find nothing more to do.
type Step struct {
	Before    func()                       // what happens outside of the run
	Arguments string                       // of the object, without references
	Plans     plancheck.ResourceActionType // where it is set
	PlanOnly  bool
	Fails     string         // what is said where the run fails, as a regular expression
	State     map[string]any // afterwards, by paths such as address.city.code
}

// Run runs the steps one after the other. It is for what a real CLI would not show otherwise.
func (o *Object) Run(steps ...Step) {
	o.T.Helper()
	for i, step := range steps {
		if i > 0 {
			o.Configure(o.configured) // Each run of a CLI begins anew.
		}
		if step.Before != nil {
			step.Before()
		}
		config := o.Value(o.Type, o.Arguments(step.Arguments))
		action, said := o.Once(config, step.PlanOnly)
		failed := ErrorsIn(said)
		if (step.Fails == "") != (failed == "") || !matches(step.Fails, failed) {
			o.T.Fatalf("step %d: the error is %q, want %q", i+1, failed, step.Fails)
		}
		if step.Plans != "" && action != step.Plans {
			o.T.Errorf("step %d: plans %s, want %s", i+1, action, step.Plans)
		}
		if step.Fails == "" && !step.PlanOnly {
			o.mustBeSettled(config)
		}
		o.holds(step.State)
		if o.T.Failed() {
			o.T.Fatalf("that was step %d", i+1)
		}
	}
}

// mustBeSettled refreshes the object, and wants the next plan to be empty.
func (o *Object) mustBeSettled(config tftypes.Value) {
	o.T.Helper()
	o.MustNotFail(o.Refresh())
	if action := o.Action(o.MustPlan(config)); action != plancheck.ResourceActionNoop {
		o.T.Errorf("the next plan is not empty: %s", action)
	}
}

func (o *Object) holds(state map[string]any) {
	o.T.Helper()
	for at, want := range state {
		if diff := cmp.Diff(want, At(o.State(), at)); diff != "" {
			o.T.Errorf("%s in state (-want +got):\n%s", at, diff)
		}
	}
}

// At walks into objects by a path such as address.city.code, and into the first entry of lists.
func At(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[0]
		}
		members, _ := value.(map[string]any)
		value = members[name]
	}
	return value
}

// Once is one run: a refresh, a plan, and an apply of what is planned. It returns what was planned, and all that was
// said. Null is what is to be destroyed.
func (o *Object) Once(
	config tftypes.Value, planOnly bool,
) (does plancheck.ResourceActionType, said []*tfprotov6.Diagnostic) {
	o.T.Helper()
	said = o.Refresh()
	if ErrorsIn(said) != "" || config.IsNull() && o.state.IsNull() {
		return plancheck.ResourceActionNoop, said
	}
	planned, more := o.Plan(config)
	if said = append(said, more...); ErrorsIn(said) != "" {
		return "", said
	}
	action := o.Action(planned)
	if planOnly || action == plancheck.ResourceActionNoop {
		return action, said
	}
	if action == plancheck.ResourceActionReplace {
		o.MustNotFail(o.Destroy(nil))
		o.Forget()
		planned = o.MustPlan(config)
	}
	return action, append(said, o.Apply(config, planned)...)
}

// Action is what a plan does.
func (o *Object) Action(planned *tfprotov6.PlanResourceChangeResponse) plancheck.ResourceActionType {
	o.T.Helper()
	switch {
	case o.state.IsNull():
		return plancheck.ResourceActionCreate
	case len(planned.RequiresReplace) > 0:
		return plancheck.ResourceActionReplace
	case o.Unpack(planned.PlannedState, o.Type).Equal(o.state):
		return plancheck.ResourceActionNoop
	default:
		return plancheck.ResourceActionUpdate
	}
}

// Arguments reads what stands in a block of a configuration.
func (p *Protocol) Arguments(text string) map[string]any {
	p.T.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text), "arguments", hcl.InitialPos)
	if diags.HasErrors() {
		p.T.Fatal(diags)
	}
	attributes, diags := file.Body.JustAttributes()
	if diags.HasErrors() {
		p.T.Fatal(diags)
	}
	values := map[string]any{}
	for name, attribute := range attributes {
		value, diags := attribute.Expr.Value(inBlocks)
		if diags.HasErrors() {
			p.T.Fatal(diags)
		}
		raw, err := ctyjson.Marshal(value, value.Type())
		if err != nil {
			p.T.Fatal(err)
		}
		var decoded any
		if err := json.Unmarshal(raw, &decoded); err != nil {
			p.T.Fatal(err)
		}
		values[name] = decoded
	}
	return values
}

// inBlocks is the one function that Arguments knows.
var inBlocks = &hcl.EvalContext{Functions: map[string]function.Function{"jsonencode": stdlib.JSONEncodeFunc}}

// proposed is the configuration, with the prior values of what is computed and not configured.
func (o *Object) proposed(attributes []*tfprotov6.SchemaAttribute, prior, config tftypes.Value) tftypes.Value {
	o.T.Helper()
	if config.IsNull() || !config.IsKnown() {
		return config
	}
	configured, held := maps.Clone(o.Members(config)), o.Members(prior)
	for _, a := range attributes {
		value, was := configured[a.Name], held[a.Name]
		switch {
		case a.WriteOnly:
			configured[a.Name] = tftypes.NewValue(value.Type(), nil)
		case value.IsNull() && a.Computed && held != nil:
			configured[a.Name] = was
		case a.NestedType != nil && a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			configured[a.Name] = o.proposed(a.NestedType.Attributes, was, value)
		}
	}
	return tftypes.NewValue(config.Type(), configured)
}

// Agree checks that what was planned as known has come about.
func (o *Object) Agree(when string, plan, actual tftypes.Value) {
	o.T.Helper()
	o.agree(when, o.kind, plan, actual)
}

func (o *Object) agree(when, at string, plan, actual tftypes.Value) {
	o.T.Helper()
	members, elements := o.Members(plan), o.elements(plan)
	switch {
	case !plan.IsKnown():
	case members != nil && !actual.IsNull() && actual.IsKnown():
		held := o.Members(actual)
		for name, member := range members {
			o.agree(when, at+"."+name, member, held[name])
		}
	case elements != nil && len(o.elements(actual)) == len(elements):
		for i, element := range o.elements(actual) {
			o.agree(when, fmt.Sprintf("%s[%d]", at, i), elements[i], element)
		}
	case !plan.Equal(actual):
		o.T.Errorf("%s: %s was planned as %v, and is %v", when, at, plan, actual)
	}
}

// elements are those of a list; nil where it is none, null or not known.
func (o *Object) elements(value tftypes.Value) (elements []tftypes.Value) {
	o.T.Helper()
	if value.IsKnown() && !value.IsNull() && value.Type().Is(tftypes.List{}) {
		if err := value.As(&elements); err != nil {
			o.T.Fatal(err)
		}
	}
	return elements
}

// Ignoring is a configuration as core hands it to a plan while ignore_changes names a path such as address.city: with
// the value of the state there.
func (o *Object) Ignoring(at string, config tftypes.Value) tftypes.Value {
	o.T.Helper()
	path := tftypes.NewAttributePath()
	for name := range strings.SplitSeq(at, ".") {
		path = path.WithAttributeName(name)
	}
	held, _, err := tftypes.WalkAttributePath(o.state, path)
	if err != nil {
		o.T.Fatal(err)
	}
	shown, err := tftypes.Transform(config, func(p *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
		if p.Equal(path) {
			value, _ = held.(tftypes.Value)
		}
		return value, nil
	})
	if err != nil {
		o.T.Fatal(err)
	}
	return shown
}
