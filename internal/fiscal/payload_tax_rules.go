package fiscal

import (
	"math/big"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// taxRules look at the codes and amounts of the taxes of an item.
var taxRules = []PayloadRule{
	{
		Code: "icms_code", Laws: []string{"590", "591"}, models: goods,
		About: "The ICMS of an item has neither or both of `cst` (normal regime) and `csosn` (Simples Nacional), " +
			"one that is not in its table or belongs in the other member, the items mix them, " +
			"or it is not of the company's tax regime, where a plan knows that.",
		Source: "MOC 7.0, Anexo I, group N",
		check: func(b *body) {
			var first struct{ member, at string }
			b.eachItem(func(at string, item map[string]any) {
				icms, ok := jsontree.Member(item, "taxes", "icms").(map[string]any)
				if !ok {
					return
				}
				at += ".taxes.icms"
				simples, known := b.ofSimples()
				cst, csosn := codeText(icms["cst"]), codeText(icms["csosn"])
				member := "cst"
				if csosn != "" {
					member = "csosn"
				}
				switch {
				case (cst == "") == (csosn == ""):
					b.report(at, "It needs one of `cst`, for a company of the normal regime, and `csosn`, for one of the Simples Nacional.")
				case slices.Contains(SimplesCodes, cst):
					b.report(at+".cst", "%q is a CSOSN, of the Simples Nacional: write it in `csosn`.", cst)
				case slices.Contains(ICMSCodes, csosn):
					b.report(at+".csosn", "%q is a CST: write it in `cst`.", csosn)
				case !slices.Contains(ICMSCodes, cst) && !slices.Contains(SimplesCodes, csosn):
					b.report(at+"."+member, "%q is not in the table of the layout.", cst+csosn)
				case slices.Contains(SingleStageCodes, cst):
				case known && simples && cst != "":
					b.report(at+".cst", "The company is in the Simples Nacional (`%s`): write a CSOSN in `csosn`.", b.regime)
				case known && !simples && csosn != "":
					b.report(at+".csosn", "The company's tax regime is `%s`: write a CST in `cst` instead.", b.regime)
				case first.member == "":
					first.member, first.at = member, at
				case first.member != member:
					b.report(at, "One company has one tax regime, but %s is of the other one.", first.at)
				}
			})
		},
	},
	{
		Code: "icms_consumer", Laws: []string{"766", "383", "382", "386"}, models: nfce,
		About: "A CST or CSOSN that an NFC-e cannot have, or that does not fit the CFOP.",
		check: eachItem(func(b *body, at string, item map[string]any) {
			code := codeText(jsontree.Member(item, "taxes", "icms", "cst"))
			if code == "" {
				code = codeText(jsontree.Member(item, "taxes", "icms", "csosn"))
			}
			switch cfop := cfopOf(item); {
			case !slices.Contains(ICMSCodes, code) && !slices.Contains(SimplesCodes, code):
			case !slices.Contains(ConsumerCodes, code):
				b.report(at+".taxes.icms", "%s is not for an NFC-e. Correct it, or issue an NF-e.", code)
			case cfop != "" && !ConsumerCFOPFits(cfop, code):
				b.report(at+".cfop", "%s does not go with %s in an NFC-e: 60 and 500 are for 5405, 5656 and 5667.", cfop, code)
			}
		}),
	},
	{
		Code: "icms_amount", Laws: []string{"528"}, models: goods,
		About: "The ICMS of an item with CST 00, 10, 20 or 70 is not its base times its rate, in an invoice of the purpose normal.",
		check: eachItem(func(b *body, at string, item map[string]any) {
			icms := objectAt(objectAt(item, "taxes"), "icms")
			base, hasBase := amountOf(icms["baseTax"])
			rate, hasRate := amountOf(icms["rate"])
			amount, hasAmount := amountOf(icms["amount"])
			if !b.hasPurpose("normal") || !slices.Contains(RatedCodes, codeText(icms["cst"])) || !hasBase || !hasRate || !hasAmount {
				return
			}
			// A rate is reported as a percentage and as a fraction.
			fraction := new(big.Rat).Mul(base, rate)
			percent := new(big.Rat).Quo(fraction, big.NewRat(100, 1))
			if differ(amount, percent) && differ(amount, fraction) {
				b.report(at+".taxes.icms.amount", "It is %s, and %s at %s %% is %s.", money(amount), money(base), decimal(rate), money(percent))
			}
		}),
	},
	{
		Code: "ibs_cbs_missing", Laws: []string{"1115"}, models: goods,
		About: "An item has an ICMS `cst`, no item has a `csosn`, and it says nothing of IBS and CBS, " +
			"which a company of the normal regime (CRT 3) must give. A plan that knows another regime is silent.",
		Source: "LC 214/2025",
		check: func(b *body) {
			simples := false
			b.eachItem(func(_ string, item map[string]any) {
				simples = simples || jsontree.Member(item, "taxes", "icms", "csosn") != nil
			})
			older := slices.ContainsFunc(accessKeysIn(b.value, 0), func(key AccessKey) bool { return key.Year < 2026 })
			other := b.regime != "" && b.regime != RegimeNormal
			if simples || other || older || !b.hasPurpose("normal", "complement", "devolution") {
				return
			}
			b.eachItem(func(at string, item map[string]any) {
				cst := codeText(jsontree.Member(item, "taxes", "icms", "cst"))
				if slices.Contains(ICMSCodes, cst) && !slices.Contains(SingleStageCodes, cst) && !namesReform(item, 0) {
					b.report(at, "IBS and CBS are missing, which a company of the normal regime must give. The service's specification "+
						"does not show the names of their members: take them from the service's own reference.")
				}
			})
		},
	},
	{
		Code: "ibs_cbs_code", Laws: []string{"1024"},
		About:  "The CST of IBS and CBS does not have 3 digits, their classification (cClassTrib) not 6, or it does not begin with the CST.",
		Source: "NT 2025.002, group UB; NFS-e, national layout",
		check: func(b *body) {
			b.reportReform("ibsCbs", objectAt(b.value, "ibsCbs"))
			b.eachItem(func(at string, item map[string]any) {
				b.reportReform(at+".taxes.ibsCbs", objectAt(objectAt(item, "taxes"), "ibsCbs"))
			})
		},
	},
}

// reportReform looks at the codes of IBS and CBS. Their names are not shown: these are the
// ones of the examples, and the layout's own.
func (b *body) reportReform(at string, group map[string]any) {
	cst := codeText(group["cst"])
	if cst != "" && (len(cst) != 3 || !allDigits(cst)) {
		b.report(at+".cst", "%q does not have 3 digits, as \"000\" has, which is written as a text.", cst)
		return
	}
	for _, name := range []string{"classification", "cClassTrib"} {
		switch class := codeText(group[name]); {
		case class == "":
		case len(class) != 6 || !allDigits(class):
			b.report(at+"."+name, "%q does not have 6 digits, as \"000001\" has, which is written as a text.", class)
		case cst != "" && class[:3] != cst:
			b.report(at+"."+name, "%s is of the CST %s, and `cst` is %s. Correct one of the two.", class, class[:3], cst)
		}
	}
}

// namesReform reports whether an object has members about IBS or CBS, at any depth that an
// item has.
func namesReform(value any, depth int) bool {
	object, ok := value.(map[string]any)
	if !ok || depth > 5 {
		return false
	}
	for name, member := range object {
		folded := strings.ToLower(name)
		if member != nil && (strings.Contains(folded, "ibs") || strings.Contains(folded, "cbs")) || namesReform(member, depth+1) {
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
