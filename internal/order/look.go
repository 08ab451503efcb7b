package order

import (
	"context"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
)

// step is what a run does with an order that is there.
type step int

// The steps.
const (
	changesStatus step = iota // it is brought to the wanted status
	letsIssue                 // the service issues its invoices by itself then
	issuesRest                // what is rejected or not issued yet is issued explicitly
	awaits                    // its invoices are waited for
)

// prospect is what a creation would do, by what shows now.
type prospect struct {
	order *einvoice.Order // that is there, or nil
	steps []step          // what is done with that, in turn; nothing is sent without one

	// inDoubt: there is none, and the journal knows of one. A creation looks for it
	// patiently before it sends anything.
	inDoubt bool
}

// look tells what create would do now. It sends nothing that changes anything, waits
// for nothing to appear, and leaves the journal as it is. The problem is the one that
// create would end in.
func (o *ordering) look(ctx context.Context) (prospect, error) {
	once := *o
	once.Patience = 0
	known := once.Recorded(ctx, journalKindOrder, string(o.wanted.TransactionID))
	found, _, err := once.search(ctx, known)
	if err == nil && found == nil {
		return prospect{inDoubt: !known.Begun.IsZero() || known.ID != ""}, nil
	}
	if err == nil {
		err = once.fits(found)
	}
	if err == nil {
		err = once.ofIssuer(found)
	}
	if err == nil {
		err = once.ended(ctx, found)
	}
	if err != nil {
		return prospect{}, err
	}
	return prospect{order: found, steps: once.steps(found)}, nil
}

// steps are what a run would do with an order that exists.
func (o *ordering) steps(found *einvoice.Order) []step {
	var steps []step
	next, changes := o.brought(found)
	if changes {
		steps = append(steps, changesStatus)
	}
	switch {
	case changes && o.triggered(next):
		steps = append(steps, letsIssue)
	case (o.issueNow || o.waits && o.due(next)) && o.hasRest(found):
		steps = append(steps, issuesRest)
	}
	if o.waits && o.due(next) {
		steps = append(steps, awaits)
	}
	return steps
}

// ended is the problem of a run that waits for invoices, one of which is not valid any
// more.
func (o *ordering) ended(ctx context.Context, found *einvoice.Order) error {
	if next, _ := o.brought(found); !o.waits || !o.due(next) {
		return nil
	}
	var failed invoiceProblems
	for _, v := range found.Invoices {
		if !issuing.HasFailed(v) || string(v.Status) == einvoice.StatusRejected || isReplaced(found.Invoices, v) {
			continue
		}
		full, err := o.Client.Invoice(ctx, string(v.Model), string(v.ID))
		if err != nil {
			full = &einvoice.Invoice{ID: v.ID} // The order shows enough of it.
		}
		failed = append(failed, &issuing.Problem{Kind: issuing.Ended, Model: string(v.Model), Invoice: completed(full, v)})
	}
	if failed != nil {
		return failed
	}
	return nil
}

// brought is an order with the status that a run would bring it to, and whether that
// is another one.
func (o *ordering) brought(found *einvoice.Order) (*einvoice.Order, bool) {
	next := *found
	changes := o.status != "" && string(found.Status) != o.status && slices.Contains(orderBeginnings, string(found.Status))
	if changes {
		next.Status = einvoice.Enum(o.status)
	}
	return &next, changes
}
