package invoice

import (
	"cmp"
	"encoding/json"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

type issuanceModel struct {
	Model              types.String      `tfsdk:"model"`
	IntegrationID      types.String      `tfsdk:"integration_id"`
	Issuer             attribute.Spelled `tfsdk:"issuer"`
	PayloadJSON        attribute.JSON    `tfsdk:"payload_json"`
	PayloadCheck       types.Bool        `tfsdk:"payload_check"`
	Issue              types.Bool        `tfsdk:"issue"`
	AcceptContingency  types.Bool        `tfsdk:"accept_contingency"`
	CancellationReason types.String      `tfsdk:"cancellation_reason"`
	CancelWindow       types.String      `tfsdk:"cancel_window"`
	CancelableUntil    types.String      `tfsdk:"cancelable_until"`
	Timeouts           timeouts.Value    `tfsdk:"timeouts"`
	Account            types.String      `tfsdk:"account"`
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
	m.essentials, m.Details = essentialsFromAPI(v), shown.Value(v, detailFields)
	m.ID = id
	m.setCancelableUntil()
	if attribute.IsUnset(m.Issuer) { // What is planned must not change any more.
		m.Issuer = attribute.IssuerFromAPI(m.Issuer, issuerOf(v))
	}
}

// refresh takes what the service decides and what the state lacks.
func (m *issuanceModel) refresh(v *einvoice.Invoice) {
	m.Issuer = attribute.IssuerFromAPI(m.Issuer, issuerOf(v))
	known := m.Status
	m.fromAPI(v)
	if m.Status.IsNull() { // A read without a status says nothing about it.
		m.Status = known
	}
	if m.IntegrationID.IsNull() {
		m.IntegrationID = attribute.TextOrNull(v.IntegrationID)
	}
}

// label names the invoice for a person: its number where it has one, and its id while an import has not read it.
func (m *issuanceModel) label() text.Text {
	name := cmp.Or(m.IntegrationID.ValueString(), m.ID.ValueString())
	return message.InvoiceLabel(m.Model.ValueString(), name, m.Number)
}

// essentials are what a plan shows in a line each, and what the resource works with.
type essentials struct {
	ID              types.String  `tfsdk:"id"`
	Status          types.String  `tfsdk:"status"`
	Number          types.Int64   `tfsdk:"number"`
	Series          types.String  `tfsdk:"series"`
	AccessKey       types.String  `tfsdk:"access_key"`
	Amount          types.Float64 `tfsdk:"amount"`
	EnvironmentType types.String  `tfsdk:"environment_type"`
}

// unknownEssentials are what a plan knows of an invoice that is still to be issued.
var unknownEssentials = essentials{
	ID: types.StringUnknown(), Status: types.StringUnknown(), Number: types.Int64Unknown(),
	Series: types.StringUnknown(), AccessKey: types.StringUnknown(), Amount: types.Float64Unknown(),
	EnvironmentType: types.StringUnknown(),
}

func essentialsFromAPI(v *einvoice.Invoice) essentials {
	return essentials{
		ID:              attribute.TextOrNull(v.ID),
		Status:          attribute.TextOrNull(v.Status),
		Number:          attribute.IntOrNull(v.Number),
		Series:          attribute.TextOrNull(v.Series),
		AccessKey:       attribute.TextOrNull(v.AccessKey),
		Amount:          attribute.NumberOrNull(v.Amount),
		EnvironmentType: attribute.TextOrNull(v.EnvironmentType),
	}
}

// known is what finds the invoice in a list.
func (m *issuanceModel) known() *einvoice.Invoice {
	details := m.Details.Attributes()
	return &einvoice.Invoice{
		ID:            attribute.KnownText(m.ID),
		IntegrationID: attribute.KnownText(m.IntegrationID),
		Status:        einvoice.Enum(attribute.KnownText(m.Status)),
		IssuedOn:      attribute.AttrText(details["issued_on"]),
		EffectiveDate: attribute.AttrText(details["effective_date"]),
	}
}

// isShownBy reports whether an entry of a list shows nothing else than the state. It may show less: what was issued
// changes little but its status.
func (m *issuanceModel) isShownBy(entry *einvoice.Invoice) bool {
	shows := essentialsFromAPI(entry)
	return showsOnly(shown.Value(entry, detailFields), m.Details) && showsOnly(shows.Number, m.Number) &&
		showsOnly(shows.Series, m.Series) && showsOnly(shows.AccessKey, m.AccessKey) &&
		showsOnly(shows.Amount, m.Amount) && showsOnly(shows.EnvironmentType, m.EnvironmentType)
}

// showsOnly reports whether a value says what is known, or leaves it out.
func showsOnly(value, known attr.Value) bool {
	object, isObject := value.(types.Object)
	if !isObject {
		return value.IsNull() || value.Equal(known) || attribute.SameNumber(value, known)
	}
	parts, _ := known.(types.Object)
	for name, part := range object.Attributes() {
		if !showsOnly(part, parts.Attributes()[name]) {
			return false
		}
	}
	return true
}

// detail is a part of a detail; nil while the details are not known.
func (m *issuanceModel) detail(name, part string) attr.Value {
	object, _ := m.Details.Attributes()[name].(types.Object)
	return object.Attributes()[part]
}

// sale is the invoice as a plan knows it. block names its block to the journal.
func (m *issuanceModel) sale(block string) issuance.Sale {
	sale := issuance.Sale{
		Thing: issuance.Invoice, Model: m.Model.ValueString(), Attribute: "integration_id",
		Company: string(m.Issuer.Normalized()), Label: m.label(), Block: block,
	}
	if !m.Model.IsUnknown() {
		sale.Name = m.IntegrationID.ValueString()
	}
	if !attribute.IsUnset(m.PayloadJSON) {
		sendable := fiscal.SendablePayload(json.RawMessage(m.PayloadJSON.ValueString()))
		if value, err := jsontree.Decode(sendable); err == nil {
			sale.Content, sale.Sold = hashOf(value), hashOf(sold(value))
		}
	}
	return sale
}

// hashOf is a digest of a payload that was decoded.
func hashOf(payload any) string {
	written, _ := json.Marshal(payload) // What was decoded can be written.
	return attribute.HashOfText(string(written))
}

// sold is what a payload sells to whom: without its date, and without all that only tells how to reach the receiver.
// Whoever numbers a sale anew may change that, too.
func sold(payload any) any {
	members, isObject := payload.(map[string]any)
	if !isObject {
		return payload
	}
	members = maps.Clone(members)
	delete(members, "effectiveDate")
	if number := jsontree.Member(payload, "receiver", "federalTaxNumber"); number != nil {
		members["receiver"] = number
	}
	return members
}
