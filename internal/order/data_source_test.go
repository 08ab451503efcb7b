package order_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
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
		rows.Case(t, name, func(t *testing.T) {
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

// An order in state beside an error is tainted: the next apply would record a second one, and issue its invoices.
func TestOrder_whoseInvoiceIsIssuedInAnotherEnvironmentIsInState(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	inEnvironment := func(environment string) {
		model := map[string]any{"environmentType": environment}
		s.SetSettings(s.OwnerCompanyID(), map[string]any{
			"serviceInvoice": model, "productInvoice": model, "consumerInvoice": model,
		})
	}
	inEnvironment("development")
	allowed := []tftypes.Value{tftypes.NewValue(tftypes.String, "development")}
	o := testkit.Serve(t, s, map[string]any{"environments": allowed}).Object("einvoice_order")
	s.Before("POST", fixture.OrdersPath, func() { inEnvironment("production") })
	arguments := o.Arguments(saleBy("", ""))
	state, said := o.Create(arguments)
	o.MustNotFail(said)
	if state == nil || statuses(o) != "authorized" {
		t.Errorf("the state has %v", state)
	}
	expect.Contains(t, testkit.TextsOf(said), "Issued in production: NFS-e")
	expect.Is(t, o.Action(o.MustPlan(o.Value(o.Type, arguments))), plancheck.ResourceActionNoop, "the next plan")
	wantOrders(t, s, 1)
}

// saleBy is an order by a company, "" for none named.
func saleBy(issuer, more string) string {
	if issuer != "" {
		more += fmt.Sprintf("\nissuer = %q", issuer)
	}
	return `transaction_id = "sale-1"
		amount = 10
		customer = { name = "Maria", federal_tax_number = "529.982.247-25", address = { city = { code = "3550308" } } }
		items = [{ quantity = 1, price = 10, amount = 10, product = { code = "P-1", name = "Camisa", price = 10, invoice_model = "serviceInvoice" } }]
		` + more
}

func TestIssuer_recordsTheOrderWithItsKey(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id, key := fixture.Company(s, fixture.BranchNumber)
	_, other := fixture.Company(s, fixture.OtherNumber)
	p := testkit.Serve(t, s, map[string]any{"company_keys": map[string]any{fixture.BranchNumber: key, fixture.OtherNumber: other}})
	o := p.Object("einvoice_order")
	o.Run(
		testkit.Step{Arguments: saleBy("11.222.333/0001-81", `auto_issue_mode = "immediately"`), State: map[string]any{"issuer": "11.222.333/0001-81"}},
		testkit.Step{Before: s.ResetRequests, Arguments: saleBy("", `auto_issue_mode = "immediately"`), Plans: plancheck.ResourceActionNoop},
		testkit.Step{Arguments: saleBy(fixture.OtherNumber, `auto_issue_mode = "immediately"`), Fails: "Another company has issued order sale-1.*11.222.333/0001-81.*11444777000161"},
	)
	fixture.WantWrites(t, s, 0)
	if n := fixture.IssuedBy(s, fixture.BranchNumber); n != 1 || len(s.Invoices("")) != 1 {
		t.Errorf("%d of %d invoices are the branch's", n, len(s.Invoices("")))
	}
	orderID := fmt.Sprint(o.State()["id"])
	for text, want := range map[string]string{
		"11222333000181/" + orderID:                "",
		"11.222.333/0001-81/transaction_id=sale-1": "",
		"11444777000161/transaction_id=sale-1":     "Order not found",
		"transaction_id=sale-1":                    "Order not found", // The main company has none.
		"branch/" + orderID:                        "Invalid import ID",
		"11222333000181transaction_id=sale-1":      "Invalid import ID",
		"11222333000181/":                          "Invalid import ID",
	} {
		imported := p.Object("einvoice_order")
		failed := testkit.ErrorsIn(imported.Import(text))
		if (want == "") != (failed == "") || !strings.Contains(failed, want) || want == "" && imported.State()["transaction_id"] != "sale-1" {
			t.Errorf("%s: the error is %q, want %q; the state is %v", text, failed, want, imported.State())
		}
	}
	if request, _ := s.Last("GET", fixture.OrderPath); request.Key != id {
		t.Errorf("the order was read with the key of %s", request.Key)
	}
}

func TestIssuer_anOrderOfWhichNothingIsIssuedIsReplaced(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	_, branch := fixture.Company(s, fixture.BranchNumber)
	_, other := fixture.Company(s, fixture.OtherNumber)
	o := testkit.Serve(t, s, map[string]any{"company_keys": map[string]any{fixture.BranchNumber: branch, fixture.OtherNumber: other}}).Object("einvoice_order")
	o.Run(
		testkit.Step{Arguments: saleBy(fixture.BranchNumber, `auto_issue_mode = "disabled"`), State: map[string]any{"issuer": fixture.BranchNumber}},
		testkit.Step{Arguments: saleBy(fixture.OtherNumber, `auto_issue_mode = "disabled"`), Plans: plancheck.ResourceActionReplace, State: map[string]any{"issuer": fixture.OtherNumber}},
	)
}

func TestIssuer_neverRecordsUnderAKeyKnownToBeAnothers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		known  bool // whose the key is shows beforehand
		orders int
		says   string
	}{
		"known beforehand": {true, 0, "(?s)The key is another company's: order sale-1.*11.222.333/0001-81.*11.444.777/0001-61.*Nothing was sent"},
		"known afterwards": {false, 1, "(?s)Issued by another company: order sale-1.*11.222.333/0001-81.*the order .*11.444.777/0001-61.*Cancel"},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			fixture.Company(s, fixture.BranchNumber)
			_, other := fixture.Company(s, fixture.OtherNumber)
			settings := map[string]any{"company_keys": map[string]any{fixture.BranchNumber: other}}
			if !test.known {
				settings["api_key"] = other
			}
			o := testkit.Serve(t, s, settings).Object("einvoice_order")
			o.Run(testkit.Step{Arguments: saleBy(fixture.BranchNumber, `auto_issue_mode = "immediately"`), Fails: test.says})
			if n := s.Count("POST", fixture.OrdersPath); n != test.orders || o.State() != nil {
				t.Errorf("%d orders, want %d, and the state is %v", n, test.orders, o.State())
			}
		})
	}
}

// The first explicit issue shows whose key it is: the next order issues nothing.
func TestIssuer_anExplicitIssueShowsWhoseTheKeyIs(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	fixture.Company(s, fixture.BranchNumber)
	_, other := fixture.Company(s, fixture.OtherNumber)
	p := testkit.Serve(t, s, map[string]any{"company_keys": map[string]any{fixture.BranchNumber: other}, "api_key": other})
	sale := func(name, more string) string {
		return strings.Replace(saleBy(fixture.BranchNumber, `auto_issue_mode = "disabled"`+"\n"+more), "sale-1", name, 1)
	}
	first, second := p.Object("einvoice_order"), p.Object("einvoice_order")
	first.Run(testkit.Step{Arguments: sale("sale-1", "")})
	second.Run(testkit.Step{Arguments: sale("sale-2", "")})
	first.Run(testkit.Step{Arguments: sale("sale-1", "issue_invoices = true"), Fails: "Issued by another company: order sale-1"})
	second.Run(testkit.Step{Arguments: sale("sale-2", "issue_invoices = true"), Fails: "The key is another company's: order sale-2"})
	fixture.WantRequests(t, s, "POST", fixture.OrdersPath+"/{id}/invoices/issue", 1)
}

// The plan asks where plan_lookup says so, and what is known.
func TestPlanLookup_ofAnOrder(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	arguments := map[string]any{
		"transaction_id": "t-1", "amount": 100, "auto_issue_mode": "disabled", "customer": map[string]any{"name": "Maria"},
		"items": item(4, 25, "serviceInvoice"),
	}
	if _, said := testkit.Serve(t, s, nil).Object("einvoice_order").Create(arguments); testkit.ErrorsIn(said) != "" {
		t.Fatal(testkit.ErrorsIn(said))
	}
	for _, looks := range []bool{false, true} {
		s.ResetRequests()
		o := testkit.Serve(t, s, map[string]any{"plan_lookup": looks}).Object("einvoice_order")
		_, said := o.Plan(o.Value(o.Type, arguments))
		if says := len(said) == 1 && strings.Contains(said[0].Summary, "exists: apply continues with it"); says != looks || (len(s.Requests()) > 0) != looks {
			t.Errorf("with plan_lookup = %t the plan made %d requests, and says %v", looks, len(s.Requests()), said)
		}
	}
}

func TestOrder_warnsOfTwoNewOrdersWithOneName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"t-1": "Two new orders with one transaction_id: order t-1", "t-2": ""} {
		s := sandbox.Start(t, sandbox.Options{})
		p := testkit.Serve(t, s, nil)
		arguments := map[string]any{
			"transaction_id": "t-1", "amount": 100, "customer": map[string]any{"name": "Maria"}, "items": item(4, 25, "serviceInvoice"),
		}
		o := p.Object("einvoice_order")
		o.MustPlan(o.Value(o.Type, arguments))
		arguments["transaction_id"] = name
		_, said := o.Plan(o.Value(o.Type, arguments))
		if len(said) != min(1, len(want)) || len(said) == 1 && said[0].Summary != want {
			t.Errorf("the plan of %s after t-1 says %v, want %q", name, said, want)
		}
	}
}

// twoModels is an order that the service splits into an NF-e and an NFS-e.
const twoModels = `
transaction_id      = "t-1"
amount              = 30
customer            = { name = "Maria", federal_tax_number = "529.982.247-25" }
cancellation_reason = "Pedido em duplicidade"
items = [
  { price = 10, product = { code = "A", name = "Curso", invoice_model = "serviceInvoice" } },
  { price = 20, product = { code = "B", name = "Livro", invoice_model = "productInvoice" } },
]
`

// sandboxOfTwoModels lets an order have invoices of several models.
func sandboxOfTwoModels(t *testing.T) *sandbox.Server {
	t.Helper()
	s := sandbox.Start(t, sandbox.Options{})
	general := map[string]any{"allowMultipleInvoiceModelsPerOrder": true}
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"general": general})
	return s
}

// invoiceOf is the id of the first invoice of a model.
func invoiceOf(s *sandbox.Server, model string) string { return fmt.Sprint(s.Invoices(model)[0]["id"]) }

func TestOrder_destroyCancelsWhatThePlanHasSaid(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		arguments string
		planned   func(t *testing.T, s *sandbox.Server) // before the plan
		found     func(t *testing.T, s *sandbox.Server) // after it
		fails     string                                // what the destroy says
		deletes   int
		ends      string // of NF-e and NFS-e
	}{
		"all are authorized": {arguments: twoModels, deletes: 2, ends: "canceled, canceled"},
		"without a reason":   {arguments: strings.Replace(twoModels, "cancellation_reason", "#", 1), ends: "authorized, authorized"},
		"one was canceled elsewhere": {
			arguments: twoModels, deletes: 1, ends: "canceled, canceled",
			planned: func(_ *testing.T, s *sandbox.Server) {
				s.SetInvoiceStatus(invoiceOf(s, "productInvoice"), "canceled")
			},
		},
		"one is canceled after the plan": {
			arguments: twoModels, deletes: 1, ends: "canceled, canceled",
			found: func(_ *testing.T, s *sandbox.Server) {
				s.SetInvoiceStatus(invoiceOf(s, "productInvoice"), "canceled")
			},
		},
		"one is in progress": {
			arguments: twoModels, ends: "enqueued, authorized", fails: `Cannot cancel NF-e \(t-1\) yet.*To remove the order from state`,
			planned: func(_ *testing.T, s *sandbox.Server) {
				s.SetInvoiceStatus(invoiceOf(s, "productInvoice"), "enqueued")
			},
		},
		"one has moved on since the plan": {
			arguments: twoModels, ends: "authorized, authorized", fails: `Not destroyed: the status of NF-e.*The plan was made for an invoice with status "rejected"`,
			planned: func(_ *testing.T, s *sandbox.Server) {
				s.SetInvoiceStatus(invoiceOf(s, "productInvoice"), "rejected")
			},
			found: func(_ *testing.T, s *sandbox.Server) {
				s.SetInvoiceStatus(invoiceOf(s, "productInvoice"), "authorized")
			},
		},
		"one was issued since the plan": {
			arguments: strings.Replace(twoModels, "customer", "auto_issue_mode = \"disabled\"\ncustomer", 1), ends: "authorized, authorized",
			fails: `Not destroyed: the status of NF-e.*The plan did not know it`,
			found: func(t *testing.T, s *sandbox.Server) {
				expect.NoError(t, fixture.OwnerClient(t, s).IssueOrderInvoices(t.Context(), orderAtService(s), "", nil))
			},
		},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandboxOfTwoModels(t)
			o := testkit.Serve(t, s, nil).Object("einvoice_order")
			o.Run(testkit.Step{Arguments: test.arguments})
			if test.planned != nil {
				test.planned(t, s)
				o.MustNotFail(o.Refresh())
			}
			if test.found != nil {
				test.found(t, s)
			}
			s.ResetRequests()
			failed := o.End()
			if (test.fails == "") != (failed == "") || !regexp.MustCompile("(?s)"+test.fails).MatchString(failed) {
				t.Errorf("the error is %q, want %q", failed, test.fails)
			}
			if (o.State() == nil) != (test.fails == "") {
				t.Errorf("the state is %v", o.State())
			}
			fixture.WantRequests(t, s, "DELETE", "", test.deletes)
			if n := s.Count("DELETE", "/v1/orders/{id}/cancel"); n != 0 {
				t.Error("the order was canceled, which promises nothing of its invoices")
			}
			ends := fmt.Sprintf("%v, %v", s.Invoices("productInvoice")[0]["status"], s.Invoices("serviceInvoice")[0]["status"])
			expect.Is(t, ends, test.ends, "the invoices")
			if test.arguments != twoModels && test.fails == "" && len(s.Requests()) != 0 {
				t.Errorf("%d requests to forget the order", len(s.Requests()))
			}
		})
	}
}

// What is canceled already is left alone by the next try.
func TestOrder_aRefusedCancellationIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := sandboxOfTwoModels(t)
	s.ScriptInvoice("t-1", sandbox.CancelRefused("501", "Prazo de cancelamento superior ao previsto"))
	o := testkit.Serve(t, s, nil).Object("einvoice_order")
	o.Run(testkit.Step{Arguments: twoModels})
	failed := o.End()
	if strings.Count(failed, "Cancellation refused") != 1 || !strings.Contains(failed, "(t-1): Code 501") {
		t.Errorf("the error is %q", failed)
	}
	o.MustNotFail(o.Refresh())
	var statuses []string
	for _, v := range s.Invoices("") {
		statuses = append(statuses, fmt.Sprint(v["status"]))
	}
	slices.Sort(statuses)
	if diff := cmp.Diff([]string{"authorized", "canceled"}, statuses); diff != "" {
		t.Fatalf("the invoices (-want +got):\n%s", diff)
	}
	if failed := o.End(); failed != "" {
		t.Error(failed)
	}
	fixture.WantRequests(t, s, "DELETE", "", 3)
}

// A block that is renamed without `moved` leaves and comes at the same moment. Either
// the new one has the order, whose invoice stays valid, or it is told what was canceled.
func TestOrder_aLeavingBlockNeverCancelsWhatAnotherHasTakenOver(t *testing.T) {
	t.Parallel()
	const both = testkit.BothAtOnce
	for _, order := range []string{testkit.TheNewOneFirst, testkit.TheOldOneFirst, both, both} {
		rows.Case(t, order, func(t *testing.T) {
			s := sandboxOfTwoModels(t)
			p := testkit.Serve(t, s, nil)
			old, renamed := p.Object("einvoice_order"), p.Object("einvoice_order")
			old.Run(testkit.Step{Arguments: twoModels})
			said := old.RenameTo(renamed, twoModels, order)
			expect.Contains(t, testkit.TextsOf(said), "Renamed without")
			want := "canceled"
			if renamed.State() != nil || order == testkit.TheNewOneFirst {
				want = "authorized"
			}
			for _, v := range s.Invoices("") {
				expect.Is[any](t, v["status"], want, "an invoice, and the new block holds %v", renamed.State())
			}
			expect.Is(t, len(s.Objects(sandbox.KindOrders)), 1, "orders")
		})
	}
}
