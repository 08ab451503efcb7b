// Package engine brings an invoice or an order to the service exactly once, and follows it to its end. It knows
// nothing of Terraform and has no words for a person: a run ends in an invoice, an order or a *Problem, and in notes.
package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

// Service is what a run works with.
type Service struct {
	Client   *einvoice.Client
	Store    journal.Store
	Patience time.Duration // how long what was sent may stay invisible
	Clock    poll.Clock

	Issuer  string           // the tax number of the company that is to issue; "" for the company that has the key
	Account *einvoice.Client // that may have the main company's key; nil for none

	// Owner is the company that the record of the sale was written under, as a state remembers it; "" for this one.
	Owner string

	Environments Environments // where it may issue
}

// Once returns the journal that makes something happen once.
func (s *Service) Once() *once.Journal {
	return &once.Journal{Store: s.Store, Clock: s.Clock, Patience: s.Patience}
}

// RecordOwner names the company in the key of a sale's record: two companies may give one name to two sales. It is the
// issuer where that is configured. Otherwise it is the API key, so that a replaced key is not recognized.
func (s *Service) RecordOwner() string {
	if s.Owner == "" && s.Issuer != "" {
		return fiscal.NormalizeTaxNumber(s.Issuer)
	}
	return cmp.Or(s.Owner, s.Client.Fingerprint())
}

// Issuing is one invoice on its way from a configuration to a settled status. It is sent once: see run.go.
type Issuing struct {
	Service
	Want
	Model         string
	IntegrationID string          // by which a next run finds it
	Payload       json.RawMessage // without integrationId and issue

	// OfOrder is the order that issues the invoice, nil for none. Such an invoice has no payload and no
	// integration_id, and it is never issued here.
	OfOrder *einvoice.Order

	Holder string      // names the object of a state that has the invoice or is to have it; "" for an action
	Watch  func(Event) // is told what happens while a run goes on; nil for nobody

	attempt
	state       inState
	looked      time.Time           // when this run looked last before it sent
	before      []*einvoice.Invoice // what it found before it sent anything
	resent      *resent             // the rejected invoice or draft that it has sent over; nil for none
	issuedDraft bool                // it has asked for a draft to be issued
	unanswered  error               // of the last request, other than a read, without a usable answer
}

// inState is what a state has of an invoice; the zero inState is of a creation.
type inState struct {
	id             string
	payloadChanged bool // another payload is wanted
}

// Event is something that happens in a run and is no problem.
type Event struct {
	Kind     EventKind
	Model    string
	Invoice  *einvoice.Invoice
	Previous *einvoice.Invoice // StatusChanged: the same before; NotMerged: the one beside it
	Err      error             // of the journal

	Differences []Difference // Unlike: from what was sent
}

// EventKind tells events apart.
type EventKind string

// Events for [Issuing.Watch].
const (
	StatusChanged       EventKind = "status changed"
	Queued              EventKind = "queued"               // the authority cannot be asked about it yet
	Canceling           EventKind = "canceling"            // its cancellation begins
	CancellationUnknown EventKind = "cancellation unknown" // whether it began; it is followed
	CancellationSent    EventKind = "cancellation sent"    // it is followed
)

// Events that a run notes.
const (
	Adopted           EventKind = "adopted"        // it existed already and is what is wanted
	NotMerged         EventKind = "not merged"     // the service kept the one that was corrected
	NoList            EventKind = "no list"        // of this model or of orders: the journal alone decides
	Unlike            EventKind = "unlike"         // the service shows something else than was sent
	IssuerUnknown     EventKind = "issuer unknown" // nothing shows whose the key is
	InContingency     EventKind = "in contingency"
	JournalUnwritable EventKind = "journal not written"
)

func (i *Issuing) tell(kind EventKind, v, previous *einvoice.Invoice) {
	if i.Watch != nil {
		i.Watch(Event{Kind: kind, Model: i.Model, Invoice: v, Previous: previous})
	}
}

func (i *Issuing) note(kind EventKind, v, previous *einvoice.Invoice) {
	i.Notes = append(i.Notes, Event{Kind: kind, Model: i.Model, Invoice: v, Previous: previous})
}

// Create issues the invoice, or goes on with the one that exists under its integration_id already, and waits until it
// is settled. After a problem nothing of it belongs in state: the next apply comes back here and goes on.
func (i *Issuing) Create(ctx context.Context) (*einvoice.Invoice, error) {
	return i.settle(ctx, inState{})
}

// Update brings an invoice that is in state to what the configuration wants. It looks as Create does: a run that
// failed may have left another invoice. The sale goes on with the invoice that is returned, beside a problem too.
func (i *Issuing) Update(ctx context.Context, id string, payloadChanged bool) (*einvoice.Invoice, error) {
	return i.settle(ctx, inState{id, payloadChanged})
}

// settle sends what is to be sent, once, and waits for the authority.
func (i *Issuing) settle(ctx context.Context, state inState) (*einvoice.Invoice, error) {
	i.attempt, i.state, i.before, i.resent = attempt{Notes: i.Notes}, state, nil, nil
	i.issuedDraft, i.unanswered = false, nil
	defer i.letOthersGo(false)
	v, err := i.issueAndFollow(ctx)
	i.noteMissing(&i.Service, i.Model)
	if i.reopenMisnamed(ctx, &i.Service, i.key(), err) {
		v = nil // It is another sale's.
	}
	return v, err
}

func (i *Issuing) issueAndFollow(ctx context.Context) (v *einvoice.Invoice, err error) {
	if v, err = i.issueOnce(ctx); err == nil {
		if (i.sent || i.issuedDraft) && i.isNamed(v) {
			i.learnKeyOwner(ctx, i.Model, v)
		}
		err = i.checkIssuerOf(v)
		i.letOthersGo(true)
	}
	if err != nil {
		return nil, i.about(err, nil)
	}
	if v, err = i.follow(ctx, v); v != nil {
		i.trustResent(ctx, v)
		err = cmp.Or(i.checkIssuerOf(v), err)
	}
	if err == nil && i.sent {
		err = i.Environments.checkAnswer(v)
	}
	if err != nil {
		return v, err
	}
	// Once a state has the invoice, its record may be forgotten, and the payload with it. Not so if the service lists
	// none of this model: the record alone keeps the sale from being sent again then.
	isNew := i.state.id == "" && len(i.before) == 0
	confirmed := isNew && i.sent && !IsCorrectable(v) && i.noList == nil
	i.recordSale(ctx, &i.Service, i.key(), holding{i.Holder, v.ID, v.Meaning().Valid}, confirmed)
	if !i.sent {
		return v, nil
	}
	if differ := i.differencesToSent(v); len(differ) > 0 {
		i.Notes = append(i.Notes, Event{Kind: Unlike, Model: i.Model, Invoice: v, Differences: differ})
	}
	return v, i.checkForDuplicate(ctx, v)
}

// key names the record of the sale.
func (i *Issuing) key() journal.Key { return i.keyOf(i.IntegrationID) }

func (i *Issuing) keyOf(integrationID string) journal.Key {
	return journal.KeyOf("invoice", i.Client.BaseURL(), i.RecordOwner(), i.Model, integrationID)
}

// Take records that an object of a state has the invoice: an imported one, or one whose notes a provider that died has
// not kept.
func (i *Issuing) Take(ctx context.Context, id string, isImported bool) {
	if isImported {
		i.settleImported(ctx, &i.Service, i.key(), id)
	}
	i.recordSale(ctx, &i.Service, i.key(), holding{block: i.Holder, id: einvoice.Text(id)}, false)
}

// IsTakenOver reports whether the journal says that another object has the invoice: Cancel sends nothing then.
func (i *Issuing) IsTakenOver(ctx context.Context, id string) bool {
	return i.isTakenOver(ctx, i.key(), holding{block: i.Holder, id: einvoice.Text(id)})
}

// content is a digest of the payload, however it is written, for the journal.
func (i *Issuing) content() string { return digestOf(fiscal.SendablePayload(i.Payload)) }

func digestOf(payload json.RawMessage) string {
	text := []byte(payload)
	if value, err := jsontree.Decode(text); err == nil {
		text, _ = json.Marshal(value) // What was decoded can be written.
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// checkForDuplicate looks, after this run has sent the invoice, for another one under its integration_id: a runner
// that does not share this journal may have sent it at the same time. A list that cannot be read now proves nothing.
func (i *Issuing) checkForDuplicate(ctx context.Context, v *einvoice.Invoice) error {
	found, looked := i.Client.ListedBeside(ctx, i.Model, v)
	if !looked && i.noList != nil {
		return nil //nolint:nilerr // There is no list to look in.
	}
	if !looked {
		var err error
		if found, err = lookTwice(func() ([]*einvoice.Invoice, error) { return i.list(ctx) }); err != nil {
			return nil //nolint:nilerr // The invoice is issued, whatever this look was to show.
		}
	}
	for n, other := range found {
		if !IsRejected(other) || einvoice.SameID(other.ID, v.ID) || isAsIn(i.before, other) {
			continue
		}
		// The authority may have authorized it. While it is queued nobody waits for it here.
		if f := i.follower(asked, other); f.check(ctx) {
			found[n] = f.invoice
		} else if current, err := i.Client.Invoice(ctx, i.Model, string(other.ID)); err == nil {
			found[n] = current
		}
	}
	_, err := i.choose(replacedBy(found, v), "")
	return err
}

// checkIssuerOf refuses an invoice that another company than the issuer has issued.
func (i *Issuing) checkIssuerOf(v *einvoice.Invoice) error {
	if v == nil || v.Company == nil {
		return nil
	}
	err := i.checkIssuer(einvoice.Text(v.Company.FederalTaxNumber))
	if p := (*Problem)(nil); errors.As(err, &p) {
		p.Sent = i.sent
	}
	return i.about(err, v)
}
