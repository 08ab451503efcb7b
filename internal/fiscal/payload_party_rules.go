package fiscal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

var partyChecks = map[string]func(b *body){
	"tax_number": func(b *body) {
		b.eachParty(func(at string, party map[string]any) {
			number := textAt(party, "federalTaxNumber")
			switch err := CheckTaxNumber(number); {
			case number == "":
			case WithLeadingZeros(number) != "" && !b.isAbroad(party):
				b.report(at+".federalTaxNumber", "%q lacks its leading zeros, which spreadsheets drop: it is %s.",
					number, FormatTaxNumber(WithLeadingZeros(number)))
			case err != nil:
				b.report(at+".federalTaxNumber", "%s. Correct the number.", sentence(err))
			case TaxNumberKind(number) == KindForeign && !b.isAbroad(party):
				b.report(at+".federalTaxNumber", "%q is neither a CPF (11 digits) nor a CNPJ (14 characters), "+
					"and the address is not abroad.", number)
			}
		})
		persons, _ := b.value["authorizedPersons"].([]any)
		for i, person := range persons {
			number, ok := person.(string)
			if ok && (CheckTaxNumber(number) != nil || TaxNumberKind(number) == KindForeign) {
				b.report(indexed("authorizedPersons", i), "%q is neither a CPF nor a CNPJ.", number)
			}
		}
	},
	"authorized_receiver": func(b *body) {
		persons, _ := b.value["authorizedPersons"].([]any)
		receiver := NormalizeTaxNumber(textAt(objectAt(b.value, "receiver"), "federalTaxNumber"))
		for i, person := range persons {
			if number, ok := person.(string); ok && receiver != "" && NormalizeTaxNumber(number) == receiver {
				b.report(indexed("authorizedPersons", i), "%q is the receiver, who may read the invoice anyway. Take it out.",
					number)
			}
		}
	},
	"suframa": func(b *body) {
		receiver := objectAt(b.value, "receiver")
		city := cityCodeOf(objectAt(objectAt(receiver, "address"), "city"))
		if textAt(receiver, "suframaTaxNumber") != "" && !HasSuframa(stateOf(receiver), city) {
			b.report("receiver.suframaTaxNumber", "The receiver's city is not in the area of SUFRAMA: AC, AM, RO, RR, "+
				"and Macapá and Santana in AP. Take it out, or correct the address.")
		}
	},
	"state_tax_number": eachParty(func(b *body, at string, party map[string]any) {
		number := textAt(party, "stateTaxNumber")
		digits, state := NormalizeStateTaxNumber(number), stateOf(party)
		switch {
		case number == "":
		case !ValidStateTaxNumber(number):
			b.report(at+".stateTaxNumber", "%q is neither digits nor ISENTO.", number)
		case at == "receiver" && b.model == modelNFe && !StateTaxNumberFits(state, digits):
			b.report(at+".stateTaxNumber", "%q is no registration of %s: its length or its check digits are wrong.",
				number, state)
		}
	}),
	"state_tax_number_abroad": func(b *body) {
		receiver := objectAt(b.value, "receiver")
		number, city := textAt(receiver, "stateTaxNumber"), objectAt(objectAt(receiver, "address"), "city")
		if allDigits(NormalizeStateTaxNumber(number)) && hasCityAbroad(city) {
			b.report("receiver.stateTaxNumber", "It is %q, and the receiver is abroad. Take it out.", number)
		}
	},
	"phone": eachParty(func(b *body, at string, party map[string]any) {
		phone := PhoneDigits(textAt(party, "phoneNumber"))
		if phone != "" && (!allDigits(phone) || len(phone) < 6 || len(phone) > 14) {
			b.report(at+".phoneNumber", "%q does not have 6 to 14 digits.", phone)
		}
	}),
	"email": eachParty(func(b *body, at string, party map[string]any) {
		email := textAt(party, "email")
		before, after, found := strings.Cut(email, "@")
		if email != "" && (!found || before == "" || after == "" || strings.Contains(after, "@")) {
			b.report(at+".email", "%q is not an e-mail address.", email)
		}
	}),
	"postal_code": eachParty(func(b *body, at string, party map[string]any) {
		code := NormalizePostalCode(textAt(objectAt(party, "address"), "postalCode"))
		if code != "" && !b.isAbroad(party) && (len(code) != 8 || !allDigits(code)) {
			b.report(at+".address.postalCode", "%q does not have 8 digits, as 01310-100 has.", code)
		}
	}),
	"city_code": func(b *body) {
		b.eachCity(func(at string, city map[string]any) {
			switch code := cityCodeOf(city); {
			case code == "":
			case CheckCityCode(code) != nil:
				b.report(at+".code", "%s.", sentence(CheckCityCode(code)))
			case !IsFittingCity(code):
				b.report(at+".code", "No city has the code %s: its last digit, a check digit, does not fit.", code)
			}
		})
	},
	"city_state": func(b *body) {
		b.eachCity(func(at string, city map[string]any) {
			state, code := strings.ToUpper(strings.TrimSpace(textAt(city, "state"))), cityCodeOf(city)
			switch {
			case state == "":
			case !IsState(state):
				b.report(at+".state", "%q is not the code of a state, such as SP.", state)
			case CheckCityCode(code) == nil && states[code[:2]] != "" && states[code[:2]] != state:
				b.report(at+".state", "%s is the code of a city in %s, but the state is %s. Correct one of the two.",
					code, states[code[:2]], state)
			}
		})
	},
	"receiver_missing": func(b *body) {
		if b.value["receiver"] == nil {
			b.report("receiver", "An NF-e needs a receiver, with name, tax number and address.")
		}
	},
	"receiver_incomplete": func(b *body) {
		receiver := objectAt(b.value, "receiver")
		needed := []string{"name", "federalTaxNumber", "address"}
		if b.isAbroad(receiver) {
			needed = []string{"name", "address"}
		}
		if absent := missing(receiver, needed...); receiver != nil && len(absent) > 0 {
			b.report("receiver", "An NF-e needs %s here.", strings.Join(absent, ", "))
		}
	},
	"address_incomplete": eachParty(func(b *body, at string, party map[string]any) {
		address := objectAt(party, "address")
		absent := missing(address, "street", "number", "district", "city")
		city := objectAt(address, "city")
		if city != nil && city["code"] == nil && len(missing(city, "name", "state")) > 0 && !b.isAbroad(party) {
			absent = append(absent, "`city.code`, or `city.name` and `city.state`")
		}
		if address != nil && len(absent) > 0 {
			b.report(at+".address", "The authority needs %s here.", strings.Join(absent, ", "))
		}
	}),
	"destination_abroad": func(b *body) {
		city := objectAt(objectAt(objectAt(b.value, "receiver"), "address"), "city")
		destination := textAt(b.value, "destination")
		abroad, where := hasCityAbroad(city), "in Brazil"
		if abroad {
			where = "abroad"
		}
		// A tourist buys in the shop (MOC E03a-20, E14-20).
		tourist := abroad && b.value["isFinalCustomer"] == true && strings.EqualFold(destination, "internal")
		country, _ := jsontree.Member(b.value, "receiver", "address", "country").(string)
		if abroad && IsBrazil(country) {
			b.report("receiver.address.country", "It is %q, and the receiver's city is abroad. Correct one of the two.",
				country)
			return
		}
		if city != nil && destination != "" && !tourist && abroad != strings.EqualFold(destination, "international") {
			b.report("destination", "It is %q, and the receiver's city is %s. "+
				"A city abroad has the code 9999999 and the state EX.", destination, where)
		}
	},
	"not_a_contributor": func(b *body) {
		receiver := objectAt(b.value, "receiver")
		unregistered := receiver != nil && len(missing(receiver, "stateTaxNumber")) > 0 && !b.isAbroad(receiver)
		outgoing := !strings.EqualFold(textAt(b.value, "operationType"), "incoming")
		if unregistered && outgoing && b.value["isFinalCustomer"] == false {
			b.report("isFinalCustomer", "The receiver has no `stateTaxNumber`, so it is no ICMS taxpayer: "+
				"write true. If it is one, set `receiver.stateTaxNumber`.")
		}
	},
}

// eachParty is a check of the persons and companies of a body.
func eachParty(visit func(b *body, at string, party map[string]any)) func(*body) {
	return func(b *body) { b.eachParty(func(at string, party map[string]any) { visit(b, at, party) }) }
}

// stateOf is the state of a party's address by the code of its city, or else by its name; "" for none.
func stateOf(party map[string]any) string {
	city := objectAt(objectAt(party, "address"), "city")
	if code := cityCodeOf(city); len(code) == cityCodeLength && code != cityCodeAbroad {
		return states[code[:2]]
	}
	return strings.ToUpper(strings.TrimSpace(textAt(city, "state")))
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
func cityCodeOf(city map[string]any) string { return strings.TrimSpace(codeText(city["code"])) }

// isAbroad reports whether a party is, or may be, outside Brazil.
func (b *body) isAbroad(party map[string]any) bool {
	city := objectAt(objectAt(party, "address"), "city")
	country, _ := jsontree.Member(party, "address", "country").(string)
	return hasCityAbroad(city) || country != "" && !IsBrazil(country) ||
		strings.EqualFold(textAt(b.value, "destination"), "international")
}

// IsBrazil reports whether the country of an address is Brazil.
func IsBrazil(country string) bool {
	return slices.Contains([]string{brazilCode, "bra", "brasil", "brazil"}, FoldPlace(country))
}

func hasCityAbroad(city map[string]any) bool {
	return cityCodeOf(city) == cityCodeAbroad || strings.EqualFold(strings.TrimSpace(textAt(city, "state")), "EX")
}

// sentence begins an error's text with a capital.
func sentence(err error) string {
	text := err.Error()
	return fmt.Sprint(strings.ToUpper(text[:1]), text[1:])
}
