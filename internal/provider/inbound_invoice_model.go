package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// The read shape of an invoice that was issued against the company. What a model
// does not have is null.

// The service's words (specification: Inbound invoice).
var (
	inboundModels         = []string{einvoice.ModelProduct, einvoice.ModelService}
	inboundStatuses       = []string{statusAuthorized, statusDenied, statusCanceled}
	manifestationStatuses = []string{"none", "acknowledged", "confirmed", "unknown", "notPerformed", "rejected"}
	operationTypes        = []string{"incoming", "outgoing"}
)

type inboundInvoiceModel struct {
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
	Issuer               *inboundIssuerModel `tfsdk:"issuer"`
	Manifestation        *manifestationModel `tfsdk:"manifestation"`
	CreationTime         types.String        `tfsdk:"creation_time"`
	LastModificationTime types.String        `tfsdk:"last_modification_time"`
	RawJSON              types.String        `tfsdk:"raw_json"`
}

type inboundIssuerModel struct {
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

// inboundInvoiceFromAPI reads an invoice. asked is the model it was asked for by,
// which stands in where the service does not show one.
func inboundInvoiceFromAPI(v *einvoice.InboundInvoice, asked string) inboundInvoiceModel {
	m := inboundInvoiceModel{
		ID:                   textOrNull(v.ID),
		Model:                textOrNull(v.Model),
		EnvironmentType:      textOrNull(v.EnvironmentType),
		AccessKey:            textOrNull(v.AccessKey),
		NSU:                  intOrNull(v.NSU),
		IsComplete:           flagOrNull(v.IsComplete),
		Status:               textOrNull(v.Status),
		IssuedOn:             textOrNull(v.IssuedOn),
		Amount:               numberOrNull(v.Amount),
		OperationType:        textOrNull(v.OperationType),
		CreationTime:         textOrNull(v.CreationTime),
		LastModificationTime: textOrNull(v.LastModificationTime),
		RawJSON:              textOrNull(einvoice.Text(v.Raw)),
	}
	if m.Model.IsNull() {
		m.Model = types.StringValue(asked)
	}
	if i := v.Issuer; i != nil {
		m.Issuer = &inboundIssuerModel{Name: textOrNull(i.Name), LegalName: textOrNull(i.LegalName), FederalTaxNumber: textOrNull(i.FederalTaxNumber)}
	}
	if n := v.Manifestation; n != nil {
		m.Manifestation = &manifestationModel{
			Status: textOrNull(n.Status), Date: textOrNull(n.Date), Justification: textOrNull(n.Justification),
			Protocol: textOrNull(n.Protocol), ReasonCode: textOrNull(n.ReasonCode),
		}
	}
	return m
}

// inboundInvoiceAttributes describes the read shape.
func inboundInvoiceAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":               computedText("Identifier of the invoice at the service (a UUID)."),
		"model":            computedText("Kind of invoice: `productInvoice` (NF-e) or `serviceInvoice` (NFS-e)."),
		"environment_type": computedText("Environment it was issued in: " + wordList(environmentTypes) + "."),
		"access_key":       computedText("Access key: 44 characters for an NF-e, 50 for an NFS-e."),
		"nsu":              schema.Int64Attribute{MarkdownDescription: "Sequential number (NSU) of the authority's distribution.", Computed: true},
		"is_complete": schema.BoolAttribute{
			MarkdownDescription: "Whether the whole invoice is known. An NF-e arrives first as a summary, and whole after its manifestation; an NFS-e arrives whole.", Computed: true,
		},
		"status":         computedText("Status at the authority: " + wordList(inboundStatuses) + ", or a newer one."),
		"issued_on":      computedText("Emission date."),
		"amount":         schema.Float64Attribute{MarkdownDescription: "Total, in reais.", Computed: true},
		"operation_type": computedText("Direction from the issuer's point of view: `incoming` or `outgoing`."),
		"issuer": computedObject("Who issued it.", map[string]schema.Attribute{
			"name":               computedText("Name or trade name."),
			"legal_name":         computedText("Legal name."),
			"federal_tax_number": computedText("CNPJ or CPF, without punctuation."),
		}),
		"manifestation": computedObject("What the company has declared about it.", map[string]schema.Attribute{
			"status":        computedText("What was declared: " + wordList(manifestationStatuses) + "."),
			"date":          computedText("When."),
			"justification": computedText("Why, where a reason is needed."),
			"protocol":      computedText("Protocol of the authority, for an NF-e."),
			"reason_code":   computedText("Code of the reason, for an NFS-e."),
		}),
		"creation_time":          computedText("When the service found it."),
		"last_modification_time": computedText("When it last changed at the service; null if it never has."),
		"raw_json":               computedText("The whole invoice as the service sent it, as JSON: for fields that have no attribute here."),
	}
}
