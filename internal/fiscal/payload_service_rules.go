package fiscal

import (
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
		Code: "service_code_missing", About: "An NFS-e does not say which service it is for: it has none of `federalServiceCode`, `cityServiceCode` and `nationalTaxationCode`.",
		Laws: []string{"E31"}, models: nfse,
		check: func(b *body) {
			if len(missing(b.value, "federalServiceCode", "cityServiceCode", "nationalTaxationCode")) == 3 {
				b.report("federalServiceCode", "It is missing. Set it to the item of the list of services (LC 116/2003), such as \"17.01\", or `cityServiceCode` where the city reads that.")
			}
		},
	},
	{
		Code: "city_code_missing", models: nfse,
		About: "The place of an NFS-e is the company's city, that city issues in the national layout " +
			"(Rio de Janeiro, Belo Horizonte, Curitiba and Manaus, since 2026-01-01), and the payload has neither `nationalTaxationCode` nor `cityServiceCode`.",
		Source: "Resolução SMF 3.419/2026 of Rio de Janeiro; Portaria SMFA 75/2025 of Belo Horizonte; " +
			"Portaria SMF 49/2025 of Curitiba; Decreto 6.743/2025 of Manaus; NFS-e, national layout, field cTribNac",
		check: func(b *body) {
			city, national := nationalCities[cityCodeOf(objectAt(b.value, "location"))]
			day, place := b.day(), textAt(b.value, "taxLocation")
			coded := len(missing(b.value, "nationalTaxationCode", "cityServiceCode")) < 2
			if !national || coded || day != "" && day < city.from || place != "" && !strings.EqualFold(place, "companyMunicipality") {
				return
			}
			if len(missing(b.value, "federalServiceCode")) == 0 {
				b.report("nationalTaxationCode", "A company in %s needs `nationalTaxationCode` (6 digits) or `cityServiceCode`. "+
					"The data source einvoice_service_cities shows what a city needs.", city.name)
			}
		},
	},
	{
		Code: "federal_service_code", About: "`federalServiceCode` is not written as the list of LC 116/2003 has it, such as `17.01`.",
		Source: "LC 116/2003; " + sourceNotes, models: nfse,
		check: func(b *body) {
			if code := textAt(b.value, "federalServiceCode"); code != "" && !serviceCodeForm.MatchString(code) {
				b.report("federalServiceCode", "%q is not an item of the list of services, such as \"17.01\". The 6 digits of the national code belong in `nationalTaxationCode`.", code)
			}
		},
	},
	{
		Code: "national_taxation_code", About: "`nationalTaxationCode` does not have 6 digits.", Laws: []string{"E0310"}, models: nfse,
		check: func(b *body) {
			code := strings.ReplaceAll(textAt(b.value, "nationalTaxationCode"), ".", "")
			if code != "" && (len(code) != 6 || !allDigits(code)) {
				b.report("nationalTaxationCode", "%q does not have 6 digits, as \"010701\" has.", code)
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
