package invoice

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// planEnvironment makes the environment of a new invoice known in the plan.
func (m *issuanceModel) planEnvironment(ctx context.Context, s *session.Session) diag.Diagnostics {
	if m.Model.IsUnknown() {
		return nil
	}
	environment, diags := issuance.PlanEnvironment(ctx, s, m.Model.ValueString(), m.label())
	if environment != "" {
		m.EnvironmentType = types.StringValue(environment)
	}
	return diags
}

// IssuedElsewhere reports whether a run has issued, and the service shows an environment that the provider block does
// not allow. A Create must not end in an error then: without state nobody would cancel what is legally valid, and in
// state beside an error it would be tainted, so that the next apply would issue a second one.
func IssuedElsewhere(err error) bool {
	p, ok := errors.AsType[*engine.Problem](err)
	return ok && p.Kind == engine.OtherEnvironment && p.Invoice != nil
}

const cancelElsewhere = "It is in state. If it should not exist, cancel it in time: set `cancellation_reason`, apply, and " +
	"then destroy."

// NotAllowedThere warns of an invoice in state that was issued in an environment that is not allowed.
func NotAllowedThere(label string, v *einvoice.Invoice) diag.Diagnostic {
	return diag.NewWarningDiagnostic(fmt.Sprintf("Issued in %s: %s", v.EnvironmentType, label), message.Paragraphs(
		fmt.Sprintf("The service shows the environment %q for the invoice (id %s, status %q), but the company's settings "+
			"had another one before it was sent. `environments` of the provider does not allow it.",
			v.EnvironmentType, v.ID, v.Status),
		cancelElsewhere+" Then find out what changes the company's settings."))
}

// keepPlanned keeps the planned environment in state. A CLI taints a new object in which a known value of the plan has
// changed, and a tainted invoice is issued again. If the service shows another environment, the next refresh takes it.
func (m *issuanceModel) keepPlanned(planned types.String, held *einvoice.Invoice, isElsewhere bool) diag.Diagnostics {
	shown := m.EnvironmentType
	if !planned.IsUnknown() {
		m.EnvironmentType = planned
	}
	switch {
	case isElsewhere:
		return diag.Diagnostics{NotAllowedThere(m.label(), held)}
	case shown.IsNull(), shown.Equal(m.EnvironmentType):
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("environment_type"),
		"Issued in another environment than planned: "+m.label(), message.Paragraphs(
			fmt.Sprintf("The plan said %q, and the service shows %q (id %s, status %q). Either somebody has changed the "+
				"company's settings since the plan, or the invoice was issued before.",
				planned.ValueString(), shown.ValueString(), m.ID.ValueString(), m.Status.ValueString()),
			cancelElsewhere+" The next refresh writes the environment that the service shows into the state."))}
}
