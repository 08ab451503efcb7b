package invoice_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

const (
	address = testkit.Address("einvoice_invoice_issuance.test")
	kind    = "einvoice_invoice_issuance"

	readByID = fixture.ServiceInvoices + "/{id}"
)

// onlyInvoice is the one invoice that exists under order-1.
func onlyInvoice(t *testing.T, s *sandbox.Server) map[string]any {
	t.Helper()
	invoices := s.InvoicesByIntegrationID("order-1")
	if len(invoices) != 1 {
		t.Fatalf("%d invoices under order-1, want 1", len(invoices))
	}
	return invoices[0]
}

// The life of an invoice as a CLI shows it. Its payload depends on another resource.
func TestAccIssuance_fromARefusalToItsEnd(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := func(id, trigger, content, more string) string {
		return testkit.Config(s, fmt.Sprintf(`
resource "terraform_data" "sold" {
  input            = "Consulting"
  triggers_replace = %q
}
resource "einvoice_invoice_issuance" "test" {
  model          = "serviceInvoice"
  integration_id = %q
  payload_json   = jsonencode({ description = terraform_data.sold.output, %s })
  %s
}`, trigger, id, content, more))
	}
	const (
		whole   = `federalServiceCode = "17.01", total = { invoiceAmount = 100 }`
		shown   = `total = { invoiceAmount = 100 }` // What the service shows of it.
		options = `
  issue               = true
  issuer              = "98.765.432/0001-98"
  payload_check       = false
  accept_contingency  = false
  cancel_window       = "24h"
  cancellation_reason = "Ordered twice by mistake"
  timeouts            = { create = "5m", update = "5m", delete = "5m" }`
	)
	byID, importBlock := testkit.ImportID(string(address), "model", "id"), resource.ImportBlockWithID
	if testkit.MustFindCLI(t).AtLeast(1, 12) {
		importBlock = resource.ImportBlockWithResourceIdentity
	}
	status := func(word string) statecheck.StateCheck { return address.Has("status", knownvalue.StringExact(word)) }
	testkit.Run(t, []resource.TestStep{
		{ // The payload is known only during apply, and refused.
			Config:      config("order-1", "a", `total = {}`, ""),
			ExpectError: regexp.MustCompile(`Cannot issue invoice: NFS-e \(order-1\)(.|\n)*payload_json\s+=(.|\n)*No\s+invoice\s+was\s+issued`),
		},
		{
			Config:           config("order-1", "a", whole, ""),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionCreate, address.Unknown("id"), address.Unknown("status")),
			ConfigStateChecks: []statecheck.StateCheck{
				status("authorized"), address.Has("number", knownvalue.NotNull()), address.Has("amount", knownvalue.Float64Exact(100)),
				address.Has("details", knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"authorization": knownvalue.ObjectPartial(map[string]knownvalue.Check{"protocol": knownvalue.NotNull()}),
					"cancellation":  knownvalue.Null(),
				})),
				address.Has("issue", knownvalue.Bool(true)),
			},
		},
		{
			ResourceName: string(address), ImportState: true, ImportStateIdFunc: byID,
			ImportStateVerify: true, ImportStateVerifyIgnore: []string{"payload_json"}, // The service does not give it back.
		},
		{
			ResourceName: string(address), ImportState: true, ImportStateIdFunc: byID, ImportStateKind: importBlock,
			Config: config("order-1", "a", shown, ""),
		},
		{ // Every argument. The payload is unknown once more, and turns out the same.
			Config:           config("order-1", "b", whole, options),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate, address.Unknown("status")),
			ConfigStateChecks: []statecheck.StateCheck{
				status("authorized"), address.Has("cancel_window", knownvalue.StringExact("24h")), address.Has("cancelable_until", knownvalue.NotNull()),
			},
		},
		{
			Config:            config("order-2", "b", whole, options),
			ConfigPlanChecks:  address.Plans(plancheck.ResourceActionReplace),
			ConfigStateChecks: []statecheck.StateCheck{status("authorized")},
		},
		{
			PreConfig: func() { s.SetInvoiceStatus(fmt.Sprint(s.InvoicesByIntegrationID("order-2")[0]["id"]), "canceled") },
			Config:    config("order-2", "b", whole, options), ConfigPlanChecks: address.Plans(plancheck.ResourceActionNoop),
			ConfigStateChecks: []statecheck.StateCheck{status("canceled")},
		},
		{ // It is not made again: an invoice is a legal document.
			PreConfig: func() { testkit.RemoveAll(s, sandbox.KindServiceInvoices) },
			Config:    config("order-2", "b", whole, options), ConfigPlanChecks: address.Plans(plancheck.ResourceActionNoop),
			ConfigStateChecks: []statecheck.StateCheck{status("removed")},
		},
	})
	var bodies []string
	for _, r := range s.Requests() {
		if r.Method != "GET" {
			bodies = append(bodies, r.Method+" "+string(r.Body))
		}
	}
	if diff := cmp.Diff([]string{
		`POST {"description":"Consulting","total":{},"integrationId":"order-1"}`,
		`POST {"description":"Consulting","federalServiceCode":"17.01","total":{"invoiceAmount":100},"integrationId":"order-1"}`,
		`DELETE {"reason":"Ordered twice by mistake"}`,
		`POST {"description":"Consulting","federalServiceCode":"17.01","total":{"invoiceAmount":100},"integrationId":"order-2"}`,
	}, bodies); diff != "" {
		t.Errorf("all that was sent (-want +got):\n%s", diff)
	}
	if unknown := s.UnknownFields(); len(unknown) != 0 {
		t.Errorf("fields were sent that the service does not know: %v", unknown)
	}
}

// selling is order-1 over an amount.
func selling(amount int, more string) string {
	return strings.Replace(sale("", more), "100", fmt.Sprint(amount), 1)
}

func TestIssuance_onceIssuedNothingIsSentAgain(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object(kind)
	o.Run(testkit.Step{Arguments: sale("", ""), Plans: plancheck.ResourceActionCreate, State: map[string]any{"status": "authorized"}})
	s.ResetRequests()
	o.Run(
		testkit.Step{Arguments: strings.Replace(sale("", ""), "100}}", "100.00 } }", 1), Plans: plancheck.ResourceActionNoop},
		testkit.Step{Arguments: selling(200, ""), Fails: "Cannot change NFS-e 1 .*new `integration_id`"},
		testkit.Step{Arguments: sale("", "issue = false"), Fails: "Cannot turn an issued invoice into a draft"},
		testkit.Step{Arguments: sale("", "accept_contingency = true\ntimeouts = { create = \"5m\" }"), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"accept_contingency": true}},
	)
	fixture.WantWrites(t, s, 0)
}

func TestIssuance_draftIsIssuedInPlace(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object(kind)
	o.Run(
		testkit.Step{Arguments: selling(100, "issue = false"), State: map[string]any{"status": "created", "number": nil}},
		testkit.Step{Arguments: selling(120, "issue = false"), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"status": "created", "amount": 120.0}},
		testkit.Step{Arguments: selling(120, ""), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"status": "authorized"}},
	)
	fixture.WantRequests(t, s, "POST", readByID+"/issue", 1)
	onlyInvoice(t, s)
}

// A 404 alone proves nothing: it may come from a proxy, or from a wrong address.
func TestIssuance_staysInStateUntilItsAbsenceIsProven(t *testing.T) {
	t.Parallel()
	const list, forever, unproven = fixture.ServiceInvoices, -1, `\(order-1\).*does not prove that the object is gone.*base_url`
	for name, test := range rows.Read[map[string]struct {
		Draft, Removed bool
		NotFound       []string // paths that answer 404
		Times          int
		Fails          string
		Plans          plancheck.ResourceActionType
		Status         any
	}](t, "issuance_stays_in_state_until_its_absence_is_proven.json") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			o := testkit.Serve(t, s, map[string]any{"request_timeout": "10s", "max_retries": 0}).Object(kind)
			arguments := sale("", fmt.Sprintf("issue = %t", !test.Draft))
			before := func() {
				for _, path := range test.NotFound {
					s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: path, Status: 404, Times: test.Times})
				}
				if test.Removed {
					s.Remove(sandbox.KindServiceInvoices, fmt.Sprint(o.State()["id"]))
				}
			}
			o.Run(
				testkit.Step{Arguments: arguments},
				testkit.Step{Before: before, Arguments: arguments, PlanOnly: true, Fails: test.Fails, Plans: test.Plans, State: map[string]any{"status": test.Status}},
			)
		})
	}
}

// A read without a status would plan to follow the invoice again and again.
func TestIssuance_aReadWithoutAStatusKeepsIt(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object(kind)
	o.Run(
		testkit.Step{Arguments: sale("", "")},
		testkit.Step{Before: func() {
			s.Inject(sandbox.Fault{
				Kind: sandbox.FaultBody, Method: "GET", Path: "/v1/service-invoices/{id}", Times: -1,
				Body: fmt.Sprintf(`{"id": %q, "integrationId": "order-1", "number": 1, "amount": 100}`, o.State()["id"]),
			})
		}, Arguments: sale("", ""), PlanOnly: true, Plans: plancheck.ResourceActionNoop, State: map[string]any{"status": "authorized"}},
	)
}

func TestIssuance_contingencyIsWaitedOutUnlessAccepted(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"consumerInvoice": map[string]any{"tokenId": "1", "csc": "secret-csc", "allowOfflineContingency": true, "environmentType": "development"}})
	s.ScriptInvoice("order-1", sandbox.Contingency(sandbox.Authorize().OnlyByCheck()))
	with := func(accept bool) string {
		return fmt.Sprintf("model = \"consumerInvoice\"\nintegration_id = \"order-1\"\naccept_contingency = %t\npayload_json = %q", accept, fixture.ConsumerPayload)
	}
	const byID = "/v1/consumer-invoices/{id}"
	o := testkit.Serve(t, s, nil).Object(kind)
	o.Run(
		testkit.Step{Arguments: with(true), State: map[string]any{"status": "inContingent"}},
		testkit.Step{Before: func() {
			s.Before("GET", byID, func() { // The refresh, and then the wait.
				s.Before("GET", byID, func() { s.SetInvoiceStatus(fmt.Sprint(onlyInvoice(t, s)["id"]), "authorized") })
			})
		}, Arguments: with(false), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"status": "authorized"}},
	)
}

func TestIssuance_refusesWrongValuesInPlan(t *testing.T) {
	t.Parallel()
	testkit.WantRefusals(t, kind, saleArguments("order-1", nil), []testkit.Refusal{
		{Name: "a long name", At: "integration_id", Value: "0123456789012345678901234567890123456", Want: "Invalid integration id.*37 characters"},
		{Name: "a name with a space", At: "integration_id", Value: "order 1", Want: "Invalid integration id"},
		{Name: "a list", At: "payload_json", Value: `[1]`, Want: "must be a JSON object"},
		{Name: "no JSON", At: "payload_json", Value: `{`, Want: "(?i)json"},
		{Name: "a short reason", At: "cancellation_reason", Value: "mistake", Want: "15 to 255.*has 7"},
		{Name: "a negative timeout", At: "timeouts.create", Value: "-1h", Want: "Invalid timeout.*above zero"},
	})
}
