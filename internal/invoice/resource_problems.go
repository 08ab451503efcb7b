package invoice

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// terms are those of the resource. inState reports whether a problem leaves the invoice in
// state as it was.
func (m *issuanceModel) terms(inState bool) *issuance.Terms {
	return &issuance.Terms{
		Thing: issuance.Invoice, Name: m.IntegrationID.ValueString(), InState: inState,
		Planned: []*einvoice.Invoice{m.known()},
	}
}

// outcome says how a run ended: its notes, and its problem if there is one.
func (m *issuanceModel) outcome(ctx context.Context, i *engine.Issuing, err error, inState bool) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, n := range i.Notes {
		diags.Append(m.note(ctx, n)...)
	}
	switch p, ok := errors.AsType[*engine.Problem](err); {
	case ok:
		diags.Append(m.problem(ctx, p, inState)...)
	case err != nil:
		diags.Append(message.ProviderBug("%s", err)...)
	}
	return diags
}

// problem says why the invoice did not become what is configured.
func (m *issuanceModel) problem(ctx context.Context, p *engine.Problem, inState bool) diag.Diagnostics {
	t, v, payload := m.terms(inState), p.Invoice, path.Root("payload_json")
	label := t.Label(p.Model, v)
	failure, isAnswer := errors.AsType[*einvoice.Error](p.Cause)
	isRefusal := isAnswer && errors.Is(p.Cause, einvoice.ErrBadRequest)
	switch {
	case p.Kind == engine.RequestFailed && isRefusal && (p.Request == engine.Post || p.Request == engine.IssueDraft):
		return say.ErrorAt(ctx, payload, "invoice.payload_refused", text.With{
			"task": text.Of("step."+string(p.Request), nil), "label": t.Label(p.Model, nil),
			"refusal": message.RefusalWords(failure), "advice": message.AboutCode(p.Cause),
			"reference": message.Reference(failure),
		})
	case p.Kind == engine.Settled:
		return say.ErrorAt(ctx, payload, "invoice.settled", text.With{
			"label": label, "id": string(v.ID), "status": string(v.Status), "kept": inState,
		})
	case p.Kind == engine.NotADraft:
		return say.ErrorAt(ctx, path.Root("issue"), "invoice.not_a_draft", text.With{
			"label": label, "id": string(v.ID), "status": string(v.Status), "kept": inState,
		})
	case p.Kind == engine.OthersDraft:
		return say.ErrorAt(ctx, path.Root("integration_id"), "invoice.others_draft", text.With{
			"label": label, "id": string(v.ID), "model": p.Model, "differences": t.Differences(p.Differences),
		})
	}
	return t.Problem(ctx, p)
}

// uncompared names what nobody could compare of an invoice that is adopted.
func (m *issuanceModel) uncompared(held *einvoice.Invoice) (parts []text.Text) {
	payload := json.RawMessage(m.PayloadJSON.ValueString())
	for _, part := range engine.Uncompared(payload, string(m.Issuer.Normalized()), held) {
		parts = append(parts, text.Of("issuance.part", text.With{"part": part}))
	}
	return parts
}

// note warns of an event that did not end a run.
func (m *issuanceModel) note(ctx context.Context, n engine.Event) diag.Diagnostics {
	t, v := m.terms(false), n.Invoice
	label := t.Label(n.Model, v)
	switch n.Kind {
	case engine.Adopted:
		return say.Warning(ctx, "invoice.adopted", text.With{
			"label": label, "id": string(v.ID), "status": string(v.Status), "uncompared": m.uncompared(v),
		})
	case engine.NotMerged:
		return say.Warning(ctx, "invoice.not_merged", text.With{
			"label": label, "id": string(v.ID), "status": string(n.Previous.Status), "previous": string(n.Previous.ID),
		})
	case engine.Unlike:
		return say.Warning(ctx, "invoice.unlike", text.With{
			"label": label, "id": string(v.ID), "status": string(v.Status), "differences": t.Differences(n.Differences),
		})
	default:
		return t.Note(ctx, n)
	}
}

// notCanceled says why a destroy did not cancel the invoice.
func (m *issuanceModel) notCanceled(ctx context.Context, err error) diag.Diagnostics {
	wasGone := m.Status.ValueString() == einvoice.StatusRemoved
	switch p, ok := errors.AsType[*engine.Problem](err); {
	case err == nil:
		return nil
	case !ok:
		return message.ProviderBug("%s", err)
	case wasGone && p.Request == engine.Read && errors.Is(err, einvoice.ErrNotFound):
		return nil // The refresh did not find it either. One that only this read does not find may be valid.
	default:
		return m.terms(true).CancelProblem(ctx, p)
	}
}

// warnOfOthers warns of other valid invoices of the sale, which another machine has issued.
func (m *issuanceModel) warnOfOthers(ctx context.Context, s *session.Session) (diags diag.Diagnostics) {
	if m.Status.ValueString() != einvoice.StatusAuthorized {
		return nil
	}
	v := m.known()
	for _, other := range s.Client.Beside(ctx, m.Model.ValueString(), v) {
		diags.Append(say.Warning(ctx, "invoice.beside", text.With{
			"label": m.label(), "id": string(v.ID), "other": string(other.ID), "status": string(other.Status),
			"name": string(v.IntegrationID),
		})...)
	}
	return diags
}
