package issuing

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Every text that issuing can end with. Summaries name the invoice: a CLI folds
// diagnostics with the same summary and shows only one of them.

func (i *Issuing) Label(v *einvoice.Invoice) string {
	if v == nil {
		return message.InvoiceLabel(i.Model, i.Known.Value, types.Int64Null())
	}
	return message.InvoiceLabel(i.Model, i.Known.Value, attribute.IntOrNull(v.Number))
}

// The requests that send what the configuration gives, at once or as a draft.
const (
	taskIssue      = "issue invoice"
	taskIssueDraft = "issue the draft"
)

// Failed is a request that the service refused or that did not reach it.
func (i *Issuing) Failed(task string, err error) diag.Diagnostics {
	summary := fmt.Sprintf("Cannot %s: %s", task, i.Label(nil))
	var failure *einvoice.Error
	if !errors.As(err, &failure) {
		return message.Error(summary, message.Sentence(err.Error()))
	}
	happened := message.RefusalWords(failure)
	what := message.Advice(err)
	switch {
	case errors.Is(err, einvoice.ErrBadRequest) && i.Payload != nil && (task == taskIssue || task == taskIssueDraft):
		what = "No invoice was issued. Correct `payload_json` and apply again, under the same `integration_id`."
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("payload_json"), summary, message.Paragraphs(happened, what, message.Reference(failure)))}
	case errors.Is(err, einvoice.ErrBadRequest):
		what = "The request changed nothing, and nothing that is configured is the cause. If it lasts, ask the service's support."
	}
	if what != "" && !errors.Is(err, einvoice.ErrForbidden) {
		name := i.Known
		what += fmt.Sprintf(" Running apply again is safe: the %s is looked up by its `%s` first.", name.Thing, name.Attribute)
	}
	return message.Error(summary, happened, what, message.Reference(failure))
}

// interrupted is a run that was ended from outside before the invoice was settled.
func (i *Issuing) interrupted(v *einvoice.Invoice, err error) diag.Diagnostics {
	state := "What became of it is not known."
	if v != nil && v.ID != "" {
		state = fmt.Sprintf("The service holds it as %s with status %q.", v.ID, v.Status)
	}
	name := i.Known
	return message.Error("Interrupted while issuing "+i.Label(v), state+" ("+strings.TrimSuffix(err.Error(), ".")+")",
		fmt.Sprintf("Run apply again: it looks the %s up by its `%s` and goes on from there; nothing is issued twice.", name.Thing, name.Attribute))
}

// timedOut is an invoice that did not settle while there was time.
func (i *Issuing) timedOut(v *einvoice.Invoice, err, failure error) diag.Diagnostics {
	if !errors.Is(err, context.DeadlineExceeded) {
		return i.interrupted(v, err)
	}
	happened := fmt.Sprintf("Its status is still %q at the service (id %s).", v.Status, v.ID)
	if p := v.ProcessingDetail; p != nil && (p.Code != "" || p.Message != "" || p.Status != "") {
		happened += " Last word of the processing: " + processingWord(p) + "."
	}
	if i.unanswered != nil {
		happened += " The last request about it failed: " + message.Sentence(i.unanswered.Error())
	}
	if failure != nil {
		happened += " The last look at it failed: " + message.Sentence(failure.Error())
	}
	name := i.Known
	return message.Error("Still in progress: "+i.Label(v), happened,
		fmt.Sprintf("Run apply again to go on waiting: it finds the %s by its `%s`, and nothing is issued twice. Raise `timeouts` when the authority is slow.", name.Thing, name.Attribute))
}

func processingWord(p *einvoice.ProcessingDetail) string {
	var parts []string
	for _, part := range []string{string(p.Status), string(p.Code), string(p.Message)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " · ")
}

// Dead is an invoice that ended otherwise than wanted.
func (i *Issuing) Dead(v *einvoice.Invoice) diag.Diagnostics {
	status := string(v.Status)
	if status != einvoice.StatusRejected {
		happened := fmt.Sprintf("The service holds it with status %q (id %s).", status, v.ID)
		if p := v.ProcessingDetail; p != nil && p.Message != "" {
			happened += " " + CodeAndMessage(p)
		}
		key := i.Known.Attribute
		return message.Error(fmt.Sprintf("%s is %s", i.Label(v), status), happened,
			fmt.Sprintf("An invoice in this status cannot be issued again. Choose a new `%s` to issue another one.", key))
	}
	code := RejectionCode(v)
	explained := fiscal.ExplainRejection(code)
	summary := i.Label(v) + " was rejected"
	if code != "" {
		summary += ": " + code
	}
	var happened string
	if p := v.ProcessingDetail; p != nil {
		happened = CodeAndMessage(p)
	} else {
		happened = "The service gives no reason."
	}
	key := i.Known.Attribute
	kind := fmt.Sprintf("Rejected by the %s, %s. %s", OriginName(explained.Origin), explained.Kind, message.Sentence(strings.ReplaceAll(explained.Action, "integration_id", key)))
	if i.Again != nil {
		return message.Error(summary, happened, kind, i.Again(v))
	}
	if i.inState {
		return message.Error(summary, happened, kind, fmt.Sprintf("State keeps what it had. The next plan shows the invoice (id %s) as rejected; a corrected `payload_json` is then sent in place.", v.ID))
	}
	return message.Error(summary, happened, kind,
		fmt.Sprintf("Nothing is kept in state. The next apply finds the rejected invoice (id %s) by its `integration_id` and goes on from there.", v.ID))
}

func OriginName(origin fiscal.RejectionOrigin) string {
	switch origin {
	case fiscal.OriginAuthority:
		return "tax authority"
	case fiscal.OriginService:
		return "service"
	default:
		return "service or the tax authority"
	}
}

// CodeAndMessage quotes the verdict verbatim.
func CodeAndMessage(p *einvoice.ProcessingDetail) string {
	code := string(p.Code)
	if code == "" {
		code = "without a code"
	}
	if p.Message == "" {
		return "Code " + code + ", without a message."
	}
	return fmt.Sprintf("Code %s. Message of the authority or service: %s", code, message.Sentence(string(p.Message)))
}

// adopted is an invoice that existed already and is what is wanted.
func (i *Issuing) adopted(v *einvoice.Invoice) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Adopted "+i.Label(v), fmt.Sprintf(
		"The service already held this invoice (id %s, status %q) under its `integration_id`; it was taken into state and nothing was issued.", v.ID, v.Status))
}

func (i *Issuing) refuseAdoption(v *einvoice.Invoice, differ []string) diag.Diagnostics {
	sent := "Nothing was sent."
	if i.posted {
		sent = "What this run sent was not answered."
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("integration_id"), "Another invoice has this integration_id: "+i.Label(v),
		message.Paragraphs(fmt.Sprintf("The service holds an invoice under %q (id %s, status %q) that is not this one: %s.", i.Known.Value, v.ID, v.Status, strings.Join(differ, "; ")),
			sent+" Choose another `integration_id`, or correct `payload_json` when they are meant to be the same invoice."))}
}

func (i *Issuing) severalFound(found []*einvoice.Invoice) diag.Diagnostics {
	var list []string
	for _, v := range found {
		list = append(list, fmt.Sprintf("%s (%s)", v.ID, v.Status))
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("integration_id"), "Several invoices have this integration_id: "+i.Label(nil),
		message.Paragraphs(fmt.Sprintf("The service holds %s under %q.", strings.Join(list, " and "), i.Known.Value),
			"Nothing was sent. Find out which one is right, import it as `"+i.Model+"/ID`, and cancel the other where the law allows it."))}
}

// answerLost is a POST that may have been processed, but shows nowhere.
func (i *Issuing) answerLost(found *einvoice.Invoice, lost error) diag.Diagnostics {
	listed := "the service does not list it"
	if found != nil {
		listed = fmt.Sprintf("the service still lists only %s with status %q", found.ID, found.Status)
	}
	return message.Error("Answer lost: "+i.Label(nil),
		fmt.Sprintf("The request was sent, but its answer did not arrive (%s), and after %s %s.", strings.TrimSuffix(lost.Error(), "."), i.Patience.Round(time.Second), listed),
		"Nothing was sent a second time. Run apply again: it looks the invoice up first, and issues it only if it still does not exist.")
}

func (i *Issuing) notMerged(previous, posted *einvoice.Invoice) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Two invoices under one integration_id: "+i.Label(posted), fmt.Sprintf(
		"The service made a new invoice (id %s) instead of correcting the %s one (id %s). State has the new one; the old one stays at the service.", posted.ID, previous.Status, previous.ID))
}

func UnwritableJournal(err error) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Cannot write the journal of issued invoices", message.Sentence(err.Error())+
		" It remembers on this machine what was sent, for services whose lists lag. Free space, or set "+message.EnvCacheDir+" to a writable directory.")
}

// ReleaseJournal lets others go on with the same invoice or order.
func ReleaseJournal(entry *journal.Entry) diag.Diagnostics {
	if err := entry.Close(); err != nil {
		return diag.Diagnostics{diag.NewWarningDiagnostic("Journal not released", message.Sentence(err.Error()))}
	}
	return nil
}

// settledWith warns where a settled invoice is not simply authorized.
func (i *Issuing) settledWith(v *einvoice.Invoice) diag.Diagnostics {
	switch {
	case string(v.Status) == einvoice.StatusInContingent:
		return diag.Diagnostics{diag.NewWarningDiagnostic(i.Label(v)+" is in contingency",
			"It is valid, and the service transmits it for definitive authorization later; a rejection then would show in a later plan. It cannot be canceled until then.")}
	case !i.Issue && string(v.Status) != einvoice.StatusCreated:
		return diag.Diagnostics{NotADraft(i.Label(v), string(v.Status))}
	}
	return nil
}

// NotADraft is a draft that the service did not keep as one.
func NotADraft(label, status string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(label+" is no draft", fmt.Sprintf(
		"`issue` is false, but the service answered with status %q instead of %q: drafts are documented for service invoices only. Set `issue = true` to follow it to its authorization.", status, einvoice.StatusCreated))
}
