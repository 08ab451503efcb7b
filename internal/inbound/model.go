package inbound

import (
	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
)

// The service's words (specification: Inbound invoice).
var (
	InboundModels         = []string{einvoice.ModelProduct, einvoice.ModelService}
	inboundStatuses       = []string{einvoice.StatusAuthorized, einvoice.StatusDenied, einvoice.StatusCanceled}
	manifestationStatuses = []string{"none", "acknowledged", "confirmed", "unknown", "notPerformed", "rejected"}
	operationTypes        = []string{"incoming", "outgoing"}
)

// invoiceFields are those of an invoice that was issued against the company. What a model does not
// have is null.
func invoiceFields(v *einvoice.InboundInvoice) shown.Fields {
	return shown.Fields{
		"id":    shown.Text("Identifier of the invoice at the service (a UUID).", v.ID),
		"model": shown.Text("Kind of invoice: `productInvoice` (NF-e) or `serviceInvoice` (NFS-e).", v.Model),
		"environment_type": shown.Text("Environment that it was issued "+
			"in: "+attribute.WordList(einvoice.EnvironmentTypes)+".", v.EnvironmentType),
		"access_key": shown.Text("Access key (chave de acesso): 44 characters for an NF-e, 50 for an NFS-e.",
			v.AccessKey),
		"nsu": shown.Int("Sequential number (NSU) of the authority's distribution.", v.NSU),
		"is_complete": shown.Flag("Whether the complete invoice is known. An NF-e arrives first as a "+
			"summary, and complete after its manifestation. An NFS-e arrives complete.", v.IsComplete),
		"status": shown.Text("Status at the authority: "+attribute.WordList(inboundStatuses)+", or a newer one.",
			v.Status),
		"issued_on": shown.Text("When it was issued.", v.IssuedOn),
		"amount":    shown.Number("Total, in reais.", v.Amount),
		"operation_type": shown.Text("Direction from the issuer's point of view: `incoming` or `outgoing`.",
			v.OperationType),
		"issuer": shown.Object("Supplier that issued it.", v.Issuer,
			func(i *einvoice.InvoiceCompany) shown.Fields {
				return shown.Fields{
					"name":               shown.Text("Name or trade name (nome fantasia).", i.Name),
					"legal_name":         shown.Text("Legal name (razão social).", i.LegalName),
					"federal_tax_number": shown.Text("CNPJ or CPF, without punctuation.", i.FederalTaxNumber),
				}
			}),
		"manifestation": shown.Object("What the company has declared about it.", v.Manifestation,
			func(m *einvoice.Manifestation) shown.Fields {
				return shown.Fields{
					"status": shown.Text("What was declared: "+attribute.WordList(manifestationStatuses)+".",
						m.Status),
					"date":          shown.Text("When it was declared.", m.Date),
					"justification": shown.Text("Reason that was given.", m.Justification),
					"protocol":      shown.Text("Protocol of the authority, for an NF-e.", m.Protocol),
					"reason_code":   shown.Text("Code of the reason, for an NFS-e.", m.ReasonCode),
				}
			}),
		"creation_time": shown.Text("When the service found it.", v.CreationTime),
		"last_modification_time": shown.Text("When it last changed at the service; null if it never has.",
			v.LastModificationTime),
		"raw_json": shown.Text("The invoice as the service sent it, as JSON, for fields without an attribute.",
			einvoice.Text(v.Raw)),
	}
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
