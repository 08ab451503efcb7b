package ordering

import (
	"context"
	"errors"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
)

// admit is that of issuing, for what an order sends.
func (o *Ordering) admit(ctx context.Context) (done func(), err error) {
	done, err = o.Admit(ctx)
	if err == nil {
		return done, nil
	}
	if other := o.otherCompany(err, nil); other != nil {
		return nil, other
	}
	return nil, o.failed(ctx, requestOwner, err)
}

// ofIssuer refuses an order that, as has shown by now, another company has made.
func (o *Ordering) ofIssuer(order *einvoice.Order) error { return o.otherCompany(o.Fits(), order) }

func (o *Ordering) otherCompany(err error, order *einvoice.Order) error {
	other := (*issuing.Problem)(nil)
	if !errors.As(err, &other) {
		return nil
	}
	p := o.problem(issuing.OtherCompany, order, nil)
	p.Issuer, p.Holder = other.Issuer, other.Holder
	return p
}

// learnHolder reads an invoice of the first order that is sent with a key of which
// nobody knows whose it is: the order does not show it. What cannot be read now
// shows later.
func (o *Ordering) learnHolder(ctx context.Context, order *einvoice.Order) {
	if o.Issuer != "" && o.Client.Holder() == "" && len(order.Invoices) > 0 {
		v := order.Invoices[0]
		_, _ = o.Client.Invoice(ctx, string(v.Model), string(v.ID))
	}
}
