package invoice

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ action.ActionWithConfigure  = (*checkStatusAction)(nil)
	_ action.ActionWithModifyPlan = (*checkStatusAction)(nil)
)

// NewCheckStatusAction returns the action einvoice_invoice_check_status.
func NewCheckStatusAction() action.Action { return &checkStatusAction{} }

// checkStatusAction has the service ask the authority about an invoice.
// It changes nothing at the authority and may be repeated.
type checkStatusAction struct {
	session.DocumentActionBase
}

func (a *checkStatusAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_invoice_check_status"
}

func (a *checkStatusAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The service asks the tax authority about an issued invoice and takes over the result. " +
			"Use it where a status has not changed for long, or where somebody canceled the invoice elsewhere. " +
			"The authority knows nothing of a queued invoice: the action waits up to 10 minutes for that. " +
			"It issues nothing and is safe to invoke again. einvoice_invoice_issuance does the same by itself while " +
			"it waits. Needs the key of the company that issued the invoice." + session.ActionCLI,
		Attributes: actionArguments(),
	}
}

func (a *checkStatusAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config actionTarget
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	acting, diags := a.Acting(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, attribute.DefaultIssuanceTimeout)
	defer cancel()
	resp.Diagnostics.Append(config.run(ctx, acting, resp).check(ctx)...)
}

// check asks the authority once.
func (r *actionRun) check(ctx context.Context) diag.Diagnostics {
	r.Watch = func(e engine.Event) {
		if e.Kind == engine.Queued {
			r.progress("%s is %s: there is nothing to ask yet. Waiting.", r.label(e.Invoice), e.Invoice.Status)
		}
	}
	r.progress("Asking the authority about %s %s.", message.DocumentNames[r.Model], r.id)
	v, err := r.CheckStatus(ctx, r.id)
	if p := (*engine.Problem)(nil); errors.As(err, &p) {
		return r.checkProblem(ctx, p)
	}
	r.progress("%s is %s.", r.label(v), v.Status)
	if string(v.Status) != einvoice.StatusRejected {
		return nil
	}
	// The question was answered, so a rejection is no error of the action.
	next := message.Front{Again: "Apply its resource again"}
	remedy := next.Rejection(message.ExplainedCode(v.ProcessingDetail), r.Model, "integration_id")
	return diag.Diagnostics{diag.NewWarningDiagnostic(r.label(v)+" is rejected",
		message.Paragraphs(message.CodeAndMessage(v.ProcessingDetail), remedy))}
}

// checkProblem words why the authority was not asked.
func (r *actionRun) checkProblem(ctx context.Context, p *engine.Problem) diag.Diagnostics {
	label := message.DocumentNames[r.Model] + " " + r.id
	if p.Invoice != nil {
		label = r.label(p.Invoice)
	}
	switch {
	case p.Kind == engine.OtherCompany:
		return r.terms(p.Invoice).Problem(p)
	case p.Request == engine.Read:
		return r.readError(ctx, p.Cause)
	case p.Kind == engine.RequestFailed:
		return message.Invoking.APIError(ctx, "check the status of "+label, p.Cause, nil)
	case p.Kind == engine.NotOffered:
		return message.Error("Cannot ask the authority about "+label, message.Reason(p.Cause), fmt.Sprintf(
			"The service does not offer this for this model. A read of the invoice shows it as %s.", p.Invoice.Status),
			message.MissingOperation("check_invoice_status"))
	default:
		return message.Error("Still queued: "+label, fmt.Sprintf(
			"Its status at the service is %q, and the authority was not asked.", p.Invoice.Status),
			"Invoke the action again later.")
	}
}
