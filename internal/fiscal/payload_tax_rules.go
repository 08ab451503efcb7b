package fiscal

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// taxRules look at the codes and amounts of the taxes of an item.
var taxChecks = map[string]func(b *body){
	"icms_code": checkICMSCodes,
	"icms_origin": eachItem(func(b *body, at string, item map[string]any) {
		icms := objectAt(objectAt(item, "taxes"), "icms")
		if icms != nil && !IsListed("origins", codeText(icms["origin"])) {
			b.report(at+".taxes.icms.origin", "finding.icms_origin", nil)
		}
	}),
	"icms_incomplete": eachItem(func(b *body, at string, item map[string]any) {
		icms := objectAt(objectAt(item, "taxes"), "icms")
		absent := missing(icms, "baseTax", "rate", "amount")
		if IsListed("icms_rated", codeText(icms["cst"])) && len(absent) > 0 {
			b.report(at+".taxes.icms", "finding.incomplete", text.With{"absent": absent})
		}
	}),
	"contribution_code": eachItem(func(b *body, at string, item map[string]any) {
		for _, name := range []string{"pis", "cofins"} {
			tax := objectAt(objectAt(item, "taxes"), name)
			if code := codeText(tax["cst"]); tax != nil && !IsListed("contribution", code) {
				b.report(at+".taxes."+name+".cst", "finding.contribution_code", text.With{"code": code})
			}
		}
	}),
	"single_stage": eachItem(func(b *body, at string, item map[string]any) {
		members := singleStage(item)
		absent := missing(members, "singleStageRetAdRemRate", "singleStageRetAmount")
		if members != nil && len(absent) > 0 {
			b.report(at, "finding.incomplete", text.With{"absent": absent})
		}
	}),
	"single_stage_amount": eachItem(func(b *body, at string, item map[string]any) {
		b.checkPrice(at, "singleStageRetAmount", singleStage(item), "singleStageRetQuantityTax", "singleStageRetAdRemRate")
	}),
	"cest_form": eachItem(func(b *body, at string, item map[string]any) {
		if cest := codeText(item["cest"]); cest != "" && (len(cest) != 7 || !allDigits(cest)) {
			b.report(at+".cest", "finding.cest_form", text.With{"cest": cest})
		}
	}),
	"cest_missing": eachItem(func(b *body, at string, item map[string]any) {
		code := icmsCode(item)
		owes := IsListed("cest", code) || IsListed("cest_with_st", code) && hasST(item)
		// The ICMS may be shared with another state (ICMSPart), whose names are not known.
		taxes := objectAt(item, "taxes")
		shared := isNamed(taxes, "part") || isNamed(objectAt(taxes, "icms"), "part", "ststate")
		if owes && codeText(item["cest"]) == "" && !shared {
			b.report(at+".cest", "finding.cest_missing", text.With{"code": code})
		}
	}),
	"export_code": eachItem(func(b *body, at string, item map[string]any) {
		cfop, code := cfopOf(item), icmsCode(item)
		sold := strings.HasPrefix(cfop, "7") && IsTradeCFOP(cfop) && b.hasPurpose("normal")
		if sold && code != "" && !IsListed("export", code) {
			b.report(at+".taxes.icms", "finding.export_code", text.With{"cfop": cfop, "code": code})
		}
	}),
	"icms_consumer": eachItem(func(b *body, at string, item map[string]any) {
		code := icmsCode(item)
		switch cfop := cfopOf(item); {
		case !IsListed("icms", code) && !IsListed("simples", code):
		case !IsListed("consumer_codes", code):
			b.report(at+".taxes.icms", "finding.icms_consumer.code", text.With{"code": code})
		case cfop != "" && !ConsumerCFOPFits(cfop, code):
			b.report(at+".cfop", "finding.icms_consumer.cfop", text.With{"cfop": cfop, "code": code})
		}
	}),
	"icms_amount": eachItem(func(b *body, at string, item map[string]any) {
		icms := objectAt(objectAt(item, "taxes"), "icms")
		if b.hasPurpose("normal") && IsListed("icms_product", codeText(icms["cst"])) {
			b.checkProduct("528", at+".taxes.icms.amount", icms["baseTax"], icms["rate"], icms["amount"])
		}
	}),
	"icms_interstate": eachItem(func(b *body, at string, item map[string]any) {
		icms := objectAt(objectAt(item, "taxes"), "icms")
		rate, ok := amountOf(icms["rate"])
		isImported := IsListed("imported_origins", codeText(icms["origin"]))
		limit := InterstateRate(b.state, stateOf(objectAt(b.value, "receiver")))
		if isImported {
			limit = ImportedRate
		}
		rated := IsRatedInterstate(cfopOf(item), codeText(item["ncm"])) && !b.hasOtherPlace() && b.hasPurpose("normal") &&
			IsListed("interstate", codeText(icms["cst"]))
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
		case IsListed("simples", cst):
			b.report(at+".cst", "finding.icms_code.csosn", text.With{"code": cst})
		case IsListed("icms", csosn):
			b.report(at+".csosn", "finding.icms_code.cst", text.With{"code": csosn})
		case !IsListed("icms", cst) && !IsListed("simples", csosn):
			b.report(at+"."+member, "finding.icms_code.unknown", text.With{"code": cst + csosn})
		case IsListed("single_stage", cst):
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

// stMembers are the base and the amount of the ICMS of substitution; the base is reported under its second name too.
var stMembers = map[string][]string{"base": {"baseTaxSt", "stBaseTax"}, "amount": {"stAmount"}}

// hasST reports whether an item names an ICMS of substitution.
func hasST(item any) bool {
	icms, _ := jsontree.Member(item, "taxes", "icms").(map[string]any)
	return slices.ContainsFunc(slices.Concat(stMembers["base"], stMembers["amount"]), func(name string) bool {
		amount, ok := amountOf(icms[name])
		return ok && amount.Sign() > 0
	})
}

// isNamed reports whether a member of an object has one of some words in its name.
func isNamed(object map[string]any, words ...string) bool {
	for name := range object {
		for _, word := range words {
			if strings.Contains(strings.ToLower(name), word) {
				return true
			}
		}
	}
	return false
}

// singleStage are the members of fuel whose ICMS was collected before (CST 61), of the item or its ICMS; nil of others.
func singleStage(item map[string]any) map[string]any {
	icms := objectAt(objectAt(item, "taxes"), "icms")
	if codeText(icms["cst"]) != "61" {
		return nil
	}
	members := maps.Clone(icms)
	for name, value := range item {
		if members[name] == nil {
			members[name] = value
		}
	}
	return members
}

// checkProduct compares an amount with its base times its rate.
func (b *body) checkProduct(law, at string, baseValue, rateValue, amountValue any) {
	base, hasBase := amountOf(baseValue)
	rate, hasRate := amountOf(rateValue)
	amount, hasAmount := amountOf(amountValue)
	if !hasBase || !hasRate || !hasAmount {
		return
	}
	if product := new(big.Rat).Mul(base, rate); !isProduct(amount, base, rate) {
		b.breaks(law, at, "finding.tax_amount", text.With{
			"amount": money(amount), "base": money(base), "rate": decimal(rate), "product": money(percentOf(product)),
		})
	}
}

// isProduct reports whether an amount is its base times its rate, as a percentage or as a fraction.
func isProduct(amount, base, rate *big.Rat) bool {
	product := new(big.Rat).Mul(base, rate)
	return !differ(amount, product) || !differ(amount, percentOf(product))
}
