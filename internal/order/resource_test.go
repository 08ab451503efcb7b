package order_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const address = acctest.Address("einvoice_order.test")

// invoicesWith expects one invoice for each status.
func invoicesWith(statuses ...string) statecheck.StateCheck {
	checks := make([]knownvalue.Check, len(statuses))
	for n, status := range statuses {
		checks[n] = knownvalue.ObjectPartial(map[string]knownvalue.Check{"status": knownvalue.StringExact(status)})
	}
	return address.Has("invoices", knownvalue.ListExact(checks))
}

// wantOrders checks how many orders were sent, and that as many exist.
func wantOrders(t *testing.T, s *sandbox.Server, n int) {
	t.Helper()
	if got := s.Count("POST", fixture.OrdersPath); got != n {
		t.Errorf("%d orders were sent, want %d", got, n)
	}
	if got := len(s.Objects(sandbox.KindOrders)); got != n {
		t.Errorf("the service holds %d orders, want %d", got, n)
	}
}

func orderAtService(s *sandbox.Server) string {
	return fmt.Sprint(s.Objects(sandbox.KindOrders)[0]["id"])
}

func TestAccOrder_createsWithRequiredOnly(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{AuthorizeAfter: time.Second})
	config := acctest.Config(s, `
resource "einvoice_order" "test" {
  transaction_id = "t-1"
  amount         = 10
  customer       = { name = "Maria" }
  items          = [{ price = 10, product = { name = "Camisa" } }]
}`)
	acctest.Run(t, []resource.TestStep{
		{Config: config, PlanOnly: true, ExpectNonEmptyPlan: true}, // The order is still to be recorded.
		{
			PreConfig: func() {
				if n := len(s.Requests()); n != 0 {
					t.Errorf("%d requests while planning, want none", n)
				}
			},
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				address.Has("id", knownvalue.NotNull()), address.Has("status", knownvalue.Null()), address.Has("date", knownvalue.Null()),
				address.Has("auto_issue_mode", knownvalue.StringExact("immediately")), address.Has("wait_for_invoices", knownvalue.Bool(true)),
				address.Has("invoices", knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
					"id": knownvalue.NotNull(), "model": knownvalue.StringExact("productInvoice"), "status": knownvalue.StringExact("authorized"),
					"number": knownvalue.Int64Exact(1), "access_key": knownvalue.NotNull(),
				})})),
			},
		},
		{PreConfig: s.ResetRequests, Config: config, PlanOnly: true},
	})
	if n := fixture.CountWrites(s); n != 0 {
		t.Errorf("%d writes while planning and destroying, want none", n)
	}
	if n := s.Count("GET", "/v1/product-invoices/{id}"); n != 0 {
		t.Errorf("%d reads of an invoice whose number is known", n)
	}
}

func TestAccOrder_createsWithEverythingAndPlansEmptyForEverySpelling(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{ExtraFields: map[string][]string{sandbox.KindOrders: {"transport"}}})
	config := func(date, number, code, city string) string {
		return acctest.Config(s, fmt.Sprintf(`
resource "einvoice_order" "test" {
  transaction_id  = "t-1"
  date            = %[1]q
  status          = "created"
  payment_method  = "pix"
  auto_issue_mode = "afterWarrency"
  warranty_date   = "2099-12-31"
  amount          = 26
  freight_amount  = 5
  discount_amount = 4
  send_email_to_customer = true
  customer = {
    name = "Maria", federal_tax_number = %[2]q, email = "maria@example.com"
    address = { street = "Rua A", number = "1", district = "Centro", postal_code = %[3]q, city = { %[4]s } }
  }
  items = [{
    quantity = 2.5, price = 10.4, discount_amount = 1, freight_amount = 5, amount = 25
    product  = { code = "C1", name = "Camisa", price = 10.4, invoice_model = "productInvoice" }
  }]
  extra_json = jsonencode({ transport = { carrier = "X" } })
  timeouts   = { create = "5m", update = "5m" }
}`, date, number, code, city))
	}
	first := config("2026-03-10T09:00:00-03:00", "529.982.247-25", "01310-100", `name = "SAO PAULO", state = "SP"`)
	acctest.Run(t, []resource.TestStep{
		{
			Config: first,
			ConfigStateChecks: []statecheck.StateCheck{
				invoicesWith("created"),
				statecheck.ExpectKnownValue(string(address), tfjsonpath.New("customer").AtMapKey("address").AtMapKey("city").AtMapKey("code"), knownvalue.StringExact("3550308")),
			},
		},
		{Config: first, ConfigPlanChecks: address.Plans(plancheck.ResourceActionNoop)},
		{
			Config:           config("2026-03-10T12:00:00Z", "52998224725", "01310100", `code = "3550308"`),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionNoop),
		},
	})
	var sent map[string]any
	request, _ := s.Last("POST", fixture.OrdersPath)
	if err := json.Unmarshal(request.Body, &sent); err != nil {
		t.Fatal(err)
	}
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
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("what was sent differs (-want +got):\n%s", diff)
	}
	if unknown := s.UnknownFields(); len(unknown) != 0 {
		t.Errorf("fields were sent that the service does not know: %v", unknown)
	}
	wantOrders(t, s, 1)
}

func TestAccOrder_approvingInPlaceIssuesAndWaits(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{AuthorizeAfter: time.Second})
	acctest.Run(t, []resource.TestStep{
		{
			Config:            acctest.Config(s, acctest.OrderBody("auto_issue_mode = \"afterPayment\"\nstatus = \"awaitingPayment\"")),
			ConfigStateChecks: []statecheck.StateCheck{invoicesWith("created")},
		},
		{
			Config:            acctest.Config(s, acctest.OrderBody("auto_issue_mode = \"afterPayment\"\nstatus = \"approved\"")),
			ConfigPlanChecks:  address.Plans(plancheck.ResourceActionUpdate, address.Unknown("invoices")),
			ConfigStateChecks: []statecheck.StateCheck{invoicesWith("authorized"), address.Has("status", knownvalue.StringExact("approved"))},
		},
	})
	request, _ := s.Last("PUT", fixture.OrderPath+"/status")
	if got, want := string(request.Body), `{"status":"approved"}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if n := s.Count("PUT", ""); n != 1 {
		t.Errorf("%d changes were sent, want 1", n)
	}
	wantOrders(t, s, 1)
}

func TestAccOrder_issuesExplicitlyOnceWhenTurnedOn(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{AuthorizeAfter: time.Second})
	const explicit = "auto_issue_mode = \"disabled\"\nissue_invoices = true\neffective_date = \"2026-03-15T10:00:00-03:00\""
	acctest.Run(t, []resource.TestStep{
		{Config: acctest.Config(s, acctest.OrderBody(`auto_issue_mode = "disabled"`)), ConfigStateChecks: []statecheck.StateCheck{invoicesWith()}},
		{
			Config: acctest.Config(s, acctest.OrderBody(explicit)), ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{invoicesWith("authorized")},
		},
		{
			Config:           acctest.Config(s, acctest.OrderBody(explicit+"\naccept_contingency = true\ntimeouts = { update = \"5m\" }")),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate, plancheck.ExpectKnownValue(string(address), tfjsonpath.New("invoices"), knownvalue.ListSizeExact(1))),
		},
		{Config: acctest.Config(s, acctest.OrderBody(`auto_issue_mode = "disabled"`))}, // Turned off again it undoes nothing.
	})
	if n := s.Count("POST", fixture.OrderIssuePath); n != 1 {
		t.Errorf("%d explicit issues were sent, want 1", n)
	}
	request, _ := s.Last("POST", fixture.OrderIssuePath)
	if got, want := string(request.Body), `{"effectiveDate":"2026-03-15T10:00:00-03:00"}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	wantOrders(t, s, 1)
}

func TestAccOrder_anotherTransactionIDRecordsAnotherOrder(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	body := acctest.OrderBody("")
	acctest.Run(t, []resource.TestStep{
		{Config: acctest.Config(s, body)},
		{
			Config:           acctest.Config(s, regexp.MustCompile(`"t-1"`).ReplaceAllString(body, `"t-2"`)),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionReplace),
		},
	})
	wantOrders(t, s, 2)
	if n := s.Count("DELETE", ""); n != 0 {
		t.Errorf("%d deletions were sent: an order is only forgotten", n)
	}
}

func TestAccOrder_refusesEveryOtherChange(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{ExtraFields: map[string][]string{sandbox.KindOrders: {"notes", "tag"}}})
	body := acctest.OrderBody(`extra_json = jsonencode({ notes = "x", tag = 1 })`)
	steps := []resource.TestStep{{Config: acctest.Config(s, body)}}
	for _, change := range []struct{ from, to, want string }{
		{`amount\s+= 100\n  customer`, "amount = 90\n discount_amount = 10\n customer", "`amount`\\s+is\\s+100\\s+in\\s+state\\s+and\\s+90(.|\n)*NFS-e\\s+1\\s+\\(authorized\\)(.|\n)*new\\s+`transaction_id`"},
		{`quantity = 4\n    price    = 25`, "quantity = 2\n price = 50", "`items\\[0\\].quantity`\\s+is\\s+4"},
		{`"Maria"`, `"Ana"`, "`customer.name`\\s+is\\s+\"Maria\"\\s+in\\s+state\\s+and\\s+\"Ana\""},
		{`"serviceInvoice"`, `"productInvoice"`, "`items\\[0\\].product.invoice_model`"},
		{`"52998224725" \}`, `"52998224725", address = { street = "Rua A" } }`, "`customer.address`\\s+is\\s+not\\s+set\\s+in\\s+state\\s+and\\s+set"},
		{`extra_json`, "payment_method = \"pix\"\n extra_json", "`payment_method`\\s+is\\s+not\\s+set"},
		{`tag = 1`, `tag = 2`, "`extra_json`"},
		{`extra_json`, "send_email_to_customer = true\n extra_json", "`send_email_to_customer`\\s+is\\s+not\\s+set\\s+in\\s+state\\s+and\\s+true"},
	} {
		config := regexp.MustCompile(change.from).ReplaceAllString(body, change.to)
		steps = append(steps, resource.TestStep{Config: acctest.Config(s, config), PlanOnly: true, ExpectError: regexp.MustCompile(`Cannot change order t-1(.|\n)*` + change.want)})
	}
	steps = append(steps, resource.TestStep{ // A key that is taken out is only forgotten.
		Config: acctest.Config(s, acctest.OrderBody(`extra_json = jsonencode({ notes = "x" })`)), ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
	})
	acctest.Run(t, steps)
	wantOrders(t, s, 1)
	if n := s.Count("PUT", ""); n != 0 {
		t.Errorf("%d changes were sent, want none", n)
	}
}

func TestAccOrder_invoicesThatTheOrderDoesNotShowAreFoundInTheirLists(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{OrdersWithoutInvoices: true, AuthorizeAfter: 500 * time.Millisecond})
	config := acctest.Config(s, acctest.OrderBody(""))
	acctest.Run(t, []resource.TestStep{
		{Config: config, ConfigStateChecks: []statecheck.StateCheck{invoicesWith("authorized")}},
		{Config: config, PlanOnly: true},
		{RefreshState: true},
	})
	wantOrders(t, s, 1)
	if n := len(s.Invoices("serviceInvoice")); n != 1 {
		t.Errorf("%d invoices, want 1", n)
	}
}

func TestAccOrder_rejectionIsReportedAndTheSameOrderIssuedAgain(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	// An NFC-e without the code that the state gives the company is rejected.
	config := acctest.Config(s, regexp.MustCompile(`serviceInvoice`).ReplaceAllString(acctest.OrderBody(""), "consumerInvoice"))
	acctest.Run(t, []resource.TestStep{
		{
			Config:      config,
			ExpectError: regexp.MustCompile(`NFC-e.*\(t-1\) was rejected: 464(.|\n)*Informe\s+tokenId\s+e\s+csc(.|\n)*Rejected\s+by(.|\n)*no\s+second\s+order`),
		},
		{
			PreConfig: func() {
				s.SetSettings(s.OwnerCompanyID(), map[string]any{"consumerInvoice": map[string]any{"tokenId": "1", "csc": "secret-csc"}})
			},
			Config:            config,
			ConfigPlanChecks:  address.Plans(plancheck.ResourceActionCreate), // Not a replacement: nothing was tainted.
			ConfigStateChecks: []statecheck.StateCheck{invoicesWith("authorized")},
		},
	})
	wantOrders(t, s, 1)
	if n := s.Count("POST", fixture.OrderIssuePath); n != 1 {
		t.Errorf("%d explicit issues were sent, want 1", n)
	}
}

func TestAccOrder_rejectedLaterIsIssuedAgainByTheNextApply(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := acctest.Config(s, acctest.OrderBody(""))
	acctest.Run(t, []resource.TestStep{
		{Config: acctest.Config(s, acctest.OrderBody("wait_for_invoices = false"))},
		{
			PreConfig: func() { s.SetInvoiceStatus(fmt.Sprint(s.Invoices("serviceInvoice")[0]["id"]), "rejected") },
			Config:    acctest.Config(s, acctest.OrderBody("wait_for_invoices = false")), PlanOnly: true, // Nothing is waited for: only a warning.
		},
		{
			Config: config, ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate, address.Unknown("invoices")),
			ConfigStateChecks: []statecheck.StateCheck{invoicesWith("authorized")},
		},
	})
	wantOrders(t, s, 1)
}

func TestAccOrder_timeoutLeavesNoStateAndTheNextApplyGoesOn(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{AuthorizeAfter: 3 * time.Second})
	acctest.Run(t, []resource.TestStep{
		{Config: acctest.Config(s, acctest.OrderBody(`timeouts = { create = "1s" }`)), ExpectError: regexp.MustCompile(`Still in progress: NFS-e \(t-1\)(.|\n)*finds\s+the\s+order\s+by\s+its\s+.transaction_id`)},
		{
			Config: acctest.Config(s, acctest.OrderBody("")), ConfigPlanChecks: address.Plans(plancheck.ResourceActionCreate),
			ConfigStateChecks: []statecheck.StateCheck{invoicesWith("authorized")},
		},
	})
	wantOrders(t, s, 1)
}

func TestAccOrder_vanished(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	vanish := func() { s.Remove(sandbox.KindOrders, orderAtService(s)) }
	acctest.Run(t, []resource.TestStep{
		{Config: acctest.Config(s, acctest.OrderBody(`auto_issue_mode = "disabled"`))},
		{ // Without invoices it is recorded again, as the plan says.
			PreConfig: vanish,
			Config:    acctest.Config(s, acctest.OrderBody(`auto_issue_mode = "disabled"`)), ConfigPlanChecks: address.Plans(plancheck.ResourceActionCreate),
		},
		{Config: acctest.Config(s, acctest.OrderBody("auto_issue_mode = \"disabled\"\nissue_invoices = true"))},
		{ // With invoices it stays as it was last seen.
			PreConfig:         vanish,
			Config:            acctest.Config(s, acctest.OrderBody("auto_issue_mode = \"disabled\"\nissue_invoices = true")),
			ConfigPlanChecks:  address.Plans(plancheck.ResourceActionNoop),
			ConfigStateChecks: []statecheck.StateCheck{invoicesWith("authorized")},
		},
	})
	if n := s.Count("POST", fixture.OrdersPath); n != 2 {
		t.Errorf("%d orders were sent, want 2", n)
	}
}

func TestAccOrder_showsWhatChangedOutside(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	const unpaid = "auto_issue_mode = \"afterPayment\"\nstatus = \"awaitingPayment\""
	acctest.Run(t, []resource.TestStep{
		{Config: acctest.Config(s, acctest.OrderBody(unpaid))},
		{
			PreConfig: func() { s.Patch(sandbox.KindOrders, orderAtService(s), map[string]any{"status": "created"}) },
			Config:    acctest.Config(s, acctest.OrderBody(unpaid)), ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
		},
		{ // A status that is not configured is nobody's drift.
			Config: acctest.Config(s, acctest.OrderBody(`auto_issue_mode = "afterPayment"`)),
		},
		{
			PreConfig: func() { s.Patch(sandbox.KindOrders, orderAtService(s), map[string]any{"status": "completed"}) },
			Config:    acctest.Config(s, acctest.OrderBody(`auto_issue_mode = "afterPayment"`)), PlanOnly: true,
		},
	})
	if n := s.Count("PUT", ""); n != 1 {
		t.Errorf("%d changes of status were sent, want 1", n)
	}
}

func TestAccOrder_validatesWhilePlanning(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	var steps []resource.TestStep
	for _, test := range []struct{ from, to, want string }{
		{`"t-1"`, `""`, `Invalid transaction id`},
		{`amount  `, "auto_issue_mode = \"afterWarranty\"\n  amount", `afterWarrency`},
		{`amount  `, "date = \"yesterday\"\n  amount", `Invalid date(.|\n)*ISO 8601`},
		{`code = "S1", name = "Consulta",`, ``, `Incomplete product(.|\n)*items\[0\]\.product`},
		{`"serviceInvoice"`, `"invoice"`, `items\[0\].product.invoice_model(.|\n)*productInvoice`},
		{`"Maria"`, `"` + regexp.MustCompile(`.`).ReplaceAllString(fmt.Sprintf("%081d", 0), "x") + `"`, `customer.name(.|\n)*81`},
		{`items = \[\{(.|\n)*\}\]`, `items = []`, `items(.|\n)*at\s+least\s+1`},
		{`amount  `, "extra_json = jsonencode({ paymentMethod = \"pix\" })\n  amount", `paymentMethod(.|\n)*payment_method`},
		{`amount  `, "timeouts = { create = \"-1h\" }\n  amount", `Invalid timeout(.|\n)*above\s+zero`},
		{`customer .*`, ``, `customer`},
	} {
		config := regexp.MustCompile(test.from).ReplaceAllString(acctest.OrderBody(""), test.to)
		steps = append(steps, resource.TestStep{Config: acctest.Config(s, config), PlanOnly: true, ExpectError: regexp.MustCompile(test.want)})
	}
	acctest.Run(t, steps)
}

func TestAccOrder_putsTheServicesRefusalOnTheAttribute(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{{
		PreConfig: func() {
			s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: fixture.OrdersPath, Status: 400, Body: `{"errors":[{"message":"The field Price is invalid","path":"items[0].price"}]}`})
		},
		Config:      acctest.Config(s, acctest.OrderBody("")),
		ExpectError: regexp.MustCompile("Cannot create order t-1(.|\n)*about\\s+`items\\[0\\].price`:\\s+The\\s+field\\s+Price\\s+is\\s+invalid"),
	}})
}

func TestAccOrder_waitsForUnknownInputs(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := func(trigger string) string {
		return acctest.Config(s, fmt.Sprintf(`
resource "terraform_data" "input" {
  input            = { name = "Maria", amount = 100 }
  triggers_replace = %q
}
resource "einvoice_order" "test" {
  transaction_id = "t-1"
  amount         = terraform_data.input.output.amount
  customer       = { name = terraform_data.input.output.name }
  items          = [{ price = terraform_data.input.output.amount, product = { name = "Consulta", invoice_model = "serviceInvoice" } }]
}`, trigger))
	}
	acctest.Run(t, []resource.TestStep{
		{Config: config("a"), ConfigStateChecks: []statecheck.StateCheck{invoicesWith("authorized")}},
		// All is unknown once more and then turns out the same.
		{Config: config("b")},
	})
	wantOrders(t, s, 1)
	if n := fixture.CountWrites(s); n != 1 {
		t.Errorf("%d writes, want the one order", n)
	}
}
