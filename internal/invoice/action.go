package invoice

import (
	"cmp"
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
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
	progress func(text.Text) // shows a line
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

func (r *actionRun) label(v *einvoice.Invoice) text.Text { return r.terms(v).Label(r.Model, v) }

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
			r.progress(text.Of("invoice.canceling", text.With{"label": r.label(e.Invoice), "status": string(e.Invoice.Status)}))
		case engine.CancellationUnknown:
			r.progress(text.Of("invoice.cancellation_unknown", nil))
		case engine.CancellationSent:
			r.progress(text.Of("invoice.cancellation_sent", text.With{"label": r.label(e.Invoice)}))
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
		r.progress(text.Of("invoice.status", text.With{"label": r.label(v), "status": string(v.Status)}))
	case string(v.Status) == einvoice.StatusCanceled:
		r.progress(text.Of("invoice.canceled_already", text.With{"label": r.label(v)}))
	default:
		return say.Error(ctx, "invoice.nothing_to_cancel", text.With{
			"label": r.label(v), "status": string(v.Status), "id": r.id,
		})
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
			r.progress(text.Of("invoice.queued", text.With{"label": r.label(e.Invoice), "status": string(e.Invoice.Status)}))
		}
	}
	r.progress(text.Of("invoice.asking", text.With{"label": r.label(nil)}))
	v, err := r.CheckStatus(ctx, r.id)
	if p, ok := errors.AsType[*engine.Problem](err); ok {
		return r.checkProblem(ctx, p)
	}
	r.progress(text.Of("invoice.status", text.With{"label": r.label(v), "status": string(v.Status)}))
	if string(v.Status) != einvoice.StatusRejected {
		return nil
	}
	// The question was answered, so a rejection is no error of the action.
	explained := fiscal.ExplainRejection(message.ExplainedCode(v.ProcessingDetail), r.Model)
	return say.Warning(ctx, "invoice.rejected", text.With{
		"label": r.label(v), "said": message.CodeAndMessage(v.ProcessingDetail),
		"remedy": message.Rejection(explained, explained.ResourceActionFor("integration_id")),
	})
}

// checkProblem says why the authority was not asked.
func (r *actionRun) checkProblem(ctx context.Context, p *engine.Problem) diag.Diagnostics {
	switch {
	case p.Kind == engine.RequestFailed && p.Request == engine.Read:
		return r.readError(ctx, p.Cause)
	case p.Kind == engine.NotOffered:
		return say.Error(ctx, "invoice.check_not_offered", text.With{
			"label": r.label(p.Invoice), "status": string(p.Invoice.Status), "cause": message.Cause(p.Cause),
			"missing": message.MissingOperation("check_invoice_status"),
		})
	case p.Kind == engine.OtherCompany, p.Kind == engine.RequestFailed:
		return r.terms(p.Invoice).Problem(ctx, p)
	default:
		return say.Error(ctx, "invoice.still_queued", text.With{
			"label": r.label(p.Invoice), "status": string(p.Invoice.Status),
		})
	}
}
