package engine

import (
	"cmp"
	"context"
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

// EndingOf returns what Cancel does to an invoice of a status.
func EndingOf(status string) Ending {
	switch m := einvoice.MeaningOf(status); {
	case m.Cancelable:
		return Canceled
	case m.Live:
		return Unsettled
	}
	return Forgotten
}

// endsAsPlanned reports whether Cancel does what a plan has said of an invoice of the status planned. One that is not
// valid any more needs nothing.
func endsAsPlanned(v *einvoice.Invoice, planned string) bool {
	return EndingOf(string(v.Status)) == EndingOf(planned) || v.Meaning().HasEnded()
}

// usualWindows are the periods for canceling that the states have in common (Ajuste SINIEF 07/05 and 19/16).
var usualWindows = map[string]time.Duration{
	einvoice.ModelProduct: 24 * time.Hour, einvoice.ModelConsumer: 30 * time.Minute,
}

// CancelableUntil returns when the period for canceling an authorized invoice ends: window, or the usual one where
// that is 0. An NFS-e has no usual one: its city decides. A date without an offset is in the time of its state.
func CancelableUntil(model, accessKey, authorizedOn string, window time.Duration) (time.Time, bool) {
	window = cmp.Or(window, usualWindows[model])
	since, ok := einvoice.ParseTimeIn(authorizedOn, ZoneOf(accessKey))
	return since.Add(window), ok && window > 0
}

// ZoneOf is the time of the issuer's state, by the access key of an invoice.
func ZoneOf(accessKey string) *time.Location {
	return time.FixedZone("", -fiscal.HoursWest(accessKey)*60*60)
}

// Cancel cancels an authorized invoice, waits until it is not valid any more, and returns it. It returns what is not
// valid as it is. planned is the status by which a plan has said what happens, "" for none: what would end in another
// way by now, or what another object of a state has taken over, is a problem then.
func (i *Issuing) Cancel(ctx context.Context, id, reason, planned string) (*einvoice.Invoice, error) {
	return i.cancel(ctx, id, reason, planned, nil)
}

// cancel sends the cancellation with the guard of an order; nil for none.
func (i *Issuing) cancel(
	ctx context.Context, id, reason, planned string, guard einvoice.Guard,
) (*einvoice.Invoice, error) {
	current, err := i.Client.Invoice(ctx, i.Model, id)
	if err != nil {
		return nil, i.requestFailed(Read, nil, err)
	}
	if err := i.checkIssuerOf(current); err != nil {
		return nil, err
	}
	switch ending := EndingOf(string(current.Status)); {
	case planned != "" && !endsAsPlanned(current, planned):
		return nil, i.problem(NotAsPlanned, current, nil)
	case ending == Forgotten:
		return current, nil
	case ending == Unsettled:
		return nil, i.problem(NotCancelable, current, nil)
	}
	i.tell(Canceling, current, nil)
	f := i.follower(canceled, current)
	if RejectionCode(current) == fiscal.CodeCancellationInProgress { // It was sent before.
		return f.run(ctx)
	}
	if planned == "" || guard != nil { // No state has it, or the order's record says which object has it.
		return f.sendCancellation(ctx, reason, guard)
	}
	send := func(ctx context.Context, guard einvoice.Guard) (*einvoice.Invoice, error) {
		return f.sendCancellation(ctx, reason, guard)
	}
	v, err := cancelHeld(ctx, &i.attempt, &i.Service, i.key(), holding{block: i.Holder, id: current.ID}, send)
	return v, i.about(err, current)
}

func (f *follower) sendCancellation(
	ctx context.Context, reason string, guard einvoice.Guard,
) (*einvoice.Invoice, error) {
	answer, err := f.Client.CancelInvoice(ctx, f.Model, string(f.before.ID), reason, guard)
	switch {
	case once.IsUnsent(err):
		return nil, err
	case err != nil && (!einvoice.IsRefusal(err) || Mentions(err, fiscal.CodeCancellationInProgress)):
		f.unanswered = err
		f.tell(CancellationUnknown, f.before, nil)
	case err != nil && !f.isCanceling(ctx):
		return nil, f.requestFailed(Cancel, f.before, err)
	case err != nil: // Because another one is on its way, or through.
	case answer != nil && einvoice.SameID(answer.ID, f.before.ID):
		f.invoice = answer
	}
	f.tell(CancellationSent, f.before, nil)
	return f.run(ctx)
}

// isCanceling reads an invoice whose cancellation was refused, and reports whether another one is on its way or
// through.
func (f *follower) isCanceling(ctx context.Context) bool {
	v, err := f.Client.Invoice(ctx, f.Model, string(f.before.ID))
	if err != nil {
		return false
	}
	f.invoice = v
	detail := v.ProcessingDetail
	return v.Meaning().HasEnded() || RejectionCode(v) == fiscal.CodeCancellationInProgress ||
		detail != nil && string(detail.Status) == "processing"
}
