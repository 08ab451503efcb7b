package order

import (
	"context"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
)

// look finds the order as a run would that waits for nothing to appear, and leaves
// the journal as it is. The problem is the one that a run would end in. inDoubt: there
// is none, and the journal knows of one.
func (o *ordering) look(ctx context.Context) (found *einvoice.Order, inDoubt bool, err error) {
	once := *o
	once.Patience = 0
	known := once.Recorded(ctx, journalKindOrder, string(o.wanted.TransactionID))
	found, _, err = once.search(ctx, known)
	if err != nil || found == nil {
		return nil, !known.Begun.IsZero() || known.ID != "", err
	}
	if err := once.fits(found); err != nil {
		return nil, false, err
	}
	if err := once.ofIssuer(found); err != nil {
		return nil, false, err
	}
	return found, false, once.ended(ctx, found)
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
