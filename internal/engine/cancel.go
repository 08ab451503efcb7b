package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// Ending is how an invoice that is to be canceled ends, by its status.
type Ending int

// The endings.
const (
	Forgotten Ending = iota // it is not valid, or never was: nothing is sent
	Canceled                // a cancellation is sent
	Unsettled               // in progress or in contingency: it cannot be canceled yet
)

// EndingOf tells what Cancel does to an invoice of a status.
func EndingOf(status string) Ending {
	switch status {
	case einvoice.StatusCanceled, einvoice.StatusRemoved, einvoice.StatusDisabled, einvoice.StatusDenied, einvoice.StatusRejected, einvoice.StatusCreated:
		return Forgotten
	case einvoice.StatusAuthorized:
		return Canceled
	}
	return Unsettled // A status this provider does not know may become valid.
}

// EndsAsPlanned tells that Cancel does what a plan has said of an invoice of the
// status planned. One that is not valid any more needs nothing.
func EndsAsPlanned(v *einvoice.Invoice, planned string) bool {
	return EndingOf(string(v.Status)) == EndingOf(planned) || decide(v, Want{}) == decideDead
}

// usualWindows are the periods for canceling that the states have in common (Ajuste
// SINIEF 07/05 and 19/16).
var usualWindows = map[string]time.Duration{einvoice.ModelProduct: 24 * time.Hour, einvoice.ModelConsumer: 30 * time.Minute}

// CancelableUntil tells when the period for canceling an authorized invoice ends:
// window, or the usual one where that is 0. An NFS-e has no usual one: its city
// decides. A date without an offset is by the clock of the issuer's state.
func CancelableUntil(model, accessKey, authorizedOn string, window time.Duration) (time.Time, bool) {
	window = cmp.Or(window, usualWindows[model])
	since, ok := einvoice.ParseTimeIn(authorizedOn, time.FixedZone("", -fiscal.HoursWest(accessKey)*60*60))
	return since.Add(window), ok && window > 0
}

// Cancel cancels an authorized invoice, waits until it is not valid any more, and
// returns it. What is not valid, or never was, is returned as it is. A
// cancellation that is in processing already (SPD002) is followed and not sent
// again.
func (i *Issuing) Cancel(ctx context.Context, id, reason string) (*einvoice.Invoice, error) {
	return i.CancelAsPlanned(ctx, id, reason, "")
}

// CancelAsPlanned is Cancel after a plan that has said what it will do to an
// invoice of the status planned, "" without a plan. What would end in another way
// by now is a problem, and nothing is sent; one that is not valid any more needs
// nothing. Nor is one canceled that another object of a state has taken over.
func (i *Issuing) CancelAsPlanned(ctx context.Context, id, reason, planned string) (*einvoice.Invoice, error) {
	held, err := i.Client.Invoice(ctx, i.Model, id)
	if err != nil {
		return nil, i.Failed(Read, nil, err)
	}
	if err := i.ofIssuer(held); err != nil {
		return nil, err
	}
	switch ending := EndingOf(string(held.Status)); {
	case planned != "" && !EndsAsPlanned(held, planned):
		return nil, i.problem(NotAsPlanned, held, nil)
	case ending == Forgotten:
		return held, nil
	case ending == Unsettled:
		return nil, i.problem(NotCancelable, held, nil)
	}
	i.tell(Canceling, held, nil)
	f := i.follower(canceled, held)
	if RejectionCode(held) == fiscal.CodeCancellationInProgress {
		return f.run(ctx)
	}
	if planned == "" || i.OfOrder != nil { // It is canceled by itself, or the order knows who has it.
		return i.cancel(ctx, f, held, reason)
	}
	var v *einvoice.Invoice
	err = i.cancelHeld(ctx, &i.Service, i.key(), holding{i.Holder, held.ID}, func(ctx context.Context, begin func(context.Context) error) (err error) {
		i.begin = begin
		v, err = i.cancel(ctx, f, held, reason)
		return err
	})
	return v, i.about(err, held)
}

// cancel sends a cancellation and follows it.
func (i *Issuing) cancel(ctx context.Context, f *follower, held *einvoice.Invoice, reason string) (*einvoice.Invoice, error) {
	client := i.Client
	if i.begin != nil {
		client = client.Beginning(i.begin)
	}
	answer, err := client.CancelInvoice(ctx, i.Model, string(held.ID), reason)
	switch {
	case once.IsUnsent(err):
		return nil, err
	case err != nil && (errors.Is(err, einvoice.ErrAmbiguous) || Mentions(err, fiscal.CodeCancellationInProgress)):
		i.unanswered = err
		i.tell(CancellationUnknown, held, nil)
	case err != nil:
		return nil, i.Failed(Cancel, held, err)
	case answer != nil && einvoice.SameID(answer.ID, held.ID):
		f.invoice = answer
	}
	i.tell(CancellationSent, held, nil)
	return f.run(ctx)
}
