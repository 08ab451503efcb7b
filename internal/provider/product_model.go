package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
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

// keepNumber plans the prior number when the configured one is the same as a
// 64-bit number. A price that has just been imported is 19.9 in binary, the
// configured one is 19.9 in decimal, and to the CLI these differ.
type keepNumber struct{}

var _ planmodifier.Float64 = keepNumber{}

func (keepNumber) Description(context.Context) string {
	return "The same number written or kept in another way is no change."
}

func (m keepNumber) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (keepNumber) PlanModifyFloat64(_ context.Context, req planmodifier.Float64Request, resp *planmodifier.Float64Response) {
	if req.ConfigValue.IsNull() || isUnset(req.PlanValue) || isUnset(req.StateValue) {
		return
	}
	if req.PlanValue.ValueFloat64() == req.StateValue.ValueFloat64() {
		resp.PlanValue = req.StateValue
	}
}
