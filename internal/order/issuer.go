package order

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
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

// issuerOf is the company of an order, which only its invoices show; "" while none does.
func issuerOf(held *einvoice.Order) einvoice.Text {
	for _, v := range held.Invoices {
		if v.Company != nil && v.Company.FederalTaxNumber != "" {
			return v.Company.FederalTaxNumber
		}
	}
	return ""
}

// hasIssued reports whether an invoice of the order is more than a draft.
func (m *orderModel) hasIssued() bool {
	invoices := m.invoicesInState()
	return slices.ContainsFunc(invoices, func(v *einvoice.Invoice) bool { return !isDraft(v) })
}

// changesIssuer reports whether the order is to be, or may be, another company's. Of one that
// has issued, that is judged when the number is known.
func (m *orderModel) changesIssuer(state *orderModel) bool {
	return attribute.OtherIssuer(m.Issuer, state.Issuer) ||
		m.Issuer.IsUnknown() && !state.Issuer.IsNull() && !state.hasIssued()
}

// refuseOtherIssuer compares an import by issuer with what the key has read.
func (m *orderModel) refuseOtherIssuer(held *einvoice.Order) diag.Diagnostics {
	holder := string(issuerOf(held))
	if m.Issuer.IsNull() || holder == "" || attribute.TaxNumberSpelling.Same(m.Issuer.ValueString(), holder) {
		return nil
	}
	return message.OtherIssuer(orderLabel(string(held.TransactionID)), "order", string(held.ID), string(held.Status),
		m.Issuer.ValueString(), holder, false)
}
