package invoice

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

const forgetInstead = " To forget it without canceling, remove `cancellation_reason`, apply, and destroy then."

// terms are those of an invoice of its own. inState tells that a problem leaves
// it in state as it was.
func (m *issuanceModel) terms(inState bool) *Terms {
	t := &Terms{
		Front: message.Applying, Thing: "invoice", ID: "`integration_id`", Value: m.IntegrationID.ValueString(), Timeouts: " Raise `timeouts` when the authority is slow.",
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
	t, v, id := m.terms(inState), p.Invoice, m.IntegrationID.ValueString()
	label := t.Label(p.Model, v)
	atID := func(summary string, texts ...string) diag.Diagnostics {
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("integration_id"), summary, message.Paragraphs(texts...))}
	}
	switch p.Kind {
	case engine.RequestFailed:
		var failure *einvoice.Error
		if (p.Request == engine.Post || p.Request == engine.IssueDraft) && errors.Is(p.Cause, einvoice.ErrBadRequest) && errors.As(p.Cause, &failure) {
			return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("payload_json"), fmt.Sprintf("Cannot %s: %s", p.Request, t.Label(p.Model, nil)), message.Paragraphs(
				message.RefusalWords(failure), "No invoice was issued. "+cmp.Or(t.AboutCode(p.Cause), "Correct `payload_json` and apply again, under the same `integration_id`."), message.Reference(failure)))}
		}
	case engine.AnswerLost:
		listed := "the service does not list it"
		if v != nil {
			listed = fmt.Sprintf("the service still lists only %s with status %q", v.ID, v.Status)
		}
		return message.Error("Answer lost: "+t.Label(p.Model, nil),
			fmt.Sprintf("The request was sent, but its answer did not arrive (%s), and after %s %s.", message.Clause(p.Cause), p.LookedFor.Round(time.Second), listed),
			message.Sent(p.Repetitions)+" Run apply again: it looks the invoice up first, and sends it again only if it is not issued by then.")
	case engine.Another:
		sent := "Nothing was sent."
		if p.Sent {
			sent = "What this run sent was not answered."
		}
		if p.Refused {
			sent = "The service refused what this run sent, because that one is authorized."
		}
		return atID("Another invoice has this integration_id: "+label,
			fmt.Sprintf("The service holds an invoice under %q (id %s, status %q) that is not this one: %s.", id, v.ID, v.Status, shown(p.Differences)),
			sent+" Choose another `integration_id`, or correct `payload_json` when they are meant to be the same invoice.")
	case engine.Several:
		var list []string
		for _, v := range p.Found {
			list = append(list, fmt.Sprintf("%s (%s)", v.ID, v.Status))
		}
		return atID("Several invoices have this integration_id: "+label, fmt.Sprintf("The service holds %s under %q.", strings.Join(list, " and "), id),
			WhoSentSeveral(p.Sent)+" Find out which one is right and cancel the other, where the law allows it. Then apply again: the one that is left is taken into state.")
	case engine.Settled:
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("payload_json"), "Cannot change "+label,
			fmt.Sprintf("Its status at the service has become %q since the plan, so its content cannot be changed any more. Nothing was sent. Run plan again.", v.Status))}
	default:
	}
	return t.Problem(p)
}

func shown(differ []engine.Difference) string {
	var list []string
	for _, d := range differ {
		in := "`payload_json`"
		if d.Of == "model" {
			in = "the configuration"
		}
		list = append(list, fmt.Sprintf("%s: %s in %s, %s at the service", d.Of, d.Wanted, in, d.Held))
	}
	return strings.Join(list, "; ")
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
			n.Invoice.ID, n.Invoice.Status, shown(n.Differences)))
	case engine.NotADraft:
		return notADraft(label, string(n.Invoice.Status))
	default:
		return t.Note(n)
	}
}

// notADraft is a draft that the service did not keep as one.
func notADraft(label, status string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(label+" is no draft", fmt.Sprintf(
		"`issue` is false, but the service answered with status %q instead of %q: drafts are documented for service invoices only. Set `issue = true` to follow it to its authorization.", status, einvoice.StatusCreated))
}

// notCanceled words why a destroy did not cancel the invoice.
func (m *issuanceModel) notCanceled(err error) diag.Diagnostics {
	t := m.terms(true)
	t.Front, t.Forget = message.Destroying, forgetInstead
	p := (*engine.Problem)(nil)
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &p):
		return diag.Diagnostics{message.ProviderBug("%s", err)}
	case p.Request == engine.Read && errors.Is(err, einvoice.ErrNotFound) && m.Status.ValueString() == einvoice.StatusRemoved:
		return nil // The refresh did not find it either. One that only this read does not find may well be valid.
	case p.Kind == engine.TakenOver:
		return diag.Diagnostics{diag.NewWarningDiagnostic("Not canceled: another block has "+t.Label(p.Model, p.Invoice), fmt.Sprintf(
			"Another block has taken it over (id %s), so that the one that was destroyed only forgets it. Use a `moved` block to rename a block.", p.Invoice.ID))}
	case p.Kind == engine.NotAsPlanned:
		return message.Error("Not destroyed: the status of "+t.Label(p.Model, p.Invoice)+" has changed", fmt.Sprintf(
			"The plan was made for an invoice with status %q, and the service now holds it with status %q (id %s). Nothing was sent, and the invoice stays in state.",
			m.Status.ValueString(), p.Invoice.Status, p.Invoice.ID),
			"Plan again: the new plan says what a destroy does now.")
	}
	return t.CancelProblem(p)
}
