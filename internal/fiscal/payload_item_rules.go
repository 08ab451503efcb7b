package fiscal

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// destinations are those that go with the first digit of a CFOP.
var destinations = map[byte]string{
	'1': "internal", '5': "internal", '2': "interstate", '6': "interstate", '3': "international", '7': "international",
}

var itemChecks = map[string]func(b *body){
	"consumer_item": eachItem(func(b *body, at string, item map[string]any) {
		taxes, taxed := item["taxes"].(map[string]any)
		cfop := cfopOf(item)
		if taxes["ipi"] != nil {
			b.report(at+".taxes.ipi", "finding.consumer_item.ipi", nil)
		}
		if item["makeupTotal"] == false {
			b.report(at+".makeupTotal", "finding.consumer_item.total", nil)
		}
		if taxed && cfop != "" && (cfop == ServiceCFOP) != isService(item) {
			b.report(at+".cfop", "finding.consumer_item.service", text.With{"cfop": ServiceCFOP})
		}
	}),
	"items_missing": func(b *body) {
		if items, isList := b.value["items"].([]any); b.value["items"] == nil || isList && len(items) == 0 {
			b.report("items", "finding.items_missing", nil)
		}
	},
	"item_incomplete": eachItem(func(b *body, at string, item map[string]any) {
		if absent := missing(item, lists()["item_members"]...); len(absent) > 0 {
			b.report(at, "finding.incomplete", text.With{"absent": absent})
		}
	}),
	"taxes_missing": eachItem(func(b *body, at string, item map[string]any) {
		taxes, isObject := item["taxes"].(map[string]any)
		var needed []string
		if !isService(item) {
			needed = append(needed, "icms")
		}
		if b.model == modelNFe {
			needed = append(needed, "pis", "cofins")
		}
		switch absent := missing(taxes, needed...); {
		case item["taxes"] == nil:
			b.report(at+".taxes", "finding.taxes_missing", nil)
		case isObject && len(absent) > 0 && !b.ofReformAlone():
			b.report(at+".taxes", "finding.incomplete", text.With{"absent": absent})
		}
	}),
	"ncm_form": eachItem(func(b *body, at string, item map[string]any) {
		switch written := codeText(item["ncm"]); {
		case written == "":
		case written == "00":
			underICMS := objectAt(objectAt(item, "taxes"), "icms") != nil
			if underICMS && b.hasPurpose("normal", "devolution") {
				b.report(at+".ncm", "finding.ncm_form.service", nil)
			}
		case !allDigits(written) || len(written) != 8:
			b.report(at+".ncm", "finding.ncm_form.digits", text.With{"ncm": written})
		case written != "00000000" && !HasNCMChapter(written, b.isExport()):
			b.report(at+".ncm", "finding.ncm_form.chapter", text.With{"chapter": written[:2]})
		}
	}),
	"cfop_form": eachItem(func(b *body, at string, item map[string]any) {
		switch written := codeText(item["cfop"]); {
		case written != "" && cfopOf(item) == "":
			b.report(at+".cfop", "finding.cfop_form.digits", text.With{"cfop": written})
		case strings.Contains(written, "."):
			b.report(at+".cfop", "finding.cfop_form.point", text.With{"cfop": cfopOf(item)})
		case written != "" && !IsListed("cfops_"+written[:1], written[1:]):
			b.report(at+".cfop", "finding.cfop_form.unlisted", text.With{"cfop": written})
		}
	}),
	"cfop_direction": eachItem(func(b *body, at string, item map[string]any) {
		cfop, direction := cfopOf(item), textAt(b.value, "operationType")
		if cfop == "" || !foldedIn(direction, []string{"incoming", "outgoing"}) {
			return
		}
		fits := "outgoing"
		if cfop[0] <= '3' {
			fits = "incoming"
		}
		if !strings.EqualFold(direction, fits) {
			b.report(at+".cfop", "finding.cfop_direction", text.With{"cfop": cfop, "fits": fits, "direction": direction})
		}
	}),
	"cfop_destination": eachItem(func(b *body, at string, item map[string]any) {
		cfop, destination := cfopOf(item), textAt(b.value, "destination")
		if cfop == "" || destination == "" || b.hasOtherPlace() || cfop[1:] == "667" {
			return // The place of the goods decides then, and fuel has exceptions (MOC E12-30 to E12-60).
		}
		if fits := destinations[cfop[0]]; !strings.EqualFold(fits, destination) {
			b.report(at+".cfop", "finding.cfop_destination", text.With{"cfop": cfop, "fits": fits, "destination": destination})
		}
	}),
	"cfop_consumer": eachItem(func(b *body, at string, item map[string]any) {
		if cfop := cfopOf(item); cfop != "" && !IsListed("consumer_cfops", cfop) {
			b.report(at+".cfop", "finding.cfop_consumer", text.With{"cfop": cfop, "taken": lists()["consumer_cfops"]})
		}
	}),
	"cfop_return": eachItem(func(b *body, at string, item map[string]any) {
		switch cfop := cfopOf(item); {
		case b.hasPurpose("devolution") && IsTradeCFOP(cfop):
			b.report(at+".cfop", "finding.cfop_return.trade", text.With{"cfop": cfop})
		case b.hasPurpose("normal") && IsReturnCFOP(cfop):
			b.report(at+".cfop", "finding.cfop_return.sale", text.With{"cfop": cfop})
		}
	}),
	"gtin": eachItem(func(b *body, at string, item map[string]any) {
		csosn := jsontree.Member(item, "taxes", "icms", "csosn")
		mayBeMEI := b.regime == RegimeMEI || b.regime == "" && csosn != nil
		if item["gtinCode"] == nil || item["gtinCode"] == "" && mayBeMEI {
			return
		}
		if written := codeText(item["gtinCode"]); written != "SEM GTIN" && !validGTIN(written) {
			law := map[bool]string{true: "883", false: "611"}[written == ""]
			b.breaks(law, at+".gtinCode", "finding.gtin", text.With{"gtin": written})
		}
	}),
}

// codeText is a code as it is written, as a text or as a number.
func codeText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// cfopOf is the CFOP of an item, or "" where it does not have the form of one.
func cfopOf(item map[string]any) string {
	cfop := strings.ReplaceAll(codeText(item["cfop"]), ".", "")
	if len(cfop) != 4 || !allDigits(cfop) || !strings.ContainsRune("123567", rune(cfop[0])) {
		return ""
	}
	return cfop
}

// validGTIN checks the length and the check digit, which weighs the others by 3 and 1 in turn from the right.
// Zeros are nobody's.
func validGTIN(s string) bool {
	if !allDigits(s) || !slices.Contains([]int{8, 12, 13, 14}, len(s)) {
		return false
	}
	sum := 0
	for i := range len(s) {
		sum += int(s[i]-'0') * (1 + (len(s)-1-i)%2*2)
	}
	return sum > 0 && sum%10 == 0
}
