package invoice

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ action.ActionWithConfigure  = (*invoiceCheckStatusAction)(nil)
	_ action.ActionWithModifyPlan = (*invoiceCheckStatusAction)(nil)
)

// NewCheckStatusAction returns the action einvoice_invoice_check_status.
func NewCheckStatusAction() action.Action { return &invoiceCheckStatusAction{} }

// invoiceCheckStatusAction has the service ask the authority about an invoice.
// It changes nothing at the authority and may be repeated.
type invoiceCheckStatusAction struct {
	session.ActionBase
}

func (a *invoiceCheckStatusAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_invoice_check_status"
}

func (a *invoiceCheckStatusAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Makes the service ask the tax authority about an issued invoice and take over the answer: for an invoice whose status has not changed for long, or that somebody canceled elsewhere. " +
			"While the invoice is queued there is nothing to ask yet: the action waits until it has been sent, up to 10 minutes. It does not issue anything and is safe to invoke again; " +
			"einvoice_invoice_issuance does the same by itself while it waits. Needs the key of the company that issued the invoice." + session.ActionCLI,
		Attributes: actionArguments(),
	}
}

func (a *invoiceCheckStatusAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config struct {
		Model  types.String      `tfsdk:"model"`
		ID     types.String      `tfsdk:"id"`
		Issuer attribute.Spelled `tfsdk:"issuer"`
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	acting, diags := a.Acting(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	invoke(ctx, acting, resp, config.Model, config.ID, func(ctx context.Context, i *invoked) diag.Diagnostics { return i.check(ctx) })
}

// check asks the authority once.
func (i *invoked) check(ctx context.Context) diag.Diagnostics {
	i.Watch = func(e engine.Event) {
		if e.Kind == engine.Queued {
			i.tell("%s is %s; there is nothing to ask before it has been sent. Waiting.", i.label(e.Invoice), e.Invoice.Status)
		}
	}
	i.tell("Asking the authority about %s %s.", message.DocumentNames[i.Model], i.id)
	v, err := i.CheckStatus(ctx, i.id)
	if p := (*engine.Problem)(nil); errors.As(err, &p) {
		return i.notChecked(ctx, p)
	}
	i.tell("%s is %s.", i.label(v), v.Status)
	if string(v.Status) != einvoice.StatusRejected {
		return nil
	}
	// An answer too, and no failure of the question.
	next := message.Front{Again: "Apply its resource again"}
	return diag.Diagnostics{diag.NewWarningDiagnostic(i.label(v)+" is rejected",
		message.Paragraphs(message.CodeAndMessage(v.ProcessingDetail), next.Rejection(message.ExplainedCode(v.ProcessingDetail), i.Model, "integration_id")))}
}

func (i *invoked) notChecked(ctx context.Context, p *engine.Problem) diag.Diagnostics {
	label := message.DocumentNames[i.Model] + " " + i.id
	if p.Invoice != nil {
		label = i.label(p.Invoice)
	}
	switch {
	case p.Kind == engine.OtherCompany:
		return i.terms(p.Invoice).Problem(p)
	case p.Request == engine.Read:
		return i.unread(ctx, p.Cause)
	case p.Kind == engine.RequestFailed:
		return message.Invoking.APIError(ctx, "check the status of "+label, p.Cause, nil)
	case p.Kind == engine.NotOffered:
		return message.Error("Cannot ask the authority about "+label, message.Reason(p.Cause),
			fmt.Sprintf("The service does not offer this for this model. Reading the invoice shows it as %s.", p.Invoice.Status),
			message.MissingOperation("check_invoice_status"))
	default:
		return message.Error("Still queued: "+label, fmt.Sprintf("Its status at the service is %q, and the authority was not asked.", p.Invoice.Status), "Invoke the action again later.")
	}
}
