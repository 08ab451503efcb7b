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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// lost is the content of a record whose request has ended without a usable answer: no run
// that is alive will record one.
const lost = "lost"

// correction is a letter that is sent once. The service lists no letters, so that nothing
// proves what became of a lost answer: the same letter is refused until a person has looked.
// An answered letter is taken over until a state was seen to hold it.
type correction struct {
	client *einvoice.Client
	once   *once.Journal

	issuer string        // the company that is to send it; "" for whoever has the key
	holder einvoice.Text // the company that has issued the invoice, as far as it shows

	invoiceID string
	letter    string
	stateless bool // no state will hold the letter: the same one is never sent again
}

func newCorrection(s *session.Session, invoiceID, letter string) *correction {
	return &correction{client: s.Client, once: s.Once(), issuer: s.Issuer, invoiceID: invoiceID, letter: letter}
}

// sentLetter is a letter that this run or an earlier one has sent.
type sentLetter struct {
	id          string // that of the event, or made here where the service gives none
	eventID     string // the service's; "" where it gives none
	sentAt      time.Time
	takenOver   bool   // an earlier run has sent it; nothing was sent now
	repeated    bool   // the same letter was sent before, too
	beforeEvent string // its event; "" where the service told none
	entry       string // where its record is
	unrecorded  error  // why the journal still takes the letter for one that was never answered
}

// key names the record of this letter for this invoice, whichever API key it is sent with:
// a key may be replaced before anybody looks.
func (c *correction) key() journal.Key {
	const kind = "correction"
	parts := []string{c.client.BaseURL(), strings.ToLower(c.invoiceID), attribute.HashOfText(c.letter)}
	key := journal.KeyOf(kind, parts...).Formerly(kind, parts...)
	key.OfObject = true
	return key
}

// perform sends the letter once. With a problem nothing may come into state, or the object
// would be tainted and the letter sent again.
func (c *correction) perform(ctx context.Context) (sent *sentLetter, failed *problem) {
	c.once.Lasting = true
	err := c.once.Do(ctx, c.key(), func(ctx context.Context, t *once.Turn) (err error) {
		sent, err = c.attempt(ctx, t)
		return err
	})
	if err == nil || errors.As(err, &failed) {
		return sent, failed
	}
	failed = &problem{kind: busy, invoiceID: c.invoiceID, entry: c.once.Store.Where(c.key()), cause: err}
	if former := (*journal.UnsettledError)(nil); errors.As(err, &former) {
		failed.kind, failed.entry, failed.begun = unanswered, former.Where, former.Begun
	} else if errors.As(err, new(*once.StoreError)) {
		failed.kind = unwritable
	}
	return nil, failed
}

// attempt sends the letter unless its record says that it was sent. One that another run
// may be sending now is waited for.
func (c *correction) attempt(ctx context.Context, t *once.Turn) (*sentLetter, error) {
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
		sent := recordedLetter(t)
		sent.takenOver = true
		return sent, nil
	}
	if wrong := c.check(ctx); wrong != nil {
		return nil, wrong
	}
	answer, err := c.client.Beginning(t.Sending("", "")).CorrectInvoice(ctx, c.invoiceID, c.letter)
	record := t.Known
	switch {
	case errors.Is(err, journal.ErrChanged):
		return nil, err
	case errors.Is(err, einvoice.ErrAmbiguous):
		record.Content = lost
		t.Keep(ctx, record)
		return nil, problemOf(answerLost, err)
	case err != nil:
		if record != before { // The next run must not take it for one that was never answered.
			t.Keep(ctx, before)
		}
		if errors.As(err, new(*once.StoreError)) {
			return nil, err
		}
		refusal := problemOf(refused, err)
		refusal.unrecorded = t.Unkept
		return nil, refusal
	}
	record.Phase, record.Content = journal.Settled, string(answer.EventID)
	record.Result = cmp.Or(record.Content, uuid.NewString())
	t.Keep(ctx, record)
	sent := recordedLetter(t)
	sent.id, sent.eventID, sent.unrecorded = record.Result, record.Content, t.Unkept
	sent.repeated, sent.beforeEvent = before.Result != "", before.Content
	return sent, nil
}

// recordedLetter is the letter that a record speaks of.
func recordedLetter(t *once.Turn) *sentLetter {
	return &sentLetter{
		id: t.Known.Result, eventID: t.Known.Content,
		sentAt: t.Known.Stamp.UTC().Truncate(time.Second), entry: t.Where(),
	}
}

// confirm records that a state holds the letter: the same letter is another event then.
func (c *correction) confirm(ctx context.Context, id string) { c.once.Hold(ctx, c.key(), id) }

// check reads the invoice: the authority takes letters for authorized NF-e only
// (specification: Rules per endpoint).
func (c *correction) check(ctx context.Context) *problem {
	invoice, err := c.client.Invoice(ctx, einvoice.ModelProduct, c.invoiceID)
	failed := &problem{invoiceID: c.invoiceID, invoice: invoice, issuer: c.issuer, cause: err}
	switch {
	case errors.Is(err, einvoice.ErrNotFound),
		err == nil && invoice.Model != "" && string(invoice.Model) != einvoice.ModelProduct:
		failed.kind = notAnNFe
		return failed
	case err != nil:
		failed.kind = invoiceUnreadable
		return failed
	case invoice.Company != nil:
		c.holder = invoice.Company.FederalTaxNumber
	}
	switch {
	case c.issuer != "" && c.holder != "" && !attribute.TaxNumberSpelling.Same(c.issuer, string(c.holder)):
		failed.kind = otherCompany
	case string(invoice.Status) != einvoice.StatusAuthorized:
		failed.kind = notAuthorized
	default:
		return nil
	}
	return failed
}
