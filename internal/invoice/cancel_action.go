package invoice

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ action.ActionWithConfigure  = (*invoiceCancelAction)(nil)
	_ action.ActionWithModifyPlan = (*invoiceCancelAction)(nil)
)

// NewCancelAction returns the action einvoice_invoice_cancel.
func NewCancelAction() action.Action { return &invoiceCancelAction{} }

// invoiceCancelAction cancels an invoice in the way a destroy with a reason does.
type invoiceCancelAction struct {
	session.ActionBase
}

type invoiceCancelModel struct {
	Model  types.String      `tfsdk:"model"`
	ID     types.String      `tfsdk:"id"`
	Issuer attribute.Spelled `tfsdk:"issuer"`
	Reason types.String      `tfsdk:"reason"`
}

func (a *invoiceCancelAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_invoice_cancel"
}

func (a *invoiceCancelAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	attributes := actionArguments()
	attributes["reason"] = schema.StringAttribute{
		MarkdownDescription: "Why it is canceled, 15 to 255 characters.",
		Required:            true,
		Validators:          []validator.String{CancellationReasonValidator},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Cancels an authorized invoice and waits, up to 10 minutes, until the tax authority has canceled it. The legal periods for canceling are short: commonly 24 hours for an NF-e, " +
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
	acting, diags := a.Acting(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	invoke(ctx, acting, resp, config.Model, config.ID, func(ctx context.Context, i *invoked) diag.Diagnostics {
		return i.cancel(ctx, config.Reason.ValueString())
	})
}

// cancel cancels an invoice that nobody can forget instead: what a destroy takes
// for settled is refused where it is not canceled.
func (i *invoked) cancel(ctx context.Context, reason string) diag.Diagnostics {
	sent := false
	i.Watch = func(e engine.Event) {
		switch e.Kind {
		case engine.Canceling:
			sent = true
			i.tell("Canceling %s, which is %s.", i.label(e.Invoice), e.Invoice.Status)
		case engine.CancellationUnknown:
			i.tell("The answer does not tell whether the cancellation began; looking what comes of it.")
		case engine.CancellationSent:
			i.tell("Waiting for the authority to cancel %s.", i.label(e.Invoice))
		default:
		}
	}
	v, err := i.Cancel(ctx, i.id, reason)
	p := (*engine.Problem)(nil)
	switch {
	case errors.As(err, &p) && p.Request == engine.Read:
		return i.unread(ctx, p.Cause)
	case errors.As(err, &p):
		return i.terms(p.Invoice).CancelProblem(p)
	case sent:
		i.tell("%s is %s.", i.label(v), v.Status)
	case string(v.Status) == einvoice.StatusCanceled:
		i.tell("%s is canceled already; nothing was sent.", i.label(v))
	default:
		return message.Error(fmt.Sprintf("Nothing to cancel: %s is %s", i.label(v), v.Status),
			fmt.Sprintf("Only an authorized invoice can be canceled, and the service holds this one with status %q (id %s). Nothing was sent.", v.Status, i.id))
	}
	return nil
}
