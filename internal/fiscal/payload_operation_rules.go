package fiscal

import (
	"maps"
	"slices"
	"strings"
)

var operationChecks = map[string]func(b *body){
	"final_customer_missing": func(b *body) {
		if b.value["isFinalCustomer"] == nil {
			b.report("isFinalCustomer", "The service asks for it: true when the receiver consumes what is sold.")
		}
	},
	"consumer_operation": func(b *body) {
		if b.value["isFinalCustomer"] == false {
			b.report("isFinalCustomer", "An NFC-e is for a final customer: write true.")
		}
		for _, name := range slices.Sorted(maps.Keys(consumerWords)) {
			words := consumerWords[name]
			if written := textAt(b.value, name); written != "" && !foldedIn(written, words) {
				b.report(name, "It is %q. An NFC-e has %s.", written, strings.Join(words, " or "))
			}
		}
	},
	"consumer_delivery": func(b *body) {
		delivered := strings.EqualFold(textAt(b.value, "presenceType"), "delivery")
		if delivered && objectAt(b.value, "receiver")["address"] == nil {
			b.report("receiver", "An NFC-e with delivery needs a receiver with an address.")
		}
	},
	"purpose": func(b *body) {
		for _, purpose := range []string{"credit", "debit"} {
			member, isNote := purpose+"Type", b.hasPurpose(purpose)
			switch given := b.value[member] != nil; {
			case given && !isNote:
				b.report(member, "It belongs to `purposeType` %q.", purpose)
			case isNote && !given:
				b.report(member, "It is missing: `purposeType` is %q.", purpose)
			}
		}
	},
	"note_direction": func(b *body) {
		written := textAt(b.value, "operationType")
		for purpose, direction := range map[string]string{"credit": "incoming", "debit": "outgoing"} {
			if b.hasPurpose(purpose) && written != "" && !strings.EqualFold(written, direction) {
				b.report("operationType", "It is %q. A %s note is %s, with a CFOP that fits.",
					written, purpose, direction)
			}
		}
	},
	"complement_reference": func(b *body) {
		given := b.value["referencedDocuments"]
		list, isList := given.([]any)
		if b.hasPurpose("complement") && (given == nil || isList && len(list) != 1) {
			b.report("referencedDocuments", "It has %d references. A complement names one invoice, "+
				"which it completes, by its access key.", len(list))
		}
	},
	"outside_reference": func(b *body) {
		referring := b.value["referencedDocuments"] != nil || len(accessKeysIn(b.value, 0)) > 0
		if textAt(b.value, "presenceType") == "5" && !referring {
			b.report("referencedDocuments", "A sale outside the establishment names the document "+
				"that the goods left with, by its access key.")
		}
	},
	"reform_alone": eachItem(func(b *body, at string, item map[string]any) {
		taxes := objectAt(item, "taxes")
		var others []string
		for _, name := range slices.Sorted(maps.Keys(taxes)) {
			if taxes[name] != nil && slices.Contains(OtherTaxes, strings.ToUpper(name)) {
				others = append(others, "`"+name+"`")
			}
		}
		if b.ofReformAlone() && len(others) > 0 {
			b.report(at+".taxes", "This document is of IBS and CBS alone. Take %s out.", strings.Join(others, ", "))
		}
	}),
}

// consumerWords are what an NFC-e may have.
var consumerWords = map[string][]string{
	"operationType": {"outgoing"}, "destination": {"internal"}, "purposeType": {"normal"},
	"presenceType": {"presence", "delivery", "5"},
}

func foldedIn(word string, words []string) bool {
	return slices.ContainsFunc(words, func(known string) bool { return strings.EqualFold(known, word) })
}
