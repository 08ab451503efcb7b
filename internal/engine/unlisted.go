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

// A service need not list consumer invoices and orders: the interface names neither
// list. The journal alone decides then. What it knows to be idle is sent once, and
// whatever is in doubt ends the run, because nothing could prove that it was not sent.

// isUnlisted reports whether the service lacks a list that it need not have.
func (i *Issuing) isUnlisted(err error) bool {
	return i.Model == einvoice.ModelConsumer && errors.Is(err, einvoice.ErrMissing)
}

// listedOrKnown finds the invoices of the sale in the list, or those that the journal and
// the state know where there is no list. What a replaced key has settled is this company's
// where the state or the service shows it to the present one.
func (i *Issuing) listedOrKnown(ctx context.Context, t *once.Turn, held string) ([]*einvoice.Invoice, error) {
	listed, err := i.list(ctx)
	if i.isUnlisted(err) {
		i.unlisted = err
		listed, err = i.known(ctx, t, held)
	}
	t.Own(held != "" && einvoice.SameID(held, t.Foreign.Result) || slices.ContainsFunc(listed, isInvoice(t.Foreign.Result)))
	return listed, err
}

// known reads the invoice that the journal or the state knows of, where no list shows any.
func (i *Issuing) known(ctx context.Context, t *once.Turn, held string) ([]*einvoice.Invoice, error) {
	t.MustLast()
	id := cmp.Or(t.Known.Result, t.Foreign.Result)
	switch {
	case id == "" && t.Known.Phase == journal.Idle:
		return nil, nil
	case id == "" && held == "":
		return nil, i.unproven(t)
	}
	v, err := i.readKnown(ctx, cmp.Or(id, held))
	switch {
	case err != nil:
		return nil, err
	case v == nil, !i.isNamed(v), id == "" && !i.settles(v):
		return nil, i.unproven(t) // A 404 proves nothing here: no list shows that it is gone.
	}
	return []*einvoice.Invoice{v}, nil
}

// unproven is the end of a run whose sale may have been sent. Another run may be about
// to record the answer, so that one is waited for; an answer that this run has lost is not.
func (i *Issuing) unproven(t *once.Turn) error {
	if i.lost == nil && t.InDoubt() {
		return once.ErrUnproven
	}
	p := i.problem(Unlisted, nil, cmp.Or(i.lost, i.unlisted))
	p.Record = t.Where()
	return p
}

// noteUnlisted notes, once a run, that the journal alone decides.
func (a *attempt) noteUnlisted(client *einvoice.Client, model string) {
	if a.unlisted != nil && client.IsFirstMissing(cmp.Or(model, "order")) {
		a.Notes = append(a.Notes, Event{Kind: NoList, Model: model, Err: a.unlisted})
	}
	if a.unreadable != nil && client.IsFirstMissing("get_order") {
		a.Notes = append(a.Notes, Event{Kind: Unreadable, Err: a.unreadable})
	}
}
