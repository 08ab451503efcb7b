package sandbox

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// bodies are issuing bodies that an authority accepts, by path.
var bodies = map[string]func() object{
	"/service-invoices": func() object {
		return object{"description": "Consultoria", "federalServiceCode": "17.01", "total": object{"invoiceAmount": 150.5}}
	},
	"/product-invoices": func() object {
		return object{
			"isFinalCustomer": true, "destination": "internal", "presenceType": "presence", "operationNature": "Venda",
			"receiver": buyer("Maria"), "items": []any{soldItem("1", 4, 2.5)}, "payments": []any{object{"method": "pix", "amount": 10}},
			"total": object{"invoiceAmount": 10},
		}
	},
	"/consumer-invoices": func() object {
		return object{
			"presenceType": "presence", "items": []any{soldItem("1", 3, 2.5), soldItem("2", 1, 0.25)},
			"payments": []any{object{"method": "pix", "amount": 7.75}},
		}
	},
}

// buyer is a person in the main company's city.
func buyer(name string) object {
	return object{
		"name": name, "federalTaxNumber": "52998224725",
		"address": object{"street": "Rua A", "number": "1", "district": "Centro", "city": object{"code": 3550308}},
	}
}

// soldItem is an item that the main company sells at a price.
func soldItem(code string, quantity, price float64) object {
	amount := quantity * price
	return object{
		"code": code, "description": "Pão", "ncm": "19059090", "cfop": 5102, "unit": "UN", "quantity": quantity, "unitAmount": price,
		"totalAmount": amount, "unitTax": "UN", "quantityTax": quantity, "unitTaxAmount": price, "makeupTotal": true,
		"taxes": object{
			"icms": object{"origin": "0", "cst": "00", "baseTax": amount, "rate": 20, "amount": amount / 5},
			"pis":  object{"cst": "07"}, "cofins": object{"cst": "07"}, "ibsCbs": object{"cst": "000", "classification": "000001"},
		},
	}
}

// body is the issuing body of a path with fields added.
func body(path string, more object) object {
	b := bodies[path]()
	maps.Copy(b, more)
	return b
}

// newIssuer is a client whose company may issue NFC-e too.
func newIssuer(t *testing.T, opts Options) *client {
	t.Helper()
	c := newClient(t, opts)
	c.s.SetSettings(c.s.OwnerCompanyID(), object{"consumerInvoice": object{"tokenId": "000001", "csc": "SECRET"}})
	return c
}

// newSlowIssuer is newIssuer where the authority takes a second, by the clock.
func newSlowIssuer(t *testing.T) (*client, *ManualClock) {
	t.Helper()
	clock := NewManualClock(noon)
	return newIssuer(t, Options{Clock: clock, AuthorizeAfter: time.Second}), clock
}

// issued posts the body and returns the id.
func (c *client) issued(path string, more object) string {
	c.t.Helper()
	return c.must("POST", path, body(path, more))["id"].(string)
}

func statusOf(t *testing.T, c *client, path, id string) string {
	t.Helper()
	status, _ := c.must("GET", path+"/"+id, nil)["status"].(string)
	return status
}

func TestInvoice_readShapeHasEveryFieldAndNullsForUnsetOnes(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{Clock: NewManualClock(noon)})
	for path, model := range map[string]string{
		"/service-invoices": "serviceInvoice", "/product-invoices": "productInvoice", "/consumer-invoices": "consumerInvoice",
	} {
		doc := c.must("POST", path, body(path, object{"status": "created"})) // Which is ignored.
		for _, field := range append(invoiceShape().Fields, "transmission") {
			top, _, _ := strings.Cut(field, ".")
			if _, ok := doc[top]; !ok && (model == "serviceInvoice" || !slices.Contains(absent["Invoice"], top)) {
				t.Errorf("%s: the answer has no %s", path, top)
			}
		}
		wantFields(t, doc, object{
			"status": "enqueued", "isFromApi": true, "model": model, "debitType": nil, "issuedOn": "2026-03-10T09:00:00-03:00",
			"company": object{"federalTaxNumber": "98765432000198"},
		})
		for name := range doc {
			if strings.HasPrefix(name, "_") {
				t.Errorf("%s: the answer shows %s", path, name)
			}
		}
	}
}

func TestInvoice_serviceAnswersTotalsRpsAndBatch(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.s.SetSettings(c.s.OwnerCompanyID(), object{"serviceInvoice": object{"series": "A", "nextNumber": 41, "nextBatchNumber": 7}})
	id := c.issued("/service-invoices", object{"receiver": object{"name": "Maria", "federalTaxNumber": "529.982.247-25", "cityTaxNumber": "12"}})
	doc := c.must("GET", "/service-invoices/"+id, nil)
	wantFields(t, doc, object{
		"amount": json.Number("150.5"), "totals": object{"invoiceAmount": json.Number("150.5")},
		"description": "Consultoria", "number": json.Number("41"), "series": "A", "batchNumber": json.Number("7"),
		"rps":      object{"number": json.Number("41"), "series": "A"},
		"receiver": object{"federalTaxNumber": "52998224725", "municipalTaxNumber": "12"},
	})
	if _, ok := doc["total"]; ok {
		t.Error("the answer has total, which belongs to requests")
	}
	next := c.must("GET", "/service-invoices/"+c.issued("/service-invoices", object{"rpsNumber": 900, "rpsSeries": "B", "batchNumber": 3}), nil)
	wantFields(t, next, object{
		"number": json.Number("900"), "batchNumber": json.Number("3"), "rps": object{"number": json.Number("900"), "series": "B"},
	})
	settings := c.s.SettingsClear(c.s.OwnerCompanyID())["serviceInvoice"].(object)
	wantFields(t, settings, object{"nextNumber": json.Number("42"), "nextBatchNumber": json.Number("8")})
}

func TestInvoice_receiverIsNormalized(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	doc := c.must("POST", "/product-invoices", body("/product-invoices", object{
		"receiver": object{
			"name": "Loja", "federalTaxNumber": "12.ABC.345/01DE-35", "phoneNumber": "(11) 3333-4444",
			"address": object{"street": "Rua", "postalCode": "01310-100", "country": "BRA", "city": object{"code": "3550308", "state": "SP"}},
		},
		"pickup": object{"name": "Doca"},
	}))
	if pickup := part(doc, "pickup"); len(pickup) != len(part(doc, "receiver"))-1 || pickup["suframaTaxNumber"] != nil {
		t.Errorf("the place of pickup is %v, want a receiver without a SUFRAMA number", pickup)
	}
	want := object{
		"name": "Loja", "federalTaxNumber": "12ABC34501DE35", "stateTaxNumber": nil, "suframaTaxNumber": nil, "cityTaxNumber": nil,
		"email": nil, "phoneNumber": "1133334444",
		"address": object{
			"street": "Rua", "district": nil, "postalCode": "01310100", "number": nil, "additionalInformation": nil, "country": "BRA",
			"city": object{"code": json.Number("3550308"), "name": "São Paulo", "state": "sp"},
		},
	}
	wantSame(t, want, doc["receiver"], "receiver")
}

func TestInvoice_amountComesFromTheTotalOrTheItems(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	wantFields(t, c.must("POST", "/consumer-invoices", bodies["/consumer-invoices"]()), object{"amount": json.Number("7.75"), "totals": nil})
	wantFields(t, c.must("POST", "/product-invoices", `{"isFinalCustomer":true,"total":{"invoiceAmount":10.00}}`), object{
		"amount": json.Number("10.00"), "totals": object{"invoiceAmount": json.Number("10.00")},
	})
	id := c.must("POST", "/product-invoices", object{"isFinalCustomer": false})["id"].(string)
	wantFields(t, c.must("GET", "/product-invoices/"+id, nil), object{
		"status": "rejected", "processingDetail": object{"status": "success", "code": "SPD003"},
	})
}

func TestInvoice_refusesWhatTheBodyLacks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path string
		body       object
		want       []string
	}{
		{"service without anything", "/service-invoices", object{}, []string{
			"description: The Description field is required.", "total: The Total field is required.",
		}},
		{"service without an amount", "/service-invoices", object{"description": "A", "total": object{}}, []string{
			"total.invoiceAmount: The InvoiceAmount field is required.",
		}},
		{"service with a field that it does not know", "/service-invoices", body("/service-invoices", object{"servico": 1, "issRetido": false}), []string{
			"issRetido: Could not find member 'issRetido' on object of type 'CreateServiceInvoiceDto'. Path 'issRetido'.",
			"servico: Could not find member 'servico' on object of type 'CreateServiceInvoiceDto'. Path 'servico'.",
		}},
		{"item with values of other types", "/product-invoices", body("/product-invoices", object{"items": []any{object{
			"cfop": "venda", "quantity": "dois", "makeupTotal": "sim", "ncm": true, "taxes": "ICMS",
		}}}), []string{
			"items[0].ncm: Error converting the value of 'items[0].ncm' to type 'System.String'.",
			"items[0].quantity: Could not convert the value of 'items[0].quantity' to decimal.",
			"items[0].cfop: Could not convert the value of 'items[0].cfop' to integer.",
			"items[0].makeupTotal: Could not convert the value of 'items[0].makeupTotal' to boolean.",
			"items[0].taxes: Cannot deserialize the value of 'items[0].taxes': a JSON object is required.",
		}},
		{"product without isFinalCustomer", "/product-invoices", object{}, []string{
			"isFinalCustomer: The IsFinalCustomer field is required.",
		}},
		{"integrationId of 37 characters", "/consumer-invoices", object{"integrationId": strings.Repeat("x", 37)}, []string{
			"integrationId: The field IntegrationId must be a string with a maximum length of 36.",
		}},
		{"payment with a word of orders", "/consumer-invoices", object{"payments": []any{object{"method": "cash"}}}, []string{
			`payments[0].method: Error converting value "cash" to type 'Method'. Path 'payments[0].method'.`,
		}},
		{"unknown purpose", "/product-invoices", object{"isFinalCustomer": true, "purposeType": "gift"}, []string{
			`purposeType: Error converting value "gift" to type 'PurposeType'. Path 'purposeType'.`,
		}},
		{"date that is none", "/service-invoices", body("/service-invoices", object{"effectiveDate": "soon"}), []string{
			"effectiveDate: Could not convert string to DateTime: soon. Path 'effectiveDate'.",
		}},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			c := newIssuer(t, Options{})
			c.refused("POST", tt.path, tt.body, tt.want...)
			wantSame(t, 0, len(c.s.Invoices("")), "number of refused invoices that are made")
		})
	}
}

func TestInvoice_draftsExistForServiceInvoicesAlone(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	for path, want := range map[string]string{"/service-invoices": "created", "/product-invoices": "authorized", "/consumer-invoices": "authorized"} {
		id := c.issued(path, object{"issue": false})
		wantSame(t, want, statusOf(t, c, path, id), "status of %s with issue false", path)
	}
	draft := c.s.Invoices("serviceInvoice")[0]
	wantFields(t, draft, object{"number": nil, "series": nil, "rps": nil, "processingDetail": nil})
	settings := c.s.SettingsClear(c.s.OwnerCompanyID())["serviceInvoice"].(object)
	wantFields(t, settings, object{"nextNumber": json.Number("1")})
}

func TestInvoice_integrationIDCountsPerCompanyAndModel(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	other := c.s.Seed(KindCompanies, object{"name": "Filial", "federalTaxNumber": "45997418000153"})
	more := object{"integrationId": "x-1"}
	c.issued("/service-invoices", more)
	c.issued("/product-invoices", more)
	second := c.as(other)
	id := second.issued("/service-invoices", more)
	wantSame(t, 3, len(c.s.InvoicesByIntegrationID("x-1")), "number of invoices")
	wantFields(t, second.must("GET", "/service-invoices/"+id, nil), object{"company": object{"federalTaxNumber": "45997418000153"}})
	wantStatus(t, c.do("GET", "/service-invoices/"+id, nil), http.StatusNotFound)
	wantFields(t, c.must("GET", "/service-invoices", nil), object{"totalCount": json.Number("1")})
}

func TestInvoice_listFiltersByEquality(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{Clock: NewManualClock(noon)})
	for _, n := range []string{"1", "11"} {
		c.issued("/service-invoices", object{
			"integrationId": "id-" + n, "effectiveDate": "2026-03-" + (n + "0")[:2] + "T10:00:00-03:00",
			"receiver": object{"name": "Name " + n, "federalTaxNumber": []string{"52998224725", "11144477735"}[len(n)-1], "email": n + "@a.example"},
		})
	}
	for query, want := range rows.Read[map[string][]string](t, "invoice_list_filters_by_equality.json") {
		var ids []string
		for _, item := range c.items("/service-invoices?" + query) {
			ids = append(ids, item.(object)["integrationId"].(string))
		}
		wantSame(t, want, ids, "found by %s", query)
	}
	wantStatus(t, c.do("GET", "/service-invoices?effectiveDateStart=x", nil), http.StatusBadRequest)
}

func TestInvoice_environmentTypeIsThatOfTheSettings(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	for _, tt := range []struct{ stored, want any }{{"development", "development"}, {0, json.Number("0")}} {
		c.s.SetSettings(c.s.OwnerCompanyID(), object{"serviceInvoice": object{"environmentType": tt.stored}})
		wantFields(t, c.must("POST", "/service-invoices", bodies["/service-invoices"]()), object{"environmentType": tt.want})
	}
}

func TestInvoice_statusSetByHandIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newIssuer(t, Options{Clock: clock, AuthorizeAfter: time.Second, ListLag: time.Minute})
	id := c.issued("/service-invoices", nil)
	if !c.s.SetInvoiceStatus(id, "canceled") {
		t.Fatal("the invoice was not found")
	}
	clock.Advance(time.Second)
	wantFields(t, c.must("GET", "/service-invoices", nil), object{"totalCount": json.Number("1")})
	doc := c.must("GET", "/service-invoices/"+id, nil)
	if doc["status"] != "canceled" || doc["cancellation"] == nil {
		t.Errorf("status = %v, cancellation = %v", doc["status"], doc["cancellation"])
	}
	if c.s.SetInvoiceStatus("none", "canceled") {
		t.Error("an invoice that does not exist was found")
	}
}

func TestInvoice_locationIsACityOrTheNationalEnvironment(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	for _, tt := range []struct{ sent, want object }{
		{object{"name": "curitiba", "state": "PR"}, object{"code": json.Number("4106902"), "name": "Curitiba", "state": "pr"}},
		{object{"state": "EX", "name": "Lisboa"}, object{"code": json.Number("9999999"), "name": "Lisboa", "state": "ex"}},
		{object{"state": "AN"}, object{"code": nil, "name": nil, "state": "an"}},
	} {
		doc := c.must("POST", "/service-invoices", body("/service-invoices", object{"location": tt.sent}))
		wantSame(t, tt.want, doc["location"], "location")
	}
	wantStatus(t, c.do("POST", "/service-invoices", body("/service-invoices", object{"location": object{"code": 1}})), http.StatusBadRequest)
}

// announced returns the events for which there are webhooks, with the status each shows, in their order.
func announced(s *Server) []string {
	out := []string{}
	for _, d := range s.Deliveries() {
		event, _ := decoded(d.Body).(object)
		out = append(out, text(event, "event")+" "+text(part(event, "data"), "status"))
	}
	return out
}

func TestInvoice_eventsOfItsTransitions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		outcomes []Outcome
		cancel   bool
		check    bool
		want     []string
	}{
		{"authorized and canceled", nil, true, false, []string{
			"invoice.status_changed enqueued", "invoice.status_changed authorized", "invoice.authorized authorized",
			"invoice.status_changed canceled", "invoice.canceled canceled",
		}},
		{"rejected", []Outcome{Reject("1", "m")}, false, false, []string{
			"invoice.status_changed enqueued", "invoice.status_changed rejected", "invoice.rejected rejected",
		}},
		{"denied", []Outcome{Deny("1", "m")}, false, false, []string{
			"invoice.status_changed enqueued", "invoice.status_changed denied",
		}},
		{"in contingency, then authorized", []Outcome{Contingency(Authorize())}, false, true, []string{
			"invoice.status_changed enqueued", "invoice.status_changed inContingent", "invoice.contingency inContingent",
			"invoice.status_changed authorized", "invoice.authorized authorized",
		}},
		{"a transient code that is no change of status", []Outcome{TransientCode("SPD001", "m", Authorize()).AsEnqueued()}, false, false, []string{
			"invoice.status_changed enqueued",
		}},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			c := newIssuer(t, Options{})
			c.allowOffline()
			for _, event := range []string{"status_changed", "authorized", "rejected", "canceled", "contingency"} {
				// Not on loopback: recorded, and never sent.
				c.s.Seed(KindWebhooks, object{"event": "invoice." + event, "url": "https://hooks.example/x", "enabled": true})
			}
			at := c.scripted("/consumer-invoices", tt.outcomes...)
			if tt.check {
				c.must("POST", at+"/check-status", nil)
			}
			if tt.cancel {
				c.must("DELETE", at, object{"reason": cancelReason})
			}
			wantSame(t, tt.want, announced(c.s), "events")
		})
	}
}

func TestInvoice_eventCarriesTheInvoiceAsItIsRead(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.s.Seed(KindWebhooks, object{"event": "invoice.authorized", "url": "https://hooks.example/x", "enabled": true})
	at := "/service-invoices/" + c.issued("/service-invoices", nil)
	event, _ := decoded(c.s.Deliveries()[0].Body).(object)
	wantSame(t, c.must("GET", at, nil), part(event, "data"), "the event, beside the read,")
}

func TestInvoice_returnsReferToTheirOriginInEachItem(t *testing.T) {
	t.Parallel()
	source := object{"accessKey": "33150308370779000149550010001100931002410775", "itemNumber": 2}
	whole, bare := object{"totalAmount": 10, "cfop": 1202, "sourceDocument": source}, object{"totalAmount": 10, "cfop": 1202}
	const item = ".sourceDocument: An item of a return needs the access key (`accessKey`) and the item number (`itemNumber`, 1 to 990) " +
		"of the document that its goods came with."
	for name, test := range map[string]struct {
		fields object
		items  []any
		want   []string
	}{
		"an origin in each item passes": {items: []any{whole, whole}},
		"another purpose passes":        {fields: object{"purposeType": "normal"}, items: []any{bare}},
		"items without are refused":     {items: []any{bare, whole, bare}, want: []string{"items[0]" + item, "items[2]" + item}},
		"references of the note are refused": {fields: object{"referencedDocuments": []any{source}}, items: []any{whole}, want: []string{
			"referencedDocuments: Take it out: a return does not refer to documents as a whole. Each item refers to the document that its goods came with.",
		}},
		"the day before they pass": {fields: object{"effectiveDate": "2026-08-31T23:59:59-03:00"}, items: []any{bare}},
		"on the day they do not":   {fields: object{"effectiveDate": "2026-09-01"}, items: []any{bare}, want: []string{"items[0]" + item}},
	} {
		rows.Case(t, name, func(t *testing.T) {
			c := newIssuer(t, Options{Clock: NewManualClock(time.Date(2026, time.September, 20, 12, 0, 0, 0, time.UTC))})
			fields := object{"purposeType": "devolution", "items": test.items}
			maps.Copy(fields, test.fields)
			if test.want == nil {
				c.issued("/product-invoices", fields)
				return
			}
			c.refused("POST", "/product-invoices", body("/product-invoices", fields), test.want...)
		})
	}
}

// history is that of a document of any kind.
func (c *client) history(id string) []stateChange {
	for _, kind := range kinds {
		if e := c.s.shelf(kind).byID[id]; e != nil {
			return e.history
		}
	}
	c.t.Fatalf("there is no document %s", id)
	return nil
}

func TestHistory_isWhatBecameOfAnInvoice(t *testing.T) {
	t.Parallel()
	const queued = "Nota fiscal na fila de processamento"
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	tests := []struct {
		name string
		live func(c *client, clock *ManualClock) (id string)
		want []stateChange
	}{
		{"authorized", func(c *client, clock *ManualClock) string {
			id := c.issued("/product-invoices", nil)
			clock.Advance(4 * time.Second)
			return id
		}, []stateChange{{at(0), "enqueued", "", queued}, {at(4), "authorized", "100", "Autorizado o uso da NF-e"}}},
		{"rejected, and sent again", func(c *client, clock *ManualClock) string {
			c.s.ScriptInvoice("a", Reject("778", "NCM"))
			id := c.issued("/service-invoices", object{"integrationId": "a"})
			clock.Advance(4 * time.Second)
			c.issued("/service-invoices", object{"integrationId": "a"})
			clock.Advance(4 * time.Second)
			return id
		}, []stateChange{
			{at(0), "enqueued", "", queued}, {at(4), "rejected", "778", "NCM"}, {at(4), "enqueued", "", queued}, {at(8), "authorized", "", "NFS-e autorizada"},
		}},
		{"changed by somebody else", func(c *client, clock *ManualClock) string {
			id := c.s.Seed(KindConsumerInvoices, object{})
			clock.Advance(time.Second)
			c.s.Patch(KindConsumerInvoices, id, object{"amount": 3})
			c.s.Patch(KindConsumerInvoices, id, object{"status": "odd"})
			clock.Advance(time.Second)
			c.s.SetInvoiceStatus(id, "canceled")
			return id
		}, []stateChange{{at(0), "authorized", "", ""}, {at(1), "odd", "", ""}, {at(2), "canceled", "", ""}}},
		{"in its cancellation", func(c *client, clock *ManualClock) string {
			id := c.s.Seed(KindServiceInvoices, object{})
			clock.Advance(time.Second)
			c.must("DELETE", "/service-invoices/"+id, object{"reason": "Emitida em duplicidade"})
			return id
		}, []stateChange{{at(0), "authorized", "", ""}, {at(1), "authorized", "SPD002", "Cancelamento em processamento"}}},
		{"nothing", func(c *client, _ *ManualClock) string {
			return c.s.Seed(KindOrders, object{"status": "created"})
		}, nil},
	}
	for _, tt := range tests {
		rows.Case(t, tt.name, func(t *testing.T) {
			clock := NewManualClock(noon)
			c := newIssuer(t, Options{Clock: clock, AuthorizeAfter: 4 * time.Second})
			wantSame(t, tt.want, c.history(tt.live(c, clock)), "history")
		})
	}
}

func TestAccessKey_isBuiltFromItsParts(t *testing.T) {
	t.Parallel()
	november := time.Date(2026, 11, 30, 23, 0, 0, 0, localZone)
	key := accessKey("35", november, "12ABC34501DE35", "55", "1", 42, emissionNormal, "12345678")
	wantSame(t, "35261112ABC34501DE35550010000000421123456788", key, "the key of an alphanumeric issuer")
	key = accessKey("35", november, "52998224725", "65", "A", 1, emissionOffline, "00000001")
	if len(key) != 44 || key[6:20] != "00052998224725" || key[22:25] != "000" || key[34] != '9' {
		t.Errorf("the key of a person = %s, want the number filled up with zeros, no series, and the emission", key)
	}
}

func TestAccessKey_checkDigitOfRealKeys(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"13181017921427000125650010000000309887251170", "33150308370779000149550010001100931002410775"} {
		expect.Is(t, accessKeyDigit(key[:43]), int(key[43]-'0'), "digit of %s", key)
	}
}

func TestInvoice_accessKeyNamesIssuerStateSeriesAndNumber(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{Clock: NewManualClock(noon)})
	company := c.s.Seed(KindCompanies, object{
		"name": "Filial", "federalTaxNumber": "12ABC34501DE35", "stateTaxNumber": "12345678",
		"address": object{"city": object{"code": "3304557", "name": "Rio de Janeiro", "state": "rj"}},
	})
	c.s.SetSettings(company, object{"productInvoice": object{"series": "7", "nextNumber": 1234}})
	second := c.as(company)
	for i, want := range []string{
		"33260312ABC34501DE35550070000012341", "33260312ABC34501DE35550070000012351",
	} {
		doc := second.must("GET", "/product-invoices/"+second.issued("/product-invoices", nil), nil)
		key, _ := doc["accessKey"].(string)
		if !strings.HasPrefix(key, want) || len(key) != 44 || accessKeyDigit(key[:43]) != int(key[43]-'0') {
			t.Errorf("key %d = %s, want %s with a code and its check digit", i, key, want)
		}
		protocol, _ := doc["authorization"].(object)["protocol"].(string)
		if !regexp.MustCompile(`^13326[0-9]{10}$`).MatchString(protocol) {
			t.Errorf("protocol = %s", protocol)
		}
		wantSame(t, 28, len(doc["authorization"].(object)["digestValue"].(string)), "length of the digest value")
	}
	own := c.must("GET", "/consumer-invoices/"+c.issued("/consumer-invoices", nil), nil)["accessKey"].(string)
	if !strings.HasPrefix(own, "35260398765432000198650010000000011") {
		t.Errorf("key of a company without a city = %s, want state 35 and model 65", own)
	}
	service := c.must("GET", "/service-invoices/"+c.issued("/service-invoices", object{"effectiveDate": "2026-03-09T09:00:00-03:00"}), nil)
	wantFields(t, service, object{"effectiveDate": "2026-03-09T09:00:00-03:00", "issuedOn": "2026-03-09T09:00:00-03:00"})
	wantSame(t, nil, service["accessKey"], "access key of a city's service invoice")
	c.s.SetSettings(c.s.OwnerCompanyID(), object{"serviceInvoice": object{"issueType": "annfs"}})
	national := c.must("GET", "/service-invoices/"+c.issued("/service-invoices", object{"nationalTaxationCode": "170101"}), nil)
	if key, _ := national["accessKey"].(string); len(key) != 50 || national["issueType"] != "annfs" {
		t.Errorf("national service invoice: key %v, issue type %v", national["accessKey"], national["issueType"])
	}
}
