package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// Ordering is one order on its way from a configuration to settled invoices. The service does not promise that a
// transaction_id is unique.
type Ordering struct {
	Service
	Wanted einvoice.Order
	Extra  json.RawMessage // more of the request, or nil

	Status            string // to bring the order to; "" leaves it as it is
	Issue             bool   // the explicit issue is configured
	IssueNow          bool   // and this run is to ask for it
	EffectiveDate     string // of the explicit issue; "" for the service's
	Waits             bool   // until the invoices that are due are settled
	AcceptContingency bool   // valid in contingency is enough, of an NFC-e

	Known    []*einvoice.Invoice // that a state has
	Holder   string              // names the object of a state that has the order; "" for none
	Watch    func(Event)         // is told what happens to an invoice while a run goes on; nil for nobody
	Found    *einvoice.Order     // that existed before this run, or nil
	Replaced []*einvoice.Invoice // failed ones that another one has taken the place of

	attempt
	before *einvoice.Order // as this run saw it first, or before it sent, where it issues explicitly
}

// Create records the order, or goes on with the one that exists under its transaction_id already, and waits for what
// is due. An error is a *Problem or InvoiceProblems. After an error nothing of it belongs in state, where it would be
// tainted and replaced: the next run comes back here, finds the order and goes on.
func (o *Ordering) Create(ctx context.Context) (*einvoice.Order, error) {
	o.attempt = attempt{Notes: o.Notes}
	defer o.letOthersGo(false)
	order, err := o.recordAndSettle(ctx)
	o.noteMissing(&o.Service, "")
	_ = o.reopenMisnamed(ctx, &o.Service, o.key(), err)
	return order, err
}

func (o *Ordering) recordAndSettle(ctx context.Context) (order *einvoice.Order, err error) {
	if order, err = turns(ctx, &o.attempt, &o.Service, o.key(), o.turn); err != nil {
		return nil, err
	}
	if !slices.Contains(beginnings, string(order.Status)) {
		o.Status = "" // It has moved on by itself; sending it back is for a plan to show.
	}
	return o.settle(ctx, order, o.sent)
}

// Update brings an order that is in state to what the configuration wants. It reads the order by its id: a list could
// lag. Errors are those of Create.
func (o *Ordering) Update(ctx context.Context, id string) (*einvoice.Order, error) {
	defer o.letOthersGo(false)
	defer func() { o.noteMissing(&o.Service, "") }()
	current, err := o.read(ctx, einvoice.Text(id))
	if err != nil {
		return nil, o.failed(ctx, requestRead, err)
	}
	return o.settle(ctx, current, false)
}

// key names the record of the order.
func (o *Ordering) key() journal.Key {
	return journal.KeyOf("order", o.Client.BaseURL(), o.RecordOwner(), string(o.Wanted.TransactionID))
}

// Take records that an object of a state has the order: an imported one, or one whose notes a provider that died has
// not kept.
func (o *Ordering) Take(ctx context.Context, id string, isImported bool) {
	if isImported {
		o.settleImported(ctx, &o.Service, o.key(), id)
	}
	o.record(ctx, holding{block: o.Holder, id: einvoice.Text(id)})
}

// record records which block has the order, and whether invoices of it are valid.
func (o *Ordering) record(ctx context.Context, held holding) {
	o.recordBlock(ctx, &o.Service, o.key(), held, func(known journal.Record) journal.Record {
		note := journal.NoteOf[orderNote](known)
		note.Block, note.Valid = held.block, note.Valid || held.isValid
		return known.Noted(note)
	})
}

// IsTakenOver reports whether the journal says that another object has the order: Cancel sends nothing then.
func (o *Ordering) IsTakenOver(ctx context.Context, id string) bool {
	return o.isTakenOver(ctx, o.key(), holding{block: o.Holder, id: einvoice.Text(id)})
}

// settle brings an order that exists to the wanted status, and waits for the authority.
func (o *Ordering) settle(ctx context.Context, recorded *einvoice.Order, isNew bool) (*einvoice.Order, error) {
	recorded, err := o.advance(ctx, recorded, isNew)
	if err != nil {
		return nil, err
	}
	order, err := o.finish(ctx, recorded)
	if o.asked {
		o.learnIssuer(ctx, cmp.Or(order, recorded)) // Its invoices, in full by now.
	}
	o.letOthersGo(true)
	if other := o.checkIssuerOf(recorded); other != nil {
		return nil, other
	}
	isValid := func(v *einvoice.Invoice) bool { return v.Meaning().Valid }
	if order != nil && slices.ContainsFunc(order.Invoices, isValid) {
		o.record(ctx, holding{o.Holder, order.ID, true})
	}
	if err == nil && o.sent {
		for _, v := range order.Invoices {
			err = cmp.Or(err, o.Environments.checkAnswer(v))
		}
	}
	if err == nil && o.sent {
		err = o.checkForDuplicate(ctx, order)
	}
	return order, err
}

// checkIssuerOf refuses an order that, as is known by now, another company has made.
func (o *Ordering) checkIssuerOf(order *einvoice.Order) error {
	err := o.checkIssuer(o.Client.KeyOwner())
	if p := (*Problem)(nil); errors.As(err, &p) {
		p.Order, p.Sent = order, o.asked
	}
	return err
}

// learnIssuer learns whose the key is from the invoices of this run's order, which does not show its company.
func (o *Ordering) learnIssuer(ctx context.Context, order *einvoice.Order) {
	for _, v := range order.Invoices {
		o.learnKeyOwner(ctx, string(v.Model), v)
	}
}

// checkForDuplicate looks, after this run has sent the order, for another one under its transaction_id.
func (o *Ordering) checkForDuplicate(ctx context.Context, order *einvoice.Order) error {
	found, err := lookTwice(func() ([]*einvoice.Order, error) { return o.list(ctx) })
	if err != nil {
		return nil //nolint:nilerr // The order is recorded, whatever this look was to show.
	}
	isSame := func(other *einvoice.Order) bool { return einvoice.SameID(other.ID, order.ID) }
	if _, several := chosenOrder(append(slices.DeleteFunc(found, isSame), order)); several != nil {
		p := o.problem(Several, nil)
		p.Orders = several
		return p
	}
	return nil
}

func (o *Ordering) read(ctx context.Context, id einvoice.Text) (*einvoice.Order, error) {
	order, err := o.Client.Order(ctx, string(id), string(o.Wanted.TransactionID))
	if err != nil {
		return nil, err
	}
	if !o.isNamed(order) {
		p := o.problem(Misnamed, nil)
		p.Order, p.Name = order, string(order.TransactionID)
		return nil, p
	}
	o.order = order
	return order, nil
}

// lostAnswer returns the problem of a request whose answer was lost and whose outcome shows nowhere.
func (o *Ordering) lostAnswer(kind Kind, order *einvoice.Order) *Problem {
	p := o.problem(kind, o.lost)
	p.Order, p.LookedFor = order, o.Patience
	return p
}

// advance brings an order that exists to the wanted status, and issues what is to be issued explicitly. It does not
// issue again what the service issues by itself because of this run: the user is to see first how that ends.
func (o *Ordering) advance(ctx context.Context, order *einvoice.Order, isNew bool) (*einvoice.Order, error) {
	ours := isNew
	if o.Status != "" && string(order.Status) != o.Status {
		var err error
		if order, err = o.setStatus(ctx, order); err != nil {
			return nil, err
		}
		ours = true
	}
	if ours && o.isTriggered(order) || !o.IssueNow && !(o.Waits && o.isDue(order)) {
		return order, nil
	}
	return o.issueRest(ctx, order)
}

// setStatus changes the status. It settles a lost answer by reading, because a second approval could issue twice.
func (o *Ordering) setStatus(ctx context.Context, current *einvoice.Order) (*einvoice.Order, error) {
	id := current.ID
	key := journal.KeyOf("order-status", o.Client.BaseURL(), strings.ToLower(string(id)), o.Status)
	return turns(ctx, &o.attempt, &o.Service, key, func(ctx context.Context, t *once.Turn) (_ *einvoice.Order, err error) {
		decided := func(shown *einvoice.Order) doingStatus {
			return decideStatus(o.Status, t.Known, shown, o.lost != nil, o.Clock.Now(), o.Patience)
		}
		next := decided(nil)
		if next == statusReads {
			if current, err = o.read(ctx, id); err != nil {
				return nil, o.readFailed(ctx, err)
			}
			next = decided(current)
		}
		switch next {
		case statusTakes:
			if t.Known.Phase == journal.Sending {
				t.Settle(ctx, string(id))
			}
			current.Status = einvoice.Enum(o.Status) // By an earlier run; a second time could issue twice.
			return current, nil
		case statusWaits:
			return nil, once.ErrLookAgain
		case statusStops:
			return nil, o.lostAnswer(StatusLost, current)
		default:
		}
		current, err = o.sendStatus(ctx, t, current)
		return current, err
	})
}

func (o *Ordering) sendStatus(
	ctx context.Context, t *once.Turn, order *einvoice.Order,
) (changed *einvoice.Order, err error) {
	release, err := o.admit(ctx, &o.Service, o.Models())
	if err != nil {
		return nil, err
	}
	before, id := t.Known, string(order.ID)
	changed, err = o.Client.SetOrderStatus(ctx, id, o.Status, t.Sending(struct{}{}, id))
	release()
	err = o.recordOutcome(ctx, t, requestStatus, before, order.ID, order.ID, err)
	if err != nil || changed != nil && einvoice.SameID(changed.ID, order.ID) {
		return cmp.Or(changed, order), err
	}
	isChanged := func(v *einvoice.Order) bool { return string(v.Status) == o.Status }
	changed, _, err = o.lookUntil(ctx, order, o.Clock.Now().Add(o.Patience), o.read, isChanged)
	return changed, err
}

// lookUntil looks at an order until it is as wanted or the time is up. reached reports which.
func (o *Ordering) lookUntil(
	ctx context.Context, order *einvoice.Order, until time.Time,
	look func(context.Context, einvoice.Text) (*einvoice.Order, error), wanted func(*einvoice.Order) bool,
) (last *einvoice.Order, reached bool, err error) {
	last = order
	err = o.Clock.Until(ctx, lookPauses, func() (bool, error) {
		current, err := look(ctx, order.ID)
		if err != nil {
			return false, err
		}
		last, reached = current, wanted(current)
		return reached || !o.Clock.Now().Before(until), nil
	})
	if err != nil {
		err = o.readFailed(ctx, err)
	}
	return last, reached, err
}

// readFailed returns the problem of a read that failed after something had been sent.
func (o *Ordering) readFailed(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return o.asProblem(err, err)
	}
	return o.failed(ctx, requestRead, err)
}

// isTriggered reports whether the service issues the order's invoices by itself now.
func (o *Ordering) isTriggered(order *einvoice.Order) bool {
	mode, status := cmp.Or(order.AutoIssueMode, o.Wanted.AutoIssueMode), cmp.Or(order.Status, o.Wanted.Status)
	return IssuesByItself(string(mode), string(status))
}

// isDue reports whether invoices of the order are to be expected now.
func (o *Ordering) isDue(order *einvoice.Order) bool {
	return o.Issue || o.isTriggered(order)
}
