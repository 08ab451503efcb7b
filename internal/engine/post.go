package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
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
	r.exchange = func(guard einvoice.Guard) (einvoice.Text, error) {
		var err error
		switch posted, err = i.Client.CreateInvoice(ctx, i.Model, body, guard); {
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
	issued, err := i.Client.IssueInvoice(ctx, i.Model, id, t.Sending(t.Known.Content, id))
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
