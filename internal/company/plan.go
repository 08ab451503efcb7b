package company

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
)

// deletionPlannedKey is private data of a planned deletion: its plan has warned
// already. A replacement comes without.
const deletionPlannedKey = "deletion_planned"

// ModifyPlan guards what cannot be undone. It is not asked for the destroying
// half of a replacement, so Delete guards again.
func (r *companyResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.RefuseUnusableKey(req, resp)
	resp.Diagnostics.Append(r.ConfirmCreation(ctx, req.State, resp.Private)...)
	resp.Diagnostics.Append(attribute.WarnOfRepetition(ctx, req.Plan, req.State, req.Private)...)
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

// warnOfMissingCity is about a company that is to be created: one that exists may
// have a city that the configuration does not manage.
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

// guardDeletion refuses what must not be deleted, and warns of what a deletion
// takes along.
func (r *companyResource) guardDeletion(state *companyModel) diag.Diagnostics {
	switch {
	case r.Session != nil && r.Client != nil && r.isOwn(state):
		return diag.Diagnostics{ownCompany(state.label())}
	case state.DeletionProtection.IsNull() || state.DeletionProtection.ValueBool():
		return diag.Diagnostics{protectedFromDeletion(state.label())}
	default:
		return diag.Diagnostics{abandonedWithKey(state.label())}
	}
}

// isOwn tells whether a company is the one whose key this run works with. The
// key in state counts too: a mask may show nothing of it.
func (r *companyResource) isOwn(state *companyModel) bool {
	return r.Client.KeyMatchesMask(state.APIKeyMasked.ValueString()) || r.Client.KeyMatchesMask(state.APIKey.ValueString())
}
