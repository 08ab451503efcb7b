package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// errAboutAnother is of an answer to a creation with another sale's invoice or order.
var errAboutAnother = unusableError{errors.New("the response was about another invoice or order")}

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
