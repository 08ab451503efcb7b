package fiscal

import (
	"math/big"
	"regexp"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

var serviceCodeForm = regexp.MustCompile(`^[0-9]{1,2}\.[0-9]{2}$`)

var serviceRules = []PayloadRule{
	{
		Code: "service_incomplete", About: "An NFS-e has no `description` or no `total.invoiceAmount`.", Source: sourceNotes, models: nfse,
		check: func(b *body) {
			absent := missing(b.value, "description", "total")
			if total, ok := b.value["total"].(map[string]any); ok && total["invoiceAmount"] == nil {
				absent = append(absent, "`total.invoiceAmount`")
			}
			if len(absent) > 0 {
				b.report("", "The service needs %s.", strings.Join(absent, " and "))
			}
		},
	},
	{
		Code: "service_amount", About: "The amount of an NFS-e is not more than zero.", Laws: []string{"E18"}, models: nfse,
		check: func(b *body) {
			if total, ok := amountOf(jsontree.Member(b.value, "total", "invoiceAmount")); ok && total.Sign() <= 0 {
				b.report("total.invoiceAmount", "It is %s. A service has an amount of more than zero.", money(total))
			}
		},
	},
	{
		Code: "iss_rate", About: "The rate of the ISS is more than 5 %, the most that the law allows.", Laws: []string{"E0595"}, models: nfse,
		check: func(b *body) {
			rate, ok := amountOf(jsontree.Member(b.value, "total", "issRate"))
			if ok && rate.Cmp(big.NewRat(MaximumISSRate, 1)) > 0 {
				b.report("total.issRate", "It is %s %%. The law allows %d %% at most (LC 116/2003).", decimal(rate), MaximumISSRate)
			}
		},
	},
	{
		Code: "service_code_missing", Laws: []string{"E31"}, models: nfse,
		About: "An NFS-e does not say which service it is for: it has none of `federalServiceCode`, `cityServiceCode` " +
			"and `nationalTaxationCode`.",
		check: func(b *body) {
			if len(missing(b.value, "federalServiceCode", "cityServiceCode", "nationalTaxationCode")) == 3 {
				b.report("federalServiceCode", "It is missing. Set it to the item of the list of services (LC 116/2003), "+
					"such as \"17.01\", or `cityServiceCode` where the city reads that.")
			}
		},
	},
	{
		Code: "city_code_missing", models: nfse,
		About: "The place of an NFS-e is the company's city, that city issues in the national layout " +
			"(Rio de Janeiro, Belo Horizonte, Curitiba and Manaus, since 2026-01-01), " +
			"and the payload has neither `nationalTaxationCode` nor `cityServiceCode`.",
		Source: "Resolução SMF 3.419/2026 of Rio de Janeiro; Portaria SMFA 75/2025 of Belo Horizonte; " +
			"Portaria SMF 49/2025 of Curitiba; Decreto 6.743/2025 of Manaus; NFS-e, national layout, field cTribNac",
		check: func(b *body) {
			city, national := nationalCities[cityCodeOf(objectAt(b.value, "location"))]
			day, place := b.day(), textAt(b.value, "taxLocation")
			coded := len(missing(b.value, "nationalTaxationCode", "cityServiceCode")) < 2
			elsewhere := place != "" && !strings.EqualFold(place, "companyMunicipality")
			if !national || coded || elsewhere || day != "" && day < city.from || len(missing(b.value, "federalServiceCode")) > 0 {
				return
			}
			b.report("nationalTaxationCode", "A company in %s needs `nationalTaxationCode` (6 digits) or `cityServiceCode`. "+
				"The data source einvoice_service_cities shows what a city needs.", city.name)
		},
	},
	{
		Code: "federal_service_code", Laws: []string{"E30"}, Source: "LC 116/2003; " + sourceNotes, models: nfse,
		About: "`federalServiceCode` is not written as the list of LC 116/2003 has it, such as `17.01`, or is not in that list.",
		check: func(b *body) {
			switch code := textAt(b.value, "federalServiceCode"); {
			case code == "":
			case !serviceCodeForm.MatchString(code):
				b.report("federalServiceCode", "%q is not an item of the list of services, such as \"17.01\". "+
					"The 6 digits of the national code belong in `nationalTaxationCode`.", code)
			case !IsListedService(code):
				b.report("federalServiceCode", "The list of services (LC 116/2003) has no item %s.", code)
			}
		},
	},
	{
		Code: "national_taxation_code", Laws: []string{"E0310"}, models: nfse,
		About: "`nationalTaxationCode` does not have 6 digits, or does not begin with an item of LC 116/2003.",
		check: func(b *body) {
			switch code := strings.ReplaceAll(textAt(b.value, "nationalTaxationCode"), ".", ""); {
			case code == "":
			case len(code) != 6 || !allDigits(code):
				b.report("nationalTaxationCode", "%q does not have 6 digits, as \"010701\" has.", code)
			case !IsListedService(code[:2] + "." + code[2:4]):
				b.report("nationalTaxationCode", "%q begins with no item of the list of services (LC 116/2003).", code)
			}
		},
	},
	{
		Code: "nbs_code", About: "`nbsCode` does not have 9 digits.", Source: "NFS-e, national layout, field cNBS", models: nfse,
		check: func(b *body) {
			code := strings.ReplaceAll(textAt(b.value, "nbsCode"), ".", "")
			if code != "" && (len(code) != 9 || !allDigits(code)) {
				b.report("nbsCode", "%q does not have 9 digits, as \"115022000\" has.", code)
			}
		},
	},
}
