package invoice

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// CancelProblem words why an invoice was not canceled.
func (t *Terms) CancelProblem(p *issuing.Problem) diag.Diagnostics {
	v, label := p.Invoice, t.Label(p.Model, p.Invoice)
	stays := ""
	if t.Forget != "" {
		stays = "The invoice stays in state. "
	}
	switch p.Kind {
	case issuing.RequestFailed:
		return t.cancelFailed(p)
	case issuing.NotCancelable:
		if string(v.Status) == einvoice.StatusInContingent {
			return message.Error("Cannot cancel "+label+" in contingency",
				fmt.Sprintf("The service holds it with status %q (id %s). An invoice in contingency cannot be canceled until its definitive authorization.", v.Status, v.ID),
				t.Again+" after it is authorized."+t.Forget)
		}
		return message.Error("Cannot cancel "+label+" yet", fmt.Sprintf("Its status at the service is %q (id %s); only an authorized invoice can be canceled.", v.Status, v.ID),
			t.Again+" when it is settled."+t.Forget)
	case issuing.CancellationRefused:
		return message.Error("Cancellation refused: "+label, message.CodeAndMessage(v.ProcessingDetail), t.kept("The invoice stays authorized", " and in state")+
			" Legal windows are short, commonly 24 hours for an NF-e, 30 minutes for an NFC-e, by city for an NFS-e."+t.Forget)
	case issuing.AnswerLost:
		return message.Error("Answer to a cancellation lost: "+label,
			fmt.Sprintf("No usable answer came (%s), and the status at the service is still %q (id %s).", Cause(p.Cause), v.Status, v.ID),
			stays+t.Again+": it looks first, follows a cancellation that is in processing, and sends another one only if there is none.")
	case issuing.TimedOut, issuing.Interrupted:
		happened := fmt.Sprintf("The cancellation is under way, and the status at the service is still %q (id %s).", v.Status, v.ID) +
			said(" The answer to the cancellation was lost: ", p.Unanswered) + message.LastWord(v.ProcessingDetail) + said(" The last look at it failed: ", p.LastLook)
		if !errors.Is(p.Cause, context.DeadlineExceeded) {
			happened += " The run was interrupted."
		}
		return message.Error("Cancellation still in progress: "+label, happened, t.Again+": it looks first, and goes on from there.")
	default:
		return t.Problem(p)
	}
}

// cancelFailed is a request about a cancellation that the service refused, or
// that did not reach it.
func (t *Terms) cancelFailed(p *issuing.Problem) diag.Diagnostics {
	task := p.Request
	if task == issuing.Read {
		task = issuing.Cancel
	}
	summary := fmt.Sprintf("Cannot %s: %s", task, t.Label(p.Model, p.Invoice))
	var failure *einvoice.Error
	if !errors.As(p.Cause, &failure) {
		return message.Error(summary, message.Sentence(p.Cause.Error()))
	}
	what := t.Advice(p.Cause)
	switch {
	case issuing.Mentions(p.Cause, fiscal.CodeQueued):
		what = t.kept("The invoice stays as it is", ", and in state") + " " + t.Again + " when it is settled." + t.Forget
	case errors.Is(p.Cause, einvoice.ErrBadRequest):
		what = t.kept("The invoice stays as it is", ", and in state") + t.Forget
	case what != "" && !errors.Is(p.Cause, einvoice.ErrForbidden):
		if t.Forget != "" {
			what += " The invoice stays in state."
		}
		what += " " + t.Running + " is safe: it looks at the invoice first."
	}
	return message.Error(summary, message.RefusalWords(failure), what, message.Reference(failure))
}

// kept ends a sentence about what becomes of an invoice that is not canceled.
func (t *Terms) kept(sentence, inState string) string {
	if t.Forget == "" {
		inState = ""
	}
	return sentence + inState + "."
}
