package fiscal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// twoLetters are the members of a party, and the attributes of a customer, whose texts have at least two letters.
// optionalTexts are those that are left out, and never empty.
var (
	twoLetters    = []string{"name", "legal_name", "street", "district"}
	optionalTexts = []string{"operationNature", "additionalInformation", "email"}
)

// TextFaults are what the layout of the NF-e does not accept in a text (TString): characters outside U+0020 to U+00FF,
// line breaks, tabs, spaces at an end and, for some members, a single letter.
func TextFaults(member, written string) (faults []text.Text) {
	var characters []string
	for _, r := range written {
		shown := fmt.Sprintf("U+%04X", r)
		if unicode.IsGraphic(r) && !unicode.IsMark(r) {
			shown = string(r) + " (" + shown + ")"
		}
		outside := r > 'ÿ' || r < ' ' && !strings.ContainsRune("\n\r\t", r)
		if outside && !slices.Contains(characters, shown) && len(characters) < 5 {
			characters = append(characters, shown)
		}
	}
	for _, fault := range []struct {
		key   string
		found bool
	}{
		{"layout.break", strings.ContainsAny(written, "\n\r")},
		{"layout.tab", strings.Contains(written, "\t")},
		{"layout.space", strings.Trim(written, " ") != written},
		{"layout.characters", len(characters) > 0},
		{"layout.letter", utf8.RuneCountInString(written) == 1 && slices.Contains(twoLetters, member)},
	} {
		if fault.found {
			faults = append(faults, text.Of(fault.key, text.With{"characters": characters}))
		}
	}
	return faults
}

func checkText(b *body, at string, m member, value any) {
	written, isText := value.(string)
	name := at[strings.LastIndexByte(at, '.')+1:]
	faults := TextFaults(name, written)
	switch {
	case !isText || m.layout == 0:
	case written == "" && slices.Contains(optionalTexts, name):
		b.report(at, "finding.text_form.empty", nil)
	case len(faults) > 0:
		b.report(at, "finding.text_form", text.With{"faults": faults})
	}
}

// checkDecimals looks at every number in a value, also of members that are not known.
func (b *body) checkDecimals(at, name string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b.checkDecimals(strings.TrimPrefix(at+"."+name, "."), name, v[name])
		}
	case []any:
		for i, element := range v {
			b.checkDecimals(indexed(at, i), name, element)
		}
	case json.Number:
		_, decimals, _ := strings.Cut(v.String(), ".")
		decimals, limit := strings.TrimRight(decimals, "0"), decimalsOf(name)
		if len(decimals) > limit && allDigits(decimals) {
			b.report(at, "finding.too_many_decimals", text.With{"decimals": len(decimals), "limit": limit})
		}
	}
}

// decimalsOf is how many decimals the layout has for a number, by its name (TDec_1302, TDec_1104v, TDec_1110v).
func decimalsOf(name string) int {
	ends := func(suffix string) bool { return strings.HasSuffix(strings.ToLower(name), suffix) }
	switch {
	case slices.Contains([]string{"unitAmount", "unitTaxAmount"}, name):
		return 10
	case ends("amount"), ends("basetax"), name == "totalTax":
		return 2
	case ends("quantity"), ends("quantitytax"):
		return 4
	}
	return 10
}
