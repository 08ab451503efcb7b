package invoice

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// foresee looks at the service and says what apply will make of a new invoice. It says
// nothing of one that will be issued: the plan says that, and a hundred such warnings would
// hide the one that matters.
func (m *issuanceModel) foresee(ctx context.Context, s *session.Session) diag.Diagnostics {
	if attribute.IsUnset(m.Model) || attribute.IsUnset(m.IntegrationID) || attribute.IsUnset(m.PayloadJSON) ||
		m.Issue.IsUnknown() || m.AcceptContingency.IsUnknown() {
		return nil
	}
	found, err := m.issuing(ctx, s).Look(ctx)
	switch p, ok := errors.AsType[*engine.Problem](err); {
	case ok:
		return m.problem(p, false)
	case err != nil:
		return diag.Diagnostics{message.ProviderBug("%s", err)}
	}
	summary, detail := m.prospect(found)
	if summary == "" {
		return nil
	}
	summary = m.terms(false).Label(m.Model.ValueString(), found.Invoice) + summary
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("integration_id"), summary, detail)}
}

// prospect words what apply will do with the invoice that a look has found, "" for nothing.
func (m *issuanceModel) prospect(found engine.Prospect) (summary, detail string) {
	v := found.Invoice
	switch {
	case v == nil && found.InDoubt:
		return " may exist: apply looks for it first", "An earlier run has sent it, and the service does not show it " +
			"now. Apply looks for it again, for some time, and issues it only if it still finds nothing."
	case v == nil:
		return "", ""
	}
	amount := ""
	if v.Amount != nil {
		amount = fmt.Sprintf(", amount %.2f", float64(*v.Amount))
	}
	held := fmt.Sprintf("The service holds it under its `integration_id` (id %s, status %q%s).", v.ID, v.Status, amount)
	switch draft := string(v.Status) == einvoice.StatusCreated; {
	case found.Step == engine.SendsOver && draft:
		after := " It stays a draft."
		if m.Issue.ValueBool() {
			after = " Then it is issued."
		}
		return " exists as a draft: apply sends the payload over it", held +
			" The service does not show all that a draft holds, so it is sent again under the same " +
			"`integration_id`." + after
	case found.Step == engine.SendsOver:
		return " was rejected: apply sends it again", message.Paragraphs(
			held+" "+message.CodeAndMessage(v.ProcessingDetail), "Apply asks the tax authority about it first. "+
				"If it is still rejected, apply sends the payload again under the same `integration_id`.")
	case found.Step == engine.IssuesDraft:
		return " exists as a draft: apply issues it", held
	case found.Step == engine.Takes:
		return " exists: apply adopts it", held + " It will be taken into state, and nothing will " +
			"be sent." + m.uncompared(v)
	}
	return " exists: apply waits for it", held + message.LastWord(v.ProcessingDetail) +
		" Nothing will be sent until it is settled." + m.uncompared(v)
}
