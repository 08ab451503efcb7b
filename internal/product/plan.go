package product

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// priceValidator warns of a negative price, which no invoice can have. The service
// decides.
type priceValidator struct{ attribute.Undescribed }

func (priceValidator) ValidateFloat64(
	_ context.Context, req validator.Float64Request, resp *validator.Float64Response,
) {
	if price := req.ConfigValue.ValueFloat64(); price < 0 {
		resp.Diagnostics.AddAttributeWarning(req.Path, "Negative price", fmt.Sprintf(
			"`%s` is %g. No invoice has a negative price, so a sale of this product would be rejected. "+
				"For a discount use `discount_amount` of an order.", req.Path, price))
	}
}

// warnOfTwin warns of two new products with one code, by which the service and this
// provider find a product again.
func (r *productResource) warnOfTwin(ctx context.Context, req resource.ModifyPlanRequest) diag.Diagnostics {
	if r.Deferred() || req.Plan.Raw.IsNull() || !req.State.Raw.IsNull() {
		return nil
	}
	var plan productModel
	diags := req.Plan.Get(ctx, &plan)
	if attribute.IsUnset(plan.Code) || diags.HasError() {
		return diags
	}
	code := plan.Code.ValueString()
	if first, taken := r.Planned.Taken("product", fiscal.FoldPlace(code), plan.Name.ValueString()); taken {
		diags.AddAttributeWarning(path.Root("code"), "Two new products with one code: "+code, fmt.Sprintf(
			"Another block of this run, %q, has the same `code`. The provider finds a product by its code, "+
				"so it would mix up the two. Give each product its own code.", first))
	}
	return diags
}
