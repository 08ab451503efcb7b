package company

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// deletionPlannedKey is the private data of a planned deletion, whose plan has warned already. A
// replacement has none.
const deletionPlannedKey = "deletion_planned"

// ModifyPlan refuses or warns of a deletion, which cannot be undone. It does not run for the
// destroying half of a replacement, so Delete checks again.
func (r *companyResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	r.ObjectResource.ModifyPlan(ctx, req, resp)
	if req.State.Raw.IsNull() {
		resp.Diagnostics.Append(warnOfMissingCity(ctx, req.Config)...)
		return
	}
	var state companyModel
	if resp.Diagnostics.Append(req.State.Get(ctx, &state)...); resp.Diagnostics.HasError() {
		return
	}
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(r.guardDeletion(&state)...)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, deletionPlannedKey, []byte("true"))...)
		return
	}
	var regime types.String
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("tax_regime"), &regime)...)
	if r.Session != nil && !regime.Equal(state.TaxRegime) {
		r.Environments.ChangesRegime(state.ID.ValueString())
	}
	if state.keyWasReplaced() {
		resp.Diagnostics.Append(keyReplacedOutside(state.label()))
	}
}

// warnOfMissingCity is about a new company: an existing one may have a city that the configuration
// does not manage.
func warnOfMissingCity(ctx context.Context, config tfsdk.Config) (diags diag.Diagnostics) {
	var address types.Object
	diags.Append(config.GetAttribute(ctx, path.Root("address"), &address)...)
	if diags.HasError() || address.IsUnknown() {
		return diags
	}
	if city := address.Attributes()["city"]; city == nil || city.IsNull() {
		diags.Append(companyWithoutCity())
	}
	return diags
}

// guardDeletion refuses to delete what must stay, and warns of what a deletion ends.
func (r *companyResource) guardDeletion(state *companyModel) diag.Diagnostics {
	switch {
	case r.Session != nil && r.Client != nil && r.isOwn(state):
		return diag.Diagnostics{ownCompany(state.label())}
	case state.DeletionProtection.IsNull() || state.DeletionProtection.ValueBool():
		return diag.Diagnostics{protectedFromDeletion(state.label())}
	default:
		return diag.Diagnostics{endsKey(state)}
	}
}

// isOwn reports whether a company is the one whose key this run works with. A mask may show
// nothing of the key, so the key in state is compared too.
func (r *companyResource) isOwn(state *companyModel) bool {
	matches := r.Client.KeyMatchesMask
	return matches(state.APIKeyMasked.ValueString()) || matches(state.APIKey.ValueString())
}
