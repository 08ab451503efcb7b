package engine

import (
	"context"
	"errors"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// takeTurn is that of issuing, for what an order sends, until the run ends.
func (o *Ordering) takeTurn(ctx context.Context) error {
	o.endTurn() // Of what was sent before.
	done, err := o.Admit(ctx)
	if err == nil {
		o.done = done
		return nil
	}
	if other := o.otherCompany(err, nil); other != nil {
		return other
	}
	return o.failed(ctx, requestOwner, err)
}

func (o *Ordering) endTurn() {
	if o.done != nil {
		o.done()
	}
}

// ofIssuer refuses an order that, as has shown by now, another company has made.
func (o *Ordering) ofIssuer(order *einvoice.Order) error { return o.otherCompany(o.Fits(), order) }

func (o *Ordering) otherCompany(err error, order *einvoice.Order) error {
	other := (*Problem)(nil)
	if !errors.As(err, &other) {
		return nil
	}
	p := o.problem(OtherCompany, order, nil)
	p.Issuer, p.Holder = other.Issuer, other.Holder
	return p
}

// learn learns whose the key is from invoices that the order has issued in this run: the
// order itself does not show it.
func (o *Ordering) learn(ctx context.Context, order *einvoice.Order) {
	for _, v := range order.Invoices {
		if v.Company == nil && o.Issuer != "" && o.Client.Holder() == "" {
			if full, err := o.Client.Invoice(ctx, string(v.Model), string(v.ID)); err == nil { // Else it shows later.
				v = full
			}
		}
		o.Client.Issued(v)
	}
}
