package engine

import (
	"context"
	"errors"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

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
