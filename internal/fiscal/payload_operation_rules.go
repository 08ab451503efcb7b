package fiscal

import (
	"maps"
	"slices"
	"strings"
)

var operationRules = []PayloadRule{
	{
		Code: "final_customer_missing", Source: sourceNotes, models: nfe,
		About: "An NF-e does not say whether the receiver is the final customer.",
		check: func(b *body) {
			if b.value["isFinalCustomer"] == nil {
				b.report("isFinalCustomer", "The service asks for it: true when the receiver consumes what is sold.")
			}
		},
	},
	{
		Code: "consumer_operation", Laws: []string{"706", "707", "715", "716", "717"}, models: nfce,
		About: "An NFC-e for something other than a sale to a consumer in the same state, in the shop or with delivery.",
		check: func(b *body) {
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
	},
	{
		Code: "consumer_delivery", Laws: []string{"787", "788"}, models: nfce,
		About: "An NFC-e with delivery has no receiver, or no address of one.",
		check: func(b *body) {
			delivered := strings.EqualFold(textAt(b.value, "presenceType"), "delivery")
			if delivered && objectAt(b.value, "receiver")["address"] == nil {
				b.report("receiver", "An NFC-e with delivery needs a receiver with an address.")
			}
		},
	},
	{
		Code: "purpose", Laws: []string{"1009", "1139", "1163", "1164"}, models: nfe,
		About: "`creditType` without the purpose credit, `debitType` without the purpose debit, or such a purpose without its type.",
		check: func(b *body) {
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
	},
	{
		Code: "note_direction", Laws: []string{"1161", "1162"}, models: nfe,
		About: "A credit note that is not incoming, or a debit note that is not outgoing.",
		check: func(b *body) {
			written := textAt(b.value, "operationType")
			for purpose, direction := range map[string]string{"credit": "incoming", "debit": "outgoing"} {
				if b.hasPurpose(purpose) && written != "" && !strings.EqualFold(written, direction) {
					b.report("operationType", "It is %q. A %s note is %s, with a CFOP that fits.", written, purpose, direction)
				}
			}
		},
	},
	{
		Code: "complement_reference", Laws: []string{"254", "255"}, models: nfe,
		About: "A complement does not name the one invoice that it completes.",
		check: func(b *body) {
			given := b.value["referencedDocuments"]
			list, isList := given.([]any)
			if b.hasPurpose("complement") && (given == nil || isList && len(list) != 1) {
				b.report("referencedDocuments", "It has %d references. A complement names one invoice, "+
					"which it completes, by its access key.", len(list))
			}
		},
	},
	{
		Code: "outside_reference", Laws: []string{"864"}, models: nfe,
		About: "An NF-e for a sale outside the establishment (`presenceType` \"5\") names no document that it refers to.",
		check: func(b *body) {
			referring := b.value["referencedDocuments"] != nil || len(accessKeysIn(b.value, 0)) > 0
			if textAt(b.value, "presenceType") == "5" && !referring {
				b.report("referencedDocuments", "A sale outside the establishment names the document that the goods left with, "+
					"by its access key.")
			}
		},
	},
	{
		Code: "reform_alone", Laws: []string{"1001"}, models: nfe,
		About: "An item of a credit or debit note, or of the receipt of a payment by a public body, " +
			"has other taxes than IBS, CBS and IS.",
		check: eachItem(func(b *body, at string, item map[string]any) {
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
	},
}

// consumerWords are what an NFC-e may have.
var consumerWords = map[string][]string{
	"operationType": {"outgoing"}, "destination": {"internal"}, "purposeType": {"normal"},
	"presenceType": {"presence", "delivery", "5"},
}

func foldedIn(word string, words []string) bool {
	return slices.ContainsFunc(words, func(known string) bool { return strings.EqualFold(known, word) })
}
