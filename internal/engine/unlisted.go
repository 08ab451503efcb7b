package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// A service need not list consumer invoices and orders: the interface names neither list. The journal alone decides
// then. What it knows to be idle is sent once, and a doubt ends the run, because nothing could settle it.

// isUnlisted reports whether the service lacks a list that it need not have.
func (i *Issuing) isUnlisted(err error) bool {
	return i.Model == einvoice.ModelConsumer && errors.Is(err, einvoice.ErrMissing)
}

// listedOrKnown finds the invoices of the sale in the list or, where there is no list, by the ids that the journal
// and the state know. A record of a replaced key is this company's where the state or the service shows its invoice.
func (i *Issuing) listedOrKnown(ctx context.Context, t *once.Turn) ([]*einvoice.Invoice, error) {
	listed, err := i.list(ctx)
	if i.isUnlisted(err) {
		i.noList = err
		listed, err = i.known(ctx, t)
	}
	isInState := i.state.id != "" && einvoice.SameID(i.state.id, t.Foreign.Result)
	t.Own(isInState || slices.ContainsFunc(listed, hasID(t.Foreign.Result)))
	return listed, err
}

// known reads the invoice that the journal or the state knows.
func (i *Issuing) known(ctx context.Context, t *once.Turn) ([]*einvoice.Invoice, error) {
	t.MustLast()
	id := cmp.Or(t.Known.Result, t.Foreign.Result)
	switch {
	case id == "" && t.Known.Phase == journal.Idle:
		return nil, nil
	case id == "" && i.state.id == "":
		return nil, i.about(i.unproven(t), nil)
	}
	v, err := i.readKnown(ctx, cmp.Or(id, i.state.id))
	switch {
	case err != nil:
		return nil, err
	case v == nil, !i.isNamed(v), id == "" && !i.settlesDoubt(v):
		return nil, i.about(i.unproven(t), nil) // A 404 proves nothing here: no list shows that it is gone.
	}
	return []*einvoice.Invoice{v}, nil
}
