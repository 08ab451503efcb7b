package invoice

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// drift warns, in every plan, of what happened to an issued invoice outside. A plan
// without a refresh warns by what is in state.
func (m *issuanceModel) drift() diag.Diagnostics {
	var diags diag.Diagnostics
	id, status := m.ID.ValueString(), m.Status.ValueString()
	switch {
	case status == einvoice.StatusRemoved:
		diags.AddWarning(m.label()+" is gone at the service", fmt.Sprintf(
			"The service no longer finds it (id %s). It stays in state with the status %q, and the provider never "+
				"issues it again by itself. Check with the service. To remove it from state, remove the block from the "+
				"configuration.",
			id, status))
	case einvoice.MeaningOf(status).HasEnded():
		why := attribute.AttrText(m.detail("cancellation", "justification"))
		if why != "" {
			why = einvoice.Text(fmt.Sprintf(" The reason was %q.", why))
		}
		if status == einvoice.StatusDisabled {
			why = " Its number was declared unused (inutilização)." + why
		}
		diags.AddWarning(m.label()+" is "+status, fmt.Sprintf(
			"The service has it with status %q (id %s).%s It stays in state, and the provider never issues it again by "+
				"itself. To remove it from state, remove the block from the configuration. "+
				"To issue another invoice, use a new `integration_id`.", status, id, why))
	case status == einvoice.StatusRejected:
		diags.AddWarning(m.label()+" is rejected",
			"Correct `payload_json` and apply: the provider then sends it again under the same `integration_id`.")
	case !m.Issue.ValueBool() && !m.Issue.IsNull() && status != einvoice.StatusCreated:
		diags.AddWarning(m.label()+" is no draft", fmt.Sprintf(
			"`issue` is false, but the service has it with status %q instead of %q. "+
				"Set `issue = true`: it is issued.",
			status, einvoice.StatusCreated))
	}
	return diags
}

// secondInvoice warns if a plan replaces an issued invoice by another sale: the first one
// stays valid, and a second one is issued. It returns nil if the destroy cancels the first
// one or that is not valid.
func (m *issuanceModel) secondInvoice(state *issuanceModel) diag.Diagnostics {
	if engine.EndingOf(state.Status.ValueString()) == engine.Forgotten || !state.CancellationReason.IsNull() {
		return nil // A destroy with a reason cancels, or fails.
	}
	stays, consequence := "stays valid", "There will be two legal invoices, and tax is due on both."
	status := state.Status.ValueString()
	if !einvoice.MeaningOf(status).Valid {
		stays, consequence = "may still be authorized", "Then there will be two legal invoices, and tax is due on both."
	}
	if environment := state.EnvironmentType.ValueString(); environment != "" && environment != "production" {
		stays = "stays as it is"
		consequence = fmt.Sprintf("The first invoice has no fiscal value: its environment is %q.", environment)
	}
	summary, creates := "A second invoice will be issued beside ", "issues another invoice"
	if !m.Issue.IsNull() && !m.Issue.ValueBool() {
		summary, creates = "A draft will be created beside ", "creates a draft"
		consequence = "If it is issued: " + consequence
	}
	text := fmt.Sprintf("The first invoice (id %s) %s and leaves the state. Apply then %s under the integration_id %q. %s",
		state.ID.ValueString(), stays, creates, m.IntegrationID.ValueString(), consequence)
	if m.Model.Equal(state.Model) && m.keepsPayload(state) {
		text += " The payload is the same: this looks like one sale issued twice."
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("integration_id"),
		summary+state.label(), message.Paragraphs(text,
			"If it is the same sale, restore the former `integration_id`. If the replacement is to cancel the "+
				"first invoice, set `cancellation_reason` and apply before this change."))}
}

// onlyRemoved is the summary of all invoices that a destroy does not cancel, so that a
// CLI folds and counts them.
const onlyRemoved = "Destroy only removes invoices from state"

const removeInstead = " To remove the invoice from state without canceling it, remove `cancellation_reason`, " +
	"apply, and then destroy."

// destroyWarning says in the plan what a destroy will do with an invoice that is or may become valid. Delete decides by
// the same status, which is all that it has of the plan.
func (m *issuanceModel) destroyWarning(now time.Time) diag.Diagnostics {
	status, reason := m.Status.ValueString(), m.CancellationReason.ValueString()
	held := fmt.Sprintf("(id %s) with status %q", m.ID.ValueString(), status)
	until, limited := m.cancelableUntil()
	summary, text := onlyRemoved, ""
	switch ending := engine.EndingOf(status); {
	case ending == engine.Forgotten && status != einvoice.StatusCreated:
		return nil
	case reason == "", ending == engine.Forgotten:
		text = fmt.Sprintf("%s stays at the service %s. %s", m.label(), held, m.howToCancel(now))
	case status == einvoice.StatusInContingent:
		summary = "Destroying will fail: " + m.label() + " is in contingency"
		text = fmt.Sprintf("The service has it %s. It cannot be canceled before its final authorization, so "+
			"nothing will be sent. Destroy it after that.", held) + removeInstead
	case ending == engine.Unsettled:
		summary = "Destroying will fail: " + m.label() + " is in progress"
		text = fmt.Sprintf("The service has it %s. Only an authorized invoice can be canceled, so nothing will be "+
			"sent. Destroy it after it is authorized.", held) + removeInstead
	case limited && now.After(until):
		summary = "Destroying will probably fail: too late to cancel " + m.label()
		text = fmt.Sprintf("A cancellation with the reason %q is sent to the tax authority, which will probably "+
			"refuse it: the period for canceling ended at %s.", reason, until.Format(time.RFC3339)) + removeInstead
	default:
		summary = "Destroying cancels " + m.label()
		text = fmt.Sprintf(
			"A cancellation with the reason %q is sent to the tax authority. It cannot be undone.", reason)
		if limited {
			text += fmt.Sprintf(" The period for canceling ends at %s.", until.Format(time.RFC3339))
		}
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic(summary, text)}
}

// howToCancel says what can be done about an invoice that a destroy only removes from
// state, while it is or may become valid.
func (m *issuanceModel) howToCancel(now time.Time) string {
	const cancel = "To cancel it, set `cancellation_reason`, apply, and then destroy"
	until, limited := m.cancelableUntil()
	switch status := m.Status.ValueString(); {
	case status == einvoice.StatusCreated:
		return "It is a draft: if it must not be issued, delete it in the back office."
	case status != einvoice.StatusAuthorized:
		return "Only an authorized invoice can be canceled. To cancel it, wait until it is authorized, set " +
			"`cancellation_reason`, apply, and then destroy."
	case !limited:
		return cancel + "."
	case now.After(until):
		return fmt.Sprintf("The period for canceling it ended at %s.", until.Format(time.RFC3339))
	default:
		return fmt.Sprintf("%s. The period for canceling it ends at %s.", cancel, until.Format(time.RFC3339))
	}
}

// cancelableUntil returns when the period for canceling the invoice ends, if one is known.
func (m *issuanceModel) cancelableUntil() (time.Time, bool) {
	window, _ := time.ParseDuration(m.CancelWindow.ValueString()) // Checked by the validator; 0 for none.
	authorizedOn := attribute.AttrText(m.detail("authorization", "date"))
	return engine.CancelableUntil(m.Model.ValueString(), m.AccessKey.ValueString(), string(authorizedOn), window)
}

// setCancelableUntil follows from the authorization and cancel_window.
func (m *issuanceModel) setCancelableUntil() {
	m.CancelableUntil = types.StringNull()
	switch until, limited := m.cancelableUntil(); {
	case m.Model.ValueString() == einvoice.ModelService && m.CancelWindow.IsNull(): // Only its city knows the period.
	case m.Details.IsUnknown() || m.CancelWindow.IsUnknown():
		m.CancelableUntil = types.StringUnknown()
	case limited:
		m.CancelableUntil = types.StringValue(until.Format(time.RFC3339))
	}
}

// futureWarning is about an invoice that seems to be authorized later than now: its dates are in UTC then,
// without an offset.
func (m *issuanceModel) futureWarning(now time.Time) diag.Diagnostics {
	const tolerance = 10 * time.Minute // between two clocks
	on := string(attribute.AttrText(m.detail("authorization", "date")))
	at, ok := einvoice.ParseTimeIn(on, engine.ZoneOf(m.AccessKey.ValueString()))
	inUTC, _ := einvoice.ParseTimeIn(on, time.UTC)
	if !ok || inUTC.Equal(at) || at.Before(now.Add(tolerance)) {
		return nil
	}
	text := fmt.Sprintf("The service shows %q as the date of its authorization, without an offset. The provider reads "+
		"that as the time of the issuer's state, and then it lies in the future.", on)
	if until, limited := m.cancelableUntil(); limited {
		text += fmt.Sprintf(" `cancelable_until` is probably too late: in UTC the period ends at %s.",
			until.Add(inUTC.Sub(at)).UTC().Format(time.RFC3339))
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("details"),
		"Dates seem to be in UTC: "+m.label(), text)}
}

// draftWarning warns that drafts are not documented for every model.
func (m *issuanceModel) draftWarning() diag.Diagnostics {
	mayHaveDrafts := m.Model.IsUnknown() || m.Model.ValueString() == einvoice.ModelService
	if m.Issue.IsUnknown() || m.Issue.ValueBool() || mayHaveDrafts {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("issue"),
		"Draft of a model that may not have drafts: "+m.label(),
		"Drafts are documented for service invoices only. The service may issue this one at once. "+
			"Apply then ends with an error that names the invoice.")}
}

// contingencyWarning warns if accepting contingency changes nothing (specification: What
// the service does, rule 8).
func (m *issuanceModel) contingencyWarning() diag.Diagnostics {
	why := map[string]string{
		einvoice.ModelService: "An NFS-e has no contingency.",
		einvoice.ModelProduct: "An NF-e in contingency goes through another environment of the authority, and is " +
			"authorized there at once.",
	}[m.Model.ValueString()]
	if why == "" || !m.AcceptContingency.ValueBool() {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("accept_contingency"),
		"Nothing to accept: "+m.label(), why+" Only an NFC-e (`model = \"consumerInvoice\"`) waits in the status "+
			"\"inContingent\", if the company has `consumer_invoice.allow_offline_contingency`. "+
			"Take `accept_contingency` out.")}
}
