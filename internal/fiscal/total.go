package fiscal

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

type totalPart struct {
	name string
	sign int64
	item []string
}

// totalParts are the totals that make the total of an invoice, beside that of the products: their signs, and where an
// item has its share (MOC 7.0, rule W16-10).
var totalParts = []totalPart{
	{"discountAmount", -1, []string{"discountAmount"}},
	{"freightAmount", 1, []string{"freightAmount"}},
	{"insuranceAmount", 1, []string{"insuranceAmount"}},
	{"othersAmount", 1, []string{"othersAmount"}},
	{"ipiAmount", 1, []string{"taxes", "ipi", "amount"}},
	{"icmsStAmount", 1, []string{"taxes", "icms", "stAmount"}},
	{"fcpStAmount", 1, []string{"taxes", "icms", "fcpStAmount"}},
}

// informingTotals are the totals that are in the total of the invoice already, or do not count in it.
var informingTotals = []string{
	"invoiceAmount", "productAmount", "icmsAmount", "pisAmount", "cofinsAmount", "fcpAmount", "taxesAmount",
}

// ComposedTotal is what an NF-e or NFC-e of a day adds up to (610): its totals, without DIFAL, and the sum over the
// items for one that is missing. It is not known for an import, for services, for totals and taxes that are not known
// here, and for items with IBS and CBS from 2027 on.
func ComposedTotal(payload map[string]any, day string) (*big.Rat, bool) {
	items, _ := payload["items"].([]any)
	total := objectAt(payload, "total")
	unknown := len(items) == 0 ||
		slices.ContainsFunc(items, func(item any) bool { return hasUnknownPart(item, total, day) })
	for name, value := range total {
		part := slices.ContainsFunc(totalParts, func(p totalPart) bool { return p.name == name })
		amount, ok := amountOf(value)
		named := map[string]any{name: value}
		counts := strings.HasSuffix(name, "Amount") && value != nil && (!ok || amount.Sign() != 0) &&
			!isNamed(named, "dest", "difal") && (day >= ReformInTotalFrom || !namesReform(named, 0))
		unknown = unknown || counts && !part && !slices.Contains(informingTotals, name)
	}
	if unknown {
		return nil, false
	}
	sum, known := totalOr(total, "productAmount", items, sums["productAmount"].of)
	for _, p := range totalParts {
		part, ok := totalOr(total, p.name, items, func(item any) (*big.Rat, bool) {
			value := jsontree.Member(item, p.item...)
			amount, ok := amountOf(value)
			if value == nil {
				return new(big.Rat), true
			}
			return amount, ok
		})
		if known = known && ok; known {
			sum.Add(sum, part.Mul(part, big.NewRat(p.sign, 1)))
		}
	}
	return sum, known && sum.Sign() >= 0
}

// totalOr is a total, or the sum over the items where it is missing.
func totalOr(
	total map[string]any, name string, items []any, of func(item any) (*big.Rat, bool),
) (sum *big.Rat, known bool) {
	if total[name] != nil {
		return amountOf(total[name])
	}
	return sumOf(items, of)
}

// hasUnknownPart reports whether an item may add to the total of the invoice what neither it nor the totals name.
func hasUnknownPart(item any, total map[string]any, day string) bool {
	object, _ := item.(map[string]any)
	taxes := objectAt(object, "taxes")
	icms, ipi := objectAt(taxes, "icms"), objectAt(taxes, "ipi")
	substituted := IsListed("substituted", cmp.Or(codeText(icms["cst"]), codeText(icms["csosn"])))
	return day >= ReformInTotalFrom && namesReform(object, 0) || strings.HasPrefix(cfopOf(object), "3") ||
		isService(item) || taxes["ii"] != nil ||
		hasUnknownIPI(ipi, total) || returnsIPI(item) || IsListed("st_retained", icmsCode(item)) && icms["stAmount"] != nil ||
		substituted && icms["stAmount"] == nil && total["icmsStAmount"] == nil
}

// hasUnknownIPI reports whether an IPI is not understood: one that neither the item nor the totals name, which the
// service may calculate, or one under the ten codes that have none (IPINT).
func hasUnknownIPI(ipi, total map[string]any) bool {
	if IsListed("ipi_untaxed", codeText(ipi["cst"])) {
		amount, given := amountOf(ipi["amount"])
		return given && amount.Sign() != 0
	}
	return len(ipi) > 0 && ipi["amount"] == nil && total["ipiAmount"] == nil
}
