package invoice

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// terms are those of an invoice of its own. inState tells that a problem leaves
// it in state as it was.
func (m *issuanceModel) terms(inState bool) *Terms {
	t := &Terms{
		Front: message.Applying, Thing: "invoice", ID: "`integration_id`", Value: m.IntegrationID.ValueString(), Timeouts: " Raise `timeouts` when the authority is slow.", At: "`payload_json`",
		Planned: func(*einvoice.Invoice) string { return m.Status.ValueString() },
		Rejected: func(code string, v *einvoice.Invoice) string {
			kept := "Nothing is kept in state: the rejected invoice (id %s) is found by its `integration_id`."
			if inState {
				kept = "State keeps what it had, and the next plan shows the invoice (id %s) as rejected."
			}
			return message.Paragraphs(message.Applying.Rejection(code, m.Model.ValueString(), "integration_id"), fmt.Sprintf(kept, v.ID))
		},
	}
	return t
}

// outcome words how a run ended: its notes, and the problem if it ended in one.
func (m *issuanceModel) outcome(i *engine.Issuing, err error, inState bool) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, n := range i.Notes {
		diags.Append(m.note(n))
	}
	p := (*engine.Problem)(nil)
	switch {
	case errors.As(err, &p):
		diags.Append(m.problem(p, inState)...)
	case err != nil:
		diags.Append(message.ProviderBug("%s", err))
	}
	return diags
}

// problem words why the invoice did not become what is configured.
func (m *issuanceModel) problem(p *engine.Problem, inState bool) diag.Diagnostics {
	t, v := m.terms(inState), p.Invoice
	switch p.Kind {
	case engine.RequestFailed:
		var failure *einvoice.Error
		if (p.Request == engine.Post || p.Request == engine.IssueDraft) && errors.Is(p.Cause, einvoice.ErrBadRequest) && errors.As(p.Cause, &failure) {
			return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("payload_json"), fmt.Sprintf("Cannot %s: %s", p.Request, t.Label(p.Model, nil)), message.Paragraphs(
				message.RefusalWords(failure), "No invoice was issued. "+cmp.Or(t.AboutCode(p.Cause), "Correct `payload_json` and apply again, under the same `integration_id`."), message.Reference(failure)))}
		}
	case engine.Settled:
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("payload_json"), "Cannot change "+t.Label(p.Model, v),
			fmt.Sprintf("Its status at the service has become %q since the plan, so its content cannot be changed any more. Nothing was sent. Run plan again.", v.Status))}
	case engine.NotADraft:
		kept := "Nothing of it is in state."
		if inState {
			kept = "It is in state."
		}
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("issue"), "Not a draft: "+t.Label(p.Model, v), fmt.Sprintf(
			"`issue` is false, and the service holds the invoice (id %s) with status %q instead of %q: it is or may become legally valid. %s "+
				"Set `issue = true` and apply: it is then followed, and nothing is sent again. To cancel it, do so after that.",
			v.ID, v.Status, einvoice.StatusCreated, kept))}
	case engine.OthersDraft:
		differ := ""
		if len(p.Differences) > 0 {
			differ = " It differs: " + differencesText(t.At, p.Differences) + "."
		}
		return t.atName("A draft that is not from here: "+t.Label(p.Model, v), fmt.Sprintf(
			"The service holds a draft (id %s) under this `integration_id`, and neither the state nor the journal of this machine knows it.%s "+
				"Nothing was sent: the draft could be issued later, beside this invoice.", v.ID, differ),
			fmt.Sprintf("If it is this sale, import it by `%s/%s`. If it is not wanted, remove it at the service. "+
				"Or choose another `integration_id`. Then apply again.", p.Model, v.ID))
	default:
	}
	return t.Problem(p)
}

// uncompared names what nobody could compare of an invoice that is taken over, ""
// where all was compared.
func (m *issuanceModel) uncompared(held *einvoice.Invoice) string {
	names := engine.Uncompared(json.RawMessage(m.PayloadJSON.ValueString()), string(m.Issuer.Normalized()), held)
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(" Its %s could not be compared with the configuration, because only one of the two shows it: make sure that it is this sale.", strings.Join(names, " and its "))
}

func (m *issuanceModel) note(n engine.Event) diag.Diagnostic {
	t := m.terms(false)
	label := t.Label(n.Model, n.Invoice)
	switch n.Kind {
	case engine.Adopted:
		return diag.NewWarningDiagnostic("Adopted "+label, fmt.Sprintf(
			"The service already held this invoice (id %s, status %q) under its `integration_id`; it was taken into state and nothing was issued.", n.Invoice.ID, n.Invoice.Status)+
			m.uncompared(n.Invoice))
	case engine.NotMerged:
		return diag.NewWarningDiagnostic("Two invoices under one integration_id: "+label, fmt.Sprintf(
			"The service made a new invoice (id %s) instead of correcting the %s one (id %s). The new one is in state. The service has the old one as well.", n.Invoice.ID, n.Previous.Status, n.Previous.ID))
	case engine.Unlike:
		return diag.NewWarningDiagnostic(label+" is not as it was sent", fmt.Sprintf(
			"The service answered what this run sent with an invoice (id %s, status %q) that shows something else: %s. "+
				"Another machine may have sent it before, under the same `integration_id`. Make sure that it is this sale; if it is not, this sale has no invoice yet: remove it from the state and issue it under an `integration_id` of its own.",
			n.Invoice.ID, n.Invoice.Status, differencesText(t.At, n.Differences)))
	default:
		return t.Note(n)
	}
}

// notCanceled words why a destroy did not cancel the invoice.
func (m *issuanceModel) notCanceled(err error) diag.Diagnostics {
	t := m.terms(true)
	t.Front, t.Forget = message.Destroying, removeInstead
	p := (*engine.Problem)(nil)
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &p):
		return diag.Diagnostics{message.ProviderBug("%s", err)}
	case p.Request == engine.Read && errors.Is(err, einvoice.ErrNotFound) && m.Status.ValueString() == einvoice.StatusRemoved:
		return nil // The refresh did not find it either. One that only this read does not find may well be valid.
	}
	return t.CancelProblem(p)
}
