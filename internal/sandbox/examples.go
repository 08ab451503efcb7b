package sandbox

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"
)

const providerNational = "national"

// cityProviders are the systems of some cities; the others have fallbackProvider.
var cityProviders = map[string]string{
	"3550308": "paulistana", "3304557": "notaCarioca", "3106200": "bhiss", "4106902": "issCuritiba",
	"4314902": "issPortoAlegre", "2927408": "notaSalvador", "5300108": "issDigitalDF", "2304400": "issFortaleza",
}

const fallbackProvider = "ginfes"

// nationalRegimes are the tax regimes for which a city has adopted the national environment. "all" leaves the city
// without a system of its own.
var nationalRegimes = map[string][]string{
	"3106200": {"mei"}, "4106902": {"mei", "simplesNacional"}, "5300108": {"simplesNacional"},
	"3304557": {"all"}, "1721000": {"all"},
}

// exampleCodes are the service codes of the examples, as cities write them.
var exampleCodes = []string{"02800", "1.07", "170100188", "6201501"}

// routesCities registers the integrated cities, whose query the specification mentions and integrations describe, and
// their payload examples.
func (s *Server) routesCities() {
	s.route("GET "+modelService.path+"/cities", anyKey, s.listCities)
	s.route("GET "+modelService.path+"/cities/{cityCode}/payload-example", anyKey, s.payloadExamples)
}

// listCities is reported: states are in upper case here, unlike everywhere else.
func (s *Server) listCities(c *call) (any, error) {
	code, state := c.filter("code"), strings.ToLower(c.filter("state"))
	docs := []object{}
	for _, listed := range municipalities {
		m, _ := municipalityByCode(listed.code)
		if code != "" && code != m.code || state != "" && state != m.state {
			continue
		}
		var regimes any
		if list, ok := nationalRegimes[m.code]; ok {
			regimes = list
		}
		docs = append(docs, object{
			"id":   uuid.NewSHA1(uuid.NameSpaceOID, []byte("city "+m.code)).String(),
			"code": m.code, "name": m.name, "state": strings.ToUpper(m.state),
			"provider":                      object{"name": cityProvider(m.code), "options": cityOptions(m.code)},
			"nationalServiceInvoiceRegimes": regimes,
		})
	}
	return c.page(docs, asStored)
}

func cityProvider(code string) string {
	switch {
	case slices.Contains(nationalRegimes[code], "all"):
		return providerNational
	case cityProviders[code] != "":
		return cityProviders[code]
	default:
		return fallbackProvider
	}
}

func cityOptions(code string) object {
	national := cityProvider(code) == providerNational
	authentication := "certificate"
	if cityProvider(code) == fallbackProvider {
		authentication = "userName"
	}
	return object{
		"rps": !national, "series": true, "batchNumber": !national, "invoiceNumber": false,
		"requiresNumberInSequence": !national, "newBatchNumberForEachAttempt": false,
		"federalServiceCode": !national, "nbsCode": national, "removeAccents": false,
		"supportsTaxReform": national, "useNationalLayout": national, "authentication": authentication,
	}
}

// payloadExamples follows the specification, Rules per endpoint. Capitals have an example, those with the national
// environment for some regimes two; other cities are served without one. Two assumptions: a city that is not served
// is a 404, and an example has the fields of an issuing body.
func (s *Server) payloadExamples(c *call) (any, error) {
	code := c.r.PathValue("cityCode")
	at := slices.IndexFunc(municipalities, func(m municipality) bool { return m.code == code })
	if at < 0 {
		return nil, notFound()
	}
	examples := []object{}
	if at < len(stateCodes) {
		if provider := cityProvider(code); provider != providerNational {
			examples = append(examples, municipalExample(provider, code, at))
		}
		if len(nationalRegimes[code]) > 0 {
			examples = append(examples, nationalExample(code))
		}
	}
	return object{"examples": examples}, nil
}

func municipalExample(provider, code string, at int) object {
	example := exampleFor(provider, code, "2026-02-18T14:21:09-03:00")
	example["federalServiceCode"] = "01.07"
	example["cityServiceCode"] = exampleCodes[at%len(exampleCodes)]
	example["taxationType"] = "taxationInMunicipality"
	if provider == fallbackProvider {
		example["cnaeCode"] = "6201501"
		example["rpsSeries"], example["rpsNumber"], example["batchNumber"] = "1", 12, 3
	}
	return example
}

func nationalExample(code string) object {
	example := exampleFor(providerNational, code, "2026-03-02T10:05:44-03:00")
	example["nationalTaxationCode"] = "010701"
	example["nbsCode"] = "115022000"
	return example
}

func exampleFor(provider, code, issuedOn string) object {
	m, _ := municipalityByCode(code)
	number, _ := cityWithNumber(object{"code": m.code, "name": m.name, "state": m.state}).(object)
	return object{
		"provider":       provider,
		"sourceIssuedOn": issuedOn,
		"description":    "Suporte técnico em informática",
		"location":       number,
		"receiver": object{
			"name": "Tomador de Exemplo Ltda", "federalTaxNumber": "45997418000153", "email": "tomador@example.com",
			"address": object{
				"street": "Rua das Flores", "number": "100", "district": "Centro", "postalCode": m.code + "0",
				"city": number, "country": "BRA",
			},
		},
		"total": object{
			"invoiceAmount": json.Number("150.00"), "issRate": json.Number("2"), "issAmount": json.Number("3.00"),
		},
	}
}
