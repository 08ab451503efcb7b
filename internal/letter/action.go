package letter

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ action.ActionWithConfigure  = (*correctionAction)(nil)
	_ action.ActionWithModifyPlan = (*correctionAction)(nil)
)

// NewAction is the action einvoice_correction_letter.
func NewAction() action.Action { return &correctionAction{} }

// correctionAction sends a correction letter as the resource does. No state tells
// that it was sent, only the journal on this machine.
type correctionAction struct {
	session.ActionBase
}

type correctionActionModel struct {
	InvoiceID types.String      `tfsdk:"invoice_id"`
	Letter    types.String      `tfsdk:"letter"`
	Issuer    attribute.Spelled `tfsdk:"issuer"`
}

func (a *correctionAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_correction_letter"
}

func (a *correctionAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Sends a correction letter (carta de correção, CC-e) for an authorized NF-e. Each letter is a legal event of the invoice. It cannot correct values, taxes, dates or the recipient. " +
			"Invoked again on the same machine or with the same database, the same letter for the same invoice is not sent a second time; after a lost answer the action refuses until you have looked at the invoice and " +
			"removed the file or row that the error names. Runners that keep nothing from one run to the next do not remember it: use the resource " +
			"[einvoice_correction_letter](../resources/correction_letter.md) there, whose state does. Needs the key of the company that issued the invoice." + session.ActionCLI,
		Attributes: map[string]schema.Attribute{
			"invoice_id": session.ActionID("Identifier of the NF-e at the service, which must be authorized"),
			"issuer":     attribute.ActionIssuer(),
			"letter": schema.StringAttribute{
				MarkdownDescription: letterDescription,
				Required:            true,
				Validators:          []validator.String{letterValidator},
			},
		},
	}
}

func (a *correctionAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config correctionActionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	acting, diags := a.Acting(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	c := &correcting{
		client: acting.Client, once: acting.Once(), issuer: acting.Issuer, stateless: true,
		invoiceID: config.InvoiceID.ValueString(), letter: config.Letter.ValueString(),
	}
	report := session.Progress(ctx, resp)
	report("Sending a correction letter for invoice %s, unless this machine has sent it already.", c.invoiceID)
	done, failed := c.perform(ctx)
	if failed != nil {
		resp.Diagnostics.Append(failed.diagnostics(ctx, message.Invoking, req.Config.Schema)...)
		return
	}
	resp.Diagnostics.Append(done.warnings(message.Invoking)...)
	report("Invoice %s has the letter%s.", c.invoiceID, asEvent(done.eventID))
}
