package issuing

import (
	"context"
	"errors"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// Cancel cancels an authorized invoice, waits until it is not valid any more, and
// returns it. What is not valid, or never was, is returned as it is. A
// cancellation that is in processing already (SPD002) is followed and not sent
// again.
func (i *Issuing) Cancel(ctx context.Context, id, reason string) (*einvoice.Invoice, error) {
	held, err := i.Client.Invoice(ctx, i.Model, id)
	if err != nil {
		return nil, i.Failed(Read, nil, err)
	}
	switch string(held.Status) {
	case einvoice.StatusCanceled, einvoice.StatusRemoved, einvoice.StatusDisabled, einvoice.StatusDenied, einvoice.StatusRejected, einvoice.StatusCreated:
		return held, nil
	case einvoice.StatusAuthorized:
	default:
		return nil, i.problem(NotCancelable, held, nil)
	}
	i.tell(Canceling, held, nil)
	f := i.follower(canceled, held)
	if RejectionCode(held) == fiscal.CodeCancellationInProgress {
		return f.run(ctx)
	}
	answer, err := i.Client.CancelInvoice(ctx, i.Model, id, reason)
	switch {
	case err != nil && (errors.Is(err, einvoice.ErrAmbiguous) || Mentions(err, fiscal.CodeCancellationInProgress)):
		i.unanswered = err
		i.tell(CancellationUnknown, held, nil)
	case err != nil:
		return nil, i.Failed(Cancel, held, err)
	case answer != nil && answer.ID == held.ID:
		f.invoice = answer
	}
	i.tell(CancellationSent, held, nil)
	return f.run(ctx)
}
