package issuance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Terms are the words of one context for an invoice or an order: the block or action that
// the reader ran. Problems that every invoice may have are worded here. Summaries name the
// invoice, because a CLI folds diagnostics with the same summary and shows only one.
type Terms struct {
	message.Front
	Thing, ID string // "invoice", `integration_id`: what the next run finds it by
	Value     string // of the ID
	Timeouts  string // what can be done about a timeout; "" for nothing
	Forget    string // how to remove the invoice from state without canceling it; "" if it is in no state
	At        string // where what is wanted stands: "`payload_json`" or "the configuration"
	// Rejected says why an invoice was rejected, what to do, and what becomes of it.
	Rejected func(code string, v *einvoice.Invoice) string
	// Planned is the status that the plan of a destroy knew of an invoice, "" for none.
	Planned func(v *einvoice.Invoice) string
}

// Label names an invoice for a person; v is nil if there is none yet.
func (t *Terms) Label(model string, v *einvoice.Invoice) string {
	if v == nil {
		v = &einvoice.Invoice{}
	}
	return message.InvoiceLabel(model, t.Value, attribute.IntOrNull(v.Number))
}

// subject is what a problem is about: an invoice, or an order if it names no model.
type subject struct{ thing, label, id, status string } // id and status are "" if nobody saw it

func (t *Terms) subjectOf(p *engine.Problem) subject {
	about := subject{thing: "invoice", label: t.Label(p.Model, p.Invoice)}
	switch v, order := p.Invoice, p.Order; {
	case p.Model == "":
		about.thing, about.label = t.Thing, "order "+t.Value
		if order != nil {
			about.id, about.status = string(order.ID), string(order.Status)
		}
	case v != nil:
		about.id, about.status = string(v.ID), string(v.Status)
	}
	return about
}

// Problem words a problem that any invoice or order may have.
func (t *Terms) Problem(p *engine.Problem) diag.Diagnostics {
	about := t.subjectOf(p)
	switch p.Kind {
	case engine.RequestFailed:
		return t.failedRequest(p, fmt.Sprintf("Cannot %s: %s", p.Request, t.Label(p.Model, nil)),
			"Nothing was changed, and the configuration is not the cause. "+
				"If it lasts, ask the service's support."+t.safe(p),
			t.safe(p))
	case engine.Unrecorded:
		return message.Unrecorded(about.label, p.Cause, t.Again)
	case engine.BeingCanceled:
		return message.Error("Being canceled: "+about.label, fmt.Sprintf(
			"Another block is destroying it, which cancels it (id %s). So this block did not adopt it.", about.id),
			"To rename a block, use a `moved` block: it cancels nothing. To issue another invoice, use a new "+t.ID+".")
	case engine.Interrupted:
		state := "The status of the invoice is not known."
		if about.id != "" {
			state = fmt.Sprintf("The service has the invoice with status %q (id %s).", about.status, about.id)
		}
		return message.Error("Interrupted while issuing "+about.label, whyEnded(p.Cause)+" "+state,
			t.Again+": "+t.again(p)+". Nothing is issued twice.")
	case engine.TimedOut:
		happened, support := fmt.Sprintf("Its status is still %q at the service (id %s).", about.status, about.id), ""
		timeouts := t.Timeouts
		if p.Queued && about.status == einvoice.StatusRejected {
			happened = fmt.Sprintf("The service shows it as rejected (id %s), but answers check-status with HTTP 400: still "+
				"queued. A queued invoice may still be authorized, so nothing was sent again.", about.id)
			support = "If that lasts, ask the service's support why check-status fails for this invoice. "
			timeouts = "" // It is not waited for longer.
		} else if fiscal.IsTransient(engine.RejectionCode(p.Invoice)) {
			happened += " This is a temporary error of the service and not a rejection by the authority: the payload " +
				"needs no correction."
		}
		return message.Error("Still in progress: "+about.label, happened+
			message.LastStepOf(p.Invoice.ProcessingDetail)+
			quoteErrors(" The last request about it failed: ", cmp.Or(p.LastCheck, p.Unanswered), p.LastLook),
			support+t.Again+": "+t.again(p)+". Nothing is issued twice."+timeouts)
	case engine.Rejected:
		summary, detail := about.label+" was rejected", p.Invoice.ProcessingDetail
		if code := engine.RejectionCode(p.Invoice); code != "" {
			summary += ": " + code
		}
		remedy := t.Rejected(message.ExplainedCode(detail), p.Invoice)
		return message.Error(summary, message.CodeAndMessage(detail), remedy)
	case engine.Ended:
		return t.ended(p)
	case engine.OtherEnvironment, engine.EnvironmentUnknown:
		return environmentProblem(about.label, p)
	case engine.OtherCompany:
		if about.id == "" {
			return message.OtherCompanysKey("issuer", about.label, p.Issuer, p.Owner)
		}
		return message.OtherIssuer(about.label, about.thing, about.id, about.status, p.Issuer, p.Owner, p.Sent)
	case engine.AnswerLost:
		return t.answerLost(p)
	case engine.Unlisted:
		return t.unlisted(p)
	default:
		return t.nameProblem(p)
	}
}

// safe says that a run may be repeated.
func (t *Terms) safe(p *engine.Problem) string {
	if p.NoList {
		return fmt.Sprintf(" %s is safe: the journal knows what was sent, and nothing is sent twice.", t.Running)
	}
	return fmt.Sprintf(" %s is safe: the %s is looked up by its %s first.", t.Running, t.Thing, t.ID)
}

// again says what the next run does first.
func (t *Terms) again(p *engine.Problem) string {
	if p.NoList {
		return "it continues with what the journal knows about the " + t.Thing
	}
	return fmt.Sprintf("it finds the %s by its %s and continues", t.Thing, t.ID)
}

// failedRequest words a request that the service refused or that did not reach it. refused
// says what to do about a refusal of what was sent, safe that running again is safe.
func (t *Terms) failedRequest(p *engine.Problem, summary, refused, safe string) diag.Diagnostics {
	failure, ok := errors.AsType[*einvoice.Error](p.Cause)
	if !ok {
		return message.Error(summary, message.SentenceCase(message.Reason(p.Cause)))
	}
	next := t.Advice(p.Cause)
	switch {
	case errors.Is(p.Cause, einvoice.ErrBadRequest):
		next = refused
	case next != "" && !errors.Is(p.Cause, einvoice.ErrForbidden):
		next += safe
	}
	return message.Error(summary, message.RefusalWords(failure), next, message.Reference(failure))
}

// ended is an invoice that cannot become valid any more.
func (t *Terms) ended(p *engine.Problem) diag.Diagnostics {
	about, detail := t.subjectOf(p), p.Invoice.ProcessingDetail
	happened := fmt.Sprintf("The service has the invoice with status %q (id %s).", about.status, about.id)
	isCause := about.status != einvoice.StatusCanceled // Else it is about the cancellation.
	if isCause && detail != nil && detail.Message != "" {
		happened += " " + message.CodeAndMessage(detail)
	}
	next := "An invoice in this status cannot be issued again. To issue another one, use a new " + t.ID + "."
	if about.status == einvoice.StatusDenied {
		next = "Since 2024 the authorities reject instead of denying, and a rejected invoice may be sent again. Ask the " +
			"service's support whether it will send this one again. If not, issue another one under a new " + t.ID + "."
	}
	return message.Error(about.label+" is "+about.status, happened, next)
}

func (t *Terms) answerLost(p *engine.Problem) diag.Diagnostics {
	about, listed := t.subjectOf(p), "the service does not list it"
	if about.id != "" {
		listed = fmt.Sprintf("the service still lists only %s with status %q", about.id, about.status)
	}
	return message.Error("Response lost: "+about.label, fmt.Sprintf(
		"The request was sent, but no usable response came (%s). After %s, %s.",
		message.Clause(p.Cause), p.LookedFor.Round(time.Second), listed), fmt.Sprintf(
		"%s%s %s: it looks up the %s first, and sends it again only if it finds nothing.",
		message.Sent(p.Repetitions), notProof(p.Cause), t.Again, t.Thing))
}

// notProof is about an answer that is no certain refusal, "" for none.
func notProof(err error) string {
	var failure *einvoice.Error
	if !errors.As(err, &failure) || failure.Status < 400 || failure.Status >= 500 {
		return ""
	}
	return fmt.Sprintf(" HTTP %d does not prove that nothing was done. If it names a value of the configuration, "+
		"correct the value first.", failure.Status)
}

// nameProblem words what a look-up by the name of the sale has found.
func (t *Terms) nameProblem(p *engine.Problem) diag.Diagnostics {
	about, name := t.subjectOf(p), strings.Trim(t.ID, "`")
	sent := "Nothing was sent."
	switch p.Kind {
	case engine.Another:
		switch {
		case p.Refused:
			sent = "The service refused what this run sent, because that one is authorized."
		case p.Sent:
			sent = "What this run sent was not answered."
		}
		return message.ErrorAt(name, fmt.Sprintf("Another %s has this %s: %s", about.thing, name, about.label), fmt.Sprintf(
			"The service holds an %s under %q (id %s, status %q) that is not this one: %s.",
			about.thing, t.Value, about.id, about.status, DifferencesText(t.At, p.Differences)), fmt.Sprintf(
			"%s If this is another sale, use another %s. If it is the same sale, correct %s; if the %s at the service is "+
				"wrong, cancel it before you use another %[2]s.", sent, t.ID, t.At, about.thing))
	case engine.Several:
		if p.Sent {
			sent = "This run sent one of them. Another run, which does not share its cache directory, sent the other " +
				"about the same time."
		}
		return message.ErrorAt(name, fmt.Sprintf("Several %ss have this %s: %s", about.thing, name, about.label),
			FoundText(p, t.Value), sent+" Find out which one is right and cancel the other, if the law allows "+
				"it. Then apply again: the provider adopts the one that is left.")
	case engine.Misnamed:
		if p.Record != "" {
			return message.ErrorAt(name, fmt.Sprintf("Issued under another name: %s", about.label), fmt.Sprintf(
				"The provider sent %q, and the service returned the %s %s, which has the same content and the name %q. "+
					"Nothing was sent again.", t.Value, about.thing, about.id, p.Name), fmt.Sprintf(
				"Look at it in the back office. If it is this sale, write the name that the service gives as %s. If it is "+
					"another sale, remove the record and apply again: %s.", t.ID, p.Record))
		}
		return message.ErrorAt(name, fmt.Sprintf("The service has mixed up %ss: %s", about.thing, about.label), fmt.Sprintf(
			"This run sent %q, and the service returned the %s %s, which has the name %q. "+
				"The state does not contain it.", t.Value, about.thing, about.id, p.Name),
			t.Again+": it looks for this sale by its "+t.ID+", and sends it again only if it finds none.")
	default:
		return diag.Diagnostics{message.ProviderBug("a problem without words: %s", p)}
	}
}

// unlisted is a sale in doubt at a service that has no list to look it up in.
func (t *Terms) unlisted(p *engine.Problem) diag.Diagnostics {
	happened := "An earlier run may have sent it, and nothing shows its result."
	if p.Sent {
		happened = "It was sent, but no usable response came (" + message.Clause(p.Cause) + ")."
	}
	unshown := "The service has no list to look it up in."
	next := "import it by `MODEL/ID`, such as `" + p.Model + "/ID`."
	if p.Model == "" {
		unshown, next = "Nothing shows it under its name.", "import it by its id."
	}
	return message.Error("It is not known whether this exists: "+t.subjectOf(p).label,
		happened+" "+unshown+" Nothing was sent again, and no run sends it again by itself.",
		"Look for it in the service's back office. If it is there, "+next+" If you are sure that it is still not there a "+
			"minute later, remove its record and apply again: "+p.Record+".")
}

// FoundText lists several invoices or orders under one name.
func FoundText(p *engine.Problem, name string) string {
	var list []string
	for _, v := range p.Found {
		list = append(list, fmt.Sprintf("id %s (%s)", v.ID, v.Status))
	}
	for _, order := range p.Orders {
		list = append(list, fmt.Sprintf("id %s (%s)", order.ID, order.Status))
	}
	return fmt.Sprintf("The service holds %d under %q: %s.", len(list), name, strings.Join(list, " and "))
}

// DifferencesText says in what the invoice or the order of a configuration differs from
// that of the service.
func DifferencesText(at string, differ []engine.Difference) string {
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
		return "The time for it (`timeouts`, or `timeout` of an action) was over."
	case errors.Is(cause, context.Canceled):
		return "The run was interrupted."
	}
	return "The run was ended: " + message.Reason(cause)
}

// quoteError is "" without an error.
func quoteError(before string, err error) string {
	if err == nil {
		return ""
	}
	return before + message.Reason(err)
}

// quoteErrors quotes the error of a request, and that of the last read unless it says the same.
func quoteErrors(before string, err, lastRead error) string {
	if err != nil && lastRead != nil && err.Error() == lastRead.Error() {
		lastRead = nil
	}
	return quoteError(before, err) + quoteError(" The last read failed: ", lastRead)
}

// Note words an event that did not end a run.
func (t *Terms) Note(n engine.Event) diag.Diagnostic {
	switch n.Kind {
	case engine.InContingency:
		return diag.NewWarningDiagnostic(t.Label(n.Model, n.Invoice)+" is in contingency",
			"It is valid. The service transmits it later for its final authorization. Until then it cannot be "+
				"canceled. If the authority rejects it, a later plan shows that.")
	case engine.IssuerUnknown:
		return diag.NewWarningDiagnostic("Nothing shows which company the API key belongs to",
			"Neither the invoices of this run nor the list of companies show it, so `issuer` could not be compared "+
				"with the company that issues. Check one of the invoices at the service.")
	case engine.NoList:
		things := "orders"
		if n.Model != "" {
			things = message.DocumentNames[n.Model]
		}
		failure, _ := errors.AsType[*einvoice.Error](n.Err) // It is one.
		return diag.NewWarningDiagnostic("The service does not list "+things, fmt.Sprintf(
			"It does not have the operation `%s`. The provider sends once what its journal does not know, and cannot "+
				"look it up first: keep %s, or use `coordination_url`. After a lost response, the run ends with an "+
				"error, and nothing is sent again.",
			failure.Missing, message.EnvCacheDir))
	case engine.JournalUnwritable:
		if down, ok := errors.AsType[*journal.UnavailableError](n.Err); ok {
			return diag.NewWarningDiagnostic("Cannot write to the coordination database",
				"The result of a request could not be recorded: "+message.Reason(down)+
					" The next run looks for it at the service first.")
		}
		return diag.NewWarningDiagnostic("Cannot write the journal of issued invoices", fmt.Sprintf(
			"The journal cannot be written: %s It records on this machine what was sent, because the service may list an "+
				"invoice late. Free some space, or set %s to a writable directory.",
			message.Reason(n.Err), message.EnvCacheDir))
	default:
		return message.ProviderBug("a note without words: %s", n.Kind)
	}
}
