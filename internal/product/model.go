package product

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

type productModel struct {
	productRecord

	ExtraJSON attribute.JSON `tfsdk:"extra_json"`
}

// productRecord is a product in the resource and in the data sources.
type productRecord struct {
	ID           types.String      `tfsdk:"id"`
	Name         types.String      `tfsdk:"name"`
	Code         attribute.Spelled `tfsdk:"code"`
	Price        types.Float64     `tfsdk:"price"`
	InvoiceModel types.String      `tfsdk:"invoice_model"`
}

func (m *productRecord) read(p *einvoice.Product) {
	m.ID = attribute.KeepID(m.ID, p.ID)
	m.Name = attribute.TextOrNull(p.Name)
	m.Code = attribute.SpelledOrNull(codeSpelling, p.Code)
	m.Price = attribute.NumberOrNull(p.Price)
	m.InvoiceModel = attribute.TextOrNull(p.InvoiceModel)
}

// FromAPI takes the values of the service's product, and in extra_json only those of the configured keys.
func (m *productModel) FromAPI(p *einvoice.Product) (diags diag.Diagnostics) {
	m.read(p)
	m.ExtraJSON, diags = attribute.ProjectExtra(m.ExtraJSON, p.Raw)
	return diags
}

func (m *productModel) request() einvoice.Product {
	return einvoice.Product{
		Name:         attribute.KnownText(m.Name),
		Code:         attribute.KnownText(m.Code),
		Price:        attribute.KnownNumber(m.Price),
		InvoiceModel: einvoice.Enum(attribute.KnownText(m.InvoiceModel)),
	}
}

// Agrees reports whether the service's product has the values of the state.
func (m *productModel) Agrees(p *einvoice.Product) bool {
	next := *m
	diags := next.FromAPI(p)
	return !diags.HasError() && session.SameRequest(next.request(), m.request()) && next.ExtraJSON.Equal(m.ExtraJSON)
}
