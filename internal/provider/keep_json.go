package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
)

// keepJSON plans the prior text when the configured one decodes to the same
// values, so that reformatting, or 10 for 10.00, plans no update.
type keepJSON struct{}

var _ planmodifier.String = keepJSON{}

func (keepJSON) Description(context.Context) string {
	return "A change of formatting alone is no change."
}

func (m keepJSON) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (keepJSON) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if req.ConfigValue.IsNull() || isUnset(req.PlanValue) || isUnset(req.StateValue) {
		return
	}
	if sameJSONText(req.PlanValue.ValueString(), req.StateValue.ValueString()) {
		resp.PlanValue = req.StateValue
	}
}

// sameJSONText compares two JSON texts; a text that is not JSON equals nothing.
func sameJSONText(a, b string) bool {
	x, errX := decodeJSON([]byte(a))
	y, errY := decodeJSON([]byte(b))
	return errX == nil && errY == nil && sameJSON(x, y)
}
