package message

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// DocumentNames are the names that people use for the models.
var DocumentNames = map[string]string{
	einvoice.ModelProduct: "NF-e", einvoice.ModelConsumer: "NFC-e", einvoice.ModelService: "NFS-e",
}

// InvoiceLabel reads "NFS-e 123 (order-1)", or "NFS-e (order-1)" before there
// is a number.
func InvoiceLabel(model, integrationID string, number types.Int64) string {
	label := DocumentNames[model]
	if label == "" {
		label = "Invoice"
	}
	if !number.IsNull() && !number.IsUnknown() {
		label += fmt.Sprintf(" %d", number.ValueInt64())
	}
	if integrationID != "" {
		label += " (" + integrationID + ")"
	}
	return label
}
