package invoice

import (
	"cmp"
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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// actionArguments are the arguments of an action about one issued invoice, apart from its company.
func actionArguments() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"model": schema.StringAttribute{
			MarkdownDescription: "Model of the invoice: " + attribute.WordList(einvoice.Models) + ".",
			Required:            true,
			Validators:          []validator.String{attribute.EnumValidator{Words: einvoice.Models}},
		},
		"id": session.ActionID("Identifier of the invoice at the service"),
	}
}

// actionTarget are the arguments that name an invoice.
type actionTarget struct {
	Model  types.String      `tfsdk:"model"`
	ID     types.String      `tfsdk:"id"`
	Issuer attribute.Spelled `tfsdk:"issuer"`
}

// actionRun is one invocation of an action about an invoice.
type actionRun struct {
	engine.Issuing
	id       string
	progress func(format string, values ...any) // shows a line
}

// perform acts on the invoice within the time of an issuance.
func (t *actionTarget) perform(
	ctx context.Context, run *session.Invocation, act func(*actionRun, context.Context) diag.Diagnostics,
) diag.Diagnostics {
	ctx, cancel := context.WithTimeout(ctx, attribute.DefaultIssuanceTimeout)
	defer cancel()
	return act(&actionRun{
		Issuing:  engine.Issuing{Service: issuance.Service(run.Session), Model: t.Model.ValueString()},
		id:       t.ID.ValueString(),
		progress: run.Report,
	}, ctx)
}

// terms name the invoice by its id as long as it was not read.
func (r *actionRun) terms(v *einvoice.Invoice) *issuance.Terms {
	name := r.id
	if v != nil {
		name = cmp.Or(string(v.IntegrationID), r.id)
	}
	return &issuance.Terms{Thing: issuance.Invoice, Name: name}
}

func (r *actionRun) label(v *einvoice.Invoice) string { return r.terms(v).Label(r.Model, v) }

// readError is the error of an invoice that cannot be read, or that does not exist.
func (r *actionRun) readError(ctx context.Context, err error) diag.Diagnostics {
	return message.ReadError(ctx, message.DocumentNames[r.Model], "id", r.id, err)
}

type cancelModel struct {
	actionTarget
	Reason types.String `tfsdk:"reason"`
}

// NewCancelAction returns the action einvoice_invoice_cancel. It cancels an invoice in the way a
// destroy with a reason does.
func NewCancelAction() action.Action {
	attributes := actionArguments()
	attributes["reason"] = schema.StringAttribute{
		MarkdownDescription: "Why it is canceled, 15 to 255 characters.",
		Required:            true,
		Validators:          []validator.String{issuance.CancellationReasonValidator},
	}
	return &session.Action[cancelModel]{
		Company: "issuer", Name: "invoice_cancel", Attributes: attributes,
		Description: "Cancels an authorized invoice and waits for the tax authority, up to 10 minutes. The legal " +
			"periods for canceling are short: usually 24 hours for an NF-e and 30 minutes for an NFC-e. For an NFS-e " +
			"the city decides. The action is safe to invoke again: it leaves a canceled invoice alone, and waits for " +
			"a cancellation in progress instead of sending another one. It refuses an invoice that is in " +
			"contingency, in progress, or was never valid.\n\nThe next plan shows an invoice of an " +
			"einvoice_invoice_issuance as canceled. `cancellation_reason` of that resource cancels on destroy " +
			"instead. Needs the key of the company that issued the invoice.",
		Perform: func(ctx context.Context, run *session.Invocation, config *cancelModel) diag.Diagnostics {
			return config.perform(ctx, run, func(r *actionRun, ctx context.Context) diag.Diagnostics {
				return r.cancel(ctx, config.Reason.ValueString())
			})
		},
	}
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
	v, err := r.Cancel(ctx, r.id, reason, "")
	switch p, ok := errors.AsType[*engine.Problem](err); {
	case ok && p.Request == engine.Read:
		return r.readError(ctx, p.Cause)
	case ok:
		return r.terms(p.Invoice).CancelProblem(ctx, p)
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

// NewCheckStatusAction returns the action einvoice_invoice_check_status. It has the service ask the
// authority about an invoice, changes nothing there, and may be repeated.
func NewCheckStatusAction() action.Action {
	return &session.Action[actionTarget]{
		Company: "issuer", Name: "invoice_check_status", Attributes: actionArguments(),
		Description: "Makes the service ask the tax authority about an issued invoice and update its status. Use " +
			"this action if a status has not changed for a long time, or if somebody canceled the invoice elsewhere. " +
			"While the invoice is queued, the action waits for up to 10 minutes, because the authority does not have " +
			"it yet. It issues nothing and is safe to invoke again. einvoice_invoice_issuance does the same by " +
			"itself while it waits. Needs the key of the company that issued the invoice.",
		Perform: func(ctx context.Context, run *session.Invocation, config *actionTarget) diag.Diagnostics {
			return config.perform(ctx, run, (*actionRun).check)
		},
	}
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
	if p, ok := errors.AsType[*engine.Problem](err); ok {
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
		return r.terms(p.Invoice).Problem(ctx, p)
	case p.Request == engine.Read:
		return r.readError(ctx, p.Cause)
	case p.Kind == engine.RequestFailed:
		return message.APIError(ctx, "check the status of "+label, p.Cause, nil)
	case p.Kind == engine.NotOffered:
		return message.Error("Cannot ask the authority about "+label, message.Cause(p.Cause), fmt.Sprintf(
			"The service does not offer this for this model. Reading the invoice shows it as %s.", p.Invoice.Status),
			message.MissingOperation("check_invoice_status"))
	default:
		return message.Error("Still queued: "+label, fmt.Sprintf(
			"Its status at the service is %q, and the authority was not asked.", p.Invoice.Status),
			"Invoke the action again later.")
	}
}
