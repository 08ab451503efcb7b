package invoice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
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
	At        string // where what is wanted stands: "`payload_json`" or "the configuration"
	// Rejected says why an invoice was rejected, what to do, and what becomes of it.
	Rejected func(code string, v *einvoice.Invoice) string
	// Planned is the status that the plan of a destroy knew of an invoice, "" for none.
	Planned func(v *einvoice.Invoice) string
}

// Label names an invoice for a person; v is nil where there is none yet.
func (t *Terms) Label(model string, v *einvoice.Invoice) string {
	if v == nil {
		v = &einvoice.Invoice{}
	}
	return message.InvoiceLabel(model, t.Value, attribute.IntOrNull(v.Number))
}

// about names what a problem is about, an invoice or an order, and says as what the
// service holds it: its id and status, "" where it was not seen.
func (t *Terms) about(p *engine.Problem) (label, id, status string) {
	switch v, order := p.Invoice, p.Order; {
	case p.Model == "" && order != nil:
		return "order " + t.Value, string(order.ID), string(order.Status)
	case p.Model == "":
		return "order " + t.Value, "", ""
	case v != nil:
		return t.Label(p.Model, v), string(v.ID), string(v.Status)
	}
	return t.Label(p.Model, nil), "", ""
}

// thing is what a problem is about.
func (t *Terms) thing(p *engine.Problem) string {
	if p.Model != "" {
		return "invoice"
	}
	return t.Thing
}

// atName is an error on the attribute that names the sale.
func (t *Terms) atName(summary string, texts ...string) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(strings.Trim(t.ID, "`")), summary, message.Paragraphs(texts...))}
}

// Problem words a problem that any invoice or order may have.
func (t *Terms) Problem(p *engine.Problem) diag.Diagnostics {
	v := p.Invoice
	label, id, status := t.about(p)
	switch p.Kind {
	case engine.RequestFailed:
		return t.requestFailed(p)
	case engine.Unrecorded:
		return message.Unrecorded(label, p.Cause, t.Again)
	case engine.BeingCanceled:
		return message.Error("Being canceled: "+label, fmt.Sprintf("Another block destroys it and cancels it just now (id %s). It was not taken over.", id),
			"Rename a block with a `moved` block, which cancels nothing. Choose a new "+t.ID+" to issue another one.")
	case engine.Interrupted:
		state := "What became of it is not known."
		if id != "" {
			state = fmt.Sprintf("The service holds it as %s with status %q.", id, status)
		}
		return message.Error("Interrupted while issuing "+label, whyEnded(p.Cause)+" "+state,
			fmt.Sprintf("%s: it looks the %s up by its %s and goes on from there; nothing is sent twice.", t.Again, t.Thing, t.ID))
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
	case engine.OtherEnvironment, engine.EnvironmentUnknown:
		return environmentProblem(label, p)
	case engine.OtherCompany:
		if id == "" {
			return message.OtherCompanysKey("issuer", label, p.Issuer, p.Holder)
		}
		return message.OtherIssuer(label, t.thing(p), id, status, p.Issuer, p.Holder, p.Sent)
	default:
		return t.nameProblem(p)
	}
}

// nameProblem words what a look by the name of the sale has found.
func (t *Terms) nameProblem(p *engine.Problem) diag.Diagnostics {
	label, id, status := t.about(p)
	switch p.Kind {
	case engine.AnswerLost:
		listed := "the service does not list it"
		if id != "" {
			listed = fmt.Sprintf("the service still lists only %s with status %q", id, status)
		}
		return message.Error("Answer lost: "+label,
			fmt.Sprintf("The request was sent, but its answer did not arrive (%s), and after %s %s.", message.Clause(p.Cause), p.LookedFor.Round(time.Second), listed),
			fmt.Sprintf("%s %s: it looks the %s up first, and sends it again only if it is not there by then.", message.Sent(p.Repetitions), t.Again, t.Thing))
	case engine.Unlisted:
		return t.unlisted(p)
	case engine.Another:
		sent := "Nothing was sent."
		switch {
		case p.Refused:
			sent = "The service refused what this run sent, because that one is authorized."
		case p.Sent:
			sent = "What this run sent was not answered."
		}
		return t.atName(fmt.Sprintf("Another %s has this %s: %s", t.thing(p), strings.Trim(t.ID, "`"), label),
			fmt.Sprintf("The service holds an %s under %q (id %s, status %q) that is not this one: %s.", t.thing(p), t.Value, id, status, shown(t.At, p.Differences)),
			fmt.Sprintf("%s Choose another %s, or correct %s when they are meant to be the same sale.", sent, t.ID, t.At))
	case engine.Several:
		sent := "Nothing was sent."
		if p.Sent {
			sent = "This run sent one of them. Another run, which does not share its cache directory, sent the other about the same time."
		}
		return t.atName(fmt.Sprintf("Several %ss have this %s: %s", t.thing(p), strings.Trim(t.ID, "`"), label), fmt.Sprintf("The service holds %s under %q.", listed(p), t.Value),
			sent+" Find out which one is right and cancel the other, where the law allows it. Then apply again: the one that is left is taken into state.")
	case engine.Misnamed:
		return t.atName(fmt.Sprintf("The service has mixed up %ss: %s", t.thing(p), label),
			fmt.Sprintf("It answered what this run sent under %q with the %s %s, which has the name %q. Nothing of that is kept in state.", t.Value, t.thing(p), id, p.Name),
			t.Again+": it looks for this sale by its "+t.ID+", and sends it again only where it shows nowhere.")
	default:
		return diag.Diagnostics{message.ProviderBug("a problem without words: %s", p)}
	}
}

// unlisted is a sale in doubt at a service that has no list to look it up in.
func (t *Terms) unlisted(p *engine.Problem) diag.Diagnostics {
	label, _, _ := t.about(p)
	happened := "An earlier run has sent it, or may have, and nothing shows what became of it."
	if p.Sent {
		happened = "It was sent, and its answer did not arrive or cannot be used (" + message.Clause(p.Cause) + ")."
	}
	unshown := "The service has no list to look it up in."
	next := "import it by `MODEL/ID`, such as `" + p.Model + "/ID`."
	if p.Model == "" {
		unshown = "No list of the service shows it, neither by itself nor as the order of an invoice."
		next = "and its invoices are listed by now, apply again: it is adopted. Where the service reads orders, it " +
			"can also be imported by its id. Otherwise remove the block from the configuration: the sale is recorded, and " +
			"the data source `einvoice_invoice` reads its invoices."
	}
	return message.Error("It is not known whether this exists: "+label,
		happened+" "+unshown+" Nothing was sent again, and no run sends it again by itself.",
		"Look for it in the service's back office. If it is there, "+next+" If it certainly is not there, remove its "+
			"record and apply again: "+p.Record+".")
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

// listed are several invoices or orders under one name.
func listed(p *engine.Problem) string {
	var list []string
	for _, v := range p.Found {
		list = append(list, fmt.Sprintf("%s (%s)", v.ID, v.Status))
	}
	for _, order := range p.Orders {
		list = append(list, fmt.Sprintf("%s (%s)", order.ID, order.Status))
	}
	return strings.Join(list, " and ")
}

// shown says in what the invoice or the order of a configuration differs from that of the
// service.
func shown(at string, differ []engine.Difference) string {
	var list []string
	for _, d := range differ {
		in := at
		if d.Of == "model" {
			in = "the configuration"
		}
		list = append(list, fmt.Sprintf("%s: %s in %s, %s at the service", d.Of, d.Wanted, in, d.Held))
	}
	return strings.Join(list, "; ")
}

// whyEnded says why a run ended before its work was done.
func whyEnded(cause error) string {
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
	case engine.NoList:
		return noList(n)
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

// noList warns that nothing but the journal knows what was sent.
func noList(n engine.Event) diag.Diagnostic {
	things, failure := "orders", (*einvoice.Error)(nil)
	if n.Model != "" {
		things = message.DocumentNames[n.Model]
	}
	_ = errors.As(n.Err, &failure) // It is one.
	return diag.NewWarningDiagnostic("The service does not list "+things, fmt.Sprintf(
		"It does not have the operation `%s`. What the journal does not know is sent once, without a look at the service first: keep %s, or use `coordination_url`. "+
			"After a lost answer the run ends with an error, and nothing is sent again.", failure.Missing, message.EnvCacheDir))
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

// CancelProblem words why an invoice, or the invoices of an order, were not canceled.
func (t *Terms) CancelProblem(p *engine.Problem) diag.Diagnostics {
	v := p.Invoice
	label, id, status := t.about(p)
	stays := ""
	if t.Forget != "" {
		stays = "The invoice stays in state. "
	}
	switch p.Kind {
	case engine.RequestFailed:
		return t.cancelFailed(p)
	case engine.TakenOver:
		return diag.Diagnostics{diag.NewWarningDiagnostic("Not canceled: another block has "+label,
			"Another block has taken it over, so that the one that was destroyed only forgets it. Use a `moved` block to rename a block.")}
	case engine.NotAsPlanned:
		was := "The plan did not know it"
		if planned := t.Planned(v); planned != "" {
			was = fmt.Sprintf("The plan was made for an invoice with status %q", planned)
		}
		return message.Error("Not destroyed: the status of "+label+" has changed", fmt.Sprintf(
			"%s, and the service now holds it with status %q (id %s). Nothing was sent for it, and the %s stays in state.", was, status, id, t.Thing),
			"Plan again: the new plan says what a destroy does now.")
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
		if v == nil {
			break // It had not begun.
		}
		happened := fmt.Sprintf("The cancellation is under way, and the status at the service is still %q (id %s).", status, id) +
			said(" The answer to the cancellation was lost: ", p.Unanswered) + message.LastWord(v.ProcessingDetail) + said(" The last look at it failed: ", p.LastLook)
		if !errors.Is(p.Cause, context.DeadlineExceeded) {
			happened += " The run was interrupted."
		}
		return message.Error("Cancellation still in progress: "+label, happened, t.Again+": it looks first, and goes on from there.")
	default:
	}
	return t.Problem(p)
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
