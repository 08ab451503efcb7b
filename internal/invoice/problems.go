package invoice

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Terms are those in which a front speaks of an invoice. What may happen to any
// invoice is worded here; what happens only to some is worded by their fronts.
// Summaries name the invoice: a CLI folds diagnostics with the same summary and
// shows only one of them.
type Terms struct {
	message.Front
	Thing, ID string // what a next run finds the invoice by: an order, by its transaction_id
	Value     string // of the ID
	Timeouts  string // what can be done about them, where there are any
	Forget    string // how the invoice leaves the state without being canceled, where it is in one
	// Rejected says why an invoice was rejected, what to do, and what becomes of it.
	Rejected func(code string, v *einvoice.Invoice) string
}

// Label names an invoice for a person; v is nil where there is none yet.
func (t *Terms) Label(model string, v *einvoice.Invoice) string {
	if v == nil {
		v = &einvoice.Invoice{}
	}
	return message.InvoiceLabel(model, t.Value, attribute.IntOrNull(v.Number))
}

// Problem words a problem that any invoice may have.
func (t *Terms) Problem(p *engine.Problem) diag.Diagnostics {
	v := p.Invoice
	label := t.Label(p.Model, v)
	switch p.Kind {
	case engine.RequestFailed:
		return t.requestFailed(p)
	case engine.Unrecorded:
		return message.Unrecorded(label, p.Cause, t.Again)
	case engine.BeingCanceled:
		return message.Error("Being canceled: "+label, fmt.Sprintf("Another block destroys it and cancels it just now (id %s). It was not taken over.", v.ID),
			"Rename a block with a `moved` block, which cancels nothing. Choose a new "+t.ID+" to issue another one.")
	case engine.Interrupted:
		state := "What became of it is not known."
		if v != nil && v.ID != "" {
			state = fmt.Sprintf("The service holds it as %s with status %q.", v.ID, v.Status)
		}
		return message.Error("Interrupted while issuing "+label, WhyEnded(p.Cause)+" "+state,
			fmt.Sprintf("%s: it looks the %s up by its %s and goes on from there; nothing is issued twice.", t.Again, t.Thing, t.ID))
	case engine.TimedOut:
		happened := fmt.Sprintf("Its status is still %q at the service (id %s).", v.Status, v.ID) + message.LastWord(v.ProcessingDetail)
		happened += said(" The last request about it failed: ", cmp.Or(p.LastCheck, p.Unanswered)) + said(" The last look at it failed: ", p.LastLook)
		return message.Error("Still in progress: "+label, happened,
			fmt.Sprintf("%s to go on waiting: it finds the %s by its %s, and nothing is issued twice.%s", t.Again, t.Thing, t.ID, t.Timeouts))
	case engine.Rejected:
		summary, code := label+" was rejected", engine.RejectionCode(v)
		if code != "" {
			summary += ": " + code
		}
		return message.Error(summary, message.CodeAndMessage(v.ProcessingDetail), t.Rejected(message.ExplainedCode(v.ProcessingDetail), v))
	case engine.Ended:
		happened := fmt.Sprintf("The service holds it with status %q (id %s).", v.Status, v.ID)
		if d := v.ProcessingDetail; d != nil && d.Message != "" {
			happened += " " + message.CodeAndMessage(d)
		}
		next := "An invoice in this status cannot be issued again. Choose a new " + t.ID + " to issue another one."
		if string(v.Status) == einvoice.StatusDenied {
			// Since 2024 the authorities deny nothing: what looks so may still be sent under its number.
			next = "First ask the service's support whether it sends this invoice again: since 2024 a denial is a rejection, after which " +
				"the same number is sent. Only if it does not, choose a new " + t.ID + " to issue another one."
		}
		return message.Error(fmt.Sprintf("%s is %s", label, v.Status), happened, next)
	case engine.OtherCompany:
		if v == nil {
			return message.OtherCompanysKey(label, p.Issuer, p.Holder)
		}
		return message.OtherIssuer(label, "invoice", string(v.ID), string(v.Status), p.Issuer, p.Holder, p.Sent)
	default:
		return diag.Diagnostics{message.ProviderBug("a problem without words: %s", p)}
	}
}

// requestFailed is a request that the service refused or that did not reach it.
func (t *Terms) requestFailed(p *engine.Problem) diag.Diagnostics {
	summary := fmt.Sprintf("Cannot %s: %s", p.Request, t.Label(p.Model, nil))
	var failure *einvoice.Error
	if !errors.As(p.Cause, &failure) {
		return message.Error(summary, message.SentenceCase(message.Reason(p.Cause)))
	}
	what := t.Advice(p.Cause)
	if errors.Is(p.Cause, einvoice.ErrBadRequest) {
		what = "Nothing was changed, and the configuration is not the cause. If it lasts, ask the service's support."
	}
	if what != "" && !errors.Is(p.Cause, einvoice.ErrForbidden) {
		what += fmt.Sprintf(" %s is safe: the %s is looked up by its %s first.", t.Running, t.Thing, t.ID)
	}
	return message.Error(summary, message.RefusalWords(failure), what, message.Reference(failure))
}

// WhyEnded says why a run ended before its work was done.
func WhyEnded(cause error) string {
	switch {
	case errors.Is(cause, context.DeadlineExceeded):
		return "The time for it was over."
	case errors.Is(cause, context.Canceled):
		return "The run was interrupted."
	}
	return "The run was ended: " + message.Reason(cause)
}

// said quotes an error, if there is one.
func said(what string, err error) string {
	if err == nil {
		return ""
	}
	return what + message.Reason(err)
}

// Note words what did not keep a run from its end.
func (t *Terms) Note(n engine.Event) diag.Diagnostic {
	switch n.Kind {
	case engine.InContingency:
		return diag.NewWarningDiagnostic(t.Label(n.Model, n.Invoice)+" is in contingency",
			"It is valid. The service transmits it later for its definitive authorization; until then it cannot be canceled. If it is rejected then, a later plan shows that.")
	case engine.JournalUnwritable:
		if down := (*journal.UnavailableError)(nil); errors.As(n.Err, &down) {
			return diag.NewWarningDiagnostic("Cannot write to the coordination database", "Recording there what came of a request failed: "+message.Reason(down)+
				" The next run that asks for the same looks for it at the service first.")
		}
		return diag.NewWarningDiagnostic("Cannot write the journal of issued invoices", "It cannot be written: "+message.Reason(n.Err)+
			" It remembers on this machine what was sent, because the service may list an invoice late. Free space, or set "+message.EnvCacheDir+" to a writable directory.")
	default:
		return message.ProviderBug("a note without words: %s", n.Kind)
	}
}

// LogChanges logs each status of an invoice that is waited for and has the id.
func LogChanges(ctx context.Context, id, value string) func(engine.Event) {
	return func(e engine.Event) {
		if e.Kind == engine.StatusChanged {
			tflog.Info(ctx, "Invoice changed its status", map[string]any{
				"model": e.Model, id: value, "id": string(e.Invoice.ID), "from": string(e.Previous.Status), "to": string(e.Invoice.Status),
			})
		}
	}
}

// CancelProblem words why an invoice was not canceled.
func (t *Terms) CancelProblem(p *engine.Problem) diag.Diagnostics {
	v, label := p.Invoice, t.Label(p.Model, p.Invoice)
	stays := ""
	if t.Forget != "" {
		stays = "The invoice stays in state. "
	}
	switch p.Kind {
	case engine.RequestFailed:
		return t.cancelFailed(p)
	case engine.NotCancelable:
		if string(v.Status) == einvoice.StatusInContingent {
			return message.Error("Cannot cancel "+label+" in contingency",
				fmt.Sprintf("The service holds it with status %q (id %s). An invoice in contingency cannot be canceled until its definitive authorization.", v.Status, v.ID),
				t.Again+" after it is authorized."+t.Forget)
		}
		return message.Error("Cannot cancel "+label+" yet", fmt.Sprintf("Its status at the service is %q (id %s); only an authorized invoice can be canceled.", v.Status, v.ID),
			t.Again+" when it is settled."+t.Forget)
	case engine.CancellationRefused:
		return message.Error("Cancellation refused: "+label, message.CodeAndMessage(v.ProcessingDetail), t.kept("The invoice stays authorized", " and in state")+
			" The legal periods for canceling are short: commonly 24 hours for an NF-e, 30 minutes for an NFC-e, by city for an NFS-e."+t.Forget)
	case engine.AnswerLost:
		return message.Error("Answer to a cancellation lost: "+label,
			fmt.Sprintf("No usable answer came (%s), and the status at the service is still %q (id %s).", message.Clause(p.Cause), v.Status, v.ID),
			stays+t.Again+": it looks first, follows a cancellation that is in processing, and sends another one only if there is none.")
	case engine.TimedOut, engine.Interrupted:
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
func (t *Terms) cancelFailed(p *engine.Problem) diag.Diagnostics {
	task := p.Request
	if task == engine.Read {
		task = engine.Cancel
	}
	summary := fmt.Sprintf("Cannot %s: %s", task, t.Label(p.Model, p.Invoice))
	var failure *einvoice.Error
	if !errors.As(p.Cause, &failure) {
		return message.Error(summary, message.SentenceCase(message.Reason(p.Cause)))
	}
	what := t.Advice(p.Cause)
	switch {
	case engine.Mentions(p.Cause, fiscal.CodeQueued):
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

// WhoSentSeveral tells whether this run has sent one of several invoices or orders
// under one name.
func WhoSentSeveral(sent bool) string {
	if sent {
		return "This run sent one of them. Another run, which does not share its cache directory, sent the other about the same time."
	}
	return "Nothing was sent."
}
