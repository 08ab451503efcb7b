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

// changes are what somebody else does with the order at the service.
var changes = map[string]func(s *sandbox.Server){
	"":                        func(*sandbox.Server) {},
	"its invoice is rejected": func(s *sandbox.Server) { s.SetInvoiceStatus(invoiceOf(s, einvoice.ModelService), "rejected") },
	"it is gone":              func(s *sandbox.Server) { s.Remove(sandbox.KindOrders, orderAtService(s)) },
	"it is completed": func(s *sandbox.Server) {
		s.Patch(sandbox.KindOrders, orderAtService(s), map[string]any{"status": "completed"})
	},
	"its amount is 90": func(s *sandbox.Server) {
		s.Patch(sandbox.KindOrders, orderAtService(s), map[string]any{"amount": 90})
	},
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Row   string
		Steps []struct {
			testkit.Step
			Before string
		}
		Writes string // orders, changes of status, explicit issues
		Ends   string // the invoices in state
	}](t, "order.json") {
		rows.Case(t, test.Row, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{ExtraFields: map[string][]string{sandbox.KindOrders: {"notes", "tag"}}})
			var steps []testkit.Step
			for _, step := range test.Steps {
				step.Step.Before = func() { changes[step.Before](s) }
				step.Arguments = saleBy("", step.Arguments)
				steps = append(steps, step.Step)
			}
			o := testkit.Serve(t, s, nil).Object("einvoice_order")
			o.Run(steps...)
			got := fmt.Sprint(s.Count("POST", fixture.OrdersPath), s.Count("PUT", ""), s.Count("POST", fixture.OrderIssuePath))
			expect.Is(t, got, test.Writes, "orders, changes of status and explicit issues that were sent")
			expect.Is(t, statuses(o), test.Ends, "the invoices")
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
	expect.Same(t, rows.Read[map[string]any](t, "order_that_is_sent.json"), sent, "what was sent differs")
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
	sold := soldBy("t-1")
	sold["extra_json"] = `{"tag":1}`
	o := testkit.Serve(t, s, nil).Object("einvoice_order")
	_, said := o.Create(sold)
	o.MustNotFail(said)
	for _, change := range rows.Read[[]testkit.Refusal](t, "order_refuses_every_other_change.json") {
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
	testkit.WantRefusalsOf(t, "einvoice_order", "order_refuses_wrong_values_while_planning.json")
}

func TestOrder_plansWarn(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Row     string
		More    map[string]any
		Changed string // at the service, after an apply
		Want    string
	}](t, "order_plans_warn.json") {
		rows.Case(t, test.Row, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			o := testkit.Serve(t, s, nil).Object("einvoice_order")
			sold := soldBy("t-1")
			maps.Copy(sold, test.More)
			if test.Changed != "" {
				o.MustCreate(sold)
				changes[test.Changed](s)
			}
			heard := o.Refresh()
			_, planned := o.Plan(o.Value(o.Type, sold))
			text := testkit.TextsOf(append(heard, planned...))
			if !regexp.MustCompile("(?s)" + test.Want).MatchString(text) {
				t.Errorf("the plan does not say %q: %s", test.Want, text)
			}
		})
	}
}

// soldBy are the arguments of an order of one NFS-e.
func soldBy(name string) map[string]any {
	return map[string]any{
		"transaction_id": name, "amount": 100, "customer": map[string]any{"name": "Maria"}, "items": item(4, 25, "serviceInvoice"),
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
	const action = "einvoice_order_issue_invoices"
	for _, row := range rows.Read[[]struct {
		Row           string
		Script        []sandbox.Outcome
		Fault         *sandbox.Fault
		Last, Error   string
		Issues, Again int // of the first and of the second invocation
	}](t, "order_issue_action.json") {
		rows.Case(t, row.Row, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			p := testkit.Serve(t, s, nil)
			id := fixture.ApprovedOrder(s, s.OwnerCompanyID())
			if s.ScriptInvoice("", row.Script...); row.Fault != nil {
				s.Inject(*row.Fault)
			}
			arguments := map[string]any{"order_id": id, "effective_date": "2026-11-20T10:00:00-03:00"}
			p.Invoke(action, arguments).Expect(t, row.Last, row.Error, "")
			fixture.WantRequests(t, s, "POST", fixture.OrderIssuePath, row.Issues)
			p.Invoke(action, map[string]any{"order_id": id}).Expect(t, "(authorized).", "", "")
			fixture.WantRequests(t, s, "POST", fixture.OrderIssuePath, row.Issues+row.Again)
			expect.Is(t, len(s.Objects(sandbox.KindServiceInvoices)), 1, "invoices")
		})
	}
}

// seedOrder makes an order with one authorized NFS-e.
func seedOrder(t *testing.T, s *sandbox.Server, id, transactionID string) {
	t.Helper()
	doc := rows.Read[map[string]any](t, "order_at_service.json")
	doc["id"], doc["transactionId"] = id, transactionID
	s.Seed(sandbox.KindOrders, doc)
	s.Seed(sandbox.KindServiceInvoices, map[string]any{
		"order": map[string]any{"id": id, "transactionId": transactionID}, "status": "authorized", "number": 7, "accessKey": "3526",
	})
}

func TestOrderDataSource_readsOneOrder(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	for id, name := range map[string]string{"id-1": "sale-1", "id-2": "sale-2", "id-3": "twice", "id-4": "twice"} {
		seedOrder(t, s, id, name)
	}
	testkit.WantDataReads(t, s, "einvoice_order", rows.Read[[]testkit.DataRead](t, "order_data_source_reads_one_order.json"))
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
			seedOrder(t, s, "id-1", "sale-1")
			seedOrder(t, s, "id-2", "sale-2")
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
	expect.Contains(t, testkit.TextsOf(said), "Issued in production, which is not allowed: NFS-e")
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
	arguments := soldBy("t-1")
	arguments["auto_issue_mode"] = "disabled"
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
	for name, want := range map[string]string{"t-1": "Two new orders with the same transaction_id: order t-1", "t-2": ""} {
		s := sandbox.Start(t, sandbox.Options{})
		p := testkit.Serve(t, s, nil)
		arguments := soldBy("t-1")
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
	for _, test := range rows.Read[[]struct {
		Row            string
		Without        string // an argument
		Planned, Found string // the status of the NF-e before the plan and after it
		Later          bool   // both are issued after the plan
		Fails          string // what the destroy says
		Deletes        int
		Ends           string // of NF-e and NFS-e
	}](t, "order_destroy_cancels_what_the_plan_has_said.json") {
		rows.Case(t, test.Row, func(t *testing.T) {
			s := sandboxOfTwoModels(t)
			o := testkit.Serve(t, s, nil).Object("einvoice_order")
			arguments := o.Arguments(twoModels)
			if delete(arguments, test.Without); test.Later {
				arguments["auto_issue_mode"] = "disabled"
			}
			o.MustCreate(arguments)
			if test.Planned != "" {
				s.SetInvoiceStatus(invoiceOf(s, "productInvoice"), test.Planned)
				o.MustNotFail(o.Refresh())
			}
			if test.Later {
				expect.NoError(t, fixture.OwnerClient(t, s).IssueOrderInvoices(t.Context(), orderAtService(s), "", nil))
			}
			if test.Found != "" {
				s.SetInvoiceStatus(invoiceOf(s, "productInvoice"), test.Found)
			}
			s.ResetRequests()
			failed := o.End()
			if (test.Fails == "") != (failed == "") || !regexp.MustCompile("(?s)"+test.Fails).MatchString(failed) {
				t.Errorf("the error is %q, want %q", failed, test.Fails)
			}
			if (o.State() == nil) != (test.Fails == "") {
				t.Errorf("the state is %v", o.State())
			}
			fixture.WantRequests(t, s, "DELETE", "", test.Deletes)
			fixture.WantRequests(t, s, "DELETE", "/v1/orders/{id}/cancel", 0) // It promises nothing of the invoices.
			ends := fmt.Sprintf("%v, %v", s.Invoices("productInvoice")[0]["status"], s.Invoices("serviceInvoice")[0]["status"])
			expect.Is(t, ends, test.Ends, "the invoices")
			if test.Without != "" {
				fixture.WantRequests(t, s, "", "", 0)
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
