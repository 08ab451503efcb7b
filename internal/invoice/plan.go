package invoice

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// ModifyPlan decides, once, whether anything will reach the service. If so, the
// values that the service decides are unknown; if not, they stay as they are.
func (r *issuanceResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, state issuanceModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if !req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case req.Plan.Raw.IsNull() && req.State.Raw.IsNull():
		return
	case req.Plan.Raw.IsNull():
		resp.Diagnostics.Append(state.destroyWarning(time.Now()))
		if !state.CancellationReason.IsNull() && engine.EndingOf(state.Status.ValueString()) == engine.Canceled {
			resp.Diagnostics.Append(state.sale().WarnOfRenaming(r.Session, "leaves")...)
		}
		return
	}
	acting, diags := r.As(ctx, req.Config, state.Issuer)
	resp.Diagnostics.Append(diags...)
	acting.RefuseUnusableKey(req, resp)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		resp.Diagnostics.Append(acting.RefuseOther()...)
		resp.Diagnostics.Append(plan.sale().RefuseTwin(acting)...)
		resp.Diagnostics.Append(plan.sale().WarnOfRenaming(acting, "comes")...)
		resp.Diagnostics.Append(plan.draftWarning()...)
		resp.Diagnostics.Append(plan.payloadWarnings(ctx, acting, time.Now())...)
		if resp.Diagnostics.Append(plan.planEnvironment(ctx, acting)...); !plan.EnvironmentType.IsUnknown() {
			resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("environment_type"), plan.EnvironmentType)...)
		}
		if acting.LooksAhead() && !resp.Diagnostics.HasError() {
			resp.Diagnostics.Append(plan.foresee(ctx, acting)...)
		}
		return
	}
	resp.Diagnostics.Append(state.drift()...)
	// What the service shows of an imported invoice gives way to the payload itself.
	imported := state.PayloadJSON.IsNull() || isShown(ctx, req.Private)
	if imported && !plan.PayloadJSON.Equal(state.PayloadJSON) {
		state.PayloadJSON = jsontypes.NewNormalizedNull()
	}
	if resp.Diagnostics.Append(plan.planIssuer(ctx, req.Config, &state)...); resp.Diagnostics.HasError() {
		return
	}
	moves := plan.moves(&state)
	if moves && !imported {
		resp.RequiresReplace.Append(path.Root("issuer"))
	}
	if !imported && (moves || !plan.Model.Equal(state.Model) || !plan.IntegrationID.Equal(state.IntegrationID)) {
		// A replacement is first planned as an update: what follows judges changes
		// in place only. No destroy is planned for its other half, so this is the
		// only place to warn.
		second := plan.secondInvoice(&state)
		if resp.Diagnostics.Append(second...); second == nil {
			resp.Diagnostics.Append(state.destroyWarning(time.Now()))
		}
		resp.Diagnostics.Append(plan.draftWarning()...)
		resp.Diagnostics.Append(plan.payloadWarnings(ctx, acting, time.Now())...)
		return
	}
	if imported {
		var receiver string
		if note, diags := req.Private.GetKey(ctx, privateReceiver); !diags.HasError() && note != nil {
			_ = json.Unmarshal(note, &receiver) // Absent or odd means not compared.
		}
		resp.RequiresReplace = nil
		if resp.Diagnostics.Append(plan.refuseOtherImport(&state, receiver)...); resp.Diagnostics.HasError() {
			return
		}
	}
	sent, elsewhere := plan.pending(ctx, acting, &state)
	sends, diags := plan.sends(&state, sent)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	if sends == sendsPayload || sends == sendsIssue && state.Status.ValueString() == einvoice.StatusCreated {
		resp.Diagnostics.Append(plan.payloadWarnings(ctx, acting, time.Now())...)
	}
	plan.Essentials, plan.Details = state.Essentials, state.Details
	if sends != sendsNothing {
		plan.Essentials, plan.Details = unknownEssentials, types.ObjectUnknown(detailsTypes)
		if plan.Issuer.IsNull() {
			plan.Issuer = attribute.UnknownIssuer
		}
	}
	plan.setCancelableUntil()
	if sends == sendsNothing || sends == sendsIssue && !elsewhere {
		plan.ID = state.ID
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// pending asks the journal about a run that did not see the end of what it sent.
// Only an invoice that may change in place is asked about.
func (m *issuanceModel) pending(ctx context.Context, s *session.Session, state *issuanceModel) (sent, elsewhere bool) {
	if s.Deferred() || s.Client == nil || m.keeps(state) && isEnded(state.Status.ValueString()) {
		return false, false
	}
	return m.issuing(ctx, s).Pending(ctx, state.ID.ValueString())
}

// sending is what an update will bring to the service.
type sending int

const (
	sendsNothing sending = iota
	sendsIssue           // asks for a draft to be issued, or goes on waiting
	sendsPayload         // posts the payload again under the same id
)

// keeps tells that the payload is the one in state, which an import does not have.
func (m *issuanceModel) keeps(state *issuanceModel) bool {
	return state.PayloadJSON.IsNull() || !m.PayloadJSON.IsUnknown() && samePayload(state.Status.ValueString(), m.PayloadJSON.ValueString(), state.PayloadJSON.ValueString())
}

// isEnded tells that nothing is sent for an invoice of this status by itself.
func isEnded(status string) bool {
	return status != einvoice.StatusCreated && engine.EndingOf(status) != engine.Unsettled
}

// sends judges an update in place. sent tells that a run that did not see its end
// has sent this payload already.
func (m *issuanceModel) sends(state *issuanceModel, sent bool) (sending, diag.Diagnostics) {
	var diags diag.Diagnostics
	status := state.Status.ValueString()
	if !m.Issue.IsUnknown() && !m.Issue.ValueBool() && state.Issue.ValueBool() && status != einvoice.StatusCreated {
		diags.AddAttributeError(path.Root("issue"), "Cannot turn an issued invoice into a draft: "+state.label(),
			fmt.Sprintf("Its status is %q. Set `issue = true` again. To undo the invoice cancel it: set `cancellation_reason`, apply, then destroy.", status))
		return sendsNothing, diags
	}
	changed := !m.keeps(state)
	switch {
	case changed && sent && status != einvoice.StatusCreated && status != einvoice.StatusRejected:
		return sendsIssue, nil
	case changed && m.PayloadJSON.IsUnknown():
		// Judged again during apply, when the value is known.
		return sendsPayload, nil
	case changed && status != einvoice.StatusCreated && status != einvoice.StatusRejected:
		letter := ""
		if state.Model.ValueString() == einvoice.ModelProduct {
			letter = "To correct an authorized NF-e without touching values send a correction letter. "
		}
		diags.AddAttributeError(path.Root("payload_json"), "Cannot change "+state.label(), message.Paragraphs(
			fmt.Sprintf("Its status is %q, so its content cannot change any more.", status),
			"To issue another invoice use a new `integration_id`. "+letter+
				"To keep this one put the former `payload_json` back, or set `ignore_changes = [payload_json]` where it refers to objects that change later. "+
				"To destroy it now use `destroy -refresh=false`, or remove the block."))
		return sendsNothing, diags
	case changed:
		return sendsPayload, nil
	case !m.Issue.ValueBool() && !m.Issue.IsUnknown():
		return sendsNothing, nil
	}
	if isEnded(status) || status == einvoice.StatusInContingent && m.AcceptContingency.ValueBool() {
		return sendsNothing, nil
	}
	return sendsIssue, nil // A status this provider does not know is waited on.
}

// refuseOtherImport compares an imported invoice with the configuration, as
// adopting one does: nothing else would notice that they are two invoices.
func (m *issuanceModel) refuseOtherImport(state *issuanceModel, receiver string) diag.Diagnostics {
	var diags diag.Diagnostics
	if id := state.IntegrationID; !id.IsNull() && !m.IntegrationID.IsUnknown() && !m.IntegrationID.Equal(id) {
		diags.AddAttributeError(path.Root("integration_id"), "Imported another invoice",
			fmt.Sprintf("The imported invoice (id %s) has the integration_id %q at the service, and %q is configured. Configure %[2]q, or import the right invoice.",
				state.ID.ValueString(), id.ValueString(), m.IntegrationID.ValueString()))
	}
	if m.PayloadJSON.IsUnknown() || m.Model.IsUnknown() || m.PayloadJSON.Equal(state.PayloadJSON) && m.Model.Equal(state.Model) {
		return diags
	}
	held := &einvoice.Invoice{
		Model: einvoice.Enum(state.Model.ValueString()), Amount: attribute.KnownNumber(state.Amount), Receiver: &einvoice.Party{FederalTaxNumber: einvoice.Text(receiver)},
		Company: &einvoice.InvoiceCompany{FederalTaxNumber: state.Issuer.Normalized()},
	}
	if differ := engine.Differences(json.RawMessage(m.PayloadJSON.ValueString()), m.Model.ValueString(), held); len(differ) > 0 {
		diags.AddAttributeError(path.Root("payload_json"), "Imported another invoice",
			fmt.Sprintf("The imported invoice (id %s) is not the configured one: %s. Correct `payload_json`, or import the right invoice.",
				state.ID.ValueString(), shown("`payload_json`", differ)))
		return diags
	}
	if names := m.uncompared(held); names != "" && !diags.HasError() {
		diags.AddAttributeWarning(path.Root("payload_json"), "Takes over imported "+state.label(),
			fmt.Sprintf("The imported invoice (id %s, status %q) is taken for the configured one.%s", state.ID.ValueString(), state.Status.ValueString(), names))
	}
	return diags
}

// drift warns, in every plan, of what happened to an issued invoice outside. A plan
// without a refresh says it too, by what is in state.
func (m *issuanceModel) drift() diag.Diagnostics {
	var diags diag.Diagnostics
	status := m.Status.ValueString()
	switch {
	case status == einvoice.StatusRemoved:
		diags.AddWarning(m.label()+" is gone at the service", fmt.Sprintf(
			"The service no longer finds it (id %s). It stays in state as %q and is never issued again by itself. Check with the service; to forget it remove the block from the configuration.",
			m.ID.ValueString(), einvoice.StatusRemoved))
	case slices.Contains(endedStatuses, status):
		diags.AddWarning(m.label()+" is "+status, fmt.Sprintf("The service holds it with status %q (id %s).%s It stays in state and is never issued again by itself. "+
			"To forget it remove the block from the configuration; to issue another invoice use a new `integration_id`.", status, m.ID.ValueString(), m.whyEnded()))
	case status == einvoice.StatusRejected:
		diags.AddWarning(m.label()+" is rejected", "The service holds it as rejected. "+
			"Correct `payload_json` and apply: it is then sent again under the same `integration_id`.")
	case !m.Issue.ValueBool() && !m.Issue.IsNull() && status != einvoice.StatusCreated:
		diags.Append(notADraft(m.label(), status))
	}
	return diags
}

// endedStatuses are those of invoices that exist and are not valid any more.
var endedStatuses = []string{einvoice.StatusCanceled, einvoice.StatusDenied, einvoice.StatusDisabled}

// whyEnded quotes the reason of a cancellation.
func (m *issuanceModel) whyEnded() string {
	why := attribute.AttrText(m.detail("cancellation", "justification"))
	if why == "" {
		return ""
	}
	return fmt.Sprintf(" The reason given was %q.", why)
}

// onlyRemoved is the summary of all invoices that a destroy does not cancel, so that a
// CLI folds and counts them.
const onlyRemoved = "Destroy only removes invoices from state"

// secondInvoice warns where a plan replaces an issued invoice by another sale: the first
// one stays valid, and a second one is issued. It returns nil where the destroy cancels
// the first one or where that is not valid.
func (m *issuanceModel) secondInvoice(state *issuanceModel) diag.Diagnostics {
	if engine.EndingOf(state.Status.ValueString()) == engine.Forgotten || !state.CancellationReason.IsNull() {
		return nil // A destroy with a reason cancels, or fails.
	}
	text := fmt.Sprintf("%s (id %s) stays valid and leaves the state. Apply then issues another invoice under the integration_id %q: there will be two legal invoices, and tax is due on both.",
		state.label(), state.ID.ValueString(), m.IntegrationID.ValueString())
	if environment := state.EnvironmentType.ValueString(); environment != "" && environment != "production" {
		text = fmt.Sprintf("%s (id %s) stays as it is and leaves the state. Apply then issues another invoice under the integration_id %q. The first one is of the environment %q, without fiscal value.",
			state.label(), state.ID.ValueString(), m.IntegrationID.ValueString(), environment)
	}
	if m.Model.Equal(state.Model) && m.keeps(state) {
		text += " The payload is the same: this looks like one sale issued twice."
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("integration_id"), "A second invoice will be issued beside "+state.label(),
		message.Paragraphs(text, "If it is the same sale, put the former `integration_id` back. To cancel the first one instead, set `cancellation_reason` and apply before this change."))}
}

// destroyWarning says in the plan what a destroy will do. Delete decides by the
// same status, which is what it has of the plan.
func (m *issuanceModel) destroyWarning(now time.Time) diag.Diagnostic {
	status, reason := m.Status.ValueString(), m.CancellationReason.ValueString()
	held := fmt.Sprintf("(id %s) with status %q", m.ID.ValueString(), status)
	until, limited := m.cancelableUntil()
	ended := limited && now.After(until)
	warning := func(summary string, texts ...string) diag.Diagnostic {
		return diag.NewWarningDiagnostic(summary, strings.Join(texts, ""))
	}
	switch ending := engine.EndingOf(status); {
	case status == einvoice.StatusRemoved:
		return warning(onlyRemoved, fmt.Sprintf("The service no longer finds %s (id %s). Nothing is sent.", m.label(), m.ID.ValueString()))
	case reason == "", ending == engine.Forgotten:
		return warning(onlyRemoved, fmt.Sprintf("%s stays at the service %s.", m.label(), held), m.afterForgetting(until, limited, ended))
	case ending == engine.Unsettled && status == einvoice.StatusInContingent:
		return warning("Destroying will fail: "+m.label()+" is in contingency", fmt.Sprintf("The service holds it %s. It cannot be canceled until its definitive authorization, so nothing will be sent. Destroy it after that.", held), forgetInstead)
	case ending == engine.Unsettled:
		return warning("Destroying will fail: "+m.label()+" is in progress", fmt.Sprintf("The service holds it %s. Only an authorized invoice can be canceled, so nothing will be sent. Destroy it when it is settled.", held), forgetInstead)
	case ended:
		return warning("Destroying will probably fail: too late to cancel "+m.label(), fmt.Sprintf(
			"A cancellation with the reason %q is sent to the tax authority, which will probably refuse it: the period for canceling ended at %s.", reason, until.Format(time.RFC3339)), forgetInstead)
	default:
		by := ""
		if limited {
			by = fmt.Sprintf(" The period for canceling ends at %s.", until.Format(time.RFC3339))
		}
		return warning("Destroying cancels "+m.label(), fmt.Sprintf("A cancellation with the reason %q is sent to the tax authority; it cannot be undone.", reason), by)
	}
}

// afterForgetting says what can be done about an invoice that a destroy only
// forgets, as long as it is or may become valid.
func (m *issuanceModel) afterForgetting(until time.Time, limited, ended bool) string {
	switch status := m.Status.ValueString(); {
	case engine.EndingOf(status) == engine.Forgotten:
		return " Nothing is sent."
	case status != einvoice.StatusAuthorized:
		return " It cannot be canceled before it is authorized. To cancel it then, keep it until then, set `cancellation_reason` and apply before destroying."
	case ended:
		return fmt.Sprintf(" The period for canceling it ended at %s.", until.Format(time.RFC3339))
	case limited:
		return fmt.Sprintf(" To cancel it, set `cancellation_reason` and apply before destroying; the period for that ends at %s.", until.Format(time.RFC3339))
	default:
		return " To cancel it, set `cancellation_reason` and apply before destroying."
	}
}

// cancelableUntil tells when the period for canceling the invoice ends, if one is
// known.
func (m *issuanceModel) cancelableUntil() (time.Time, bool) {
	window, _ := time.ParseDuration(m.CancelWindow.ValueString()) // Checked by the validator; 0 for none.
	authorizedOn := attribute.AttrText(m.detail("authorization", "date"))
	return engine.CancelableUntil(m.Model.ValueString(), m.AccessKey.ValueString(), string(authorizedOn), window)
}

// setCancelableUntil follows from the authorization and cancel_window.
func (m *issuanceModel) setCancelableUntil() {
	m.CancelableUntil = types.StringNull()
	switch until, limited := m.cancelableUntil(); {
	case m.Details.IsUnknown() || m.CancelWindow.IsUnknown():
		m.CancelableUntil = types.StringUnknown()
	case limited:
		m.CancelableUntil = types.StringValue(until.Format(time.RFC3339))
	}
}

// draftWarning tells that drafts are not documented for every model.
func (m *issuanceModel) draftWarning() diag.Diagnostics {
	var diags diag.Diagnostics
	if m.Issue.IsUnknown() || m.Issue.ValueBool() || m.Model.IsUnknown() || m.Model.ValueString() == einvoice.ModelService {
		return diags
	}
	diags.AddAttributeWarning(path.Root("issue"), "Draft of a model that may not have drafts: "+m.label(),
		"Drafts are documented for service invoices only. The service may issue this one at once. Apply then ends with an error that names the invoice.")
	return diags
}

// contingencyWarning tells where accepting contingency changes nothing
// (specification: What the service does, rule 8), and what it needs elsewhere.
func (m *issuanceModel) contingencyWarning() diag.Diagnostics {
	if !m.AcceptContingency.ValueBool() {
		return nil
	}
	var why string
	switch m.Model.ValueString() {
	case einvoice.ModelService:
		why = "an NFS-e has no contingency."
	case einvoice.ModelProduct:
		why = "an NF-e in contingency goes through another environment of the authority, and is authorized there at once."
	default:
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("accept_contingency"), "Nothing to accept: "+m.label(),
		"Only an NFC-e (`model = \"consumerInvoice\"`) waits in the status \"inContingent\", where the company allows it with `consumer_invoice.allow_offline_contingency`; "+why+
			" Take `accept_contingency` out.")}
}
