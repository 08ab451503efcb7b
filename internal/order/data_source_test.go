package order_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// seedOrder makes an order with one authorized NFS-e.
func seedOrder(s *sandbox.Server, transactionID string) string {
	id := s.Seed(sandbox.KindOrders, map[string]any{
		"transactionId": transactionID, "date": "2026-11-10T10:00:00-03:00", "amount": 20.5, "discountAmount": 1, "freightAmount": 2, "status": "approved",
		"paymentMethod": "pix", "autoIssueMode": "afterWarrency", "warrantyDate": "2026-12-31", "sendEmailToCustomer": true,
		"customer": map[string]any{"name": "Maria", "federalTaxNumber": "52998224725", "email": "m@example.com", "address": map[string]any{"city": map[string]any{"code": "3550308"}}},
		"items": []any{map[string]any{
			"quantity": 2, "price": 10, "amount": 19.5, "discountAmount": 0.5, "freightAmount": 2,
			"product": map[string]any{"code": "P1", "name": "Curso", "price": 10, "invoiceModel": "serviceInvoice"},
		}},
	})
	s.Seed(sandbox.KindServiceInvoices, map[string]any{
		"order": map[string]any{"id": id, "transactionId": transactionID}, "status": "authorized", "number": 7, "accessKey": "3526",
	})
	return id
}

func TestOrderDataSource_readsOneOrder(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := seedOrder(s, "sale-1")
	seedOrder(s, "sale-2")
	seedOrder(s, "twice")
	seedOrder(s, "twice")
	whole := map[string]any{
		"id": id, "transaction_id": "sale-1", "date": "2026-11-10T10:00:00-03:00", "amount": 20.5, "discount_amount": 1.0,
		"freight_amount": 2.0, "status": "approved", "payment_method": "pix", "auto_issue_mode": "afterWarrency",
		"warranty_date": "2026-12-31", "send_email_to_customer": true, "customer.name": "Maria",
		"customer.address.city.code": "3550308", "items.amount": 19.5, "items.product.name": "Curso",
		"invoices.model": "serviceInvoice", "invoices.status": "authorized", "invoices.number": 7.0,
		"invoices.access_key": "3526",
	}
	by := func(name, value string) map[string]any { return map[string]any{name: value} }
	testkit.WantDataReads(t, s, "einvoice_order", []testkit.DataRead{
		{Name: "by id", Arguments: by("id", id), State: whole},
		{Name: "by transaction_id", Arguments: by("transaction_id", "sale-1"), State: whole},
		{Name: "unknown id", Arguments: by("id", "00000000-0000-4000-8000-000000000001"), Error: "Order not found"},
		{Name: "an unknown sale", Arguments: by("transaction_id", "sale"), Error: "Order not found"},
		{Name: "several of one name", Arguments: by("transaction_id", "twice"), Error: "More than one order has transaction_id"},
		{
			Name: "both", Arguments: map[string]any{"id": id, "transaction_id": "sale-1"},
			Error: "Invalid Attribute Combination",
		},
		{Name: "neither", Error: "Missing Attribute Configuration"},
	})
}

func TestOrdersDataSource_readsAllPages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options  sandbox.Options
		invoices any
	}{
		"a list with invoices":    {sandbox.Options{MaxPageSize: 1}, "authorized"},
		"a list without invoices": {sandbox.Options{MaxPageSize: 1, OrdersWithoutInvoices: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, test.options)
			seedOrder(s, "sale-1")
			seedOrder(s, "sale-2")
			state, failed := testkit.Serve(t, s, nil).ReadData("einvoice_orders", nil)
			orders, _ := state["orders"].([]any)
			if failed != "" || len(orders) != 2 {
				t.Fatalf("%d orders, want 2: %s", len(orders), failed)
			}
			got := []any{testkit.At(orders[0], "transaction_id"), testkit.At(orders[1], "transaction_id"), testkit.At(orders[0], "items.product.code"), testkit.At(orders[0], "invoices.status"), testkit.At(orders[0], "invoices.number")}
			expect.Same(t, []any{"sale-1", "sale-2", "P1", test.invoices, nil}, got, "the orders")
			if list, _ := orders[0].(map[string]any)["invoices"].([]any); (list == nil) != (test.invoices == nil) {
				t.Errorf("invoices are %v", list)
			}
			fixture.WantRequests(t, s, "", "", 2)
		})
	}
}
