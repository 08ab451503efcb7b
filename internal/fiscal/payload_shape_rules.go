package fiscal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

const notAnObject = "not_an_object"

// ownedMembers are what the resource has arguments for, and what only the service may set.
var ownedMembers = map[string]string{"integrationId": "integration_id", "issue": "issue", "status": ""}

func ownedName(name string) (argument string, isOwned bool) {
	for owned, argument := range ownedMembers {
		if strings.EqualFold(name, owned) { // The service may ignore case in names.
			return argument, true
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
	"money", "creditCard", "debitCard", "pix", "dynamicPix", "check", "billetBanking", "bankTransfer", "bankDeposit",
	"storeCredit", "foodVoucher", "mealVoucher", "giftVoucher", "fidelityProgram", "commercialDuplicate", NoPayment,
	"other",
}

var shapeChecks = map[string]func(b *body){
	"owned_member": func(b *body) {
		for _, name := range slices.Sorted(maps.Keys(b.value)) {
			if argument, owned := ownedName(name); owned {
				b.report(name, "finding.owned_member", text.With{"name": name, "argument": argument})
			}
		}
	},
	"unknown_member": func(b *body) {
		shapeOf(b.model).walk("", b.value, func(string, member, any) {}, func(at, name string, of *shape) {
			if _, owned := ownedName(name); owned && at == name {
				return
			}
			if near := of.nearest(name); near != "" || !of.open {
				b.report(at, "finding.unknown_member", text.With{"near": near})
			}
		})
	},
	"wrong_type": eachKnown(func(b *body, at string, m member, value any) {
		if want := wrongKind(m, value); want != "" {
			b.report(at, "finding.wrong_type", text.With{"kind": string(want)})
		}
	}),
	"converted_type": eachKnown(func(b *body, at string, m member, value any) {
		switch v := value.(type) {
		case json.Number:
			if m.kind == aText {
				b.report(at, "finding.converted_type.number", text.With{"number": v.String()})
			}
		case string:
			if m.kind == aNumber && plainNumber.MatchString(v) {
				b.report(at, "finding.converted_type.text", text.With{"written": v})
			}
		}
	}),
	"unknown_word": eachWord(true),
	"unusual_word": eachWord(false),
	"method_of_an_order": eachPayment(func(b *body, at string, payment map[string]any) {
		method := textAt(payment, "method")
		if meant := orderMethods[strings.ToLower(method)]; meant != "" {
			b.report(at+".method", "finding.method_of_an_order", text.With{"method": method, "meant": meant})
		}
	}),
	"unusual_method": eachPayment(func(b *body, at string, payment map[string]any) {
		method := textAt(payment, "method")
		known := method == "" || foldedIn(method, paymentMethods) || orderMethods[strings.ToLower(method)] != ""
		if !known && (len(method) != 2 || !allDigits(method)) {
			b.report(at+".method", "finding.unusual_method", text.With{"method": method, "methods": paymentMethods})
		}
	}),
	"too_long": eachKnown(func(b *body, at string, m member, value any) {
		if length := lengthOf(value); m.max > 0 && length > m.max {
			b.report(at, "finding.too_long", text.With{"length": length, "limit": m.max})
		}
	}),
	"too_long_for_the_authority": eachKnown(func(b *body, at string, m member, value any) {
		if length := lengthOf(value); m.layout > 0 && length > m.layout && (m.max == 0 || length <= m.max) {
			b.report(at, "finding.too_long_for_the_authority", text.With{"length": length, "limit": m.layout})
		}
	}),
	"text_form":         eachKnown(checkText),
	"too_many_decimals": func(b *body) { b.checkDecimals("", "", b.value) },
	"no_date": eachKnown(func(b *body, at string, m member, value any) {
		if written, ok := value.(string); ok && m.kind == aDate && !IsDate(written) {
			b.report(at, "finding.no_date", text.With{"written": written})
		}
	}),
	"future_date": func(b *body) {
		const aDay = 24 * 60 * 60
		now, known := momentOf(b.now)
		written := textAt(b.value, "effectiveDate")
		emitted, ok := momentOf(written)
		late := map[bool]int{true: aDay, false: ConsumerLateMinutes * 60}[b.model == modelNFSe]
		if known && ok && emitted.seconds > now.seconds+late {
			_, clock, _ := strings.Cut(written, "T")
			b.report("effectiveDate", "finding.future_date", text.With{
				"date": written, "lacks_offset": clock != "" && !strings.ContainsAny(clock, "Zz+-"),
			})
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
			b.report("effectiveDate", "finding.past_date", text.With{"date": written})
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
			b.report(at, "finding.unknown_word", text.With{"written": written, "words": m.words})
		}
	})
}

// eachPayment is a check of every payment that is an object.
func eachPayment(visit func(b *body, at string, payment map[string]any)) func(*body) {
	return func(b *body) { b.each("payments", func(at string, payment map[string]any) { visit(b, at, payment) }) }
}

// wrongKind is what a member must be, where its value cannot be used as that.
func wrongKind(m member, value any) kind {
	fitting := []kind{anything}
	switch v := value.(type) {
	case map[string]any:
		fitting = append(fitting, anObject)
	case []any:
		if m.kind == aList && m.of != nil && slices.ContainsFunc(v, isNoObject) {
			return aListOfObjects
		}
		fitting = append(fitting, aList)
	case bool:
		fitting = append(fitting, aFlag)
	case string:
		fitting = append(fitting, aText, aDate)
		if plainNumber.MatchString(v) {
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
	return m.kind
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
