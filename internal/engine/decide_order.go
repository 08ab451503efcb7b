package engine

import (
	"slices"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// orderWanted is all that a decision knows of the wanted order. It is the same in each look of a run.
type orderWanted struct {
	status string // of the wanted order
	block  string // names the block of the configuration to the journal
	differ func(*einvoice.Order) []Difference
}

// orderFacts are what one look has read, and what the run knows from before it.
type orderFacts struct {
	listed []*einvoice.Order          // under the transaction_id
	noList bool                       // the service does not list orders
	read   map[string]*einvoice.Order // by their ids; nil for one that does not show

	lost, mayRepeat bool
	patience, alive time.Duration // as those of an invoice
}

// decideOrder says what a run does next to bring an order to the service. It touches nothing: all that it knows was
// read before, and a fact that it lacks is its answer. The first rule that answers decides.
func decideOrder(w *orderWanted, r journal.Record, f *orderFacts, now time.Time) move {
	d := &orderDecision{orderWanted: w, orderFacts: f, now: now, record: r, note: journal.NoteOf[orderNote](r)}
	for _, rule := range orderRules {
		if next := rule.apply(d); next != nil {
			next.why = rule.why
			return *next
		}
	}
	return move{do: stops, kind: Several} // The last rule always answers.
}

var orderRules = []struct {
	why   string
	apply func(*orderDecision) *move
}{
	{"several are alive", (*orderDecision).several},
	{"a request may still take effect", (*orderDecision).inDoubt},
	{"a list may lag", (*orderDecision).readByID},
	{"only the journal knows of it", (*orderDecision).onlyRecorded},
	{"there is none", (*orderDecision).none},
	{"another block is canceling its invoices", (*orderDecision).beingCanceled},
	{"it is another order", (*orderDecision).another},
	{"it is there", (*orderDecision).takes},
}

// orderDecision is what the rules have worked out so far.
type orderDecision struct {
	*orderWanted
	*orderFacts
	now time.Time

	record journal.Record // as it was loaded
	note   orderNote

	order  *einvoice.Order // the run goes on with it; nil for none
	isRead bool            // by its id
}

func (d *orderDecision) isDoubtful() bool {
	return isOpen(d.record, d.patience, d.now)
}

// several: orders that are over do not count beside another one.
func (d *orderDecision) several() *move {
	var several []*einvoice.Order
	if d.order, several = chosenOrder(d.listed); several == nil {
		return nil
	}
	return &move{do: stops, kind: Several, orders: several}
}

// inDoubt: a request left moments ago, and the list may lag. Any order that it shows settles that. Without a list only
// another run can still record the outcome, and not that of a request of this run.
func (d *orderDecision) inDoubt() *move {
	if d.order != nil || d.record.Result != "" || !d.isDoubtful() || d.noList && d.lost {
		return nil
	}
	return &move{do: looksAgain}
}

// readByID: a list may lag behind in what it shows of an order, too.
func (d *orderDecision) readByID() *move {
	id := d.record.Result
	if d.order != nil && (id == "" || !isOver(d.order)) {
		id = string(d.order.ID)
	}
	if id == "" {
		return nil
	}
	order, isRead := d.read[lower(id)]
	switch {
	case !isRead:
		return &move{do: reads, id: id}
	case order != nil:
		d.order, d.isRead = order, true
	}
	return nil
}

// onlyRecorded: an order that was sent, and that no list or name can show, would be sent again by the next run. The
// journal alone decides, as for an NFC-e.
func (d *orderDecision) onlyRecorded() *move {
	isSent := d.record.Phase != journal.Idle
	switch {
	case d.order == nil && d.note.Valid && !d.noList: // As an invoice that has vanished.
		return &move{do: stops, kind: Vanished, id: d.record.Result, showsRecord: true}
	case d.order != nil || !d.note.Unnamed && !(d.noList && isSent):
		return nil
	}
	return &move{do: stops, kind: Unlisted, showsRecord: true}
}

// none: nothing is there, and nothing may still appear. What this run has sent is sent again only where it certainly
// was not processed, or the retries allow it.
func (d *orderDecision) none() *move {
	switch {
	case d.order != nil:
		return nil
	case d.lost && !d.mayRepeat:
		return &move{do: stops, kind: AnswerLost}
	}
	return &move{do: sends}
}

// beingCanceled: a block was renamed without `moved`, and its destroy is canceling the invoices.
func (d *orderDecision) beingCanceled() *move {
	if !d.note.Canceling || !isOpen(d.record, d.alive, d.now) || !slices.ContainsFunc(d.order.Invoices, IsCancelable) {
		return nil
	}
	return &move{do: stops, kind: BeingCanceled, order: d.order}
}

func (d *orderDecision) another() *move {
	if differ := d.differ(d.order); len(differ) > 0 {
		return &move{do: stops, kind: Another, order: d.order, differ: differ}
	}
	if isOver(d.order) && string(d.order.Status) != d.status {
		return &move{do: stops, kind: Ended, order: d.order}
	}
	return nil
}

// takes: the record is swapped also where only the block is another one: the block that leaves sees then that it must
// not cancel the order.
func (d *orderDecision) takes() *move {
	id := string(d.order.ID)
	isRecorded := d.record.Phase == journal.Settled && d.note.Block == d.block &&
		einvoice.SameID(d.record.Result, d.order.ID)
	note := d.note
	note.Block, note.Canceling = d.block, false
	return &move{
		do: follows, order: d.order, learned: d.isRead && !isRecorded,
		record: d.record.In(journal.Settled, id).Noted(note),
	}
}

// chosenOrder picks the order to go on with, or returns the several that are alive.
func chosenOrder(found []*einvoice.Order) (order *einvoice.Order, several []*einvoice.Order) {
	alive := slices.DeleteFunc(slices.Clone(found), isOver)
	switch {
	case len(alive) == 1:
		return alive[0], nil
	case len(alive) > 1:
		return nil, alive
	case len(found) > 0:
		return found[len(found)-1], nil
	}
	return nil, nil
}
