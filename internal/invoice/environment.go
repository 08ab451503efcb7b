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

// asPlanned refuses an invoice of another environment than planned. If the service shows
// none, the planned one counts.
func (m *issuanceModel) asPlanned(planned types.String) diag.Diagnostics {
	switch actual := m.EnvironmentType; {
	case planned.IsUnknown() || actual.Equal(planned):
		return nil
	case actual.IsNull():
		m.EnvironmentType = planned
		return nil
	default:
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("environment_type"),
			"Issued in another environment than planned: "+m.label(), message.Paragraphs(
				fmt.Sprintf("The plan said %q, and the service shows %q (id %s).",
					planned.ValueString(), actual.ValueString(), m.ID.ValueString()),
				"Somebody has changed the company's settings since the plan. "+
					"Plan and apply again: the provider finds the invoice by its `integration_id`."))}
	}
}
