package inbound

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ action.ActionWithConfigure      = (*inboundManifestAction)(nil)
	_ action.ActionWithModifyPlan     = (*inboundManifestAction)(nil)
	_ action.ActionWithValidateConfig = (*inboundManifestAction)(nil)
)

// NewManifestAction is the action einvoice_inbound_manifest.
func NewManifestAction() action.Action {
	return &inboundManifestAction{}
}

// inboundManifestAction declares what the recipient says about a received NF-e.
// Each declaration is a legal event, so the invoice is looked at first: one that
// has the declaration already is left alone.
type inboundManifestAction struct {
	session.ActionBase
}

type inboundManifestModel struct {
	ID            types.String      `tfsdk:"id"`
	Status        types.String      `tfsdk:"status"`
	Justification types.String      `tfsdk:"justification"`
	Company       attribute.Spelled `tfsdk:"company"`
}

var manifestStatuses = []string{einvoice.ManifestAcknowledged, einvoice.ManifestConfirmed, einvoice.ManifestUnknown, einvoice.ManifestNotPerformed}

func (a *inboundManifestAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_inbound_manifest"
}

func (a *inboundManifestAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Declares to the tax authority what the recipient says about an NF-e that was issued against it (manifestação do destinatário). A declaration is a legal event. " +
			"It is safe to invoke again: an invoice that has the same declaration already is left alone. After `acknowledged` or `confirmed` the service releases the whole XML of an invoice " +
			"that it knew in summary. Needs the key of the company that received the invoice." + session.ActionCLI,
		Attributes: map[string]schema.Attribute{
			"id":            session.ActionID("Identifier of the inbound invoice at the service"),
			companyArgument: attribute.ActionIssuer(),
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
	}
}

// ValidateConfig warns only: that a justification is needed is assumed.
func (a *inboundManifestAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	var config inboundManifestModel
	if resp.Diagnostics.Append(req.Config.Get(ctx, &config)...); !resp.Diagnostics.HasError() {
		if short := justificationTooShort(config.Status, config.Justification); short != "" {
			resp.Diagnostics.AddAttributeWarning(path.Root("justification"), "Justification too short", short)
		}
	}
}

func (a *inboundManifestAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config inboundManifestModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	acting, diags := a.Acting(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	m := manifestingOf(acting, config.ID, config.Status, config.Justification)
	m.report = session.Progress(ctx, resp)
	done, failed := m.perform(ctx)
	if failed != nil {
		resp.Diagnostics.Append(failed.diagnostics(ctx, message.Invoking, req.Config.Schema)...)
		return
	}
	resp.Diagnostics.Append(done.warnings()...)
}
