package issuance

import (
	"context"
	"fmt"

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
	diags.AddAttributeError(path.Root("issuer"), "Another company has issued "+state.label(), message.Paragraphs(
		fmt.Sprintf("The company %s has issued it (id %s, status %q), and `issuer` is %s. The company of an invoice cannot change.", state.Issuer.ValueString(), state.ID.ValueString(), status, m.Issuer.ValueString()),
		"Write the former company again. To issue another invoice, add a block with a new `integration_id`; to forget this one, remove its block."))
	return diags
}

// moves tells that the invoice is to be, or may be, another company's.
func (m *issuanceModel) moves(state *issuanceModel) bool {
	if state.Issuer.IsNull() || m.Issuer.IsNull() {
		return false
	}
	if m.Issuer.IsUnknown() { // What was issued is judged when the number is known.
		return state.Status.ValueString() == einvoice.StatusCreated
	}
	return !attribute.TaxNumberSpelling.Same(m.Issuer.ValueString(), state.Issuer.ValueString())
}

// refuseOtherIssuer compares an import by issuer with what the key has read.
func (m *issuanceModel) refuseOtherIssuer(v *einvoice.Invoice) diag.Diagnostics {
	holder := string(issuerOf(v))
	if m.Issuer.IsNull() || holder == "" || attribute.TaxNumberSpelling.Same(m.Issuer.ValueString(), holder) {
		return nil
	}
	return message.OtherIssuer(message.InvoiceLabel(m.Model.ValueString(), string(v.IntegrationID), attribute.IntOrNull(v.Number)), string(v.ID), string(v.Status), m.Issuer.ValueString(), holder, false)
}
