package issuing

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// post sends the payload. previous is the draft or rejected invoice that it
// replaces under the same id, if any.
func (i *Issuing) post(ctx context.Context, entry *Entry, previous *einvoice.Invoice) (*einvoice.Invoice, error) {
	body, err := issuingBody(i.Payload, i.IntegrationID, i.Issue)
	if err != nil {
		return nil, err
	}
	done, err := i.admit(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	before := entry.State()
	if err := entry.Begin(i.content()); err != nil {
		return nil, i.problem(Unrecorded, previous, err)
	}
	i.sent = true
	posted, err := i.Client.CreateInvoice(ctx, i.Model, body)
	switch {
	case err == nil && i.isNamed(posted):
		entry.Settled(posted.ID)
		if previous != nil && !einvoice.SameID(previous.ID, posted.ID) {
			i.note(NotMerged, posted, previous)
		}
		return posted, nil
	case err == nil:
		return i.adoptPatiently(ctx, entry, errors.New("the answer was about another invoice"))
	case errors.Is(err, einvoice.ErrAmbiguous), Mentions(err, fiscal.CodeAlreadyAuthorized):
		return i.adoptPatiently(ctx, entry, err)
	}
	entry.Undo(before)
	return nil, i.Failed(Post, nil, err)
}

// adoptPatiently settles a POST whose outcome is not known: the invoice is
// looked for again and again. What shows nowhere may be sent again afterwards.
func (i *Issuing) adoptPatiently(ctx context.Context, entry *Entry, lost error) (*einvoice.Invoice, error) {
	if ctx.Err() != nil {
		return nil, i.interrupted(nil, lost)
	}
	all, err := i.lookPatiently(ctx, i.Clock.Now().Add(i.Patience), nil)
	if err != nil {
		return nil, err
	}
	found, err := i.choose(slices.DeleteFunc(all, i.wasThere), "")
	draft := found != nil && string(found.Status) == einvoice.StatusCreated
	switch {
	case err != nil:
		return nil, err
	case found == nil, decide(found, i.Want) == decideAdopt,
		draft && i.Issue: // An older one may show only now. It must not be issued for what was sent.
		p := i.problem(AnswerLost, found, lost)
		p.LookedFor, p.Repetitions = i.Patience, i.repetitions
		return nil, p
	}
	if differ := Differences(i.Payload, i.Model, found); len(differ) > 0 && !IsRejected(found) {
		p := i.another(found, differ)
		p.Refused = !errors.Is(lost, einvoice.ErrAmbiguous) && Mentions(lost, fiscal.CodeAlreadyAuthorized)
		if !draft {
			entry.Known(found.ID) // Not by what was sent: a payload that fits may take it over.
		}
		return nil, p
	}
	if draft {
		entry.Keep(journal.State{ID: string(found.ID), Note: inDoubt})
	} else {
		entry.Settled(found.ID)
	}
	return found, nil
}

// maySendAgain tells whether a problem is a POST that was lost and looked for, with
// nothing to be seen of it, so that a repetition may be sent.
func (i *Issuing) maySendAgain(ctx context.Context, err error) bool {
	p := (*Problem)(nil)
	return ctx.Err() == nil && errors.As(err, &p) && p.Kind == AnswerLost && (p.Invoice == nil || IsCorrectable(p.Invoice)) && i.Client.MaySendAgain(p.Cause, i.repetitions, i.Patience)
}

// ask has the service ask the authority about a rejected invoice, and returns it
// as it is then. One that the authority says nothing of is as it was.
func (i *Issuing) ask(ctx context.Context, rejected *einvoice.Invoice) (*einvoice.Invoice, error) {
	checked, err := i.Client.CheckInvoiceStatus(ctx, i.Model, string(rejected.ID))
	switch {
	case err == nil && checked != nil && einvoice.SameID(checked.ID, rejected.ID):
		return checked, nil
	case ctx.Err() != nil:
		return nil, i.interrupted(rejected, ctx.Err())
	case err == nil, AnsweredNo(err):
		return rejected, nil
	}
	return nil, i.Failed(Check, rejected, err)
}

// AnsweredNo tells that a check-status was answered with "not for this one":
// still queued (400), or a model without it (404, 405).
func AnsweredNo(err error) bool {
	return errors.Is(err, einvoice.ErrBadRequest) || errors.Is(err, einvoice.ErrNotFound) || errors.Is(err, einvoice.ErrMethodNotAllowed)
}

// Mentions tells that the service names a code in a refusal.
func Mentions(err error, code string) bool {
	return strings.Contains(strings.ToUpper(err.Error()), code)
}

// issueDraft issues a draft by its id, at most once. The answer is not relied
// on where it holds no invoice.
func (i *Issuing) issueDraft(ctx context.Context, draft *einvoice.Invoice) (*einvoice.Invoice, error) {
	done, err := i.admit(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	i.issuedDraft = true
	issued, err := i.Client.IssueInvoice(ctx, i.Model, string(draft.ID))
	if err == nil && issued != nil && einvoice.SameID(issued.ID, draft.ID) {
		return issued, nil
	}
	current, readErr := i.Client.Invoice(ctx, i.Model, string(draft.ID))
	switch {
	case readErr != nil:
		return nil, i.Failed(ReadDraft, draft, readErr)
	case err != nil && !errors.Is(err, einvoice.ErrAmbiguous) && string(current.Status) == einvoice.StatusCreated:
		return nil, i.Failed(IssueDraft, draft, err)
	}
	i.unanswered = err
	return current, nil
}
