package fiscal

import (
	"math/big"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

var sumRules = []PayloadRule{
	{
		Code: "item_total", About: "The total of an item is not its quantity times its price (in an invoice of the purpose normal), or its discount is more than its total.",
		Laws: []string{"629", "483"}, models: goods,
		check: eachItem(func(b *body, at string, item map[string]any) {
			quantity, hasQuantity := amountOf(item["quantity"])
			price, hasPrice := amountOf(item["unitAmount"])
			total, hasTotal := amountOf(item["totalAmount"])
			if !hasTotal {
				return
			}
			if hasQuantity && hasPrice && b.hasPurpose("normal") {
				if product := new(big.Rat).Mul(quantity, price); differ(product, total) {
					b.report(at+".totalAmount", "It is %s, and %s times %s is %s.", money(total), decimal(quantity), decimal(price), decimal(product))
				}
			}
			if discount, ok := amountOf(item["discountAmount"]); ok && discount.Cmp(total) > 0 {
				b.report(at+".discountAmount", "It is %s, more than the total of the item, %s.", money(discount), money(total))
			}
		}),
	},
	{
		Code: "products_total", About: "`total.productAmount` is not the sum of the items under ICMS.", Laws: []string{"564"}, models: goods,
		check: func(b *body) {
			total, known := amountOf(jsontree.Member(b.value, "total", "productAmount"))
			sum, summed := b.itemsSum()
			if known && summed && differ(total, sum) {
				b.report("total.productAmount", "It is %s, and the items add up to %s.", money(total), money(sum))
			}
		},
	},
	{
		Code: "invoice_total", About: "`total.invoiceAmount` is not what its parts add up to, as far as they are known, give or take R$ 0.50.", Laws: []string{"610"}, models: goods,
		check: func(b *body) {
			total, known := amountOf(jsontree.Member(b.value, "total", "invoiceAmount"))
			sum, summed := b.partsSum()
			tolerance, _ := new(big.Rat).SetString(TotalTolerance)
			if known && summed && apart(total, sum).Cmp(tolerance) > 0 {
				b.report("total.invoiceAmount", "It is %s, and its parts add up to %s.", money(total), money(sum))
			}
		},
	},
	{
		Code: "payments_missing", About: "An NF-e or NFC-e of the purpose normal has no payments.", Laws: []string{"769"}, models: goods,
		check: func(b *body) {
			if payments, isList := b.value["payments"].([]any); (b.value["payments"] == nil || isList && len(payments) == 0) && b.hasPurpose("normal") {
				b.report("payments", "The authority needs the payments, for example [{\"method\": \"pix\", \"amount\": 35.80}].")
			}
		},
	},
	{
		Code: "payments_total", About: "The payments, less the change, do not add up to the total of the invoice.", Laws: []string{"865", "866"}, models: goods,
		check: func(b *body) {
			payments, _ := b.value["payments"].([]any)
			paid, summed := sumOf(payments, func(payment any) (*big.Rat, bool) { return amountOf(jsontree.Member(payment, "amount")) })
			total, known := amountOf(jsontree.Member(b.value, "total", "invoiceAmount"))
			if jsontree.Member(b.value, "total", "invoiceAmount") == nil {
				total, known = b.partsSum()
			}
			unpaid := slices.ContainsFunc(payments, func(payment any) bool { return isMethod(payment, UnpaidMethod, LaterMethod) })
			if len(payments) == 0 || !summed || !known || unpaid || !b.hasPurpose("normal") || hasChange(payments) {
				return
			}
			if change, ok := amountOf(b.value["changeAmount"]); ok {
				paid = new(big.Rat).Sub(paid, change)
			}
			if differ(paid, total) {
				b.report("payments", "They add up to %s, less any change, and the invoice to %s.", money(paid), money(total))
			}
		},
	},
	{
		Code: "payment_none", Laws: []string{"871", "899", "904"}, models: goods,
		About: "A payment by the method 90 (none) in an NFC-e, one by 90 or 91 (later) with an amount, or a return or adjustment with another method than 90.",
		check: func(b *body) {
			payments, _ := b.value["payments"].([]any)
			for i, payment := range payments {
				amount, known := amountOf(jsontree.Member(payment, "amount"))
				switch at := indexed("payments", i); {
				case isMethod(payment, UnpaidMethod) && b.model == modelNFCe:
					b.report(at+".method", "An NFC-e is paid: take the method that it has.")
				case isMethod(payment, UnpaidMethod, LaterMethod) && known && amount.Sign() != 0:
					b.report(at+".amount", "It is %s, and nothing is paid now: write 0.", money(amount))
				case !isMethod(payment, UnpaidMethod) && b.model == modelNFe && b.hasPurpose("devolution", "adjustment"):
					b.report(at+".method", "Nothing is paid by a return or an adjustment: write \"90\", with the amount 0.")
				}
			}
		},
	},
	{
		Code: "payment_other", Laws: []string{"441"}, models: goods,
		About: "A payment by the method 99 (other) without a description.",
		check: func(b *body) {
			payments, _ := b.value["payments"].([]any)
			for i, payment := range payments {
				if object, _ := payment.(map[string]any); isMethod(payment, OtherMethod, "other") && !hasChange([]any{object}) {
					b.report(indexed("payments", i), "The method 99 (other) needs a description, in the name of the service's own reference.")
				}
			}
		},
	},
}

// isMethod reports whether a payment is made by one of some methods.
func isMethod(payment any, methods ...string) bool {
	return foldedIn(codeText(jsontree.Member(payment, "method")), methods)
}

// hasChange reports whether a payment has members that are not known here, which may be
// the change that is given back, or a description.
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
		case jsontree.Member(item, "taxes", "issqn") != nil: // A service counts in another total.
			return new(big.Rat), true
		case jsontree.Member(item, "makeupTotal") == false:
			return new(big.Rat), true
		}
		return amountOf(jsontree.Member(item, "totalAmount"))
	})
}

// addedTotals are the parts of a total that make it more.
var addedTotals = []string{"productAmount", "icmsStAmount", "freightAmount"}

// partsSum is what an invoice adds up to by its totals, else by its items. It is not known
// where there are parts that are not known here. An import, whose total has customs in it,
// services, and IBS and CBS from 2027 on are not judged.
func (b *body) partsSum() (*big.Rat, bool) {
	items, _ := b.value["items"].([]any)
	for _, item := range items {
		object, _ := item.(map[string]any)
		added := b.day() >= ReformInTotalFrom && namesReform(object, 0)
		if strings.HasPrefix(cfopOf(object), "3") || jsontree.Member(object, "taxes", "issqn") != nil || added {
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
