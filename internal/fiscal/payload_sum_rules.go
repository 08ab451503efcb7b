package fiscal

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

var sumChecks = map[string]func(b *body){
	"item_total": eachItem(func(b *body, at string, item map[string]any) {
		quantity, hasQuantity := amountOf(item["quantity"])
		price, hasPrice := amountOf(item["unitAmount"])
		total, hasTotal := amountOf(item["totalAmount"])
		if !hasTotal {
			return
		}
		if hasQuantity && hasPrice && b.hasPurpose("normal") {
			if product := new(big.Rat).Mul(quantity, price); differ(product, total) {
				b.report(at+".totalAmount", "It is %s, and %s times %s is %s.",
					money(total), decimal(quantity), decimal(price), decimal(product))
			}
		}
		if discount, ok := amountOf(item["discountAmount"]); ok && discount.Cmp(total) > 0 {
			b.report(at+".discountAmount", "It is %s, more than the total of the item, %s.",
				money(discount), money(total))
		}
	}),
	"products_total": func(b *body) { b.reportSums("productAmount") },
	"item_sums": func(b *body) {
		b.reportSums("icmsBaseTax", "icmsAmount", "freightAmount", "discountAmount", "pisAmount", "cofinsAmount")
	},
	"invoice_total": func(b *body) {
		if total, sum, wrong := b.wrongTotal(); wrong && !b.wrongParts() {
			b.report("total.invoiceAmount", "It is %s, and its parts add up to %s.", money(total), money(sum))
		}
	},
	"payments_missing": func(b *body) {
		payments, isList := b.value["payments"].([]any)
		if (b.value["payments"] == nil || isList && len(payments) == 0) && b.hasPurpose("normal") {
			b.report("payments", "The authority needs the payments, "+
				"for example [{\"method\": \"pix\", \"amount\": 35.80}].")
		}
	},
	"payments_total": func(b *body) {
		payments, _ := b.value["payments"].([]any)
		paid, summed := sumOf(payments, func(payment any) (*big.Rat, bool) {
			return amountOf(jsontree.Member(payment, "amount"))
		})
		total, known := amountOf(jsontree.Member(b.value, "total", "invoiceAmount"))
		if jsontree.Member(b.value, "total", "invoiceAmount") == nil {
			total, known = b.partsSum()
		}
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
			b.report("payments", "They add up to %s, less any change, and the invoice to %s.",
				money(paid), money(total))
		}
	},
	"payment_none": eachPayment(func(b *body, at string, payment map[string]any) {
		amount, known := amountOf(payment["amount"])
		switch {
		case isMethod(payment, UnpaidMethod) && b.model == modelNFCe:
			b.report(at+".method", "An NFC-e is paid: take the method that it has.")
		case isMethod(payment, UnpaidMethod, LaterMethod) && known && amount.Sign() != 0:
			b.report(at+".amount", "It is %s, and nothing is paid now: write 0.", money(amount))
		case !isMethod(payment, UnpaidMethod) && b.model == modelNFe && b.hasPurpose("devolution", "adjustment"):
			b.report(at+".method", "Nothing is paid by a return or an adjustment: write \"90\", with the amount 0.")
		}
	}),
	"payment_other": eachPayment(func(b *body, at string, payment map[string]any) {
		if isMethod(payment, OtherMethod, "other") && !hasUnknownMember(payment) {
			b.report(at, "The method 99 (other) needs a description, in the name of the service's own reference.")
		}
	}),
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

// summands are what an item adds to the totals that are sums over the items; ok is false where
// that is not known.
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
			b.report("total."+name, "It is %s, and the items add up to %s.", money(total), money(sum))
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

// wrongTotal compares the total of the invoice with its parts.
func (b *body) wrongTotal() (total, sum *big.Rat, wrong bool) {
	total, known := amountOf(jsontree.Member(b.value, "total", "invoiceAmount"))
	sum, summed := b.partsSum()
	tolerance, _ := new(big.Rat).SetString(TotalTolerance)
	return total, sum, known && summed && apart(total, sum).Cmp(tolerance) > 0
}

// partsSum is what an invoice adds up to by its totals, else by its items. It is not known
// for an import, whose total has customs in it, for services, for totals that are not known
// here, and for items with IBS and CBS from 2027 on.
func (b *body) partsSum() (*big.Rat, bool) {
	items, _ := b.value["items"].([]any)
	total := objectAt(b.value, "total")
	for _, item := range items {
		object, _ := item.(map[string]any)
		added := b.day() >= ReformInTotalFrom && namesReform(object, 0)
		if strings.HasPrefix(cfopOf(object), "3") || isService(item) || added {
			return nil, false
		}
		for name, path := range addedByItem {
			if jsontree.Member(item, path...) != nil && total[name] == nil {
				return nil, false
			}
		}
	}
	for name := range total {
		if _, known := shapes()["goodsTotal"].members[name]; !known {
			return nil, false
		}
	}
	sum := new(big.Rat)
	if total["productAmount"] == nil {
		var summed bool
		if sum, summed = sumOf(items, summands["productAmount"]); !summed || len(items) == 0 {
			return nil, false
		}
	}
	for name, sign := range totalSigns {
		part, ok := amountOf(total[name])
		switch {
		case total[name] == nil:
			continue
		case !ok, total["productAmount"] == nil:
			return nil, false
		}
		sum.Add(sum, part.Mul(part, big.NewRat(sign, 1)))
	}
	return sum, true
}

// totalSigns say which totals make the total of an invoice more, and which less.
var totalSigns = map[string]int64{"productAmount": 1, "icmsStAmount": 1, "freightAmount": 1, "discountAmount": -1}

// addedByItem are the members of an item that change the total beside its amount, by their totals.
var addedByItem = map[string][]string{
	"discountAmount": {"discountAmount"}, "freightAmount": {"freightAmount"}, "insuranceAmount": {"insuranceAmount"},
	"othersAmount": {"othersAmount"}, "ipiAmount": {"taxes", "ipi"}, "icmsStAmount": {"taxes", "icms", "stAmount"},
}
