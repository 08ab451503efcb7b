package inbound

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ action.ActionWithValidateConfig = (*manifestAction)(nil)

// manifestAction declares what the resource declares, without a state. The invoice is
// looked at first: one that has the declaration already is left alone.
type manifestAction struct {
	session.DocumentAction[manifestActionModel]
}

type manifestActionModel struct {
	ID            types.String      `tfsdk:"id"`
	Status        types.String      `tfsdk:"status"`
	Justification types.String      `tfsdk:"justification"`
	Company       attribute.Spelled `tfsdk:"company"`
}

// NewManifestAction is the action einvoice_inbound_manifest.
func NewManifestAction() action.Action {
	return &manifestAction{session.DocumentAction[manifestActionModel]{
		DocumentActionBase: actsForCompany, Name: "inbound_manifest", Perform: manifest,
		Description: manifestationDescription + "It is safe to invoke again: an invoice that has the same " +
			"declaration already is left alone. After `acknowledged` or `confirmed` the service releases the " +
			"complete XML of an invoice that it knew in summary. Needs the key of the company that received the " +
			"invoice.",
		Attributes: map[string]schema.Attribute{
			"id": session.ActionID("Identifier of the inbound invoice at the service"),
			"status": schema.StringAttribute{
				MarkdownDescription: statusDescription,
				Required:            true,
				Validators:          []validator.String{attribute.EnumValidator{Words: manifestStatuses}},
			},
			"justification": schema.StringAttribute{
				MarkdownDescription: justificationDescription,
				Optional:            true,
				Validators:          []validator.String{justificationLength},
			},
		},
	}}
}

// ValidateConfig warns only: that a justification is needed is assumed.
func (a *manifestAction) ValidateConfig(
	ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse,
) {
	var config manifestActionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if short := justificationTooShort(config.Status, config.Justification); short != "" {
		resp.Diagnostics.AddAttributeWarning(path.Root("justification"), "Justification too short", short)
	}
}

func manifest(ctx context.Context, run *session.Invocation, config *manifestActionModel) (diags diag.Diagnostics) {
	d := newDeclaration(run.Session, config.ID, config.Status, config.Justification)
	d.report = run.Report
	if failed := d.perform(ctx); failed != nil {
		return failed.diagnostics(ctx, message.Invoking, run.Schema)
	}
	if d.lost != nil {
		diags.AddWarning("Answer to a declaration lost: "+d.label, fmt.Sprintf(
			"The answer was lost (%s). The invoice is %s now, so the declaration has been made; "+
				"nothing was sent a second time.", message.Clause(d.lost), d.status))
	}
	return diags
}
