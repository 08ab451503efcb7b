package provider

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

// issuing is one invoice on its way from a configuration to a settled status.
//
// Two things make that happen exactly once: the look-up at the service before
// every POST, and the journal on this machine, which covers what the look-up
// cannot see: a list that lags, two blocks with one id, a kill inside a POST.
type issuing struct {
	client     *einvoice.Client
	journalDir string
	patience   time.Duration // how long an unanswered POST may stay invisible in lists
	now        func() time.Time
	sleep      func(context.Context, time.Duration) error

	model             string
	known             known           // what a next run finds it by again
	payload           json.RawMessage // without integrationId and issue
	issue             bool
	acceptContingency bool

	// An invoice that an order issues has no payload, and is known by the order.

	// twin finds the authorized invoice that SPD004 speaks of; nil for a look-up
	// by the integration_id.
	twin func(context.Context, *einvoice.Invoice) (*einvoice.Invoice, diag.Diagnostics)

	// again says what becomes of a rejected invoice that is issued by something
	// else than this machine; nil for one that is issued from a payload.
	again func(*einvoice.Invoice) string

	// report tells a person how it goes on, where somebody listens: an action has
	// progress lines, a resource has none.
	report func(string)

	inState     bool  // the invoice is in state, where an error leaves it as it was
	posted      bool  // this run has sent the payload
	issuedDraft bool  // this run has asked for a draft to be issued
	unanswered  error // of the last request, other than a read, without a usable answer
}

// known is the name of something in a configuration: an order by its
// transaction_id "sale-1".
type known struct {
	thing, attribute, value string
}

// byIntegrationID is how an invoice of its own is known.
func byIntegrationID(value string) known { return known{"invoice", "integration_id", value} }

// tell reports progress.
func (i *issuing) tell(format string, args ...any) {
	if i.report != nil {
		i.report(fmt.Sprintf(format, args...))
	}
}

// decision is what the status of an invoice asks for next.
type decision int

const (
	decidePost      decision = iota // nothing exists: send the payload
	decideDone                      // settled as wanted
	decideWait                      // in progress
	decideIssue                     // a draft that is wanted issued
	decideAdopt                     // SPD004: an authorized one exists somewhere; look patiently
	decideReconcile                 // rejected for good, unless the authority knows better
	decideDead                      // cannot become an invoice any more
)

// decide is the whole state machine of issuing. processingDetail.status is no
// verdict: "success" only says that the queued work ran.
func (i *issuing) decide(v *einvoice.Invoice) decision {
	if v == nil {
		return decidePost
	}
	switch string(v.Status) {
	case einvoice.StatusAuthorized:
		return decideDone
	case einvoice.StatusRejected:
		switch code := rejectionCode(v); {
		case fiscal.IsTransient(code):
			return decideWait
		case code == fiscal.CodeAlreadyAuthorized:
			return decideAdopt
		default:
			return decideReconcile
		}
	case einvoice.StatusCanceled, einvoice.StatusDenied, einvoice.StatusRemoved, einvoice.StatusDisabled:
		return decideDead
	}
	if !i.issue { // A draft, or an answer other than created that is kept as it is.
		return decideDone
	}
	switch string(v.Status) {
	case einvoice.StatusCreated:
		return decideIssue
	case einvoice.StatusInContingent:
		if i.acceptContingency {
			return decideDone
		}
	}
	return decideWait
}

func rejectionCode(v *einvoice.Invoice) string {
	if v.ProcessingDetail == nil {
		return ""
	}
	return strings.ToUpper(strings.TrimSpace(string(v.ProcessingDetail.Code)))
}

// create issues the invoice, or goes on with the one that exists under its
// integration_id already, and waits until it is settled. On an error nothing of
// it belongs in state: running apply again comes back here and goes on.
func (i *issuing) create(ctx context.Context) (*einvoice.Invoice, diag.Diagnostics) {
	entry, err := journal.Open(ctx, i.journalDir, "invoice", i.client.Fingerprint(), i.model, i.known.value)
	if err != nil {
		return nil, i.interrupted(nil, err)
	}
	v, diags := i.begin(ctx, entry)
	// Held from look-up to settled answer, not while waiting for the authority.
	diags.Append(releaseJournal(entry)...)
	if diags.HasError() {
		return v, diags
	}
	v, more := i.wait(ctx, v)
	diags.Append(more...)
	return v, diags
}

// begin brings the invoice to the service, unless it is there already.
func (i *issuing) begin(ctx context.Context, entry *journal.Entry) (*einvoice.Invoice, diag.Diagnostics) {
	found, diags := i.lookUp(ctx, entry)
	if diags.HasError() {
		return nil, diags
	}
	decided := i.decide(found)
	if decided == decidePost {
		return i.post(ctx, entry, nil)
	}
	differ := differences(i.payload, i.model, found)
	draft := string(found.Status) == einvoice.StatusCreated
	switch decided {
	case decideDead:
		return found, append(diags, i.dead(found)...)
	case decideReconcile:
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
func (i *issuing) reconcile(ctx context.Context, entry *journal.Entry, rejected *einvoice.Invoice) (*einvoice.Invoice, diag.Diagnostics) {
	checked, err := i.client.CheckInvoiceStatus(ctx, i.model, string(rejected.ID))
	switch {
	case err == nil && checked != nil && i.decide(checked) != decideReconcile:
		if differ := differences(i.payload, i.model, checked); len(differ) > 0 {
			return checked, i.refuseAdoption(checked, differ)
		}
		return checked, nil
	case ctx.Err() != nil:
		return rejected, i.interrupted(rejected, ctx.Err())
	case err == nil, answeredNo(err):
		return i.post(ctx, entry, rejected)
	}
	return rejected, i.failed("check the status of invoice", err)
}

// answeredNo tells that a check-status was answered with "not for this one":
// still queued (400), or a model without it (404, 405).
func answeredNo(err error) bool {
	return errors.Is(err, einvoice.ErrBadRequest) || errors.Is(err, einvoice.ErrNotFound) || errors.Is(err, einvoice.ErrMethodNotAllowed)
}

// issueDraft issues a draft by its id, at most once. The answer is not relied
// on where it holds no invoice.
func (i *issuing) issueDraft(ctx context.Context, draft *einvoice.Invoice) (*einvoice.Invoice, diag.Diagnostics) {
	i.issuedDraft = true
	issued, err := i.client.IssueInvoice(ctx, i.model, string(draft.ID))
	if err == nil && issued != nil && issued.ID == draft.ID {
		return issued, nil
	}
	current, readErr := i.client.Invoice(ctx, i.model, string(draft.ID))
	switch {
	case readErr != nil:
		return draft, i.failed("read the draft", readErr)
	case err != nil && !errors.Is(err, einvoice.ErrAmbiguous) && string(current.Status) == einvoice.StatusCreated:
		return draft, i.failed("issue the draft", err)
	}
	i.unanswered = err
	return current, nil
}

// post sends the payload. previous is the draft or rejected invoice that it
// replaces under the same id, if any.
func (i *issuing) post(ctx context.Context, entry *journal.Entry, previous *einvoice.Invoice) (*einvoice.Invoice, diag.Diagnostics) {
	body, err := issuingBody(i.payload, i.known.value, i.issue)
	if err != nil {
		return nil, diag.Diagnostics{message.ProviderBug("%s", err)}
	}
	var diags diag.Diagnostics
	before := entry.State()
	if err := entry.Begin(""); err != nil {
		diags.Append(unwritableJournal(err))
	}
	i.posted = true
	posted, err := i.client.CreateInvoice(ctx, i.model, body)
	switch {
	case err == nil && (posted.IntegrationID == "" || string(posted.IntegrationID) == i.known.value):
		if err := entry.Settled(string(posted.ID)); err != nil {
			diags.Append(unwritableJournal(err))
		}
		if previous != nil && previous.ID != posted.ID {
			diags.Append(i.notMerged(previous, posted))
		}
		return posted, diags
	case err != nil && mentions(err, fiscal.CodeAlreadyAuthorized):
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
		diags.Append(unwritableJournal(err))
	}
	return nil, append(diags, i.failed("issue invoice", err)...)
}
