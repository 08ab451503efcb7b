package engine

import (
	"context"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// resent is what this run has sent the payload over, under the same name. Some services take the correction, others
// answer with the rejected invoice as it was and transmit nothing.
type resent struct {
	rejected *einvoice.Invoice // as it was before, also a draft
	isSame   bool              // it certainly has the payload that was sent
	at       time.Time         // when this run last sent anything about it
}

// isAnsweredBy reports whether an invoice is the rejected one with the rejection that it had.
func (r *resent) isAnsweredBy(v *einvoice.Invoice) bool {
	if r == nil || !IsRejected(r.rejected) || !isAsIn([]*einvoice.Invoice{r.rejected}, v) {
		return false
	}
	was, is := r.rejected.ProcessingDetail, v.ProcessingDetail
	return was != nil && is != nil && was.On != "" && was.Code == is.Code && was.Message == is.Message
}

// holdsFormer reports whether the service shows what this run has sent over with the former content.
func (f *follower) holdsFormer() bool {
	return f.resent.isAnsweredBy(f.invoice) ||
		f.resent != nil && f.invoice.IsDraft() && len(Differences(f.Payload, f.Model, f.invoice)) > 0
}

// keepsFormer is the problem of a service that shows the former content for long: it may need a while to show another.
func (f *follower) keepsFormer() error {
	if !f.holdsFormer() || f.Clock.Now().Sub(f.resent.at) < f.Patience {
		return nil
	}
	p := f.problem(Unmoved, f.invoice, f.unanswered)
	p.Issued, p.Differences = f.issuedDraft, Differences(f.Payload, f.Model, f.invoice)
	return p
}

// trustResent records that the invoice has the payload of this run after all, once it shows that it was processed.
func (i *Issuing) trustResent(ctx context.Context, v *einvoice.Invoice) {
	if i.resent == nil || i.resent.isSame || i.resent.isAnsweredBy(v) {
		return
	}
	if t, err := i.Once().Load(ctx, i.key()); err == nil && einvoice.SameID(t.Known.Result, v.ID) {
		if note := journal.NoteOf[saleNote](t.Known); note.Trust == doubtful && t.Known.Phase == journal.Settled {
			note.Digest, note.Trust = i.content(), ""
			t.Keep(ctx, t.Known.Noted(note))
		}
	}
}
