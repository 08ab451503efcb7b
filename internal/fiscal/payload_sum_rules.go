package fiscal

import (
	"math/big"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

var sumRules = []PayloadRule{
	{
		Code: "item_total", Severity: SeverityWarning, About: "The total of an item is not its quantity times its price, or its discount is more than its total.",
		Source: "MOC 7.0, Anexo I, rules I11-10 (629), I17-10 (483)", models: goods,
		check: eachItem(func(_ *body, at string, item map[string]any, report func(string, string, ...any)) {
			quantity, hasQuantity := amountOf(item["quantity"])
			price, hasPrice := amountOf(item["unitAmount"])
			total, hasTotal := amountOf(item["totalAmount"])
			if !hasTotal {
				return
			}
			if hasQuantity && hasPrice {
				if product := new(big.Rat).Mul(quantity, price); differ(product, total) {
					report(at+".totalAmount", "It is %s, and %s times %s is %s.", money(total), decimal(quantity), decimal(price), decimal(product))
				}
			}
			if discount, ok := amountOf(item["discountAmount"]); ok && discount.Cmp(total) > 0 {
				report(at+".discountAmount", "It is %s, more than the total of the item, %s.", money(discount), money(total))
			}
		}),
	},
	{
		Code: "products_total", Severity: SeverityWarning, About: "`total.productAmount` is not the sum of the items.", Source: "MOC 7.0, Anexo I, rule W07-10 (564)", models: goods,
		check: func(b *body, report func(string, string, ...any)) {
			total, known := amountOf(jsontree.Member(b.value, "total", "productAmount"))
			sum, summed := b.itemsSum()
			if known && summed && differ(total, sum) {
				report("total.productAmount", "It is %s, and the items add up to %s.", money(total), money(sum))
			}
		},
	},
	{
		Code: "invoice_total", Severity: SeverityWarning, About: "`total.invoiceAmount` is not what its parts add up to, as far as they are known.", Source: "MOC 7.0, Anexo I, rule W16-10 (610)", models: goods,
		check: func(b *body, report func(string, string, ...any)) {
			total, known := amountOf(jsontree.Member(b.value, "total", "invoiceAmount"))
			sum, summed := b.partsSum()
			if known && summed && differ(total, sum) {
				report("total.invoiceAmount", "It is %s, and its parts add up to %s.", money(total), money(sum))
			}
		},
	},
	{
		Code: "payments_missing", Severity: SeverityWarning, About: "An NF-e or NFC-e has no payments.", Source: "MOC 7.0, Anexo I, rule YA01-20 (769)", models: goods,
		check: func(b *body, report func(string, string, ...any)) {
			if payments, isList := b.value["payments"].([]any); b.value["payments"] == nil || isList && len(payments) == 0 {
				report("payments", "The authority needs the payments, for example [{\"method\": \"pix\", \"amount\": 35.80}].")
			}
		},
	},
	{
		Code: "payments_total", Severity: SeverityWarning, About: "The payments, less the change, do not add up to the total of the invoice.", Source: "MOC 7.0, Anexo I, rules YA03-10 (865), YA03-20 (866); NT 2025.001", models: goods,
		check: func(b *body, report func(string, string, ...any)) {
			payments, _ := b.value["payments"].([]any)
			paid, summed := sumOf(payments, func(payment any) (*big.Rat, bool) { return amountOf(jsontree.Member(payment, "amount")) })
			total, known := amountOf(jsontree.Member(b.value, "total", "invoiceAmount"))
			if jsontree.Member(b.value, "total", "invoiceAmount") == nil {
				total, known = b.partsSum()
			}
			purpose := textAt(b.value, "purposeType")
			if len(payments) == 0 || !summed || !known || foldedIn(purpose, []string{"devolution", "adjustment"}) || hasChange(payments) {
				return
			}
			if change, ok := amountOf(b.value["changeAmount"]); ok {
				paid = new(big.Rat).Sub(paid, change)
			}
			if differ(paid, total) {
				report("payments", "They add up to %s, less any change, and the invoice to %s.", money(paid), money(total))
			}
		},
	},
}

// hasChange tells that a payment has members that are not known here, which may be
// the change that is given back.
func hasChange(payments []any) bool {
	for _, payment := range payments {
		object, _ := payment.(map[string]any)
		for name := range object {
			if _, known := paymentShape.members[name]; !known {
				return true
			}
		}
	}
	return false
}

// itemsSum is what the items add up to, without those that do not count.
func (b *body) itemsSum() (*big.Rat, bool) {
	items, ok := b.value["items"].([]any)
	if !ok || len(items) == 0 {
		return nil, false
	}
	return sumOf(items, func(item any) (*big.Rat, bool) {
		switch {
		case jsontree.Member(item, "taxes", "issqn") != nil:
			return nil, false // A service counts in another total.
		case jsontree.Member(item, "makeupTotal") == false:
			return new(big.Rat), true
		}
		return amountOf(jsontree.Member(item, "totalAmount"))
	})
}

// addedTotals are the parts of a total that make it more.
var addedTotals = []string{"productAmount", "icmsStAmount", "freightAmount"}

// partsSum is what an invoice adds up to by its totals, else by its items. It is
// not known where there are parts that are not known here, and not judged for an
// import, whose total has customs in it.
func (b *body) partsSum() (*big.Rat, bool) {
	items, _ := b.value["items"].([]any)
	for _, item := range items {
		object, _ := item.(map[string]any)
		if strings.HasPrefix(cfopOf(object), "3") {
			return nil, false
		}
	}
	total := objectAt(b.value, "total")
	for name := range total {
		if _, known := goodsTotalShape.members[name]; !known {
			return nil, false
		}
	}
	if total["productAmount"] == nil {
		for _, item := range items {
			for _, more := range [][]string{{"discountAmount"}, {"freightAmount"}, {"insuranceAmount"}, {"othersAmount"}, {"taxes", "ipi"}, {"taxes", "icms", "stAmount"}} {
				if jsontree.Member(item, more...) != nil {
					return nil, false
				}
			}
		}
		if total["discountAmount"] != nil || total["freightAmount"] != nil || total["icmsStAmount"] != nil {
			return nil, false
		}
		return b.itemsSum()
	}
	sum := new(big.Rat)
	for _, name := range addedTotals {
		part, ok := amountOf(total[name])
		if !ok && total[name] != nil {
			return nil, false
		}
		if ok {
			sum.Add(sum, part)
		}
	}
	discount, ok := amountOf(total["discountAmount"])
	if !ok && total["discountAmount"] != nil {
		return nil, false
	}
	if ok {
		sum.Sub(sum, discount)
	}
	return sum, true
}
