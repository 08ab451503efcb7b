package fiscal

import (
	"maps"
	"math/big"
	"slices"
	"strings"
)

var operationChecks = map[string]func(b *body){
	"final_customer_missing": func(b *body) {
		if b.value["isFinalCustomer"] == nil {
			b.report("isFinalCustomer", "The service requires it. It is true if the receiver uses the goods itself.")
		}
	},
	"consumer_operation": func(b *body) {
		if b.value["isFinalCustomer"] == false {
			b.report("isFinalCustomer", "An NFC-e is for a final customer: write true.")
		}
		if list, isList := b.value["referencedDocuments"].([]any); isList && len(list) > 0 {
			b.report("referencedDocuments", "An NFC-e refers to no other document. Take it out, or issue an NF-e.")
		}
		for _, name := range slices.Sorted(maps.Keys(consumerWords)) {
			words := consumerWords[name]
			if written := textAt(b.value, name); written != "" && !foldedIn(written, words) {
				b.report(name, "It is %q. An NFC-e needs \"%s\".", written, strings.Join(words, "\" or \""))
			}
		}
	},
	"consumer_delivery": func(b *body) {
		delivered := strings.EqualFold(textAt(b.value, "presenceType"), "delivery")
		if delivered && objectAt(b.value, "receiver")["address"] == nil {
			b.report("receiver", "An NFC-e with delivery needs a receiver with an address.")
		}
	},
	"consumer_receiver": func(b *body) {
		receiver := objectAt(b.value, "receiver")
		if textAt(receiver, "suframaTaxNumber") != "" {
			b.report("receiver.suframaTaxNumber", "An NFC-e has no SUFRAMA registration. Take it out, or issue an NF-e.")
		}
		amount, known := b.invoiceAmount()
		limit, _ := new(big.Rat).SetString(UnidentifiedLimit)
		named := textAt(receiver, "federalTaxNumber") != "" || b.isAbroad(receiver)
		if known && !named && amount.Cmp(limit) > 0 {
			b.report("receiver.federalTaxNumber", "It is missing. An NFC-e above R$ %s names the CPF or CNPJ of the receiver.",
				money(limit))
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
		if b.value["referencedDocuments"] != nil || len(accessKeysIn(b.value, 0)) > 0 {
			return
		}
		if textAt(b.value, "presenceType") == "5" {
			b.report("referencedDocuments", "A sale outside the establishment names the document "+
				"that the goods left with, by its access key.")
		}
		b.each("items", func(at string, item map[string]any) {
			if cfop := cfopOf(item); IsReceiptCFOP(cfop) {
				b.report(at+".cfop", "%s records the sale of another document. Name that in `referencedDocuments`, "+
					"by its access key.", cfop)
			}
		})
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
