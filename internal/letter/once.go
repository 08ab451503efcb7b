package letter

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

const journalKindCorrection = "correction"

// correcting is one correction letter on its way. Each one that is sent is a
// legal event of the invoice, and the service shows no list of them: when an
// answer is lost, nothing here can tell whether the event exists, and the journal
// on this machine refuses the same letter until a person has looked. An answer
// that came is not enough either, because the CLI may be killed before it writes
// its state: until a state was seen that holds the letter, the same letter is
// taken over instead of sent.
type correcting struct {
	client *einvoice.Client
	store  journal.Store
	now    func() time.Time

	issuer string        // the company that is to send it; "" for whoever has the key
	holder einvoice.Text // the company that has issued the invoice, as far as it shows

	invoiceID string
	letter    string
	stateless bool // no state will hold the letter: the same one is never sent again
}

// corrected is a letter that was sent.
type corrected struct {
	invoiceID  string
	eventID    string // the service's, or made here where it gives none
	sentAt     time.Time
	takenOver  bool   // an earlier run has sent it; nothing was sent now
	before     string // the event of the same letter from before, which was sent too; "" for none
	entry      string // of the journal: its path
	unrecorded error  // why the journal still takes the letter for one that was never answered
}

// open opens the journal's entry of this letter for this invoice, whichever key
// it is sent with: a key may be replaced before anybody looks.
func (c *correcting) open(ctx context.Context) (*journal.Entry, error) {
	return c.store.Entry(ctx, journalKindCorrection, c.client.BaseURL(), strings.ToLower(c.invoiceID), attribute.HashOfText(c.letter))
}

// perform sends the letter once. With a problem nothing may come into state, or
// the object would be tainted and the letter sent again.
func (c *correcting) perform(ctx context.Context) (*corrected, *problem) {
	entry, err := c.open(ctx)
	if err != nil {
		return nil, &problem{kind: busy, invoiceID: c.invoiceID, cause: err}
	}
	defer func() { _ = entry.Close() }()
	failed := func(kind problemKind, err error) *problem {
		return &problem{kind: kind, invoiceID: c.invoiceID, entry: entry.Path(), begun: entry.State().Begun, cause: err}
	}
	earlier, done := entry.State(), &corrected{invoiceID: c.invoiceID, sentAt: c.now().UTC().Truncate(time.Second), entry: entry.Path()}
	switch {
	case !earlier.Begun.IsZero():
		return nil, failed(unanswered, nil)
	case !entry.Durable():
		return nil, failed(unwritable, nil)
	case earlier.ID != "" && (earlier.Note != "" || c.stateless):
		done.takenOver, done.eventID = true, earlier.ID
		if at, err := time.Parse(time.RFC3339, earlier.Note); err == nil {
			done.sentAt = at
		}
		return done, nil
	}
	if wrong := c.check(ctx); wrong != nil {
		return nil, wrong
	}
	if err := entry.Begin(done.sentAt.Format(time.RFC3339)); err != nil {
		return nil, failed(unwritable, err)
	}
	answer, err := c.client.CorrectInvoice(ctx, c.invoiceID, c.letter)
	switch {
	case errors.Is(err, einvoice.ErrAmbiguous):
		return nil, failed(answerLost, err)
	case err != nil:
		refusal := failed(refused, err)
		refusal.unrecorded = entry.Restore(earlier) // The next run must not take it for one that was never answered.
		return nil, refusal
	}
	if done.eventID = string(answer.EventID); done.eventID == "" {
		done.eventID = uuid.NewString()
	}
	done.before, done.unrecorded = earlier.ID, entry.Settled(done.eventID)
	return done, nil
}

// confirm writes down that a state holds the letter: the same letter asked for
// once more is another one then. What cannot be written is left for later.
func (c *correcting) confirm(ctx context.Context, eventID string) {
	entry, err := c.open(ctx)
	if err != nil {
		return
	}
	defer func() { _ = entry.Close() }()
	if entry.State().ID == eventID {
		_ = entry.Confirm()
	}
}

// check reads the invoice: the authority takes letters for authorized NF-e only
// (specification: Rules per endpoint), and one for anything else is no use.
func (c *correcting) check(ctx context.Context) *problem {
	invoice, err := c.client.Invoice(ctx, einvoice.ModelProduct, c.invoiceID)
	switch {
	case errors.Is(err, einvoice.ErrNotFound), err == nil && invoice.Model != "" && string(invoice.Model) != einvoice.ModelProduct:
		return &problem{kind: notAnNFe, invoiceID: c.invoiceID}
	case err != nil:
		return &problem{kind: unread, invoiceID: c.invoiceID, cause: err}
	}
	if invoice.Company != nil {
		c.holder = invoice.Company.FederalTaxNumber
	}
	switch {
	case c.issuer != "" && c.holder != "" && !attribute.TaxNumberSpelling.Same(c.issuer, string(c.holder)):
		return &problem{kind: otherCompany, invoiceID: c.invoiceID, invoice: invoice, issuer: c.issuer}
	case string(invoice.Status) != einvoice.StatusAuthorized:
		return &problem{kind: notAuthorized, invoiceID: c.invoiceID, invoice: invoice}
	}
	return nil
}
