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
		if b.hasPurpose("normal") && !b.checkPrice(at, "totalAmount", item, "quantity", "unitAmount") {
			b.checkPrice(at, "totalAmount", item, "quantityTax", "unitTaxAmount")
		}
		total, hasTotal := amountOf(item["totalAmount"])
		if discount, ok := amountOf(item["discountAmount"]); ok && hasTotal && discount.Cmp(total) > 0 {
			b.report(at+".discountAmount", "finding.item_total.discount", text.With{
				"discount": money(discount), "total": money(total),
			})
		}
	}),
	"products_total": func(b *body) { b.reportSums("productAmount") },
	"item_sums": func(b *body) {
		b.reportSums("icmsBaseTax", "icmsAmount", "icmsStBaseTax", "icmsStAmount", "freightAmount", "insuranceAmount",
			"discountAmount", "ipiAmount", "pisAmount", "cofinsAmount", "othersAmount")
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
	"payment_incomplete": eachPayment(func(b *body, at string, payment map[string]any) {
		absent := missing(payment, "method", "amount")
		if amount, ok := amountOf(payment["amount"]); ok && amount.Sign() < 0 {
			absent = append(absent, "`amount`")
		}
		if len(absent) > 0 {
			b.report(at, "finding.incomplete", text.With{"absent": absent})
		}
	}),
	"payments_total": func(b *body) {
		payments, _ := b.value["payments"].([]any)
		paid, summed := sumOf(payments, func(payment any) (*big.Rat, bool) {
			return amountOf(jsontree.Member(payment, "amount"))
		})
		total, known := b.invoiceAmount()
		unpaid := slices.ContainsFunc(payments, func(payment any) bool {
			return isMethod(payment, UnpaidMethod, NoPayment, LaterMethod)
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
		case isMethod(payment, UnpaidMethod, NoPayment) && b.model == modelNFCe:
			b.report(at+".method", "finding.payment_none.consumer", nil)
		case isMethod(payment, UnpaidMethod, NoPayment, LaterMethod) && known && amount.Sign() != 0:
			b.report(at+".amount", "finding.payment_none.amount", text.With{"amount": money(amount)})
		case !isMethod(payment, UnpaidMethod, NoPayment) && b.model == modelNFe && b.hasPurpose("devolution", "adjustment"):
			b.report(at+".method", "finding.payment_none.method", nil)
		}
	}),
	"payment_card": eachPayment(func(b *body, at string, payment map[string]any) {
		if isMethod(payment, "creditCard", "debitCard", "03", "04") && payment["card"] == nil && !hasUnknownMember(payment) {
			b.report(at, "finding.payment_card", nil)
		}
	}),
	"billing": (*body).checkBilling,
	"payment_other": eachPayment(func(b *body, at string, payment map[string]any) {
		if isMethod(payment, OtherMethod, "other") && !hasUnknownMember(payment) {
			b.report(at, "finding.payment_other", nil)
		}
	}),
}

// checkPrice compares a total with a quantity times a price, and returns whether it differs.
func (b *body) checkPrice(at, totalName string, item map[string]any, quantityName, priceName string) bool {
	total, hasTotal := amountOf(item[totalName])
	quantity, hasQuantity := amountOf(item[quantityName])
	price, hasPrice := amountOf(item[priceName])
	if !hasTotal || !hasQuantity || !hasPrice {
		return false
	}
	product := new(big.Rat).Mul(quantity, price)
	if !differ(product, total) {
		return false
	}
	b.report(at+"."+totalName, "finding.item_total.price", text.With{
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

// sums are the totals that are sums over the items, by name: the rejection, and what an item adds; ok is false where
// that is not known.
var sums = map[string]struct {
	law string
	of  func(item any) (part *big.Rat, ok bool)
}{
	"productAmount": {"564", func(item any) (*big.Rat, bool) {
		if isService(item) || jsontree.Member(item, "makeupTotal") == false {
			return new(big.Rat), true // A service counts in another total.
		}
		return amountOf(jsontree.Member(item, "totalAmount"))
	}},
	"freightAmount":   {"535", summand("freightAmount")},
	"insuranceAmount": {"536", summand("insuranceAmount")},
	"discountAmount":  {"537", summand("discountAmount")},
	"othersAmount":    {"604", summand("othersAmount")},
	"icmsBaseTax":     {"531", taxSummand("icms", "baseTax", "")},
	"icmsAmount":      {"532", taxSummand("icms", "amount", "icms_untaxed")},
	"icmsStBaseTax":   {"533", stSummand("base")},
	"icmsStAmount":    {"534", stSummand("amount")},
	"pisAmount":       {"602", taxSummand("pis", "amount", "")},
	"cofinsAmount":    {"603", taxSummand("cofins", "amount", "")},
	"ipiAmount": {"538", func(item any) (*big.Rat, bool) {
		ipi, _ := jsontree.Member(item, "taxes", "ipi").(map[string]any)
		switch {
		case returnsIPI(item):
			return nil, false
		case len(ipi) == 0, ipi["amount"] == nil && IsListed("ipi_untaxed", codeText(ipi["cst"])):
			return new(big.Rat), true
		}
		return amountOf(ipi["amount"])
	}},
}

// stSummand is the base or the amount of the ICMS of substitution. What was withheld before does not count.
func stSummand(member string) func(any) (*big.Rat, bool) {
	return func(item any) (*big.Rat, bool) {
		icms, _ := jsontree.Member(item, "taxes", "icms").(map[string]any)
		code := icmsCode(item)
		for _, name := range stMembers[member] {
			if icms[name] != nil {
				amount, ok := amountOf(icms[name])
				return amount, ok && !IsListed("st_retained", code)
			}
		}
		return new(big.Rat), isService(item) || IsListed("without_st", code)
	}
}

// returnsIPI reports whether an item may have an IPI that is given back (vIPIDevol), whose name is not known.
func returnsIPI(item any) bool {
	object, _ := item.(map[string]any)
	taxes := objectAt(object, "taxes")
	return isNamed(object, "return", "devol") || isNamed(taxes, "return", "devol") ||
		isNamed(objectAt(taxes, "ipi"), "return", "devol")
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
// The codes of a list do not count.
func taxSummand(tax, name, uncounted string) func(any) (*big.Rat, bool) {
	return func(item any) (*big.Rat, bool) {
		group, _ := jsontree.Member(item, "taxes", tax).(map[string]any)
		code := cmp.Or(codeText(group["cst"]), codeText(group["csosn"]))
		amountless := IsListed("contribution_amountless", code)
		if tax == "icms" {
			amountless = IsListed("icms_amountless", code)
		}
		switch {
		case isService(item), IsListed(uncounted, code):
			return new(big.Rat), true
		case group[name] == nil:
			return new(big.Rat), amountless
		}
		amount, ok := amountOf(group[name])
		return amount, ok && !amountless
	}
}

// wrongSum compares a total with the sum over the items; wrong is false where one is not known.
func (b *body) wrongSum(name string) (total, sum *big.Rat, wrong bool) {
	total, known := amountOf(jsontree.Member(b.value, "total", name))
	items, _ := b.value["items"].([]any)
	if !known || len(items) == 0 || sums[name].of == nil {
		return nil, nil, false
	}
	sum, summed := sumOf(items, sums[name].of)
	return total, sum, summed && differ(total, sum)
}

func (b *body) reportSums(names ...string) {
	for _, name := range names {
		if total, sum, wrong := b.wrongSum(name); wrong {
			b.breaks(sums[name].law, "total."+name, "finding.sum", text.With{"total": money(total), "sum": money(sum)})
		}
	}
}

// wrongParts reports whether a part of the total of the invoice is wrong itself.
func (b *body) wrongParts() bool {
	_, _, wrong := b.wrongSum("productAmount")
	return wrong || slices.ContainsFunc(totalParts, func(p totalPart) bool {
		_, _, wrong := b.wrongSum(p.name)
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
