package order

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// orderIdentity is what finds an order again.
type orderIdentity struct {
	ID     types.String `tfsdk:"id"`
	Issuer types.String `tfsdk:"issuer"`
}

func (m *orderModel) identity() orderIdentity {
	return orderIdentity{ID: m.ID, Issuer: attribute.IssuerIdentity(m.Issuer)}
}

// issuerOf is the company of an order, which only its invoices show; "" while none
// does.
func issuerOf(held *einvoice.Order) einvoice.Text {
	for _, v := range held.Invoices {
		if v.Company != nil && v.Company.FederalTaxNumber != "" {
			return v.Company.FederalTaxNumber
		}
	}
	return ""
}

// hasIssued tells that an invoice of the order is more than a draft.
func (m *orderModel) hasIssued() bool {
	return slices.ContainsFunc(m.invoicesInState(), func(v *einvoice.Invoice) bool { return string(v.Status) != einvoice.StatusCreated })
}

// moves tells that the order is to be, or may be, another company's. Of one that
// has issued, that is judged when the number is known.
func (m *orderModel) moves(state *orderModel) bool {
	return attribute.OtherIssuer(m.Issuer, state.Issuer) || m.Issuer.IsUnknown() && !state.Issuer.IsNull() && !state.hasIssued()
}

// refuseOtherIssuer compares an import by issuer with what the key has read.
func (m *orderModel) refuseOtherIssuer(held *einvoice.Order) diag.Diagnostics {
	holder := string(issuerOf(held))
	if m.Issuer.IsNull() || holder == "" || attribute.TaxNumberSpelling.Same(m.Issuer.ValueString(), holder) {
		return nil
	}
	return message.OtherIssuer(orderLabel(string(held.TransactionID)), "order", string(held.ID), string(held.Status), m.Issuer.ValueString(), holder, false)
}

// admit is that of issuing, for what an order sends.
func (o *ordering) admit(ctx context.Context) (done func(), err error) {
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
func (o *ordering) ofIssuer(order *einvoice.Order) error { return o.otherCompany(o.Fits(), order) }

func (o *ordering) otherCompany(err error, order *einvoice.Order) error {
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
func (o *ordering) learnHolder(ctx context.Context, order *einvoice.Order) {
	if o.Issuer != "" && o.Client.Holder() == "" && len(order.Invoices) > 0 {
		v := order.Invoices[0]
		_, _ = o.Client.Invoice(ctx, string(v.Model), string(v.ID))
	}
}
