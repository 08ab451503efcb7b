package settings

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
)

// ModifyPlan takes what only the service knows from the state and from the notes
// of the last refresh. It asks the service itself in one case: see
// checkNewContingency. What is not known yet is checked again before anything is
// written.
func (r *companySettingsResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.RefuseUnusableKey(req, resp)
	var config, plan, state companySettingsModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(settingsStay(state.CompanyID.ValueString()))
		return
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	notes, noted, diags := readSecretNotes(ctx, req.Private)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	if !state.CompanyID.Equal(plan.CompanyID) { // Another company's settings say nothing of these.
		state, noted = companySettingsModel{}, false
	}
	for _, b := range blocks {
		object := plan.block(b.name)
		*object, _ = b.planned(*config.block(b.name), *object, *state.block(b.name), !state.CompanyID.IsNull()).(types.Object)
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root(b.name), *object)...)
	}
	if r.Session != nil && changesEnvironment(plan, state) {
		r.Environments.Changes(plan.CompanyID.ValueString())
	}
	resp.Diagnostics.Append(warnOfProduction(plan, state)...)
	resp.Diagnostics.Append(checkVersions(config, state)...)
	if noted {
		resp.Diagnostics.Append(checkContingencyPlan(config, plan, notes)...)
		resp.Diagnostics.Append(checkUnreadableSecrets(config, plan, state, notes)...)
	} else if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.checkNewContingency(ctx, config)...)
	}
}

// planned is the value that a field is to have: what is configured, or else what
// the service holds. held: the object around it is in state. In a new one the
// service fills in what is not configured, so that it stays unknown.
func (f field) planned(config, plan, prior attr.Value, held bool) attr.Value {
	unset := config == nil || config.IsNull()
	switch {
	case unset && f.kind == secret:
		return types.StringNull()
	case unset && !held, !unset && config.IsUnknown():
		return plan
	case unset && f.kind != object:
		return prior
	}
	switch prior := prior.(type) {
	case types.Object:
		if unset && prior.IsNull() {
			return prior
		}
		configured, _ := config.(types.Object)
		planned, _ := plan.(types.Object)
		values := make(map[string]attr.Value, len(f.fields))
		for _, inner := range f.fields {
			values[inner.name] = inner.planned(leaf(configured, inner.name), leaf(planned, inner.name), leaf(prior, inner.name), !prior.IsNull())
		}
		return types.ObjectValueMust(typesOf(f.fields), values)
	case types.Int64: // The service raises a next number by itself: a higher one is no drift.
		if wanted, ok := config.(types.Int64); ok && f.kind == nextNumber && !prior.IsNull() && wanted.ValueInt64() <= prior.ValueInt64() {
			return prior
		}
	}
	return plan
}

// changesEnvironment reports whether the plan changes, or may change, an environment.
func changesEnvironment(plan, state companySettingsModel) bool {
	return slices.ContainsFunc(blocks, func(block field) bool {
		planned := leafText(*plan.block(block.name), "environment_type")
		return !planned.IsNull() && !planned.Equal(leafText(*state.block(block.name), "environment_type"))
	})
}

func warnOfProduction(plan, state companySettingsModel) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, block := range blocks {
		planned := leafText(*plan.block(block.name), "environment_type")
		if planned.ValueString() == "production" && !planned.Equal(leafText(*state.block(block.name), "environment_type")) {
			diags.Append(productionWarning(block.name, companyLabel(plan.CompanyID)))
		}
	}
	return diags
}

func companyLabel(id types.String) string {
	if attribute.IsUnset(id) {
		return "(known after apply)"
	}
	return id.ValueString()
}

// checkVersions refuses a version that changes while there is nothing to send.
func checkVersions(config, state companySettingsModel) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, s := range secretFields {
		version := leaf(config.Secrets, s.version())
		value := leaf(config.Secrets, s.writeOnly)
		if attribute.IsUnset(version) || value == nil || !value.IsNull() {
			continue
		}
		if prior := leaf(state.Secrets, s.version()); prior == nil || !version.Equal(prior) {
			diags.Append(versionWithoutSecret(s))
		}
	}
	return diags
}

// checkContingencyPlan refuses offline contingency that certainly lacks the
// token or the code.
func checkContingencyPlan(config, plan companySettingsModel, notes secretNotes) diag.Diagnostics {
	if !allowsContingency(config) {
		return nil
	}
	token := leaf(plan.ConsumerInvoice, "token_id")
	return incompleteContingency(token != nil && token.IsNull(), notes.of(cscSecret).Unset && !isConfigured(config, cscSecret))
}

func allowsContingency(config companySettingsModel) bool {
	allow, _ := leaf(config.ConsumerInvoice, "allow_offline_contingency").(types.Bool)
	return allow.ValueBool()
}

// checkNewContingency is the same for settings that were not refreshed yet. A
// token or code that is not configured may be at the service, so it is asked,
// once and only then. A read that fails is left to the apply to report.
func (r *companySettingsResource) checkNewContingency(ctx context.Context, config companySettingsModel) diag.Diagnostics {
	if !allowsContingency(config) || attribute.IsUnset(config.CompanyID) || r.Session == nil || r.Deferred() {
		return nil
	}
	token := leaf(config.ConsumerInvoice, "token_id")
	if token.IsUnknown() || !token.IsNull() && isConfigured(config, cscSecret) {
		return nil
	}
	held, err := r.Client.CompanySettings(ctx, config.CompanyID.ValueString())
	if err != nil {
		return nil // The apply reads the same again, and says what is wrong.
	}
	return checkContingency(config, held.Blocks)
}

// checkContingency refuses offline contingency for which neither the configuration nor the
// service has the token or the code.
func checkContingency(config companySettingsModel, held document) diag.Diagnostics {
	if !allowsContingency(config) {
		return nil
	}
	token := leaf(config.ConsumerInvoice, "token_id")
	noToken := token.IsNull() && !cscSecret.hasCompanion(held)
	return incompleteContingency(noToken, !isConfigured(config, cscSecret) && cscSecret.formIn(held, "") == unset)
}

// checkUnreadableSecrets fails in plan what would fail before the write: a
// block that changes while its secret can neither be read nor is configured.
func checkUnreadableSecrets(config, plan, state companySettingsModel, notes secretNotes) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, s := range secretFields {
		if !notes.of(s).Unreadable || isConfigured(config, s) {
			continue
		}
		if changes(plan.managed(), state.managed(), s.block()) {
			diags.Append(unreadableSecret(s))
		}
	}
	return diags
}

// changes tells whether a known value of a block differs from the prior state.
func changes(plan, state []setting, block string) bool {
	return slices.ContainsFunc(plan, func(planned setting) bool {
		return planned.block() == block && !slices.ContainsFunc(state, func(prior setting) bool {
			return slices.Equal(prior.keys, planned.keys) && prior.value.Equal(planned.value)
		})
	})
}

// isConfigured tells whether a secret has a value, perhaps one that is not
// known yet.
func isConfigured(config companySettingsModel, s secretField) bool {
	plain, writeOnly := leaf(*config.block(s.parent), s.name), leaf(config.Secrets, s.writeOnly)
	return plain != nil && !plain.IsNull() || writeOnly != nil && !writeOnly.IsNull() || config.Secrets.IsUnknown()
}
