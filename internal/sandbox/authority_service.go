package sandbox

import (
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// serviceForm is how federalServiceCode writes an item of the list of services; some cities add two digits.
var serviceForm = regexp.MustCompile(`^([0-9]{1,2}\.[0-9]{2})(\.[0-9]{2})?$`)

func isListed(code string) bool {
	item := serviceForm.FindStringSubmatch(code)
	return item != nil && fiscal.IsListedService(item[1])
}

// serviceRules are the rules of a city, or of the national environment, about a service invoice.
var serviceRules = byLaw{
	{"E44", true, "CNPJ do prestador inválido", when(func(p *presented) bool {
		return !validTaxNumber(text(p.company, "federalTaxNumber"))
	})},
	{"E47", true, "CPF/CNPJ do tomador inválido", when(func(p *presented) bool {
		return isWrong(p.receiver, isCPF) || isWrong(p.receiver, isCNPJ)
	})},
	{"E52", true, "O tomador do serviço é o próprio prestador", when(func(p *presented) bool {
		return text(p.receiver, "federalTaxNumber") == text(p.company, "federalTaxNumber")
	})},
	{"E16", true, "A data de emissão é posterior à data de hoje", when(func(p *presented) bool {
		return p.emission.In(localZone).Format("20060102") > p.at.In(localZone).Format("20060102")
	})},
	{"E18", true, "O valor dos serviços deve ser superior a R$ 0,00", when(func(p *presented) bool {
		return decimal(p.doc["amount"]).Sign() <= 0
	})},
	{"E21", false, "O valor dos descontos é superior ao valor dos serviços", exceeds("discountUnconditionedAmount")},
	{"E19", false, "O valor das deduções é superior ao valor dos serviços", exceeds("deductionsAmount")},
	{
		"E31", false, "Item da lista de serviço não informado para a operação: " +
			"federalServiceCode, ou cityServiceCode da prefeitura",
		when(func(p *presented) bool {
			// The service knows which of them the city reads.
			return !p.nationwide() && text(p.doc, "federalServiceCode") == "" && text(p.doc, "cityServiceCode") == "" &&
				text(p.doc, "nationalTaxationCode") == ""
		}),
	},
	{
		"E30", false, "Item da lista de serviço inexistente; federalServiceCode é o da LC 116/2003, por exemplo 17.01",
		when(func(p *presented) bool {
			code := text(p.doc, "federalServiceCode")
			return !p.nationwide() && code != "" && !isListed(code)
		}),
	},
	{
		"E0310", false, "O código de tributação nacional não foi informado: nationalTaxationCode ou cityServiceCode",
		when(func(p *presented) bool {
			return p.nationwide() && text(p.doc, "nationalTaxationCode") == "" && text(p.doc, "cityServiceCode") == ""
		}),
	},
	{
		"E0310", false, "O código de tributação nacional não existe: nationalTaxationCode, com 6 dígitos",
		when(func(p *presented) bool {
			code := text(p.doc, "nationalTaxationCode")
			listed := sixDigits.MatchString(code) && fiscal.IsListedService(code[:2]+"."+code[2:4])
			return p.nationwide() && code != "" && !listed
		}),
	},
	{"E0595", false, "A alíquota do ISS passa de 5%", when(func(p *presented) bool {
		return decimal(part(p.payload, "total")["issRate"]).Cmp(big.NewRat(fiscal.MaximumISSRate, 1)) > 0
	})},
}

// exceeds is the predicate of a part of the total that is more than the total.
func exceeds(name string) func(*presented) (string, bool) {
	return when(func(p *presented) bool {
		value := decimal(part(p.payload, "total")[name])
		return value.Sign() > 0 && value.Cmp(decimal(p.doc["amount"])) > 0
	})
}

// nationwide reports whether the invoice goes to the national environment: by the settings, by the provider that its
// payload has from an example, or because the issuer's city has no system of its own. A city that has adopted it for
// some regimes alone keeps its own here.
func (p *presented) nationwide() bool {
	if strings.EqualFold(text(p.settings, "issueType"), "annfs") || text(p.payload, "provider") == providerNational {
		return true
	}
	code := written(part(part(p.company, "address"), "city")["code"])
	return slices.Contains(nationalRegimes[code], "all")
}
