package settings

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
)

// ModifyPlan takes what only the service knows from the state and from the notes of the last
// refresh. It asks the service only in checkNewContingency. What is not known yet is checked
// before anything is written.
func (r *settingsResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	r.RefuseUnusableKey(ctx, req, resp)
	var config, plan, state settingsModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		return // Nothing is sent.
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	notes, noted, diags := readSecretNotes(ctx, req.Private)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	if !state.CompanyID.Equal(plan.CompanyID) { // Another company's settings say nothing of these.
		state, noted = settingsModel{}, false
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("id"), plan.CompanyID)...)
	for _, b := range blocks {
		object, prior := plan.block(b.name), *state.block(b.name)
		*object, _ = b.planned(*config.block(b.name), *object, prior).(types.Object)
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root(b.name), *object)...)
		environment := leafText(*object, "environment_type")
		if environment.IsNull() || environment.Equal(leafText(prior, "environment_type")) {
			continue
		}
		company := cmp.Or(plan.CompanyID.ValueString(), "(known after apply)")
		if r.Session != nil {
			told := r.Environments.NoteChange(plan.CompanyID.ValueString(), attribute.CamelCase(b.name))
			if told != "" && told != environment.ValueString() {
				resp.Diagnostics.Append(environmentChangesBeside(b.name, company, told))
			}
		}
		if environment.ValueString() == "production" {
			resp.Diagnostics.Append(productionWarning(b.name, company))
		}
	}
	resp.Diagnostics.Append(checkVersions(config, state)...)
	resp.Diagnostics.Append(secretsThatStay(config, state)...)
	if noted {
		note := notes.of(cscSecret)
		resp.Diagnostics.Append(checkContingency(config, note.Alone, note.Unset)...)
		resp.Diagnostics.Append(checkUnreadableSecrets(config, plan, state, notes)...)
		if lost := notes.lost(config); len(lost) > 0 {
			resp.Diagnostics.Append(secretsStillLost(lost, plan.CompanyID.ValueString()))
		}
	} else if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.checkNewContingency(ctx, config)...)
	}
}

// planned is the value that a field is to have: what is configured, or else what the state has.
// In a new object that is null, not unknown: a plan shows no setting that nobody manages.
func (f field) planned(config, plan, prior attr.Value) attr.Value {
	unset := config.IsNull()
	switch {
	case unset && f.kind == secret:
		return types.StringNull()
	case !unset && config.IsUnknown():
		return plan
	case unset && prior.IsNull():
		null, _ := f.read(nil, nil)
		return null
	case f.kind == object:
		configured, _ := config.(types.Object)
		planned, _ := plan.(types.Object)
		held, _ := prior.(types.Object)
		values := make(map[string]attr.Value, len(f.fields))
		for _, inner := range f.fields {
			at := inner.name
			values[at] = inner.planned(leaf(configured, at), leaf(planned, at), leaf(held, at))
		}
		return types.ObjectValueMust(typesOf(f.fields), values)
	case unset:
		return prior
	}
	// The service raises a next number by itself: a higher one is no drift.
	minimum, isNumber := config.(types.Int64)
	if held, _ := prior.(types.Int64); isNumber && f.kind == nextNumber && held.ValueInt64() >= minimum.ValueInt64() {
		return prior
	}
	return plan
}

// checkVersions refuses a version that changes while there is nothing to send.
func checkVersions(config, state settingsModel) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, s := range secrets {
		version, hasSecret := leafText(config.Secrets, s.version()), !leaf(config.Secrets, s.writeOnly).IsNull()
		if !version.IsNull() && !hasSecret && !version.Equal(leaf(state.Secrets, s.version())) {
			diags.Append(versionWithoutSecret(s))
		}
	}
	return diags
}

// secretsThatStay warns of secrets that leave the state alone.
func secretsThatStay(config, state settingsModel) (diags diag.Diagnostics) {
	for _, s := range secrets {
		if s.kind == secret && !leaf(*state.block(s.parent()), s.name).IsNull() && !isConfigured(config, s) {
			diags.Append(secretStays(s, state.CompanyID.ValueString()))
		}
	}
	return diags
}

// checkContingency refuses offline contingency for which neither the configuration nor the service
// has the token or the code.
func checkContingency(config settingsModel, lacksToken, lacksCSC bool) diag.Diagnostics {
	allow, _ := leaf(config.ConsumerInvoice, "allow_offline_contingency").(types.Bool)
	if !allow.ValueBool() {
		return nil
	}
	hasToken := !leaf(config.ConsumerInvoice, "token_id").IsNull()
	return incompleteContingency(lacksToken && !hasToken, lacksCSC && !isConfigured(config, cscSecret))
}

// checkHeldContingency is checkContingency by what the service shows.
func checkHeldContingency(config settingsModel, held document) diag.Diagnostics {
	return checkContingency(config, !cscSecret.hasCompanion(held), cscSecret.formIn(held, "") == unset)
}

// checkNewContingency is the same for settings that were not refreshed yet. A token or a code
// that is not configured may be at the service, so this asks it, once and only then.
func (r *settingsResource) checkNewContingency(ctx context.Context, config settingsModel) diag.Diagnostics {
	isComplete := checkContingency(config, true, true) == nil
	if isComplete || attribute.IsUnset(config.CompanyID) || r.Session == nil || r.Deferred() {
		return nil
	}
	held, err := r.Client.CompanySettings(ctx, config.CompanyID.ValueString())
	if err != nil {
		return nil // The apply reads the same again, and reports what is wrong.
	}
	return checkHeldContingency(config, held.Blocks)
}

// checkUnreadableSecrets fails in plan what would fail before the write: a block changes, and
// its secret is not configured and cannot be read.
func checkUnreadableSecrets(config, plan, state settingsModel, notes secretNotes) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, s := range secrets {
		isLost := notes.of(s).Unreadable && !isConfigured(config, s)
		if isLost && changes(plan.managed(), state.managed(), s.block()) {
			diags.Append(unreadableSecret(s))
		}
	}
	return diags
}

// changes reports whether a known value of a block differs from the prior state.
func changes(plan, state []setting, block string) bool {
	return slices.ContainsFunc(plan, func(planned setting) bool {
		return planned.block() == block && !slices.ContainsFunc(state, func(prior setting) bool {
			return slices.Equal(prior.keys, planned.keys) && prior.value.Equal(planned.value)
		})
	})
}

// isConfigured reports whether a secret has a value, which may be unknown yet.
func isConfigured(config settingsModel, s place) bool {
	plain, writeOnly := leaf(*config.block(s.parent()), s.name), leaf(config.Secrets, s.writeOnly)
	return !plain.IsNull() || !writeOnly.IsNull() || config.Secrets.IsUnknown()
}
