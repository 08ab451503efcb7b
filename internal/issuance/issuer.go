package issuance

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// issuerOf is the company that has issued an invoice, "" where it is not shown.
func issuerOf(v *einvoice.Invoice) einvoice.Text {
	if v.Company == nil {
		return ""
	}
	return v.Company.FederalTaxNumber
}

// planIssuer keeps the company of an invoice that exists: only a draft can become
// another company's, by being replaced.
func (m *issuanceModel) planIssuer(ctx context.Context, config tfsdk.Config, state *issuanceModel) diag.Diagnostics {
	var configured attribute.Spelled
	diags := config.GetAttribute(ctx, path.Root("issuer"), &configured)
	if configured.IsNull() {
		m.Issuer = state.Issuer
	}
	status := state.Status.ValueString()
	if diags.HasError() || m.Issuer.IsUnknown() || !m.moves(state) || status == einvoice.StatusCreated && !state.PayloadJSON.IsNull() {
		return diags
	}
	return append(diags, message.IssuerStays(state.label(), "an invoice", state.Issuer.ValueString(), m.Issuer.ValueString(), "To issue another invoice, add a block with a new `integration_id`.")...)
}

// moves tells that the invoice is to be, or may be, another company's.
func (m *issuanceModel) moves(state *issuanceModel) bool {
	if m.Issuer.IsUnknown() && !state.Issuer.IsNull() { // What was issued is judged when the number is known.
		return state.Status.ValueString() == einvoice.StatusCreated
	}
	return attribute.OtherIssuer(m.Issuer, state.Issuer)
}

// refuseOtherIssuer compares an import by issuer with what the key has read.
func (m *issuanceModel) refuseOtherIssuer(v *einvoice.Invoice) diag.Diagnostics {
	holder := string(issuerOf(v))
	if m.Issuer.IsNull() || holder == "" || attribute.TaxNumberSpelling.Same(m.Issuer.ValueString(), holder) {
		return nil
	}
	return message.OtherIssuer(message.InvoiceLabel(m.Model.ValueString(), string(v.IntegrationID), attribute.IntOrNull(v.Number)), "invoice", string(v.ID), string(v.Status), m.Issuer.ValueString(), holder, false)
}
