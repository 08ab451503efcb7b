package fiscal

import (
	"math/big"
	"regexp"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

var serviceCodeForm = regexp.MustCompile(`^[0-9]{1,2}\.[0-9]{2}$`)

var serviceChecks = map[string]func(b *body){
	"service_incomplete": func(b *body) {
		absent := missing(b.value, "description", "total")
		if total, ok := b.value["total"].(map[string]any); ok && total["invoiceAmount"] == nil {
			absent = append(absent, "`total.invoiceAmount`")
		}
		if len(absent) > 0 {
			b.report("", "The service needs %s.", strings.Join(absent, " and "))
		}
	},
	"service_amount": func(b *body) {
		if total, ok := amountOf(jsontree.Member(b.value, "total", "invoiceAmount")); ok && total.Sign() <= 0 {
			b.report("total.invoiceAmount", "It is %s. It must be more than zero.", money(total))
		} else if ok {
			for _, name := range []string{"deductionsAmount", "discountUnconditionedAmount"} {
				part, given := amountOf(jsontree.Member(b.value, "total", name))
				if given && part.Cmp(total) > 0 {
					b.report("total."+name, "It is %s, more than the amount of the service, %s.", money(part), money(total))
				}
			}
		}
	},
	"iss_rate": func(b *body) {
		rate, ok := amountOf(jsontree.Member(b.value, "total", "issRate"))
		if ok && rate.Cmp(big.NewRat(MaximumISSRate, 1)) > 0 {
			b.report("total.issRate", "It is %s %%. The law allows %d %% at most (LC 116/2003).",
				decimal(rate), MaximumISSRate)
		}
	},
	"service_code_missing": func(b *body) {
		if len(missing(b.value, "federalServiceCode", "cityServiceCode", "nationalTaxationCode")) == 3 {
			b.report("federalServiceCode", "It is missing. Set it to the item of the list of services (LC 116/2003), "+
				"such as \"17.01\", or set `cityServiceCode` if the city uses its own codes.")
		}
	},
	"city_code_missing": func(b *body) {
		city, national := nationalCities[cityCodeOf(objectAt(b.value, "location"))]
		day, place := b.day(), textAt(b.value, "taxLocation")
		coded := len(missing(b.value, "nationalTaxationCode", "cityServiceCode")) < 2
		elsewhere := place != "" && !strings.EqualFold(place, "companyMunicipality")
		early := day != "" && day < city.from
		if national && !coded && !elsewhere && !early && textAt(b.value, "federalServiceCode") != "" {
			b.report("nationalTaxationCode", "A company in %s needs `nationalTaxationCode` (6 digits) or "+
				"`cityServiceCode`. The data source einvoice_service_cities shows what a city needs.", city.name)
		}
	},
	"federal_service_code": func(b *body) {
		switch code := textAt(b.value, "federalServiceCode"); {
		case code == "":
		case !serviceCodeForm.MatchString(code):
			b.report("federalServiceCode", "%q is not an item of the list of services, such as \"17.01\". "+
				"The 6 digits of the national code belong in `nationalTaxationCode`.", code)
		case !IsListedService(code):
			b.report("federalServiceCode", "The list of services (LC 116/2003) has no item %s.", code)
		}
	},
	"national_taxation_code": func(b *body) {
		switch code := strings.ReplaceAll(textAt(b.value, "nationalTaxationCode"), ".", ""); {
		case code == "":
		case len(code) != 6 || !allDigits(code):
			b.report("nationalTaxationCode", "%q does not have 6 digits, as \"010701\" has.", code)
		case !IsListedService(code[:2] + "." + code[2:4]):
			b.report("nationalTaxationCode", "%q begins with no item of the list of services (LC 116/2003).", code)
		}
	},
	"nbs_code": func(b *body) {
		code := strings.ReplaceAll(textAt(b.value, "nbsCode"), ".", "")
		if code != "" && (len(code) != 9 || !allDigits(code)) {
			b.report("nbsCode", "%q does not have 9 digits, as \"115022000\" has.", code)
		}
	},
}
