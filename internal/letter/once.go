package letter

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// lost is the content of a record whose request has ended without a usable answer: no
// run that is alive will record one.
const lost = "lost"

// correcting is one correction letter on its way. Each letter is a legal event of the
// invoice, and the service lists none: nothing proves what became of a lost answer, so
// that the same letter is refused until a person has looked. An answered letter is taken
// over until a state was seen to hold it: the CLI may be killed before it writes one.
type correcting struct {
	client *einvoice.Client
	once   *once.Journal

	issuer string        // the company that is to send it; "" for whoever has the key
	holder einvoice.Text // the company that has issued the invoice, as far as it shows

	invoiceID string
	letter    string
	stateless bool // no state will hold the letter: the same one is never sent again
}

// corrected is a letter that was sent.
type corrected struct {
	invoiceID  string
	id         string // that of the event, or made here where the service gives none
	eventID    string // the service's; "" where it gives none
	sentAt     time.Time
	takenOver  bool   // an earlier run has sent it; nothing was sent now
	again      bool   // the same letter was sent before, too
	before     string // its event; "" where the service told none
	entry      string // where its record is
	unrecorded error  // why the journal still takes the letter for one that was never answered
}

// key names the record of this letter for this invoice, whichever API key it is sent
// with: a key may be replaced before anybody looks.
func (c *correcting) key() journal.Key {
	const kind = "correction"
	parts := []string{c.client.BaseURL(), strings.ToLower(c.invoiceID), attribute.HashOfText(c.letter)}
	key := journal.KeyOf(kind, parts...).Formerly(kind, parts...)
	key.OfObject = true
	return key
}

// perform sends the letter once. With a problem nothing may come into state, or
// the object would be tainted and the letter sent again.
func (c *correcting) perform(ctx context.Context) (done *corrected, failed *problem) {
	c.once.Lasting = true
	err := c.once.Do(ctx, c.key(), func(ctx context.Context, t *once.Turn) (err error) {
		done, err = c.attempt(ctx, t)
		return err
	})
	if err == nil || errors.As(err, &failed) {
		return done, failed
	}
	failed = &problem{kind: busy, invoiceID: c.invoiceID, entry: c.once.Store.Where(c.key()), cause: err}
	if former := (*journal.UnsettledError)(nil); errors.As(err, &former) {
		failed.kind, failed.entry, failed.begun = unanswered, former.Where, former.Begun
	} else if errors.As(err, new(*once.StoreError)) {
		failed.kind = unwritable
	}
	return nil, failed
}

// attempt sends the letter unless its record says that it was sent. One that another
// run may be sending now is waited for.
func (c *correcting) attempt(ctx context.Context, t *once.Turn) (*corrected, error) {
	before := t.Known
	problemOf := func(kind problemKind, err error) *problem {
		return &problem{kind: kind, invoiceID: c.invoiceID, entry: t.Where(), begun: before.Stamp, cause: err}
	}
	switch {
	case before.Phase == journal.Sending && before.Content != lost && t.InDoubt():
		return nil, once.ErrUnproven
	case before.Phase == journal.Sending:
		return nil, problemOf(unanswered, nil)
	case before.Phase == journal.Settled && (!before.Held || c.stateless):
		done := c.corrected(t)
		done.takenOver = true
		return done, nil
	}
	if wrong := c.check(ctx); wrong != nil {
		return nil, wrong
	}
	answer, err := c.client.Beginning(t.Sending("", "")).CorrectInvoice(ctx, c.invoiceID, c.letter)
	sent := t.Known
	switch {
	case errors.Is(err, journal.ErrChanged):
		return nil, err
	case errors.Is(err, einvoice.ErrAmbiguous):
		sent.Content = lost
		t.Keep(ctx, sent)
		return nil, problemOf(answerLost, err)
	case err != nil:
		if sent != before { // The next run must not take it for one that was never answered.
			t.Keep(ctx, before)
		}
		if errors.As(err, new(*once.StoreError)) {
			return nil, err
		}
		refusal := problemOf(refused, err)
		refusal.unrecorded = t.Unkept
		return nil, refusal
	}
	sent.Phase, sent.Content = journal.Settled, string(answer.EventID)
	sent.Result = cmp.Or(sent.Content, uuid.NewString())
	t.Keep(ctx, sent)
	done := c.corrected(t)
	done.id, done.eventID, done.unrecorded = sent.Result, sent.Content, t.Unkept
	done.again, done.before = before.Result != "", before.Content
	return done, nil
}

// corrected is the letter that the record speaks of.
func (c *correcting) corrected(t *once.Turn) *corrected {
	return &corrected{
		invoiceID: c.invoiceID, id: t.Known.Result, eventID: t.Known.Content,
		sentAt: t.Known.Stamp.UTC().Truncate(time.Second), entry: t.Where(),
	}
}

// confirm writes down that a state holds the letter: the same letter asked for
// once more is another one then. What cannot be written is left for later.
func (c *correcting) confirm(ctx context.Context, id string) {
	t, err := c.once.Load(ctx, c.key())
	if err != nil || t.Known.Result != id || t.Known.Phase != journal.Settled || t.Known.Held {
		return
	}
	held := t.Known
	held.Held = true
	t.Keep(ctx, held)
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
