// Package engine brings an invoice or an order to the service exactly once, and follows it
// to its end. It knows nothing of Terraform and has no words for a person: a run
// ends in an invoice or in a *Problem, and in notes.
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

	Issuer  string           // the tax number of the company that is to issue; "" for whoever has the key
	Account *einvoice.Client // that may have the main company's key; nil for none

	Environments Environments // where it may issue
}

// Once is the way in which the service makes something happen once.
func (s *Service) Once() *once.Journal {
	return &once.Journal{Store: s.Store, Clock: s.Clock, Patience: s.Patience, Key: s.Client.Fingerprint(), Company: func() string {
		return fiscal.NormalizeTaxNumber(cmp.Or(s.Issuer, string(s.Client.Holder())))
	}}
}

// Issuing is one invoice on its way from a configuration to a settled status.
//
// Two things make that happen exactly once: the look-up at the service before
// every POST, and the journal on this machine, which covers what the look-up
// cannot see: a list that lags, two blocks with one id, a kill inside a POST.
type Issuing struct {
	Service
	Want
	Model         string
	IntegrationID string          // what a next run finds it by
	Payload       json.RawMessage // without integrationId and issue

	// OfOrder is the order that issues the invoice, nil for none. Such an invoice has no
	// payload and no integration_id, and it is never issued here.
	OfOrder *einvoice.Order

	// Holder names the object of a state that has the invoice, or is to have it; "" for
	// none, such as an action.
	Holder string

	Watch func(Event) // told what happens while a run goes on, if anybody listens

	attempt
	looked      time.Time                   // when it looked last before it sent
	before      []*einvoice.Invoice         // what it found before it sent anything
	issuedDraft bool                        // it has asked for a draft to be issued
	unanswered  error                       // of the last request, other than a read, without a usable answer
	begin       func(context.Context) error // is called right before each attempt of a cancellation
}

// Event is something that happens in a run and is no problem.
type Event struct {
	Kind     EventKind
	Model    string
	Invoice  *einvoice.Invoice
	Previous *einvoice.Invoice // the same before StatusChanged; the one beside it when NotMerged
	Err      error             // of the journal

	Differences []Difference // Unlike: from what was sent
}

// EventKind tells events apart.
type EventKind string

// Events that whoever watches is told.
const (
	StatusChanged       EventKind = "status changed"
	Queued              EventKind = "queued"               // the authority cannot be asked about it yet
	Canceling           EventKind = "canceling"            // its cancellation begins
	CancellationUnknown EventKind = "cancellation unknown" // whether it began; it is followed
	CancellationSent    EventKind = "cancellation sent"    // it is followed
)

// Events that a run notes.
const (
	Adopted           EventKind = "adopted"         // it existed already and is what is wanted
	NotMerged         EventKind = "not merged"      // the service kept the one that was corrected
	NoList            EventKind = "no list"         // of this model or of orders: the journal alone decides
	Unreadable        EventKind = "unreadable"      // the service neither reads nor lists orders
	InvoicesUnseen    EventKind = "invoices unseen" // of an order, so that none was waited for
	Unlike            EventKind = "unlike"          // the service shows something else than was sent
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

// Create issues the invoice, or goes on with the one that exists under its
// integration_id already, and waits until it is settled. After a problem nothing
// of it belongs in state: running apply again comes back here and goes on.
func (i *Issuing) Create(ctx context.Context) (*einvoice.Invoice, error) {
	return i.settle(ctx, "", false)
}

// Update brings an invoice that is in state to what the configuration wants. It
// looks as Create does: a run that failed may have left another one than the
// state knows. An invoice beside a problem is the one that the sale goes on with.
func (i *Issuing) Update(ctx context.Context, id string, payloadChanged bool) (*einvoice.Invoice, error) {
	return i.settle(ctx, id, payloadChanged)
}

// settle sends what is to be sent, once, and waits for the authority.
func (i *Issuing) settle(ctx context.Context, held string, changed bool) (*einvoice.Invoice, error) {
	i.attempt, i.before, i.issuedDraft, i.unanswered = attempt{Notes: i.Notes}, nil, false, nil
	defer i.leaveTurn()
	v, err := i.issue(ctx, held, changed)
	i.noteUnlisted(i.Client, i.Model)
	if i.isMixedUp(ctx, &i.Service, i.key(), err) {
		v = nil // It is another sale's.
	}
	return v, err
}

// issue is one run to its end.
func (i *Issuing) issue(ctx context.Context, held string, changed bool) (v *einvoice.Invoice, err error) {
	err = i.do(ctx, &i.Service, i.key(), func(ctx context.Context, t *once.Turn) (err error) {
		v, err = i.bring(ctx, t, held, changed)
		return err
	})
	if err == nil {
		i.learnHolder(v)
		err = i.ofIssuer(v)
	}
	if err != nil {
		return nil, i.about(err, nil)
	}
	if v, err = i.Follow(ctx, v); i.learnHolder(v) {
		i.Client.Followed()
		err = cmp.Or(i.ofIssuer(v), err)
	}
	if err == nil && i.sent {
		err = i.Environments.answered(v)
	}
	if err != nil {
		return v, err
	}
	i.take(ctx, &i.Service, i.key(), holding{i.Holder, v.ID}, held == "" && i.sent && !IsCorrectable(v))
	if !i.sent {
		return v, nil
	}
	if differ := i.unlike(v); len(differ) > 0 {
		i.Notes = append(i.Notes, Event{Kind: Unlike, Model: i.Model, Invoice: v, Differences: differ})
	}
	return v, i.lookForTwin(ctx, v)
}

// key names the record of the sale, whichever API key it is sent with.
func (i *Issuing) key() journal.Key {
	return journal.KeyOf("invoice", i.Client.BaseURL(), i.Model, i.IntegrationID).
		Formerly("invoice", i.Client.Fingerprint(), i.Model, i.IntegrationID)
}

// Take has the journal know which object of a state has the invoice all along, such as an
// imported one.
func (i *Issuing) Take(ctx context.Context, id string) {
	i.take(ctx, &i.Service, i.key(), holding{i.Holder, einvoice.Text(id)}, false)
}

// uncancel reads an invoice whose cancellation by another object is on its way: it is
// not taken over. One that is canceled by now, or was not, goes on as any other.
func (i *Issuing) uncancel(ctx context.Context, t *once.Turn) error {
	v, err := i.readKnown(ctx, t.Known.Result)
	if err != nil {
		return err
	}
	if v != nil && EndingOf(string(v.Status)) != Forgotten && t.InDoubt() {
		return i.problem(BeingCanceled, v, nil)
	}
	t.Known.Phase, t.Known.Content = journal.Settled, ""
	return nil
}

// bring brings the invoice to the service, unless it is there already. held is the
// id that the state has, "" for none, and changed tells that the payload is not
// the state's any more.
func (i *Issuing) bring(ctx context.Context, t *once.Turn, held string, changed bool) (*einvoice.Invoice, error) {
	i.looked = i.Clock.Now()
	listed, err := i.listedOrKnown(ctx, t, held)
	if err == nil && t.Known.Content == canceling {
		if err = i.uncancel(ctx, t); err == nil {
			listed, err = i.listedOrKnown(ctx, t, held) // The list was read before that.
		}
	}
	t.Known.Holder = i.Holder // With the next swap.
	known := t.Known
	if err == nil && t.InDoubt() {
		err = i.prove(ctx, listed)
	}
	if err != nil {
		return nil, err
	}
	found, err := i.search(ctx, listed, known, held)
	if err != nil {
		return nil, err
	}
	if i.lost != nil {
		if v, err := i.settleLost(ctx, t, found.all); v != nil || err != nil {
			return v, err
		}
	}
	v, err := i.current(ctx, found)
	if err == nil {
		err = i.ofIssuer(v)
	}
	if err != nil {
		return nil, err
	}
	if v == nil {
		return i.post(ctx, t, nil)
	}
	adopts, err := i.othersDraft(found, v, t, held)
	if err != nil {
		return nil, err
	}
	inState := einvoice.SameID(held, v.ID)
	s := standing{known: known, unanswered: known.Phase == journal.Sending, inState: inState, unchanged: inState && !changed, adopts: adopts}
	if s.known = i.learned(known, found.invoice); adopts {
		s.known.Content = inDoubt // Before it is issued, the payload is sent over it.
	}
	if s.known != known {
		t.Keep(ctx, s.known)
		if errors.Is(t.Unkept, journal.ErrChanged) {
			return nil, t.Unkept
		}
	}
	return i.goOn(ctx, t, v, s, held == "")
}

// goOn goes on with an invoice that was found. isNew tells that no state has one.
func (i *Issuing) goOn(ctx context.Context, t *once.Turn, v *einvoice.Invoice, s standing, isNew bool) (*einvoice.Invoice, error) {
	as := i.compare(v, s)
	if IsRejected(v) {
		if s.unchanged {
			return v, nil // Nothing is to be sent: it was rejected since it was planned.
		}
		// The authority may hold another result.
		var err error
		if v, err = i.ask(ctx, v); err != nil {
			return nil, err
		}
	}
	next, err := i.next(v, as)
	switch {
	case err != nil:
		return nil, err
	case next == SendsOver:
		return i.post(ctx, t, v)
	case next == IssuesDraft:
		return i.issueDraft(ctx, t, v)
	}
	if isNew && einvoice.SameID(t.Known.Result, v.ID) {
		// Whoever leaves with this invoice sees now that it does not cancel it.
		if t.Keep(ctx, t.Known); errors.Is(t.Unkept, journal.ErrChanged) {
			return nil, t.Unkept
		}
	}
	if next == Takes && isNew && !i.sent {
		i.note(Adopted, v, nil)
	}
	return v, nil
}

// compared is what is known of the content of an invoice that was found.
type compared struct {
	inState   bool // the state has it
	journaled bool // the journal names its content, which the state may not have
	same      bool // it is certainly what is wanted
}

// standing is how a found invoice stands to the run.
type standing struct {
	known journal.Record

	unanswered bool // a request was sent and never answered
	inState    bool // the state has it
	unchanged  bool // and the state has what is wanted
	adopts     bool // it is a draft of somebody else that is taken as it is
}

// compare tells what is known of a found invoice's content.
func (i *Issuing) compare(found *einvoice.Invoice, s standing) compared {
	known := s.known
	doubted := known.Content == inDoubt
	as := compared{inState: s.inState, same: s.adopts || s.unchanged && !s.unanswered && !doubted}
	as.journaled = known.Content != "" && !doubted && (einvoice.SameID(known.Result, found.ID) || s.unanswered && !IsCorrectable(found))
	if as.journaled {
		as.same = i.isContent(known.Content)
	}
	return as
}

// next decides about an invoice that was found.
func (i *Issuing) next(found *einvoice.Invoice, as compared) (Step, error) {
	differ := Differences(i.Payload, i.Model, found)
	switch next := decide(found, i.Want); {
	case next == decideDead:
		return 0, i.dead(found)
	case IsRejected(found), IsCorrectable(found) && !as.same:
		return SendsOver, nil // What a draft holds does not show as a whole.
	case len(differ) > 0 && !as.inState:
		return 0, i.another(found, differ)
	case (as.inState || as.journaled) && !as.same:
		return 0, i.problem(Settled, found, nil)
	case next == decideIssue:
		return IssuesDraft, nil
	case next == decideDone && !i.Issue && string(found.Status) != einvoice.StatusCreated:
		return 0, i.problem(NotADraft, found, nil)
	case next == decideDone:
		return Takes, nil
	}
	return Awaits, nil
}

// content names the payload, however it is written, for the journal.
func (i *Issuing) content() string { return digestOf(fiscal.SendablePayload(i.Payload)) }

// isContent reports whether a record was made of the payload.
func (i *Issuing) isContent(content string) bool { return content == i.content() }

func digestOf(payload json.RawMessage) string {
	text := []byte(payload)
	if value, err := jsontree.Decode(text); err == nil {
		text, _ = json.Marshal(value) // What was decoded can be written.
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// lookForTwin looks once more, after this run has sent the invoice, for another
// one under its integration_id: a runner that does not share this journal may
// have sent it at the same time. A list that cannot be read now proves nothing.
func (i *Issuing) lookForTwin(ctx context.Context, v *einvoice.Invoice) error {
	found, looked := i.Client.ListedBeside(i.Model, v)
	if !looked && i.unlisted != nil {
		return nil //nolint:nilerr // There is no list to look in.
	}
	if !looked {
		var err error
		if found, err = i.list(ctx); err != nil {
			return nil //nolint:nilerr // The invoice is issued, whatever this look was to show.
		}
	}
	_, err := i.choose(with(found, v), "")
	return err
}

// learnHolder learns whose the key is from the invoice that this run has sent, and reports
// whether it has.
func (i *Issuing) learnHolder(v *einvoice.Invoice) bool {
	isSent := i.sent && i.isNamed(v)
	if isSent {
		i.Client.Issued(v)
	}
	return isSent
}

// ofIssuer refuses an invoice that another company than the issuer has issued.
func (i *Issuing) ofIssuer(v *einvoice.Invoice) error {
	if v == nil || v.Company == nil {
		return nil
	}
	p, _ := i.fitsHolder(v.Company.FederalTaxNumber).(*Problem) //nolint:errorlint // As it returns it.
	if p == nil {
		return nil
	}
	p.Sent = i.sent
	return i.about(p, v)
}

// another is an invoice under the id that is not the wanted one.
func (i *Issuing) another(v *einvoice.Invoice, differ []Difference) *Problem {
	p := i.problem(Another, v, nil)
	p.Differences = differ
	return p
}
