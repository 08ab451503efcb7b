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

// Ordering is one order on its way from a configuration to settled invoices. The service
// does not promise that a transaction_id is unique.
type Ordering struct {
	Service
	Wanted einvoice.Order
	Extra  json.RawMessage // more of the request, or nil

	Status            string // to bring the order to; "" leaves it as it is
	Issue             bool   // the explicit issue is configured
	IssueNow          bool   // and this run is the one to ask for it
	EffectiveDate     string // of the explicit issue; "" for the service's
	Waits             bool   // until the invoices that are due are settled
	AcceptContingency bool   // valid in contingency is enough

	Known    []*einvoice.Invoice // that a state has
	Holder   string              // names the object of a state that has the order; "" for none
	Watch    func(Event)         // told what happens to an invoice while a run goes on, if anybody listens
	Found    *einvoice.Order     // that existed before this run, or nil
	Replaced []*einvoice.Invoice // failed ones that another one has taken the place of

	attempt
}

// Create records the order, or goes on with the one that exists under its
// transaction_id already, and waits for what is due. An error is a *Problem, or
// InvoiceProblems. After one nothing of it belongs in state: in state it would be
// tainted and replaced, while a next run comes back here, finds the order and goes on.
func (o *Ordering) Create(ctx context.Context) (*einvoice.Order, error) {
	o.attempt = attempt{Notes: o.Notes}
	defer o.leaveTurn()
	order, err := o.record(ctx)
	o.noteUnlisted(o.Client, "")
	_ = o.isMixedUp(ctx, &o.Service, o.key(), err)
	return order, err
}

// record is one creation to its end.
func (o *Ordering) record(ctx context.Context) (order *einvoice.Order, err error) {
	err = o.do(ctx, &o.Service, o.key(), func(ctx context.Context, t *once.Turn) (err error) {
		order, err = o.place(ctx, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !slices.Contains(beginnings, string(order.Status)) {
		o.Status = "" // It has moved on by itself; sending it back is for a plan to show.
	}
	return o.settle(ctx, order, o.sent)
}

// Update brings an order that is in state to what the configuration wants. It is
// addressed by id; a list could lag. Errors are those of Create.
func (o *Ordering) Update(ctx context.Context, id string) (*einvoice.Order, error) {
	defer o.leaveTurn()
	defer func() { o.noteUnlisted(o.Client, "") }()
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

// Take has the journal know which object of a state has the order all along.
func (o *Ordering) Take(ctx context.Context, id string) {
	o.take(ctx, &o.Service, o.key(), holding{o.Holder, einvoice.Text(id)}, false)
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
		if !o.Waits && o.due(placed) && o.Issuer != "" && o.Client.Holder() == "" {
			// Nobody waits for its invoices, but other sales wait to hear whose key this is.
			looking, cancel := context.WithTimeout(ctx, o.Patience)
			if shown, err := o.awaitInvoices(looking, placed); err == nil {
				o.learn(ctx, shown)
			}
			cancel()
		}
		o.Client.Followed()
	}
	if other := o.ofIssuer(placed); other != nil {
		return nil, other
	}
	if err == nil && o.sent {
		for _, v := range order.Invoices {
			err = cmp.Or(err, o.Environments.answered(v))
		}
	}
	if err == nil {
		o.noteUnseen(order)
	}
	if err == nil && o.sent {
		err = o.lookForTwin(ctx, order)
	}
	return order, err
}

// ofIssuer refuses an order that, as has shown by now, another company has made.
func (o *Ordering) ofIssuer(order *einvoice.Order) error {
	err := o.Fits()
	if p := (*Problem)(nil); errors.As(err, &p) {
		p.Order, p.Sent = order, o.sent
	}
	return err
}

// learn learns whose the key is from invoices that the order has issued in this run: the
// order itself does not show it.
func (o *Ordering) learn(ctx context.Context, order *einvoice.Order) {
	for _, v := range order.Invoices {
		if v.Company == nil && o.Issuer != "" && o.Client.Holder() == "" {
			if full, err := o.Client.Invoice(ctx, string(v.Model), string(v.ID)); err == nil { // Else it shows later.
				v = full
			}
		}
		o.Client.Issued(v)
	}
}

// lookForTwin looks once more, after this run has sent the order, for another one
// under its transaction_id, as it is done for an invoice.
func (o *Ordering) lookForTwin(ctx context.Context, order *einvoice.Order) error {
	found, err := o.list(ctx)
	if err != nil {
		return nil //nolint:nilerr // The order is recorded, whatever this look was to show.
	}
	isOrder := func(other *einvoice.Order) bool { return einvoice.SameID(other.ID, order.ID) }
	_, err = o.choose(append(slices.DeleteFunc(found, isOrder), order))
	return err
}

func (o *Ordering) read(ctx context.Context, id einvoice.Text) (*einvoice.Order, error) {
	order, err := o.Client.Order(ctx, string(id), string(o.Wanted.TransactionID))
	if o.unreadable = nil; errors.Is(err, einvoice.ErrMissing) {
		order, err = o.readByInvoices(ctx, id, err)
	}
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

// place brings the order to the service, unless it is there already.
func (o *Ordering) place(ctx context.Context, t *once.Turn) (*einvoice.Order, error) {
	known := t.Known
	t.Known.Holder = o.Holder // With the next swap.
	listed, err := o.listedOrKnown(ctx, t)
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
	case found == nil && o.lost != nil && !o.Client.MaySendAgain(o.lost, o.repetitions, o.Patience):
		return nil, o.lostAnswer(AnswerLost, nil)
	case found == nil:
		return o.post(ctx, t)
	case known.Content == canceling && t.InDoubt() && slices.ContainsFunc(found.Invoices, IsCancelable):
		return nil, o.problem(BeingCanceled, nil)
	}
	if err := o.fits(found); err != nil {
		return nil, err
	}
	if !o.sent {
		o.Found = found
	}
	if read && (known.Phase != journal.Settled || known.Holder != o.Holder || !einvoice.SameID(known.Result, found.ID)) {
		// Whoever leaves with this order sees now that it does not cancel it.
		if t.Settle(ctx, string(found.ID)); errors.Is(t.Unkept, journal.ErrChanged) {
			return nil, t.Unkept
		}
	}
	return found, nil
}

// fits refuses an order under the transaction_id that is not the wanted one, or
// that nothing can be issued from any more.
func (o *Ordering) fits(found *einvoice.Order) error {
	o.order = found
	if differ := OrderDifferences(&o.Wanted, found); len(differ) > 0 {
		p := o.problem(Another, nil)
		p.Differences = differ
		return p
	}
	if slices.Contains(endings, string(found.Status)) && found.Status != o.Wanted.Status {
		return o.problem(Ended, nil)
	}
	return nil
}

// post records the order.
func (o *Ordering) post(ctx context.Context, t *once.Turn) (posted *einvoice.Order, err error) {
	err = o.send(ctx, &o.Service, t, request{name: requestCreate, models: o.Models()}, func(c *einvoice.Client) (_ einvoice.Text, err error) {
		if posted, err = c.CreateOrder(ctx, o.Wanted, o.Extra); err != nil {
			return "", err
		}
		if !o.isNamed(posted) {
			return "", unusableError{errors.New("the answer was about another order")}
		}
		return posted.ID, nil
	})
	if isRefusalOf(err, "transactionId") {
		// Another machine may have been quicker, while the list lagged.
		if found, listErr := o.listed(ctx); found != nil && listErr == nil {
			return nil, journal.ErrChanged
		}
	}
	if err != nil {
		return nil, err
	}
	if o.order = posted; posted.TransactionID == "" {
		if _, err := o.read(ctx, posted.ID); problemsOf(err) != nil {
			return nil, err
		}
	}
	o.learn(ctx, posted)
	return posted, nil
}

// isRefusalOf reports whether the service refuses a field by its name.
func isRefusalOf(err error, field string) bool {
	var failure *einvoice.Error
	return errors.Is(err, einvoice.ErrBadRequest) && errors.As(err, &failure) &&
		slices.ContainsFunc(failure.Messages, func(m einvoice.FieldMessage) bool { return strings.EqualFold(m.Path, field) })
}

// lostAnswer is the problem of a request whose answer was lost, and which shows nowhere.
func (o *Ordering) lostAnswer(kind Kind, order *einvoice.Order) *Problem {
	p := o.problem(kind, o.lost)
	p.Order, p.LookedFor = order, o.Patience
	return p
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
func (o *Ordering) setStatus(ctx context.Context, current *einvoice.Order) (*einvoice.Order, error) {
	id := current.ID
	key := journal.KeyOf("order-status", o.Client.BaseURL(), strings.ToLower(string(id)), o.Status)
	key.OfObject = true
	err := o.do(ctx, &o.Service, key, func(ctx context.Context, t *once.Turn) (err error) {
		if t.Known.Phase != journal.Idle {
			if current, err = o.read(ctx, id); err != nil {
				return o.unread(ctx, err)
			}
			switch {
			case o.unreadable != nil && t.Known.Phase == journal.Settled:
				current.Status = einvoice.Enum(o.Status) // By an earlier run; a second time could issue twice.
				return nil
			case o.unreadable != nil && !t.InDoubt():
				return o.unprovenRequest(StatusLost, current)
			case string(current.Status) == o.Status:
				if t.Known.Phase == journal.Sending {
					t.Settle(ctx, string(id))
				}
				return nil
			case t.InDoubt(), t.Young(): // Another run may have approved it since this one looked.
				return once.ErrUnproven
			case o.lost != nil:
				return o.lostAnswer(StatusLost, current)
			}
		}
		current, err = o.sendStatus(ctx, t, current)
		return err
	})
	return current, err
}

// sendStatus sends the change once.
func (o *Ordering) sendStatus(ctx context.Context, t *once.Turn, order *einvoice.Order) (changed *einvoice.Order, err error) {
	err = o.send(ctx, &o.Service, t, request{name: requestStatus, of: order.ID, models: o.Models()}, func(c *einvoice.Client) (einvoice.Text, error) {
		changed, err = c.SetOrderStatus(ctx, string(order.ID), o.Status)
		return order.ID, err
	})
	if err != nil || changed != nil && einvoice.SameID(changed.ID, order.ID) {
		return cmp.Or(changed, order), err
	}
	isChanged := func(v *einvoice.Order) bool { return string(v.Status) == o.Status }
	changed, _, err = o.lookUntil(ctx, order, o.Clock.Now().Add(o.Patience), o.read, isChanged)
	return changed, err
}

// lookUntil looks at an order until it is as wanted, or until time is up; it
// returns the last look and whether that was the wanted one.
func (o *Ordering) lookUntil(ctx context.Context, order *einvoice.Order, until time.Time,
	look func(context.Context, einvoice.Text) (*einvoice.Order, error), wanted func(*einvoice.Order) bool,
) (last *einvoice.Order, is bool, err error) {
	last = order
	err = o.Clock.Until(ctx, lookPauses, func() (bool, error) {
		current, err := look(ctx, order.ID)
		if err != nil {
			return false, err
		}
		last, is = current, wanted(current)
		return is || !o.Clock.Now().Before(until), nil
	})
	if err != nil {
		err = o.unread(ctx, err)
	}
	return last, is, err
}

// unread is a look at an order that failed after something had been sent.
func (o *Ordering) unread(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return o.stopped(err, err)
	}
	return o.failed(ctx, requestRead, err)
}

// triggered reports whether the service issues the order's invoices by itself now.
func (o *Ordering) triggered(order *einvoice.Order) bool {
	mode, status := cmp.Or(order.AutoIssueMode, o.Wanted.AutoIssueMode), cmp.Or(order.Status, o.Wanted.Status)
	return IssuesByItself(string(mode), string(status))
}

// due reports whether invoices of the order are to be expected now.
func (o *Ordering) due(order *einvoice.Order) bool {
	return o.Issue || o.triggered(order)
}
