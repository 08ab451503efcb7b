package customer

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
)

// warnOfTwin warns of two new customers with one tax number. It does not look at the service.
func (r *customerResource) warnOfTwin(ctx context.Context, req resource.ModifyPlanRequest) diag.Diagnostics {
	if r.Deferred() || req.Plan.Raw.IsNull() || !req.State.Raw.IsNull() {
		return nil
	}
	var plan customerModel
	diags := req.Plan.Get(ctx, &plan)
	if attribute.IsUnset(plan.FederalTaxNumber) || diags.HasError() {
		return diags
	}
	number := plan.FederalTaxNumber
	first, taken := r.Planned.Taken("customer", string(number.Normalized()), plan.Name.ValueString())
	if taken {
		diags.AddAttributeWarning(path.Root("federal_tax_number"),
			"Two new customers with one tax number: "+number.ValueString(), fmt.Sprintf(
				"Another block of this run, %q, has the same `federal_tax_number`. The service may create both, "+
					"and then nobody knows which one is right. Keep one block, or correct the number.", first))
	}
	return diags
}
