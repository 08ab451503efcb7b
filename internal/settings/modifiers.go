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
	_ planmodifier.String = keepHeld{}
	_ planmodifier.Int64  = keepHeld{}
	_ planmodifier.Bool   = keepHeld{}
	_ planmodifier.Object = keepHeld{}
	_ planmodifier.Int64  = keepHigher{}
)

// keepHeld plans the prior value of a field that is not configured, unless the
// object around it is new: the service fills in its fields then.
type keepHeld struct {
	fields []field // of an object: a secret leaves the state together with it
}

func (keepHeld) Description(context.Context) string {
	return "A field that is not configured keeps the value it has at the service."
}

func (m keepHeld) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (keepHeld) PlanModifyString(ctx context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if keeps(ctx, req.ConfigValue, req.State, req.Path) {
		resp.PlanValue = req.StateValue
	}
}

func (keepHeld) PlanModifyInt64(ctx context.Context, req planmodifier.Int64Request, resp *planmodifier.Int64Response) {
	if keeps(ctx, req.ConfigValue, req.State, req.Path) {
		resp.PlanValue = req.StateValue
	}
}

func (keepHeld) PlanModifyBool(ctx context.Context, req planmodifier.BoolRequest, resp *planmodifier.BoolResponse) {
	if keeps(ctx, req.ConfigValue, req.State, req.Path) {
		resp.PlanValue = req.StateValue
	}
}

func (m keepHeld) PlanModifyObject(ctx context.Context, req planmodifier.ObjectRequest, resp *planmodifier.ObjectResponse) {
	if !keeps(ctx, req.ConfigValue, req.State, req.Path) {
		return
	}
	resp.PlanValue = req.StateValue
	for _, f := range m.fields {
		if f.kind == secret {
			resp.PlanValue = attribute.WithLeaf(ctx, resp.PlanValue, []string{f.name}, nil)
		}
	}
}

func keeps(ctx context.Context, config attr.Value, state tfsdk.State, at path.Path) bool {
	if !config.IsNull() || state.Raw.IsNull() {
		return false
	}
	if len(at.Steps()) == 1 {
		return true
	}
	var around types.Object
	diags := state.GetAttribute(ctx, at.ParentPath(), &around)
	return !diags.HasError() && !around.IsNull()
}

// keepHigher plans a number that the service raises by itself. The configured
// one is the least that it must be, so that a higher one at the service is no
// drift.
type keepHigher struct{ keepHeld }

func (keepHigher) Description(context.Context) string {
	return "A configured number is a floor: a higher one at the service stays."
}

func (m keepHigher) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (m keepHigher) PlanModifyInt64(ctx context.Context, req planmodifier.Int64Request, resp *planmodifier.Int64Response) {
	m.keepHeld.PlanModifyInt64(ctx, req, resp)
	if !attribute.IsUnset(req.ConfigValue) && !attribute.IsUnset(req.StateValue) && req.ConfigValue.ValueInt64() <= req.StateValue.ValueInt64() {
		resp.PlanValue = req.StateValue
	}
}
