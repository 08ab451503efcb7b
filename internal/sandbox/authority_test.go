package sandbox

import (
	"fmt"
	"maps"
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

var (
	rio      = object{"code": 3304557}
	past     = local(noon.AddDate(0, 0, -31))
	earlier  = local(noon.Add(-6 * time.Minute))
	tomorrow = local(noon.AddDate(0, 0, 1))
	simples  = company(object{"taxRegime": "simplesNacional"})
	oldCPF   = company(object{"federalTaxNumber": "52998224725"})
)

// brokenRules is one way at least to break each rule, and that rule alone.
var brokenRules = []broken{
	{code: "SPD003", words: "não tem itens", path: product, change: with("", "items", []any{})},
	{code: "SPD003", words: "items[0].unitTax", path: product, change: with("item", "unitTax", nil)},
	{code: "SPD003", words: "items[0].makeupTotal", path: consumer, change: with("item", "makeupTotal", nil)},
	{code: "SPD003", words: "items[0].description", path: product, change: with("item", "description", "")},
	{code: "SPD003", words: "campo ncm deve ter 8 dígitos, ou ser 00 [nItem:1]", path: product, change: with("item", "ncm", "abc")},
	{code: "SPD003", words: "campo cfop", path: product, change: with("item", "cfop", 1)},
	{code: "SPD003", words: "campo cfop", path: product, change: with("item", "cfop", 4102)},
	{code: "SPD003", words: "Valores negativos", path: product, change: with("item", "discountAmount", -1)},
	{code: "SPD003", words: "taxes.icms", path: consumer, change: with("item", "taxes", nil)},
	{code: "SPD003", words: "um dos dois", path: product, change: with("icms", "origin", nil)},
	{code: "SPD003", words: "um dos dois", path: product, change: with("icms", "origin", "9")},
	{code: "SPD003", words: "um dos dois", path: product, change: all(with("icms", "cst", "01"))},
	{code: "SPD003", words: "um dos dois", path: product, change: all(with("icms", "cst", nil), with("icms", "csosn", "104"))},
	{code: "SPD003", words: "um dos dois", path: product, change: with("icms", "cst", nil)},
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
	{code: "703", words: "posterior", path: product, change: with("", "effectiveDate", tomorrow)},
	{code: "703", words: "posterior", path: consumer, change: with("", "issuedOn", tomorrow)},
	{code: "228", words: "muito atrasada", path: product, change: with("", "effectiveDate", past)},
	{code: "228", words: "muito atrasada", path: product, change: with("", "issuedOn", "2020-01-02T10:00:00-03:00")},
	{code: "704", words: "atrasada", path: consumer, change: with("", "effectiveDate", earlier)},
	{code: "207", words: "CNPJ do emitente", path: product, account: company(object{"federalTaxNumber": "98765432000199"})},
	{code: "401", words: "CPF do emitente", path: product, account: company(object{"federalTaxNumber": "11111111111"})},
	{code: "337", words: "pessoa física", path: consumer, account: oldCPF},
	{code: "254", words: "não possui", path: product, change: with("", "purposeType", "complement")},
	{code: "255", words: "mais de uma", path: product, change: all(with("", "purposeType", "complement"), with("", "referencedDocuments", []any{object{}, object{}}))},
	{code: "708", words: "referenciar", path: consumer, change: with("", "referencedDocuments", []any{object{"accessKey": "1"}})},
	{code: "707", words: "interestadual", path: consumer, change: with("", "destination", "interstate")},
	{code: "706", words: "entrada", path: consumer, change: with("", "operationType", "incoming")},
	{code: "715", words: "finalidade", path: consumer, change: with("", "purposeType", "complement")},
	{code: "716", words: "consumidor final", path: consumer, change: with("", "isFinalCustomer", false)},
	{code: "717", words: "presencial", path: consumer, change: with("", "presenceType", "internet")},
	{code: "794", words: "domicílio", path: product, change: with("", "presenceType", "delivery")},
	{code: "719", words: "identificação do destinatário", path: product, change: with("", "receiver", nil)},
	{code: "787", words: "identificação", path: consumer, change: with("", "presenceType", "delivery")},
	{code: "788", words: "endereço", path: consumer, change: all(with("", "presenceType", "delivery"), with("", "receiver", object{"name": "Maria", "federalTaxNumber": "52998224725"}))},
	{code: "724", words: "nome", path: product, change: with("receiver", "name", nil)},
	{code: "726", words: "endereço", path: product, change: with("receiver", "address", nil)},
	{code: "208", words: "CNPJ do destinatário", path: product, change: with("receiver", "federalTaxNumber", "11222333000182")},
	{code: "208", words: "CNPJ do destinatário", path: product, change: with("receiver", "federalTaxNumber", "00000000000000")},
	{code: "237", words: "CPF do destinatário", path: product, change: with("receiver", "federalTaxNumber", "11111111111")},
	{code: "237", words: "CPF do destinatário", path: consumer, change: with("", "receiver", object{"federalTaxNumber": "52998224724"})},
	{code: "729", words: "IE", path: consumer, change: with("", "receiver", object{"federalTaxNumber": "52998224725", "stateTaxNumber": "110042490114"})},
	{code: "730", words: "Suframa", path: consumer, change: with("", "receiver", object{"federalTaxNumber": "52998224725", "suframaTaxNumber": "1"})},
	{code: "521", words: "contribuinte", path: product, change: all(with("", "presenceType", "internet"), with("receiver", "stateTaxNumber", "99999993"), inRio)},
	{code: "772", words: "Interestadual", path: product, change: all(with("", "destination", "interstate"), with("item", "cfop", 3102), with("", "operationType", "incoming"), with("", "destination", "interstate"), with("item", "cfop", 2102)), account: nil},
	{code: "773", words: "Interna", path: product, change: all(with("", "isFinalCustomer", false), with("", "presenceType", "presence"), with("receiver", "stateTaxNumber", "99999993"), inRio)},
	{code: "864", words: "fora do estabelecimento", path: product, change: with("", "presenceType", "5")},
	{code: "1001", words: "somente de IBS e CBS", path: product, change: all(with("", "purposeType", "debit"), with("", "debitType", "penaltyAndInterest"))},
	{code: "696", words: "consumidor final", path: product, change: with("", "isFinalCustomer", false)},
	{code: "750", words: "10.000,00", path: consumer, change: func(b object) {
		b["items"] = []any{soldItem("1", 1, 10000.5)}
		with("payment", "amount", 10000.5)(b)
	}},

	{code: "777", words: "NCM completo [nItem:1]", path: product, change: with("item", "ncm", "19")},
	{code: "471", words: "NCM=00", path: product, change: with("item", "ncm", "00")},
	{code: "778", words: "NCM inexistente [nItem:1]", path: consumer, change: with("item", "ncm", "99059090")},
	{code: "883", words: "vazio", path: consumer, change: with("item", "gtinCode", "")},
	{code: "327", words: "não é de devolução", path: product, change: all(with("", "purposeType", "devolution"), with("item", "referencedDocument",
		object{"accessKey": "33150308370779000149550010001100931002410775", "itemNumber": 1}), with("", "payments", nil))},
	{code: "328", words: "é de devolução", path: product, change: with("item", "cfop", 5202)},
	{code: "766", words: "não é de NFC-e", path: consumer, change: with("icms", "cst", "51")},
	{code: "383", words: "não é de NFC-e", path: consumer, account: simples, change: eachICMS(object{"origin": "0", "csosn": "102"}, object{"origin": "0", "csosn": "101"})},
	{code: "382", words: "CST da NFC-e", path: consumer, change: with("item", "cfop", 5405)},
	{code: "386", words: "CSOSN da NFC-e", path: consumer, account: simples, change: eachICMS(object{"origin": "0", "csosn": "102"}, object{"origin": "0", "csosn": "500"})},
	{code: "1024", words: "não combina com o CST", path: consumer, change: with("taxes", "ibsCbs", object{"cst": "000", "cClassTrib": "200001"})},
	{code: "1115", words: "IBS nem CBS", path: product, change: with("taxes", "ibsCbs", nil), account: func(c *client) { c.s.clock = NewManualClock(noon.AddDate(0, 5, 0)) }},
	{code: "611", words: "GTIN", path: product, change: with("item", "gtinCode", "7891000315508")},
	{code: "518", words: "CFOP de entrada", path: product, change: with("item", "cfop", 1102)},
	{code: "519", words: "CFOP de saída", path: product, change: with("", "operationType", "incoming")},
	{code: "731", words: "Exterior", path: product, change: all(with("item", "cfop", 7102), func(b object) {
		delete(part(part(b, "receiver"), "address"), "city")
		part(part(b, "receiver"), "address")["city"] = object{"state": "ex", "name": "Lisboa"}
	})},
	{code: "732", words: "idDest <> 2", path: product, change: all(with("item", "cfop", 6102), inRio)},
	{code: "733", words: "idDest <> 1", path: product, change: all(with("", "destination", "interstate"), inRio)},
	{code: "520", words: "EX", path: product, change: all(with("item", "cfop", 7102), with("", "destination", "international"))},
	{code: "523", words: "Estadual", path: product, change: all(with("item", "cfop", 6102), with("", "destination", nil))},
	{code: "725", words: "CFOP", path: consumer, change: with("item", "cfop", 5401)},
	{code: "483", words: "desconto", path: product, change: all(with("item", "discountAmount", 10.5), with("", "total", nil))},
	{code: "742", words: "IPI", path: consumer, change: with("taxes", "ipi", object{"cst": "53"})},
	{code: "774", words: "total", path: consumer, change: all(with("item", "makeupTotal", false))},
	{code: "590", words: "Simples", path: product, account: simples},
	{code: "591", words: "CSOSN", path: product, change: func(b object) { part(item(b), "taxes")["icms"] = object{"origin": "0", "csosn": "102"} }},
	{code: "745", words: "PIS", path: product, change: with("taxes", "pis", nil)},
	{code: "748", words: "COFINS", path: product, change: with("taxes", "cofins", nil)},
	{code: "629", words: "Quantidade Comercial [nItem:1]", path: product, change: with("item", "unitAmount", 99)},
	{code: "630", words: "Quantidade Tributável", path: product, change: with("item", "quantityTax", 99)},
	{code: "528", words: "Alíquota", path: product, change: with("icms", "amount", 3)},

	{code: "531", words: "BC ICMS", path: product, change: with("total", "icmsBaseTax", 9)},
	{code: "532", words: "Total do ICMS", path: product, change: with("total", "icmsAmount", 9)},
	{code: "564", words: "Produtos", path: product, change: with("total", "productAmount", 9)},
	{code: "535", words: "Frete", path: product, change: all(with("total", "freightAmount", 5), with("total", "invoiceAmount", 15), with("payment", "amount", 15))},
	{code: "537", words: "Desconto", path: product, change: all(with("total", "discountAmount", 5), with("total", "invoiceAmount", 5), with("payment", "amount", 5))},
	{code: "610", words: "valor Total", path: product, change: all(with("total", "invoiceAmount", 99), with("payment", "amount", 99))},
	{code: "871", words: "Sem Pagamento", path: product, change: with("", "purposeType", "adjustment")},
	{code: "899", words: "meio de pagamento", path: consumer, change: all(with("payment", "method", "90"), with("payment", "amount", 0))},
	{code: "904", words: "valor de pagamento", path: product, change: with("payment", "method", "90")},
	{code: "441", words: "descrição", path: product, change: with("payment", "method", "99")},
	{code: "904", words: "valor de pagamento", path: product, change: with("payment", "method", "91")},
	{code: "865", words: "menor", path: product, change: with("payment", "amount", 7.7)},
	{code: "865", words: "menor", path: consumer, change: with("payment", "amount", 7.7)},
	{code: "866", words: "troco", path: product, change: with("payment", "amount", 20)},
	{code: "869", words: "troco", path: product, change: all(with("payment", "amount", 20), with("", "changeAmount", 9))},

	{code: "E44", words: "prestador", path: service, account: company(object{"federalTaxNumber": "98765432000199"})},
	{code: "E47", words: "tomador", path: service, change: with("", "receiver", object{"name": "A", "federalTaxNumber": "52998224724"})},
	{code: "E52", words: "próprio", path: service, change: with("", "receiver", object{"name": "A", "federalTaxNumber": "98765432000198"})},
	{code: "E16", words: "data de hoje", path: service, change: with("", "effectiveDate", tomorrow)},
	{code: "E18", words: "0,00", path: service, change: with("total", "invoiceAmount", 0)},
	{code: "E18", words: "0,00", path: service, change: with("total", "invoiceAmount", -5)},
	{code: "E21", words: "descontos", path: service, change: with("total", "discountUnconditionedAmount", 151)},
	{code: "E19", words: "deduções", path: service, change: with("total", "deductionsAmount", 151)},
	{code: "E31", words: "federalServiceCode", path: service, change: with("", "federalServiceCode", nil)},
	{code: "E30", words: "LC 116", path: service, change: with("", "federalServiceCode", "170101")},
	{code: "E30", words: "LC 116", path: service, change: with("", "federalServiceCode", "41.01")},
	{code: "E0310", words: "não existe", path: service, change: with("", "nationalTaxationCode", "17.01"), account: settings("serviceInvoice", object{"issueType": "annfs"})},
	{code: "E0310", words: "não foi informado", path: service, account: settings("serviceInvoice", object{"issueType": "annfs"})},
	{code: "E0310", words: "nationalTaxationCode", path: service, account: company(object{"address": object{"city": object{"code": "3304557"}}})},
}

// eachICMS sets the ICMS of the first item, and of all others.
func eachICMS(others, first object) func(b object) {
	return func(b object) {
		for _, sold := range b["items"].([]any) {
			part(sold.(object), "taxes")["icms"] = others
		}
		part(item(b), "taxes")["icms"] = first
	}
}

func inRio(b object) { part(part(b, "receiver"), "address")["city"] = rio }

func TestAuthority_eachRuleRejectsByItselfAlone(t *testing.T) {
	t.Parallel()
	rules := authorityRules()
	var mu sync.Mutex
	tested := map[int]bool{}
	inCorpus := map[string]bool{} // The corpus breaks them.
	for _, s := range brokenDocuments {
		inCorpus[s.code] = true
	}
	t.Cleanup(func() {
		for i, r := range rules {
			if !tested[i] && !inCorpus[r.code] {
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
			var met []string
			c.s.locked(func() {
				p := c.s.present(ref)
				for i, r := range rules {
					// What the service finds is not transmitted.
					transmitted := len(met) == 0 || !strings.HasPrefix(met[0], codePayload) || r.code == codePayload
					if message, broken := r.breach(p); broken && transmitted {
						met = append(met, r.answered()+" "+message)
						mu.Lock()
						tested[i] = true
						mu.Unlock()
					}
				}
			})
			if len(met) != 1 {
				t.Fatalf("the rules say %q, want one of them", met)
			}
			detail := part(c.must("GET", tt.path+"/"+ref.id, nil), "processingDetail")
			if got := text(detail, "code") + " " + text(detail, "message"); got != met[0] || !strings.Contains(got, tt.code) || !strings.Contains(got, tt.words) {
				t.Errorf("processingDetail = %s, want %s with %q", got, tt.code, tt.words)
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
		{name: "a sale", path: product},
		{name: "a sale over the counter", path: consumer},
		{name: "a service", path: service},
		{name: "a service by the code of the city", path: service, change: all(with("", "federalServiceCode", nil), with("", "cityServiceCode", "02800"))},
		{name: "a national service", path: service, change: all(with("", "federalServiceCode", nil), with("", "nationalTaxationCode", "170101")), account: settings("serviceInvoice", object{"issueType": "annfs"})},
		{name: "a service of last year", path: service, change: with("", "effectiveDate", local(noon.AddDate(-1, 0, 0)))},
		{name: "a service for somebody abroad", path: service, change: with("", "receiver", object{"name": "John", "federalTaxNumber": "AB123"})},
		{name: "a date within a month", path: product, change: with("", "effectiveDate", local(noon.AddDate(0, 0, -29)))},
		{name: "a clock that is a little fast", path: consumer, change: with("", "effectiveDate", local(noon.Add(4*time.Minute)))},
		{name: "an alphanumeric CNPJ", path: product, change: with("receiver", "federalTaxNumber", "12.ABC.345/01DE-35")},
		{name: "change for a note", path: product, change: all(with("payment", "amount", 20), with("", "changeAmount", 10))},
		{name: "amounts in strings", path: product, change: all(with("item", "totalAmount", "10.00"), with("item", "quantity", "4"))},
		{name: "a rate as a fraction", path: product, change: with("icms", "rate", 0.2)},
		{name: "an amount that was rounded", path: product, change: func(b object) {
			b["items"] = []any{soldItem("1", 3, 3.333)}
			item(b)["totalAmount"], b["total"], icms(b)["baseTax"], icms(b)["amount"] = 10, object{"invoiceAmount": 10}, 10, 2
		}},
		{name: "freight, discount and a bar code", path: product, change: func(b object) {
			item(b)["freightAmount"], item(b)["discountAmount"], item(b)["gtinCode"] = 3, 1, "7891000315507"
			b["total"] = object{"productAmount": 10, "freightAmount": 3, "discountAmount": 1, "invoiceAmount": 12, "icmsBaseTax": 10, "icmsAmount": 2}
			with("payment", "amount", 12)(b)
		}},
		{name: "a company of the simplified regime", path: product, account: simples, change: func(b object) { part(item(b), "taxes")["icms"] = object{"origin": 0, "csosn": 102} }},
		{name: "another state", path: product, change: all(inRio, with("", "destination", "interstate"), with("item", "cfop", 6102),
			with("icms", "rate", 12), with("icms", "amount", 1.2))},
		{name: "a complement of one invoice", path: product, change: all(
			with("", "purposeType", "complement"), with("", "referencedDocuments", []any{object{}}))},
		{name: "goods that are given away", path: product, change: all(with("payment", "method", "90"), with("payment", "amount", 0))},
		{name: "what is paid later", path: product, change: all(with("payment", "method", "91"), with("payment", "amount", 0))},
		{name: "a total within half a real", path: product, change: all(with("total", "invoiceAmount", 10.5), with("payment", "amount", 10.5))},
		{name: "a debit note of IBS and CBS alone", path: product, change: all(with("", "purposeType", "debit"), with("", "debitType", "penaltyAndInterest"),
			with("taxes", "icms", nil), with("taxes", "pis", nil), with("taxes", "cofins", nil), with("", "total", nil), with("", "payments", nil))},
		{name: "a sale in the street", path: consumer, change: with("", "presenceType", "5")},
		{name: "a rural producer", path: consumer, change: with("", "series", "920"), account: oldCPF},
		{name: "fuel beside the simplified regime", path: consumer, account: simples, change: all(with("item", "cfop", 5656),
			eachICMS(object{"origin": "0", "csosn": "102"}, object{"origin": "0", "cst": "61"}))},
		{name: "a receiver elsewhere whose goods are delivered here", path: product, change: all(inRio, with("receiver", "stateTaxNumber", "99999993"), with("", "isFinalCustomer", false),
			with("", "delivery", object{"name": "Loja", "address": object{"street": "a", "number": "1", "district": "b", "city": object{"code": 3550308}}}))},
		{name: "no ICMS on what is exempt from it", path: product, change: all(with("icms", "cst", "40"), with("total", "icmsAmount", 0))},
		{name: "an item without IBS and CBS, which the service adds", path: product, change: with("taxes", "ibsCbs", nil), account: func(c *client) {
			c.s.clock = NewManualClock(noon.AddDate(0, 5, 0))
			settings("general", object{"taxReformFieldsEnabled": true})(c)
		}},
		{
			name: "a national service by the code of the city", path: service, change: with("", "cityServiceCode", "02800"),
			account: settings("serviceInvoice", object{"issueType": "annfs"}),
		},
		{name: "an adjustment without payments and products", path: product, change: all(
			with("", "purposeType", "adjustment"), with("", "payments", nil), with("item", "ncm", "00"), with("item", "quantity", 0))},
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

func TestTaxNumbers(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]bool{
		"52998224725": true, "11144477735": true, "52998224726": false, "11111111111": false, "00000000000": false,
		"12ABC34501DE35": true, "45997418000153": true, "12ABC34501DE36": false, "00000000000000": false, "1": false,
	} {
		if got := validTaxNumber(number); got != want {
			t.Errorf("validTaxNumber(%s) = %t", number, got)
		}
	}
}
