package invoice

import (
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

type issuanceModel struct {
	Model              types.String         `tfsdk:"model"`
	IntegrationID      types.String         `tfsdk:"integration_id"`
	Issuer             attribute.Spelled    `tfsdk:"issuer"`
	PayloadJSON        jsontypes.Normalized `tfsdk:"payload_json"`
	PayloadCheck       types.Bool           `tfsdk:"payload_check"`
	Issue              types.Bool           `tfsdk:"issue"`
	AcceptContingency  types.Bool           `tfsdk:"accept_contingency"`
	CancellationReason types.String         `tfsdk:"cancellation_reason"`
	CancelWindow       types.String         `tfsdk:"cancel_window"`
	CancelableUntil    types.String         `tfsdk:"cancelable_until"`
	Timeouts           timeouts.Value       `tfsdk:"timeouts"`
	essentials
	Details types.Object `tfsdk:"details"`
}

type issuanceIdentity struct {
	Model  types.String `tfsdk:"model"`
	ID     types.String `tfsdk:"id"`
	Issuer types.String `tfsdk:"issuer"`
}

func (m *issuanceModel) identity() issuanceIdentity {
	return issuanceIdentity{Model: m.Model, ID: m.ID, Issuer: attribute.IssuerIdentity(m.Issuer)}
}

// fromAPI takes what the service decides. What the user wrote stays.
func (m *issuanceModel) fromAPI(v *einvoice.Invoice) {
	id := attribute.KeepID(m.ID, v.ID)
	m.essentials, m.Details = essentialsFromAPI(v), objectOf(v, detailFields)
	m.ID = id
	m.setCancelableUntil()
	if attribute.IsUnset(m.Issuer) { // What is planned must not change any more.
		m.Issuer = attribute.IssuerFromAPI(m.Issuer, issuerOf(v))
	}
}

// refresh takes what the service decides and what the state lacks.
func (m *issuanceModel) refresh(v *einvoice.Invoice) {
	m.Issuer = attribute.IssuerFromAPI(m.Issuer, issuerOf(v))
	m.fromAPI(v)
	if m.IntegrationID.IsNull() {
		m.IntegrationID = attribute.TextOrNull(v.IntegrationID)
	}
}

// label names the invoice for a person: its number where it has one.
func (m *issuanceModel) label() string {
	return message.InvoiceLabel(m.Model.ValueString(), m.IntegrationID.ValueString(), m.Number)
}
