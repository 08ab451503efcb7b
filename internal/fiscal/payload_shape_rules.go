package fiscal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

const notAnObject = "not_an_object"

// ownedMembers are what the resource has arguments for, and what only the service
// may set.
var ownedMembers = map[string]string{
	"integrationId": "the argument `integration_id` is for it",
	"issue":         "the argument `issue` is for it",
	"status":        "only the service sets it",
}

func ownedName(name string) (string, bool) {
	for owned, why := range ownedMembers {
		if strings.EqualFold(name, owned) { // The service may ignore case in names.
			return why, true
		}
	}
	return "", false
}

// orderMethods are the words of an order's paymentMethod that an invoice's payment
// does not have, and what is meant by them.
var orderMethods = map[string]string{
	"cash": "money", "billetbank": "billetBanking", "paypal": "other", "balancewallets": "other",
}

var paymentMethods = []string{
	"money", "creditCard", "debitCard", "pix", "check", "billetBanking", "bankTransfer", "other",
}

var shapeChecks = map[string]func(b *body){
	"owned_member": func(b *body) {
		for _, name := range slices.Sorted(maps.Keys(b.value)) {
			if why, owned := ownedName(name); owned {
				b.report(name, "`%s` does not belong in the payload: %s.", name, why)
			}
		}
	},
	"unknown_member": func(b *body) {
		shapeOf(b.model).walk("", b.value, func(string, member, any) {}, func(at, name string, of *shape) {
			if _, owned := ownedName(name); owned && at == name {
				return
			}
			switch near := of.nearest(name); {
			case near != "":
				b.report(at, "Unknown name. Did you mean `%s`? The service ignores an unknown name, or refuses the invoice.", near)
			case !of.open:
				b.report(at, "Unknown name. Check it: the service ignores an unknown name, or refuses the invoice.")
			}
		})
	},
	"wrong_type": eachKnown(func(b *body, at string, m member, value any) {
		if want := wrongKind(m, value); want != "" {
			b.report(at, "It must be %s.", want)
		}
	}),
	"converted_type": eachKnown(func(b *body, at string, m member, value any) {
		switch v := value.(type) {
		case json.Number:
			if m.kind == aText {
				b.report(at, "It is the number %s, and the service has a text here: write it in quotes, as %q, with any "+
					"leading zeros.", v, v.String())
			}
		case string:
			if m.kind == aNumber && isNumeric(v) {
				b.report(at, "It is the text %q, and the service has a number here: write it without quotes.", v)
			}
		}
	}),
	"unknown_word": eachWord(true),
	"unusual_word": eachWord(false),
	"method_of_an_order": eachPayment(func(b *body, at string, payment map[string]any) {
		method := textAt(payment, "method")
		if meant := orderMethods[strings.ToLower(method)]; meant != "" {
			b.report(at+".method", "%q is a payment method of orders. In an invoice write %q.", method, meant)
		}
	}),
	"unusual_method": eachPayment(func(b *body, at string, payment map[string]any) {
		method := textAt(payment, "method")
		known := method == "" || foldedIn(method, paymentMethods) || orderMethods[strings.ToLower(method)] != ""
		if !known && (len(method) != 2 || !allDigits(method)) {
			b.report(at+".method", "%q is not known. The payment methods are %s, or the two digits of "+
				"the authority's table, such as \"01\".", method, strings.Join(paymentMethods, ", "))
		}
	}),
	"too_long": eachKnown(func(b *body, at string, m member, value any) {
		if length := lengthOf(value); m.max > 0 && length > m.max {
			b.report(at, "It has %d characters. The service takes %d at most.", length, m.max)
		}
	}),
	"too_long_for_the_authority": eachKnown(func(b *body, at string, m member, value any) {
		if length := lengthOf(value); m.layout > 0 && length > m.layout && (m.max == 0 || length <= m.max) {
			b.report(at, "It has %d characters. The layout of the NF-e allows %d: the service may shorten the text, "+
				"or the authority refuse it.", length, m.layout)
		}
	}),
	"no_date": eachKnown(func(b *body, at string, m member, value any) {
		if written, ok := value.(string); ok && m.kind == aDate && !IsDate(written) {
			b.report(at, "%q is not a date. Write it as \"2026-11-22T10:30:00-03:00\".", written)
		}
	}),
	"future_date": func(b *body) {
		const aDay = 24 * 60 * 60
		now, known := momentOf(b.now)
		emitted, ok := momentOf(textAt(b.value, "effectiveDate"))
		if known && ok && emitted.seconds > now.seconds+aDay {
			b.report("effectiveDate", "%s is in the future. Leave `effectiveDate` out: "+
				"the document then has the date on which it is issued.", textAt(b.value, "effectiveDate"))
		}
	},
	"past_date": func(b *body) {
		written := textAt(b.value, "effectiveDate")
		now, known := momentOf(b.now)
		emitted, ok := momentOf(written)
		late := emitted.day < now.day-LateDays
		if b.model == modelNFCe {
			late = emitted.seconds < now.seconds-ConsumerLateMinutes*60
		}
		if known && ok && late {
			b.report("effectiveDate", "%s is too long ago for the authority. Leave `effectiveDate` out: "+
				"the document then has the date on which it is issued.", written)
		}
	},
}

// eachKnown is a check of every known member.
func eachKnown(visit func(b *body, at string, m member, value any)) func(*body) {
	return func(b *body) {
		shapeOf(b.model).walk("", b.value, func(at string, m member, value any) {
			if _, owned := ownedMembers[at]; !owned {
				visit(b, at, m, value)
			}
		}, func(string, string, *shape) {})
	}
}

// eachWord is a check of the enumerations that the specification shows, or of the others.
func eachWord(specified bool) func(*body) {
	return eachKnown(func(b *body, at string, m member, value any) {
		written, ok := value.(string)
		if ok && m.specified == specified && m.words != nil && !foldedIn(written, m.words) {
			b.report(at, "%q is not known. The words are %s.", written, strings.Join(m.words, ", "))
		}
	})
}

// eachPayment is a check of every payment that is an object.
func eachPayment(visit func(b *body, at string, payment map[string]any)) func(*body) {
	return func(b *body) { b.each("payments", func(at string, payment map[string]any) { visit(b, at, payment) }) }
}

func isNumeric(text string) bool { return plainNumber.MatchString(text) }

// kindNames are what a member must be, for a message.
var kindNames = map[kind]string{
	aText: "a text", aNumber: "a number", aFlag: "true or false", anObject: "an object", aList: "a list",
	aDate: "a date, such as \"2026-11-22T10:30:00-03:00\"",
}

// wrongKind is what a member must be, where its value cannot be used as that.
func wrongKind(m member, value any) string {
	fitting := []kind{anything}
	switch v := value.(type) {
	case map[string]any:
		fitting = append(fitting, anObject)
	case []any:
		if m.kind == aList && m.of != nil && slices.ContainsFunc(v, isNoObject) {
			return "a list of objects"
		}
		fitting = append(fitting, aList)
	case bool:
		fitting = append(fitting, aFlag)
	case string:
		fitting = append(fitting, aText, aDate)
		if isNumeric(v) {
			fitting = append(fitting, aNumber)
		}
	case json.Number:
		fitting = append(fitting, aNumber, aText)
	default:
		return ""
	}
	if slices.Contains(fitting, m.kind) {
		return ""
	}
	return kindNames[m.kind]
}

func isNoObject(value any) bool {
	_, ok := value.(map[string]any)
	return !ok
}

func lengthOf(value any) int {
	switch v := value.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case json.Number:
		return len(fmt.Sprint(v))
	}
	return 0
}
