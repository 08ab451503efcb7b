package fiscal

import (
	"cmp"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var partyChecks = map[string]func(b *body){
	"tax_number": func(b *body) {
		b.eachParty(func(at string, party map[string]any) {
			number := textAt(party, "federalTaxNumber")
			switch err := CheckTaxNumber(number); {
			case number == "":
			case WithLeadingZeros(number) != "" && !b.isAbroad(party):
				b.report(at+".federalTaxNumber", "finding.tax_number.zeros", text.With{
					"number": number, "padded": FormatTaxNumber(WithLeadingZeros(number)),
				})
			case err != nil:
				b.report(at+".federalTaxNumber", "finding.tax_number.wrong", text.With{"problem": err})
			case TaxNumberKind(number) == KindForeign && !b.isAbroad(party):
				b.report(at+".federalTaxNumber", "finding.tax_number.neither", text.With{"number": number})
			}
		})
		persons, _ := b.value["authorizedPersons"].([]any)
		for i, person := range persons {
			number, ok := person.(string)
			if ok && (CheckTaxNumber(number) != nil || TaxNumberKind(number) == KindForeign) {
				b.report(indexed("authorizedPersons", i), "finding.tax_number.person", text.With{"number": number})
			}
		}
	},
	"authorized_receiver": func(b *body) {
		persons, _ := b.value["authorizedPersons"].([]any)
		receiver := NormalizeTaxNumber(textAt(objectAt(b.value, "receiver"), "federalTaxNumber"))
		for i, person := range persons {
			if number, ok := person.(string); ok && receiver != "" && NormalizeTaxNumber(number) == receiver {
				b.report(indexed("authorizedPersons", i), "finding.authorized_receiver", text.With{"number": number})
			}
		}
	},
	"suframa": func(b *body) {
		receiver := objectAt(b.value, "receiver")
		city := cityCodeOf(objectAt(objectAt(receiver, "address"), "city"))
		switch number := textAt(receiver, "suframaTaxNumber"); {
		case number == "":
		case !validSuframa(number):
			b.breaks("235", "receiver.suframaTaxNumber", "finding.suframa.number", text.With{"number": number})
		case !hasSuframa(stateOf(receiver), city):
			b.breaks("251", "receiver.suframaTaxNumber", "finding.suframa", nil)
		}
	},
	"exempt_receiver": func(b *body) {
		receiver := objectAt(b.value, "receiver")
		items, _ := b.value["items"].([]any)
		spared := slices.ContainsFunc(items, func(item any) bool {
			return IsListed("exempt_codes", icmsCode(item)) || hasST(item)
		})
		sold := b.hasPurpose("normal") && !strings.EqualFold(textAt(b.value, "operationType"), "incoming")
		isExempt := NormalizeStateTaxNumber(textAt(receiver, "stateTaxNumber")) == exempt
		if state := stateOf(receiver); isExempt && IsListed("exempt_states", state) && sold && !spared {
			b.report("receiver.stateTaxNumber", "finding.exempt_receiver", text.With{"state": state})
		}
	},
	"state_tax_number": eachParty(func(b *body, at string, party map[string]any) {
		number := textAt(party, "stateTaxNumber")
		digits, state := NormalizeStateTaxNumber(number), stateOf(party)
		switch {
		case number == "":
		case !ValidStateTaxNumber(number):
			b.report(at+".stateTaxNumber", "finding.state_tax_number.form", text.With{"number": number})
		case at == "receiver" && b.model == modelNFe && !StateTaxNumberFits(state, digits):
			b.report(at+".stateTaxNumber", "finding.state_tax_number.digits", text.With{"number": number, "state": state})
		}
	}),
	"state_tax_number_abroad": func(b *body) {
		receiver := objectAt(b.value, "receiver")
		number, city := textAt(receiver, "stateTaxNumber"), objectAt(objectAt(receiver, "address"), "city")
		law := map[bool]string{true: "790", false: "792"}[NormalizeStateTaxNumber(number) == exempt]
		if number != "" && ValidStateTaxNumber(number) && hasCityAbroad(city) {
			b.breaks(law, "receiver.stateTaxNumber", "finding.state_tax_number_abroad", text.With{"number": number})
		}
	},
	"phone": eachParty(func(b *body, at string, party map[string]any) {
		phone := PhoneDigits(textAt(party, "phoneNumber"))
		if phone != "" && (!allDigits(phone) || len(phone) < 6 || len(phone) > 14) {
			b.report(at+".phoneNumber", "finding.phone", text.With{"phone": phone})
		}
	}),
	"email": eachParty(func(b *body, at string, party map[string]any) {
		email := textAt(party, "email")
		before, after, found := strings.Cut(email, "@")
		if email != "" && (!found || before == "" || strings.ContainsAny(email, " \t\n") ||
			after == "" || strings.Contains(after, "@")) {
			b.report(at+".email", "finding.email", text.With{"email": email})
		}
	}),
	"postal_code": eachParty(func(b *body, at string, party map[string]any) {
		code := NormalizePostalCode(textAt(objectAt(party, "address"), "postalCode"))
		if code != "" && !b.isAbroad(party) && !IsPostalCode(code) {
			b.report(at+".address.postalCode", "finding.postal_code", text.With{"code": code})
		}
	}),
	"city_code": func(b *body) {
		b.eachCity(func(at string, city map[string]any) {
			code := cityCodeOf(city)
			switch err := CheckCityCode(code); {
			case code == "":
			case err != nil:
				b.report(at+".code", "finding.city_code.wrong", text.With{"problem": err})
			case !IsFittingCity(code):
				b.report(at+".code", "finding.city_code.digit", text.With{"code": code})
			}
		})
	},
	"city_state": func(b *body) {
		b.eachCity(func(at string, city map[string]any) {
			state, code := strings.ToUpper(strings.TrimSpace(textAt(city, "state"))), cityCodeOf(city)
			switch {
			case state == "":
			case !IsState(state):
				b.report(at+".state", "finding.city_state.unknown", text.With{"state": state})
			case CheckCityCode(code) == nil && states[code[:2]] != "" && states[code[:2]] != state:
				law := map[bool]string{true: "509"}[state == "EX" && at == "receiver.address.city"]
				in := states[code[:2]]
				b.breaks(law, at+".state", "finding.city_state.other", text.With{"code": code, "in": in, "state": state})
			}
		})
	},
	"receiver_missing": func(b *body) {
		if b.value["receiver"] == nil {
			b.report("receiver", "finding.receiver_missing", nil)
		}
	},
	"receiver_incomplete": func(b *body) {
		receiver := objectAt(b.value, "receiver")
		needed := []string{"name", "federalTaxNumber", "address"}
		if b.isAbroad(receiver) {
			needed = []string{"name", "address"}
		}
		if absent := missing(receiver, needed...); receiver != nil && len(absent) > 0 {
			b.report("receiver", "finding.receiver_incomplete", text.With{"absent": absent})
		}
	},
	"address_incomplete": eachParty(func(b *body, at string, party map[string]any) {
		address := objectAt(party, "address")
		absent := missing(address, "street", "number", "district", "city")
		city := objectAt(address, "city")
		isNameless := city != nil && city["code"] == nil && len(missing(city, "name", "state")) > 0 && !b.isAbroad(party)
		if address != nil && (len(absent) > 0 || isNameless) {
			b.report(at+".address", "finding.incomplete", text.With{"absent": absent, "lacks_city": isNameless})
		}
	}),
	"destination_abroad": func(b *body) {
		receiver := objectAt(b.value, "receiver")
		city := objectAt(objectAt(receiver, "address"), "city")
		destination := textAt(b.value, "destination")
		abroad := hasCityAbroad(city)
		// A tourist buys in the shop (MOC E03a-20, E14-20).
		tourist := abroad && b.value["isFinalCustomer"] == true && strings.EqualFold(destination, "internal")
		country, _ := jsontree.Member(b.value, "receiver", "address", "country").(string)
		if abroad && IsBrazil(country) {
			b.report("receiver.address.country", "finding.destination_abroad.country", text.With{"country": country})
			return
		}
		if city != nil && destination != "" && !tourist && abroad != strings.EqualFold(destination, "international") {
			b.report("destination", "finding.destination_abroad", text.With{"destination": destination, "is_abroad": abroad})
		}
		number, presence := textAt(receiver, "federalTaxNumber"), textAt(b.value, "presenceType")
		if abroad && !tourist && TaxNumberKind(number) == KindCNPJ && CheckTaxNumber(number) == nil {
			b.breaks("720", "receiver.federalTaxNumber", "finding.destination_abroad.number", text.With{"number": number})
		}
		if tourist && foldedIn(presence, lists()["remote"]) {
			b.breaks("722", "presenceType", "finding.destination_abroad.presence", text.With{"presence": presence})
		}
	},
	"destination_state": func(b *body) {
		destination, goTo := textAt(b.value, "destination"), b.goodsState()
		fuel := false // It has exceptions (MOC E12-30 to E12-60).
		b.each("items", func(_ string, item map[string]any) { fuel = fuel || strings.HasSuffix(cfopOf(item), "667") })
		if b.state == "" || goTo == "" || goTo == "EX" || fuel {
			return
		}
		with := text.With{"destination": destination, "to": goTo, "from": b.state}
		switch stays := goTo == b.state; {
		case stays && strings.EqualFold(destination, "interstate"):
			b.breaks("772", "destination", "finding.destination_state", with)
		case !stays && strings.EqualFold(destination, "internal") && b.value["isFinalCustomer"] == false:
			b.breaks("773", "destination", "finding.destination_state", with)
		}
	},
	"not_a_contributor": func(b *body) {
		receiver := objectAt(b.value, "receiver")
		unregistered := receiver != nil && len(missing(receiver, "stateTaxNumber")) > 0 && !b.isAbroad(receiver)
		outgoing := !strings.EqualFold(textAt(b.value, "operationType"), "incoming")
		if unregistered && outgoing && b.value["isFinalCustomer"] == false {
			b.report("isFinalCustomer", "finding.not_a_contributor", nil)
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
	return StateOfCity(cityCodeOf(city), textAt(city, "state"))
}

// StateOfCity is the state of a municipal code, or else the named one in upper case; "" for none.
func StateOfCity(code, state string) string {
	if len(code) == cityCodeLength && code != cityCodeAbroad {
		return states[code[:2]]
	}
	return strings.ToUpper(strings.TrimSpace(state))
}

// goodsState is the state that the goods go to: of their delivery, or else of the receiver. A pickup makes it unknown.
func (b *body) goodsState() string {
	if b.value["pickup"] != nil {
		return ""
	}
	return cmp.Or(stateOf(objectAt(b.value, "delivery")), stateOf(objectAt(b.value, "receiver")))
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

// IsBrazil reports whether the name or the code of a country is Brazil's.
func IsBrazil(country string) bool {
	return slices.Contains([]string{brazilCode, "bra", "brasil", "brazil"}, FoldPlace(country))
}

func hasCityAbroad(city map[string]any) bool {
	return cityCodeOf(city) == cityCodeAbroad || strings.EqualFold(strings.TrimSpace(textAt(city, "state")), "EX")
}
