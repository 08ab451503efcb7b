package issuing

import (
	"context"
	"errors"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// LookPauses are the pauses between patient look-ups; the last one repeats.
var LookPauses = []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 5 * time.Second}

// lookUp finds the invoice that exists under the integration_id, by the list
// and by the journal. Nothing is ever posted after a look-up that failed.
func (i *Issuing) lookUp(ctx context.Context, entry *Entry) (*einvoice.Invoice, error) {
	known := entry.State()
	found, err := i.list(ctx)
	if err == nil && !known.Begun.IsZero() {
		// A POST was never answered. What it made may not be listed yet.
		found, err = i.lookPatiently(ctx, known.Begun.Add(i.Patience), found, nil)
	}
	if err != nil {
		return nil, err
	}
	if found == nil && known.ID != "" {
		v, err := i.Client.Invoice(ctx, i.Model, known.ID)
		switch {
		case errors.Is(err, einvoice.ErrNotFound): // Gone at the service, and not listed either.
		case err != nil:
			return nil, i.Failed(LookUp, nil, err)
		case v.IntegrationID == "" || string(v.IntegrationID) == i.IntegrationID:
			found = v
		}
	}
	if found != nil && known.ID == "" {
		entry.Settled(found.ID)
	}
	return found, nil
}

// list finds the invoice under the integration_id in the service's list. The
// filter may have been ignored, so equality is checked on every item.
func (i *Issuing) list(ctx context.Context) (*einvoice.Invoice, error) {
	var rejected *einvoice.Invoice
	var others []*einvoice.Invoice
	for v, err := range i.Client.Invoices(ctx, i.Model, einvoice.InvoiceFilter{IntegrationID: i.IntegrationID}) {
		switch {
		case err != nil:
			return nil, i.Failed(LookUp, nil, err)
		case string(v.IntegrationID) != i.IntegrationID:
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
	p := i.problem(Several, nil, nil)
	p.Found = others
	return nil, p
}

// settles tells whether a found invoice can be the outcome of an unanswered
// POST. A draft or a rejected one may be what that POST was to replace.
func (i *Issuing) settles(found, previous *einvoice.Invoice) bool {
	if found == nil {
		return false
	}
	switch decide(found, i.Want) {
	case decideReconcile:
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
func (i *Issuing) lookPatiently(ctx context.Context, until time.Time, found, previous *einvoice.Invoice) (*einvoice.Invoice, error) {
	over := func() bool { return i.settles(found, previous) || !i.Clock.Now().Before(until) }
	if over() {
		return found, nil
	}
	err := i.Clock.Until(ctx, LookPauses, func() (last bool, err error) {
		found, err = i.list(ctx)
		return over(), err
	})
	if err != nil {
		return nil, i.interrupted(found, err)
	}
	return found, nil
}
