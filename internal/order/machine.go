package order

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// ordering is one order on its way from a configuration to settled invoices.
//
// It is made to happen exactly once in the way of issuing: by the look-up at the
// service before every POST, and by the journal on this machine. The service
// does not promise that a transaction_id is unique.
type ordering struct {
	client   *einvoice.Client
	store    journal.Store
	patience time.Duration // how long an unanswered POST may stay invisible
	now      func() time.Time
	sleep    func(context.Context, time.Duration) error
	schema   message.PathSchema // finds the attributes that the service's refusals name

	wanted einvoice.Order
	extra  json.RawMessage

	status            string // to bring the order to; "" leaves it as it is
	issue             bool   // the explicit issue is configured
	issueNow          bool   // and this run is the one to ask for it
	effectiveDate     string // of the explicit issue
	waits             bool
	acceptContingency bool
	report            func(string) // as that of issuing
	inState           bool         // the order is in state whatever comes of this run
	posted            bool         // this run has sent the order
}

const journalKindOrder = "order"

// notedIssue marks a journal entry whose unanswered request is the explicit
// issue of an order that is known: the note goes on with its id.
const notedIssue = "issue "

// create records the order, or goes on with the one that exists under its
// transaction_id already, and waits for what is due. On an error nothing of it
// belongs in state: in state it would be tainted and replaced, while a next run
// comes back here, finds the order and goes on.
func (o *ordering) create(ctx context.Context) (*einvoice.Order, diag.Diagnostics) {
	entry, err := o.open(ctx)
	if err != nil {
		return nil, o.interrupted(nil, err)
	}
	order, diags := o.begin(ctx, entry)
	// Held from look-up to settled answer, not while waiting for the authority.
	diags.Append(issuing.ReleaseJournal(entry)...)
	if diags.HasError() {
		return order, diags
	}
	order, more := o.finish(ctx, order)
	diags.Append(more...)
	return order, diags
}

func (o *ordering) open(ctx context.Context) (*journal.Entry, error) {
	return o.store.Entry(ctx, journalKindOrder, o.client.Fingerprint(), string(o.wanted.TransactionID))
}

// begin brings the order to the service, unless it is there already.
func (o *ordering) begin(ctx context.Context, entry *journal.Entry) (*einvoice.Order, diag.Diagnostics) {
	order, diags := o.lookUp(ctx, entry)
	if diags.HasError() {
		return nil, diags
	}
	isNew := order == nil
	if isNew {
		var more diag.Diagnostics
		order, more = o.post(ctx, entry)
		if diags.Append(more...); diags.HasError() {
			return order, diags
		}
	} else {
		if diags.Append(o.fits(order)...); diags.HasError() {
			return order, diags
		}
		diags.Append(o.adopted(order))
	}
	if !slices.Contains(orderBeginnings, string(order.Status)) {
		o.status = "" // It has moved on by itself; sending it back is for a plan to show.
	}
	order, more := o.advance(ctx, entry, order, isNew)
	diags.Append(more...)
	return order, diags
}

// fits refuses an order under the transaction_id that is not the wanted one, or
// that nothing can be issued from any more.
func (o *ordering) fits(found *einvoice.Order) diag.Diagnostics {
	if differ := orderDifferences(&o.wanted, found); len(differ) > 0 {
		return o.refuseAdoption(found, differ)
	}
	if slices.Contains(orderEnds, string(found.Status)) && found.Status != o.wanted.Status {
		return o.over(found)
	}
	return nil
}

// post records the order.
func (o *ordering) post(ctx context.Context, entry *journal.Entry) (*einvoice.Order, diag.Diagnostics) {
	var diags diag.Diagnostics
	before := entry.State()
	if err := entry.Begin(""); err != nil {
		diags.Append(issuing.UnwritableJournal(err))
	}
	o.posted = true
	posted, err := o.client.CreateOrder(ctx, o.wanted, o.extra)
	switch {
	case err == nil && (posted.TransactionID == "" || posted.TransactionID == o.wanted.TransactionID):
		diags.Append(settledAs(entry, posted.ID)...)
		return posted, diags
	case err == nil || errors.Is(err, einvoice.ErrAmbiguous):
		if err == nil {
			err = errors.New("the answer was about another order")
		}
		found, more := o.adoptPatiently(ctx, entry, err)
		return found, append(diags, more...)
	}
	// Nothing happened at the service: the journal must not make the next run wait
	// for an order that cannot appear.
	restore := entry.Forget
	if before.ID != "" {
		restore = func() error { return entry.Settled(before.ID) }
	}
	if err := restore(); err != nil {
		diags.Append(issuing.UnwritableJournal(err))
	}
	if namesField(err, "transactionId") {
		// Another machine may have been quicker, while the list lagged.
		if found, more := o.list(ctx); found != nil && !more.HasError() {
			adopted, more := o.adopt(ctx, entry, found)
			return adopted, append(diags, more...)
		}
	}
	return nil, append(diags, o.refused(ctx, "create "+o.label(), err)...)
}

// namesField tells that the service refuses a field by its name.
func namesField(err error, field string) bool {
	var failure *einvoice.Error
	return errors.Is(err, einvoice.ErrBadRequest) && errors.As(err, &failure) &&
		slices.ContainsFunc(failure.Messages, func(m einvoice.FieldMessage) bool { return strings.EqualFold(m.Path, field) })
}

// settledAs writes the outcome of a request into the journal.
func settledAs(entry *journal.Entry, id einvoice.Text) diag.Diagnostics {
	if err := entry.Settled(string(id)); err != nil {
		return diag.Diagnostics{issuing.UnwritableJournal(err)}
	}
	return nil
}

// update brings an order that is in state to what the configuration wants. It is
// addressed by id; a list could lag.
func (o *ordering) update(ctx context.Context, id string) (*einvoice.Order, diag.Diagnostics) {
	entry, err := o.open(ctx)
	if err != nil {
		return nil, o.interrupted(nil, err)
	}
	order, diags := o.correct(ctx, entry, id)
	diags.Append(issuing.ReleaseJournal(entry)...)
	if diags.HasError() {
		return order, diags
	}
	order, more := o.finish(ctx, order)
	diags.Append(more...)
	return order, diags
}

func (o *ordering) correct(ctx context.Context, entry *journal.Entry, id string) (*einvoice.Order, diag.Diagnostics) {
	current, err := o.client.Order(ctx, id, string(o.wanted.TransactionID))
	if err != nil {
		return nil, o.refused(ctx, "read "+o.label(), err)
	}
	return o.advance(ctx, entry, current, false)
}

// advance brings an order that exists to the wanted status, and issues what is
// to be issued explicitly. What the service issues by itself because of this run
// is not: how that ends is for the user to see first.
func (o *ordering) advance(ctx context.Context, entry *journal.Entry, order *einvoice.Order, isNew bool) (*einvoice.Order, diag.Diagnostics) {
	ours := isNew
	if o.status != "" && string(order.Status) != o.status {
		var diags diag.Diagnostics
		if order, diags = o.setStatus(ctx, order); diags.HasError() {
			return order, diags
		}
		ours = true
	}
	if ours && o.triggered(order) || !o.issueNow && !(o.waits && o.due(order)) {
		return order, nil
	}
	return o.issueRest(ctx, entry, order)
}

// setStatus changes the status. An answer that is lost is settled by reading,
// because approving a second time could issue a second time.
func (o *ordering) setStatus(ctx context.Context, order *einvoice.Order) (*einvoice.Order, diag.Diagnostics) {
	changed, err := o.client.SetOrderStatus(ctx, string(order.ID), o.status)
	switch {
	case err == nil && changed != nil && changed.ID == order.ID:
		return changed, nil
	case err != nil && !errors.Is(err, einvoice.ErrAmbiguous):
		return order, o.refused(ctx, "change the status of "+o.label(), err)
	case ctx.Err() != nil:
		return order, o.interrupted(order, ctx.Err())
	}
	current, lookErr := o.lookUntil(ctx, order, func(current *einvoice.Order) bool { return string(current.Status) == o.status })
	switch {
	case lookErr != nil:
		return order, o.unread(ctx, order, lookErr)
	case string(current.Status) != o.status && err != nil:
		return current, o.statusLost(current, err)
	}
	return current, nil
}

// triggered tells that the service issues the order's invoices by itself now.
func (o *ordering) triggered(order *einvoice.Order) bool {
	mode := string(order.AutoIssueMode)
	if mode == "" {
		mode = string(o.wanted.AutoIssueMode)
	}
	status := string(order.Status)
	if status == "" {
		status = string(o.wanted.Status)
	}
	return issuesByItself(mode, status)
}

// issuesByItself is the specification's rule of autoIssueMode, as far as a wait
// of minutes is concerned: a warranty ends later.
func issuesByItself(mode, status string) bool {
	return mode == einvoice.IssueImmediately || mode == einvoice.IssueAfterPayment && status == einvoice.OrderApproved
}

// due tells that invoices of the order are to be expected now.
func (o *ordering) due(order *einvoice.Order) bool {
	return o.issue || o.triggered(order)
}
