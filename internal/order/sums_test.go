package order

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// line is an item with the numbers given, the others null.
func line(numbers map[string]types.Float64) types.Object {
	values := map[string]attr.Value{"product": types.ObjectNull(productTypes)}
	for _, name := range []string{"quantity", "price", "amount", "discount_amount", "freight_amount"} {
		values[name] = types.Float64Null()
		if n, ok := numbers[name]; ok {
			values[name] = n
		}
	}
	return types.ObjectValueMust(itemTypes, values)
}

func reais(f float64) types.Float64 { return types.Float64Value(f) }

func TestOrder_sumsAreCheckedWhereAllPartsAreKnown(t *testing.T) {
	t.Parallel()
	type numbers = map[string]types.Float64
	unknown := types.Float64Unknown()
	atTheItem := path.Root("items").AtListIndex(0)
	for name, test := range map[string]struct {
		amount, freight, discount types.Float64
		items                     []attr.Value
		at                        path.Path // of the warning; empty for none
		texts                     []string
	}{
		"all agrees": {
			amount: reais(26), freight: reais(5), discount: reais(4),
			items: []attr.Value{line(numbers{"quantity": reais(2.5), "price": reais(10.4), "discount_amount": reais(1), "amount": reais(25)})},
		},
		"binary fractions are no difference": {
			amount: reais(0.3), items: []attr.Value{line(numbers{"amount": reais(0.1)}), line(numbers{"quantity": reais(2), "price": reais(0.1), "amount": reais(0.2)})},
		},
		"half a cent is rounding": {
			amount: reais(1), items: []attr.Value{line(numbers{"quantity": reais(3), "price": reais(0.335), "amount": reais(1)})},
		},
		"half a cent of an item without an amount rounds up": {
			amount: reais(2.02), items: []attr.Value{line(numbers{"quantity": reais(3), "price": reais(0.335)}), line(numbers{"quantity": reais(3), "price": reais(0.335)})},
		},
		"no items at all": {amount: reais(1)},
		"the item does not add up": {
			amount: reais(3.3), items: []attr.Value{line(numbers{"quantity": reais(3), "price": reais(1.1), "discount_amount": reais(1), "amount": reais(3.3)})},
			at: atTheItem, texts: []string{"`items[0].amount` is 3.3", "3 x 1.1 - 1 = 2.3"},
		},
		"the order does not add up": {
			amount: reais(25), freight: reais(5), discount: reais(4), items: []attr.Value{line(numbers{"amount": reais(10)}), line(numbers{"amount": reais(15.5)})},
			at: path.Root("amount"), texts: []string{"`amount` is 25", "25.5 + 5 - 4 = 26.5"},
		},
		"an unknown amount": {amount: unknown, items: []attr.Value{line(numbers{"amount": reais(1)})}},
		"an unknown price":  {amount: reais(1), items: []attr.Value{line(numbers{"quantity": reais(3), "price": unknown, "amount": reais(1)})}},
		"an unknown discount of an item": {
			amount: reais(2), items: []attr.Value{line(numbers{"quantity": reais(1), "price": reais(9), "discount_amount": unknown, "amount": reais(2)})},
		},
		"an unknown item": {amount: reais(9), items: []attr.Value{line(numbers{"amount": reais(1)}), types.ObjectUnknown(itemTypes)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items := types.ListValueMust(types.ObjectType{AttrTypes: itemTypes}, test.items)
			m := orderModel{record: record{
				Amount: test.amount, FreightAmount: test.freight, DiscountAmount: test.discount, Items: items,
			}}
			diags := m.checkItems(t.Context())
			fixture.WantTexts(t, diags, test.texts...)
			if len(test.at.Steps()) == 0 {
				fixture.FailOn(t, diags)
				return
			}
			if len(diags) != 1 {
				t.Fatalf("%d diagnostics, want 1: %v", len(diags), diags)
			}
			if at, ok := diags[0].(diag.DiagnosticWithPath); !ok || !at.Path().Equal(test.at) || at.Severity() != diag.SeverityWarning {
				t.Errorf("%v, want a warning on %s", diags[0], test.at)
			}
		})
	}
	unknownList := orderModel{record: record{
		Amount: reais(1), Items: types.ListUnknown(types.ObjectType{AttrTypes: itemTypes}),
	}}
	fixture.FailOn(t, unknownList.checkItems(t.Context()))
}
