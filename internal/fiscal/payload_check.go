package fiscal

import (
	"cmp"
	_ "embed" // The table.
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
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
	Path     string    // such as items[0].cfop
	Code     string    // of the rule
	Message  text.Text // what is wrong, and what to do
	Law      string    // the rejection that it foresees, where the rule tells that of each finding
}

// PayloadRule is a rule of [CheckPayload].
type PayloadRule struct {
	Code     string
	Severity Severity
	Of       string   // the documents that it is about, such as "NF-e, NFC-e"
	Laws     []string // the rejections that it foresees
	Source   string   // where the rule is from, beside its laws
	About    string   // what it finds
	check    func(b *body)
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
	regime string // of the issuer, as Issuer has it
	state  string // of the issuer, such as SP, or ""

	rule  PayloadRule // the rule that is looking
	found []Finding
}

// report adds a finding of the rule that is looking, which foresees at most one rejection.
func (b *body) report(path, key string, with text.With) {
	law := ""
	if len(b.rule.Laws) == 1 {
		law = b.rule.Laws[0]
	}
	b.breaks(law, path, key, with)
}

// breaks adds a finding that foresees a rejection.
func (b *body) breaks(law, path, key string, with text.With) {
	b.found = append(b.found, Finding{b.rule.Severity, path, b.rule.Code, text.Of(key, with), law})
}

// The rules stand in the order of their findings. Each has a check of its code.
//
//go:embed rules.csv
var rulesCSV string

// PayloadRules are the rules of [CheckPayload], in the order of their findings.
var PayloadRules = sync.OnceValue(func() []PayloadRule {
	checks := map[string]func(*body){}
	for _, some := range []map[string]func(*body){
		shapeChecks, partyChecks, operationChecks, itemChecks, taxChecks, reformChecks, sumChecks, serviceChecks,
	} {
		maps.Copy(checks, some)
	}
	var rules []PayloadRule
	for _, row := range tableRows(rulesCSV) {
		laws := strings.Fields(row[3])
		rules = append(rules, PayloadRule{row[0], Severity(row[1]), row[2], laws, row[4], row[5], checks[row[0]]})
	}
	return rules
})

// CheckPayload says what is wrong with an issuing body, a decoded JSON value. Decode it with [json.Decoder.UseNumber],
// as jsontree.Decode does: the checks do not see a float64. A past date is judged by now, an ISO 8601 date, and ""
// judges none. regime is the issuer's, such as [RegimeSimples]; any other text leaves out what depends on it. The
// findings, and their order, depend on the arguments alone.
func CheckPayload(model string, payload any, now, regime string) []Finding {
	return Issuer{Regime: regime}.CheckPayload(model, payload, now)
}

// Issuer is what is known of the company that issues: its regime, and its state in any case. "" is not known.
type Issuer struct{ Regime, State string }

// CheckPayload is [CheckPayload] with what is known of the issuer.
func (i Issuer) CheckPayload(model string, payload any, now string) []Finding {
	value, ok := payload.(map[string]any)
	if !ok {
		return []Finding{{SeverityError, "", notAnObject, text.Of("finding.not_an_object", nil), ""}}
	}
	b := &body{model: model, value: AsRead(model, value), now: now, regime: i.Regime, state: strings.ToUpper(i.State)}
	for _, b.rule = range PayloadRules() {
		if b.rule.check != nil && strings.Contains(b.rule.Of, documents[model]) && b.rule.holdsOn(b.day()) {
			b.rule.check(b)
		}
	}
	return b.found
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

// isExport reports whether goods leave for another country.
func (b *body) isExport() bool {
	return strings.EqualFold(textAt(b.value, "destination"), "international") &&
		!strings.EqualFold(textAt(b.value, "operationType"), "incoming")
}

// hasOtherPlace reports whether the goods are picked up or delivered at another place.
func (b *body) hasOtherPlace() bool { return b.value["delivery"] != nil || b.value["pickup"] != nil }

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

// each visits the objects of a list.
func (b *body) each(list string, visit func(at string, object map[string]any)) {
	elements, _ := b.value[list].([]any)
	for i, element := range elements {
		if object, ok := element.(map[string]any); ok {
			visit(indexed(list, i), object)
		}
	}
}

// eachItem is a check of every item that is an object.
func eachItem(visit func(b *body, at string, item map[string]any)) func(*body) {
	return func(b *body) { b.each("items", func(at string, item map[string]any) { visit(b, at, item) }) }
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
