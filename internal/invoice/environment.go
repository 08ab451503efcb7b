package invoice

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
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

// keepPlanned keeps the planned environment in state. A CLI taints a new object in which a known value of the plan has
// changed, and a tainted invoice is issued again. If the service shows another environment, the next refresh takes it.
func (m *issuanceModel) keepPlanned(
	ctx context.Context, planned types.String, held *einvoice.Invoice, isElsewhere bool,
) diag.Diagnostics {
	shown := m.EnvironmentType
	if !planned.IsUnknown() {
		m.EnvironmentType = planned
	}
	switch {
	case isElsewhere:
		return issuance.NotAllowedThere(ctx, m.label(), held)
	case shown.IsNull(), shown.Equal(m.EnvironmentType):
		return nil
	}
	return say.WarningAt(ctx, path.Root("environment_type"), "invoice.other_environment", text.With{
		"label": m.label(), "planned": planned.ValueString(), "environment": shown.ValueString(),
		"id": m.ID.ValueString(), "status": m.Status.ValueString(),
	})
}
