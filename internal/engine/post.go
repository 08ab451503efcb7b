package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

var errAboutAnother = errors.New("the response was about another invoice or order")

// post sends the payload. previous is the draft or rejected invoice that it replaces under the same id, if any.
func (i *Issuing) post(ctx context.Context, t *once.Turn, previous *einvoice.Invoice) (*einvoice.Invoice, error) {
	body, err := issuingBody(i.Payload, i.IntegrationID, i.Issue)
	if err != nil {
		return nil, err
	}
	var posted *einvoice.Invoice
	r := request{name: Post, content: i.content(), models: []string{i.Model}}
	r.exchange = func(c *einvoice.Client) (einvoice.Text, error) {
		var err error
		switch posted, err = c.CreateInvoice(ctx, i.Model, body); {
		case err != nil && Mentions(err, fiscal.CodeAlreadyAuthorized):
			return "", unusableError{err}
		case err != nil:
			return "", err
		case !i.isNamed(posted):
			return posted.ID, unusableError{errAboutAnother}
		}
		return posted.ID, nil
	}
	if err := i.send(ctx, &i.Service, t, r); err != nil {
		return nil, err
	}
	if posted.IntegrationID == "" {
		current, err := i.Client.Invoice(ctx, i.Model, string(posted.ID))
		if err == nil && !i.isNamed(current) {
			return nil, i.misnamed(current)
		}
	}
	if previous != nil {
		i.noteNotMerged(posted, []*einvoice.Invoice{previous})
	}
	return posted, nil
}

// noteNotMerged notes which drafts and rejected invoices the service kept beside the one that was sent in their place.
func (i *Issuing) noteNotMerged(sent *einvoice.Invoice, before []*einvoice.Invoice) {
	for _, previous := range before {
		if IsCorrectable(previous) && !einvoice.SameID(previous.ID, sent.ID) {
			i.note(NotMerged, sent, previous)
		}
	}
}

// settleLost settles a payload that this run has sent without a usable answer, when something proves the outcome or
// the patience is over. It returns nil where the payload may be sent again.
func (i *Issuing) settleLost(
	ctx context.Context, t *once.Turn, all []*einvoice.Invoice,
) (*einvoice.Invoice, error) {
	found, err := i.choose(slices.DeleteFunc(slices.Clone(all), i.isAsBefore), "")
	draft := found != nil && isDraft(found)
	switch {
	case err != nil:
		return nil, err
	case found == nil, decide(found, i.Want) == decideAdopt,
		draft && i.Issue: // An older draft may show only now. It must not be issued for what was sent.
		correctable := found == nil || IsCorrectable(found)
		if correctable && i.Client.MaySendAgain(i.lost, i.repetitions, i.Patience) {
			return nil, nil //nolint:nilnil // It goes on as another run would.
		}
		p := i.problem(AnswerLost, found, i.lost)
		p.LookedFor, p.Repetitions = i.Patience, i.repetitions
		return nil, p
	}
	next := t.Known.In(journal.Settled, string(found.ID))
	if differ := Differences(i.Payload, i.Model, found); len(differ) > 0 && !IsRejected(found) {
		p := i.another(found, differ)
		p.Refused = !errors.Is(i.lost, einvoice.ErrAmbiguous) && Mentions(i.lost, fiscal.CodeAlreadyAuthorized)
		if !draft {
			next.Content = "" // It was not made of what was sent: a payload that fits may take it over.
			t.Keep(ctx, next)
		}
		return nil, p
	}
	if draft {
		next.Content = inDoubt
	}
	t.Keep(ctx, next)
	i.noteNotMerged(found, i.before)
	return found, nil
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
	v, err := f.run(ctx)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// reconcileBeside returns a draft, or the invoice beside it that the service shows as rejected and that the authority
// has authorized: nothing may be sent over the draft then.
func (i *Issuing) reconcileBeside(
	ctx context.Context, all []*einvoice.Invoice, draft *einvoice.Invoice,
) (*einvoice.Invoice, error) {
	for _, v := range all {
		if !IsRejected(v) {
			continue
		}
		if v, err := i.askAuthority(ctx, v); err != nil || !IsRejected(v) {
			return v, err
		}
	}
	return draft, nil
}

// Mentions reports whether the service names a code in a refusal.
func Mentions(err error, code string) bool {
	return strings.Contains(strings.ToUpper(err.Error()), code)
}

// issueDraft issues a draft by its id, at most once. Where the answer holds no invoice, it reads the invoice.
func (i *Issuing) issueDraft(ctx context.Context, t *once.Turn, draft *einvoice.Invoice) (*einvoice.Invoice, error) {
	release, err := i.takeTurn(ctx, &i.Service, []string{i.Model})
	if err != nil {
		return nil, err
	}
	id := string(draft.ID)
	issued, err := i.Client.Beginning(t.Sending(t.Known.Content, id)).IssueInvoice(ctx, i.Model, id)
	release()
	if once.IsUnsent(err) {
		return nil, err
	}
	i.issuedDraft = true
	if err == nil || einvoice.IsRefusal(err) {
		t.Settle(ctx, id) // Refused, it is the draft that it was.
	}
	if err == nil && issued != nil && einvoice.SameID(issued.ID, draft.ID) {
		return issued, nil
	}
	current, readErr := i.Client.Invoice(ctx, i.Model, id)
	switch {
	case readErr != nil:
		return nil, i.requestFailed(ReadDraft, draft, readErr)
	case err != nil && !errors.Is(err, einvoice.ErrAmbiguous) && isDraft(current):
		return nil, i.requestFailed(IssueDraft, draft, err)
	}
	i.unanswered = err
	return current, nil
}
