package sandbox

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
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
	}))
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
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
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

func TestInvoice_draftIsIssuedByItsRoute(t *testing.T) {
	t.Parallel()
	c, clock := newSlowIssuer(t)
	path := "/service-invoices/" + c.issued("/service-invoices", object{"issue": false})
	clock.Advance(time.Hour)
	wantFields(t, c.must("GET", path, nil), object{"status": "created"})
	wantFields(t, c.must("POST", path+"/issue", object{"effectiveDate": "2026-03-10T08:00:00-03:00"}), object{"status": "enqueued"})
	clock.Advance(time.Second)
	wantFields(t, c.must("GET", path, nil), object{
		"status": "authorized", "issuedOn": "2026-03-10T08:00:00-03:00", "effectiveDate": "2026-03-10T08:00:00-03:00",
	})
	c.refusedFor("SPD004", "POST", path+"/issue", nil)
}

func TestInvoice_secondPostUpdatesADraftOrARejectedInvoice(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.s.ScriptInvoice("r-1", Reject("202", "Rejeição: falha"))
	rejected := c.issued("/service-invoices", object{"integrationId": "r-1", "receiver": object{"name": "Maria"}})
	wantFields(t, c.must("GET", "/service-invoices/"+rejected, nil), object{
		"status": "rejected", "processingDetail": object{"status": "success", "code": "202", "message": "Rejeição: falha"},
	})
	draft := c.issued("/service-invoices", object{"integrationId": "d-1", "issue": false})
	for id, integrationID := range map[string]string{rejected: "r-1", draft: "d-1"} {
		again := c.must("POST", "/service-invoices", body("/service-invoices", object{
			"integrationId": integrationID, "total": object{"invoiceAmount": 99},
		}))
		wantFields(t, again, object{"id": id, "status": "enqueued", "amount": json.Number("99"), "receiver": nil})
		wantSame(t, "authorized", statusOf(t, c, service, id), "status of %s after the second POST", integrationID)
	}
	wantSame(t, 2, len(c.s.Invoices("serviceInvoice")), "number of invoices")
}

func TestInvoice_secondPostIsRefusedInProcessAndWhenAuthorized(t *testing.T) {
	t.Parallel()
	c, clock := newSlowIssuer(t)
	again := object{"integrationId": "p-1"}
	c.issued("/product-invoices", again)
	for range []string{"enqueued", "authorized"} {
		c.refusedFor("SPD004", "POST", "/product-invoices", body("/product-invoices", again))
		clock.Advance(time.Second)
	}
	wantSame(t, 1, len(c.s.InvoicesByIntegrationID("p-1")), "number of invoices")
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
	for query, want := range map[string][]string{
		"":                   {"id-1", "id-11"},
		"integrationId=id-1": {"id-1"},
		"integrationId=id-":  nil,
		"receiverFederalTaxNumber=111.444.777-35":      {"id-11"},
		"receiverName=Name+1":                          {"id-1"},
		"receiverEmail=11@a.example":                   {"id-11"},
		"transactionId=t":                              nil,
		"effectiveDateStart=2026-03-10T10:00:01-03:00": {"id-11"},
		"effectiveDateEnd=2026-03-10T10:00:00-03:00":   {"id-1"},
		"status=rejected":                              {"id-1", "id-11"},
	} {
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
