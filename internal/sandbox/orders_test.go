package sandbox

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"
	"time"
)

// sale is a consistent order with fields added.
func sale(more object) object {
	order := object{
		"transactionId": "t-1", "date": "2026-03-10T09:00:00-03:00", "amount": 26, "freightAmount": 5, "discountAmount": 4,
		"customer": object{"name": "Maria", "federalTaxNumber": "529.982.247-25", "address": object{
			"street": "Rua A", "city": object{"name": "São Paulo", "state": "SP"},
		}},
		"items": []any{object{
			"quantity": 2.5, "price": 10.4, "discountAmount": 1, "amount": 25,
			"product": object{"name": "Camisa", "code": "C1", "price": 10.4, "invoiceModel": "productInvoice"},
		}},
	}
	maps.Copy(order, more)
	return order
}

// statuses are those of an order's invoices.
func statuses(order object) []string {
	out := []string{}
	for _, invoice := range order["invoices"].([]any) {
		out = append(out, invoice.(object)["status"].(string))
	}
	return out
}

func (c *client) wantInvoices(path, when string, want ...string) {
	c.t.Helper()
	wantSame(c.t, append([]string{}, want...), statuses(c.must("GET", path, nil)), "%s: the states of the invoices", when)
}

func TestOrder_afterWarrantyIssuesOnTheDayAfterIt(t *testing.T) {
	t.Parallel()
	clock := NewManualClock(noon)
	c := newIssuer(t, Options{Clock: clock})
	at := "/orders/" + c.must("POST", "/orders", sale(object{"autoIssueMode": "afterWarrency", "warrantyDate": "2026-03-12"}))["id"].(string)
	midnight := time.Date(2026, 3, 13, 0, 0, 0, 0, localZone)
	clock.Advance(midnight.Sub(noon) - 1)
	c.wantInvoices(at, "on the last day", "created")
	clock.Advance(1)
	c.wantInvoices(at, "on the day after", "authorized")
	wantStatus(t, c.do("POST", "/orders", sale(object{"autoIssueMode": "afterWarrency"})), http.StatusBadRequest)
}

func TestOrder_sumsMustAgree(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	product := object{"name": "Camisa"}
	c.refuses("POST", "/orders", []badBody{
		{"order amount", sale(object{"amount": 25}), []string{
			"amount: The order amount 25 does not match the sum of its items + freight - discount, 26.",
		}},
		{"item amount", sale(object{"amount": 3.3, "freightAmount": 0, "discountAmount": 0, "items": []any{
			object{"quantity": 3, "price": 1.1, "amount": 3.3, "product": product, "discountAmount": 1},
		}}), []string{"items[0].amount: The item amount 3.3 does not match quantity x price - discount, 2.3."}},
		{"no items", sale(object{"items": []any{}}), []string{"items: The Items field is required."}},
		{"no customer", sale(object{"customer": nil}), []string{"customer: The Customer field is required."}},
		{"a word of invoices for the payment", sale(object{"paymentMethod": "money"}), []string{
			`paymentMethod: Error converting value "money" to type 'PaymentMethod'. Path 'paymentMethod'.`,
		}},
		{"several models without the setting", sale(object{"amount": nil, "items": []any{
			object{"price": 1, "product": object{"name": "A", "invoiceModel": "productInvoice"}},
			object{"price": 1, "product": object{"name": "B", "invoiceModel": "serviceInvoice"}},
		}}), []string{"items: The items of an order must have one invoice model unless the company allows multiple models per order."}},
	})
	computed := c.must("POST", "/orders", sale(object{"amount": nil, "items": []any{object{"quantity": 3, "price": 1.1, "product": product}}}))
	wantFields(t, computed, object{"amount": json.Number("4.3")})
}

func TestOrder_isSplitByModelWhereTheCompanyAllowsIt(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.s.SetSettings(c.s.OwnerCompanyID(), object{"general": object{"allowMultipleInvoiceModelsPerOrder": true}})
	doc := c.must("POST", "/orders", sale(object{"amount": 31, "items": []any{
		object{"quantity": 1, "price": 10, "product": object{"name": "Camisa", "invoiceModel": "productInvoice"}},
		object{"quantity": 1, "price": 20, "description": "Bordado", "product": object{"name": "Serviço", "invoiceModel": "serviceInvoice"}},
	}}))
	if len(doc["invoices"].([]any)) != 2 {
		t.Fatalf("invoices = %v, want two", doc["invoices"])
	}
	wantFields(t, c.s.Invoices("serviceInvoice")[0], object{"amount": json.Number("21"), "description": "Bordado", "status": "authorized"})
	wantFields(t, c.s.Invoices("productInvoice")[0], object{"amount": json.Number("10"), "status": "authorized"})
}

func TestOrder_createsAndLinksCustomersAndProducts(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	first := c.must("POST", "/orders", sale(nil))
	second := c.must("POST", "/orders", sale(object{"transactionId": "t-2"}))
	wantSame(t, part(second, "customer")["id"], part(first, "customer")["id"], "customers of one tax number")
	customers, products := c.s.Objects(KindCustomers), c.s.Objects(KindProducts)
	if len(customers) != 1 || len(products) != 1 {
		t.Fatalf("%d customers and %d products exist, want 1 and 1", len(customers), len(products))
	}
	wantFields(t, customers[0], object{"name": "Maria", "federalTaxNumber": "52998224725", "mobilePhone": nil})
	wantFields(t, products[0], object{"name": "Camisa", "code": "C1", "price": json.Number("10.4"), "invoiceModel": "productInvoice"})

	c.s.Seed(KindProducts, object{"name": "Consulta", "code": "S1", "invoiceModel": "serviceInvoice"})
	known := c.must("POST", "/orders", sale(object{"amount": nil, "items": []any{object{"price": 1, "product": object{"name": "Consulta", "code": "S1"}}}}))
	wantFields(t, known["invoices"].([]any)[0].(object), object{"model": "serviceInvoice"})
}

func TestOrder_listFiltersByTransactionAndDate(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.must("POST", "/orders", sale(nil))
	c.must("POST", "/orders", sale(nil))
	c.must("POST", "/orders", sale(object{"transactionId": "t-11", "date": "2026-04-01T00:00:00Z"}))
	c.finds("/orders", map[string]int{
		"": 3, "transactionId=t-1": 2, "transactionId=t-11": 1, "transactionId=t": 0,
		"initialDate=2026-03-20": 1, "endDate=2026-03-20": 2, "initialDate=2026-03-01&endDate=2026-03-31": 2,
	}, "endDate=x")
	for _, item := range c.items("/orders") {
		wantSame(t, []string{"authorized"}, statuses(item.(object)), "the listed invoices")
	}
}

func TestOrder_belongsToItsCompany(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	at := "/orders/" + c.must("POST", "/orders", sale(nil))["id"].(string)
	company := c.s.Seed(KindCompanies, object{"name": "Filial", "federalTaxNumber": "45997418000153"})
	other := c.as(company)
	for _, r := range [][2]string{{"GET", at}, {"PUT", at + "/status"}, {"DELETE", at + "/cancel"}, {"POST", at + "/invoices/issue"}} {
		wantStatus(t, other.do(r[0], r[1], nil), http.StatusNotFound)
	}
	wantFields(t, other.must("GET", "/orders", nil), object{"totalCount": json.Number("0")})
}
