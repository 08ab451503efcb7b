package fiscal

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var sumChecks = map[string]func(b *body){
	"item_total": eachItem(func(b *body, at string, item map[string]any) {
		total, hasTotal := amountOf(item["totalAmount"])
		if !hasTotal {
			return
		}
		if b.hasPurpose("normal") && !b.checkPrice(at, item, "quantity", "unitAmount") {
			b.checkPrice(at, item, "quantityTax", "unitTaxAmount")
		}
		if discount, ok := amountOf(item["discountAmount"]); ok && discount.Cmp(total) > 0 {
			b.report(at+".discountAmount", "finding.item_total.discount", text.With{
				"discount": money(discount), "total": money(total),
			})
		}
	}),
	"products_total": func(b *body) { b.reportSums("productAmount") },
	"item_sums": func(b *body) {
		b.reportSums("icmsBaseTax", "icmsAmount", "freightAmount", "discountAmount", "pisAmount", "cofinsAmount")
	},
	"invoice_total": func(b *body) {
		if total, sum, wrong := b.wrongTotal(); wrong && !b.wrongParts() {
			b.report("total.invoiceAmount", "finding.invoice_total", text.With{"total": money(total), "sum": money(sum)})
		}
	},
	"payments_missing": func(b *body) {
		payments, isList := b.value["payments"].([]any)
		if (b.value["payments"] == nil || isList && len(payments) == 0) && b.hasPurpose("normal") {
			b.report("payments", "finding.payments_missing", nil)
		}
	},
	"payments_total": func(b *body) {
		payments, _ := b.value["payments"].([]any)
		paid, summed := sumOf(payments, func(payment any) (*big.Rat, bool) {
			return amountOf(jsontree.Member(payment, "amount"))
		})
		total, known := b.invoiceAmount()
		unpaid := slices.ContainsFunc(payments, func(payment any) bool {
			return isMethod(payment, UnpaidMethod, LaterMethod)
		})
		_, _, wrong := b.wrongTotal()
		judged := summed && known && !unpaid && !wrong && !b.wrongParts()
		if len(payments) == 0 || !judged || !b.hasPurpose("normal") || slices.ContainsFunc(payments, hasUnknownMember) {
			return
		}
		if change, ok := amountOf(b.value["changeAmount"]); ok {
			paid = new(big.Rat).Sub(paid, change)
		}
		if differ(paid, total) {
			b.report("payments", "finding.payments_total", text.With{"paid": money(paid), "total": money(total)})
		}
	},
	"payment_none": eachPayment(func(b *body, at string, payment map[string]any) {
		amount, known := amountOf(payment["amount"])
		switch {
		case isMethod(payment, UnpaidMethod) && b.model == modelNFCe:
			b.report(at+".method", "finding.payment_none.consumer", nil)
		case isMethod(payment, UnpaidMethod, LaterMethod) && known && amount.Sign() != 0:
			b.report(at+".amount", "finding.payment_none.amount", text.With{"amount": money(amount)})
		case !isMethod(payment, UnpaidMethod) && b.model == modelNFe && b.hasPurpose("devolution", "adjustment"):
			b.report(at+".method", "finding.payment_none.method", nil)
		}
	}),
	"payment_other": eachPayment(func(b *body, at string, payment map[string]any) {
		if isMethod(payment, OtherMethod, "other") && !hasUnknownMember(payment) {
			b.report(at, "finding.payment_other", nil)
		}
	}),
}

// checkPrice compares the total of an item with a quantity times a price, and returns whether it differs.
func (b *body) checkPrice(at string, item map[string]any, quantityName, priceName string) bool {
	total, _ := amountOf(item["totalAmount"])
	quantity, hasQuantity := amountOf(item[quantityName])
	price, hasPrice := amountOf(item[priceName])
	if !hasQuantity || !hasPrice {
		return false
	}
	product := new(big.Rat).Mul(quantity, price)
	if !differ(product, total) {
		return false
	}
	b.report(at+".totalAmount", "finding.item_total.price", text.With{
		"total": money(total), "quantity_name": quantityName, "price_name": priceName,
		"quantity": decimal(quantity), "price": decimal(price), "product": decimal(product),
	})
	return true
}

// isMethod reports whether a payment is made by one of some methods.
func isMethod(payment any, methods ...string) bool {
	return foldedIn(codeText(jsontree.Member(payment, "method")), methods)
}

// hasUnknownMember reports whether a payment has members that are not known here: the change
// that is given back, or a description, may be among them.
func hasUnknownMember(payment any) bool {
	object, _ := payment.(map[string]any)
	for name := range object {
		if _, known := shapes()["payment"].members[name]; !known {
			return true
		}
	}
	return false
}

// summands are what an item adds to the totals that are sums over the items; ok is false where that is not known.
var summands = map[string]func(item any) (part *big.Rat, ok bool){
	"productAmount": func(item any) (*big.Rat, bool) {
		if isService(item) || jsontree.Member(item, "makeupTotal") == false {
			return new(big.Rat), true // A service counts in another total.
		}
		return amountOf(jsontree.Member(item, "totalAmount"))
	},
	"freightAmount":  summand("freightAmount"),
	"discountAmount": summand("discountAmount"),
	"icmsBaseTax":    taxSummand("icms", "baseTax", AmountlessICMS, nil),
	"icmsAmount":     taxSummand("icms", "amount", AmountlessICMS, UntaxedCodes),
	"pisAmount":      taxSummand("pis", "amount", AmountlessContributions, nil),
	"cofinsAmount":   taxSummand("cofins", "amount", AmountlessContributions, nil),
}

func isService(item any) bool { return jsontree.Member(item, "taxes", "issqn") != nil }

func summand(name string) func(any) (*big.Rat, bool) {
	return func(item any) (*big.Rat, bool) {
		value := jsontree.Member(item, name)
		if value == nil && !isService(item) {
			return new(big.Rat), true
		}
		part, ok := amountOf(value)
		return part, ok && !isService(item)
	}
}

// taxSummand is a member of a tax. The service may calculate one that is missing, unless the code of the item has none.
func taxSummand(tax, name string, amountless, uncounted []string) func(any) (*big.Rat, bool) {
	return func(item any) (*big.Rat, bool) {
		group, _ := jsontree.Member(item, "taxes", tax).(map[string]any)
		code := cmp.Or(codeText(group["cst"]), codeText(group["csosn"]))
		switch {
		case isService(item), slices.Contains(uncounted, code):
			return new(big.Rat), true
		case group[name] == nil:
			return new(big.Rat), slices.Contains(amountless, code)
		case slices.Contains(amountless, code):
			return nil, false
		}
		return amountOf(group[name])
	}
}

// wrongSum compares a total with the sum over the items; wrong is false where one is not known.
func (b *body) wrongSum(name string) (total, sum *big.Rat, wrong bool) {
	total, known := amountOf(jsontree.Member(b.value, "total", name))
	items, _ := b.value["items"].([]any)
	sum, summed := sumOf(items, summands[name])
	return total, sum, known && summed && len(items) > 0 && differ(total, sum)
}

func (b *body) reportSums(names ...string) {
	for _, name := range names {
		if total, sum, wrong := b.wrongSum(name); wrong {
			b.report("total."+name, "finding.sum", text.With{"total": money(total), "sum": money(sum)})
		}
	}
}

// wrongParts reports whether a part of the total of the invoice is wrong itself.
func (b *body) wrongParts() bool {
	return slices.ContainsFunc([]string{"productAmount", "freightAmount", "discountAmount"}, func(name string) bool {
		_, _, wrong := b.wrongSum(name)
		return wrong
	})
}

// invoiceAmount is the total of the invoice: as it is given, or else what its parts add up to.
func (b *body) invoiceAmount() (*big.Rat, bool) {
	if given := jsontree.Member(b.value, "total", "invoiceAmount"); given != nil {
		return amountOf(given)
	}
	return ComposedTotal(b.value, b.day())
}

// wrongTotal compares the total of the invoice with its parts.
func (b *body) wrongTotal() (total, sum *big.Rat, wrong bool) {
	total, known := amountOf(jsontree.Member(b.value, "total", "invoiceAmount"))
	sum, summed := ComposedTotal(b.value, b.day())
	tolerance, _ := new(big.Rat).SetString(TotalTolerance)
	return total, sum, b.hasPurpose("normal") && known && summed && apart(total, sum).Cmp(tolerance) > 0
}
