package sandbox

import (
	"encoding/xml"
	"net/http"
	"strings"
	"testing"
)

// shop is an account with an order, a rejected NFC-e and an NFS-e, each of another customer.
func shop(t *testing.T) (c *client, order, rejected, service string) {
	t.Helper()
	c = newIssuer(t, Options{Clock: NewManualClock(noon), Seed: 5})
	order = c.must("POST", "/orders", sale(nil))["id"].(string)
	c.s.ScriptInvoice("sale-2", Reject("778", "Rejeição: Informado NCM inexistente"))
	rejected = c.issued("/consumer-invoices", object{"integrationId": "sale-2"})
	service = c.issued("/service-invoices", object{"integrationId": "hours-3", "receiver": buyer("José da Conceição")})
	c.must("POST", "/customers", object{"name": "<script>alert(1)</script>", "federalTaxNumber": "11222333000181"})
	return c, order, rejected, service
}

func TestPage_showsOrdersCustomersAndProducts(t *testing.T) {
	t.Parallel()
	c, order, _, _ := shop(t)
	raw := c.look("GET", "/").raw
	page := readable(raw)
	wantTexts(t, page, "t-1 IDs "+order, "Order t-1 ",
		"created Maria NF-e, series 1, number 1 authorized Invoices issued: at once R$ 26.00",
		"529.982.247-25 none São Paulo/SP", "<script>alert(1)</script>", "Camisa", "C1 NF-e R$ 10.40")
	wantNoTexts(t, raw, "<script>alert")
}

func TestPage_findsAndFilters(t *testing.T) {
	t.Parallel()
	c, _, _, _ := shop(t)
	for name, tt := range map[string]struct {
		query     string
		want, not []string
	}{
		"a name, without its accents":    {"?q=jose+da+conceicao", []string{"1 result for", "hours-3"}, []string{"sale-2", "t-1"}},
		"a tax number as it is printed":  {"?q=529.982.247-25", []string{"Maria", "hours-3", "t-1"}, []string{"sale-2"}},
		"a part of an integration id":    {"?q=SALE", []string{"sale-2"}, []string{"hours-3"}},
		"what a rejection says":          {"?q=ncm+inexistente", []string{"sale-2"}, []string{"hours-3"}},
		"a path":                         {"?q=/v1/orders", []string{"POST /v1/orders"}, []string{"sale-2"}},
		"nothing":                        {"?q=nowhere", []string{"Nothing contains “nowhere”"}, []string{"sale-2", "Matriz"}},
		"signs alone":                    {"?q=%2A%2A", []string{"Nothing contains “**”"}, []string{"sale-2"}},
		"markup":                         {"?q=%3Cscript%3E", []string{"<script>alert(1)</script>"}, []string{"sale-2"}},
		"a state":                        {"?status=rejected", []string{"sale-2", "NFC-e 1 "}, []string{"hours-3"}},
		"a model":                        {"?model=serviceInvoice", []string{"hours-3"}, []string{"sale-2"}},
		"a state that no such model has": {"?model=serviceInvoice&status=rejected", []string{"No invoice matches this filter.", "rejected 0"}, []string{"sale-2", "hours-3"}},
		"changes alone":                  {"?requests=changes", []string{"POST /v1/orders 200"}, []string{"GET /v1"}},
		"refused requests":               {"?requests=refused", []string{"GET /v1/products/none 404"}, []string{"POST /v1/orders"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := c.in(t)
			wantStatus(t, c.do("GET", "/products/none", nil), http.StatusNotFound)
			page := readable(c.look("GET", "/"+tt.query).raw)
			wantTexts(t, page, tt.want...)
			wantNoTexts(t, page, tt.not...)
		})
	}
}

func TestPage_showsAnInvoiceWithItsRequestsAndDeliveries(t *testing.T) {
	t.Parallel()
	c, order, rejected, service := shop(t)
	receiver := newReceiver(t, http.StatusNoContent)
	c.subscribe(EventCanceled, receiver.url)
	c.must("GET", "/service-invoices?integrationId=hours-3", nil)
	c.must("GET", "/orders/"+order, nil)
	c.must("DELETE", "/service-invoices/"+service, object{"reason": cancelReason})
	c.s.Settle()
	page := readable(c.look("GET", "/?invoice="+service).raw)
	wantTexts(t, page,
		"NFS-e, series 1, number 1 canceled", "hours-3", "R$ 150.50", "José da Conceição 529.982.247-25", "development (homologação)",
		"09:00:00 -03 authorized NFS-e autorizada", "canceled 135: Evento registrado e vinculado à nota fiscal",
		"Requests 3", "POST /v1/service-invoices", `"integrationId": "hours-3"`, "GET /v1/service-invoices 200",
		"DELETE /v1/service-invoices/"+service,
		"Webhook deliveries 1", "invoice.canceled", "succeeded answered 204 valid: current secret 1",
	)
	wantNoTexts(t, page, "sale-2", "/v1/orders", "/v1/consumer-invoices")
	wantTexts(t, readable(c.look("GET", "/?invoice="+rejected).raw),
		"rejected 778 Rejeição: Informado NCM inexistente What to do: Look up the product")
	ordered := c.s.Invoices("productInvoice")[0]["id"].(string)
	wantTexts(t, readable(c.look("GET", "/?invoice="+ordered).raw), "POST /v1/orders Body", "GET /v1/orders/"+order)
	wantTexts(t, readable(c.look("GET", "/?invoice=nowhere").raw), "This invoice no longer exists.")
	wantNoTexts(t, readable(c.look("GET", "/?invoice=").raw), "This invoice no longer exists.")
}

func TestPage_sumsTheAmountsOfEachStatus(t *testing.T) {
	t.Parallel()
	c, _, _, _ := shop(t)
	for _, amount := range []any{0.1, 0.2, 1000} {
		c.s.Seed(KindServiceInvoices, object{"status": "canceled", "amount": amount})
	}
	wantTexts(t, readable(c.look("GET", "/").raw), "canceled 3 · R$ 1,000.30")
	wantTexts(t, readable(c.look("GET", "/?lang=pt&model=serviceInvoice").raw), "cancelada 3 · R$ 1.000,30")
	wantTexts(t, c.look("GET", "/").raw, `<section id="webhooks" class="empty"`)
}

func TestPage_printsADocument(t *testing.T) {
	t.Parallel()
	c, _, rejected, service := shop(t)
	goods := c.issued("/product-invoices", object{"integrationId": "goods", "additionalInformation": "Linha <1>"})
	total := object{"invoiceAmount": 100, "issRate": 5, "issAmount": 5, "issWithheld": true}
	withheld := c.issued("/service-invoices", object{"integrationId": "withheld", "total": total})
	ordered := c.s.Invoices("productInvoice")[0]["id"].(string)
	returned := c.s.Seed(KindProductInvoices, object{"number": 9, "status": "authorized", "authorization": object{}, "operationNature": "Devolução de venda", "_payload": object{
		"operationType": "incoming", "purposeType": "devolution", "referencedDocuments": []any{object{"accessKey": "1111222233"}},
		"items": []any{object{"description": "Luminária", "taxes": object{"icms": object{"cst": "00", "rate": 18, "amount": 36}}, "referencedDocument": object{"accessKey": "3526111122", "itemNumber": 2}}},
	}})
	doc, _ := c.s.Object(KindProductInvoices, goods)
	for name, tt := range map[string]struct {
		id   string
		want []string
	}{
		"NF-e": {goods, []string{
			"DANFE", "NF-e nº 2", "Série 1", "AUTORIZADA", "Matriz de Teste Ltda", "CNPJ/CPF 98.765.432/0001-98", "Avenida Paulista, 1000",
			"Maria", "CNPJ/CPF 529.982.247-25", "Pão cód. 1 ICMS 00: R$ 2,00 (20,00%) 19059090 5102 UN 4 R$ 2,50 R$ 10,00", "Valor total R$ 10,00", "Linha <1>",
			doc["accessKey"].(string)[:4] + " " + doc["accessKey"].(string)[4:8] + " ", doc["authorization"].(object)["protocol"].(string),
		}},
		"NF-e of an order": {ordered, []string{"Camisa cód. C1", "2,5 R$ 10,40 R$ 25,00", "Valor total R$ 26,00"}},
		"a return": {returned, []string{
			"Natureza da operação Devolução de venda (Entrada – Devolução de mercadoria)", "Documento referenciado 1111 2222 33",
			"Luminária ICMS 00: R$ 36,00 (18,00%) Documento de origem 3526 1111 22, item 2",
		}},
		"NFS-e": {service, []string{
			"DANFSe", "Prestador", "Tomador José da Conceição", "Discriminação dos serviços Consultoria", "Código do serviço (LC 116/2003) 17.01", "RPS série 1, número 1",
			"Código de verificação", "Inscrição municipal não informada", "Alíquota do ISS não informada", "Valor do ISS não informado", "Valor total R$ 150,50", "<nNF>1</nNF>",
		}},
		"NFS-e with a tax that the receiver pays": {withheld, []string{"Alíquota do ISS 5,00% Valor do ISS R$ 5,00 ISS retido sim"}},
	} {
		g := c.look("GET", "/_sandbox/documents/"+tt.id)
		page := readable(g.raw)
		for _, want := range append(tt.want, "SEM VALOR FISCAL – sandbox") {
			if g.status != http.StatusOK || !strings.Contains(page, want) {
				t.Errorf("%s: the document lacks %q:\n%s", name, want, page)
			}
		}
	}
	g := c.look("GET", "/_sandbox/documents/"+goods+".xml")
	var parsed struct{ XMLName xml.Name }
	if err := xml.Unmarshal([]byte(g.raw), &parsed); err != nil || g.header.Get("Content-Disposition") != `attachment; filename="`+goods+`.xml"` {
		t.Errorf("the XML = %v %v", g.header, err)
	}
	for _, path := range []string{"nowhere", "nowhere.xml", rejected, rejected + ".xml", ""} {
		if g := c.look("GET", "/_sandbox/documents/"+path); g.status != http.StatusNotFound || !strings.Contains(g.raw, "<main>") {
			t.Errorf("%s = %d", path, g.status)
		}
	}
}

func TestPage_advisesAboutTheCitysOwnCode(t *testing.T) {
	t.Parallel()
	c, _, _, _ := shop(t)
	c.s.ScriptInvoice("hours-4", Reject("E9999", "E52: Tomador igual ao prestador"))
	id := c.issued("/service-invoices", object{"integrationId": "hours-4"})
	wantTexts(t, readable(c.look("GET", "/?lang=pt&invoice="+id).raw),
		"O que fazer: Corrija receiver.federalTaxNumber . Depois, rode o apply de novo")
}

func TestPage_speaksPortuguese(t *testing.T) {
	t.Parallel()
	c, _, rejected, _ := shop(t)
	page := readable(c.look("GET", "/?lang=pt").raw)
	wantTexts(t, page, "Sandbox do serviço de notas fiscais", "3 notas: 2 autorizadas, 1 rejeitada.",
		"Mais recentes primeiro.", "empresa principal", "98.765.432/0001-98 homologação ")
	wantTexts(t, readable(c.look("GET", "/?lang=pt&invoice="+rejected).raw),
		"10/03/2026", "rejeitada 778 Rejeição: Informado NCM inexistente O que fazer: Procure o produto")
}
