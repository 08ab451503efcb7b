package fiscal

import (
	"fmt"
	"math/big"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// checkBilling looks at the bill (fatura) and its instalments.
func (b *body) checkBilling() {
	bill := objectAt(b.value, "billing")
	original, hasOriginal := amountOf(bill["originalAmount"])
	net, hasNet := amountOf(bill["netAmount"])
	if discount := amountOrZero(bill["discountAmount"]); hasOriginal && hasNet && discount != nil {
		if rest := new(big.Rat).Sub(original, discount); differ(net, rest) {
			b.breaks("902", "billing.netAmount", "finding.billing.net", text.With{"net": money(net), "rest": money(rest)})
		}
	}
	list, _ := b.value["duplicates"].([]any)
	sum, summed := sumOf(list, func(part any) (*big.Rat, bool) { return amountOf(jsontree.Member(part, "amount")) })
	if hasNet && summed && len(list) > 0 && differ(sum, net) {
		b.breaks("851", "duplicates", "finding.billing.sum", text.With{"sum": money(sum), "net": money(net)})
	}
	day, next := b.day(), 0
	b.each("duplicates", func(at string, part map[string]any) {
		next++
		number, want := codeText(part["number"]), fmt.Sprintf("%03d", next)
		if number != want {
			b.breaks("852", at+".number", "finding.billing.number", text.With{"number": number, "want": want})
		}
		due := textAt(part, "dueDate")
		if !IsDate(due) || day == "" || due[:len(day)] > day {
			return
		}
		law := map[bool]string{true: "853", false: "900"}[due[:len(day)] == day]
		b.breaks(law, at+".dueDate", "finding.billing.due", text.With{"due": due[:len(day)], "day": day})
	})
}
