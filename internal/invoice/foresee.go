package invoice

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// foresee looks at the service and says what apply will make of a new invoice, in the
// words of the apply where it will be refused. Of one that will be issued nothing is
// said: the plan says that, and a hundred of them would hide the one that matters.
func (m *issuanceModel) foresee(ctx context.Context, s *session.Session) diag.Diagnostics {
	if attribute.IsUnset(m.Model) || attribute.IsUnset(m.IntegrationID) || attribute.IsUnset(m.PayloadJSON) || m.Issue.IsUnknown() || m.AcceptContingency.IsUnknown() {
		return nil
	}
	seen, err := m.issuing(ctx, s).Look(ctx)
	p := (*engine.Problem)(nil)
	switch {
	case errors.As(err, &p) && p.Kind == engine.Settled:
		return m.sentOther(p)
	case errors.As(err, &p):
		return m.problem(p, false)
	case err != nil:
		return diag.Diagnostics{message.ProviderBug("%s", err)}
	}
	return m.prospect(seen)
}

// sentOther is an invoice that, as the journal knows, was made of another payload.
func (m *issuanceModel) sentOther(p *engine.Problem) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("payload_json"), "Cannot change "+m.terms(false).Label(p.Model, p.Invoice), fmt.Sprintf(
		"An earlier run has sent another payload under this `integration_id`, and the service holds its invoice with status %q (id %s): its content cannot be changed any more. Nothing was sent. "+
			"Put the former `payload_json` back to take that invoice into state, or choose another `integration_id`.", p.Invoice.Status, p.Invoice.ID))}
}

func (m *issuanceModel) prospect(seen engine.Prospect) diag.Diagnostics {
	t, v := m.terms(false), seen.Invoice
	label := t.Label(m.Model.ValueString(), v)
	says := func(summary, detail string) diag.Diagnostics {
		return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("integration_id"), label+summary, detail)}
	}
	if v == nil {
		if !seen.InDoubt {
			return nil
		}
		return says(" may exist: apply looks for it first",
			"An earlier run has sent it, and the service does not show it now. Apply looks for it again, for some time, and issues it only if it still shows nowhere.")
	}
	held := fmt.Sprintf("The service holds it under its `integration_id` (id %s, status %q%s).", v.ID, v.Status, amountOf(v))
	switch draft := string(v.Status) == einvoice.StatusCreated; {
	case seen.Step == engine.SendsOver && draft:
		return says(" exists as a draft: apply sends the payload over it", held+" What a draft holds does not show as a whole, so it is sent again under the same `integration_id`."+m.afterDraft())
	case seen.Step == engine.SendsOver:
		return says(" was rejected: apply sends it again", message.Paragraphs(held+" "+message.CodeAndMessage(v.ProcessingDetail),
			"Apply asks the tax authority about it first, and goes on with what it holds; else it sends the payload again under the same `integration_id`."))
	case seen.Step == engine.IssuesDraft:
		return says(" exists as a draft: apply issues it", held)
	case seen.Step == engine.Takes:
		return says(" exists: apply adopts it", held+" It will be taken into state, and nothing will be sent."+m.uncompared(v))
	default:
		return says(" exists: apply waits for it", held+message.LastWord(v.ProcessingDetail)+" Nothing will be sent until it is settled."+m.uncompared(v))
	}
}

func (m *issuanceModel) afterDraft() string {
	if m.Issue.ValueBool() {
		return " Then it is issued."
	}
	return " It stays a draft."
}

func amountOf(v *einvoice.Invoice) string {
	if v.Amount == nil {
		return ""
	}
	return ", amount " + strconv.FormatFloat(float64(*v.Amount), 'f', 2, 64)
}
