package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// The rules of the authorities decide on every invoice without a script: those of the states on NF-e and NFC-e, those
// of the cities and of the national environment on NFS-e. They are tables in authority_goods.go, authority_totals.go
// and authority_service.go. A breach is a rejection with the code of the authority or, as SPD003, of the service
// (specification, Fiscal rejections). The words are the sandbox's own.
//
// A company needs no certificate. The sandbox has no registers: it does not check which companies and tax
// registrations exist, which CFOP and NCM are in force, or what a single state or city demands. The rules are assumed
// to hold in every environment type.

// codeUnmapped replaces a code that is not numeric, such as a city's. The message then has the original code
// (specification, Fiscal rejections).
const codeUnmapped = "E9999"

// codePayload is the code of the service's own rejections: before transmission it checks the payload against the
// schema of the authority.
const codePayload = "SPD003"

// lawRule is a rule of an authority. The table of law, which the provider's own checks read too, says where the rule is
// published, which documents it is about and when it holds.
type lawRule struct {
	code string
	// sale is set if the rule holds for an order's invoice too, whose taxation and payment the service fills in.
	sale  bool
	words string
	// broken reports whether the invoice breaks the rule, and where; "" if the words say it already.
	broken func(p *presented) (where string, broken bool)
}

type byLaw []lawRule

// lawModels are the models by their names in the table of law.
var lawModels = map[string]invoiceModel{"NF-e": modelProduct, "NFC-e": modelConsumer, "NFS-e": modelService}

func (l byLaw) rules() []rule {
	var all []rule
	for _, r := range l {
		law, _ := fiscal.LawOf(r.code)
		var models []invoiceModel
		for document, model := range lawModels {
			if strings.Contains(law.Of, document) {
				models = append(models, model)
			}
		}
		all = append(all, rule{r.code, models, r.sale, law.Source, r.words, r.broken})
	}
	return all
}

// rule is one reason for a rejection.
type rule struct {
	code string
	// models are the models that the rule is for.
	models []invoiceModel
	// sale is set if the rule holds for an order's invoice too, whose taxation and payment the service fills in.
	sale bool
	// source is where the rule is published.
	source string
	words  string
	// broken reports whether the invoice breaks the rule, and where; "" if the words say it already.
	broken func(p *presented) (where string, broken bool)
}

// The models of a rule of the service.
var (
	bothGoods = []invoiceModel{modelProduct, modelConsumer}
	nfe       = []invoiceModel{modelProduct}
	nfce      = []invoiceModel{modelConsumer}
)

// presented is an invoice as the authority gets it.
type presented struct {
	model invoiceModel
	doc   object
	// payload is the body of the issuing request, nil of an order's invoice.
	payload  object
	items    []object
	company  object
	settings object
	receiver object
	// certificateEnds is the end of the company's active certificate, zero without one.
	certificateEnds time.Time
	// reformAdded is set if the service adds IBS and CBS by itself.
	reformAdded bool
	// at is the time of the request to issue; emission is the date in the payload, or else at.
	at       time.Time
	emission time.Time
	// findings are what payload_check says of the payload.
	findings []fiscal.Finding
}

// present collects the facts that the rules check.
func (s *Server) present(ref invoiceRef) *presented {
	doc := s.invoice(ref)
	company, _ := s.get(KindCompanies, text(doc, "_company"))
	p := &presented{
		model: ref.model, doc: doc, payload: fiscal.AsRead(ref.model.name, part(doc, "_payload")), company: company,
		receiver: part(doc, "receiver"), settings: s.settingsBlock(text(doc, "_company"), ref.model.name),
	}
	p.items = objectsOf(p.payload["items"])
	p.reformAdded = truth(s.settingsBlock(text(doc, "_company"), "general"), "taxReformFieldsEnabled")
	ofIssuer := ofCompany(text(doc, "_company"))
	isUsed := func(doc object) bool { return ofIssuer(doc) && truth(doc, "isActive") }
	if active, ok := s.find(KindCertificates, isUsed); ok {
		p.certificateEnds, _ = parseMoment(text(active, "expirationAt"))
	}
	p.at, _ = parseMoment(text(doc, "_enqueuedAt"))
	p.emission = p.at
	if t, ok := parseMoment(cmp.Or(text(doc, "effectiveDate"), text(p.payload, "issuedOn"))); ok {
		p.emission = t
	}
	if p.payload != nil {
		now := p.at.Format(time.RFC3339)
		issuer := fiscal.Issuer{Regime: text(p.company, "taxRegime"), State: state(p.company)}
		p.findings = issuer.CheckPayload(p.model.name, p.payload, now)
	}
	return p
}

// refusedByAuthority returns the rejection by the first rule that the invoice breaks, "" if it breaks none.
func (s *Server) refusedByAuthority(ref invoiceRef) (code, message string) {
	p := s.present(ref)
	for _, r := range authorityRules() {
		if message, broken := r.breach(p); broken {
			return r.answered(), message
		}
	}
	return "", ""
}

// authorityRules are all rules in their order: first those of the service, then those of the authority.
func authorityRules() []rule {
	return slices.Concat(payloadRules, goodsRules.rules(), itemRules.rules(), totalRules.rules(), serviceRules.rules())
}

// answered is the code as the service answers it.
func (r rule) answered() string {
	if strings.HasPrefix(r.code, "E") {
		return codeUnmapped
	}
	return r.code
}

// breach returns the message for an invoice that breaks the rule, and whether it does.
func (r rule) breach(p *presented) (message string, broken bool) {
	if !slices.Contains(r.models, p.model) || p.payload == nil && !r.sale {
		return "", false
	}
	if law, ok := fiscal.LawOf(r.code); ok && !law.HoldsOn(p.day()) {
		return "", false
	}
	where, broken := r.broken(p)
	if !broken {
		return "", false
	}
	switch {
	case r.answered() != r.code:
		message = r.code + ": "
	case r.code != codePayload:
		message = "Rejeição: "
	}
	message += r.words
	if where != "" {
		message += " " + where
	}
	return message, true
}

// when is the predicate of a rule whose words need no addition.
func when(test func(p *presented) bool) func(*presented) (string, bool) {
	return func(p *presented) (string, bool) { return "", test(p) }
}

// found is the predicate of a rule that payload_check has too: it is written there. code is the rejection that a
// finding foresees, or, where it foresees none, the one of that rule.
func found(code string) func(*presented) (string, bool) {
	return func(p *presented) (string, bool) {
		for _, f := range p.findings {
			if f.Law != code && (f.Law != "" || f.Code != code) {
				continue
			}
			if index, isItem := strings.CutPrefix(f.Path, "items["); isItem {
				index, _, _ = strings.Cut(index, "]")
				i, _ := strconv.Atoi(index) // A path has digits there.
				return fmt.Sprintf("[nItem:%d]", i+1), true
			}
			return "", true
		}
		return "", false
	}
}

// inItem is the predicate of a rule that one of the items breaks; the authority names it by its number.
func inItem(test func(p *presented, item object) bool) func(*presented) (string, bool) {
	return func(p *presented) (string, bool) {
		for i, item := range p.items {
			if test(p, item) {
				return fmt.Sprintf("[nItem:%d]", i+1), true
			}
		}
		return "", false
	}
}

// inPayment is the predicate of a rule that one of the payments breaks.
func inPayment(test func(payment object) bool) func(*presented) (string, bool) {
	return when(func(p *presented) bool { return slices.ContainsFunc(objectsOf(p.payload["payments"]), test) })
}

// day is the day of emission, such as 2026-11-22.
func (p *presented) day() string { return p.emission.In(localZone).Format(time.DateOnly) }

// purpose is what the invoice is issued for, such as "normal" or "return".
func (p *presented) purpose() string { return text(p.doc, "purposeType") }

// normal reports whether the invoice is a sale, and no return, adjustment or the like.
func (p *presented) normal() bool { return p.purpose() == "normal" }

// taxOf is the group of a tax of an item, nil where the item has none.
func taxOf(item object, tax string) object { return part(part(item, "taxes"), tax) }

// state is the state of an address in lower case, "" where it does not say.
func state(party object) string {
	return text(part(part(party, "address"), "city"), "state")
}

// isSimples reports whether the issuer pays its taxes in the simplified regime; known is false where the company does
// not say.
func (p *presented) isSimples() (simples, known bool) {
	switch text(p.company, "taxRegime") {
	case "simplesNacional", "simplesNacionalMEI":
		return true, true
	case "":
		return false, false
	default:
		return false, true
	}
}

// objectsOf are the objects of a list.
func objectsOf(v any) []object {
	var out []object
	list, _ := v.([]any)
	for _, entry := range list {
		if doc, ok := entry.(object); ok {
			out = append(out, doc)
		}
	}
	return out
}
