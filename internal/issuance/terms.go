package issuance

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// What is sent once, under a name.
const (
	Invoice = "invoice"
	Order   = "order"
)

// Terms are what the texts about an invoice, or about an order and its invoices, need to know. Summaries name the
// object, because a CLI folds diagnostics with the same summary and shows only one.
type Terms struct {
	Thing   string              // Invoice or Order
	Name    string              // its integration_id or transaction_id
	InState bool                // a problem leaves it in state as it was
	Planned []*einvoice.Invoice // what the plan of a destroy knew
}

// Label names an invoice for a person; v is nil if there is none yet.
func (t *Terms) Label(model string, v *einvoice.Invoice) text.Text {
	if v == nil {
		v = &einvoice.Invoice{}
	}
	return message.InvoiceLabel(model, t.Name, attribute.IntOrNull(v.Number))
}

// OrderLabel names an order for a person.
func OrderLabel(transactionID string) text.Text {
	return text.Of("issuance.order", text.With{"id": transactionID})
}

// subject is what a problem is about: an invoice, or an order if it names no model.
type subject struct {
	thing      string
	label      text.Text
	id, status string // "" if nobody saw it
}

func (t *Terms) subjectOf(p *engine.Problem) subject {
	about := subject{thing: Invoice, label: t.Label(p.Model, p.Invoice)}
	switch v, order := p.Invoice, p.Order; {
	case p.Model == "":
		about.thing, about.label = Order, OrderLabel(t.Name)
		if order != nil {
			about.id, about.status = string(order.ID), string(order.Status)
		}
	case v != nil:
		about.id, about.status = string(v.ID), string(v.Status)
	}
	return about
}

// Problem is about what may happen to any invoice or order.
func (t *Terms) Problem(ctx context.Context, p *engine.Problem) diag.Diagnostics {
	about, v := t.subjectOf(p), p.Invoice
	switch p.Kind {
	case engine.RequestFailed:
		return t.requestFailed(ctx, p, p.Request, t.Label(p.Model, nil), false)
	case engine.Unrecorded:
		return message.Unrecorded(ctx, about.label, p.Cause)
	case engine.BeingCanceled:
		return say.Error(ctx, "issuance.being_canceled", text.With{
			"label": about.label, "id": about.id, "thing": t.Thing,
		})
	case engine.Interrupted:
		return say.Error(ctx, "issuance.interrupted", text.With{
			"label": about.label, "id": about.id, "status": about.status, "thing": t.Thing, "unlisted": p.NoList,
			"late": errors.Is(p.Cause, context.DeadlineExceeded), "cause": otherCause(p.Cause),
		})
	case engine.TimedOut:
		failure, look := failures(cmp.Or(p.LastCheck, p.Unanswered), p.LastLook)
		return say.Error(ctx, "issuance.timed_out", text.With{
			"label": about.label, "id": about.id, "status": about.status, "thing": t.Thing, "unlisted": p.NoList,
			"queued":      p.Queued && about.status == einvoice.StatusRejected,
			"transient":   fiscal.IsTransient(engine.RejectionCode(v)),
			"unreachable": engine.RejectionCode(v) == fiscal.CodeCommunicationError,
			"waits":       !p.Queued && (about.status == einvoice.StatusEnqueued || about.status == einvoice.StatusReceived),
			"step":        message.LastStepOf(v.ProcessingDetail), "failure": failure, "look": look,
		})
	case engine.Rejected:
		return t.rejected(ctx, p, about)
	case engine.Unmoved:
		explained := fiscal.ExplainRejection(message.ExplainedCode(v.ProcessingDetail), p.Model)
		return say.ErrorAt(ctx, path.Root(t.attribute()), "issuance.unmoved", text.With{
			"label": about.label, "id": about.id, "draft": v.IsDraft(), "differences": t.Differences(p.Differences),
			"issued": p.Issued, "failure": message.Cause(p.Cause), "lost": errors.Is(p.Cause, einvoice.ErrAmbiguous),
			"said":   message.CodeAndMessage(v.ProcessingDetail),
			"remedy": message.Rejection(explained, explained.RemedyFor(t.attribute())),
		})
	case engine.Ended:
		reason, detail := text.Text{}, v.ProcessingDetail
		if about.status != einvoice.StatusCanceled && detail != nil && detail.Message != "" {
			reason = message.CodeAndMessage(detail) // Of a canceled one it would be about the cancellation.
		}
		return say.Error(ctx, "issuance.ended", text.With{
			"label": about.label, "id": about.id, "status": about.status, "thing": t.Thing, "reason": reason,
		})
	case engine.OtherEnvironment, engine.EnvironmentUnknown:
		return environmentProblem(ctx, about.label, p)
	case engine.OtherCompany:
		if about.id == "" {
			return message.OtherCompanysKey(ctx, "issuer", about.label, p.Issuer, p.Owner)
		}
		return message.OtherIssuer(ctx, about.label, about.thing, about.id, about.status, p.Issuer, p.Owner, p.Sent)
	case engine.AnswerLost:
		refusal := 0 // is no certain one
		if failure, ok := errors.AsType[*einvoice.Error](p.Cause); ok && failure.Status/100 == 4 {
			refusal = failure.Status
		}
		return say.Error(ctx, "issuance.answer_lost", text.With{
			"label": about.label, "id": about.id, "status": about.status, "thing": t.Thing, "for": p.LookedFor,
			"cause": message.Cause(p.Cause), "sends": 1 + p.Repetitions, "refusal": refusal,
		})
	case engine.Unlisted:
		return say.Error(ctx, "issuance.unlisted", text.With{
			"label": about.label, "model": p.Model, "record": p.Record, "sent": p.Sent, "cause": message.Cause(p.Cause),
		})
	case engine.Vanished:
		return say.Error(ctx, "issuance.vanished", text.With{
			"label": about.label, "id": p.Name, "thing": t.Thing, "record": p.Record,
		})
	default:
		return t.nameProblem(ctx, p, about)
	}
}

// rejected says who rejected an invoice and why, what to do, and what becomes of it.
func (t *Terms) rejected(ctx context.Context, p *engine.Problem, about subject) diag.Diagnostics {
	detail := p.Invoice.ProcessingDetail
	explained := fiscal.ExplainRejection(message.ExplainedCode(detail), p.Model)
	do := explained.ActionFor(t.attribute())
	if t.Thing == Order { // It is corrected in the order, and what to run then is said there.
		do = explained.RemedyFor(t.attribute())
	}
	return say.Error(ctx, "issuance.rejected", text.With{
		"label": about.label, "id": about.id, "thing": t.Thing, "code": engine.RejectionCode(p.Invoice),
		"said": message.CodeAndMessage(detail), "remedy": message.Rejection(explained, do), "kept": t.InState,
	})
}

// requestFailed is a request that the service refused or that did not reach it. Running again is safe.
func (t *Terms) requestFailed(
	ctx context.Context, p *engine.Problem, task engine.Request, label text.Text, cancels bool,
) diag.Diagnostics {
	failure, isAnswer := errors.AsType[*einvoice.Error](p.Cause)
	var refusal, advice, reference text.Text
	isRefused := errors.Is(p.Cause, einvoice.ErrBadRequest)
	if isAnswer {
		refusal, reference = message.RefusalWords(failure), message.Reference(failure)
		advice = message.Advice(p.Cause)
	}
	return say.Error(ctx, "issuance.request_failed", text.With{
		"task": text.Of("step."+string(task), nil), "label": label, "thing": t.Thing, "unlisted": p.NoList,
		"cancels": cancels, "refused": isRefused, "queued": engine.Mentions(p.Cause, fiscal.CodeQueued),
		"refusal": refusal, "cause": message.Cause(p.Cause), "advice": advice, "reference": reference,
		"forbidden": errors.Is(p.Cause, einvoice.ErrForbidden),
	})
}

// nameProblem is about what a look-up by the name of the sale has found.
func (t *Terms) nameProblem(ctx context.Context, p *engine.Problem, about subject) diag.Diagnostics {
	at := path.Root(t.attribute())
	switch p.Kind {
	case engine.Another:
		return say.ErrorAt(ctx, at, "issuance.another", text.With{
			"label": about.label, "id": about.id, "status": about.status, "thing": t.Thing, "name": t.Name,
			"differences": t.Differences(p.Differences), "refused": p.Refused, "sent": p.Sent,
		})
	case engine.Several:
		return say.ErrorAt(ctx, at, "issuance.several", text.With{
			"label": about.label, "thing": t.Thing, "name": t.Name, "found": Found(p), "sent": p.Sent,
		})
	case engine.Misnamed:
		return say.ErrorAt(ctx, at, "issuance.misnamed", text.With{
			"label": about.label, "id": about.id, "thing": t.Thing, "name": t.Name, "held": p.Name, "record": p.Record,
		})
	default:
		return message.ProviderBug("a problem without words: %s", p)
	}
}

// attribute has the name.
func (t *Terms) attribute() string {
	if t.Thing == Order {
		return "transaction_id"
	}
	return "integration_id"
}

// Found lists several invoices or orders under one name.
func Found(p *engine.Problem) (list []string) {
	for _, v := range p.Found {
		list = append(list, fmt.Sprintf("id %s (%s)", v.ID, v.Status))
	}
	for _, order := range p.Orders {
		list = append(list, fmt.Sprintf("id %s (%s)", order.ID, order.Status))
	}
	return list
}

// Differences say in what the invoice or the order of a configuration differs from that of the service.
func (t *Terms) Differences(differ []engine.Difference) (list []text.Text) {
	for _, d := range differ {
		list = append(list, text.Of("issuance.difference", text.With{
			"part": d.Of, "wanted": d.Wanted, "held": d.Held, "thing": t.Thing,
		}))
	}
	return list
}

// otherCause is why a run ended, unless its time was over or somebody interrupted it.
func otherCause(err error) text.Text {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return text.Text{}
	}
	return message.Cause(err)
}

// failures are the error of a request, and that of the last read unless it says the same.
func failures(err, lastRead error) (failure, look text.Text) {
	if err != nil && lastRead != nil && err.Error() == lastRead.Error() {
		lastRead = nil
	}
	return message.Cause(err), message.Cause(lastRead)
}

// Note warns of an event that did not end a run.
func (t *Terms) Note(ctx context.Context, n engine.Event) diag.Diagnostics {
	switch n.Kind {
	case engine.InContingency:
		return nil // The configuration accepts it.
	case engine.IssuerUnknown:
		return say.Warning(ctx, "issuance.issuer_unknown", nil)
	case engine.NoList:
		failure, _ := errors.AsType[*einvoice.Error](n.Err) // It is one.
		return say.Warning(ctx, "issuance.no_list", text.With{
			"document": message.DocumentNames[n.Model], "operation": failure.Missing, "variable": message.EnvCacheDir,
		})
	case engine.JournalUnwritable:
		_, isDatabase := errors.AsType[*journal.UnavailableError](n.Err)
		return say.Warning(ctx, "issuance.unwritable", text.With{
			"database": isDatabase, "cause": message.Cause(n.Err), "variable": message.EnvCacheDir,
		})
	default:
		return message.ProviderBug("a note without words: %s", n.Kind)
	}
}
