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

// resolvedObject plans an object whose leaves the service resolves from each other, such
// as a city from its code. The prior object stays while every configured leaf agrees with
// it. Otherwise the leaves that are not configured are stale, and become unknown.
type resolvedObject struct{ Undescribed }

func (resolvedObject) PlanModifyObject(
	ctx context.Context, req planmodifier.ObjectRequest, resp *planmodifier.ObjectResponse,
) {
	if req.ConfigValue.IsUnknown() {
		return
	}
	if req.ConfigValue.IsNull() {
		// The prior value stays, null included. Only where the parent is new the service fills it in.
		var parent types.Object
		if req.Plan.Raw.IsNull() || req.State.Raw.IsNull() {
			return
		}
		if diags := req.State.GetAttribute(ctx, req.Path.ParentPath(), &parent); !diags.HasError() && !parent.IsNull() {
			resp.PlanValue = req.StateValue
		}
		return
	}
	planned := req.ConfigValue.Attributes()
	if !req.StateValue.IsNull() && agree(planned, req.StateValue.Attributes()) {
		resp.PlanValue = req.StateValue
		return
	}
	for name, leaf := range planned {
		if leaf.IsNull() {
			unknown, diags := valueOf(ctx, leaf.Type(ctx), tftypes.UnknownValue)
			if resp.Diagnostics.Append(diags...); diags.HasError() {
				return
			}
			planned[name] = unknown
		}
	}
	resp.PlanValue = types.ObjectValueMust(req.ConfigValue.AttributeTypes(ctx), planned)
}

// agree reports whether each configured leaf means what the prior one does.
func agree(configured, prior map[string]attr.Value) bool {
	for name, leaf := range configured {
		if leaf.IsNull() {
			continue
		}
		if leaf.IsUnknown() || IsUnset(prior[name]) {
			return false
		}
		same := leaf.Equal(prior[name])
		if text, isText := leaf.(Spelled); isText {
			same = text.means(prior[name])
		}
		if !same {
			return false
		}
	}
	return true
}

// followsCity plans a leaf that the service fills in from the city beside it: the prior
// value stays as long as the city does.
type followsCity struct{ Undescribed }

func (followsCity) PlanModifyString(
	ctx context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse,
) {
	if !req.ConfigValue.IsNull() || req.State.Raw.IsNull() {
		return
	}
	// The city is read from the configuration: the plan may not have it yet.
	at := req.Path.ParentPath().AtName("city")
	var configured, prior types.Object
	diags := req.Config.GetAttribute(ctx, at, &configured)
	diags.Append(req.State.GetAttribute(ctx, at, &prior)...)
	if diags.HasError() || prior.IsNull() || configured.IsUnknown() {
		return
	}
	if configured.IsNull() || agree(configured.Attributes(), prior.Attributes()) {
		resp.PlanValue = req.StateValue
	}
}

// FillUnknown returns planned with its unknown parts taken from the answer of the service;
// the known parts stay. A part that the answer lacks becomes null.
func FillUnknown(ctx context.Context, planned, answered types.Object) (types.Object, diag.Diagnostics) {
	if planned.IsUnknown() {
		return answered, nil
	}
	if planned.IsNull() {
		return planned, nil
	}
	values, answers := planned.Attributes(), answered.Attributes()
	for name, value := range values {
		answer, ok := answers[name]
		var diags diag.Diagnostics
		if !ok {
			answer, diags = valueOf(ctx, value.Type(ctx), nil)
		}
		if inner, isObject := value.(types.Object); isObject && !diags.HasError() {
			object, _ := answer.(types.Object)
			values[name], diags = FillUnknown(ctx, inner, object)
		} else if value.IsUnknown() {
			values[name] = answer
		}
		if diags.HasError() {
			return planned, diags
		}
	}
	return types.ObjectValue(planned.AttributeTypes(ctx), values)
}

// valueOf is null or unknown as a value of a type.
func valueOf(ctx context.Context, t attr.Type, raw any) (attr.Value, diag.Diagnostics) {
	value, err := t.ValueFromTerraform(ctx, tftypes.NewValue(t.TerraformType(ctx), raw))
	if err != nil {
		return nil, message.ProviderBug("%v as a value of %s: %s", raw, t, err)
	}
	return value, nil
}

// AbsentObject reads an object that the service does not have. One that is configured
// without any value stays, or its plan would never be empty.
func AbsentObject(prior types.Object, attrTypes map[string]attr.Type) types.Object {
	if IsUnset(prior) {
		return types.ObjectNull(attrTypes)
	}
	if !holdsNothing(prior) {
		return types.ObjectNull(attrTypes)
	}
	return prior
}
