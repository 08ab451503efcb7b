package order

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// The sum rules of an order are assumed, not shown by the specification:
//
//	item amount  = quantity x price - discount of the item
//	order amount = sum of the items' amounts + freight - discount
//
// They are checked where all parts are known, and the service decides: a plan
// only warns.

// checkSums checks both rules, each on the amount that it gives.
func (m *orderModel) checkSums() diag.Diagnostics {
	var diags diag.Diagnostics
	var parts []string
	sum, whole := 0.0, len(m.Items.Elements()) > 0
	for n, element := range m.Items.Elements() {
		item, ok := element.(types.Object)
		if !ok || attribute.IsUnset(item) {
			whole = false
			continue
		}
		amount, known, warning := itemAmount(path.Root("items").AtListIndex(n).AtName("amount"), item.Attributes())
		if warning != nil {
			diags.Append(warning)
		}
		whole = whole && known
		sum += amount
		parts = append(parts, decimal(amount))
	}
	if len(diags) > 0 || !whole || attribute.IsUnset(m.Amount) || m.FreightAmount.IsUnknown() || m.DiscountAmount.IsUnknown() {
		return diags
	}
	freight, discount := m.FreightAmount.ValueFloat64(), m.DiscountAmount.ValueFloat64()
	sum += freight - discount
	if amount := m.Amount.ValueFloat64(); !withinHalfACent(amount, sum) {
		diags.AddAttributeWarning(path.Root("amount"), "Order amount that does not add up", fmt.Sprintf(
			"`amount` is %s. The sum of the items' amounts + `freight_amount` - `discount_amount` is %s. The service decides whether it takes this order.",
			decimal(amount), calculated(strings.Join(parts, " + ")+unlessZero(" + ", freight)+unlessZero(" - ", discount), sum)))
	}
	return diags
}

// itemAmount is the amount of an item, as configured or as it follows from the
// other parts; known is false where neither can be told.
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
		warning = diag.NewAttributeWarningDiagnostic(message.ShownAt(at), "Item amount that does not add up", fmt.Sprintf(
			"`%s` is %s. Quantity x price - discount is %s. The service decides whether it takes this order.", at, decimal(amount),
			calculated(decimal(quantity.ValueFloat64())+" x "+decimal(price.ValueFloat64())+unlessZero(" - ", discount.ValueFloat64()), expected)))
	}
	return amount, true, warning
}

// calculated reads "50 + 39.9 = 89.9", or "89.9" where nothing is calculated.
func calculated(parts string, result float64) string {
	if parts == decimal(result) {
		return parts
	}
	return parts + " = " + decimal(result)
}

func unlessZero(sign string, amount float64) string {
	if amount == 0 {
		return ""
	}
	return sign + decimal(amount)
}

// withinHalfACent compares amounts that were each rounded to cents.
func withinHalfACent(a, b float64) bool { return math.Abs(a-b) < 0.005+binaryError }

// binaryError is more than what decimals lose as binary fractions, up to amounts
// of a billion.
const binaryError = 1e-6

// decimal writes an amount as a person does, with at most six decimals.
func decimal(f float64) string { return strconv.FormatFloat(math.Round(f*1e6)/1e6, 'f', -1, 64) }
