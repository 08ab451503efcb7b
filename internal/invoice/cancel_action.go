package invoice

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ action.ActionWithConfigure  = (*invoiceCancelAction)(nil)
	_ action.ActionWithModifyPlan = (*invoiceCancelAction)(nil)
)

func NewCancelAction() action.Action { return &invoiceCancelAction{} }

// invoiceCancelAction cancels an invoice in the way a destroy with a reason does.
type invoiceCancelAction struct {
	session.ActionBase
}

type invoiceCancelModel struct {
	Model  types.String `tfsdk:"model"`
	ID     types.String `tfsdk:"id"`
	Reason types.String `tfsdk:"reason"`
}

func (a *invoiceCancelAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_invoice_cancel"
}

func (a *invoiceCancelAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	attributes := session.InvoiceActionAttributes()
	attributes["reason"] = schema.StringAttribute{
		MarkdownDescription: "Why it is canceled, 15 to 255 characters.",
		Required:            true,
		Validators:          []validator.String{CancellationReasonValidator{}},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Cancels an authorized invoice and waits, up to 10 minutes, until the tax authority has canceled it. Legal windows are short, commonly 24 hours for an NF-e, " +
			"30 minutes for an NFC-e, by city for an NFS-e. It is safe to invoke again: a canceled invoice is left alone, and a cancellation in processing is followed, not sent again. " +
			"One in contingency, in progress, or that never became valid is refused.\n\n" +
			"For an invoice of an einvoice_invoice_issuance the next plan shows it as canceled; `cancellation_reason` of that resource cancels on destroy instead. " +
			"Needs the key of the company that issued the invoice." + session.ActionCLI,
		Attributes: attributes,
	}
}

func (a *invoiceCancelAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config invoiceCancelModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(a.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, attribute.DefaultIssuanceTimeout)
	defer cancel()
	i := &issuing.Issuing{
		Client: a.Client, Store: a.Store, Patience: a.Patience(), Now: time.Now, Sleep: session.Pause,
		Report: session.Reporter(ctx, resp), Model: config.Model.ValueString(), Issue: true,
	}
	resp.Diagnostics.Append(session.InActionWords(i.CancelOnly(ctx, config.ID.ValueString(), config.Reason.ValueString()))...)
}
