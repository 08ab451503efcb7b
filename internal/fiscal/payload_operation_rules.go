package fiscal

import (
	"maps"
	"slices"
	"strings"
)

var operationRules = []PayloadRule{
	{
		Code: "final_customer_missing", About: "An NF-e does not say whether the receiver is the final customer.", Source: sourceNotes, models: nfe,
		check: func(b *body) {
			if b.value["isFinalCustomer"] == nil {
				b.report("isFinalCustomer", "The service asks for it: true when the receiver consumes what is sold.")
			}
		},
	},
	{
		Code: "consumer_operation", About: "An NFC-e for something other than a sale to a consumer in the same state, in the shop or with delivery.",
		Laws: []string{"706", "707", "715", "716", "717"}, models: nfce,
		check: func(b *body) {
			if b.value["isFinalCustomer"] == false {
				b.report("isFinalCustomer", "An NFC-e is for a final customer: write true.")
			}
			for _, of := range []struct {
				name  string
				words []string
			}{{"operationType", []string{"outgoing"}}, {"destination", []string{"internal"}}, {"purposeType", []string{"normal"}}, {"presenceType", []string{"presence", "delivery", "5"}}} {
				if written := textAt(b.value, of.name); written != "" && !foldedIn(written, of.words) {
					b.report(of.name, "It is %q. An NFC-e has %s.", written, strings.Join(of.words, " or "))
				}
			}
		},
	},
	{
		Code: "consumer_delivery", About: "An NFC-e with delivery has no receiver, or no address of one.", Laws: []string{"787", "788"}, models: nfce,
		check: func(b *body) {
			if strings.EqualFold(textAt(b.value, "presenceType"), "delivery") && objectAt(b.value, "receiver")["address"] == nil {
				b.report("receiver", "An NFC-e with delivery needs a receiver with an address.")
			}
		},
	},
	{
		Code: "purpose", About: "`creditType` without the purpose credit, `debitType` without the purpose debit, or such a purpose without its type.",
		Source: "NT 2025.002, group B, tpNFCredito and tpNFDebito", models: nfe,
		check: func(b *body) {
			for _, purpose := range []string{"credit", "debit"} {
				is, has := strings.EqualFold(textAt(b.value, "purposeType"), purpose), b.value[purpose+"Type"] != nil
				switch {
				case has && !is:
					b.report(purpose+"Type", "It belongs to `purposeType` %q.", purpose)
				case is && !has:
					b.report(purpose+"Type", "It is missing: `purposeType` is %q.", purpose)
				}
			}
		},
	},
	{
		Code: "complement_reference", About: "A complement does not name the one invoice that it completes.",
		Laws: []string{"254", "255"}, models: nfe,
		check: func(b *body) {
			given := b.value["referencedDocuments"]
			list, isList := given.([]any)
			if strings.EqualFold(textAt(b.value, "purposeType"), "complement") && (given == nil || isList && len(list) != 1) {
				b.report("referencedDocuments", "It has %d references. A complement names one invoice, which it completes, by its access key.", len(list))
			}
		},
	},
	{
		Code: "outside_reference", Laws: []string{"864"}, models: nfe,
		About: "An NF-e for a sale outside the establishment (`presenceType` \"5\") names no document that it refers to.",
		check: func(b *body) {
			if textAt(b.value, "presenceType") == "5" && b.value["referencedDocuments"] == nil && len(accessKeysIn(b.value, 0)) == 0 {
				b.report("referencedDocuments", "A sale outside the establishment names the document that the goods left with, by its access key.")
			}
		},
	},
	{
		Code: "reform_alone", Laws: []string{"1001"}, models: nfe,
		About: "An item of a credit or debit note, or of the receipt of a payment by a public body, has other taxes than IBS, CBS and IS.",
		check: eachItem(func(b *body, at string, item map[string]any) {
			var others []string
			for _, name := range slices.Sorted(maps.Keys(objectAt(item, "taxes"))) {
				if objectAt(item, "taxes")[name] != nil && slices.Contains(OtherTaxes, strings.ToUpper(name)) {
					others = append(others, "`"+name+"`")
				}
			}
			if b.ofReformAlone() && len(others) > 0 {
				b.report(at+".taxes", "This document is of IBS and CBS alone. Take %s out.", strings.Join(others, ", "))
			}
		}),
	},
}

func foldedIn(word string, words []string) bool {
	for _, known := range words {
		if strings.EqualFold(known, word) {
			return true
		}
	}
	return false
}
