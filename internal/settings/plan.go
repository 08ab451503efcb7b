package settings

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
)

const productionEnvironment = "production"

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
	resp.Diagnostics.Append(warnOfProduction(plan, state)...)
	resp.Diagnostics.Append(checkVersions(config, state)...)
	if noted {
		resp.Diagnostics.Append(checkContingencyPlan(config, plan, notes)...)
		resp.Diagnostics.Append(checkUnreadableSecrets(config, plan, state, notes)...)
	} else if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.checkNewContingency(ctx, config)...)
	}
}

func warnOfProduction(plan, state companySettingsModel) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, block := range blocks {
		planned := leafText(*plan.block(block.name), "environment_type")
		if planned.ValueString() == productionEnvironment && !planned.Equal(leafText(*state.block(block.name), "environment_type")) {
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
	for _, s := range secrets {
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
	return incompleteContingency(token != nil && token.IsNull(), notes.CSC.Unset && !isConfigured(config, cscSecret))
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
	return checkContingency(held.Blocks, config.managed(), config.wantedSecrets(companySettingsModel{}, secretNotes{}))
}

// checkContingency is the same before a write, with what the service holds.
func checkContingency(held document, wanted []setting, secrets []wantedSecret) diag.Diagnostics {
	allowed, hasToken := false, false
	for _, s := range wanted {
		switch s.at.String() {
		case "consumer_invoice.allow_offline_contingency":
			allowed = s.value.Equal(types.BoolValue(true))
		case "consumer_invoice.token_id":
			hasToken = true
		}
	}
	for _, s := range secrets {
		if s.name == csc.name && allowed {
			token, _ := s.companionIn(held)
			_, form := shownSecret(s.in(held))
			return incompleteContingency(!hasToken && token == "", s.value.IsNull() && form == secretUnset)
		}
	}
	return nil
}

// checkUnreadableSecrets fails in plan what would fail before the write: a
// block that changes while its secret can neither be read nor is configured.
func checkUnreadableSecrets(config, plan, state companySettingsModel, notes secretNotes) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, s := range secrets {
		if !notes.of(s).Unreadable || isConfigured(config, s) {
			continue
		}
		if certainlyChanges(*config.block(s.block), *plan.block(s.block), *state.block(s.block), s.name) {
			diags.Append(unreadableSecret(s))
		}
	}
	return diags
}

// isConfigured tells whether a secret has a value, perhaps one that is not
// known yet.
func isConfigured(config companySettingsModel, s secretField) bool {
	for _, value := range []attr.Value{
		leaf(*config.block(s.block), s.name), leaf(config.Secrets, s.writeOnly),
	} {
		if value != nil && !value.IsNull() {
			return true
		}
	}
	return config.Secrets.IsUnknown()
}

// certainlyChanges tells whether a known managed field of a block differs from
// the prior state; its secret does not count.
func certainlyChanges(config, plan, state types.Object, secret string) bool {
	if attribute.IsUnset(config) || attribute.IsUnset(plan) {
		return false
	}
	for name, configured := range config.Attributes() {
		planned := leaf(plan, name)
		if name == secret || attribute.IsUnset(configured) || attribute.IsUnset(planned) {
			continue
		}
		if prior := leaf(state, name); prior == nil || !planned.Equal(prior) {
			return true
		}
	}
	return false
}
