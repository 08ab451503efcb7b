package order

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
)

// The sum rules of an order are assumed, not shown by the specification:
//
//	item amount  = quantity x price - discount of the item
//	order amount = sum of the items' amounts + freight - discount
//
// They are checked in decimals, where all parts are known, and the service decides:
// a plan only warns.

// halfACent is how far two amounts may be apart: each is rounded to cents.
var halfACent = big.NewRat(5, 1000)

// checkSums checks both rules, each on the amount that it gives.
func (m *orderModel) checkSums() diag.Diagnostics {
	var diags diag.Diagnostics
	if attribute.IsUnset(m.Items) || len(m.Items.Elements()) == 0 {
		return diags // An empty list is refused as such.
	}
	at := path.Root("items")
	sum, whole := new(big.Rat), true
	var parts []string
	for n, element := range m.Items.Elements() {
		amount := new(big.Rat)
		item, ok := element.(types.Object)
		if ok = ok && !attribute.IsUnset(item); ok {
			var more diag.Diagnostics
			amount, ok, more = itemAmount(at.AtListIndex(n), item.Attributes())
			diags.Append(more...)
		}
		whole = whole && ok
		if ok {
			sum.Add(sum, amount)
			parts = append(parts, decimal(amount))
		}
	}
	freight, knowsFreight := decimalOrZero(m.FreightAmount)
	discount, knowsDiscount := decimalOrZero(m.DiscountAmount)
	if len(diags) > 0 || !whole || !knowsFreight || !knowsDiscount || attribute.IsUnset(m.Amount) {
		return diags
	}
	sum.Sub(sum.Add(sum, freight), discount)
	if amount := exactly(m.Amount.ValueFloat64()); !nearly(amount, sum) {
		diags.AddAttributeWarning(path.Root("amount"), "Order amount that does not add up", fmt.Sprintf(
			"`amount` is %s. The sum of the items' amounts + `freight_amount` - `discount_amount` is %s%s = %s. The service decides whether it takes this order.",
			decimal(amount), strings.Join(parts, " + "), freightAndDiscount(freight, discount), decimal(sum)))
	}
	return diags
}

func freightAndDiscount(freight, discount *big.Rat) string {
	text := ""
	if freight.Sign() != 0 {
		text += " + " + decimal(freight)
	}
	if discount.Sign() != 0 {
		text += " - " + decimal(discount)
	}
	return text
}

// itemAmount is the amount of an item, as configured or as it follows from the
// other parts; ok is false where it is not known.
func itemAmount(at path.Path, leaves map[string]attr.Value) (amount *big.Rat, ok bool, diags diag.Diagnostics) {
	configured, isConfigured := leaves["amount"].(types.Float64)
	quantity, hasQuantity := leaves["quantity"].(types.Float64)
	price, hasPrice := leaves["price"].(types.Float64)
	discounted, _ := leaves["discount_amount"].(types.Float64)
	discount, knowsDiscount := decimalOrZero(discounted)
	follows := hasQuantity && hasPrice && !attribute.IsUnset(quantity) && !attribute.IsUnset(price) && knowsDiscount
	isConfigured = isConfigured && !attribute.IsUnset(configured)

	expected := new(big.Rat)
	if follows {
		expected.Mul(exactly(quantity.ValueFloat64()), exactly(price.ValueFloat64()))
		expected.Sub(expected, discount)
	}
	switch {
	case isConfigured:
		amount = exactly(configured.ValueFloat64())
		if follows && !nearly(amount, expected) {
			diags.AddAttributeWarning(at.AtName("amount"), "Item amount that does not add up", fmt.Sprintf(
				"`%s` is %s. Quantity x price - discount is %s x %s%s = %s. The service decides whether it takes this order.", at.AtName("amount"), decimal(amount),
				decimal(exactly(quantity.ValueFloat64())), decimal(exactly(price.ValueFloat64())), freightAndDiscount(new(big.Rat), discount), decimal(expected)))
		}
		return amount, true, diags
	case follows && leaves["amount"].IsNull():
		return cents(expected), true, nil
	}
	return nil, false, nil
}

// decimalOrZero is a part that counts as nothing when it is omitted; known is
// false while it is not known.
func decimalOrZero(n types.Float64) (value *big.Rat, known bool) {
	if n.IsUnknown() {
		return nil, false
	}
	return exactly(n.ValueFloat64()), true
}

// exactly is the decimal number that a person wrote, not the binary fraction
// nearest to it.
func exactly(f float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'f', -1, 64))
	if !ok {
		return new(big.Rat) // Infinite, which JSON cannot say either.
	}
	return r
}

// cents rounds to the nearest cent, halves away from zero.
func cents(r *big.Rat) *big.Rat {
	rounded, _ := new(big.Rat).SetString(r.FloatString(2))
	return rounded
}

func nearly(a, b *big.Rat) bool {
	apart := new(big.Rat).Sub(a, b)
	return apart.Abs(apart).Cmp(halfACent) <= 0
}

// decimal writes an amount with as many decimals as it has, at most six.
func decimal(r *big.Rat) string {
	text := r.FloatString(6)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// sameMoney compares to a tenth of a cent: the two sides may have come through
// binary fractions.
func sameMoney(a, b float64) bool {
	return math.Abs(a-b) < 0.001
}
