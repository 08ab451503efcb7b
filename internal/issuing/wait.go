package issuing

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

const (
	staleAfter    = 60 * time.Second // without a change of status
	checkInterval = 30 * time.Second // between two check-status of one invoice
)

// PollPauses fit an authority that usually answers within 10 s: an invoice that
// it authorizes by then costs two polls at the most, one for those that are quick
// and one right after the usual time. The last pause repeats. A poll goes behind
// the requests that are waiting for the limit, so that it comes later when the
// minute's requests run short.
var PollPauses = []time.Duration{3 * time.Second, 7500 * time.Millisecond, 5 * time.Second, 8 * time.Second, 10 * time.Second}

// waiting follows one invoice until it is settled.
type waiting struct {
	*Issuing
	invoice     *einvoice.Invoice
	changed     time.Time // when its status last changed, as far as seen
	checked     time.Time // when check-status was last called
	uncheckable bool      // the model has no check-status
	looked      bool      // read at least once
	adopting    time.Time // until when SPD004 is followed by looking up
	missing     time.Time // since when reads answer "not found"
	failure     error     // of the last read; named when time runs out
}

// Wait follows an invoice until it is settled or its time is over.
func (i *Issuing) Wait(ctx context.Context, v *einvoice.Invoice) (*einvoice.Invoice, diag.Diagnostics) {
	w := &waiting{Issuing: i, invoice: v, changed: i.Now()}
	defer i.Client.FollowInvoice(i.Model, v)()
	for poll := 0; ; poll++ {
		switch i.Decide(w.invoice) {
		case decideDone:
			return w.invoice, i.settledWith(w.invoice)
		case DecideDead, DecideReconcile:
			return w.invoice, i.Dead(w.invoice)
		case decideAdopt:
			if w.adopting.IsZero() {
				w.adopting = i.Now().Add(i.Patience)
			}
			if !i.Now().Before(w.adopting) {
				return w.invoice, i.Dead(w.invoice)
			}
		case decidePost, decideWait, decideIssue:
		}
		if err := i.Sleep(ctx, PollPauses[min(poll, len(PollPauses)-1)]); err != nil {
			return w.invoice, i.timedOut(w.invoice, err, w.failure)
		}
		diags := w.step(ctx)
		if ctx.Err() != nil {
			return w.invoice, i.timedOut(w.invoice, ctx.Err(), w.failure)
		}
		if diags.HasError() {
			return w.invoice, diags
		}
	}
}

// step looks at the invoice once more, in the way its status asks for.
func (w *waiting) step(ctx context.Context) diag.Diagnostics {
	switch decision := w.Decide(w.invoice); {
	case decision == decideIssue && w.looked && !w.IssuedDraft:
		// The service left it a draft, and nothing else would move it.
		v, diags := w.issueDraft(ctx, w.invoice)
		w.saw(ctx, v)
		return diags
	case decision == decideAdopt:
		found, diags := w.findTwin(ctx)
		if diags.HasError() {
			return diags
		}
		if found != nil && found.ID != w.invoice.ID && w.Decide(found) != DecideReconcile {
			if differ := Differences(w.Payload, w.Model, found); len(differ) > 0 {
				return w.refuseAdoption(found, differ)
			}
			w.saw(ctx, found)
			return nil
		}
	}
	if w.stale() {
		v, err := w.Client.CheckInvoiceStatus(ctx, w.Model, string(w.invoice.ID))
		w.checked, w.unanswered = w.Now(), nil
		if err != nil && ctx.Err() == nil && !errors.Is(err, einvoice.ErrBadRequest) { // Refused while it is queued.
			w.unanswered = err
		}
		switch {
		case err == nil && v != nil && v.ID == w.invoice.ID:
			w.saw(ctx, v)
			return nil
		case errors.Is(err, einvoice.ErrNotFound), errors.Is(err, einvoice.ErrMethodNotAllowed):
			w.uncheckable = true
		}
	}
	return w.read(ctx)
}

// stale tells that the authority should be asked: the status has not moved for
// a while, or the last word was a transient code.
func (w *waiting) stale() bool {
	if w.uncheckable || (!w.checked.IsZero() && w.Now().Sub(w.checked) < checkInterval) {
		return false
	}
	code := RejectionCode(w.invoice)
	return fiscal.IsTransient(code) || code == fiscal.CodeAlreadyAuthorized || w.Now().Sub(w.changed) >= staleAfter
}

// read polls. A failed read is never a state: it is remembered and tried again,
// unless it cannot get better.
func (w *waiting) read(ctx context.Context) diag.Diagnostics {
	w.looked = true
	v, err := w.Client.PollInvoice(ctx, w.Model, w.invoice)
	switch {
	case err == nil && v.ID == w.invoice.ID:
		w.saw(ctx, v)
		return nil
	case err == nil:
		w.failure = errors.New("the answer was about another invoice")
	case ctx.Err() != nil: // Nothing that the service did.
	case errors.Is(err, einvoice.ErrForbidden), errors.Is(err, einvoice.ErrUnauthorized):
		return w.Failed("follow invoice", err)
	case errors.Is(err, einvoice.ErrNotFound):
		if w.missing.IsZero() {
			w.missing = w.Now()
		}
		if w.Now().Sub(w.missing) >= w.Patience {
			return w.Failed("follow invoice", err)
		}
		w.failure = err
	default:
		w.failure = err
	}
	return nil
}

// saw takes a new look at the invoice.
func (w *waiting) saw(ctx context.Context, v *einvoice.Invoice) {
	w.failure, w.missing = nil, time.Time{}
	if v.Status != w.invoice.Status {
		w.changed = w.Now()
		w.tell("%s: %s, was %s.", w.Label(v), v.Status, w.invoice.Status)
		tflog.Info(ctx, "Invoice changed its status", map[string]any{
			"model": w.Model, w.Known.Attribute: w.Known.Value, "id": string(v.ID), "from": string(w.invoice.Status), "to": string(v.Status),
		})
	}
	w.invoice = v
}
