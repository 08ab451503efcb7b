package issuing

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// LookPauses are the pauses between patient look-ups; the last one repeats.
var LookPauses = []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 5 * time.Second}

// lookUp finds the invoice that exists under the integration_id, by the list
// and by the journal. Nothing is ever posted on a look-up that failed.
func (i *Issuing) lookUp(ctx context.Context, entry *journal.Entry) (*einvoice.Invoice, diag.Diagnostics) {
	known := entry.State()
	found, diags := i.list(ctx)
	if diags.HasError() {
		return nil, diags
	}
	if !known.Begun.IsZero() && !i.settles(found, nil) {
		// A POST was never answered. What it made may not be listed yet.
		found, diags = i.lookPatiently(ctx, known.Begun.Add(i.Patience), found, nil)
		if diags.HasError() {
			return nil, diags
		}
	}
	if found == nil && known.ID != "" {
		v, err := i.Client.Invoice(ctx, i.Model, known.ID)
		switch {
		case errors.Is(err, einvoice.ErrNotFound): // Gone at the service, and not listed either.
		case err != nil:
			return nil, i.Failed("look up invoice", err)
		case v.IntegrationID == "" || string(v.IntegrationID) == i.Known.Value:
			found = v
		}
	}
	if found != nil && known.ID == "" {
		if err := entry.Settled(string(found.ID)); err != nil {
			diags.Append(UnwritableJournal(err))
		}
	}
	return found, diags
}

// list finds the invoice under the integration_id in the service's list. The
// filter may have been ignored, so equality is checked on every item.
func (i *Issuing) list(ctx context.Context) (*einvoice.Invoice, diag.Diagnostics) {
	var rejected *einvoice.Invoice
	var others []*einvoice.Invoice
	for v, err := range i.Client.Invoices(ctx, i.Model, einvoice.InvoiceFilter{IntegrationID: i.Known.Value}) {
		if err != nil {
			return nil, i.Failed("look up invoice", err)
		}
		switch {
		case string(v.IntegrationID) != i.Known.Value:
		case string(v.Status) != einvoice.StatusRejected:
			others = append(others, v)
		case rejected == nil || saidLater(v, rejected):
			rejected = v
		}
	}
	switch len(others) {
	case 0:
		return rejected, nil
	case 1:
		return others[0], nil
	}
	return nil, i.severalFound(others)
}

// findTwin looks for the authorized invoice that SPD004 speaks of.
func (w *waiting) findTwin(ctx context.Context) (*einvoice.Invoice, diag.Diagnostics) {
	if w.Twin != nil {
		return w.Twin(ctx, w.invoice)
	}
	return w.list(ctx)
}

// lastWord is when something was last said of an invoice.
func lastWord(v *einvoice.Invoice) einvoice.Text {
	if v.ProcessingDetail != nil && v.ProcessingDetail.On != "" {
		return v.ProcessingDetail.On
	}
	return v.IssuedOn
}

// SameWord tells that nothing was said of an invoice since it was read before.
func SameWord(before, now *einvoice.Invoice) bool {
	return einvoice.SameTime(lastWord(before), lastWord(now))
}

// saidLater tells which of two invoices was judged last.
func saidLater(a, b *einvoice.Invoice) bool {
	at, _ := einvoice.ParseTime(string(lastWord(a)))
	bt, _ := einvoice.ParseTime(string(lastWord(b)))
	return at.After(bt)
}

// settles tells whether a found invoice can be the outcome of an unanswered
// POST. A draft or a rejected one may be what that POST was to replace.
func (i *Issuing) settles(found, previous *einvoice.Invoice) bool {
	if found == nil {
		return false
	}
	switch i.Decide(found) {
	case DecideReconcile:
		return previous != nil && (previous.ID != found.ID || !SameWord(previous, found))
	case decideIssue:
		return previous != nil && previous.ID != found.ID
	case decideAdopt:
		return false
	default:
		return true
	}
}

// lookPatiently repeats the look-up until it settles an unanswered POST, or
// until the time after which an accepted invoice would have been listed.
func (i *Issuing) lookPatiently(ctx context.Context, until time.Time, found, previous *einvoice.Invoice) (*einvoice.Invoice, diag.Diagnostics) {
	for n := 0; !i.settles(found, previous) && i.Now().Before(until); n++ {
		if err := i.Sleep(ctx, LookPauses[min(n, len(LookPauses)-1)]); err != nil {
			return nil, i.interrupted(found, err)
		}
		var diags diag.Diagnostics
		if found, diags = i.list(ctx); diags.HasError() {
			return nil, diags
		}
	}
	return found, nil
}

// adoptPatiently settles a POST whose outcome is not known: the invoice is
// looked for again and again, and nothing is sent a second time.
func (i *Issuing) adoptPatiently(ctx context.Context, entry *journal.Entry, lost error, previous *einvoice.Invoice, diags diag.Diagnostics) (*einvoice.Invoice, diag.Diagnostics) {
	if ctx.Err() != nil {
		return nil, append(diags, i.interrupted(nil, lost)...)
	}
	found, more := i.lookPatiently(ctx, i.Now().Add(i.Patience), nil, previous)
	diags.Append(more...)
	if diags.HasError() {
		return nil, diags
	}
	if !i.settles(found, previous) {
		return nil, append(diags, i.answerLost(found, lost)...)
	}
	if differ := Differences(i.Payload, i.Model, found); len(differ) > 0 && i.Decide(found) != DecideReconcile {
		return found, append(diags, i.refuseAdoption(found, differ)...)
	}
	if err := entry.Settled(string(found.ID)); err != nil {
		diags.Append(UnwritableJournal(err))
	}
	return found, diags
}
