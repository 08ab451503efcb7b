package issuance

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// CancelProblem words why an invoice, or the invoices of an order, were not canceled.
func (t *Terms) CancelProblem(p *engine.Problem) diag.Diagnostics {
	v, about := p.Invoice, t.subjectOf(p)
	stays := ""
	if t.Forget != "" {
		stays = "The invoice stays in state. "
	}
	held := fmt.Sprintf("The service has the invoice with status %q (id %s).", about.status, about.id)
	switch p.Kind {
	case engine.RequestFailed:
		return t.cancelRequestFailed(p, stays)
	case engine.TakenOver:
		return diag.Diagnostics{diag.NewWarningDiagnostic("Not canceled: another block has "+about.label,
			"Another block has taken it over. The cancellation that the plan announced was not sent: the destroy only "+
				"removed it from the state of this block. Use a `moved` block to rename a block.")}
	case engine.NotAsPlanned:
		planned := "The plan did not know it."
		if status := t.Planned(v); status != "" {
			planned = fmt.Sprintf("The plan was made for an invoice with status %q.", status)
		}
		return message.Error("Not destroyed: the status of "+about.label+" has changed", fmt.Sprintf(
			"%s %s Nothing was sent for it, and the %s stays in state.", planned, held, t.Thing),
			"Plan again: the new plan says what a destroy does now.")
	case engine.NotCancelable:
		if about.status == einvoice.StatusInContingent {
			return message.Error("Cannot cancel "+about.label+" in contingency",
				held+" An invoice in contingency cannot be canceled before its final authorization.",
				t.Again+" after it is authorized."+t.Forget)
		}
		return message.Error("Cannot cancel "+about.label+" yet",
			held+" It is in progress, and only an authorized invoice can be canceled.",
			t.Again+" after it is authorized."+t.Forget)
	case engine.CancellationRefused:
		return message.Error("Cancellation refused: "+about.label, message.CodeAndMessage(v.ProcessingDetail),
			stays+"It is still authorized. The legal periods for canceling are short: usually 24 hours for an NF-e and 30 "+
				"minutes for an NFC-e. For an NFS-e, the city decides."+t.Forget)
	case engine.AnswerLost:
		return message.Error("Response to a cancellation lost: "+about.label,
			fmt.Sprintf("No usable response came (%s). %s", message.Clause(p.Cause), held), stays+t.Again+
				": it reads the status first, waits for a cancellation in progress, and sends another one only if "+
				"there is none.")
	case engine.TimedOut, engine.Interrupted:
		if v != nil { // Otherwise it had not begun.
			return t.stillCanceling(p, held)
		}
	default:
	}
	return t.Problem(p)
}

func (t *Terms) stillCanceling(p *engine.Problem, held string) diag.Diagnostics {
	happened := "The cancellation has begun. " + held +
		message.LastStepOf(p.Invoice.ProcessingDetail) +
		quoteErrors(" The response to the cancellation was lost: ", p.Unanswered, p.LastLook)
	if !errors.Is(p.Cause, context.DeadlineExceeded) {
		happened += " The run was interrupted."
	}
	return message.Error("Cancellation still in progress: "+t.subjectOf(p).label, happened,
		t.Again+": it reads the status first, and continues.")
}

func (t *Terms) cancelRequestFailed(p *engine.Problem, stays string) diag.Diagnostics {
	task := p.Request
	if task == engine.Read {
		task = engine.Cancel
	}
	refused := "Nothing was canceled. " + stays
	if engine.Mentions(p.Cause, fiscal.CodeQueued) {
		refused += t.Again + " when the service has processed it."
	}
	refused = strings.TrimSpace(refused) + t.Forget
	safe := fmt.Sprintf(" %s%s is safe: it looks at the invoice first.", stays, t.Running)
	return t.failedRequest(p, fmt.Sprintf("Cannot %s: %s", task, t.Label(p.Model, p.Invoice)), refused, safe)
}
