package settings

import (
	"context"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
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

// checkEnvironment warns where an environment changes to production, or may, or beside an invoice of the same plan.
func (r *settingsResource) checkEnvironment(
	ctx context.Context, block field, config, plan, state *settingsModel,
) (diags diag.Diagnostics) {
	at, shownAt := root.inner(block).inner(environmentType), path.Root(block.name)
	environment, before := attribute.AttrText(plan.at(at)), attribute.AttrText(state.at(at))
	company := r.LabelOf("company", plan.CompanyID.ValueString())
	isUnknown := config.at(at).IsUnknown()
	if !isUnknown && (environment == before || plan.at(at).IsNull()) {
		return nil
	}
	if r.Session != nil {
		told, err := r.Environments.NoteChange(ctx, plan.CompanyID.ValueString(), block.wireName(), string(environment))
		if err != nil {
			return message.Unrecorded(ctx, company, err)
		}
		if told != "" && told != string(environment) {
			diags.Append(say.WarningAt(ctx, shownAt, "settings.environment_beside", text.With{
				"company": company, "told": told,
			})...)
		}
	}
	if isUnknown || environment == "production" {
		diags.Append(say.WarningAt(ctx, shownAt, "settings.production", text.With{
			"block": block.name, "company": company, "unknown": isUnknown,
		})...)
	}
	return diags
}

// checkNumber warns of numbers of a series that are never used: each of an NF-e or NFC-e must be declared.
func (r *settingsResource) checkNumber(ctx context.Context, block field, plan, state *settingsModel) diag.Diagnostics {
	number := func(m *settingsModel) types.Int64 {
		n, _ := leaf(*m.block(block.name), "next_number").(types.Int64)
		return n
	}
	before, now := number(state), number(plan)
	sameSeries := attribute.AttrText(leaf(*plan.block(block.name), "series")) ==
		attribute.AttrText(leaf(*state.block(block.name), "series"))
	if before.IsNull() || now.ValueInt64() <= before.ValueInt64() || !sameSeries {
		return nil
	}
	return say.WarningAt(ctx, path.Root(block.name), "settings.numbers_skipped", text.With{
		"block": block.name, "company": r.LabelOf("company", plan.CompanyID.ValueString()),
		"count": int(now.ValueInt64() - before.ValueInt64()), "first": before.ValueInt64(), "last": now.ValueInt64() - 1,
	})
}

// checkSeries warns of a series that the national environment rejects with L0022.
func checkSeries(ctx context.Context, plan, state types.Object) diag.Diagnostics {
	series, isNational := attribute.AttrText(leaf(plan, "series")), attribute.AttrText(leaf(plan, "issue_type")) == "annfs"
	number, err := strconv.Atoi(string(series))
	isNew := series != "" && !plan.Equal(state)
	if !isNew || !isNational || err == nil && number >= 10001 && number <= 49999 {
		return nil
	}
	return say.WarningAt(ctx, path.Root("service_invoice"), "settings.national_series", text.With{"series": string(series)})
}

// checkSecrets refuses a version that changes while there is nothing to send, and a block that changes while its
// secret is not configured and cannot be read. It warns of a secret that leaves the state alone.
func (w *writing) checkSecrets(ctx context.Context, company text.Text) (diags diag.Diagnostics) {
	for _, s := range secrets {
		version, isConfigured := leaf(w.config.Secrets, s.version()), w.config.isConfigured(s)
		isNew := !attribute.IsUnset(version) && !version.Equal(leaf(w.state.Secrets, s.version()))
		if isNew && leaf(w.config.Secrets, s.writeOnly).IsNull() {
			diags.Append(versionWithoutSecret(ctx, s)...)
		}
		if !w.state.at(s).IsNull() && !isConfigured {
			diags.Append(secretStays(ctx, s, company)...)
		}
		if w.last[s.name] == hidden && !isConfigured && w.plan.changes(&w.state, s.block()) {
			diags.Append(unreadableSecret(ctx, s)...)
		}
	}
	return diags
}

// changes reports whether a known value of a block differs from the prior state.
func (m *settingsModel) changes(state *settingsModel, block string) bool {
	return slices.ContainsFunc(m.managed(), func(s setting) bool {
		return s.block() == block && !s.isSame(state.at(s.place))
	})
}

// checkContingency refuses offline contingency for which neither the configuration nor the service has the token or
// the code.
func (w *writing) checkContingency(ctx context.Context, held document) diag.Diagnostics {
	consumer := w.config.ConsumerInvoice
	allow, _ := leaf(consumer, "allow_offline_contingency").(types.Bool)
	if !allow.ValueBool() || leaf(w.plan.ConsumerInvoice, "allow_offline_contingency").Equal(types.BoolValue(false)) {
		return nil
	}
	token := held[cscSecret.block()][cscSecret.companion]
	hasToken := !leaf(consumer, "token_id").IsNull() || !isEmpty(decoded(token))
	hasCode := w.config.isConfigured(cscSecret) || cscSecret.sightIn(held, w.last[csc.name]) != none
	return incompleteContingency(ctx, !hasToken, !hasCode)
}

// checkPlannedContingency is the same in a plan that is to write the block. A token or a code that is not configured
// may be at the service, so this asks it, once and only then. What it cannot read the apply reads again, and reports.
func (r *settingsResource) checkPlannedContingency(ctx context.Context, w *writing) diag.Diagnostics {
	isComplete := w.checkContingency(ctx, nil) == nil || !w.plan.changes(&w.state, cscSecret.block())
	if isComplete || attribute.IsUnset(w.config.CompanyID) || r.Session == nil || r.Deferred() {
		return nil
	}
	if held, err := r.Client.CompanySettings(ctx, w.companyID()); err == nil {
		return w.checkContingency(ctx, held.Blocks)
	}
	return nil
}
