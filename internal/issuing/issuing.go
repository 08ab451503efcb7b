// Package issuing brings an invoice to the service exactly once, and follows it
// to its end. It knows nothing of Terraform and has no words for a person: a run
// ends in an invoice or in a *Problem, and in notes.
package issuing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
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

	// OfOrder is set for an invoice that an order issues. It has no payload and no
	// integration_id, and it is never issued here.
	OfOrder bool
	// Twin finds the authorized invoice that SPD004 speaks of; nil for a look-up
	// by the integration_id.
	Twin func(context.Context, *einvoice.Invoice) (*einvoice.Invoice, error)

	Watch func(Event) // told what happens while a run goes on, if anybody listens
	Notes []Event     // what is worth a warning after the run, however it ended

	before      []*einvoice.Invoice // what this run found before it sent anything
	sent        bool                // this run has sent the payload
	repetitions int                 // and how often after the first time
	issuedDraft bool                // this run has asked for a draft to be issued
	unanswered  error               // of the last request, other than a read, without a usable answer
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
	Adopted            EventKind = "adopted"    // it existed already and is what is wanted
	NotMerged          EventKind = "not merged" // the service kept the one that was corrected
	Unlike             EventKind = "unlike"     // the service shows something else than was sent
	InContingency      EventKind = "in contingency"
	NotADraft          EventKind = "not a draft"
	JournalUnwritable  EventKind = "journal not written"
	JournalNotReleased EventKind = "journal not released"
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

// settle sends what is to be sent while it holds the journal, and waits for the
// authority without it.
func (i *Issuing) settle(ctx context.Context, held string, changed bool) (*einvoice.Invoice, error) {
	entry, err := i.open(ctx)
	if err != nil {
		return nil, i.problem(Unopened(err), nil, err)
	}
	v, err := i.begin(ctx, entry, held, changed)
	for i.maySendAgain(ctx, err) {
		i.repetitions++
		v, err = i.begin(ctx, entry, held, changed) // It goes on as another run would.
	}
	entry.Close()
	if err == nil {
		err = i.ofIssuer(v)
	}
	if err != nil {
		return nil, err
	}
	v, err = i.Follow(ctx, v)
	if err != nil || !i.sent {
		return v, err
	}
	if differ := i.unlike(v); len(differ) > 0 {
		i.Notes = append(i.Notes, Event{Kind: Unlike, Model: i.Model, Invoice: v, Differences: differ})
	}
	if held == "" && !IsCorrectable(v) {
		i.confirm(ctx, v)
	}
	return v, i.lookForTwin(ctx, v)
}

const journalKind = "invoice"

// open opens the journal's entry of the sale.
func (i *Issuing) open(ctx context.Context) (*Entry, error) {
	return i.OpenEntry(ctx, &i.Notes, journalKind, i.Model, i.IntegrationID)
}

// confirm lets the journal forget the payload of an invoice that was created and
// cannot change any more. That of a correction is kept: should the run be killed
// before the state has it, the state tells of another payload than the invoice was
// made of.
func (i *Issuing) confirm(ctx context.Context, v *einvoice.Invoice) {
	entry, err := i.open(ctx)
	if err != nil {
		return
	}
	defer entry.Close()
	if einvoice.SameID(entry.State().ID, v.ID) {
		entry.note(JournalUnwritable, entry.Confirm())
	}
}

// begin brings the invoice to the service, unless it is there already. held is the
// id that the state has, "" for none, and changed tells that the payload is not
// the state's any more.
func (i *Issuing) begin(ctx context.Context, entry *Entry, held string, changed bool) (*einvoice.Invoice, error) {
	unanswered := !entry.State().Begun.IsZero()
	found, err := i.lookUp(ctx, entry, held)
	if err == nil {
		err = i.ofIssuer(found)
	}
	if err != nil {
		return nil, err
	}
	if decide(found, i.Want) == decidePost {
		return i.post(ctx, entry, nil)
	}
	inState := einvoice.SameID(held, found.ID)
	as := i.compare(entry.State(), found, unanswered, inState, inState && !changed)
	if IsRejected(found) {
		if inState && !changed {
			return found, nil // Nothing is to be sent: it was rejected since it was planned.
		}
		// The authority may hold another result.
		if found, err = i.ask(ctx, found); err != nil {
			return nil, err
		}
	}
	next, err := i.next(found, as)
	switch {
	case err != nil:
		return nil, err
	case next == SendsOver:
		return i.post(ctx, entry, found)
	case next == IssuesDraft:
		return i.issueDraft(ctx, found)
	case next == Takes && held == "" && !i.sent:
		i.note(Adopted, found, nil)
	}
	return found, nil
}

// compared is what is known of the content of an invoice that was found.
type compared struct {
	inState   bool // the state has it
	journaled bool // the journal names its content, which the state may not have
	same      bool // it is certainly what is wanted
}

// compare tells what is known of a found invoice's content. unanswered tells that a
// POST was begun and never answered, and unchanged that the state has what is wanted.
func (i *Issuing) compare(known journal.State, found *einvoice.Invoice, unanswered, inState, unchanged bool) compared {
	doubted := known.Note == inDoubt
	as := compared{inState: inState, same: unchanged && !unanswered && !doubted}
	as.journaled = known.Note != "" && !doubted && (einvoice.SameID(known.ID, found.ID) || unanswered && !IsCorrectable(found))
	if as.journaled {
		as.same = i.isContent(known.Note)
	}
	return as
}

// next decides about an invoice that was found.
func (i *Issuing) next(found *einvoice.Invoice, as compared) (Step, error) {
	differ := Differences(i.Payload, i.Model, found)
	switch next := decide(found, i.Want); {
	case next == decideDead:
		return 0, i.failed(found)
	case IsRejected(found), IsCorrectable(found) && !as.same:
		return SendsOver, nil // What a draft holds does not show as a whole.
	case len(differ) > 0 && !as.inState:
		return 0, i.another(found, differ)
	case (as.inState || as.journaled) && !as.same:
		return 0, i.problem(Settled, found, nil)
	case next == decideIssue:
		return IssuesDraft, nil
	case next == decideDone:
		return Takes, nil
	}
	return Awaits, nil
}

// content names the payload, however it is written, for the journal.
func (i *Issuing) content() string { return digestOf(fiscal.SendablePayload(i.Payload)) }

// isContent tells whether a note of the journal names the payload. An earlier version
// sent it with its punctuation, and noted it so.
func (i *Issuing) isContent(note string) bool {
	return note == i.content() || note == digestOf(i.Payload)
}

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
	if !looked {
		var err error
		if found, err = i.list(ctx); err != nil {
			return nil //nolint:nilerr // The invoice is issued, whatever this look was to show.
		}
	}
	_, err := i.choose(with(found, v), "")
	return err
}

// another is an invoice under the id that is not the wanted one.
func (i *Issuing) another(v *einvoice.Invoice, differ []Difference) *Problem {
	p := i.problem(Another, v, nil)
	p.Differences = differ
	return p
}
