package settings

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// Core applies ignore_changes to the configuration that a plan sees, and not to the one that an apply sees. So a write
// takes only what is configured and is in the plan. Everything else is as the service has it: the plan of what nobody
// manages is old state, and to send that would lower numbers.

// shownBy is what a configuration says and the plan shows.
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
	leaves := m.Secrets.Attributes()
	for _, s := range secrets { // A write-only value is in no plan: its version stands for it.
		if planned := leaf(plan.Secrets, s.version()); !planned.IsUnknown() && !planned.Equal(leaf(m.Secrets, s.version())) {
			leaves[s.writeOnly], leaves[s.version()] = types.StringNull(), types.StringNull()
		}
	}
	shown.Secrets = types.ObjectValueMust(m.Secrets.AttributeTypes(ctx), leaves)
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
		null, _ := f.read(nil, nil)
		return null
	}
	configured, _ := config.(types.Object)
	planned, _ := plan.(types.Object)
	if configured.IsNull() || planned.IsNull() {
		return types.ObjectNull(typesOf(f.fields))
	}
	values := make(map[string]attr.Value, len(f.fields))
	for _, inner := range f.fields {
		values[inner.name] = inner.shown(leaf(configured, inner.name), leaf(planned, inner.name))
	}
	return types.ObjectValueMust(typesOf(f.fields), values)
}
