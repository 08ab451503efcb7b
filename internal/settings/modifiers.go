package settings

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
)

var (
	_ planmodifier.String = keepSetting{}
	_ planmodifier.Int64  = keepSetting{}
	_ planmodifier.Bool   = keepSetting{}
	_ planmodifier.Object = keepSetting{}
	_ planmodifier.Int64  = floorSetting{}
	_ planmodifier.Object = keepBlock{}
)

// keepSetting keeps the prior value of a field that is not configured, unless
// the object it is in did not exist: a null that was never read would be
// planned then, while the service fills the field in.
type keepSetting struct{}

func (keepSetting) Description(context.Context) string {
	return "A field that is not configured keeps the value it has at the service."
}

func (m keepSetting) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (keepSetting) PlanModifyString(ctx context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if keepsPrior(ctx, req.PlanValue, req.ConfigValue, req.State, req.Path) {
		resp.PlanValue = req.StateValue
	}
}

func (keepSetting) PlanModifyInt64(ctx context.Context, req planmodifier.Int64Request, resp *planmodifier.Int64Response) {
	if keepsPrior(ctx, req.PlanValue, req.ConfigValue, req.State, req.Path) {
		resp.PlanValue = req.StateValue
	}
}

func (keepSetting) PlanModifyBool(ctx context.Context, req planmodifier.BoolRequest, resp *planmodifier.BoolResponse) {
	if keepsPrior(ctx, req.PlanValue, req.ConfigValue, req.State, req.Path) {
		resp.PlanValue = req.StateValue
	}
}

func (keepSetting) PlanModifyObject(ctx context.Context, req planmodifier.ObjectRequest, resp *planmodifier.ObjectResponse) {
	if keepsPrior(ctx, req.PlanValue, req.ConfigValue, req.State, req.Path) {
		resp.PlanValue = req.StateValue
	}
}

func keepsPrior(ctx context.Context, plan, config attr.Value, state tfsdk.State, at path.Path) bool {
	if !plan.IsUnknown() || config.IsUnknown() || state.Raw.IsNull() {
		return false
	}
	var parent types.Object
	diags := state.GetAttribute(ctx, at.ParentPath(), &parent)
	return !diags.HasError() && !parent.IsNull()
}

// floorSetting plans a number that the service moves by itself: the configured
// value is the least that it must be. A higher one at the service is no drift.
type floorSetting struct{}

func (floorSetting) Description(context.Context) string {
	return "A configured number is a floor: a higher one at the service stays."
}

func (m floorSetting) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (floorSetting) PlanModifyInt64(ctx context.Context, req planmodifier.Int64Request, resp *planmodifier.Int64Response) {
	if req.ConfigValue.IsNull() {
		keepSetting{}.PlanModifyInt64(ctx, req, resp)
		return
	}
	if req.ConfigValue.IsUnknown() || attribute.IsUnset(req.StateValue) {
		return
	}
	if req.ConfigValue.ValueInt64() <= req.StateValue.ValueInt64() {
		resp.PlanValue = req.StateValue
	}
}

// keepBlock keeps a block that is not configured as it was, but for its secret:
// that leaves the state together with the block.
type keepBlock struct {
	secret string // "" where the block has none
}

func (keepBlock) Description(context.Context) string {
	return "A block that is not configured keeps the values it has at the service."
}

func (m keepBlock) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (m keepBlock) PlanModifyObject(ctx context.Context, req planmodifier.ObjectRequest, resp *planmodifier.ObjectResponse) {
	if !req.ConfigValue.IsNull() || req.State.Raw.IsNull() || req.Plan.Raw.IsNull() {
		return
	}
	resp.PlanValue = req.StateValue
	if m.secret != "" {
		resp.PlanValue = attribute.WithLeaf(ctx, req.StateValue, []string{m.secret}, types.StringNull())
	}
}
