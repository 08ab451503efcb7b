package fiscal

import (
	"math/big"
	"regexp"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var serviceCodeForm = regexp.MustCompile(`^[0-9]{1,2}\.[0-9]{2}$`)

var serviceChecks = map[string]func(b *body){
	"service_incomplete": func(b *body) {
		absent := missing(b.value, "description", "total")
		if total, ok := b.value["total"].(map[string]any); ok && total["invoiceAmount"] == nil {
			absent = append(absent, "`total.invoiceAmount`")
		}
		if len(absent) > 0 {
			b.report("", "finding.service_incomplete", text.With{"absent": absent})
		}
	},
	"service_amount": func(b *body) {
		if total, ok := amountOf(jsontree.Member(b.value, "total", "invoiceAmount")); ok && total.Sign() <= 0 {
			b.report("total.invoiceAmount", "finding.service_amount.total", text.With{"total": money(total)})
		} else if ok {
			for _, name := range []string{"deductionsAmount", "discountUnconditionedAmount"} {
				part, given := amountOf(jsontree.Member(b.value, "total", name))
				if given && part.Cmp(total) > 0 {
					b.report("total."+name, "finding.service_amount.part", text.With{"part": money(part), "total": money(total)})
				}
			}
		}
	},
	"iss_rate": func(b *body) {
		rate, ok := amountOf(jsontree.Member(b.value, "total", "issRate"))
		if ok && rate.Cmp(big.NewRat(MaximumISSRate, 1)) > 0 {
			b.report("total.issRate", "finding.iss_rate", text.With{"rate": decimal(rate), "limit": MaximumISSRate})
		}
	},
	"service_sums": func(b *body) {
		total := objectAt(b.value, "total")
		price, hasPrice := amountOf(total["invoiceAmount"])
		discount, base := amountOrZero(total["discountUnconditionedAmount"]), amountOrZero(total["issBaseTax"])
		if !hasPrice || discount == nil {
			return
		}
		iss := amountOrZero(total["issAmount"])
		reduced := jsontree.Member(b.value, "national", "municipalBenefit") != nil
		if iss != nil && iss.Sign() > 0 && !reduced {
			b.checkProduct("", "total.issAmount", total["issBaseTax"], total["issRate"], total["issAmount"])
		}
		least := new(big.Rat).Sub(price, discount)
		if deductions := amountOrZero(total["deductionsAmount"]); deductions != nil && base != nil {
			most := new(big.Rat).Sub(least, deductions)
			if most.Sign() >= 0 && base.Cmp(most) > 0 && differ(base, most) {
				b.report("total.issBaseTax", "finding.service_sums.base", text.With{"base": money(base), "most": money(most)})
			}
		}
		net, hasNet := amountOf(total["netAmount"])
		withheld, known := withheldOf(total)
		if !hasNet || !known {
			return
		}
		least.Sub(least, withheld)
		other := new(big.Rat).Sub(least, amountOrZero(total["discountConditionedAmount"]))
		if differ(net, least) && differ(net, other) {
			b.report("total.netAmount", "finding.service_sums.net", text.With{"net": money(net), "sum": money(least)})
		}
	},
	"service_code_missing": func(b *body) {
		if len(missing(b.value, "federalServiceCode", "cityServiceCode", "nationalTaxationCode")) == 3 {
			b.report("federalServiceCode", "finding.service_code_missing", nil)
		}
	},
	"city_code_missing": func(b *body) {
		city, national := nationalCities[cityCodeOf(objectAt(b.value, "location"))]
		day, place := b.day(), textAt(b.value, "taxLocation")
		coded := len(missing(b.value, "nationalTaxationCode", "cityServiceCode")) < 2
		elsewhere := place != "" && !strings.EqualFold(place, "companyMunicipality")
		early := day != "" && day < city.from
		if national && !coded && !elsewhere && !early && textAt(b.value, "federalServiceCode") != "" {
			b.report("nationalTaxationCode", "finding.city_code_missing", text.With{"city": city.name})
		}
	},
	"federal_service_code": func(b *body) {
		switch code := textAt(b.value, "federalServiceCode"); {
		case code == "":
		case !serviceCodeForm.MatchString(code):
			b.report("federalServiceCode", "finding.federal_service_code.form", text.With{"code": code})
		case !IsListedService(code):
			b.report("federalServiceCode", "finding.federal_service_code.unlisted", text.With{"code": code})
		}
	},
	"national_taxation_code": func(b *body) {
		switch code := strings.ReplaceAll(textAt(b.value, "nationalTaxationCode"), ".", ""); {
		case code == "":
		case len(code) != 6 || !allDigits(code):
			b.report("nationalTaxationCode", "finding.national_taxation_code.form", text.With{"code": code})
		case !IsListedService(code[:2] + "." + code[2:4]):
			b.report("nationalTaxationCode", "finding.national_taxation_code.unlisted", text.With{"code": code})
		}
	},
	"nbs_code": func(b *body) {
		code := strings.ReplaceAll(textAt(b.value, "nbsCode"), ".", "")
		if code != "" && (len(code) != 9 || !allDigits(code)) {
			b.report("nbsCode", "finding.nbs_code", text.With{"code": code})
		}
	},
}

// withheldOf adds up what is withheld; known is false where the fields do not say it of each tax.
func withheldOf(total map[string]any) (sum *big.Rat, known bool) {
	others, conditioned := amountOrZero(total["othersAmount"]), amountOrZero(total["discountConditionedAmount"])
	sum, known = new(big.Rat), others != nil && others.Sign() == 0 && conditioned != nil
	for _, tax := range lists()["withheld"] {
		amount, isGiven := amountOf(total[tax+"Amount"])
		isWithheld, isTold := total[tax+"Withheld"].(bool)
		switch {
		case isWithheld && isGiven:
			sum.Add(sum, amount)
		case isWithheld, !isTold && isGiven && amount.Sign() != 0, !isTold && total[tax+"Withheld"] != nil:
			known = false
		}
	}
	return sum, known
}

// amountOrZero is an amount, 0 where there is none, and nil where it is not understood.
func amountOrZero(value any) *big.Rat {
	if value == nil {
		return new(big.Rat)
	}
	amount, _ := amountOf(value)
	return amount
}
