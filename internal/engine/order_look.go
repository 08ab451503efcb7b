package engine

import (
	"context"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// Look tells what Create would do now. It sends nothing that changes anything, waits
// for nothing to appear, and leaves the journal as it is. The problem is the one that
// Create would end in.
func (o *Ordering) Look(ctx context.Context) (Prospect, error) {
	look := *o
	look.Patience = 0
	t, err := look.Once().Load(ctx, look.key())
	if err != nil {
		return Prospect{}, look.stopped(err, err)
	}
	known := t.Known
	listed, err := look.listedOrKnown(ctx, t)
	var found *einvoice.Order
	if err == nil {
		found, _, err = look.search(ctx, listed, known)
	}
	if err == nil && found == nil {
		return Prospect{InDoubt: known.Phase == journal.Sending || known.Result != ""}, nil
	}
	if err == nil {
		err = look.fits(found)
	}
	if err == nil {
		err = look.ofIssuer(found)
	}
	if err == nil {
		err = look.ended(ctx, found)
	}
	if err != nil {
		return Prospect{}, err
	}
	return Prospect{Order: found, Steps: look.steps(found)}, nil
}

// steps are what a run would do with an order that exists.
func (o *Ordering) steps(found *einvoice.Order) []Step {
	var steps []Step
	next, changes := o.brought(found)
	if changes {
		steps = append(steps, ChangesStatus)
	}
	switch {
	case changes && o.triggered(next):
		steps = append(steps, LetsIssue)
	case (o.IssueNow || o.Waits && o.due(next)) && o.hasRest(found):
		steps = append(steps, IssuesRest)
	}
	if o.Waits && o.due(next) {
		steps = append(steps, Awaits)
	}
	return steps
}

// ended is the problem of a run that waits for invoices, one of which is not valid any
// more.
func (o *Ordering) ended(ctx context.Context, found *einvoice.Order) error {
	if next, _ := o.brought(found); !o.Waits || !o.due(next) {
		return nil
	}
	var failed InvoiceProblems
	for _, v := range found.Invoices {
		if !HasFailed(v) || string(v.Status) == einvoice.StatusRejected || IsReplaced(found.Invoices, v) {
			continue
		}
		full, err := o.Client.Invoice(ctx, string(v.Model), string(v.ID))
		if err != nil {
			full = &einvoice.Invoice{ID: v.ID} // The order shows enough of it.
		}
		failed = append(failed, &Problem{Kind: Ended, Model: string(v.Model), Invoice: completed(full, v)})
	}
	return failed.orNil()
}

// brought is an order with the status that a run would bring it to, and whether that
// is another one.
func (o *Ordering) brought(found *einvoice.Order) (*einvoice.Order, bool) {
	next := *found
	changes := o.Status != "" && string(found.Status) != o.Status && slices.Contains(beginnings, string(found.Status))
	if changes {
		next.Status = einvoice.Enum(o.Status)
	}
	return &next, changes
}
