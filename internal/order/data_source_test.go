package order_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
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
	for name, test := range map[string]struct {
		arguments map[string]any
		fails     string
	}{
		"by id":               {map[string]any{"id": id}, ""},
		"by transaction_id":   {map[string]any{"transaction_id": "sale-1"}, ""},
		"an unknown id":       {map[string]any{"id": "00000000-0000-4000-8000-000000000001"}, "Order not found"},
		"an unknown sale":     {map[string]any{"transaction_id": "sale"}, "Order not found"},
		"several of one name": {map[string]any{"transaction_id": "twice"}, "Order is not the only one"},
		"both":                {map[string]any{"id": id, "transaction_id": "sale-1"}, "Invalid Attribute Combination"},
		"neither":             {nil, "Missing Attribute Configuration"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state, failed := testkit.Serve(t, s, nil).ReadData("einvoice_order", test.arguments)
			if (test.fails == "") != (failed == "") || !strings.Contains(failed, test.fails) {
				t.Fatalf("the error is %q, want %q", failed, test.fails)
			}
			if failed != "" {
				return
			}
			want := []any{
				id, "sale-1", "2026-11-10T10:00:00-03:00", 20.5, 1.0, 2.0, "approved", "pix", "afterWarrency", "2026-12-31", true, "Maria", "3550308", 19.5, "Curso",
				"serviceInvoice", "authorized", 7.0, "3526",
			}
			got := []any{
				state["id"], state["transaction_id"], state["date"], state["amount"], state["discount_amount"], state["freight_amount"], state["status"], state["payment_method"],
				state["auto_issue_mode"], state["warranty_date"], state["send_email_to_customer"], at(state, "customer", "name"), at(state, "customer", "address", "city", "code"),
				at(state, "items", "amount"), at(state, "items", "product", "name"), at(state, "invoices", "model"), at(state, "invoices", "status"), at(state, "invoices", "number"), at(state, "invoices", "access_key"),
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the order (-want +got):\n%s", diff)
			}
		})
	}
}

// at walks into objects, and into the first entry of lists.
func at(value any, names ...string) any {
	for _, name := range names {
		members, _ := value.(map[string]any)
		value = members[name]
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[0]
		}
	}
	return value
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
			got := []any{at(orders[0], "transaction_id"), at(orders[1], "transaction_id"), at(orders[0], "items", "product", "code"), at(orders[0], "invoices", "status"), at(orders[0], "invoices", "number")}
			if diff := cmp.Diff([]any{"sale-1", "sale-2", "P1", test.invoices, nil}, got); diff != "" {
				t.Errorf("the orders (-want +got):\n%s", diff)
			}
			if list, _ := orders[0].(map[string]any)["invoices"].([]any); (list == nil) != (test.invoices == nil) {
				t.Errorf("invoices are %v", list)
			}
			fixture.WantRequests(t, s, "", "", 2)
		})
	}
}
