package fiscal

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

var partyRules = []PayloadRule{
	{
		Code: "tax_number", About: "A CPF or CNPJ with wrong check digits, or a number in Brazil that is neither.",
		Laws: []string{"208", "237", "E47"}, Source: "MOC 7.0, Anexo I, rules F02-10, G02-10, GA02-10; NT 2026.004 for the alphanumeric CNPJ",
		check: func(b *body) {
			b.eachParty(func(at string, party map[string]any) {
				number := textAt(party, "federalTaxNumber")
				switch err := CheckTaxNumber(number); {
				case number == "":
				case WithLeadingZeros(number) != "" && !b.isAbroad(party):
					b.report(at+".federalTaxNumber", "%q lacks its leading zeros, which spreadsheets drop: it is %s.", number, FormatTaxNumber(WithLeadingZeros(number)))
				case err != nil:
					b.report(at+".federalTaxNumber", "%s. Correct the number.", sentence(err))
				case TaxNumberKind(number) == KindForeign && !b.isAbroad(party):
					b.report(at+".federalTaxNumber", "%q is neither a CPF (11 digits) nor a CNPJ (14 characters), and the address is not abroad.", number)
				}
			})
			persons, _ := b.value["authorizedPersons"].([]any)
			for i, person := range persons {
				if number, ok := person.(string); ok && (CheckTaxNumber(number) != nil || TaxNumberKind(number) == KindForeign) {
					b.report(indexed("authorizedPersons", i), "%q is neither a CPF nor a CNPJ.", number)
				}
			}
		},
	},
	{
		Code: "state_tax_number", About: "A state registration (inscrição estadual) that is neither digits nor `ISENTO`.",
		Laws: []string{"210"}, Source: "specification of the service, Customer",
		check: func(b *body) {
			b.eachParty(func(at string, party map[string]any) {
				if number := textAt(party, "stateTaxNumber"); number != "" && !ValidStateTaxNumber(number) {
					b.report(at+".stateTaxNumber", "%q is neither digits nor ISENTO.", number)
				}
			})
		},
	},
	{
		Code: "phone", About: "A phone that does not have 6 to 14 digits.", Source: "MOC 7.0, Anexo I, field E16",
		check: func(b *body) {
			b.eachParty(func(at string, party map[string]any) {
				phone := PhoneDigits(textAt(party, "phoneNumber"))
				if phone != "" && (!allDigits(phone) || len(phone) < 6 || len(phone) > 14) {
					b.report(at+".phoneNumber", "%q does not have 6 to 14 digits.", phone)
				}
			})
		},
	},
	{
		Code: "email", About: "An e-mail address without `@`, or with several.", Source: sourceNotes,
		check: func(b *body) {
			b.eachParty(func(at string, party map[string]any) {
				email := textAt(party, "email")
				if email != "" && (strings.Count(email, "@") != 1 || strings.HasPrefix(email, "@") || strings.HasSuffix(email, "@")) {
					b.report(at+".email", "%q is not an e-mail address.", email)
				}
			})
		},
	},
	{
		Code: "postal_code", About: "A postal code in Brazil that does not have 8 digits.", Source: "MOC 7.0, Anexo I, field E13; NFS-e, rule E0240",
		check: func(b *body) {
			b.eachParty(func(at string, party map[string]any) {
				code := NormalizePostalCode(textAt(objectAt(party, "address"), "postalCode"))
				if code != "" && !b.isAbroad(party) && (len(code) != 8 || !allDigits(code)) {
					b.report(at+".address.postalCode", "%q does not have 8 digits, as 01310-100 has.", code)
				}
			})
		},
	},
	{
		Code: "city_code", About: "A municipal code that does not have 7 digits, begins with no state's code, or has a wrong check digit.", Laws: []string{"274"}, Source: "MOC 7.0, Anexo I, rules F07-20, G07-20",
		check: func(b *body) {
			b.eachCity(func(at string, city map[string]any) {
				switch code := cityCodeOf(city); {
				case code == "" || code == cityCodeAbroad:
				case CheckCityCode(code) != nil:
					b.report(at+".code", "%s.", sentence(CheckCityCode(code)))
				case !isFittingCity(code):
					b.report(at+".code", "No city has the code %s: its last digit, a check digit, does not fit the others.", code)
				}
			})
		},
	},
	{
		Code: "city_state", About: "A state that does not exist, or that is not the state of the municipal code.", Laws: []string{"275"}, Source: "MOC 7.0, Anexo I, rules F07-30, G07-30",
		check: func(b *body) {
			b.eachCity(func(at string, city map[string]any) {
				state, code := strings.ToUpper(textAt(city, "state")), cityCodeOf(city)
				switch {
				case state == "":
				case !IsState(state):
					b.report(at+".state", "%q is not the code of a state, such as SP.", state)
				case CheckCityCode(code) == nil && states[code[:2]] != "" && states[code[:2]] != strings.TrimSpace(state):
					b.report(at+".state", "The code %s is that of a city in %s, but the state is %s. Correct one of the two.", code, states[code[:2]], state)
				}
			})
		},
	},
	{
		Code: "receiver_missing", About: "An NF-e has no receiver.", Laws: []string{"719"}, models: nfe,
		check: func(b *body) {
			if b.value["receiver"] == nil {
				b.report("receiver", "An NF-e needs a receiver, with name, tax number and address.")
			}
		},
	},
	{
		Code: "receiver_incomplete", About: "The receiver of an NF-e has no name, tax number or address.", Laws: []string{"724", "726"}, models: nfe,
		check: func(b *body) {
			receiver := objectAt(b.value, "receiver")
			needed := []string{"name", "federalTaxNumber", "address"}
			if b.isAbroad(receiver) {
				needed = []string{"name", "address"}
			}
			if absent := missing(receiver, needed...); receiver != nil && len(absent) > 0 {
				b.report("receiver", "An NF-e needs %s here.", strings.Join(absent, ", "))
			}
		},
	},
	{
		Code: "address_incomplete", About: "An address of an NF-e or NFC-e is not whole.", Source: "MOC 7.0, Anexo I, fields E06 to E12 (rejection 225)", models: goods,
		check: func(b *body) {
			b.eachParty(func(at string, party map[string]any) {
				address := objectAt(party, "address")
				if address == nil {
					return
				}
				absent := missing(address, "street", "number", "district", "city")
				if city := objectAt(address, "city"); city != nil && city["code"] == nil && len(missing(city, "name", "state")) > 0 && !b.isAbroad(party) {
					absent = append(absent, "`city.code`, or `city.name` and `city.state`")
				}
				if len(absent) > 0 {
					b.report(at+".address", "The authority needs %s here.", strings.Join(absent, ", "))
				}
			})
		},
	},
	{
		Code: "destination_abroad", About: "`destination` is international and the receiver is in Brazil, or the other way round.",
		Laws: []string{"520"}, Source: "MOC 7.0, Anexo I, rules E12-10 (727), E03a-20, E14-20", models: nfe,
		check: func(b *body) {
			receiver, destination := objectAt(b.value, "receiver"), textAt(b.value, "destination")
			city := objectAt(objectAt(receiver, "address"), "city")
			if city == nil || destination == "" {
				return
			}
			abroad := hasCityAbroad(city)
			if abroad && b.value["isFinalCustomer"] == true && strings.EqualFold(destination, "internal") {
				return // A tourist in the shop (MOC E03a-20, E14-20).
			}
			if abroad != strings.EqualFold(destination, "international") {
				where := map[bool]string{true: "abroad", false: "in Brazil"}[abroad]
				b.report("destination", "It is %q, and the receiver's city is %s. A city abroad has the code 9999999 and the state EX.", destination, where)
			}
		},
	},
	{
		Code: "not_a_contributor", Laws: []string{"696"}, models: nfe,
		About: "The receiver of an outgoing NF-e in Brazil has no state registration and is not the final customer.",
		check: func(b *body) {
			receiver := objectAt(b.value, "receiver")
			outgoing := !strings.EqualFold(textAt(b.value, "operationType"), "incoming")
			if receiver != nil && len(missing(receiver, "stateTaxNumber")) > 0 && b.value["isFinalCustomer"] == false && outgoing && !b.isAbroad(receiver) {
				b.report("isFinalCustomer", "The receiver has no `stateTaxNumber`, so it is no contributor of ICMS: write true. "+
					"If it is one, set `receiver.stateTaxNumber`.")
			}
		},
	},
}

// eachParty visits the persons and companies of a body, in the order of their names.
func (b *body) eachParty(visit func(path string, party map[string]any)) {
	for _, name := range partyMembers {
		known := shapeOf(b.model).members[name]
		if party := objectAt(b.value, name); party != nil && known.of != nil {
			visit(name, party)
		}
	}
}

// eachCity visits the cities of addresses, and the place of a service.
func (b *body) eachCity(visit func(path string, city map[string]any)) {
	b.eachParty(func(at string, party map[string]any) {
		if city := objectAt(objectAt(party, "address"), "city"); city != nil {
			visit(at+".address.city", city)
		}
	})
	if location := objectAt(b.value, "location"); location != nil && b.model == modelNFSe {
		visit("location", location)
	}
}

// cityCodeOf is a municipal code, as digits.
func cityCodeOf(city map[string]any) string {
	switch code := city["code"].(type) {
	case string:
		return strings.TrimSpace(code)
	case json.Number:
		return code.String()
	}
	return ""
}

// isAbroad tells that a party is, or may be, outside Brazil.
func (b *body) isAbroad(party map[string]any) bool {
	city := objectAt(objectAt(party, "address"), "city")
	country, _ := jsontree.Member(party, "address", "country").(string)
	inBrazil := country == "" || country == brazilCode || strings.EqualFold(country, brazil) || FoldPlace(country) == "brasil" || FoldPlace(country) == "brazil"
	return hasCityAbroad(city) || !inBrazil || strings.EqualFold(textAt(b.value, "destination"), "international")
}

func hasCityAbroad(city map[string]any) bool {
	return cityCodeOf(city) == cityCodeAbroad || strings.EqualFold(strings.TrimSpace(textAt(city, "state")), "EX")
}

// sentence begins an error's text with a capital.
func sentence(err error) string {
	text := err.Error()
	return fmt.Sprint(strings.ToUpper(text[:1]), text[1:])
}
