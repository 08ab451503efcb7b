package engine

import (
	"context"
	"errors"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// Step is what a run does next.
type Step int

// The steps.
const (
	Sends       Step = iota // there is no invoice: the payload is sent
	SendsOver               // a draft or a rejected one is there, which the payload replaces
	IssuesDraft             // a draft of this content is there, which is issued
	Awaits                  // it is in progress, and is waited for
	Takes                   // it is as wanted, and nothing is sent

	ChangesStatus // an order is brought to the wanted status
	LetsIssue     // the service issues its invoices by itself then
	IssuesRest    // what is rejected or not issued yet is issued explicitly
)

// Prospect is what a creation would do, by what shows now.
type Prospect struct {
	Step    Step
	Invoice *einvoice.Invoice // that is there, or nil

	Order *einvoice.Order // that is there, or nil
	Steps []Step          // what is done with the order, in turn; nothing is sent without one

	// InDoubt: there is none, and the journal knows of one. A creation looks for it
	// patiently before it sends anything.
	InDoubt bool
}

// Look tells what Create would do now. It sends nothing that changes anything, waits
// for nothing to appear, and leaves the journal as it is. The problem is the one that
// Create would end in.
func (i *Issuing) Look(ctx context.Context) (Prospect, error) {
	look, t, found, err := i.looking(ctx)
	if err != nil {
		return Prospect{}, err
	}
	known := t.Known
	if found.invoice == nil {
		return Prospect{InDoubt: known.Phase == journal.Sending || known.Result != ""}, nil
	}
	learned := look.learned(known, found.invoice)
	v, err := look.current(ctx, found)
	if errors.Is(err, einvoice.ErrNotFound) {
		v, err = found.invoice, nil // Made so lately that only the list has it.
	}
	if err == nil {
		err = look.ofIssuer(v)
	}
	if err != nil {
		return Prospect{}, err
	}
	adopts, err := look.othersDraft(found, v, t, "")
	if err != nil {
		return Prospect{}, err
	}
	step, err := look.next(v, look.compare(v, standing{known: learned, unanswered: known.Phase == journal.Sending, adopts: adopts}))
	if err != nil {
		return Prospect{}, err
	}
	return Prospect{Step: step, Invoice: v}, nil
}

// Find finds the invoice that Create would go on with, nil for none. It waits for
// nothing to appear.
func (i *Issuing) Find(ctx context.Context) (*einvoice.Invoice, error) {
	look, _, found, err := i.looking(ctx)
	if err == nil && found.invoice == nil {
		err = look.unlisted
	}
	return found.invoice, err
}

// looking is a run that waits for nothing, and what it has found.
func (i *Issuing) looking(ctx context.Context) (look Issuing, t *once.Turn, found sought, err error) {
	look = *i
	look.Patience = 0
	t, err = look.Once().Load(ctx, look.key())
	if err != nil {
		return look, t, found, look.about(look.stopped(err, err), nil)
	}
	listed, err := look.listedOrKnown(ctx, t, "")
	if err == nil {
		found, err = look.search(ctx, listed, t.Known, "")
	}
	return look, t, found, err
}
