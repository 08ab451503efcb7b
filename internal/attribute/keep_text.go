package attribute

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// keepText plans the prior text when the configured one means the same. Semantic
// equality acts on answers only, not while planning, so without it a change of
// punctuation or formatting alone, or an import, would plan an update.
type keepText struct {
	Undescribed

	same func(planned, prior string) bool
}

// KeepJSON keeps a JSON text that decodes to the same values.
func KeepJSON() planmodifier.String { return keepText{same: jsontree.SameText} }

// KeepSpelling keeps another spelling of the same text.
func KeepSpelling(s *Spelling) planmodifier.String { return keepText{same: s.Same} }

func (m keepText) PlanModifyString(
	_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse,
) {
	if req.ConfigValue.IsNull() || IsUnset(req.PlanValue) || IsUnset(req.StateValue) {
		return
	}
	if m.same(req.PlanValue.ValueString(), req.StateValue.ValueString()) {
		resp.PlanValue = req.StateValue
	}
}
