package letter

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

const journalKindCorrection = "correction"

// correcting is one correction letter on its way. Each one that is sent is a
// legal event of the invoice, and the service shows no list of them. So when an
// answer is lost nothing here can tell whether the event exists: the journal on
// this machine then refuses the same letter until a person has looked. An answer
// that came is not enough either, because the CLI may be killed before it writes
// its state: until a state was seen that holds the letter, the same letter is
// taken over instead of sent.
type correcting struct {
	client *einvoice.Client
	store  journal.Store
	now    func() time.Time

	invoiceID string
	letter    string
	invoked   bool // by an action, which no state remembers: the same letter is never sent again
}

// corrected is a letter that was sent.
type corrected struct {
	eventID string // the service's, or made here where it tells none
	sentAt  time.Time
}

// open opens the journal's entry of this letter for this invoice.
func (c *correcting) open(ctx context.Context) (*journal.Entry, error) {
	return c.store.Entry(ctx, journalKindCorrection, c.client.Fingerprint(), strings.ToLower(c.invoiceID), attribute.HashOfText(c.letter))
}

// perform sends the letter once. Without a result nothing may come into state,
// or the object would be tainted and the letter sent again.
func (c *correcting) perform(ctx context.Context, schema message.PathSchema) (*corrected, diag.Diagnostics) {
	entry, err := c.open(ctx)
	if err != nil {
		return nil, c.notBegun(err)
	}
	defer func() { _ = entry.Close() }()
	earlier := entry.State()
	switch {
	case !earlier.Begun.IsZero():
		return nil, c.unsettled(entry)
	case !entry.Durable():
		return nil, c.unwritable(entry, nil)
	case earlier.ID != "" && (earlier.Note != "" || c.invoked):
		done := &corrected{eventID: earlier.ID, sentAt: c.now().UTC().Truncate(time.Second)}
		if at, err := time.Parse(time.RFC3339, earlier.Note); err == nil {
			done.sentAt = at
		}
		return done, diag.Diagnostics{c.takenOver(done)}
	}
	if diags := c.check(ctx); diags.HasError() {
		return nil, diags
	}
	done := &corrected{sentAt: c.now().UTC().Truncate(time.Second)}
	if err := entry.Begin(done.sentAt.Format(time.RFC3339)); err != nil {
		return nil, c.unwritable(entry, err)
	}
	answer, err := c.client.CorrectInvoice(ctx, c.invoiceID, c.letter)
	if errors.Is(err, einvoice.ErrAmbiguous) {
		return nil, c.answerLost(entry, err)
	}
	if err != nil {
		diags := correctionError(ctx, "send correction letter", err, schema)
		diags.Append(c.restore(entry, earlier)...)
		return nil, diags
	}
	if done.eventID = string(answer.EventID); done.eventID == "" {
		done.eventID = uuid.NewString()
	}
	var diags diag.Diagnostics
	if err := entry.Settled(done.eventID); err != nil {
		diags.Append(c.notSettled(entry, err))
	}
	if earlier.ID != "" {
		diags.Append(c.sentAgain(earlier.ID, done.eventID))
	}
	return done, diags
}

// confirm takes down that a state holds the letter: the same letter asked for
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

// restore puts back what the journal knew before a letter that was refused: the
// next apply must not take it for one that was never answered.
func (c *correcting) restore(entry *journal.Entry, earlier journal.State) diag.Diagnostics {
	err := entry.Forget()
	if err == nil && earlier.ID != "" {
		err = entry.Settled(earlier.ID)
	}
	if err != nil {
		return diag.Diagnostics{c.notSettled(entry, err)}
	}
	return nil
}

// check reads the invoice: the authority takes letters for authorized NF-e only
// (specification: Rules per endpoint), and one for anything else is no use.
func (c *correcting) check(ctx context.Context) diag.Diagnostics {
	invoice, err := c.client.Invoice(ctx, einvoice.ModelProduct, c.invoiceID)
	switch {
	case errors.Is(err, einvoice.ErrNotFound):
		return c.notAnNFe()
	case err != nil:
		return message.ApiError(ctx, "read the invoice to correct", err, nil)
	case invoice.Model != "" && string(invoice.Model) != einvoice.ModelProduct:
		return c.notAnNFe()
	case string(invoice.Status) != einvoice.StatusAuthorized:
		return c.notAuthorized(invoice)
	}
	return nil
}
