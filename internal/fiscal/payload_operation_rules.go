package fiscal

import (
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var operationChecks = map[string]func(b *body){
	"final_customer_missing": func(b *body) {
		if b.value["isFinalCustomer"] == nil {
			b.report("isFinalCustomer", "finding.final_customer_missing", nil)
		}
	},
	"nature_missing": func(b *body) {
		if b.value["operationNature"] == nil {
			b.report("operationNature", "finding.nature_missing", nil)
		}
	},
	"presence_missing": func(b *body) {
		if len(missing(b.value, "presenceType")) > 0 {
			b.report("presenceType", "finding.presence_missing", nil)
		}
	},
	"number_form": func(b *body) {
		if number := codeText(b.value["number"]); number != "" && !numberForm.MatchString(number) {
			b.report("number", "finding.number_form", text.With{"number": number})
		}
	},
	"series_form": func(b *body) {
		if series := codeText(b.value["series"]); series != "" && !seriesForm.MatchString(series) {
			b.report("series", "finding.series_form", text.With{"series": series})
		}
	},
	"consumer_operation": func(b *body) {
		if b.value["isFinalCustomer"] == false {
			b.report("isFinalCustomer", "finding.consumer_operation.customer", nil)
		}
		if list, isList := b.value["referencedDocuments"].([]any); isList && len(list) > 0 {
			b.report("referencedDocuments", "finding.consumer_operation.reference", nil)
		}
		for _, name := range slices.Sorted(maps.Keys(consumerWords)) {
			words := consumerWords[name]
			if written := textAt(b.value, name); written != "" && !foldedIn(written, words) {
				b.report(name, "finding.consumer_operation.word", text.With{"written": written, "words": words})
			}
		}
	},
	"consumer_delivery": func(b *body) {
		delivered := strings.EqualFold(textAt(b.value, "presenceType"), "delivery")
		if delivered && objectAt(b.value, "receiver")["address"] == nil {
			b.report("receiver", "finding.consumer_delivery", nil)
		}
	},
	"consumer_receiver": func(b *body) {
		receiver := objectAt(b.value, "receiver")
		if textAt(receiver, "suframaTaxNumber") != "" {
			b.report("receiver.suframaTaxNumber", "finding.consumer_receiver.suframa", nil)
		}
		if allDigits(NormalizeStateTaxNumber(textAt(receiver, "stateTaxNumber"))) {
			b.breaks("789", "receiver.stateTaxNumber", "finding.consumer_receiver.registration", nil)
		}
		amount, known := b.invoiceAmount()
		limit, _ := new(big.Rat).SetString(UnidentifiedLimit)
		named := textAt(receiver, "federalTaxNumber") != "" || b.isAbroad(receiver)
		if known && !named && amount.Cmp(limit) > 0 {
			b.report("receiver.federalTaxNumber", "finding.consumer_receiver.missing", nil)
		}
	},
	"purpose": func(b *body) {
		for _, purpose := range []string{"credit", "debit"} {
			member, isNote := purpose+"Type", b.hasPurpose(purpose)
			switch given := b.value[member] != nil; {
			case given && !isNote:
				b.report(member, "finding.purpose.other", text.With{"purpose": purpose})
			case isNote && !given:
				b.report(member, "finding.purpose.missing", text.With{"purpose": purpose})
			}
		}
	},
	"note_direction": func(b *body) {
		written := textAt(b.value, "operationType")
		for purpose, direction := range map[string]string{"credit": "incoming", "debit": "outgoing"} {
			if b.hasPurpose(purpose) && written != "" && !strings.EqualFold(written, direction) {
				b.report("operationType", "finding.note_direction", text.With{
					"written": written, "purpose": purpose, "direction": direction,
				})
			}
		}
	},
	"complement_reference": func(b *body) {
		given := b.value["referencedDocuments"]
		list, isList := given.([]any)
		if b.hasPurpose("complement") && (given == nil || isList && len(list) != 1) {
			b.report("referencedDocuments", "finding.complement_reference", text.With{"count": len(list)})
		}
	},
	RuleReturnOrigin: (*body).checkReturn,
	"access_key":     (*body).checkAccessKeys,
	"outside_reference": func(b *body) {
		if b.value["referencedDocuments"] != nil || len(accessKeysIn(b.value, 0)) > 0 {
			return
		}
		if textAt(b.value, "presenceType") == "5" {
			b.report("referencedDocuments", "finding.outside_reference.sale", nil)
		}
		b.each("items", func(at string, item map[string]any) {
			if cfop := cfopOf(item); IsListed("receipt_cfops", cfop) {
				b.report(at+".cfop", "finding.outside_reference.receipt", text.With{"cfop": cfop})
			}
		})
	},
	"reform_alone": eachItem(func(b *body, at string, item map[string]any) {
		taxes := objectAt(item, "taxes")
		var others []string
		for _, name := range slices.Sorted(maps.Keys(taxes)) {
			if taxes[name] != nil && IsListed("other_taxes", strings.ToUpper(name)) {
				others = append(others, "`"+name+"`")
			}
		}
		if b.ofReformAlone() && len(others) > 0 {
			b.report(at+".taxes", "finding.reform_alone", text.With{"taxes": others})
		}
	}),
}

// numberForm and seriesForm are TNF and TSerie of the layout.
var (
	numberForm = regexp.MustCompile(`^[1-9][0-9]{0,8}$`)
	seriesForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,2})$`)
)

// consumerWords are what an NFC-e may have.
var consumerWords = map[string][]string{
	"operationType": {"outgoing"}, "destination": {"internal"}, "purposeType": {"normal"},
	"presenceType": {"presence", "delivery", "5"},
}

func foldedIn(word string, words []string) bool {
	return slices.ContainsFunc(words, func(known string) bool { return strings.EqualFold(known, word) })
}
