package invoice

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
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
func (m *issuanceModel) label() string {
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

// invoice is the invoice as far as the state or the plan shows what the service decided.
func (m *issuanceModel) invoice() *einvoice.Invoice {
	details := m.Details.Attributes()
	batch, _ := details["batch_number"].(types.Int64)
	rps, _ := m.detail("rps", "number").(types.Int64)
	text := func(name, part string) einvoice.Text { return attribute.AttrText(m.detail(name, part)) }
	return &einvoice.Invoice{
		ID:              attribute.KnownText(m.ID),
		Status:          einvoice.Enum(attribute.KnownText(m.Status)),
		Number:          attribute.KnownInt(m.Number),
		Series:          attribute.KnownText(m.Series),
		AccessKey:       attribute.KnownText(m.AccessKey),
		Amount:          attribute.KnownNumber(m.Amount),
		EnvironmentType: einvoice.Enum(attribute.KnownText(m.EnvironmentType)),
		IssuedOn:        attribute.AttrText(details["issued_on"]),
		EffectiveDate:   attribute.AttrText(details["effective_date"]),
		IssueType:       einvoice.Enum(attribute.AttrText(details["issue_type"])),
		BatchNumber:     attribute.KnownInt(batch),
		RPS:             &einvoice.RPS{Number: attribute.KnownInt(rps), Series: text("rps", "series")},
		Authorization: &einvoice.Authorization{
			Date: text("authorization", "date"), Protocol: text("authorization", "protocol"),
			DigestValue: text("authorization", "digest_value"),
		},
		ProcessingDetail: &einvoice.ProcessingDetail{
			Status: einvoice.Enum(text("processing_detail", "status")), Code: text("processing_detail", "code"),
			Message: text("processing_detail", "message"), On: text("processing_detail", "on"),
		},
		Cancellation: &einvoice.Cancellation{
			Date: text("cancellation", "date"), Protocol: text("cancellation", "protocol"),
			Justification: text("cancellation", "justification"),
		},
		Contingency: &einvoice.Contingency{Date: text("contingency", "date"), Reason: text("contingency", "reason")},
	}
}

// detail is a part of a detail; nil while the details are not known.
func (m *issuanceModel) detail(name, part string) attr.Value {
	object, _ := m.Details.Attributes()[name].(types.Object)
	return object.Attributes()[part]
}

// UpgradeState moves what version 0 of the state had at its root into details.
func (r *issuanceResource) UpgradeState(context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: {
		StateUpgrader: func(_ context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
			var state map[string]json.RawMessage
			if err := json.Unmarshal(req.RawState.JSON, &state); err != nil {
				resp.Diagnostics.AddError("State cannot be read", "The state of this invoice is not JSON: "+err.Error())
				return
			}
			details := map[string]json.RawMessage{}
			for name := range shown.Attributes(detailFields) {
				details[name] = state[name]
				delete(state, name)
			}
			state["details"], _ = json.Marshal(details) // It was JSON before.
			upgraded, _ := json.Marshal(state)
			resp.DynamicValue = &tfprotov6.DynamicValue{JSON: upgraded}
		},
	}}
}
