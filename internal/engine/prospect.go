package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// Step is what a run does next.
type Step int

// The steps.
const (
	Sends       Step = iota // sends the payload: there is no invoice
	SendsOver               // sends the payload over a draft or a rejected invoice
	IssuesDraft             // issues a draft of this content
	Awaits                  // waits for what is in progress
	Takes                   // takes what is as wanted, and sends nothing

	ChangesStatus // brings an order to the wanted status
	LetsIssue     // lets the service issue the order's invoices by itself then
	IssuesRest    // issues explicitly what is rejected or not issued yet
)

// Prospect is what a creation of an invoice or an order would do, by what shows now.
type Prospect[T any] struct {
	Found *T     // that is there, or nil
	Steps []Step // what is done with it, in turn: one with an invoice, maybe none with an order

	// InDoubt: nothing is there, but the journal knows of it. A creation looks for it patiently before it sends.
	InDoubt bool
}

func isKnown(record journal.Record) bool {
	return record.Phase == journal.Sending || record.Result != ""
}

// Look returns what Create would do now, or the problem in which it would end. It changes nothing at the service and
// in the journal, and waits for nothing to appear.
func (i *Issuing) Look(ctx context.Context) (prospect Prospect[einvoice.Invoice], err error) {
	look, t, next, err := i.looking(ctx)
	switch {
	case err != nil:
	case next.do == stops:
		err = look.stopped(t, next)
	case next.do == sends && next.invoice == nil:
		prospect.InDoubt = isKnown(t.Known)
	default:
		prospect.Found, prospect.Steps = next.invoice, []Step{next.step}
	}
	return prospect, err
}

// Find finds the invoice that Create would go on with, nil for none. It waits for nothing to appear.
func (i *Issuing) Find(ctx context.Context) (*einvoice.Invoice, error) {
	look, t, next, err := i.looking(ctx)
	if err != nil || !next.isLooked {
		return nil, cmp.Or(err, look.noList)
	}
	v, err := look.choose(next.seen, t.Known.Result)
	if err == nil && v == nil {
		err = look.noList
	}
	return v, err
}

// looking is a run that waits for nothing and does nothing, with its next move. What was rejected stays so.
func (i *Issuing) looking(ctx context.Context) (look Issuing, t *once.Turn, next move, err error) {
	look = *i
	look.alive, look.Patience = look.Patience, 0
	t, err = look.Once().Load(ctx, look.key())
	if err != nil {
		return look, t, next, look.about(look.asProblem(err, err), nil)
	}
	f, err := look.gather(ctx, t)
	if err == nil {
		asIs := func(_ context.Context, v *einvoice.Invoice) (*einvoice.Invoice, error) { return v, nil }
		next, err = look.decided(ctx, t, f, asIs)
	}
	return look, t, next, err
}

// Look returns what Create would do now, or the problem in which it would end. It changes nothing at the service and
// in the journal, and waits for nothing to appear.
func (o *Ordering) Look(ctx context.Context) (prospect Prospect[einvoice.Order], err error) {
	look := *o
	look.alive, look.Patience = look.Patience, 0
	t, err := look.Once().Load(ctx, look.key())
	if err != nil {
		return prospect, look.asProblem(err, err)
	}
	f, err := look.gather(ctx, t)
	if err != nil {
		return prospect, err
	}
	next, err := look.decided(ctx, t, f)
	switch {
	case err != nil:
		return prospect, err
	case next.do == stops:
		return prospect, look.stopped(t, next)
	case next.do == sends:
		prospect.InDoubt = isKnown(t.Known)
		return prospect, nil
	}
	found := next.order
	if err = look.checkIssuerOf(found); err == nil {
		err = look.checkAwaited(ctx, found)
	}
	if err == nil {
		prospect.Found, prospect.Steps = found, look.steps(found)
	}
	return prospect, err
}

func (o *Ordering) steps(found *einvoice.Order) []Step {
	var steps []Step
	next, changes := o.advanced(found)
	if changes {
		steps = append(steps, ChangesStatus)
	}
	switch {
	case changes && o.isTriggered(next):
		steps = append(steps, LetsIssue)
	case (o.IssueNow || o.Waits && o.isDue(next)) && o.hasRest(found):
		steps = append(steps, IssuesRest)
	}
	if o.Waits && o.isDue(next) {
		steps = append(steps, Awaits)
	}
	return steps
}

// checkAwaited returns the problems of a run that waits for invoices which cannot become valid any more.
func (o *Ordering) checkAwaited(ctx context.Context, found *einvoice.Order) error {
	if next, _ := o.advanced(found); !o.Waits || !o.isDue(next) {
		return nil
	}
	var failed InvoiceProblems
	for _, v := range found.Invoices {
		if !v.Meaning().HasEnded() || IsReplaced(found.Invoices, v) {
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

// advanced returns an order with the status to which a run would bring it, and whether that is another one.
func (o *Ordering) advanced(found *einvoice.Order) (*einvoice.Order, bool) {
	next := *found
	status := string(found.Status)
	changes := o.Status != "" && status != o.Status && slices.Contains(beginnings, status)
	if changes {
		next.Status = einvoice.Enum(o.Status)
	}
	return &next, changes
}
