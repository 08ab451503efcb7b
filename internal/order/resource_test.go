package order_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// wantOrders checks how many orders were sent, and that as many exist.
func wantOrders(t *testing.T, s *sandbox.Server, n int) {
	t.Helper()
	fixture.WantRequests(t, s, "POST", fixture.OrdersPath, n)
	expect.Is(t, len(s.Objects(sandbox.KindOrders)), n, "the service holds orders")
}

func orderAtService(s *sandbox.Server) string {
	return fmt.Sprint(s.Objects(sandbox.KindOrders)[0]["id"])
}

// vanish removes the order at the service.
func vanish(s *sandbox.Server) { s.Remove(sandbox.KindOrders, orderAtService(s)) }

func TestOrder(t *testing.T) {
	t.Parallel()
	const disabled, unpaid, paid = `auto_issue_mode = "disabled"`, "auto_issue_mode = \"afterPayment\"\nstatus = \"awaitingPayment\"", "auto_issue_mode = \"afterPayment\"\nstatus = \"approved\""
	const explicit = disabled + "\nissue_invoices = true"
	type steps = func(s *sandbox.Server) []testkit.Step
	for name, test := range map[string]struct {
		options sandbox.Options
		steps   steps
		writes  string // orders, changes of status, explicit issues
		ends    string // the invoices in state
	}{
		"an approval in place issues and waits": {writes: "1 1 0", ends: "authorized", steps: func(*sandbox.Server) []testkit.Step {
			return []testkit.Step{{Arguments: saleBy("", unpaid)}, {Arguments: saleBy("", paid), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"status": "approved"}}}
		}},
		"what only the state holds is not sent": {writes: "1 0 1", ends: "authorized", steps: func(*sandbox.Server) []testkit.Step {
			return []testkit.Step{
				{Arguments: saleBy("", disabled), State: map[string]any{"invoices": []any{}}},
				{Arguments: saleBy("", explicit), Plans: plancheck.ResourceActionUpdate},
				{
					Arguments: saleBy("", explicit+"\naccept_contingency = true\ntimeouts = { update = \"5m\" }\ncancellation_reason = \"Pedido em duplicidade\""),
					Plans:     plancheck.ResourceActionUpdate, State: map[string]any{"cancellation_reason": "Pedido em duplicidade"},
				},
				{Arguments: saleBy("", disabled), Plans: plancheck.ResourceActionUpdate}, // Turned off again it undoes nothing.
			}
		}},
		"a key of extra_json that is taken out is only forgotten": {
			options: sandbox.Options{ExtraFields: map[string][]string{sandbox.KindOrders: {"notes", "tag"}}}, writes: "1 0 0", ends: "authorized",
			steps: func(*sandbox.Server) []testkit.Step {
				return []testkit.Step{
					{Arguments: saleBy("", `extra_json = "{\"notes\":\"x\",\"tag\":1}"`)},
					{Arguments: saleBy("", `extra_json = "{\"notes\":\"x\"}"`), Plans: plancheck.ResourceActionUpdate},
				}
			},
		},
		"what is rejected later is issued again where it is waited for": {writes: "1 0 1", ends: "authorized", steps: func(s *sandbox.Server) []testkit.Step {
			return []testkit.Step{
				{Arguments: saleBy("", "wait_for_invoices = false")},
				{
					Before:    func() { s.SetInvoiceStatus(invoiceOf(s, einvoice.ModelService), "rejected") },
					Arguments: saleBy("", "wait_for_invoices = false"), PlanOnly: true, State: map[string]any{"status": nil},
				},
				{Arguments: saleBy("", ""), Plans: plancheck.ResourceActionUpdate},
			}
		}},
		"gone, with invoices: it stays as it was last seen": {writes: "1 0 1", ends: "authorized", steps: func(s *sandbox.Server) []testkit.Step {
			return []testkit.Step{
				{Arguments: saleBy("", explicit)},
				{Before: func() { vanish(s) }, Arguments: saleBy("", explicit), Plans: plancheck.ResourceActionNoop},
			}
		}},
		"a status that is not configured is nobody's drift": {writes: "1 0 0", ends: "created", steps: func(s *sandbox.Server) []testkit.Step {
			return []testkit.Step{
				{Arguments: saleBy("", `auto_issue_mode = "afterPayment"`)},
				{
					Before:    func() { s.Patch(sandbox.KindOrders, orderAtService(s), map[string]any{"status": "completed"}) },
					Arguments: saleBy("", `auto_issue_mode = "afterPayment"`), Plans: plancheck.ResourceActionNoop,
				},
			}
		}},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, test.options)
			o := testkit.Serve(t, s, nil).Object("einvoice_order")
			o.Run(test.steps(s)...)
			if got := fmt.Sprint(s.Count("POST", fixture.OrdersPath), s.Count("PUT", ""), s.Count("POST", fixture.OrderIssuePath)); got != test.writes {
				t.Errorf("orders, changes of status and explicit issues that were sent: %s, want %s", got, test.writes)
			}
			expect.Is(t, statuses(o), test.ends, "the invoices")
		})
	}
}

// wholeOrder has every argument of a sale, and more.
func wholeOrder(date, number, code, city, more string) string {
	return fmt.Sprintf(`
date                   = %q
payment_method         = "pix"
amount                 = 26
freight_amount         = 5
discount_amount        = 4
send_email_to_customer = true
customer = {
  name    = "Maria", federal_tax_number = %q, email = "maria@example.com"
  address = { street = "Rua A", number = "1", district = "Centro", postal_code = %q, city = { %s } }
}
items = [{
  quantity = 2.5, price = 10.4, discount_amount = 1, freight_amount = 5, amount = 25
  product  = { code = "C1", name = "Camisa", price = 10.4, invoice_model = "productInvoice" }
}]
%s`, date, number, code, city, more)
}

// statuses are those of the invoices in state.
func statuses(o *testkit.Object) string {
	var found []string
	invoices, _ := o.State()["invoices"].([]any)
	for _, invoice := range invoices {
		found = append(found, fmt.Sprint(testkit.At(invoice, "status")))
	}
	return strings.Join(found, ", ")
}

func TestOrder_sendsEverythingAndPlansNothingForEverySpelling(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{ExtraFields: map[string][]string{sandbox.KindOrders: {"transport"}}})
	sale := func(date, number, code, city string) string {
		return wholeOrder(date, number, code, city, `
transaction_id  = "t-1"
status          = "created"
auto_issue_mode = "afterWarrency"
warranty_date   = "2099-12-31"
extra_json      = "{\"transport\":{\"carrier\":\"X\"}}"
timeouts        = { create = "5m", update = "5m" }`)
	}
	o := testkit.Serve(t, s, nil).Object("einvoice_order")
	o.Run(
		testkit.Step{Arguments: sale("2026-03-10T09:00:00-03:00", "529.982.247-25", "01310-100", `name = "SAO PAULO", state = "SP"`), State: map[string]any{"customer.address.city.code": "3550308"}},
		testkit.Step{Arguments: sale("2026-03-10T12:00:00Z", "52998224725", "01310100", `code = "3550308"`), Plans: plancheck.ResourceActionNoop},
	)
	var sent map[string]any
	request, _ := s.Last("POST", fixture.OrdersPath)
	expect.NoError(t, json.Unmarshal(request.Body, &sent))
	want := map[string]any{
		"transactionId": "t-1", "date": "2026-03-10T09:00:00-03:00", "status": "created", "paymentMethod": "pix", "autoIssueMode": "afterWarrency", "warrantyDate": "2099-12-31",
		"amount": 26.0, "freightAmount": 5.0, "discountAmount": 4.0, "sendEmailToCustomer": true, "transport": map[string]any{"carrier": "X"},
		"customer": map[string]any{"name": "Maria", "federalTaxNumber": "52998224725", "email": "maria@example.com", "address": map[string]any{
			"street": "Rua A", "number": "1", "district": "Centro", "postalCode": "01310100", "city": map[string]any{"name": "SAO PAULO", "state": "sp"},
		}},
		"items": []any{map[string]any{
			"quantity": 2.5, "price": 10.4, "discountAmount": 1.0, "freightAmount": 5.0, "amount": 25.0,
			"product": map[string]any{"code": "C1", "name": "Camisa", "price": 10.4, "invoiceModel": "productInvoice"},
		}},
	}
	expect.Same(t, want, sent, "what was sent differs")
	if unknown := s.UnknownFields(); len(unknown) != 0 {
		t.Errorf("fields were sent that the service does not know: %v", unknown)
	}
	wantOrders(t, s, 1)
}

// item is the item of an order.
func item(quantity, price float64, model string) []any {
	return []any{map[string]any{"quantity": quantity, "price": price, "amount": 100, "product": map[string]any{"code": "S1", "name": "Consulta", "invoice_model": model}}}
}

func TestOrder_refusesEveryOtherChange(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	sold := map[string]any{"transaction_id": "t-1", "amount": 100, "customer": map[string]any{"name": "Maria"}, "items": item(4, 25, "serviceInvoice"), "extra_json": `{"tag":1}`}
	o := testkit.Serve(t, s, nil).Object("einvoice_order")
	_, said := o.Create(sold)
	o.MustNotFail(said)
	for _, change := range []testkit.Refusal{
		{At: "amount", Value: 90, Want: "`amount` is 100 in state and 90.*NFS-e 1 \\(authorized\\).*new `transaction_id`"},
		{At: "items", Value: item(2, 25, "serviceInvoice"), Want: "`items\\[0\\].quantity` is 4"},
		{At: "items", Value: item(4, 25, "productInvoice"), Want: "`items\\[0\\].product.invoice_model`"},
		{At: "customer.name", Value: "Ana", Want: "`customer.name` is \"Maria\" in state and \"Ana\""},
		{At: "customer.address", Value: map[string]any{"street": "Rua A"}, Want: "`customer.address` is not set in state and set"},
		{At: "payment_method", Value: "pix", Want: "`payment_method` is not set"},
		{At: "extra_json", Value: `{"tag":2}`, Want: "`extra_json`"},
		{At: "send_email_to_customer", Value: true, Want: "`send_email_to_customer` is not set in state and true"},
	} {
		arguments := maps.Clone(sold)
		testkit.Set(arguments, change.At, change.Value)
		_, said := o.Plan(o.Value(o.Type, arguments))
		testkit.WantErrorAt(t, said, change.At, "Cannot change order t-1.*"+change.Want)
	}
	fixture.WantWrites(t, s, 1)
}

func TestOrder_imports(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	const sold = `{"amount":10,"sendEmailToCustomer":true,"autoIssueMode":"disabled",
"customer":{"name":"Maria","federalTaxNumber":"52998224725","address":{"city":{"code":"3550308"}}},
"items":[{"quantity":1,"price":10,"amount":10,"product":{"code":"P-1","name":"Camisa","price":10,"invoiceModel":"serviceInvoice"}}]}`
	if _, err := fixture.OwnerClient(t, s).CreateOrder(t.Context(), einvoice.Order{TransactionID: "sale-1"}, json.RawMessage(sold), nil); err != nil {
		t.Fatal(err)
	}
	p, id := testkit.Serve(t, s, nil), orderAtService(s)
	testkit.WantImports(t, p, s, "einvoice_order", map[string]string{id: id, "transaction_id=sale-1": id}, map[string]string{
		"transaction_id=sale-2": `No order has transaction_id "sale-2"`, "id=sale-1": "Invalid import ID",
	})
	o := p.Object("einvoice_order")
	s.Inject(sandbox.Fault{Method: "GET", Path: fixture.OrderPath, Kind: sandbox.FaultStatus, Status: 403})
	expect.Contains(t, testkit.ErrorsIn(o.Import(id)), "Cannot read order "+id)
	p.MustNotFail(o.Import("transaction_id=sale-1"))
	disabled := saleBy("", `auto_issue_mode = "disabled"`)
	o.Run(
		testkit.Step{Arguments: strings.ReplaceAll(disabled, "= 10", "= 20"), Fails: "Wrong order imported.*is 10 at the service.*20"},
		// What the service filled in, such as the date, stays.
		testkit.Step{Arguments: disabled, Plans: plancheck.ResourceActionNoop, State: map[string]any{"amount": 10.0, "status": "created", "invoices": []any{}}},
	)
	if o.State()["date"] == nil {
		t.Error("an import does not bring the date")
	}
}

func TestOrder_refusesWrongValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	testkit.WantRefusals(t, "einvoice_order", map[string]any{
		"transaction_id": strings.Repeat("a", 36), "amount": 100, "cancellation_reason": "Pedido em duplicidade",
		"customer": map[string]any{"name": "Maria"}, "items": item(4, 25, "serviceInvoice"),
	}, []testkit.Refusal{
		{Name: "an identity with a space", At: "transaction_id", Value: "sale 1", Want: "1 to 36 characters"},
		{Name: "a short reason", At: "cancellation_reason", Value: "mistake", Want: "15 to 255 characters.*has 7"},
		{Name: "another spelling of the mode", At: "auto_issue_mode", Value: "afterWarranty", Want: "afterWarrency"},
		{Name: "a date in words", At: "date", Value: "yesterday", Want: "Invalid date.*ISO 8601"},
		{Name: "a long name", At: "customer.name", Value: strings.Repeat("x", 81), Want: "customer.name.*81"},
		{Name: "no customer", At: "customer", Want: "customer"},
		{Name: "no items", At: "items", Value: []any{}, Want: "items.*at least 1"},
		{Name: "a product without code and name", At: "items", Value: []any{map[string]any{"price": 10, "product": map[string]any{}}}, Want: `Incomplete product.*items\[0\]\.product`},
		{Name: "an unknown model", At: "items", Value: item(4, 25, "invoice"), Want: `items\[0\].product.invoice_model.*productInvoice`},
		{Name: "a field that has an attribute", At: "extra_json", Value: `{"paymentMethod":"pix"}`, Want: "paymentMethod.*payment_method"},
	})
}

func TestOrder_plansWarn(t *testing.T) {
	t.Parallel()
	type arguments = map[string]any
	paid := arguments{"auto_issue_mode": "afterPayment", "status": "approved"}
	for name, test := range map[string]struct {
		more    arguments
		changed func(s *sandbox.Server) // at the service, after an apply
		want    []string
	}{
		"an unusual payment method": {more: arguments{"payment_method": "barter"}, want: []string{"Unusual payment method.*billetBank"}},
		"a warranty without an end": {more: arguments{"auto_issue_mode": "afterWarrency"}, want: []string{"Missing warranty_date"}},
		"a date that comes too late": {
			more: arguments{"effective_date": "2026-03-15", "issue_invoices": true}, want: []string{"effective_date has no effect on automatic issuing"},
		},
		"sums that do not add up": {more: arguments{"amount": 101}, want: []string{"Amount of order t-1 does not add up"}},
		"another amount": {
			more: paid, changed: func(s *sandbox.Server) {
				s.Patch(sandbox.KindOrders, orderAtService(s), map[string]any{"amount": 90})
			},
			want: []string{"Order t-1 differs at the service.*amount: 100 in the configuration, 90"},
		},
		"an invoice that was rejected later": {
			more: paid, changed: func(s *sandbox.Server) { s.SetInvoiceStatus(invoiceOf(s, einvoice.ModelService), "rejected") },
			want: []string{`NFS-e 1 \(t-1\) is rejected.*next apply then issues it again`},
		},
		"an order that is gone": {more: paid, changed: vanish, want: []string{"Order t-1 is gone at the service.*never creates it again"}},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			o := testkit.Serve(t, s, nil).Object("einvoice_order")
			sold := arguments{"transaction_id": "t-1", "amount": 100, "customer": arguments{"name": "Maria"}, "items": item(4, 25, "serviceInvoice")}
			maps.Copy(sold, test.more)
			if test.changed != nil {
				o.MustCreate(sold)
				test.changed(s)
			}
			heard := o.Refresh()
			_, planned := o.Plan(o.Value(o.Type, sold))
			text := testkit.TextsOf(append(heard, planned...))
			for _, want := range test.want {
				if !regexp.MustCompile("(?s)" + want).MatchString(text) {
					t.Errorf("the plan does not say %q: %s", want, text)
				}
			}
		})
	}
}

// An invoice of an order that asks for none is named by the run that sees it first.
func TestOrder_warnsOfAnInvoiceThatIsIssuedUnasked(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Options sandbox.Options
		More    string
		Later   bool // the invoice is issued after the creation
		Warns   string
	}](t, "order_warns_of_an_invoice_that_is_issued_unasked.json") {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, test.Options)
			o := testkit.Serve(t, s, nil).Object("einvoice_order")
			warned := func(when, text string) {
				t.Helper()
				named := strings.Contains(text, "(sale-1) was issued, although issuing is disabled")
				expect.Is(t, named, (test.Warns == when), "the %s says %q", when, text)
				for _, v := range s.Invoices(einvoice.ModelService) {
					if id := fmt.Sprint(v["id"]); named && !strings.Contains(text, id) {
						t.Errorf("the %s does not name %s: %s", when, id, text)
					}
				}
			}
			_, said := o.Create(o.Arguments(saleBy("", test.More)))
			o.MustNotFail(said)
			warned("creation", testkit.TextsOf(said))
			if test.Later {
				expect.NoError(t, fixture.OwnerClient(t, s).IssueOrderInvoices(t.Context(), orderAtService(s), "", nil))
			}
			warned("refresh", testkit.TextsOf(o.Refresh()))
			if text := testkit.TextsOf(o.Refresh()); strings.Contains(text, "although issuing is disabled") {
				t.Errorf("the next refresh repeats it: %s", text)
			}
			wantOrders(t, s, 1)
		})
	}
}

// Orders need a way to be found: without one, nothing is sent. The read by id is one where `operations` names it.
func TestOrder_isSentOnlyWhereItCanBeFound(t *testing.T) {
	t.Parallel()
	options := sandbox.Options{Without: []string{"GET /v1/orders", "GET /v1/orders/{id}"}}
	s := sandbox.Start(t, options)
	o := testkit.Serve(t, s, nil).Object("einvoice_order")
	_, said := o.Create(o.Arguments(saleBy("", "")))
	failed := testkit.ErrorsIn(said)
	if !strings.Contains(failed, "operations = { list_orders =") || !strings.Contains(failed, `operations = { get_order = "GET /v1/orders/{id}" }`) {
		t.Errorf("it says %q", failed)
	}
	wantOrders(t, s, 0)

	options.Without = options.Without[:1]
	s = sandbox.Start(t, options)
	o = testkit.Serve(t, s, map[string]any{"operations": map[string]tftypes.Value{
		"get_order": tftypes.NewValue(tftypes.String, "GET /v1/orders/{id}"),
	}}).Object("einvoice_order")
	_, said = o.Create(o.Arguments(saleBy("", "")))
	o.MustNotFail(said)
	expect.Contains(t, testkit.TextsOf(said), "The service does not list orders")
	o.Run(testkit.Step{Arguments: saleBy("", ""), Plans: plancheck.ResourceActionNoop})
	o.Forget()
	o.Run(testkit.Step{Arguments: saleBy("", "")}) // The journal knows it by its id.
	expect.Is(t, statuses(o), "authorized", "the invoices")
	wantOrders(t, s, 1)
}

// The answer to a creation may be the invoice, which has an id of its own.
func TestOrder_answeredWithItsInvoiceHasItsOwnID(t *testing.T) {
	t.Parallel()
	for _, more := range []string{"", "wait_for_invoices = false"} {
		rows.Case(t, more, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{OrdersAnswerInvoice: true})
			o := testkit.Serve(t, s, nil).Object("einvoice_order")
			o.Run(testkit.Step{Arguments: saleBy("", more)}, testkit.Step{Arguments: saleBy("", more), Plans: plancheck.ResourceActionNoop})
			if got, want := o.State()["id"], orderAtService(s); got != want {
				t.Errorf("the id in state is %v, want %s", got, want)
			}
			wantOrders(t, s, 1)
		})
	}
}

func TestOrderIssueAction(t *testing.T) {
	t.Parallel()
	const issue = "/v1/orders/{id}/invoices/issue"
	for name, tt := range map[string]struct {
		prepare       func(s *sandbox.Server)
		last, want    string
		issues, again int
		invoices      int
	}{
		"issues what is not issued, and nothing the next time": {last: "Order t-1 has these invoices: NFS-e 1 (authorized).", issues: 1, invoices: 1},
		"reports a rejection, and issues again when its cause is removed": {
			prepare: func(s *sandbox.Server) { s.ScriptInvoice("", sandbox.Reject("539", "Duplicidade")) },
			want:    "issues only what is not issued", issues: 1, again: 1, invoices: 1,
		},
		"reports a refusal": {
			prepare: func(s *sandbox.Server) {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: issue, Status: 400, Message: "No certificate."})
			},
			want: "No certificate.", issues: 1, again: 1, invoices: 1,
		},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			p := testkit.Serve(t, s, nil)
			id := fixture.ApprovedOrder(s, s.OwnerCompanyID())
			if tt.prepare != nil {
				tt.prepare(s)
			}
			p.Invoke("einvoice_order_issue_invoices", map[string]any{"order_id": id, "effective_date": "2026-11-20T10:00:00-03:00"}).Expect(t, tt.last, tt.want, "")
			fixture.WantRequests(t, s, "POST", issue, tt.issues)
			p.Invoke("einvoice_order_issue_invoices", map[string]any{"order_id": id}).Expect(t, "(authorized).", "", "")
			expect.Is(t, s.Count("POST", issue)-tt.issues, tt.again, "invoked again it asked times to issue")
			expect.Is(t, len(s.Objects(sandbox.KindServiceInvoices)), tt.invoices, "invoices")
		})
	}
}

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
			fails: `Not destroyed: the status of NF-e.*The plan did not know this invoice`,
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
