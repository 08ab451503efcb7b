package attribute

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// KeepJSON plans the prior text when the configured one decodes to the same
// values, so that reformatting, or 10 for 10.00, plans no update.
type KeepJSON struct{}

var _ planmodifier.String = KeepJSON{}

func (KeepJSON) Description(context.Context) string {
	return "A change of formatting alone is no change."
}

func (m KeepJSON) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (KeepJSON) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if req.ConfigValue.IsNull() || IsUnset(req.PlanValue) || IsUnset(req.StateValue) {
		return
	}
	if jsontree.SameText(req.PlanValue.ValueString(), req.StateValue.ValueString()) {
		resp.PlanValue = req.StateValue
	}
}
