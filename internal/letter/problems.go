package letter

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// problem is why no letter was sent, or why nobody can tell whether it was. It has no words
// for a person.
type problem struct {
	kind       problemKind
	invoiceID  string
	invoice    *einvoice.Invoice // of notAuthorized and otherCompany
	issuer     string            // of otherCompany: who should have issued the invoice
	entry      string            // where its record is
	begun      time.Time         // of unanswered: when it was sent
	cause      error             // of the last request, or of the journal
	unrecorded error             // of refused: why the journal takes the letter for one that was never answered
}

type problemKind string

const (
	unanswered        problemKind = "unanswered"         // the same letter was sent before, and never answered
	unrecorded        problemKind = "unrecorded"         // the journal could not be used, so that nothing was sent
	notAnNFe          problemKind = "not an NF-e"        // no letter can be for this invoice
	notAuthorized     problemKind = "not authorized"     // no letter can be for this invoice now
	otherCompany      problemKind = "other company"      // the invoice is not the issuer's
	invoiceUnreadable problemKind = "invoice unreadable" // the invoice could not be read
	answerLost        problemKind = "answer lost"        // the letter was sent, and may exist
	refused           problemKind = "refused"            // the service did not take the letter
)

func (p *problem) Error() string { return fmt.Sprintf("correction letter: %s: %v", p.kind, p.cause) }

// diagnostics words a problem. Summaries name the invoice: a CLI folds diagnostics with the
// same summary.
func (p *problem) diagnostics(ctx context.Context, front message.Front, schema message.PathSchema) diag.Diagnostics {
	ofInvoice := ": invoice " + p.invoiceID
	switch p.kind {
	case unrecorded:
		return message.Unrecorded("correction letter of invoice "+p.invoiceID, p.cause, front.Again)
	case unanswered:
		return message.Error("Correction letter may have been sent already"+ofInvoice,
			"Sending this letter began at "+p.begun.UTC().Format(time.RFC3339)+", and no answer came. Each letter that "+
				"is sent is a legal event, so nothing was sent now.", p.lookForIt(front))
	case answerLost:
		return message.Error("Response to a correction letter lost"+ofInvoice,
			"The letter was sent, but no usable response came ("+message.Clause(p.cause)+"). The event may exist. "+
				"Nothing was sent a second time.",
			p.lookForIt(front)+" Until then the same letter is refused.")
	case notAnNFe:
		return message.ErrorAt("invoice_id", "Not an NF-e", fmt.Sprintf("No NF-e has id %q. "+
			"Nothing was sent.", p.invoiceID),
			"Correction letters exist for NF-e only. Check the value, and that `api_key` is the issuer's key.")
	case notAuthorized:
		v := p.invoice
		label := message.InvoiceLabel(einvoice.ModelProduct, string(v.IntegrationID), attribute.IntOrNull(v.Number))
		return message.ErrorAt("invoice_id", "Invoice is not authorized: "+label,
			fmt.Sprintf("A correction letter needs an authorized NF-e, and the status of %s is %q (id %s). Nothing "+
				"was sent.", label, v.Status, p.invoiceID), untilAuthorized(front, string(v.Status)))
	case otherCompany:
		v := p.invoice
		return message.OtherIssuer("invoice "+p.invoiceID, "invoice", string(v.ID), string(v.Status), p.issuer,
			string(v.Company.FederalTaxNumber), false)
	case invoiceUnreadable:
		return front.APIError(ctx, "read the invoice to correct", p.cause, nil)
	default:
		diags := front.APIError(ctx, "send correction letter", p.cause, schema)
		return append(diags, notRecorded(p.invoiceID, p.entry, p.unrecorded)...)
	}
}

// lookForIt says what to do about a letter that may exist.
func (p *problem) lookForIt(front message.Front) string {
	return "Look at the invoice in the back office or at the authority's portal. If the letter is there, " +
		front.Either("take this resource out of the configuration, so that it is not sent again",
			"do not invoke this action again") +
		". If you are sure that it is still not there a minute later, remove " + p.entry + " and " +
		front.InSentence() + ", which sends it."
}

func untilAuthorized(front message.Front, status string) string {
	switch m := einvoice.MeaningOf(status); {
	case m.Documents == einvoice.DocumentsLater, m.Valid && !m.Final:
		return front.Either("Apply again after the authorization. With `invoice_id` taken from an "+
			"`einvoice_invoice_issuance` the letter waits for it.", "Invoke the action after the authorization.")
	case status == einvoice.StatusRejected:
		return "Correct the payload of the invoice itself and issue it again."
	default:
		return "In an invoice with this status there is nothing to correct."
	}
}

// warnings says what a person should know of a letter that was sent.
func (l *sentLetter) warnings(front message.Front, invoiceID string) diag.Diagnostics {
	warnings := notRecorded(invoiceID, l.entry, l.unrecorded)
	switch {
	case l.takenOver && front == message.Invoking:
		warnings.AddWarning("Correction letter was sent before: invoice "+invoiceID, fmt.Sprintf(
			"This machine has sent the same letter for the same invoice before%s. Each letter is a legal event, so "+
				"nothing was sent now. Change the text to send another one.", asEvent(l.eventID)))
	case l.takenOver:
		warnings.AddWarning("Adopted a correction letter sent before: invoice "+invoiceID, fmt.Sprintf(
			"The same letter for the same invoice was sent at %s%s. Each letter is a legal event, so this one was "+
				"adopted and nothing was sent now. Change the text to send another one.",
			l.sentAt.Format(time.RFC3339), asEvent(l.eventID)))
	case l.repeated: // Another letter has followed.
		warnings.AddWarning("Correction letter sent again: invoice "+invoiceID, fmt.Sprintf(
			"This machine has sent the same letter for the same invoice before%s. Creating this resource has sent it "+
				"again%s: the invoice has both events.", asEvent(l.beforeEvent), asEvent(l.eventID)))
	}
	return warnings
}

// notRecorded warns of a journal that still says that a letter was never answered.
func notRecorded(invoiceID, entry string, err error) (warnings diag.Diagnostics) {
	if err != nil {
		warnings.AddWarning("Journal of correction letters not up to date: invoice "+invoiceID,
			"The letter was answered, and the journal could not record it: "+message.Reason(err)+
				" Remove "+entry+", or the same letter will be refused later.")
	}
	return warnings
}

// asEvent names the event of a letter where the service has told it.
func asEvent(id string) string {
	if id == "" {
		return ""
	}
	return " as event " + id
}
