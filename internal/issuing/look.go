package issuing

import (
	"context"
	"errors"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
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
)

// Prospect is what a creation would do, by what shows now.
type Prospect struct {
	Step    Step
	Invoice *einvoice.Invoice // that is there, or nil

	// InDoubt: there is none, and the journal knows of one. A creation looks for it
	// patiently before it sends anything.
	InDoubt bool
}

// Look tells what Create would do now. It sends nothing that changes anything, waits
// for nothing to appear, and leaves the journal as it is. The problem is the one that
// Create would end in.
func (i *Issuing) Look(ctx context.Context) (Prospect, error) {
	once := *i
	once.Patience = 0
	known := once.Recorded(ctx, journalKind, i.Model, i.IntegrationID)
	found, err := once.search(ctx, known, "")
	if err == nil && found.invoice == nil {
		return Prospect{InDoubt: !known.Begun.IsZero() || known.ID != ""}, nil
	}
	if err != nil {
		return Prospect{}, err
	}
	learned := once.learned(known, found.invoice)
	v, err := once.current(ctx, found)
	if errors.Is(err, einvoice.ErrNotFound) {
		v, err = found.invoice, nil // Made so lately that only the list has it.
	}
	if err == nil {
		err = once.ofIssuer(v)
	}
	if err != nil {
		return Prospect{}, err
	}
	step, err := once.next(v, once.compare(learned, v, !known.Begun.IsZero(), false, false))
	if err != nil {
		return Prospect{}, err
	}
	return Prospect{Step: step, Invoice: v}, nil
}

// Find finds the invoice that Create would go on with, nil for none. It waits for
// nothing to appear.
func (i *Issuing) Find(ctx context.Context) (*einvoice.Invoice, error) {
	once := *i
	once.Patience = 0
	found, err := once.search(ctx, once.Recorded(ctx, journalKind, i.Model, i.IntegrationID), "")
	return found.invoice, err
}

// Recorded is what the journal knows. One that cannot be used knows nothing here: the
// run that sends says so.
func (s *Service) Recorded(ctx context.Context, kind string, parts ...string) journal.State {
	var notes []Event
	entry, err := s.OpenEntry(ctx, &notes, kind, parts...)
	if err != nil {
		return journal.State{}
	}
	defer entry.Close()
	return entry.State()
}
