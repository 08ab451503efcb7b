package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

type productModel struct {
	ID           types.String         `tfsdk:"id"`
	Name         types.String         `tfsdk:"name"`
	Code         types.String         `tfsdk:"code"`
	Price        types.Float64        `tfsdk:"price"`
	InvoiceModel types.String         `tfsdk:"invoice_model"`
	ExtraJSON    jsontypes.Normalized `tfsdk:"extra_json"`
}

// fromAPI takes what the service holds; extra_json only as far as it is
// configured.
func (m *productModel) fromAPI(p *einvoice.Product) diag.Diagnostics {
	m.ID = textOrNull(p.ID)
	m.Name = textOrNull(p.Name)
	m.Code = textOrNull(p.Code)
	m.Price = numberOrNull(p.Price)
	m.InvoiceModel = textOrNull(p.InvoiceModel)
	var diags diag.Diagnostics
	m.ExtraJSON, diags = projectExtra(m.ExtraJSON, p.Raw)
	return diags
}

func (m *productModel) request() einvoice.Product {
	return einvoice.Product{
		Name:         knownText(m.Name),
		Code:         knownText(m.Code),
		Price:        knownNumber(m.Price),
		InvoiceModel: einvoice.Enum(knownText(m.InvoiceModel)),
	}
}
