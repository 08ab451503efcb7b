package settings

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

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
		return f.null()
	case f.kind == object:
		configured, _ := config.(types.Object)
		planned, _ := plan.(types.Object)
		held, _ := prior.(types.Object)
		return f.objectOf(func(inner field) attr.Value {
			return inner.planned(leaf(configured, inner.name), leaf(planned, inner.name), leaf(held, inner.name))
		})
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

// shownBy is what a configuration says and the plan shows. Core applies ignore_changes to the configuration that a
// plan sees, and not to the one that an apply sees. The plan alone is no guide: of what nobody manages it has old state.
func (m *settingsModel) shownBy(ctx context.Context, plan *settingsModel) settingsModel {
	shown := *m
	if !plan.CompanyID.IsUnknown() {
		shown.CompanyID = plan.CompanyID
	}
	for _, b := range blocks {
		*shown.block(b.name), _ = b.shown(*m.block(b.name), *plan.block(b.name)).(types.Object)
	}
	isKnown := !m.ExtraJSON.IsNull() && !plan.ExtraJSON.IsUnknown()
	if isKnown && !jsontree.SameText(m.ExtraJSON.ValueString(), plan.ExtraJSON.ValueString()) {
		shown.ExtraJSON = attribute.JSONNull()
	}
	if m.Secrets.IsNull() || plan.Secrets.IsUnknown() {
		return shown
	}
	for _, s := range secrets { // A write-only value is in no plan: its version stands for it.
		if planned := leaf(plan.Secrets, s.version()); !planned.IsUnknown() && !planned.Equal(leaf(m.Secrets, s.version())) {
			shown.Secrets = without(ctx, shown.Secrets, s.writeOnly, s.version())
		}
	}
	return shown
}

// shown is the configured value of a field and of what is in it, where that is planned or was not known yet; else null.
func (f field) shown(config, plan attr.Value) attr.Value {
	if plan.IsUnknown() {
		return config
	}
	if f.kind != object {
		written, planned := string(attribute.AttrText(config)), string(attribute.AttrText(plan))
		if config.Equal(plan) || f.kind == spelled && f.spelling.Same(written, planned) {
			return config
		}
		return f.null()
	}
	configured, _ := config.(types.Object)
	planned, _ := plan.(types.Object)
	if configured.IsNull() || planned.IsNull() {
		return types.ObjectNull(typesOf(f.fields))
	}
	return f.objectOf(func(inner field) attr.Value {
		return inner.shown(leaf(configured, inner.name), leaf(planned, inner.name))
	})
}

// checkEnvironment warns where an environment changes to production, or beside an invoice of the same plan.
func (r *settingsResource) checkEnvironment(block string, plan, state *settingsModel) (diags diag.Diagnostics) {
	environment := leafText(*plan.block(block), environmentType.name)
	if environment.IsNull() || environment.Equal(leafText(*state.block(block), environmentType.name)) {
		return nil
	}
	company := cmp.Or(plan.CompanyID.ValueString(), "(known after apply)")
	if r.Session != nil {
		told := r.Environments.NoteChange(plan.CompanyID.ValueString(), attribute.CamelCase(block))
		if told != "" && told != environment.ValueString() {
			diags.Append(environmentChangesBeside(block, company, told))
		}
	}
	if environment.ValueString() == "production" {
		diags.Append(productionWarning(block, company))
	}
	return diags
}

// checkSecrets refuses a version that changes while there is nothing to send, and a block that changes while its
// secret is not configured and cannot be read. It warns of a secret that leaves the state alone.
func checkSecrets(config, plan, state *settingsModel, last sights) (diags diag.Diagnostics) {
	for _, s := range secrets {
		version, isConfigured := leafText(config.Secrets, s.version()), config.isConfigured(s)
		isNew := !version.IsNull() && !version.Equal(leaf(state.Secrets, s.version()))
		if isNew && leaf(config.Secrets, s.writeOnly).IsNull() {
			diags.Append(versionWithoutSecret(s))
		}
		if !state.plain(s).IsNull() && !isConfigured {
			diags.Append(secretStays(s, state.CompanyID.ValueString()))
		}
		if last.isUnreadable(s) && !isConfigured && plan.changes(state, s.block()) {
			diags.Append(unreadableSecret(s))
		}
	}
	return diags
}

// changes reports whether a known value of a block differs from the prior state.
func (m *settingsModel) changes(state *settingsModel, block string) bool {
	prior := state.managed()
	return slices.ContainsFunc(m.managed(), func(planned setting) bool {
		return planned.block() == block && !slices.ContainsFunc(prior, func(p setting) bool {
			return slices.Equal(p.keys, planned.keys) && p.value.Equal(planned.value)
		})
	})
}

// checkContingency refuses offline contingency for which neither the configuration nor the service has the token or
// the code.
func (m *settingsModel) checkContingency(held document, last sights) diag.Diagnostics {
	allow, _ := leaf(m.ConsumerInvoice, "allow_offline_contingency").(types.Bool)
	hasToken := !leaf(m.ConsumerInvoice, "token_id").IsNull() ||
		!isEmpty(decoded(held[cscSecret.block()][cscSecret.companion]))
	hasCode := m.isConfigured(cscSecret) || cscSecret.sightIn(held, last[csc.name]) != none
	if !allow.ValueBool() {
		return nil
	}
	return incompleteContingency(!hasToken, !hasCode)
}

// checkNewContingency is the same in a plan that is to write the block. A token or a code that is not configured may
// be at the service, so this asks it, once and only then.
func (r *settingsResource) checkNewContingency(
	ctx context.Context, config, plan, state *settingsModel, last sights,
) diag.Diagnostics {
	isComplete := config.checkContingency(nil, nil) == nil || !plan.changes(state, cscSecret.block())
	if isComplete || attribute.IsUnset(config.CompanyID) || r.Session == nil || r.Deferred() {
		return nil
	}
	held, err := r.Client.CompanySettings(ctx, config.CompanyID.ValueString())
	if err != nil {
		return nil // The apply reads the same again, and reports what is wrong.
	}
	return config.checkContingency(held.Blocks, last)
}
