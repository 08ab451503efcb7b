package inbound

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// The service's words (specification: Inbound invoice).
var (
	InboundModels         = []string{einvoice.ModelProduct, einvoice.ModelService}
	inboundStatuses       = []string{einvoice.StatusAuthorized, einvoice.StatusDenied, einvoice.StatusCanceled}
	manifestationStatuses = []string{"none", "acknowledged", "confirmed", "unknown", "notPerformed", "rejected"}
	operationTypes        = []string{"incoming", "outgoing"}
)

// invoiceModel is an invoice that was issued against the company. What a model does not
// have is null.
type invoiceModel struct {
	ID                   types.String        `tfsdk:"id"`
	Model                types.String        `tfsdk:"model"`
	EnvironmentType      types.String        `tfsdk:"environment_type"`
	AccessKey            types.String        `tfsdk:"access_key"`
	NSU                  types.Int64         `tfsdk:"nsu"`
	IsComplete           types.Bool          `tfsdk:"is_complete"`
	Status               types.String        `tfsdk:"status"`
	IssuedOn             types.String        `tfsdk:"issued_on"`
	Amount               types.Float64       `tfsdk:"amount"`
	OperationType        types.String        `tfsdk:"operation_type"`
	Issuer               *issuerModel        `tfsdk:"issuer"`
	Manifestation        *manifestationModel `tfsdk:"manifestation"`
	CreationTime         types.String        `tfsdk:"creation_time"`
	LastModificationTime types.String        `tfsdk:"last_modification_time"`
	RawJSON              types.String        `tfsdk:"raw_json"`
}

type issuerModel struct {
	Name             types.String `tfsdk:"name"`
	LegalName        types.String `tfsdk:"legal_name"`
	FederalTaxNumber types.String `tfsdk:"federal_tax_number"`
}

type manifestationModel struct {
	Status        types.String `tfsdk:"status"`
	Date          types.String `tfsdk:"date"`
	Justification types.String `tfsdk:"justification"`
	Protocol      types.String `tfsdk:"protocol"`
	ReasonCode    types.String `tfsdk:"reason_code"`
}

// invoiceFromAPI reads an invoice. The model of its operation counts where the service
// does not show one.
func invoiceFromAPI(v *einvoice.InboundInvoice, model string) invoiceModel {
	m := invoiceModel{
		ID:                   attribute.TextOrNull(v.ID),
		Model:                attribute.TextOrNull(v.Model),
		EnvironmentType:      attribute.TextOrNull(v.EnvironmentType),
		AccessKey:            attribute.TextOrNull(v.AccessKey),
		NSU:                  attribute.IntOrNull(v.NSU),
		IsComplete:           attribute.FlagOrNull(v.IsComplete),
		Status:               attribute.TextOrNull(v.Status),
		IssuedOn:             attribute.TextOrNull(v.IssuedOn),
		Amount:               attribute.NumberOrNull(v.Amount),
		OperationType:        attribute.TextOrNull(v.OperationType),
		CreationTime:         attribute.TextOrNull(v.CreationTime),
		LastModificationTime: attribute.TextOrNull(v.LastModificationTime),
		RawJSON:              attribute.TextOrNull(einvoice.Text(v.Raw)),
	}
	if m.Model.IsNull() {
		m.Model = types.StringValue(model)
	}
	if i := v.Issuer; i != nil {
		m.Issuer = &issuerModel{
			Name: attribute.TextOrNull(i.Name), LegalName: attribute.TextOrNull(i.LegalName),
			FederalTaxNumber: attribute.TextOrNull(i.FederalTaxNumber),
		}
	}
	if n := v.Manifestation; n != nil {
		m.Manifestation = &manifestationModel{
			Status: attribute.TextOrNull(n.Status), Date: attribute.TextOrNull(n.Date),
			Justification: attribute.TextOrNull(n.Justification),
			Protocol:      attribute.TextOrNull(n.Protocol), ReasonCode: attribute.TextOrNull(n.ReasonCode),
		}
	}
	return m
}

// declared is what the company has declared about an invoice, or "none".
func declared(v *einvoice.InboundInvoice) string {
	if v.Manifestation == nil || v.Manifestation.Status == "" {
		return "none"
	}
	return string(v.Manifestation.Status)
}

// isDeclared reports whether a declaration counts. The authority may have rejected one.
func isDeclared(v *einvoice.InboundInvoice) bool {
	return declared(v) != "none" && declared(v) != "rejected"
}

// invoiceAttributes describes the read shape.
func invoiceAttributes() map[string]schema.Attribute {
	text := attribute.ComputedText
	return map[string]schema.Attribute{
		"id":    text("Identifier of the invoice at the service (a UUID)."),
		"model": text("Kind of invoice: `productInvoice` (NF-e) or `serviceInvoice` (NFS-e)."),
		"environment_type": text("Environment that it was issued " +
			"in: " + attribute.WordList(einvoice.EnvironmentTypes) + "."),
		"access_key": text("Access key (chave de acesso): 44 characters for an NF-e, 50 for an NFS-e."),
		"nsu": schema.Int64Attribute{
			MarkdownDescription: "Sequential number (NSU) of the authority's distribution.", Computed: true,
		},
		"is_complete": schema.BoolAttribute{
			MarkdownDescription: "Whether the complete invoice is known. An NF-e arrives first as a summary, and " +
				"complete after its manifestation. An NFS-e arrives complete.",
			Computed: true,
		},
		"status":         text("Status at the authority: " + attribute.WordList(inboundStatuses) + ", or a newer one."),
		"issued_on":      text("When it was issued."),
		"amount":         schema.Float64Attribute{MarkdownDescription: "Total, in reais.", Computed: true},
		"operation_type": text("Direction from the issuer's point of view: `incoming` or `outgoing`."),
		"issuer": attribute.ComputedObject("Supplier that issued it.", map[string]schema.Attribute{
			"name":               text("Name or trade name (nome fantasia)."),
			"legal_name":         text("Legal name (razão social)."),
			"federal_tax_number": text("CNPJ or CPF, without punctuation."),
		}),
		"manifestation": attribute.ComputedObject("What the company has declared about "+
			"it.", map[string]schema.Attribute{
			"status":        text("What was declared: " + attribute.WordList(manifestationStatuses) + "."),
			"date":          text("When."),
			"justification": text("Why, where a reason is needed."),
			"protocol":      text("Protocol of the authority, for an NF-e."),
			"reason_code":   text("Code of the reason, for an NFS-e."),
		}),
		"creation_time":          text("When the service found it."),
		"last_modification_time": text("When it last changed at the service; null if it never has."),
		"raw_json":               text("The invoice as the service sent it, as JSON, for fields without an attribute."),
	}
}
