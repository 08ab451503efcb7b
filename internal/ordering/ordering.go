// Package ordering brings a sale to the service exactly once as an order, and
// follows the invoices that the service issues from it to their end. It is built on
// issuing, knows nothing of Terraform and has no words for a person: a run ends in an
// order or in a problem, and in notes.
package ordering

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// Ordering is one order on its way from a configuration to settled invoices.
//
// It is made to happen exactly once in the way of issuing: by the look-up at the
// service before every POST, and by the journal on this machine. The service
// does not promise that a transaction_id is unique.
type Ordering struct {
	engine.Service
	Wanted einvoice.Order
	Extra  json.RawMessage // more of the request, or nil

	Status            string // to bring the order to; "" leaves it as it is
	Issue             bool   // the explicit issue is configured
	IssueNow          bool   // and this run is the one to ask for it
	EffectiveDate     string // of the explicit issue; "" for the service's
	Waits             bool   // until the invoices that are due are settled
	AcceptContingency bool   // valid in contingency is enough

	Watch    func(engine.Event)  // told what happens to an invoice while a run goes on, if anybody listens
	Notes    []engine.Event      // what is worth a warning after the run, however it ended
	Found    *einvoice.Order     // that existed before this run, or nil
	Replaced []*einvoice.Invoice // failed ones that another one has taken the place of

	sent        bool   // this run has sent the order
	lost        error  // why the last time had no usable answer
	repetitions int    // how often it was sent after the first time
	done        func() // ends its turn among those that do not know whose the key is
}

// Create records the order, or goes on with the one that exists under its
// transaction_id already, and waits for what is due. An error is a *Problem, or
// InvoiceProblems. After one nothing of it belongs in state: in state it would be
// tainted and replaced, while a next run comes back here, finds the order and goes on.
func (o *Ordering) Create(ctx context.Context) (*einvoice.Order, error) {
	o.sent, o.lost, o.repetitions = false, nil, 0
	defer o.endTurn()
	var order *einvoice.Order
	err := o.Once().Do(ctx, o.key(), func(ctx context.Context, t *once.Turn) (err error) {
		order, err = o.place(ctx, t)
		o.noteUnkept(t)
		return err
	})
	if err != nil {
		return nil, o.unsettled(nil, cmp.Or(o.lost, err), err)
	}
	if !slices.Contains(beginnings, string(order.Status)) {
		o.Status = "" // It has moved on by itself; sending it back is for a plan to show.
	}
	return o.settle(ctx, order, o.sent)
}

// Update brings an order that is in state to what the configuration wants. It is
// addressed by id; a list could lag. Errors are those of Create.
func (o *Ordering) Update(ctx context.Context, id string) (*einvoice.Order, error) {
	defer o.endTurn()
	current, err := o.read(ctx, einvoice.Text(id))
	if err != nil {
		return nil, o.failed(ctx, requestRead, err)
	}
	return o.settle(ctx, current, false)
}

// key names the record of the order, whichever API key it is sent with.
func (o *Ordering) key() journal.Key {
	name := string(o.Wanted.TransactionID)
	return journal.KeyOf("order", o.Client.BaseURL(), name).Formerly("order", o.Client.Fingerprint(), name)
}

func (o *Ordering) noteUnkept(t *once.Turn) { o.Notes = engine.NoteUnkept(o.Notes, t) }

// unsettled makes a problem of what has ended a request that must happen once.
func (o *Ordering) unsettled(order *einvoice.Order, cause, err error) error {
	switch p := (*Problem)(nil); {
	case errors.As(err, &p), errors.As(err, new(InvoiceProblems)):
		return err
	case errors.As(err, new(*once.StoreError)):
		return o.problem(engine.Unrecorded, order, err)
	}
	return o.problem(engine.Interrupted, order, cause)
}

// settle brings an order that exists to the wanted status, and waits for the authority.
func (o *Ordering) settle(ctx context.Context, placed *einvoice.Order, isNew bool) (*einvoice.Order, error) {
	placed, err := o.advance(ctx, placed, isNew)
	if err != nil {
		return nil, err
	}
	order, err := o.finish(ctx, placed)
	if o.sent {
		o.learn(ctx, placed) // Its invoices, in full by now.
		if order != nil {
			o.learn(ctx, order)
		}
		o.Client.Followed()
	}
	if other := o.ofIssuer(placed); other != nil {
		return nil, other
	}
	if err == nil && o.sent {
		err = o.lookForTwin(ctx, order)
	}
	return order, err
}

// lookForTwin looks once more, after this run has sent the order, for another one
// under its transaction_id, as issuing does for an invoice.
func (o *Ordering) lookForTwin(ctx context.Context, order *einvoice.Order) error {
	found, err := o.list(ctx)
	var p *Problem
	switch {
	case errors.As(err, &p) && p.Kind == engine.Several:
		return p
	case err == nil && found != nil && !einvoice.SameID(found.ID, order.ID) && !slices.Contains(endings, string(found.Status)):
		p = o.problem(engine.Several, nil, nil)
		p.Orders = []*einvoice.Order{order, found}
		return p
	}
	return nil // The order is recorded, whatever this look was to show.
}

func (o *Ordering) read(ctx context.Context, id einvoice.Text) (*einvoice.Order, error) {
	return o.Client.Order(ctx, string(id), string(o.Wanted.TransactionID))
}

// place brings the order to the service, unless it is there already.
func (o *Ordering) place(ctx context.Context, t *once.Turn) (*einvoice.Order, error) {
	known := t.Known
	listed, err := o.list(ctx)
	if err != nil {
		return nil, err
	}
	if listed == nil && known.Result == "" && t.InDoubt() {
		return nil, once.ErrUnproven // What was sent may not be listed yet.
	}
	found, read, err := o.search(ctx, listed, known)
	switch {
	case err != nil:
		return nil, err
	case found != nil:
		if err := o.fits(found); err != nil {
			return nil, err
		}
		if !o.sent {
			o.Found = found
		}
		if read && known.Phase != journal.Settled {
			t.Settle(ctx, string(found.ID))
		}
		return found, nil
	case o.lost != nil && !o.Client.MaySendAgain(o.lost, o.repetitions, o.Patience):
		return nil, o.problem(engine.AnswerLost, nil, o.lost)
	}
	return o.post(ctx, t)
}

// fits refuses an order under the transaction_id that is not the wanted one, or
// that nothing can be issued from any more.
func (o *Ordering) fits(found *einvoice.Order) error {
	if differ := Differences(&o.Wanted, found); len(differ) > 0 {
		p := o.problem(engine.Another, found, nil)
		p.Differences = differ
		return p
	}
	if slices.Contains(endings, string(found.Status)) && found.Status != o.Wanted.Status {
		return o.problem(engine.Ended, found, nil)
	}
	return nil
}

// post records the order.
func (o *Ordering) post(ctx context.Context, t *once.Turn) (*einvoice.Order, error) {
	if err := o.takeTurn(ctx); err != nil {
		return nil, err
	}
	before := t.Known
	posted, err := o.Client.Beginning(t.Sending("", "")).CreateOrder(ctx, o.Wanted, o.Extra)
	if once.IsUnsent(err) {
		return nil, err
	}
	if o.sent {
		o.repetitions++
	}
	o.sent, o.lost = true, nil
	switch {
	case err == nil && o.isNamed(posted):
		t.Settle(ctx, string(posted.ID))
		o.learn(ctx, posted)
		return posted, nil
	case err == nil:
		err = errors.New("the answer was about another order")
	case !errors.Is(err, einvoice.ErrAmbiguous):
		t.Keep(ctx, before) // The next run must not wait for what cannot appear.
		if namesField(err, "transactionId") {
			// Another machine may have been quicker, while the list lagged.
			if found, listErr := o.list(ctx); found != nil && listErr == nil {
				return o.adopt(ctx, t, found)
			}
		}
		return nil, o.failed(ctx, requestCreate, err)
	}
	o.lost = err
	if ctx.Err() != nil {
		return nil, o.interrupted(nil, err)
	}
	return nil, once.ErrUnproven
}

// namesField tells that the service refuses a field by its name.
func namesField(err error, field string) bool {
	var failure *einvoice.Error
	return errors.Is(err, einvoice.ErrBadRequest) && errors.As(err, &failure) &&
		slices.ContainsFunc(failure.Messages, func(m einvoice.FieldMessage) bool { return strings.EqualFold(m.Path, field) })
}

// advance brings an order that exists to the wanted status, and issues what is
// to be issued explicitly. What the service issues by itself because of this run
// is not: how that ends is for the user to see first.
func (o *Ordering) advance(ctx context.Context, order *einvoice.Order, isNew bool) (*einvoice.Order, error) {
	ours := isNew
	if o.Status != "" && string(order.Status) != o.Status {
		var err error
		if order, err = o.setStatus(ctx, order); err != nil {
			return nil, err
		}
		ours = true
	}
	if ours && o.triggered(order) || !o.IssueNow && !(o.Waits && o.due(order)) {
		return order, nil
	}
	return o.issueRest(ctx, order)
}

// setStatus changes the status. An answer that is lost is settled by reading,
// because approving a second time could issue a second time.
func (o *Ordering) setStatus(ctx context.Context, order *einvoice.Order) (*einvoice.Order, error) {
	var lost error
	current := order
	key := journal.KeyOf("order-status", o.Client.BaseURL(), strings.ToLower(string(order.ID)), o.Status)
	err := o.Once().Do(ctx, key, func(ctx context.Context, t *once.Turn) (err error) {
		if t.Known.Phase != journal.Idle || t.Foreign.Phase != journal.Idle {
			if current, err = o.read(ctx, order.ID); err != nil {
				return o.unread(ctx, order, err)
			}
			switch {
			case string(current.Status) == o.Status:
				if t.Known.Phase == journal.Sending {
					t.Settle(ctx, string(order.ID))
				}
				return nil
			case t.InDoubt(), t.Young(): // Another run may have approved it since this one looked.
				return once.ErrUnproven
			case lost != nil:
				return o.problem(StatusLost, current, lost)
			}
		}
		lost, err = o.sendStatus(ctx, t, order, &current)
		return err
	})
	if err != nil {
		return nil, o.unsettled(current, err, err)
	}
	return current, nil
}

// sendStatus sends the change once. lost is why it had no usable answer.
func (o *Ordering) sendStatus(ctx context.Context, t *once.Turn, order *einvoice.Order, current **einvoice.Order) (lost, err error) {
	if err := o.takeTurn(ctx); err != nil {
		return nil, err
	}
	before := t.Known
	changed, err := o.Client.Beginning(t.Sending("", string(order.ID))).SetOrderStatus(ctx, string(order.ID), o.Status)
	switch {
	case once.IsUnsent(err):
		return nil, err
	case err == nil && changed != nil && einvoice.SameID(changed.ID, order.ID):
		t.Settle(ctx, string(order.ID))
		*current = changed
		return nil, nil
	case err == nil:
		t.Settle(ctx, string(order.ID))
		*current, _, err = o.lookUntil(ctx, order, o.Clock.Now().Add(o.Patience), o.read, func(v *einvoice.Order) bool { return string(v.Status) == o.Status })
		if err != nil {
			err = o.unread(ctx, *current, err)
		}
		return nil, err
	case !errors.Is(err, einvoice.ErrAmbiguous):
		t.Keep(ctx, before)
		return nil, o.failed(ctx, requestStatus, err)
	case ctx.Err() != nil:
		return err, o.interrupted(order, ctx.Err())
	}
	return err, once.ErrUnproven
}

// triggered tells that the service issues the order's invoices by itself now.
func (o *Ordering) triggered(order *einvoice.Order) bool {
	mode, status := cmp.Or(order.AutoIssueMode, o.Wanted.AutoIssueMode), cmp.Or(order.Status, o.Wanted.Status)
	return IssuesByItself(string(mode), string(status))
}

// due tells that invoices of the order are to be expected now.
func (o *Ordering) due(order *einvoice.Order) bool {
	return o.Issue || o.triggered(order)
}
