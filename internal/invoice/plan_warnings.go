package invoice

import (
	"context"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// with adds to the placeholders of a text what names an invoice in state: a person knows a sale by its receiver and
// amount rather than by an id.
func (m *issuanceModel) with(more text.With) text.With {
	about := text.With{"amount": nil, "receiver": "", "issuer": fiscal.FormatTaxNumber(m.Issuer.ValueString())}
	if !attribute.IsUnset(m.Amount) {
		about["amount"] = m.Amount.ValueFloat64()
	}
	if payload, err := jsontree.Decode([]byte(m.PayloadJSON.ValueString())); err == nil {
		receiver, _ := jsontree.Member(payload, "receiver", "name").(string)
		about["receiver"] = message.OneLine(receiver)
	}
	with := text.With{
		"label": m.label(), "id": m.ID.ValueString(), "status": m.Status.ValueString(),
		"about": text.Of("invoice.about", about),
	}
	maps.Copy(with, more)
	return with
}

// drift warns, in every plan, of what happened to an issued invoice outside. A plan
// without a refresh warns by what is in state.
func (m *issuanceModel) drift(ctx context.Context) diag.Diagnostics {
	switch status := m.Status.ValueString(); {
	case status == einvoice.StatusRejected:
		return say.Warning(ctx, "invoice.is_rejected", m.with(nil))
	case status == einvoice.StatusRemoved, einvoice.MeaningOf(status).HasEnded():
		return say.Warning(ctx, "invoice.has_ended", m.with(text.With{
			"reason": string(attribute.AttrText(m.detail("cancellation", "justification"))),
		}))
	}
	return nil
}

// secondInvoice warns if a plan replaces an issued invoice by another sale: the first one
// stays valid, and a second one is issued. It returns nil if the destroy cancels the first
// one, or if one of them has no fiscal value.
func (m *issuanceModel) secondInvoice(ctx context.Context, state *issuanceModel) diag.Diagnostics {
	status, environment := state.Status.ValueString(), state.EnvironmentType.ValueString()
	isReal := environment == "" || environment == "production"
	isDraft := !attribute.IsUnset(m.Issue) && !m.Issue.ValueBool()
	if engine.EndingOf(status) == engine.Forgotten || !state.CancellationReason.IsNull() || isDraft {
		return nil
	}
	return say.WarningAt(ctx, path.Root("integration_id"), "invoice.second", state.with(text.With{
		"name":  m.IntegrationID.ValueString(),
		"valid": einvoice.MeaningOf(status).Valid, "same": m.Model.Equal(state.Model) && m.keepsPayload(state),
		"real": isReal,
	}))
}

// destroyWarning says in the plan what a destroy will do with an invoice that is or may become valid. Delete decides by
// the same status, which is all that it has of the plan.
func (m *issuanceModel) destroyWarning(ctx context.Context, now time.Time) diag.Diagnostics {
	status, reason := m.Status.ValueString(), m.CancellationReason.ValueString()
	ending, isDraft := engine.EndingOf(status), status == einvoice.StatusCreated
	ends, ended := "", ""
	if until, limited := m.cancelableUntil(); limited && now.After(until) {
		ended = until.Format(time.RFC3339)
	} else if limited {
		ends = until.Format(time.RFC3339)
	}
	with := m.with(text.With{"reason": reason, "ends": ends, "ended": ended})
	switch {
	case isDraft, reason == "" && ending != engine.Forgotten:
		return say.Warning(ctx, "invoice.only_removed", with)
	case ending == engine.Canceled:
		return say.Warning(ctx, "invoice.destroy_cancels", with)
	case ending != engine.Forgotten:
		return say.Warning(ctx, "invoice.destroy_fails", with)
	}
	return nil
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

// draftWarning warns that drafts are not documented for every model.
func (m *issuanceModel) draftWarning(ctx context.Context) diag.Diagnostics {
	mayHaveDrafts := m.Model.IsUnknown() || m.Model.ValueString() == einvoice.ModelService
	if m.Issue.IsUnknown() || m.Issue.ValueBool() || mayHaveDrafts {
		return nil
	}
	return say.WarningAt(ctx, path.Root("issue"), "invoice.draft_of_model", text.With{"label": m.label()})
}
