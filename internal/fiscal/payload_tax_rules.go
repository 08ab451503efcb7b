package fiscal

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// taxRules look at the codes and amounts of the taxes of an item.
var taxChecks = map[string]func(b *body){
	"icms_code": checkICMSCodes,
	"icms_consumer": eachItem(func(b *body, at string, item map[string]any) {
		code := icmsCode(item)
		switch cfop := cfopOf(item); {
		case !slices.Contains(ICMSCodes, code) && !slices.Contains(SimplesCodes, code):
		case !slices.Contains(ConsumerCodes, code):
			b.report(at+".taxes.icms", "finding.icms_consumer.code", text.With{"code": code})
		case cfop != "" && !ConsumerCFOPFits(cfop, code):
			b.report(at+".cfop", "finding.icms_consumer.cfop", text.With{"cfop": cfop, "code": code})
		}
	}),
	"icms_amount": eachItem(func(b *body, at string, item map[string]any) {
		icms := objectAt(objectAt(item, "taxes"), "icms")
		if b.hasPurpose("normal") && slices.Contains(RatedCodes, codeText(icms["cst"])) {
			b.checkProduct(at+".taxes.icms.amount", icms["baseTax"], icms["rate"], icms["amount"])
		}
	}),
	"icms_interstate": eachItem(func(b *body, at string, item map[string]any) {
		icms := objectAt(objectAt(item, "taxes"), "icms")
		rate, ok := amountOf(icms["rate"])
		limit, isImported := InterstateRate("", ""), slices.Contains(ImportedOrigins, codeText(icms["origin"]))
		if isImported {
			limit = ImportedRate
		}
		rated := IsRatedInterstate(cfopOf(item), codeText(item["ncm"])) && !b.hasOtherPlace() && b.hasPurpose("normal") &&
			slices.Contains(InterstateCodes, codeText(icms["cst"]))
		sent := strings.EqualFold(textAt(b.value, "destination"), "interstate")
		if ok && rated && sent && rate.Cmp(big.NewRat(limit, 1)) > 0 {
			b.report(at+".taxes.icms.rate", "finding.icms_interstate", text.With{
				"rate": decimal(rate), "is_imported": isImported, "limit": limit,
			})
		}
	}),
	"icms_receiver": eachItem(func(b *body, at string, item map[string]any) {
		receiver := objectAt(b.value, "receiver")
		registration := NormalizeStateTaxNumber(textAt(receiver, "stateTaxNumber"))
		refused := RefusedOfReceiver(registration, cfopOf(item), icmsCode(item))
		if receiver != nil && refused != "" && b.hasPurpose("normal") && !b.isAbroad(receiver) {
			b.report(at+".taxes.icms", "finding.icms_receiver", text.With{"code": icmsCode(item), "rejection": refused})
		}
	}),
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
			if slices.Contains(ICMSCodes, cst) && !slices.Contains(SingleStageCodes, cst) && !namesReform(item, 0) {
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
	"ibs_cbs_rate": eachPlainReform(func(b *body, at string, group map[string]any) {
		for i, tax := range ReformTaxes {
			rate, ok := amountOf(group[reformNames[i]+"Rate"])
			legal, _ := amountOf(tax.Rate)
			// A rate is reported as a percentage and as a fraction.
			fits := ok && (rate.Sign() == 0 || rate.Cmp(legal) == 0 || rate.Cmp(percentOf(legal)) == 0)
			if ok && !fits && b.hasPurpose("normal", "complement") {
				b.report(at+"."+reformNames[i]+"Rate", "finding.ibs_cbs_rate", text.With{"rate": decimal(rate), "law": tax.Rate})
			}
		}
	}),
	"ibs_cbs_amount": eachPlainReform(func(b *body, at string, group map[string]any) {
		for _, name := range reformNames {
			b.checkProduct(at+"."+name+"Amount", group["baseTax"], group[name+"Rate"], group[name+"Amount"])
		}
	}),
}

// checkICMSCodes looks at CST and CSOSN by themselves, against the regime and against each other.
func checkICMSCodes(b *body) {
	simples, known := b.ofSimples()
	var firstMember, firstAt string
	b.each("items", func(at string, item map[string]any) {
		icms, ok := jsontree.Member(item, "taxes", "icms").(map[string]any)
		if !ok {
			return
		}
		at += ".taxes.icms"
		cst, csosn := codeText(icms["cst"]), codeText(icms["csosn"])
		member := "cst"
		if csosn != "" {
			member = "csosn"
		}
		switch {
		case (cst == "") == (csosn == ""):
			b.report(at, "finding.icms_code.one", nil)
		case slices.Contains(SimplesCodes, cst):
			b.report(at+".cst", "finding.icms_code.csosn", text.With{"code": cst})
		case slices.Contains(ICMSCodes, csosn):
			b.report(at+".csosn", "finding.icms_code.cst", text.With{"code": csosn})
		case !slices.Contains(ICMSCodes, cst) && !slices.Contains(SimplesCodes, csosn):
			b.report(at+"."+member, "finding.icms_code.unknown", text.With{"code": cst + csosn})
		case slices.Contains(SingleStageCodes, cst):
		case known && simples && cst != "":
			b.report(at+".cst", "finding.icms_code.of_simples", text.With{"regime": b.regime})
		case known && !simples && csosn != "":
			b.report(at+".csosn", "finding.icms_code.of_normal", text.With{"regime": b.regime})
		case firstMember == "":
			firstMember, firstAt = member, at
		case firstMember != member:
			b.report(at, "finding.icms_code.mixed", text.With{"other": firstAt})
		}
	})
}

// icmsCode is the CST of an item, or else its CSOSN.
func icmsCode(item any) string {
	icms, _ := jsontree.Member(item, "taxes", "icms").(map[string]any)
	return cmp.Or(codeText(icms["cst"]), codeText(icms["csosn"]))
}

// reformNames begin the names of the members of [ReformTaxes], and plainReform are all that a group without reductions
// has. The service's specification does not show them: they are those of the examples.
var (
	reformNames = [...]string{"ibsState", "ibsCity", "cbs"}
	plainReform = []string{
		"cst", "classification", "cClassTrib", "baseTax", "ibsStateRate", "ibsStateAmount", "ibsCityRate",
		"ibsCityAmount", "ibsAmount", "cbsRate", "cbsAmount",
	}
)

// eachPlainReform is a check of the IBS and CBS of every item in which nothing reduces or defers them.
func eachPlainReform(visit func(b *body, at string, group map[string]any)) func(*body) {
	return eachItem(func(b *body, at string, item map[string]any) {
		group := objectAt(objectAt(item, "taxes"), "ibsCbs")
		for name, value := range group {
			if value != nil && !slices.Contains(plainReform, name) {
				return
			}
		}
		visit(b, at+".taxes.ibsCbs", group)
	})
}

// checkReformCodes looks at the CST and the classification of IBS and CBS.
func (b *body) checkReformCodes(at string, group map[string]any) {
	cst := codeText(group["cst"])
	if cst != "" && (len(cst) != 3 || !allDigits(cst)) {
		b.report(at+".cst", "finding.ibs_cbs_code.cst", text.With{"code": cst})
		return
	}
	for _, name := range []string{"classification", "cClassTrib"} {
		switch class := codeText(group[name]); {
		case class == "":
		case len(class) != 6 || !allDigits(class):
			b.report(at+"."+name, "finding.ibs_cbs_code.classification", text.With{"code": class})
		case cst != "" && class[:3] != cst:
			b.report(at+"."+name, "finding.ibs_cbs_code.other", text.With{"code": class, "fits": class[:3], "cst": cst})
		}
	}
}

// checkProduct compares an amount with its base times its rate, which is reported as a percentage and as a fraction.
func (b *body) checkProduct(at string, baseValue, rateValue, amountValue any) {
	base, hasBase := amountOf(baseValue)
	rate, hasRate := amountOf(rateValue)
	amount, hasAmount := amountOf(amountValue)
	if !hasBase || !hasRate || !hasAmount {
		return
	}
	product := new(big.Rat).Mul(base, rate)
	if differ(amount, product) && differ(amount, percentOf(product)) {
		b.report(at, "finding.tax_amount", text.With{
			"amount": money(amount), "base": money(base), "rate": decimal(rate), "product": money(percentOf(product)),
		})
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
