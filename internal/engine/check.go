package engine

import (
	"context"
	"errors"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// CheckStatus has the service ask the authority about an invoice, and returns it
// as it is then. While it is queued there is nothing to ask, and that is waited
// out by plain reads, as the specification asks for.
func (i *Issuing) CheckStatus(ctx context.Context, id string) (*einvoice.Invoice, error) {
	for {
		v, err := i.Client.CheckInvoiceStatus(ctx, i.Model, id)
		switch {
		case err == nil:
			return v, i.ofIssuer(v)
		case !AnsweredNo(err):
			return nil, i.Failed(Check, nil, err)
		}
		held, readErr := i.Client.Invoice(ctx, i.Model, id)
		switch {
		case readErr != nil:
			return nil, i.Failed(Read, nil, readErr)
		case !errors.Is(err, einvoice.ErrBadRequest):
			return nil, i.problem(NotOffered, held, err)
		case string(held.Status) != einvoice.StatusEnqueued && string(held.Status) != einvoice.StatusReceived:
			return nil, i.Failed(Check, held, err)
		}
		i.tell(Queued, held, nil)
		if _, err := i.follower(unqueued, held).run(ctx); err != nil {
			return nil, err
		}
	}
}
