package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

const (
	staleAfter    = 60 * time.Second  // without a change of status
	checkInterval = 30 * time.Second  // between two check-status of one invoice
	longQueued    = 4 * checkInterval // of a rejected invoice: check-status may fail for it
)

// pollPauses fit an authority that usually answers within 10 s: an invoice costs two polls then, an early one and one
// right after the usual time. The last pause repeats. Requests that wait for the rate limit go before a poll.
var pollPauses = []time.Duration{
	3 * time.Second, 7500 * time.Millisecond, 5 * time.Second, 8 * time.Second, 10 * time.Second,
}

type goal int

const (
	settled  goal = iota // it is what is wanted, or cannot become so
	canceled             // its cancellation is through, or refused
	unqueued             // its status moves: the authority may know it
	asked                // the authority was asked about it, or its status moves
)

// follower follows one invoice to a goal.
type follower struct {
	*Issuing
	goal    goal
	before  *einvoice.Invoice // when the following began
	invoice *einvoice.Invoice // as last seen

	changed     time.Time // when its status last changed, as far as seen
	checked     time.Time // when check-status was last called
	uncheckable bool      // the model has no check-status
	queued      bool      // the last check-status was answered with "still queued"
	wasRead     bool      // at least once
	adoptUntil  time.Time // how long the invoice that SPD004 speaks of is looked for
	refusals    int       // how often a cancellation was seen refused
	processed   bool      // the cancellation was seen in processing

	reads     failedReads
	lastCheck error // of the last check-status
}

// failedReads remembers failed reads of something that is followed. A failed read is never a state.
type failedReads struct {
	last    error     // nil where the last read succeeded
	missing time.Time // since when reads answer "not found"
}

// isFinal remembers the error of a read, and reports whether another read cannot help.
func (r *failedReads) isFinal(err error, s *Service) bool {
	r.last = err
	switch {
	case errors.Is(err, einvoice.ErrForbidden), errors.Is(err, einvoice.ErrUnauthorized):
		return true
	case errors.Is(err, einvoice.ErrNotFound):
		if r.missing.IsZero() {
			r.missing = s.Clock.Now()
		}
		return s.Clock.Now().Sub(r.missing) >= s.Patience
	}
	return false
}

func (i *Issuing) follower(goal goal, v *einvoice.Invoice) *follower {
	return &follower{Issuing: i, goal: goal, before: v, invoice: v, changed: i.Clock.Now()}
}

// follow waits until an invoice is settled or its time is over.
func (i *Issuing) follow(ctx context.Context, v *einvoice.Invoice) (*einvoice.Invoice, error) {
	// Another runner may have sent it after this one looked, or before and still unseen.
	defer i.Client.FollowInvoice(i.Model, v, i.Clock.Now().Sub(cmp.Or(i.looked, i.Clock.Now()))+i.Patience)()
	v, err := i.follower(settled, v).run(ctx)
	if err != nil {
		return v, err
	}
	switch {
	case string(v.Status) == einvoice.StatusInContingent:
		i.note(InContingency, v, nil)
	case !i.Issue && !v.IsDraft():
		return v, i.problem(NotADraft, v, nil)
	}
	return v, nil
}

// run looks at the invoice until the goal is reached. It returns the last look, also beside a problem.
func (f *follower) run(ctx context.Context) (*einvoice.Invoice, error) {
	reached, err := f.reached()
	if !reached && err == nil {
		err = f.Clock.Until(ctx, pollPauses, func() (bool, error) {
			err := f.look(ctx)
			if err := cmp.Or(ctx.Err(), err); err != nil {
				return false, err
			}
			return f.reached()
		})
	}
	if p := (*Problem)(nil); err != nil && !errors.As(err, &p) {
		p = f.problem(Interrupted, f.invoice, err)
		if errors.Is(err, context.DeadlineExceeded) {
			p.Kind = TimedOut
		}
		p.Unanswered, p.LastCheck, p.LastLook, p.Queued = f.unanswered, f.lastCheck, f.reads.last, f.queued
		return f.invoice, p
	}
	return f.invoice, err
}

func (f *follower) reached() (bool, error) {
	switch f.goal {
	case canceled:
		return f.isCanceled()
	case asked:
		moved := f.invoice.Status != f.before.Status
		isLong := f.Clock.Now().Sub(f.changed) >= max(f.Patience, longQueued)
		if f.queued && !moved && isLong && f.reads.last == nil {
			return false, context.DeadlineExceeded // Each read shows it as over: that is not worth the whole timeout.
		}
		return moved || !f.queued, nil
	case unqueued:
		return f.invoice.Status != f.before.Status, nil
	default:
		return f.isSettled()
	}
}

func (f *follower) isSettled() (bool, error) {
	if f.OfOrder == nil && !f.isNamed(f.invoice) {
		return false, f.misnamed(f.invoice)
	}
	switch decide(f.invoice, f.Want) {
	case decideDone:
		return true, nil
	case decideEnded, decideReconcile:
		if !f.resent.isAnsweredBy(f.invoice) {
			return false, f.failedAs(f.invoice)
		}
		return false, f.keepsFormer()
	case decideAdopt:
		if f.adoptUntil.IsZero() {
			f.adoptUntil = f.Clock.Now().Add(f.Patience)
		}
		if !f.Clock.Now().Before(f.adoptUntil) {
			return false, f.failedAs(f.invoice)
		}
	case decideIssue:
		return false, f.keepsFormer()
	case decideWait:
	}
	return false, nil
}

// isCanceled reports whether the invoice is not valid any more. The error is that of a cancellation without effect.
func (f *follower) isCanceled() (bool, error) {
	if f.invoice.Meaning().HasEnded() {
		return true, nil
	}
	detail := f.invoice.ProcessingDetail
	f.processed = f.processed || detail != nil && string(detail.Status) == "processing"
	if f.isRefused() {
		// Seen twice: the first read may still show what was there before.
		if f.refusals++; f.refusals > 1 {
			return false, f.problem(CancellationRefused, f.invoice, nil)
		}
	}
	// A refusal of before that nothing has followed may be that of this cancellation, too.
	if isFailed(f.before) && isFailed(f.invoice) && f.Clock.Now().Sub(f.changed) >= max(f.Patience, longQueued) {
		p := f.problem(CancellationRefused, f.invoice, nil)
		p.Former = true
		return false, p
	}
	moved := f.invoice.Status != f.before.Status || RejectionCode(f.invoice) != RejectionCode(f.before) ||
		!f.reads.missing.IsZero()
	if f.unanswered != nil && !moved && f.Clock.Now().Sub(f.changed) >= f.Patience {
		return false, f.problem(AnswerLost, f.invoice, f.unanswered)
	}
	return false, nil
}

// isRefused reports whether the authority has refused the cancellation: the invoice is still authorized, with a new
// code, time or message that is not transient, or without any after it was in processing.
func (f *follower) isRefused() bool {
	detail, prior, code := f.invoice.ProcessingDetail, f.before.ProcessingDetail, RejectionCode(f.invoice)
	if string(f.invoice.Status) != einvoice.StatusAuthorized || detail == nil || detail.Code == "" && !f.processed ||
		string(detail.Status) == "processing" || fiscal.IsTransient(code) {
		return false
	}
	return prior == nil || code != RejectionCode(f.before) || !sameJudgment(f.before, f.invoice) ||
		detail.Message != prior.Message
}

// isFailed reports whether an authorized invoice shows that its last processing, such as a cancellation, has failed.
func isFailed(v *einvoice.Invoice) bool {
	detail, code := v.ProcessingDetail, RejectionCode(v)
	return string(v.Status) == einvoice.StatusAuthorized && code != "" && string(detail.Status) == "failed" &&
		!fiscal.IsTransient(code)
}

// look looks at the invoice once more, in the way its status asks for.
func (f *follower) look(ctx context.Context) error {
	if f.goal == settled {
		switch decide(f.invoice, f.Want) {
		case decideIssue:
			if f.wasRead && !f.issuedDraft && f.OfOrder == nil && !f.holdsFormer() {
				return f.issueLeftDraft(ctx)
			}
		case decideReconcile:
			// Only where it holds this payload: to issue it would issue the rejected one otherwise.
			if f.wasRead && f.resent.isSame && !f.issuedDraft && f.repetitions < einvoice.MostRepetitions {
				f.resent.at = f.Clock.Now()
				return f.issueLeftDraft(ctx)
			}
		case decideAdopt:
			if adopted, err := f.adoptAuthorized(ctx); adopted || err != nil {
				return err
			}
		default:
		}
	}
	if f.isStale() && f.check(ctx) {
		return nil
	}
	return f.read(ctx)
}

// issueLeftDraft issues what the service should have issued with the request that made or corrected it.
func (f *follower) issueLeftDraft(ctx context.Context) error {
	t, err := f.Once().Load(ctx, f.key())
	if err != nil {
		return f.about(f.asProblem(err, err), nil)
	}
	if t.InDoubt() { // Another run may be issuing it: the next look shows the outcome.
		return nil
	}
	v, err := f.issueDraft(ctx, t, f.invoice)
	switch {
	case errors.Is(err, journal.ErrChanged): // Somebody else issues it: the next look shows the outcome.
		return nil
	case err != nil:
		return f.about(f.asProblem(err, err), nil)
	}
	f.saw(v)
	return nil
}

// adoptAuthorized takes the authorized invoice that SPD004 speaks of in the place of this one.
func (f *follower) adoptAuthorized(ctx context.Context) (bool, error) {
	found, err := f.findAuthorized(ctx, f.invoice)
	if err != nil || found == nil || einvoice.SameID(found.ID, f.invoice.ID) || IsCorrectable(found) {
		return false, err
	}
	if differ := Differences(f.Payload, f.Model, found); len(differ) > 0 {
		p := f.another(found, differ)
		p.Refused = true
		return false, p
	}
	f.saw(found)
	return true, nil
}

// findAuthorized finds the authorized invoice that SPD004 speaks of by the name of the sale; nil for none.
func (i *Issuing) findAuthorized(ctx context.Context, of *einvoice.Invoice) (*einvoice.Invoice, error) {
	if i.OfOrder == nil {
		found, err := i.list(ctx)
		if i.isUnlisted(err) {
			return nil, nil //nolint:nilnil // The contract: none.
		}
		if err != nil {
			return nil, err
		}
		return i.choose(slices.DeleteFunc(found, hasID(of.ID)), "")
	}
	name := i.OfOrder.TransactionID
	for other, err := range i.Client.Invoices(ctx, i.Model, einvoice.InvoiceFilter{TransactionID: string(name)}) {
		if err != nil {
			return nil, i.requestFailed(LookUp, of, err)
		}
		isOfOrder := other.Order != nil && einvoice.SameClientID(other.Order.TransactionID, name)
		if isOfOrder && string(other.Status) == einvoice.StatusAuthorized && !einvoice.SameID(other.ID, of.ID) {
			return other, nil
		}
	}
	return nil, nil //nolint:nilnil // The contract: none.
}

// isStale reports whether the authority should be asked: the status has not moved for long, or the code is transient.
func (f *follower) isStale() bool {
	now, code := f.Clock.Now(), RejectionCode(f.invoice)
	checkedLately := !f.checked.IsZero() && now.Sub(f.checked) < checkInterval
	if f.goal == unqueued || f.uncheckable || !f.reads.missing.IsZero() || checkedLately {
		return false
	}
	unsettled := f.goal == settled && (fiscal.IsTransient(code) || code == fiscal.CodeAlreadyAuthorized)
	return f.goal == asked || unsettled || now.Sub(f.changed) >= staleAfter
}

// check has the service ask the authority, and reports whether the answer showed the invoice.
func (f *follower) check(ctx context.Context) bool {
	v, err := f.Client.CheckInvoiceStatus(ctx, f.Model, string(f.invoice.ID))
	f.checked, f.lastCheck = f.Clock.Now(), nil
	switch {
	case err == nil:
		f.queued = false
		if v != nil && einvoice.SameID(v.ID, f.invoice.ID) {
			f.saw(v)
			return true
		}
	case errors.Is(err, einvoice.ErrBadRequest):
		if f.goal == asked {
			f.lastCheck = err
			if !f.queued {
				f.tell(Queued, f.invoice, nil)
			}
		}
		f.queued = true
	case errors.Is(err, einvoice.ErrNotFound), errors.Is(err, einvoice.ErrMethodNotAllowed):
		f.uncheckable, f.queued, f.lastCheck = true, false, err
	case ctx.Err() != nil: // Nothing that the service did.
	default:
		f.lastCheck = err
	}
	return false
}

// read polls. It remembers a failed read and tries again, unless that cannot help.
func (f *follower) read(ctx context.Context) error {
	f.wasRead = true
	v, err := f.Client.PollInvoice(ctx, f.Model, f.invoice)
	switch {
	case err == nil && einvoice.SameID(v.ID, f.invoice.ID):
		f.saw(v)
		return nil
	case err == nil:
		err = errAboutAnother
	case ctx.Err() != nil:
		return nil //nolint:nilerr // Nothing that the service did: the loop ends with the context.
	}
	if !f.reads.isFinal(err, &f.Service) {
		return nil
	}
	request := Follow
	if f.goal == canceled {
		request = FollowCancellation
	}
	return f.requestFailed(request, f.invoice, err)
}

func (f *follower) saw(v *einvoice.Invoice) {
	f.reads = failedReads{}
	if v.Status != f.invoice.Status {
		f.changed = f.Clock.Now()
		f.tell(StatusChanged, v, f.invoice)
	}
	f.invoice = v
}

// CheckStatus has the service ask the authority about an invoice, and returns it as it is then. While the invoice is
// queued there is nothing to ask: it waits by plain reads, as the specification asks for.
func (i *Issuing) CheckStatus(ctx context.Context, id string) (*einvoice.Invoice, error) {
	for {
		v, err := i.Client.CheckInvoiceStatus(ctx, i.Model, id)
		isQueued := errors.Is(err, einvoice.ErrBadRequest)
		switch {
		case err == nil:
			return v, i.checkIssuerOf(v)
		case !isQueued && !errors.Is(err, einvoice.ErrNotFound) && !errors.Is(err, einvoice.ErrMethodNotAllowed):
			return nil, i.requestFailed(Check, nil, err)
		}
		current, readErr := i.Client.Invoice(ctx, i.Model, id)
		switch {
		case readErr != nil:
			return nil, i.requestFailed(Read, nil, readErr)
		case !isQueued:
			return nil, i.problem(NotOffered, current, err)
		case string(current.Status) != einvoice.StatusEnqueued && string(current.Status) != einvoice.StatusReceived:
			return nil, i.requestFailed(Check, current, err)
		}
		i.tell(Queued, current, nil)
		if _, err := i.follower(unqueued, current).run(ctx); err != nil {
			return nil, err
		}
	}
}

// askAuthority has the service ask the authority about a rejected invoice, and returns it as it is then. While the
// service says that the invoice is still queued it waits, whatever else shows: the invoice may yet be authorized.
func (i *Issuing) askAuthority(ctx context.Context, rejected *einvoice.Invoice) (*einvoice.Invoice, error) {
	f := i.follower(asked, rejected)
	f.check(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, i.problem(Interrupted, rejected, ctx.Err())
	case f.lastCheck != nil && !f.uncheckable && !f.queued:
		return nil, i.requestFailed(Check, rejected, f.lastCheck)
	}
	return f.run(ctx)
}
