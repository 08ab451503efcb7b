package letter

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// letterNote is what the journal remembers of a letter beside its id.
type letterNote struct {
	// Lost: its request has ended without a usable answer. No run that is alive will record one.
	Lost  bool   `json:"lost,omitempty"`
	Event string `json:"event,omitempty"` // the service's id of it; "" where it gives none
	// Issuer is the company that has issued the invoice, as far as it shows.
	Issuer string `json:"issuer,omitempty"`
}

func noteOf(r journal.Record) letterNote { return journal.NoteOf[letterNote](r) }

// correction is a letter that is sent once. The service lists no letters, so that nothing
// proves what became of a lost answer: the same letter is refused until a person has looked.
// An answered letter is taken over. It is sent again only after a state has removed it and
// another letter has followed.
type correction struct {
	client *einvoice.Client
	once   *once.Journal

	schema   message.PathSchema // where the service's messages belong
	issuer   string             // the company that is to send it; "" for whoever has the key
	issuedBy einvoice.Text      // the company that has issued the invoice, as far as it shows

	invoiceID string
	letter    string
	stateless bool // no state will hold the letter: the same one is never sent again
}

func newCorrection(s *session.Session, at message.PathSchema, invoiceID, letter types.String) *correction {
	return &correction{
		client: s.Client, once: s.Once(), schema: at, issuer: s.Issuer,
		invoiceID: invoiceID.ValueString(), letter: letter.ValueString(),
	}
}

// sentLetter is a letter that this run or an earlier one has sent.
type sentLetter struct {
	id         string // that of the event, or made here where the service gives none
	eventID    string // the service's; "" where it gives none
	sentAt     time.Time
	takenOver  bool  // it was sent before; nothing was sent now
	unrecorded error // why the journal still takes the letter for one that was never answered
}

// key names the record of this letter for this invoice, whichever API key it is sent with:
// a key may be replaced before anybody looks.
func (c *correction) key() journal.Key {
	invoice, letter := strings.ToLower(c.invoiceID), attribute.HashOfText(c.letter)
	return journal.KeyOf("correction", c.client.BaseURL(), invoice, letter)
}

// latestKey names the record of the letter of this invoice that was sent last. Its result is
// the hash of the text.
func (c *correction) latestKey() journal.Key {
	return journal.KeyOf("last-correction", c.client.BaseURL(), strings.ToLower(c.invoiceID))
}

// perform sends the letter once. With an error nothing may come into state, or the object
// would be tainted and the letter sent again.
func (c *correction) perform(ctx context.Context) (sent *sentLetter, diags diag.Diagnostics) {
	c.once.Lasting = true
	err := c.once.Do(ctx, c.key(), func(ctx context.Context, t *once.Turn) (err error) {
		sent, err = c.attempt(ctx, t)
		return err
	})
	failure, isSaid := errors.AsType[say.Failure](err)
	switch {
	case isSaid:
		return nil, diag.Diagnostics(failure)
	case err != nil:
		label := text.Of("letter.label", text.With{"invoice": c.invoiceID})
		return nil, message.Unrecorded(ctx, label, err)
	case sent.unrecorded != nil:
		diags = c.notRecorded(ctx, sent.unrecorded)
	}
	if sent.takenOver {
		diags.Append(say.Warning(ctx, "letter.adopted", text.With{
			"invoice": c.invoiceID, "at": sent.sentAt.Format(time.RFC3339), "event": sent.eventID,
		})...)
	}
	return sent, diags
}

// notRecorded warns of a journal that still says that the letter was never answered.
func (c *correction) notRecorded(ctx context.Context, err error) diag.Diagnostics {
	return say.Warning(ctx, "letter.unrecorded", text.With{
		"invoice": c.invoiceID, "cause": message.Cause(err), "entry": c.once.Store.Where(c.key()),
	})
}

// attempt sends the letter unless its record says that it was sent. One that another run
// may be sending now is waited for.
func (c *correction) attempt(ctx context.Context, t *once.Turn) (*sentLetter, error) {
	switch known := t.Known; {
	case known.Phase == journal.Sending && !noteOf(known).Lost && t.InDoubt():
		return nil, once.ErrLookAgain
	case known.Phase == journal.Sending:
		return nil, say.Failure(c.inDoubt(ctx, t))
	case known.Phase == journal.Settled:
		counts, err := c.stillCounts(ctx, known)
		if err != nil {
			return nil, err
		}
		if counts {
			return c.takeOver(ctx, t), nil
		}
	}
	if wrong := c.check(ctx); wrong != nil {
		return nil, say.Failure(wrong)
	}
	return c.send(ctx, t)
}

// refusedNow is the error in which an apply would end, because the letter may have been sent; nil for none.
func (c *correction) refusedNow(ctx context.Context) diag.Diagnostics {
	t, err := c.once.Load(ctx, c.key())
	if err != nil || t.Known.Phase != journal.Sending || !noteOf(t.Known).Lost && t.InDoubt() {
		return nil // What cannot be read now, the apply says.
	}
	return c.inDoubt(ctx, t)
}

// inDoubt is the error of a letter that was sent before, and never answered.
func (c *correction) inDoubt(ctx context.Context, t *once.Turn) diag.Diagnostics {
	return say.Error(ctx, "letter.maybe_sent", text.With{
		"invoice": c.invoiceID, "begun": t.Known.Stamp.UTC().Format(time.RFC3339), "entry": t.Where(),
	})
}

// send sends the letter. Its record is settled last: until then nobody sends it again.
func (c *correction) send(ctx context.Context, t *once.Turn) (*sentLetter, error) {
	before := t.Known
	answer, err := c.client.CorrectInvoice(ctx, c.invoiceID, c.letter, t.Sending(letterNote{}, ""))
	switch {
	case once.IsUnsent(err):
		return nil, err
	case err != nil && einvoice.IsRefusal(err):
		refusal := message.APIError(ctx, message.Task("send", "correction_letter"), err, c.schema)
		t.Keep(ctx, before) // The next run must not take it for one that was never answered.
		if t.Unkept != nil {
			refusal.Append(c.notRecorded(ctx, t.Unkept)...)
		}
		return nil, say.Failure(refusal)
	}
	record, unrecorded := t.Known, c.recordLatest(ctx)
	if err != nil {
		t.Keep(ctx, record.Noted(letterNote{Lost: true}))
		return nil, say.Failure(say.Error(ctx, "letter.lost", text.With{
			"invoice": c.invoiceID, "cause": message.Cause(err), "entry": t.Where(),
		}))
	}
	event := string(answer.EventID)
	record = record.Noted(letterNote{Event: event, Issuer: string(c.issuedBy)})
	record.Phase = journal.Settled
	record.Result = cmp.Or(event, uuid.NewString())
	if unrecorded == nil {
		t.Keep(ctx, record)
		unrecorded = t.Unkept
	}
	sent := recordedLetter(record)
	sent.unrecorded = unrecorded
	return sent, nil
}

// stillCounts reports whether the letter that a record speaks of is not to be sent again.
func (c *correction) stillCounts(ctx context.Context, known journal.Record) (bool, error) {
	if !known.Held || c.stateless || known.Run == c.once.Run { // This run has removed it: it is replaced.
		return true, nil
	}
	latest, err := c.once.Load(ctx, c.latestKey())
	return err == nil && latest.Known.Result == attribute.HashOfText(c.letter), err
}

// takeOver is the letter that was sent before. A state is about to hold it.
func (c *correction) takeOver(ctx context.Context, t *once.Turn) *sentLetter {
	known := t.Known
	if c.issuedBy = einvoice.Text(noteOf(known).Issuer); known.Held && !c.stateless {
		known.Held = false
		t.Keep(ctx, known)
	}
	sent := recordedLetter(known)
	sent.takenOver = true
	return sent
}

// recordLatest records that this letter of the invoice is the one that was sent last.
func (c *correction) recordLatest(ctx context.Context) error {
	return c.once.Do(context.WithoutCancel(ctx), c.latestKey(), func(ctx context.Context, t *once.Turn) error {
		// Held: it may go once it is old.
		t.Keep(ctx, journal.Record{Phase: journal.Settled, Result: attribute.HashOfText(c.letter), Held: true})
		return t.Unkept
	})
}

// recordedLetter is the letter that a record speaks of.
func recordedLetter(known journal.Record) *sentLetter {
	return &sentLetter{id: known.Result, eventID: noteOf(known).Event, sentAt: known.Stamp.UTC().Truncate(time.Second)}
}

// release records that a state which held the letter has removed it. A runner may have the
// letter in its state alone: if this is a replacement, the record keeps it from being sent again.
func (c *correction) release(ctx context.Context, removed journal.Record) {
	t, err := c.once.Load(ctx, c.key())
	if err != nil {
		return
	}
	known := t.Known
	if known.Phase == journal.Idle {
		known = removed
	}
	if known.Phase == journal.Settled && known.Result == removed.Result {
		known.Held = true
		t.Keep(ctx, known)
	}
}

// check reads the invoice: the authority takes letters for authorized NF-e only
// (specification: Rules per endpoint).
func (c *correction) check(ctx context.Context) diag.Diagnostics {
	invoice, err := c.client.Invoice(ctx, einvoice.ModelProduct, c.invoiceID)
	switch {
	case errors.Is(err, einvoice.ErrNotFound),
		err == nil && invoice.Model != "" && string(invoice.Model) != einvoice.ModelProduct:
		return say.ErrorAt(ctx, path.Root("invoice_id"), "letter.no_nfe", text.With{"invoice": c.invoiceID})
	case err != nil:
		return message.APIError(ctx, message.Task("read", "the_invoice_to_correct"), err, nil)
	case invoice.Company != nil:
		c.issuedBy = einvoice.Text(invoice.Company.FederalTaxNumber)
	}
	status, owner := string(invoice.Status), string(c.issuedBy)
	switch {
	case c.issuer != "" && owner != "" && !attribute.TaxNumberSpelling.Same(c.issuer, owner):
		label := text.Of("letter.invoice", text.With{"invoice": c.invoiceID})
		return message.OtherIssuer(ctx, label, "invoice", string(invoice.ID), status, c.issuer, owner, false)
	case status != einvoice.StatusAuthorized:
		return c.notAuthorized(ctx, invoice)
	}
	return nil
}

func (c *correction) notAuthorized(ctx context.Context, invoice *einvoice.Invoice) diag.Diagnostics {
	status := string(invoice.Status)
	means := einvoice.MeaningOf(status)
	return say.ErrorAt(ctx, path.Root("invoice_id"), "letter.not_authorized", text.With{
		"label": message.InvoiceLabel(
			einvoice.ModelProduct, string(invoice.IntegrationID), attribute.IntOrNull(invoice.Number)),
		"invoice": c.invoiceID, "status": status,
		"may_be_authorized": means.Documents == einvoice.DocumentsLater || means.Valid && !means.Final,
	})
}
