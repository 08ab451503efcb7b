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
	_ action.ActionWithConfigure  = (*cancelAction)(nil)
	_ action.ActionWithModifyPlan = (*cancelAction)(nil)
)

// NewCancelAction returns the action einvoice_invoice_cancel.
func NewCancelAction() action.Action { return &cancelAction{} }

// cancelAction cancels an invoice in the way a destroy with a reason does.
type cancelAction struct {
	session.DocumentActionBase
}

func (a *cancelAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_invoice_cancel"
}

func (a *cancelAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	attributes := actionArguments()
	attributes["reason"] = schema.StringAttribute{
		MarkdownDescription: "Why it is canceled, 15 to 255 characters.",
		Required:            true,
		Validators:          []validator.String{CancellationReasonValidator},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Cancels an authorized invoice and waits for the tax authority, up to 10 minutes. " +
			"The legal periods for canceling are short: commonly 24 hours for an NF-e and 30 minutes for an NFC-e. " +
			"For an NFS-e its city decides. The action is safe to invoke again: it leaves a canceled invoice alone, " +
			"and follows a cancellation in processing instead of sending another one. " +
			"It refuses an invoice that is in contingency, in progress, or was never valid.\n\n" +
			"The next plan shows an invoice of an einvoice_invoice_issuance as canceled. " +
			"`cancellation_reason` of that resource cancels on destroy instead. " +
			"Needs the key of the company that issued the invoice." + session.ActionCLI,
		Attributes: attributes,
	}
}

func (a *cancelAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config struct {
		actionTarget
		Reason types.String `tfsdk:"reason"`
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	acting, diags := a.Acting(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, attribute.DefaultIssuanceTimeout)
	defer cancel()
	resp.Diagnostics.Append(config.run(ctx, acting, resp).cancel(ctx, config.Reason.ValueString())...)
}

// cancel fails for every invoice that is not canceled afterwards, unlike a destroy,
// which removes some of them from state.
func (r *actionRun) cancel(ctx context.Context, reason string) diag.Diagnostics {
	sent := false
	r.Watch = func(e engine.Event) {
		switch e.Kind {
		case engine.Canceling:
			sent = true
			r.progress("Canceling %s, which is %s.", r.label(e.Invoice), e.Invoice.Status)
		case engine.CancellationUnknown:
			r.progress("The answer does not tell whether the cancellation began; looking what comes of it.")
		case engine.CancellationSent:
			r.progress("Waiting for the authority to cancel %s.", r.label(e.Invoice))
		default:
		}
	}
	v, err := r.Cancel(ctx, r.id, reason)
	p := (*engine.Problem)(nil)
	switch {
	case errors.As(err, &p) && p.Request == engine.Read:
		return r.readError(ctx, p.Cause)
	case errors.As(err, &p):
		return r.terms(p.Invoice).CancelProblem(p)
	case sent:
		r.progress("%s is %s.", r.label(v), v.Status)
	case string(v.Status) == einvoice.StatusCanceled:
		r.progress("%s is canceled already; nothing was sent.", r.label(v))
	default:
		return message.Error(fmt.Sprintf("Nothing to cancel: %s is %s", r.label(v), v.Status), fmt.Sprintf(
			"Only an authorized invoice can be canceled. The service holds this one with status %q (id %s). "+
				"Nothing was sent.", v.Status, r.id))
	}
	return nil
}
