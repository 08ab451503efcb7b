package attribute

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// resolvedObject plans an object whose leaves the service resolves from each
// other, such as a city from its code. When every configured leaf says what the
// prior state says, the prior object stays; otherwise each leaf that is not
// configured becomes unknown, because the old one would be stale. It is one
// modifier on the object: kept leaf by leaf, the stale name of the old city
// would be planned beside the new code.
type resolvedObject struct{}

var _ planmodifier.Object = resolvedObject{}

func (resolvedObject) Description(context.Context) string {
	return "Leaves that are not configured follow the configured ones."
}

func (m resolvedObject) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (resolvedObject) PlanModifyObject(ctx context.Context, req planmodifier.ObjectRequest, resp *planmodifier.ObjectResponse) {
	if req.ConfigValue.IsUnknown() {
		return
	}
	if req.ConfigValue.IsNull() {
		// What was there stays, also where the service had none; a parent that is
		// new leaves it to the service.
		var parent types.Object
		if !req.Plan.Raw.IsNull() && !req.State.Raw.IsNull() && !req.State.GetAttribute(ctx, req.Path.ParentPath(), &parent).HasError() && !parent.IsNull() {
			resp.PlanValue = req.StateValue
		}
		return
	}
	configured := req.ConfigValue.Attributes()
	if !req.StateValue.IsNull() && saysTheSame(configured, req.StateValue.Attributes()) {
		resp.PlanValue = req.StateValue
		return
	}
	planned := req.ConfigValue.Attributes()
	for name, leaf := range configured {
		if leaf.IsNull() {
			leafType := leaf.Type(ctx)
			unknown, err := leafType.ValueFromTerraform(ctx, tftypes.NewValue(leafType.TerraformType(ctx), tftypes.UnknownValue))
			if err != nil {
				resp.Diagnostics.Append(message.ProviderBug("an unknown %s: %s", name, err))
				return
			}
			planned[name] = unknown
		}
	}
	value, diags := types.ObjectValue(req.ConfigValue.AttributeTypes(ctx), planned)
	resp.Diagnostics.Append(diags...)
	resp.PlanValue = value
}

// saysTheSame tells whether each configured leaf means what the prior one does.
func saysTheSame(configured, prior map[string]attr.Value) bool {
	for name, leaf := range configured {
		if leaf.IsNull() {
			continue
		}
		if leaf.IsUnknown() || IsUnset(prior[name]) {
			return false
		}
		text, isText := leaf.(Spelled)
		priorText, wasText := prior[name].(Spelled)
		if isText && wasText {
			if !text.Spelling.Same(text.ValueString(), priorText.ValueString()) {
				return false
			}
		} else if !leaf.Equal(prior[name]) {
			return false
		}
	}
	return true
}

// followsCity plans a leaf that the service fills in from the city beside it:
// the prior value stays as long as the city does.
type followsCity struct{}

var _ planmodifier.String = followsCity{}

func (followsCity) Description(context.Context) string {
	return "Follows the city when it is not configured."
}

func (m followsCity) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (followsCity) PlanModifyString(ctx context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if !req.ConfigValue.IsNull() || req.State.Raw.IsNull() {
		return
	}
	// The configuration is asked, not the plan: siblings are planned in no
	// certain order.
	at := req.Path.ParentPath().AtName("city")
	var configured, prior types.Object
	if req.Config.GetAttribute(ctx, at, &configured).HasError() || req.State.GetAttribute(ctx, at, &prior).HasError() || prior.IsNull() {
		return
	}
	if configured.IsNull() || (!configured.IsUnknown() && saysTheSame(configured.Attributes(), prior.Attributes())) {
		resp.PlanValue = req.StateValue
	}
}

// FillUnknown returns planned with its unknown parts taken from what the
// service answered; what is known stays as planned. A part that the answer
// lacks becomes null.
func FillUnknown(ctx context.Context, planned, answered types.Object) (types.Object, diag.Diagnostics) {
	if planned.IsUnknown() {
		return answered, nil
	}
	if planned.IsNull() {
		return planned, nil
	}
	values, held := planned.Attributes(), answered.Attributes()
	for name, value := range values {
		have, ok := held[name]
		var diags diag.Diagnostics
		if !ok {
			have, diags = nullOf(ctx, value.Type(ctx))
		}
		inner, isObject := value.(types.Object)
		switch {
		case diags.HasError():
		case isObject:
			answer, _ := have.(types.Object)
			values[name], diags = FillUnknown(ctx, inner, answer)
		case value.IsUnknown():
			values[name] = have
		}
		if diags.HasError() {
			return planned, diags
		}
	}
	return types.ObjectValue(planned.AttributeTypes(ctx), values)
}

func nullOf(ctx context.Context, t attr.Type) (attr.Value, diag.Diagnostics) {
	null, err := t.ValueFromTerraform(ctx, tftypes.NewValue(t.TerraformType(ctx), nil))
	if err != nil {
		return nil, diag.Diagnostics{message.ProviderBug("a null %s: %s", t, err)}
	}
	return null, nil
}

// AbsentObject reads an object that the service does not hold. One that is
// configured without any value stays, or its plan would never be empty.
func AbsentObject(prior types.Object, attrTypes map[string]attr.Type) types.Object {
	if IsUnset(prior) {
		return types.ObjectNull(attrTypes)
	}
	for _, value := range prior.Attributes() {
		if !value.IsNull() {
			return types.ObjectNull(attrTypes)
		}
	}
	return prior
}

// WithLeaf returns object with one value in it replaced, by null where value is
// nil; it stays as it is where it has no such place.
func WithLeaf(ctx context.Context, object types.Object, names []string, value attr.Value) types.Object {
	if IsUnset(object) {
		return object
	}
	values := object.Attributes()
	held, ok := values[names[0]]
	if !ok {
		return object
	}
	var diags diag.Diagnostics
	if inner, isObject := held.(types.Object); isObject && len(names) > 1 {
		value = WithLeaf(ctx, inner, names[1:], value)
	} else if value == nil {
		value, diags = nullOf(ctx, held.Type(ctx))
	}
	if diags.HasError() {
		return object
	}
	values[names[0]] = value
	replaced, diags := types.ObjectValue(object.AttributeTypes(ctx), values)
	if diags.HasError() {
		return object
	}
	return replaced
}
