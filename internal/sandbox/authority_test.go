package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// broken is a change to a body, or to the account, that an authority rejects.
type broken struct {
	code  string
	words string // in the message
	path  string
	// change works on the body that is accepted.
	change func(b object)
	// account changes the company or its settings before.
	account func(c *client)
}

func item(b object) object { return b["items"].([]any)[0].(map[string]any) }
func icms(b object) object { return part(part(item(b), "taxes"), "icms") }

// with sets a field of a part of a body, "" for the body itself.
func with(where, name string, value any) func(b object) {
	return func(b object) {
		at := b
		switch where {
		case "":
		case "item":
			at = item(b)
		case "icms":
			at = icms(b)
		case "taxes":
			at = part(item(b), "taxes")
		case "payment":
			at = b["payments"].([]any)[0].(map[string]any)
		default:
			at = part(b, where)
		}
		if value == nil {
			delete(at, name)
		} else {
			at[name] = value
		}
	}
}

func all(changes ...func(b object)) func(b object) {
	return func(b object) {
		for _, change := range changes {
			change(b)
		}
	}
}

// company changes the main company before the invoice is sent.
func company(fields object) func(c *client) {
	return func(c *client) { c.s.Patch(KindCompanies, c.s.OwnerCompanyID(), fields) }
}

func settings(block string, fields object) func(c *client) {
	return func(c *client) { c.s.SetSettings(c.s.OwnerCompanyID(), map[string]any{block: fields}) }
}

const (
	product  = "/product-invoices"
	consumer = "/consumer-invoices"
	service  = "/service-invoices"
)

var oldCPF = company(object{"federalTaxNumber": "52998224725"})

// brokenRules break one rule each, of those that no document of the corpus breaks.
var brokenRules = []broken{
	{code: "SPD003", words: "não tem itens", path: product, change: with("", "items", []any{})},
	{code: "SPD003", words: "items[0].unitTax", path: product, change: with("item", "unitTax", nil)},
	{code: "SPD003", words: "items[0].makeupTotal", path: consumer, change: with("item", "makeupTotal", nil)},
	{code: "SPD003", words: "items[0].description", path: product, change: with("item", "description", "")},
	{code: "SPD003", words: "campo ncm deve ter 8 dígitos, ou ser 00 [nItem:1]", path: product, change: with("item", "ncm", "abc")},
	{code: "SPD003", words: "campo cfop", path: product, change: with("item", "cfop", 1)},
	{code: "SPD003", words: "Valores negativos", path: product, change: with("item", "discountAmount", -1)},
	{code: "SPD003", words: "taxes.icms", path: consumer, change: with("item", "taxes", nil)},
	{code: "SPD003", words: "um dos dois", path: product, change: with("icms", "origin", nil)},
	{code: "SPD003", words: "um dos dois", path: product, change: with("icms", "origin", "9")},
	{code: "SPD003", words: "um dos dois", path: product, change: all(with("icms", "cst", nil), with("icms", "csosn", "104"))},
	{code: "SPD003", words: "baseTax, rate e amount", path: product, change: all(with("icms", "baseTax", nil), with("icms", "amount", 0))},
	{code: "SPD003", words: "PIS e COFINS", path: product, change: with("taxes", "pis", object{"cst": "10"})},
	{code: "SPD003", words: "3 dígitos", path: product, change: with("taxes", "ibsCbs", object{"cst": "0"})},
	{code: "SPD003", words: "Forma de pagamento", path: product, change: with("", "payments", nil)},
	{code: "SPD003", words: "method e amount", path: product, change: with("payment", "amount", nil)},
	{code: "SPD003", words: "presenceType", path: consumer, change: with("", "presenceType", nil)},
	{code: "SPD003", words: "receiver.address. district", path: product, change: func(b object) { delete(part(part(b, "receiver"), "address"), "district") }},
	{code: "SPD003", words: "receiver.federalTaxNumber", path: product, change: with("receiver", "federalTaxNumber", nil)},
	{code: "SPD003", words: "não é CPF nem CNPJ", path: product, change: with("receiver", "federalTaxNumber", "123")},
	{code: "SPD003", words: "Inscrição estadual do emitente", path: product, account: company(object{"stateTaxNumber": nil})},

	{code: "225", words: "número 0", path: product, account: settings("productInvoice", object{"nextNumber": nil})},
	{code: "464", words: "CSC", path: consumer, account: settings("consumerInvoice", object{"csc": nil})},
	{code: "291", words: "vencido", path: product, account: func(c *client) {
		c.s.Seed(KindCertificates, object{"_companyId": c.s.OwnerCompanyID(), "isActive": true, "expirationAt": instant(noon.Add(-time.Hour))})
	}},
	{code: "207", words: "CNPJ do emitente", path: product, account: company(object{"federalTaxNumber": "98765432000199"})},
	{code: "401", words: "CPF do emitente", path: product, account: company(object{"federalTaxNumber": "11111111111"})},
	{code: "794", words: "domicílio", path: product, change: with("", "presenceType", "delivery")},

	{code: "E44", words: "prestador", path: service, account: company(object{"federalTaxNumber": "98765432000199"})},
	{code: "E0310", words: "não existe", path: service, change: with("", "nationalTaxationCode", "17.01"), account: settings("serviceInvoice", object{"issueType": "annfs"})},
	{code: "E0310", words: "não foi informado", path: service, account: settings("serviceInvoice", object{"issueType": "annfs"})},
	{code: "E0310", words: "nationalTaxationCode", path: service, account: company(object{"address": object{"city": object{"code": "3304557"}}})},
}

// breaches are all rules that an invoice breaks. What the service finds is not transmitted.
func (s *Server) breaches(ref invoiceRef) (met []rule) {
	s.locked(func() {
		p := s.present(ref)
		for _, r := range authorityRules() {
			transmitted := len(met) == 0 || met[0].code != codePayload || r.code == codePayload
			if _, broken := r.breach(p); broken && transmitted {
				met = append(met, r)
			}
		}
	})
	return met
}

func TestAuthority_eachRuleRejectsByItselfAlone(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	tested := map[string]bool{} // By their words.
	for _, s := range brokenDocuments {
		for _, r := range authorityRules() {
			// Of the codes that several rules have, each rule needs a test of its own.
			if slices.Contains(strings.Fields(s.code), r.code) && r.code != codePayload && r.code != "E0310" {
				tested[r.words] = true
			}
		}
	}
	t.Cleanup(func() {
		for _, r := range authorityRules() {
			if !tested[r.words] {
				t.Errorf("no test breaks %s of %s: %s", r.code, r.source, r.words)
			}
		}
	})
	for _, tt := range brokenRules {
		t.Run(tt.code+" "+tt.words+" "+tt.path, func(t *testing.T) {
			t.Parallel()
			c := newIssuer(t, Options{Clock: NewManualClock(noon)})
			if tt.account != nil {
				tt.account(c)
			}
			b := bodies[tt.path]()
			if tt.change != nil {
				tt.change(b)
			}
			doc := c.must("POST", tt.path, b)
			ref, _ := c.s.findInvoice(fmt.Sprint(doc["id"]))
			met := c.s.breaches(ref)
			if len(met) != 1 {
				t.Fatalf("the rules say %v, want one of them", met)
			}
			mu.Lock()
			tested[met[0].words] = true
			mu.Unlock()
			detail := part(c.must("GET", tt.path+"/"+ref.id, nil), "processingDetail")
			told := text(detail, "code") + " " + text(detail, "message")
			if met[0].code != tt.code || !strings.Contains(told, tt.code) || !strings.Contains(told, tt.words) {
				t.Errorf("processingDetail = %s, want %s with %q", told, tt.code, tt.words)
			}
			if status := statusOf(t, c, tt.path, ref.id); status != "rejected" {
				t.Errorf("status = %s, want rejected", status)
			}
		})
	}
}

func TestAuthority_acceptsWhatBreaksNoRule(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		path    string
		change  func(b object)
		account func(c *client)
	}{
		{name: "a service by the code of the city", path: service, change: all(with("", "federalServiceCode", nil), with("", "cityServiceCode", "02800"))},
		{name: "a service for somebody abroad", path: service, change: with("", "receiver", object{"name": "John", "federalTaxNumber": "AB123"})},
		{name: "a clock that is a little fast", path: consumer, change: with("", "effectiveDate", local(noon.Add(4*time.Minute)))},
		{name: "amounts in strings", path: product, change: all(with("item", "totalAmount", "10.00"), with("item", "quantity", "4"))},
		{name: "a rate as a fraction", path: product, change: with("icms", "rate", 0.2)},
		{name: "an item without IBS and CBS, which the service adds", path: product, change: with("taxes", "ibsCbs", nil), account: func(c *client) {
			c.s.clock = NewManualClock(noon.AddDate(0, 5, 0))
			settings("general", object{"taxReformFieldsEnabled": true})(c)
		}},
		{
			name: "a national service by the code of the city", path: service, change: with("", "cityServiceCode", "02800"),
			account: settings("serviceInvoice", object{"issueType": "annfs"}),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newIssuer(t, Options{Clock: NewManualClock(noon)})
			if tt.account != nil {
				tt.account(c)
			}
			b := bodies[tt.path]()
			if tt.change != nil {
				tt.change(b)
			}
			id := fmt.Sprint(c.must("POST", tt.path, b)["id"])
			if doc := c.must("GET", tt.path+"/"+id, nil); doc["status"] != "authorized" {
				t.Errorf("%v: %v", doc["status"], doc["processingDetail"])
			}
		})
	}
}

func TestAuthority_authorizesLateFromASevenDayOldDateOn(t *testing.T) {
	t.Parallel()
	for days, code := range map[int]string{6: "100", 8: "150"} {
		c := newIssuer(t, Options{Clock: NewManualClock(noon)})
		b := bodies[product]()
		b["effectiveDate"] = local(noon.AddDate(0, 0, -days))
		id := fmt.Sprint(c.must("POST", product, b)["id"])
		if got := text(part(c.must("GET", product+"/"+id, nil), "processingDetail"), "code"); got != code {
			t.Errorf("after %d days %s, want %s", days, got, code)
		}
	}
}

// Each code has its source, its documents and an explanation in one table.
func TestAuthority_answersNoCodeThatTheLawDoesNotHave(t *testing.T) {
	t.Parallel()
	if _, ok := fiscal.LawOf(codeNumberUsed); !ok {
		t.Errorf("%s is not in the table of law", codeNumberUsed)
	}
	for _, r := range authorityRules() {
		law, ok := fiscal.LawOf(r.code)
		if r.code != codePayload && (!ok || law.Cause == "" || len(r.models) == 0) || r.source == "" {
			t.Errorf("%s: %+v", r.code, law)
		}
		for _, model := range r.models {
			told := fiscal.ExplainRejection(r.code, model.name)
			if told.Kind == fiscal.RejectionUnknown || told.Cause == "" && r.code != codePayload {
				t.Errorf("rejection_explain says of %s of a %s: %+v", r.code, model.name, told)
			}
		}
	}
}

// A law that has ended does not hold on the day after its last one.
func TestAuthority_endsALawOnItsDay(t *testing.T) {
	t.Parallel()
	for code, ended := range map[string]string{"110": "2024-09-02", "205": "2024-09-02", "301": "2024-09-02", "786": "2024-07-01"} {
		law, _ := fiscal.LawOf(code)
		if day, err := time.Parse(time.DateOnly, ended); err != nil || law.HoldsOn(ended) || !law.HoldsOn(day.AddDate(0, 0, -1).Format(time.DateOnly)) {
			t.Errorf("%s does not end before %s: %+v", code, ended, law)
		}
	}
}

func TestAuthority_ofAnOrderLooksAtThePartiesAlone(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{"52998224725": "authorized", "52998224724": "rejected"} {
		c := newIssuer(t, Options{})
		c.must("POST", "/orders", object{
			"customer": object{"name": "Maria", "federalTaxNumber": number},
			"items":    []any{object{"quantity": 1, "price": 10, "product": object{"name": "Pão", "invoiceModel": "productInvoice"}}},
		})
		if got := c.s.Invoices("")[0]; got["status"] != want {
			t.Errorf("sold to %s: %v %v, want %s", number, got["status"], got["processingDetail"], want)
		}
	}
}

func TestAuthority_comesAfterTheScript(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.s.ScriptInvoice("s-1", Reject("999", "Erro não catalogado"))
	b := maps.Clone(bodies[service]())
	b["integrationId"] = "s-1"
	delete(b, "federalServiceCode")
	for _, want := range []string{"999", "E9999"} {
		id := fmt.Sprint(c.must("POST", service, b)["id"])
		wantFields(t, c.must("GET", service+"/"+id, nil), object{"status": "rejected", "processingDetail": object{"code": want}})
	}
}
