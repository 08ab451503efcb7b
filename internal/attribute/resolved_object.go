package attribute

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
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
		if req.Plan.Raw.IsNull() || req.State.Raw.IsNull() {
			return
		}
		if d := req.State.GetAttribute(ctx, req.Path.ParentPath(), &parent); !d.HasError() && !parent.IsNull() {
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
	if d := req.Config.GetAttribute(ctx, at, &configured); d.HasError() {
		return
	}
	if d := req.State.GetAttribute(ctx, at, &prior); d.HasError() || prior.IsNull() {
		return
	}
	if configured.IsNull() || (!configured.IsUnknown() && saysTheSame(configured.Attributes(), prior.Attributes())) {
		resp.PlanValue = req.StateValue
	}
}
