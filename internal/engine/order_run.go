package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// An order takes the same way as an invoice: see run.go. Only what is read and how it is decided differ.

// turn looks, decides and acts once.
func (o *Ordering) turn(ctx context.Context, t *once.Turn) (*einvoice.Order, error) {
	facts, err := o.gather(ctx, t)
	if err != nil {
		return nil, err
	}
	next, err := o.decided(ctx, t, facts)
	if err != nil {
		return nil, err
	}
	next.log(ctx, "order", string(o.Wanted.TransactionID))
	return o.execute(ctx, t, next)
}

// gather reads what each decision needs. What only some need, they ask for.
func (o *Ordering) gather(ctx context.Context, t *once.Turn) (f *orderFacts, err error) {
	f = &orderFacts{
		lost: o.lost != nil, patience: o.Patience, alive: cmp.Or(o.alive, o.Patience), read: map[string]*einvoice.Order{},
	}
	f.mayRepeat = f.lost && o.Client.MaySendAgain(o.lost, o.repetitions, o.Patience)
	recorded := []time.Time(nil)
	if t.Known.Phase == journal.Sending && t.Known.Result == "" {
		recorded = append(recorded, t.Known.Stamp)
	}
	f.listed, err = o.list(ctx, recorded...)
	// An order that nothing finds is not sent: without the list, the read by id has to be there.
	isReadable := t.Known.Result != "" || o.Client.IsNamed("get_order")
	if f.noList = isReadable && errors.Is(err, einvoice.ErrMissing); f.noList {
		o.noList, err = err, nil
		t.MustLast()
	}
	return f, err
}

// decided is the next move that is more than a read.
func (o *Ordering) decided(ctx context.Context, t *once.Turn, f *orderFacts) (next move, err error) {
	w := &orderWanted{
		status: string(o.Wanted.Status), block: o.Holder,
		differ: func(order *einvoice.Order) []Difference { return OrderDifferences(&o.Wanted, order) },
	}
	for {
		if next = decideOrder(w, t.Known, f, o.Clock.Now()); next.do != reads {
			return next, nil
		}
		if f.read[lower(next.id)], err = o.readOne(ctx, next.id); err != nil {
			return next, o.failed(ctx, requestLookUp, err)
		}
	}
}

// readOne reads an order by its id; nil where it is gone, another sale's, or not to be read.
func (o *Ordering) readOne(ctx context.Context, id string) (*einvoice.Order, error) {
	order, err := readPatiently(ctx, &o.Service, func() (*einvoice.Order, error) {
		return o.read(ctx, einvoice.Text(id))
	})
	if problemsOf(err) != nil || o.noList != nil && errors.Is(err, einvoice.ErrMissing) {
		return nil, nil //nolint:nilnil,nilerr // See above.
	}
	return order, err
}

// execute does what was decided.
func (o *Ordering) execute(ctx context.Context, t *once.Turn, next move) (*einvoice.Order, error) {
	switch next.do {
	case looksAgain:
		return nil, once.ErrLookAgain
	case sends:
		return o.send(ctx, t)
	case stops:
		return nil, o.stopped(t, next)
	default:
	}
	if o.order = next.order; !o.sent {
		o.Found = next.order
	}
	if !next.learned {
		return next.order, nil
	}
	// A block that leaves with this order sees now that it must not cancel it.
	return next.order, t.Confirm(ctx, next.record)
}

// send records the order at the service.
func (o *Ordering) send(ctx context.Context, t *once.Turn) (*einvoice.Order, error) {
	release, err := o.admit(ctx, &o.Service, o.Models()) // The company, the environment.
	if err != nil {
		return nil, err
	}
	before, note := t.Known, orderNote{Block: o.Holder}
	posted, err := o.Client.CreateOrder(ctx, o.Wanted, o.Extra, t.Sending(note, "")) // Permit, swap, first byte.
	release()
	id := einvoice.Text("")
	switch {
	case err == nil && !o.isNamed(posted):
		err = errAboutAnother
	case err == nil:
		id = posted.ID
	}
	if err := o.recordOutcome(ctx, t, requestCreate, before, "", id, err); err != nil {
		if errors.Is(o.lost, einvoice.ErrOrderUnnamed) {
			note.Unnamed = true
			t.Keep(ctx, t.Known.Noted(note))
		}
		return nil, err
	}
	isInvoice := posted.Raw == nil
	if o.order = posted; isInvoice || posted.TransactionID == "" {
		current, err := o.read(ctx, posted.ID)
		if problemsOf(err) != nil {
			return nil, err
		}
		if isInvoice && err == nil {
			current.Invoices = withMissing(current.Invoices, posted.Invoices)
			posted = current
		}
	}
	o.learnIssuer(ctx, posted)
	return posted, nil
}

// stopped is the problem that ends a run.
func (o *Ordering) stopped(t *once.Turn, next move) error {
	switch {
	case next.kind == AnswerLost: // Nothing shows the order.
		return o.lostAnswer(next.kind, nil)
	case next.showsRecord:
		p := o.problem(next.kind, cmp.Or(o.lost, o.noList))
		p.Record, p.Name = t.Where(), next.id
		return p
	}
	if next.order != nil {
		o.order = next.order
	}
	p := o.problem(next.kind, nil)
	p.Differences, p.Orders = next.differ, next.orders
	return p
}

// lookPauses begin with a look at once.
var lookPauses = append([]time.Duration{0}, once.LookPauses...)

// isNamed reports whether an order shows this transaction_id, or none.
func (o *Ordering) isNamed(order *einvoice.Order) bool {
	return order.TransactionID == "" || einvoice.SameClientID(order.TransactionID, o.Wanted.TransactionID)
}

// list finds the orders under the transaction_id in the service's list, from the date of the order on, or from when it
// was recorded, whichever of the two the service goes by; at any time where neither is known.
func (o *Ordering) list(ctx context.Context, recorded ...time.Time) ([]*einvoice.Order, error) {
	if date, ok := einvoice.ParseTime(string(o.Wanted.Date)); ok {
		recorded = append(recorded, date)
	}
	if recorded != nil {
		recorded = append(recorded, o.Clock.Now())
	}
	name := o.Wanted.TransactionID
	found, err := named(o.Client.Orders(ctx, string(name), recorded...), name,
		func(order *einvoice.Order) einvoice.Text { return order.TransactionID })
	if err != nil {
		return nil, o.failed(ctx, requestLookUp, err)
	}
	return found, nil
}

// withMissing appends the known invoices that a read does not show.
func withMissing(found, known []*einvoice.Invoice) []*einvoice.Invoice {
	for _, v := range known {
		if FindInvoice(found, v) == nil {
			found = append(found, v)
		}
	}
	return found
}
