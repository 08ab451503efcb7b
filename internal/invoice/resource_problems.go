package invoice

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// terms are those of the resource. inState reports whether a problem leaves the invoice in
// state as it was.
func (m *issuanceModel) terms(inState bool) *issuance.Terms {
	return &issuance.Terms{
		Thing: issuance.Invoice, Name: m.IntegrationID.ValueString(), InState: inState,
		Planned: []*einvoice.Invoice{m.known()},
	}
}

// differencesText is DifferencesText.
func (m *issuanceModel) differencesText(ctx context.Context, differ []engine.Difference) string {
	var list []string
	for _, d := range m.terms(false).Differences(differ) {
		list = append(list, d.In(ctx))
	}
	return strings.Join(list, "; ")
}

// outcome words how a run ended: its notes, and its problem if there is one.
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

// problem words why the invoice did not become what is configured.
func (m *issuanceModel) problem(ctx context.Context, p *engine.Problem, inState bool) diag.Diagnostics {
	t, v := m.terms(inState), p.Invoice
	label := t.Label(p.Model, v)
	failure, isAnswer := errors.AsType[*einvoice.Error](p.Cause)
	isRefusal := isAnswer && errors.Is(p.Cause, einvoice.ErrBadRequest)
	switch {
	case p.Kind == engine.RequestFailed && isRefusal && (p.Request == engine.Post || p.Request == engine.IssueDraft):
		next := "Correct `payload_json` and apply again, under the same `integration_id`."
		summary := fmt.Sprintf("Cannot %s: %s", p.Request, t.Label(p.Model, nil))
		return message.ErrorAt("payload_json", summary, message.RefusalWords(failure),
			"No invoice was issued. "+cmp.Or(message.AboutCode(p.Cause), next), message.Reference(failure))
	case p.Kind == engine.Settled && !inState:
		return message.ErrorAt("payload_json", "Cannot change "+label, fmt.Sprintf(
			"An earlier run has sent another payload under this `integration_id`. The service has its invoice with "+
				"status %q (id %s), so the content cannot change any more. Nothing was sent. "+
				"To adopt that invoice, put the former `payload_json` back. To issue another one, use another "+
				"`integration_id`.", v.Status, v.ID))
	case p.Kind == engine.Settled:
		return message.ErrorAt("payload_json", "Cannot change "+label, fmt.Sprintf(
			"Since the plan, its status at the service has become %q, so its content cannot change any more. "+
				"Nothing was sent. Run plan again.", v.Status))
	case p.Kind == engine.NotADraft:
		kept := "The state does not contain it."
		if inState {
			kept = "The state contains it."
		}
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("issue"), "Not a draft: "+label, fmt.Sprintf(
			"`issue` is false, but the service has the invoice (id %s) with status %q instead of %q. It is legally "+
				"valid, or may become so. %s Set `issue = true` and apply: the provider follows it and sends nothing "+
				"again. You can cancel it after that.", v.ID, v.Status, einvoice.StatusCreated, kept))}
	case p.Kind == engine.OthersDraft:
		differ := ""
		if len(p.Differences) > 0 {
			differ = " It differs: " + m.differencesText(ctx, p.Differences) + "."
		}
		return message.ErrorAt("integration_id", "Unknown draft at the service: "+label, fmt.Sprintf(
			"The service has a draft (id %s) under this `integration_id` that neither the state nor the journal of "+
				"this machine knows.%s Nothing was sent, because somebody could issue the draft beside this invoice.",
			v.ID, differ), fmt.Sprintf(
			"If it is this sale, import it by `%s/%s`. If it is not wanted, remove it at the service, or choose "+
				"another `integration_id`. Then apply again.", p.Model, v.ID))
	}
	return t.Problem(ctx, p)
}

// uncompared names what nobody could compare of an invoice that is adopted, "" for
// nothing.
func (m *issuanceModel) uncompared(held *einvoice.Invoice) string {
	payload := json.RawMessage(m.PayloadJSON.ValueString())
	names := engine.Uncompared(payload, string(m.Issuer.Normalized()), held)
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(" Its %s could not be compared with the configuration, because only one of the two shows it. "+
		"Check that it is this sale.", strings.Join(names, " and its "))
}

// note words an event that did not end a run.
func (m *issuanceModel) note(ctx context.Context, n engine.Event) diag.Diagnostics {
	t, v := m.terms(false), n.Invoice
	label := t.Label(n.Model, v)
	switch n.Kind {
	case engine.Adopted:
		return diag.Diagnostics{diag.NewWarningDiagnostic("Adopted "+label, fmt.Sprintf(
			"The service already has this invoice (id %s, status %q) under its `integration_id`. "+
				"It is in state now. This run sent nothing.", v.ID, v.Status)+m.uncompared(v))}
	case engine.NotMerged:
		return diag.Diagnostics{diag.NewWarningDiagnostic("Two invoices under one integration_id: "+label, fmt.Sprintf(
			"The service made a new invoice (id %s) instead of correcting the %s one (id %s). "+
				"The old one stays at the service. Discard it there.",
			v.ID, n.Previous.Status, n.Previous.ID))}
	case engine.Unlike:
		return diag.Diagnostics{diag.NewWarningDiagnostic(label+" is not as it was sent", fmt.Sprintf(
			"The service returned an invoice (id %s, status %q) that differs from what this run sent: "+
				"%s. Another machine may have sent it before, under the same `integration_id`. "+
				"Check whether it is this sale. If it is not, this sale has no invoice yet: remove the invoice from the "+
				"state, and issue the sale under an `integration_id` of its own.",
			v.ID, v.Status, m.differencesText(ctx, n.Differences)))}
	default:
		return t.Note(ctx, n)
	}
}

// notCanceled words why a destroy did not cancel the invoice.
func (m *issuanceModel) notCanceled(ctx context.Context, err error) diag.Diagnostics {
	t := m.terms(true)
	wasGone := m.Status.ValueString() == einvoice.StatusRemoved
	switch p, ok := errors.AsType[*engine.Problem](err); {
	case err == nil:
		return nil
	case !ok:
		return message.ProviderBug("%s", err)
	case wasGone && p.Request == engine.Read && errors.Is(err, einvoice.ErrNotFound):
		return nil // The refresh did not find it either. One that only this read does not find may be valid.
	default:
		return t.CancelProblem(ctx, p)
	}
}

// What a read finds beside the invoice in state, under the same integration_id.

// warnOfOthers warns of other valid invoices of the sale, which another machine has issued.
func (m *issuanceModel) warnOfOthers(ctx context.Context, s *session.Session) (diags diag.Diagnostics) {
	if m.Status.ValueString() != einvoice.StatusAuthorized {
		return nil
	}
	v := m.known()
	for _, other := range s.Client.Beside(ctx, m.Model.ValueString(), v) {
		diags.AddWarning("A second valid invoice beside "+m.label(), fmt.Sprintf(
			"The state has the invoice %s, and the service holds the invoice %s with status %q under the same "+
				"`integration_id` (%s). Another machine may have sent it at the same time. "+
				"Find out which one is right, and cancel the other if the law allows it.",
			v.ID, other.ID, other.Status, v.IntegrationID))
	}
	return diags
}

// privateLeftDraft is the id of a draft that a correction has left behind, because the
// service did not merge it.
const privateLeftDraft = "draft_left"

// noteLeftDraft notes the draft that a run has left behind.
func noteLeftDraft(ctx context.Context, private session.PrivateData, notes []engine.Event) (diags diag.Diagnostics) {
	for _, n := range notes {
		if n.Kind == engine.NotMerged && string(n.Previous.Status) == einvoice.StatusCreated {
			text, _ := json.Marshal(n.Previous.ID) // A text can be written.
			diags.Append(private.SetKey(ctx, privateLeftDraft, text)...)
		}
	}
	return diags
}

// warnOfLeftDraft warns of that draft until it is gone or issued.
func (m *issuanceModel) warnOfLeftDraft(
	ctx context.Context, s *session.Session, prior session.PrivateState, private session.PrivateData,
) diag.Diagnostics {
	note, diags := prior.GetKey(ctx, privateLeftDraft)
	if note == nil {
		return diags
	}
	var id string
	_ = json.Unmarshal(note, &id) // As noteLeftDraft has written it.
	draft, err := s.Client.Invoice(ctx, m.Model.ValueString(), id)
	if errors.Is(err, einvoice.ErrNotFound) || err == nil && string(draft.Status) != einvoice.StatusCreated {
		return append(diags, private.SetKey(ctx, privateLeftDraft, nil)...)
	}
	diags.AddWarning("A draft lies beside "+m.label(), fmt.Sprintf(
		"When it was corrected, the service made a new invoice (id %s) and kept the draft (id %s). "+
			"If somebody issues that draft, it is a second invoice of this sale. "+
			"Remove the draft at the service.", m.ID.ValueString(), id))
	return diags
}

// draftGone warns of a draft that the next apply makes again.
func (m *issuanceModel) draftGone() diag.Diagnostic {
	return diag.NewWarningDiagnostic("Draft "+m.label()+" is gone at the service", fmt.Sprintf(
		"The service neither finds it (id %s) nor lists it. The next apply makes it again. "+
			"If it should be there, check whose key the provider has: another company's does not show it.",
		m.ID.ValueString()))
}
