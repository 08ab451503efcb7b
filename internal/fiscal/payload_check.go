package fiscal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says what a finding means.
type Severity string

// The severities of a finding. An error is what the specification of the service
// excludes. A warning is what the service decides, or the authority.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Finding is something that is, or may be, wrong with an issuing body.
type Finding struct {
	Severity Severity
	Path     string // such as items[0].cfop
	Code     string // of the rule
	Message  string // what is wrong, and what to do
}

// PayloadRule is a rule of [CheckPayload].
type PayloadRule struct {
	Code     string
	Severity Severity
	About    string   // what it finds
	Source   string   // where the rule is from, beside its laws
	Laws     []string // the rejections that it foresees
	models   []string
	check    func(b *body, report func(path, format string, args ...any))
}

// Sources are where a rule is from, with the rejections that it foresees.
func (r PayloadRule) Sources() string {
	var all []string
	for _, code := range r.Laws {
		if law, ok := LawOf(code); ok {
			all = append(all, fmt.Sprintf("%s (%s)", law.Source, code))
		}
	}
	if r.Source != "" {
		all = append(all, r.Source)
	}
	return strings.Join(all, "; ")
}

// holdsOn reports whether one of the rule's laws is in force on a day, or it has none.
func (r PayloadRule) holdsOn(day string) bool {
	return len(r.Laws) == 0 || slices.ContainsFunc(r.Laws, func(code string) bool {
		law, ok := LawOf(code)
		return ok && law.HoldsOn(day)
	})
}

// body is an issuing body that is checked.
type body struct {
	model  string
	value  map[string]any
	now    string // an ISO 8601 date, or "" where nobody knows
	regime string // of the issuer, as CheckPayload has it
}

var (
	goods = []string{modelNFe, modelNFCe}
	nfe   = []string{modelNFe}
	nfce  = []string{modelNFCe}
	nfse  = []string{modelNFSe}
)

// PayloadRules are the rules of [CheckPayload], in the order of their findings.
func PayloadRules() []PayloadRule {
	return slices.Concat(shapeRules, partyRules, operationRules, itemRules, taxRules, sumRules, serviceRules)
}

// CheckPayload says what is wrong with an issuing body, which is a decoded JSON
// value. now is an ISO 8601 date by which a past date is told; without it none is. regime
// is the issuer's, one of [RegimeSimples] and its siblings; of another word, or none, what
// depends on it is not told. The findings depend on the arguments alone, and so does their order.
func CheckPayload(model string, payload any, now, regime string) []Finding {
	value, ok := payload.(map[string]any)
	if !ok {
		return []Finding{{SeverityError, "", notAnObject, "An issuing body is a JSON object in the service's own field names, for example " +
			"{\"description\": \"...\", \"federalServiceCode\": \"17.01\", \"total\": {\"invoiceAmount\": 100}}."}}
	}
	b := &body{model, value, now, regime}
	var found []Finding
	for _, rule := range PayloadRules() {
		if rule.check == nil || rule.models != nil && !slices.Contains(rule.models, model) || !rule.holdsOn(b.day()) {
			continue
		}
		rule.check(b, func(path, format string, args ...any) {
			found = append(found, Finding{rule.Severity, path, rule.Code, fmt.Sprintf(format, args...)})
		})
	}
	return found
}

// ofSimples reports whether the issuer has CSOSN in place of CST; known is false where its regime is not.
func (b *body) ofSimples() (simples, known bool) {
	simples = b.regime == RegimeSimples || b.regime == RegimeMEI
	return simples, simples || b.regime == RegimeExcess || b.regime == RegimeNormal
}

// day is the day of emission, such as 2026-11-22, as far as it is known.
func (b *body) day() string {
	for _, date := range []string{textAt(b.value, "effectiveDate"), b.now} {
		if _, ok := momentOf(date); ok {
			return date[:len("2026-11-22")]
		}
	}
	return ""
}

// hasPurpose reports whether a body has one of some purposes. One without any is normal.
func (b *body) hasPurpose(purposes ...string) bool {
	return foldedIn(cmp.Or(textAt(b.value, "purposeType"), "normal"), purposes)
}

// ofReformAlone reports whether a body is of IBS and CBS alone: a credit or debit note, or
// the receipt of a payment by a public body.
func (b *body) ofReformAlone() bool {
	return b.hasPurpose("credit", "debit") || strings.EqualFold(textAt(b.value, "govOperationType"), "receipt")
}

func indexed(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// textAt is a member of an object that is a text, or "".
func textAt(object map[string]any, name string) string {
	value, _ := object[name].(string)
	return value
}

// objectAt is a member that is an object; nil where there is none.
func objectAt(object map[string]any, name string) map[string]any {
	value, _ := object[name].(map[string]any)
	return value
}

// eachItem visits the items that are objects.
func (b *body) eachItem(visit func(path string, item map[string]any)) {
	items, _ := b.value["items"].([]any)
	for i, item := range items {
		if object, ok := item.(map[string]any); ok {
			visit(indexed("items", i), object)
		}
	}
}

// missing lists the members of an object that are absent or null, or an empty text.
func missing(object map[string]any, names ...string) []string {
	var absent []string
	for _, name := range names {
		if value := object[name]; value == nil || value == "" {
			absent = append(absent, "`"+name+"`")
		}
	}
	return absent
}
