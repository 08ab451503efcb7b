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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
)

// Ordering is one order on its way from a configuration to settled invoices.
//
// It is made to happen exactly once in the way of issuing: by the look-up at the
// service before every POST, and by the journal on this machine. The service
// does not promise that a transaction_id is unique.
type Ordering struct {
	issuing.Service
	Wanted einvoice.Order
	Extra  json.RawMessage // more of the request, or nil

	Status            string // to bring the order to; "" leaves it as it is
	Issue             bool   // the explicit issue is configured
	IssueNow          bool   // and this run is the one to ask for it
	EffectiveDate     string // of the explicit issue; "" for the service's
	Waits             bool   // until the invoices that are due are settled
	AcceptContingency bool   // valid in contingency is enough

	Watch    func(issuing.Event) // told what happens to an invoice while a run goes on, if anybody listens
	Notes    []issuing.Event     // what is worth a warning after the run, however it ended
	Found    *einvoice.Order     // that existed before this run, or nil
	Replaced []*einvoice.Invoice // failed ones that another one has taken the place of

	sent        bool // this run has sent the order
	repetitions int  // and how often after the first time
}

const journalKind = "order"

// notedIssue marks a journal entry whose unanswered request is the explicit
// issue of an order that is known: the note goes on with its id.
const notedIssue = "issue "

// Create records the order, or goes on with the one that exists under its
// transaction_id already, and waits for what is due. An error is a *Problem, or
// InvoiceProblems. After one nothing of it belongs in state: in state it would be
// tainted and replaced, while a next run comes back here, finds the order and goes on.
func (o *Ordering) Create(ctx context.Context) (*einvoice.Order, error) {
	return o.settle(ctx, o.begin)
}

// Update brings an order that is in state to what the configuration wants. It is
// addressed by id; a list could lag. Errors are those of Create.
func (o *Ordering) Update(ctx context.Context, id string) (*einvoice.Order, error) {
	return o.settle(ctx, func(ctx context.Context, entry *issuing.Entry) (*einvoice.Order, error) {
		current, err := o.read(ctx, einvoice.Text(id))
		if err != nil {
			return nil, o.failed(ctx, requestRead, err)
		}
		return o.advance(ctx, entry, current, false)
	})
}

// settle sends what is to be sent while it holds the journal, and waits for the
// authority without it.
func (o *Ordering) settle(ctx context.Context, send func(context.Context, *issuing.Entry) (*einvoice.Order, error)) (*einvoice.Order, error) {
	entry, err := o.OpenEntry(ctx, &o.Notes, journalKind, string(o.Wanted.TransactionID))
	if err != nil {
		return nil, o.problem(issuing.Unopened(err), nil, err)
	}
	order, err := send(ctx, entry)
	entry.Close()
	if err != nil {
		return nil, err
	}
	placed := order
	order, err = o.finish(ctx, order)
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
	case errors.As(err, &p) && p.Kind == issuing.Several:
		return p
	case err == nil && found != nil && !einvoice.SameID(found.ID, order.ID) && !slices.Contains(endings, string(found.Status)):
		p = o.problem(issuing.Several, nil, nil)
		p.Orders = []*einvoice.Order{order, found}
		return p
	}
	return nil // The order is recorded, whatever this look was to show.
}

func (o *Ordering) read(ctx context.Context, id einvoice.Text) (*einvoice.Order, error) {
	return o.Client.Order(ctx, string(id), string(o.Wanted.TransactionID))
}

// begin brings the order to the service, unless it is there already.
func (o *Ordering) begin(ctx context.Context, entry *issuing.Entry) (*einvoice.Order, error) {
	order, isNew, err := o.record(ctx, entry)
	for o.maySendAgain(ctx, err) {
		o.repetitions++
		order, isNew, err = o.record(ctx, entry) // It goes on as another run would.
	}
	if err != nil {
		return nil, err
	}
	if !slices.Contains(beginnings, string(order.Status)) {
		o.Status = "" // It has moved on by itself; sending it back is for a plan to show.
	}
	return o.advance(ctx, entry, order, isNew)
}

// record looks the order up, and sends it where there is none: then it is new.
func (o *Ordering) record(ctx context.Context, entry *issuing.Entry) (order *einvoice.Order, isNew bool, err error) {
	order, err = o.lookUp(ctx, entry)
	if err != nil {
		return nil, false, err
	}
	if order == nil {
		order, err = o.post(ctx, entry)
		return order, true, err
	}
	if err = o.fits(order); err == nil && !o.sent {
		o.Found = order
	}
	return order, o.sent, err
}

// maySendAgain is as that of issuing.
func (o *Ordering) maySendAgain(ctx context.Context, err error) bool {
	p := (*Problem)(nil)
	return ctx.Err() == nil && errors.As(err, &p) && p.Kind == issuing.AnswerLost && o.Client.MaySendAgain(p.Cause, o.repetitions, o.Patience)
}

// fits refuses an order under the transaction_id that is not the wanted one, or
// that nothing can be issued from any more.
func (o *Ordering) fits(found *einvoice.Order) error {
	if differ := Differences(&o.Wanted, found); len(differ) > 0 {
		p := o.problem(issuing.Another, found, nil)
		p.Differences = differ
		return p
	}
	if slices.Contains(endings, string(found.Status)) && found.Status != o.Wanted.Status {
		return o.problem(issuing.Ended, found, nil)
	}
	return nil
}

// post records the order.
func (o *Ordering) post(ctx context.Context, entry *issuing.Entry) (*einvoice.Order, error) {
	done, err := o.admit(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	before := entry.State()
	if err := entry.Begin(""); err != nil {
		return nil, o.problem(issuing.Unrecorded, nil, err)
	}
	o.sent = true
	posted, err := o.Client.CreateOrder(ctx, o.Wanted, o.Extra)
	switch {
	case err == nil && o.isNamed(posted):
		entry.Settled(posted.ID)
		o.learnHolder(ctx, posted)
		return posted, nil
	case err == nil:
		return o.adoptPatiently(ctx, entry, errors.New("the answer was about another order"))
	case errors.Is(err, einvoice.ErrAmbiguous):
		return o.adoptPatiently(ctx, entry, err)
	}
	entry.Undo(before)
	if namesField(err, "transactionId") {
		// Another machine may have been quicker, while the list lagged.
		if found, listErr := o.list(ctx); found != nil && listErr == nil {
			return o.adopt(ctx, entry, found)
		}
	}
	return nil, o.failed(ctx, requestCreate, err)
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
func (o *Ordering) advance(ctx context.Context, entry *issuing.Entry, order *einvoice.Order, isNew bool) (*einvoice.Order, error) {
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
	return o.issueRest(ctx, entry, order)
}

// setStatus changes the status. An answer that is lost is settled by reading,
// because approving a second time could issue a second time.
func (o *Ordering) setStatus(ctx context.Context, order *einvoice.Order) (*einvoice.Order, error) {
	done, err := o.admit(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	changed, err := o.Client.SetOrderStatus(ctx, string(order.ID), o.Status)
	switch {
	case err == nil && changed != nil && einvoice.SameID(changed.ID, order.ID):
		return changed, nil
	case err != nil && !errors.Is(err, einvoice.ErrAmbiguous):
		return nil, o.failed(ctx, requestStatus, err)
	case ctx.Err() != nil:
		return nil, o.interrupted(order, ctx.Err())
	}
	current, is, lookErr := o.lookUntil(ctx, order, o.Clock.Now().Add(o.Patience), o.read, func(current *einvoice.Order) bool { return string(current.Status) == o.Status })
	switch {
	case lookErr != nil:
		return nil, o.unread(ctx, current, lookErr)
	case !is && err != nil:
		return nil, o.problem(StatusLost, current, err)
	}
	return current, nil
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
