package invoice

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// issuerOf is the company that has issued an invoice, "" if the service does not show it.
func issuerOf(v *einvoice.Invoice) einvoice.Text {
	if v.Company == nil {
		return ""
	}
	return einvoice.Text(v.Company.FederalTaxNumber)
}

// planIssuer keeps the company of an invoice that exists: only a draft can become another
// company's, by being replaced.
func (m *issuanceModel) planIssuer(ctx context.Context, config tfsdk.Config, state *issuanceModel) diag.Diagnostics {
	var configured attribute.Spelled
	diags := config.GetAttribute(ctx, path.Root("issuer"), &configured)
	if configured.IsNull() {
		m.Issuer = state.Issuer
	}
	isDraft := state.Status.ValueString() == einvoice.StatusCreated && !state.PayloadJSON.IsNull()
	if diags.HasError() || m.Issuer.IsUnknown() || !m.changesIssuer(state) || isDraft {
		return diags
	}
	return append(diags, message.IssuerStays(ctx, state.label(), "invoice", state.Issuer.ValueString(),
		m.Issuer.ValueString(), text.Of("invoice.another_block", nil))...)
}

// changesIssuer reports whether the invoice is to be, or may be, another company's. While
// the number is unknown, only a draft may.
func (m *issuanceModel) changesIssuer(state *issuanceModel) bool {
	if m.Issuer.IsUnknown() && !state.Issuer.IsNull() {
		return state.Status.ValueString() == einvoice.StatusCreated
	}
	return attribute.OtherIssuer(m.Issuer, state.Issuer)
}

// refuseOtherIssuer compares an import by issuer with what the key has read.
func (m *issuanceModel) refuseOtherIssuer(ctx context.Context, v *einvoice.Invoice) diag.Diagnostics {
	holder := string(issuerOf(v))
	if m.Issuer.IsNull() || holder == "" || attribute.TaxNumberSpelling.Same(m.Issuer.ValueString(), holder) {
		return nil
	}
	label := message.InvoiceLabel(m.Model.ValueString(), string(v.IntegrationID), attribute.IntOrNull(v.Number))
	return message.OtherIssuer(
		ctx, label, "invoice", string(v.ID), string(v.Status), m.Issuer.ValueString(), holder, false)
}

// hiddenByKey warns of an invoice that is not gone: the key in use is another company's
// and cannot show it.
func (m *issuanceModel) hiddenByKey(ctx context.Context, s, base *session.Session) diag.Diagnostics {
	if m.Issuer.IsNull() {
		return nil
	}
	service := issuance.Service(s)
	service.Issuer, service.Account = m.Issuer.ValueString(), base.Client
	if p, ok := errors.AsType[*engine.Problem](service.RefuseOtherKey(ctx)); ok {
		return say.Warning(ctx, "invoice.hidden", text.With{
			"label": m.label(), "id": m.ID.ValueString(), "issuer": m.Issuer.ValueString(), "owner": p.Owner,
			"keys": base.Keys != nil,
		})
	}
	return nil
}
