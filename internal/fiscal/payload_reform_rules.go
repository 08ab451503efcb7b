package fiscal

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// reformChecks look at the IBS and CBS of an item.
var reformChecks = map[string]func(b *body){
	"ibs_cbs_missing": func(b *body) {
		items, _ := b.value["items"].([]any)
		simples := slices.ContainsFunc(items, func(item any) bool {
			return jsontree.Member(item, "taxes", "icms", "csosn") != nil
		})
		older := slices.ContainsFunc(accessKeysIn(b.value, 0), func(key AccessKey) bool { return key.Year < 2026 })
		other := b.regime != "" && b.regime != RegimeNormal
		if simples || other || older || !b.hasPurpose("normal", "complement", "devolution") {
			return
		}
		b.each("items", func(at string, item map[string]any) {
			cst := codeText(jsontree.Member(item, "taxes", "icms", "cst"))
			if IsListed("icms", cst) && !IsListed("single_stage", cst) && !namesReform(item, 0) {
				b.report(at, "finding.ibs_cbs_missing", nil)
			}
		})
	},
	"ibs_cbs_code": func(b *body) {
		b.checkReformCodes("ibsCbs", objectAt(b.value, "ibsCbs"))
		b.each("items", func(at string, item map[string]any) {
			b.checkReformCodes(at+".taxes.ibsCbs", objectAt(objectAt(item, "taxes"), "ibsCbs"))
		})
	},
	"ibs_cbs_members": eachReform(func(b *body, at string, group map[string]any, cst string) {
		var odd []string
		for _, name := range lists()["reform_plain"] {
			if group[name] != nil {
				odd = append(odd, "`"+name+"`")
			}
		}
		law := map[bool]string{true: "1026", false: "1021"}[IsListed("reform_single", cst)]
		if IsListed("reform_bare", cst) && len(odd) > 0 {
			b.breaks(law, at, "finding.ibs_cbs_members", text.With{"cst": cst, "members": odd})
		}
	}),
	"ibs_cbs_reduction": eachReform(func(b *body, at string, group map[string]any, cst string) {
		full := func(name string) bool {
			base, rate := amountOrZero(group["baseTax"]), amountOrZero(group[name+"Rate"])
			amount, ok := amountOf(group[name+"Amount"])
			return ok && base != nil && rate != nil && amount.Sign() > 0 && isProduct(amount, base, rate)
		}
		if IsListed("reform_reduced", cst) && isPlainReform(group) && full("ibsState") && full("cbs") {
			b.report(at, "finding.ibs_cbs_reduction", text.With{"cst": cst})
		}
	}),
	"ibs_cbs_rate": eachReform(func(b *body, at string, group map[string]any, cst string) {
		for _, tax := range reformTaxes {
			rate, ok := amountOf(group[tax.name+"Rate"])
			legal, _ := amountOf(tax.rate)
			// A rate is reported as a percentage and as a fraction.
			fits := ok && (rate.Sign() == 0 || rate.Cmp(legal) == 0 || rate.Cmp(percentOf(legal)) == 0)
			if ok && !fits && b.hasPurpose("normal", "complement") && !IsListed("reform_own_rates", cst) {
				with := text.With{"rate": decimal(rate), "law": tax.rate}
				b.breaks(tax.wrongRate, at+"."+tax.name+"Rate", "finding.ibs_cbs_rate", with)
			}
		}
	}),
	"ibs_cbs_amount": eachReform(func(b *body, at string, group map[string]any, cst string) {
		for _, tax := range reformTaxes {
			if rate := group[tax.name+"Rate"]; isPlainReform(group) && !IsListed("reform_own_amounts", cst) {
				amount := tax.name + "Amount"
				b.checkProduct(tax.wrongAmount, at+"."+amount, group["baseTax"], rate, group[amount])
			}
		}
	}),
}

// reformCodes are the names of the codes of IBS and CBS; the second has two.
var reformCodes = []string{"cst", "classification", "cClassTrib"}

// eachReform is a check of the IBS and CBS of every item.
func eachReform(visit func(b *body, at string, group map[string]any, cst string)) func(*body) {
	return eachItem(func(b *body, at string, item map[string]any) {
		group := objectAt(objectAt(item, "taxes"), "ibsCbs")
		visit(b, at+".taxes.ibsCbs", group, reformCode(group["cst"], 3))
	})
}

// isPlainReform reports whether nothing in a group may reduce or defer the taxes.
func isPlainReform(group map[string]any) bool {
	for name, value := range group {
		if value != nil && !IsListed("reform_plain", name) && !slices.Contains(reformCodes, name) {
			return false
		}
	}
	return true
}

// reformCode is a code as a text of its digits; as a number it has no leading zeros.
func reformCode(value any, digits int) string {
	code := codeText(value)
	if _, isNumber := value.(json.Number); isNumber {
		code = strings.Repeat("0", max(0, digits-len(code))) + code
	}
	return code
}

// checkReformCodes looks at the CST and the classification of IBS and CBS.
func (b *body) checkReformCodes(at string, group map[string]any) {
	cst := reformCode(group["cst"], 3)
	switch {
	case cst == "":
	case len(cst) != 3 || !allDigits(cst):
		b.report(at+".cst", "finding.ibs_cbs_code.cst", text.With{"code": cst})
		return
	case !IsListed("reform", cst):
		b.breaks("1020", at+".cst", "finding.ibs_cbs_code.unlisted", text.With{"code": cst})
		return
	}
	for _, name := range reformCodes[1:] {
		switch class := reformCode(group[name], 6); {
		case class == "":
		case len(class) != 6 || !allDigits(class):
			b.report(at+"."+name, "finding.ibs_cbs_code.classification", text.With{"code": class})
		case cst != "" && class[:3] != cst:
			b.breaks("1024", at+"."+name, "finding.ibs_cbs_code.other", text.With{
				"code": class, "fits": class[:3], "cst": cst,
			})
		}
	}
}

// namesReform reports whether an object has members about IBS or CBS, at any depth that an item has.
func namesReform(value any, depth int) bool {
	object, ok := value.(map[string]any)
	if !ok || depth > 5 {
		return false
	}
	for name, member := range object {
		folded := strings.ToLower(name)
		named := member != nil && (strings.Contains(folded, "ibs") || strings.Contains(folded, "cbs"))
		if named || namesReform(member, depth+1) {
			return true
		}
	}
	return false
}

// accessKeysIn are the access keys in a value, whatever their members are called.
func accessKeysIn(value any, depth int) []AccessKey {
	var keys []AccessKey
	switch v := value.(type) {
	case string:
		if key, err := ParseAccessKey(v); err == nil {
			return []AccessKey{key}
		}
	case []any:
		for _, element := range v {
			keys = append(keys, accessKeysIn(element, depth)...)
		}
	case map[string]any:
		for _, member := range v {
			if depth < 6 {
				keys = append(keys, accessKeysIn(member, depth+1)...)
			}
		}
	}
	return keys
}
