package letter

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Every text that a correction letter can end with. Summaries name the invoice:
// a CLI folds diagnostics with the same summary.

func (c *correcting) notBegun(err error) diag.Diagnostics {
	return message.Error("Cannot send correction letter: invoice "+c.invoiceID, "Nothing was sent: "+message.Sentence(err.Error()),
		"Another run on this machine may be sending the same letter. Run apply again when it has ended.")
}

const lookForLetter = "Look at the invoice in the back office or at the authority's portal. If the letter is there, do not send it again: take this resource out of the configuration. If it is not there, "

// unsettled refuses a letter that may exist already.
func (c *correcting) unsettled(entry *journal.Entry) diag.Diagnostics {
	return message.Error("Correction letter may have been sent already: invoice "+c.invoiceID,
		fmt.Sprintf("Sending the same letter for the same invoice began at %s, and no answer came. Each letter that is sent is a legal event, so nothing was sent now.",
			entry.State().Begun.UTC().Format(time.RFC3339)),
		lookForLetter+"remove "+entry.Path()+" and run apply again, which sends it.")
}

// answerLost is a letter that may or may not exist.
func (c *correcting) answerLost(entry *journal.Entry, lost error) diag.Diagnostics {
	return message.Error("Answer to a correction letter lost: invoice "+c.invoiceID,
		"The letter was sent and no usable answer came ("+strings.TrimSuffix(lost.Error(), ".")+"). Whether the event exists cannot be told from here, and nothing was sent a second time.",
		lookForLetter+"remove "+entry.Path()+" and run apply again, which sends it. Until then apply refuses to.")
}

// unwritable is a machine that could not remember a letter whose answer is lost.
func (c *correcting) unwritable(entry *journal.Entry, err error) diag.Diagnostics {
	happened := "The directory of the journal cannot be written."
	if err != nil {
		happened = message.Sentence(err.Error())
	}
	where := "Set EINVOICE_CACHE_DIR to a directory that lasts"
	if entry.Path() != "" {
		where = "Make " + entry.Path() + " writable, or set EINVOICE_CACHE_DIR to a directory that lasts"
	}
	return message.Error("Cannot write the journal of correction letters: invoice "+c.invoiceID, happened+" Nothing was sent.",
		"A letter is sent only when this machine can remember it, so that a lost answer never leads to a second one. "+where+", and run apply again.")
}

// takenOver is a letter that was answered in a run that ended before its state
// was written.
func (c *correcting) takenOver(done *corrected) diag.Diagnostic {
	if c.invoked {
		return diag.NewWarningDiagnostic("Correction letter was sent before: invoice "+c.invoiceID,
			fmt.Sprintf("This machine has sent the same letter for the same invoice before, as event %s. Each letter is a legal event, so nothing was sent now. Change the text to send another one.", done.eventID))
	}
	return diag.NewWarningDiagnostic("Took over a correction letter sent before: invoice "+c.invoiceID,
		fmt.Sprintf("The same letter for the same invoice was sent at %s as event %s, in a run that ended before it could write that down. Nothing was sent now.",
			done.sentAt.Format(time.RFC3339), done.eventID))
}

// notSettled is a journal that still says that a letter was never answered.
func (c *correcting) notSettled(entry *journal.Entry, err error) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Journal of correction letters not up to date: invoice "+c.invoiceID,
		"The letter was answered, and the journal could not take it down: "+message.Sentence(err.Error())+" Remove "+entry.Path()+", or a later creation of the same letter is refused.")
}

// sentAgain is the same letter for the same invoice a second time, as it is after
// a destroy, for two blocks, or after a lost state.
func (c *correcting) sentAgain(before, now string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Correction letter sent again: invoice "+c.invoiceID,
		fmt.Sprintf("This machine has sent the same letter for the same invoice before (event %s). Creating this resource has sent it again (event %s): the invoice has both events.", before, now))
}

func (c *correcting) notAnNFe() diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("invoice_id"), "Not an NF-e", message.Paragraphs(
		fmt.Sprintf("No NF-e has id %q. Nothing was sent.", c.invoiceID),
		"Correction letters exist for NF-e (`productInvoice`) only. Check the value, and that `api_key` is the company's that issued the invoice."))}
}

func (c *correcting) notAuthorized(v *einvoice.Invoice) diag.Diagnostics {
	label := message.InvoiceLabel(einvoice.ModelProduct, string(v.IntegrationID), attribute.IntOrNull(v.Number))
	what := "It will not become so: there is nothing to correct."
	switch string(v.Status) {
	case einvoice.StatusCreated, einvoice.StatusEnqueued, einvoice.StatusReceived, einvoice.StatusInContingent:
		what = "Apply again after the authorization: with `invoice_id` taken from an `einvoice_invoice_issuance`, the letter waits for it."
	case einvoice.StatusRejected:
		what = "Correct the payload of the invoice itself and issue it again."
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("invoice_id"), "Invoice is not authorized: "+label, message.Paragraphs(
		fmt.Sprintf("A correction letter needs an authorized NF-e, and the status of %s is %q (id %s). Nothing was sent.", label, v.Status, c.invoiceID), what))}
}

// correctionError is a refusal: no event exists.
func correctionError(ctx context.Context, task string, err error, schema message.PathSchema) diag.Diagnostics {
	if errors.Is(err, einvoice.ErrNotFound) {
		return message.Error("Cannot "+task, message.Sentence(err.Error()), "The service offers no correction letters for this invoice, and nothing was sent to the authority. Check `invoice_id` and `base_url`.")
	}
	return message.ApiError(ctx, task, err, schema)
}

// correctionStays tells before a destroy what it does not undo.
func correctionStays(m *correctionModel) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Correction letter stays: invoice "+m.InvoiceID.ValueString(),
		fmt.Sprintf("A correction letter that was sent cannot be taken back. Event %s of %s is only removed from state, and still counts. To correct it, send another letter.",
			m.EventID.ValueString(), m.SentAt.ValueString()))
}

const correctionNoImport = "A correction letter is something that has happened, and the service shows no list of them to import from: creating this resource sends a letter."
