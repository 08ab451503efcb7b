package engine

import (
	"context"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
)

// lookPauses begin with a look at once.
var lookPauses = append([]time.Duration{0}, once.LookPauses...)

// isNamed reports whether an order shows this transaction_id, or none.
func (o *Ordering) isNamed(order *einvoice.Order) bool {
	return order.TransactionID == "" || einvoice.SameClientID(order.TransactionID, o.Wanted.TransactionID)
}

// list finds the orders under the transaction_id in the service's list.
func (o *Ordering) list(ctx context.Context) ([]*einvoice.Order, error) {
	name := o.Wanted.TransactionID
	found, err := named(o.Client.Orders(ctx, string(name)), name,
		func(order *einvoice.Order) einvoice.Text { return order.TransactionID })
	if err != nil {
		return nil, o.failed(ctx, requestLookUp, err)
	}
	return found, nil
}

// choose picks the order to go on with. Orders that are over do not count beside another one.
func (o *Ordering) choose(found []*einvoice.Order) (*einvoice.Order, error) {
	order, several := chosenOrder(found)
	if several != nil {
		p := o.problem(Several, nil)
		p.Orders = several
		return nil, p
	}
	return order, nil
}

// withMissing appends the known invoices that a read does not show.
func withMissing(found, known []*einvoice.Invoice) []*einvoice.Invoice {
	for _, v := range known {
		if FindInvoice(found, v) == nil {
			found = append(found, v)
		}
	}
	return found
}
