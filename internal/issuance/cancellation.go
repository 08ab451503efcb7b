package issuance

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// CancelProblem is about an invoice, or the invoices of an order, that were not canceled.
func (t *Terms) CancelProblem(ctx context.Context, p *engine.Problem) diag.Diagnostics {
	v, about := p.Invoice, t.subjectOf(p)
	switch p.Kind {
	case engine.RequestFailed:
		task := p.Request
		if task == engine.Read {
			task = engine.Cancel
		}
		return t.requestFailed(ctx, p, task, t.Label(p.Model, v), true)
	case engine.TakenOver:
		return say.Warning(ctx, "issuance.taken_over", text.With{"label": about.label})
	case engine.NotAsPlanned:
		planned := ""
		if known := engine.FindInvoice(t.Planned, v); known != nil {
			planned = string(known.Status)
		}
		return say.Error(ctx, "issuance.not_as_planned", text.With{
			"label": about.label, "id": about.id, "status": about.status, "thing": t.Thing, "planned": planned,
		})
	case engine.NotCancelable:
		return say.Error(ctx, "issuance.not_cancelable", text.With{
			"label": about.label, "id": about.id, "status": about.status, "thing": t.Thing,
		})
	case engine.CancellationRefused:
		return say.Error(ctx, "issuance.cancellation_refused", text.With{
			"label": about.label, "said": message.CodeAndMessage(v.ProcessingDetail), "thing": t.Thing,
			"former": p.Former,
		})
	case engine.AnswerLost:
		return say.Error(ctx, "issuance.cancellation_lost", text.With{
			"label": about.label, "id": about.id, "status": about.status, "cause": message.Cause(p.Cause),
		})
	case engine.TimedOut, engine.Interrupted:
		if v == nil { // It had not begun.
			break
		}
		failure, look := failures(p.Unanswered, p.LastLook)
		return say.Error(ctx, "issuance.still_canceling", text.With{
			"label": about.label, "id": about.id, "status": about.status, "step": message.LastStepOf(v.ProcessingDetail),
			"failure": failure, "look": look, "interrupted": !errors.Is(p.Cause, context.DeadlineExceeded),
		})
	default:
	}
	return t.Problem(ctx, p)
}
