package order

import (
	"fmt"
	"math"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// checkItems refuses a product that nothing names, and warns where amounts that are known do
// not add up. The rules of the sums are assumed:
//
//	item amount  = quantity x price - discount of the item
//	order amount = sum of the items' amounts + freight - discount
func (m *orderModel) checkItems() (diags diag.Diagnostics) {
	sum, isKnown := 0.0, len(m.Items.Elements()) > 0
	for n, element := range m.Items.Elements() {
		at := path.Root("items").AtListIndex(n)
		item, _ := element.(types.Object)
		product, _ := item.Attributes()["product"].(types.Object)
		if named := product.Attributes(); len(named) > 0 && named["code"].IsNull() && named["name"].IsNull() {
			diags.AddAttributeError(at, "Incomplete product", fmt.Sprintf("`%s` names no product. Set `code`, `name` "+
				"or both, for example \"PAO-001\" and \"Pão francês\".", at.AtName("product")))
		}
		amount, itemKnown, warning := itemAmount(at.AtName("amount"), item.Attributes())
		if warning != nil {
			diags.Append(warning)
		}
		isKnown = isKnown && itemKnown
		sum += amount
	}
	freight, discount := m.FreightAmount, m.DiscountAmount
	if len(diags) > 0 || !isKnown || attribute.IsUnset(m.Amount) || freight.IsUnknown() || discount.IsUnknown() {
		return diags
	}
	total := sum + freight.ValueFloat64() - discount.ValueFloat64()
	if amount := m.Amount.ValueFloat64(); !withinHalfACent(amount, total) {
		diags.AddAttributeWarning(path.Root("amount"), "Order amount that does not add up", fmt.Sprintf(
			"`amount` is %s. The sum of the items' amounts + `freight_amount` - `discount_amount` is %s + %s - %s = "+
				"%s. The service decides whether it takes this order.", decimal(amount),
			decimal(sum), decimal(freight.ValueFloat64()), decimal(discount.ValueFloat64()), decimal(total)))
	}
	return diags
}

// itemAmount is the amount of an item, as configured or as it follows from the other parts.
func itemAmount(at path.Path, leaves map[string]attr.Value) (amount float64, known bool, warning diag.Diagnostic) {
	number := func(name string) types.Float64 {
		n, _ := leaves[name].(types.Float64)
		return n
	}
	quantity, price, discount := number("quantity"), number("price"), number("discount_amount")
	follows := !attribute.IsUnset(quantity) && !attribute.IsUnset(price) && !discount.IsUnknown()
	expected := quantity.ValueFloat64()*price.ValueFloat64() - discount.ValueFloat64()
	configured := number("amount")
	if attribute.IsUnset(configured) {
		return math.Round(expected*100+binaryError) / 100, follows && configured.IsNull(), nil
	}
	amount = configured.ValueFloat64()
	if follows && !withinHalfACent(amount, expected) {
		warning = diag.NewAttributeWarningDiagnostic(message.ShownAt(at),
			"Item amount that does not add up", fmt.Sprintf(
				"`%s` is %s. Quantity x price - discount is %s x %s - %s = %s. The service decides whether it takes "+
					"this order.",
				at, decimal(amount), decimal(quantity.ValueFloat64()), decimal(price.ValueFloat64()),
				decimal(discount.ValueFloat64()), decimal(expected)))
	}
	return amount, true, warning
}

// withinHalfACent reports whether amounts that were each rounded to cents agree.
func withinHalfACent(a, b float64) bool { return math.Abs(a-b) < 0.005+binaryError }

// binaryError is more than decimals lose as binary fractions, up to amounts of a billion.
const binaryError = 1e-6

// decimal writes an amount as a person does, with at most six decimals.
func decimal(f float64) string { return strconv.FormatFloat(math.Round(f*1e6)/1e6, 'f', -1, 64) }
