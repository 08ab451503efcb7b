package issuing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Issuing is one invoice on its way from a configuration to a settled status.
//
// Two things make that happen exactly once: the look-up at the service before
// every POST, and the journal on this machine, which covers what the look-up
// cannot see: a list that lags, two blocks with one id, a kill inside a POST.
type Issuing struct {
	Client     *einvoice.Client
	JournalDir string
	Patience   time.Duration // how long an unanswered POST may stay invisible in lists
	Now        func() time.Time
	Sleep      func(context.Context, time.Duration) error

	Model             string
	Known             Known           // what a next run finds it by again
	Payload           json.RawMessage // without integrationId and issue
	Issue             bool
	AcceptContingency bool

	// An invoice that an order issues has no payload, and is known by the order.

	// twin finds the authorized invoice that SPD004 speaks of; nil for a look-up
	// by the integration_id.
	Twin func(context.Context, *einvoice.Invoice) (*einvoice.Invoice, diag.Diagnostics)

	// again says what becomes of a rejected invoice that is issued by something
	// else than this machine; nil for one that is issued from a payload.
	Again func(*einvoice.Invoice) string

	// report tells a person how it goes on, where somebody listens: an action has
	// progress lines, a resource has none.
	Report func(string)

	inState     bool  // the invoice is in state, where an error leaves it as it was
	posted      bool  // this run has sent the payload
	IssuedDraft bool  // this run has asked for a draft to be issued
	unanswered  error // of the last request, other than a read, without a usable answer
}

// Known is the name of something in a configuration: an order by its
// transaction_id "sale-1".
type Known struct {
	Thing, Attribute, Value string
}

// ByIntegrationID is how an invoice of its own is known.
func ByIntegrationID(value string) Known { return Known{"invoice", "integration_id", value} }

// tell reports progress.
func (i *Issuing) tell(format string, args ...any) {
	if i.Report != nil {
		i.Report(fmt.Sprintf(format, args...))
	}
}

// Decision is what the status of an invoice asks for next.
type Decision int

const (
	decidePost      Decision = iota // nothing exists: send the payload
	decideDone                      // settled as wanted
	decideWait                      // in progress
	decideIssue                     // a draft that is wanted issued
	decideAdopt                     // SPD004: an authorized one exists somewhere; look patiently
	DecideReconcile                 // rejected for good, unless the authority knows better
	DecideDead                      // cannot become an invoice any more
)

// Decide is the whole state machine of issuing. processingDetail.status is no
// verdict: "success" only says that the queued work ran.
func (i *Issuing) Decide(v *einvoice.Invoice) Decision {
	if v == nil {
		return decidePost
	}
	switch string(v.Status) {
	case einvoice.StatusAuthorized:
		return decideDone
	case einvoice.StatusRejected:
		switch code := RejectionCode(v); {
		case fiscal.IsTransient(code):
			return decideWait
		case code == fiscal.CodeAlreadyAuthorized:
			return decideAdopt
		default:
			return DecideReconcile
		}
	case einvoice.StatusCanceled, einvoice.StatusDenied, einvoice.StatusRemoved, einvoice.StatusDisabled:
		return DecideDead
	}
	if !i.Issue { // A draft, or an answer other than created that is kept as it is.
		return decideDone
	}
	switch string(v.Status) {
	case einvoice.StatusCreated:
		return decideIssue
	case einvoice.StatusInContingent:
		if i.AcceptContingency {
			return decideDone
		}
	}
	return decideWait
}

func RejectionCode(v *einvoice.Invoice) string {
	if v.ProcessingDetail == nil {
		return ""
	}
	return strings.ToUpper(strings.TrimSpace(string(v.ProcessingDetail.Code)))
}

// Create issues the invoice, or goes on with the one that exists under its
// integration_id already, and waits until it is settled. On an error nothing of
// it belongs in state: running apply again comes back here and goes on.
func (i *Issuing) Create(ctx context.Context) (*einvoice.Invoice, diag.Diagnostics) {
	entry, err := journal.Open(ctx, i.JournalDir, "invoice", i.Client.Fingerprint(), i.Model, i.Known.Value)
	if err != nil {
		return nil, i.interrupted(nil, err)
	}
	v, diags := i.begin(ctx, entry)
	// Held from look-up to settled answer, not while waiting for the authority.
	diags.Append(ReleaseJournal(entry)...)
	if diags.HasError() {
		return v, diags
	}
	v, more := i.Wait(ctx, v)
	diags.Append(more...)
	return v, diags
}

// begin brings the invoice to the service, unless it is there already.
func (i *Issuing) begin(ctx context.Context, entry *journal.Entry) (*einvoice.Invoice, diag.Diagnostics) {
	found, diags := i.lookUp(ctx, entry)
	if diags.HasError() {
		return nil, diags
	}
	decided := i.Decide(found)
	if decided == decidePost {
		return i.post(ctx, entry, nil)
	}
	differ := Differences(i.Payload, i.Model, found)
	draft := string(found.Status) == einvoice.StatusCreated
	switch decided {
	case DecideDead:
		return found, append(diags, i.Dead(found)...)
	case DecideReconcile:
		return i.reconcile(ctx, entry, found)
	case decideIssue, decideDone:
		switch {
		case draft && len(differ) > 0:
			return i.post(ctx, entry, found)
		case decided == decideIssue:
			return i.issueDraft(ctx, found)
		}
	case decidePost, decideWait, decideAdopt:
	}
	if len(differ) > 0 {
		return found, append(diags, i.refuseAdoption(found, differ)...)
	}
	if decided == decideDone {
		diags.Append(i.adopted(found))
	}
	return found, diags
}

// reconcile asks the authority about a rejected invoice, which may hold another
// result, and sends the payload again under the same id when it does not.
func (i *Issuing) reconcile(ctx context.Context, entry *journal.Entry, rejected *einvoice.Invoice) (*einvoice.Invoice, diag.Diagnostics) {
	checked, err := i.Client.CheckInvoiceStatus(ctx, i.Model, string(rejected.ID))
	switch {
	case err == nil && checked != nil && i.Decide(checked) != DecideReconcile:
		if differ := Differences(i.Payload, i.Model, checked); len(differ) > 0 {
			return checked, i.refuseAdoption(checked, differ)
		}
		return checked, nil
	case ctx.Err() != nil:
		return rejected, i.interrupted(rejected, ctx.Err())
	case err == nil, AnsweredNo(err):
		return i.post(ctx, entry, rejected)
	}
	return rejected, i.Failed("check the status of invoice", err)
}

// AnsweredNo tells that a check-status was answered with "not for this one":
// still queued (400), or a model without it (404, 405).
func AnsweredNo(err error) bool {
	return errors.Is(err, einvoice.ErrBadRequest) || errors.Is(err, einvoice.ErrNotFound) || errors.Is(err, einvoice.ErrMethodNotAllowed)
}

// issueDraft issues a draft by its id, at most once. The answer is not relied
// on where it holds no invoice.
func (i *Issuing) issueDraft(ctx context.Context, draft *einvoice.Invoice) (*einvoice.Invoice, diag.Diagnostics) {
	i.IssuedDraft = true
	issued, err := i.Client.IssueInvoice(ctx, i.Model, string(draft.ID))
	if err == nil && issued != nil && issued.ID == draft.ID {
		return issued, nil
	}
	current, readErr := i.Client.Invoice(ctx, i.Model, string(draft.ID))
	switch {
	case readErr != nil:
		return draft, i.Failed("read the draft", readErr)
	case err != nil && !errors.Is(err, einvoice.ErrAmbiguous) && string(current.Status) == einvoice.StatusCreated:
		return draft, i.Failed(taskIssueDraft, err)
	}
	i.unanswered = err
	return current, nil
}

// post sends the payload. previous is the draft or rejected invoice that it
// replaces under the same id, if any.
func (i *Issuing) post(ctx context.Context, entry *journal.Entry, previous *einvoice.Invoice) (*einvoice.Invoice, diag.Diagnostics) {
	body, err := issuingBody(i.Payload, i.Known.Value, i.Issue)
	if err != nil {
		return nil, diag.Diagnostics{message.ProviderBug("%s", err)}
	}
	var diags diag.Diagnostics
	before := entry.State()
	if err := entry.Begin(""); err != nil {
		diags.Append(UnwritableJournal(err))
	}
	i.posted = true
	posted, err := i.Client.CreateInvoice(ctx, i.Model, body)
	switch {
	case err == nil && (posted.IntegrationID == "" || string(posted.IntegrationID) == i.Known.Value):
		if err := entry.Settled(string(posted.ID)); err != nil {
			diags.Append(UnwritableJournal(err))
		}
		if previous != nil && previous.ID != posted.ID {
			diags.Append(i.notMerged(previous, posted))
		}
		return posted, diags
	case err != nil && Mentions(err, fiscal.CodeAlreadyAuthorized):
		return i.adoptPatiently(ctx, entry, err, previous, diags)
	case err == nil || errors.Is(err, einvoice.ErrAmbiguous):
		if err == nil {
			err = errors.New("the answer was about another invoice")
		}
		return i.adoptPatiently(ctx, entry, err, previous, diags)
	}
	// Nothing happened at the service: the journal must not make the next run
	// wait for an invoice that cannot appear.
	restore := entry.Forget
	if before.ID != "" {
		restore = func() error { return entry.Settled(before.ID) }
	}
	if err := restore(); err != nil {
		diags.Append(UnwritableJournal(err))
	}
	return nil, append(diags, i.Failed(taskIssue, err)...)
}
