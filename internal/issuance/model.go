package issuance

import (
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/invoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

type issuanceModel struct {
	ID                 types.String         `tfsdk:"id"`
	Model              types.String         `tfsdk:"model"`
	IntegrationID      types.String         `tfsdk:"integration_id"`
	PayloadJSON        jsontypes.Normalized `tfsdk:"payload_json"`
	Issue              types.Bool           `tfsdk:"issue"`
	AcceptContingency  types.Bool           `tfsdk:"accept_contingency"`
	CancellationReason types.String         `tfsdk:"cancellation_reason"`
	Timeouts           timeouts.Value       `tfsdk:"timeouts"`
	Status             types.String         `tfsdk:"status"`
	Number             types.Int64          `tfsdk:"number"`
	Series             types.String         `tfsdk:"series"`
	AccessKey          types.String         `tfsdk:"access_key"`
	IssuedOn           types.String         `tfsdk:"issued_on"`
	EffectiveDate      types.String         `tfsdk:"effective_date"`
	Amount             types.Float64        `tfsdk:"amount"`
	EnvironmentType    types.String         `tfsdk:"environment_type"`
	IssueType          types.String         `tfsdk:"issue_type"`
	BatchNumber        types.Int64          `tfsdk:"batch_number"`
	RPS                types.Object         `tfsdk:"rps"`
	Authorization      types.Object         `tfsdk:"authorization"`
	ProcessingDetail   types.Object         `tfsdk:"processing_detail"`
	Cancellation       types.Object         `tfsdk:"cancellation"`
	Contingency        types.Object         `tfsdk:"contingency"`
}

type issuanceIdentity struct {
	Model types.String `tfsdk:"model"`
	ID    types.String `tfsdk:"id"`
}

func (m *issuanceModel) identity() issuanceIdentity {
	return issuanceIdentity{Model: m.Model, ID: m.ID}
}

// fromAPI takes everything that the service decides. What the user wrote stays.
func (m *issuanceModel) fromAPI(v *einvoice.Invoice) {
	m.ID = attribute.KeepID(m.ID, v.ID)
	m.Status = attribute.TextOrNull(v.Status)
	m.Number = attribute.IntOrNull(v.Number)
	m.Series = attribute.TextOrNull(v.Series)
	m.AccessKey = attribute.TextOrNull(v.AccessKey)
	m.IssuedOn = attribute.TextOrNull(v.IssuedOn)
	m.EffectiveDate = attribute.TextOrNull(v.EffectiveDate)
	m.Amount = attribute.NumberOrNull(v.Amount)
	m.EnvironmentType = attribute.TextOrNull(v.EnvironmentType)
	m.IssueType = attribute.TextOrNull(v.IssueType)
	m.BatchNumber = attribute.IntOrNull(v.BatchNumber)
	m.RPS = invoice.RPSFromAPI(v.RPS)
	m.Authorization = invoice.AuthorizationFromAPI(v.Authorization)
	m.ProcessingDetail = invoice.ProcessingDetailFromAPI(v.ProcessingDetail)
	m.Cancellation = invoice.CancellationFromAPI(v.Cancellation)
	m.Contingency = invoice.ContingencyFromAPI(v.Contingency)
}

// keepComputed plans everything that the service decides as it was.
func (m *issuanceModel) keepComputed(prior *issuanceModel) {
	m.ID = prior.ID
	m.Status = prior.Status
	m.Number = prior.Number
	m.Series = prior.Series
	m.AccessKey = prior.AccessKey
	m.IssuedOn = prior.IssuedOn
	m.EffectiveDate = prior.EffectiveDate
	m.Amount = prior.Amount
	m.EnvironmentType = prior.EnvironmentType
	m.IssueType = prior.IssueType
	m.BatchNumber = prior.BatchNumber
	m.RPS = prior.RPS
	m.Authorization = prior.Authorization
	m.ProcessingDetail = prior.ProcessingDetail
	m.Cancellation = prior.Cancellation
	m.Contingency = prior.Contingency
}

// expectComputed plans as unknown what a request may change.
func (m *issuanceModel) expectComputed() {
	m.Status = types.StringUnknown()
	m.Number = types.Int64Unknown()
	m.Series = types.StringUnknown()
	m.AccessKey = types.StringUnknown()
	m.IssuedOn = types.StringUnknown()
	m.EffectiveDate = types.StringUnknown()
	m.Amount = types.Float64Unknown()
	m.EnvironmentType = types.StringUnknown()
	m.IssueType = types.StringUnknown()
	m.BatchNumber = types.Int64Unknown()
	m.RPS = types.ObjectUnknown(invoice.RPSTypes)
	m.Authorization = types.ObjectUnknown(invoice.AuthorizationTypes)
	m.ProcessingDetail = types.ObjectUnknown(invoice.ProcessingDetailTypes)
	m.Cancellation = types.ObjectUnknown(invoice.CancellationTypes)
	m.Contingency = types.ObjectUnknown(invoice.ContingencyTypes)
}

// label names the invoice for a person: its number where it has one.
func (m *issuanceModel) label() string {
	return message.InvoiceLabel(m.Model.ValueString(), m.IntegrationID.ValueString(), m.Number)
}
