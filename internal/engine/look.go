package engine

import (
	"context"

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

// Prospect is what a creation would do, by what shows now.
type Prospect struct {
	Step    Step
	Invoice *einvoice.Invoice // that is there, or nil

	Order *einvoice.Order // that is there, or nil
	Steps []Step          // what is done with the order, in turn; nothing is sent without one

	// InDoubt: nothing is there, but the journal knows of it. A creation looks for it patiently before it sends.
	InDoubt bool
}

// Look returns what Create would do now, or the problem in which it would end. It changes nothing at the service and
// in the journal, and waits for nothing to appear.
func (i *Issuing) Look(ctx context.Context) (Prospect, error) {
	look, t, found, err := i.looking(ctx)
	if err != nil {
		return Prospect{}, err
	}
	if found.invoice == nil {
		return Prospect{InDoubt: t.Known.Phase == journal.Sending || t.Known.Result != ""}, nil
	}
	v, adopts, err := look.current(ctx, t, found)
	if err != nil {
		return Prospect{}, err
	}
	step, err := look.next(v, look.compare(v, t.Known, look.learned(t.Known, v, adopts), adopts))
	if err != nil {
		return Prospect{}, err
	}
	return Prospect{Step: step, Invoice: v}, nil
}

// Find finds the invoice that Create would go on with, nil for none. It waits for nothing to appear.
func (i *Issuing) Find(ctx context.Context) (*einvoice.Invoice, error) {
	look, _, found, err := i.looking(ctx)
	if err == nil && found.invoice == nil {
		err = look.noList
	}
	return found.invoice, err
}

// looking is a run that waits for nothing, with the record and what it has found.
func (i *Issuing) looking(ctx context.Context) (look Issuing, t *once.Turn, found searched, err error) {
	look = *i
	look.Patience, look.looksOnly = 0, true
	t, err = look.Once().Load(ctx, look.key())
	if err != nil {
		return look, t, found, look.about(look.asProblem(err, err), nil)
	}
	listed, err := look.listedOrKnown(ctx, t)
	if err == nil {
		found, err = look.search(ctx, listed, t.Known)
	}
	return look, t, found, err
}
