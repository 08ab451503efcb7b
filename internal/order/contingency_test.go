package order

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestOrder_warnsOfContingencyByTheModelOfEachItem(t *testing.T) {
	t.Parallel()
	items := func(models ...types.String) types.List {
		itemType := types.ObjectType{AttrTypes: itemTypes}
		values := make([]attr.Value, 0, len(models))
		for _, model := range models {
			product := types.ObjectValueMust(productTypes, map[string]attr.Value{
				"code": types.StringValue("1"), "name": types.StringNull(), "price": types.Float64Null(), "invoice_model": model,
			})
			values = append(values, types.ObjectValueMust(itemTypes, map[string]attr.Value{
				"quantity": types.Float64Null(), "price": types.Float64Null(), "amount": types.Float64Null(),
				"discount_amount": types.Float64Null(), "freight_amount": types.Float64Null(), "product": product,
			}))
		}
		return types.ListValueMust(itemType, values)
	}
	product, service, consumer := types.StringValue("productInvoice"), types.StringValue("serviceInvoice"), types.StringValue("consumerInvoice")
	for name, test := range map[string]struct {
		accepts types.Bool
		items   types.List
		want    bool
	}{
		"models that never wait in it":        {types.BoolValue(true), items(product, service), true},
		"one that does":                       {types.BoolValue(true), items(product, consumer), false},
		"one that the service knows":          {types.BoolValue(true), items(product, types.StringNull()), false},
		"one that is not known yet":           {types.BoolValue(true), items(types.StringUnknown()), false},
		"items that are not known yet":        {types.BoolValue(true), types.ListUnknown(types.ObjectType{AttrTypes: itemTypes}), false},
		"contingency that is not accepted":    {types.BoolValue(false), items(product), false},
		"acceptance that is not known yet":    {types.BoolUnknown(), items(product), false},
		"an order without anything in it yet": {types.BoolValue(true), items(), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := orderModel{record: record{Items: test.items}, AcceptContingency: test.accepts}
			var diags diag.Diagnostics
			if m.warnOfUnused(&diags); diags.HasError() || (len(diags) == 1) != test.want {
				t.Fatalf("diagnostics %v, want a warning: %t", diags, test.want)
			}
		})
	}
}
