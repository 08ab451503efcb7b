package issuance_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const address = acctest.Address("einvoice_invoice_issuance.test")

// issuanceConfig issues order-1; later lines override the defaults.
func issuanceConfig(s *sandbox.Server, payload, more string) string {
	return acctest.Config(s, fmt.Sprintf(`
resource "einvoice_invoice_issuance" "test" {
  model          = "serviceInvoice"
  integration_id = "order-1"
  payload_json   = %s
  %s
}`, payload, more))
}

const consulting = `jsonencode({ description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 100 } })`

// onlyInvoice is the one invoice that exists under order-1.
func onlyInvoice(t *testing.T, s *sandbox.Server) map[string]any {
	t.Helper()
	invoices := s.InvoicesByIntegrationID("order-1")
	if len(invoices) != 1 {
		t.Fatalf("%d invoices under order-1, want 1", len(invoices))
	}
	return invoices[0]
}

func TestAccIssuance_issuesAndWaitsForAuthorization(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{AuthorizeAfter: time.Second})
	acctest.Run(t, []resource.TestStep{{
		Config: issuanceConfig(s, consulting, ""),
		ConfigStateChecks: []statecheck.StateCheck{
			address.Has("status", knownvalue.StringExact("authorized")),
			address.Has("number", knownvalue.NotNull()),
			address.Has("amount", knownvalue.Float64Exact(100)),
			address.Has("authorization", knownvalue.ObjectPartial(map[string]knownvalue.Check{"protocol": knownvalue.NotNull()})),
			address.Has("cancellation", knownvalue.Null()),
			address.Has("issue", knownvalue.Bool(true)),
		},
	}})
	sent, _ := s.Last("POST", fixture.ServiceInvoices)
	if got, want := string(sent.Body), `{"description":"Consulting","federalServiceCode":"17.01","total":{"invoiceAmount":100},"integrationId":"order-1"}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if n := s.Count("DELETE", ""); n != 0 {
		t.Errorf("destroying without a reason sent %d deletions", n)
	}
	if unknown := s.UnknownFields(); len(unknown) != 0 {
		t.Errorf("fields were sent that the service does not know: %v", unknown)
	}
}

func TestAccIssuance_onceIssuedNothingIsSentAgain(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{Config: issuanceConfig(s, consulting, ""), PlanOnly: true, ExpectNonEmptyPlan: true}, // The invoice is still to be issued.
		{
			PreConfig: func() {
				if n := len(s.Requests()); n != 0 {
					t.Errorf("%d requests while planning to issue, want none", n)
				}
			},
			Config: issuanceConfig(s, consulting, ""),
		},
		{PreConfig: s.ResetRequests, Config: issuanceConfig(s, consulting, ""), PlanOnly: true},
		{ // Another form of the payload is no change.
			Config:           issuanceConfig(s, `"{ \"total\": {\"invoiceAmount\": 100.00}, \"description\": \"Consulting\", \"federalServiceCode\": \"17.01\" }"`, ""),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionNoop),
		},
		{
			Config: issuanceConfig(s, `jsonencode({ description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 200 } })`, ""), PlanOnly: true,
			ExpectError: regexp.MustCompile(`payload_json(.|\n)*cannot\s+change(.|\n)*new\s+.integration_id`),
		},
		{ // Settings of the resource alone.
			Config: issuanceConfig(s, consulting, "accept_contingency = true\ntimeouts = { create = \"5m\" }"),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate,
				plancheck.ExpectKnownValue(string(address), tfjsonpath.New("status"), knownvalue.StringExact("authorized"))),
		},
	})
	if n := fixture.CountWrites(s); n != 0 {
		t.Errorf("%d writes after the invoice was issued, want none", n)
	}
}

func TestAccIssuance_anotherIntegrationIDIssuesAnotherInvoice(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := func(id string) string {
		return acctest.Config(s, fmt.Sprintf(`
resource "einvoice_invoice_issuance" "test" {
  model          = "serviceInvoice"
  integration_id = %q
  payload_json   = jsonencode({ description = "Consulting %[1]s", federalServiceCode = "17.01", total = { invoiceAmount = 100 } })
}`, id))
	}
	acctest.Run(t, []resource.TestStep{
		{Config: config("order-1")},
		{
			Config:           config("order-2"),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionReplace),
		},
	})
	if onlyInvoice(t, s)["status"] != "authorized" {
		t.Error("the first invoice is not authorized any more: without a reason it is only forgotten")
	}
}

func TestAccIssuance_draftIsIssuedInPlace(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{
			Config: issuanceConfig(s, consulting, "issue = false"),
			ConfigStateChecks: []statecheck.StateCheck{
				address.Has("status", knownvalue.StringExact("created")), address.Has("number", knownvalue.Null()),
			},
		},
		{
			Config: issuanceConfig(s, `jsonencode({ description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 120 } })`, "issue = false"),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate,
				address.Unknown("status")),
			ConfigStateChecks: []statecheck.StateCheck{address.Has("amount", knownvalue.Float64Exact(120))},
		},
		{
			Config:            issuanceConfig(s, `jsonencode({ description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 120 } })`, ""),
			ConfigPlanChecks:  address.Plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{address.Has("status", knownvalue.StringExact("authorized"))},
		},
		{
			Config: issuanceConfig(s, `jsonencode({ description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 120 } })`, "issue = false"), PlanOnly: true,
			ExpectError: regexp.MustCompile(`Cannot turn an issued invoice into a draft`),
		},
	})
	if n := s.Count("POST", fixture.ServiceInvoices+"/{id}/issue"); n != 1 {
		t.Errorf("the draft was issued %d times, want once", n)
	}
	onlyInvoice(t, s)
}

func TestAccIssuance_destroyCancelsWhenAReasonIsApplied(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{Config: issuanceConfig(s, consulting, "")},
		{Config: issuanceConfig(s, consulting, `cancellation_reason = "Ordered twice by mistake"`)},
	})
	if status := onlyInvoice(t, s)["status"]; status != "canceled" {
		t.Errorf("status after destroy is %v, want canceled", status)
	}
	request, _ := s.Last("DELETE", fixture.ServiceInvoices+"/{id}")
	if got, want := string(request.Body), `{"reason":"Ordered twice by mistake"}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}

func TestAccIssuance_keepsAnInvoiceThatVanished(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{Config: issuanceConfig(s, consulting, "")},
		{
			PreConfig:         func() { s.Remove("serviceInvoices", fmt.Sprint(onlyInvoice(t, s)["id"])) },
			Config:            issuanceConfig(s, consulting, ""),
			ConfigPlanChecks:  address.Plans(plancheck.ResourceActionNoop),
			ConfigStateChecks: []statecheck.StateCheck{address.Has("status", knownvalue.StringExact("removed"))},
		},
	})
	if n := s.Count("POST", fixture.ServiceInvoices); n != 1 {
		t.Errorf("%d invoices were sent: one that vanished must not be issued again", n)
	}
}

// A 404 alone proves nothing: it may come from a proxy, or from a wrong address.
func TestIssuance_staysInStateUntilItsAbsenceIsProven(t *testing.T) {
	t.Parallel()
	notFound := func(path string) sandbox.Fault {
		return sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: path, Status: 404, Times: -1}
	}
	const byID, list = fixture.ServiceInvoices + "/{id}", fixture.ServiceInvoices
	for name, test := range map[string]struct {
		draft  bool
		before func(s *sandbox.Server, id string)
		fails  string
		plans  plancheck.ResourceActionType
		status any
	}{
		"a draft that is not found once": {draft: true, plans: plancheck.ResourceActionNoop, status: "created", before: func(s *sandbox.Server, _ string) {
			s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: byID, Status: 404})
		}},
		"a draft that is only listed": {draft: true, plans: plancheck.ResourceActionNoop, status: "created", before: func(s *sandbox.Server, _ string) { s.Inject(notFound(byID)) }},
		"a draft at a wrong address": {
			draft: true, fails: "Cannot read NFS-e \\(order-1\\).*does not prove that the object is gone.*base_url", status: "created",
			before: func(s *sandbox.Server, _ string) {
				s.Inject(notFound(byID))
				s.Inject(notFound(list))
			},
		},
		"a draft that is gone": {
			draft: true, plans: plancheck.ResourceActionCreate,
			before: func(s *sandbox.Server, id string) { s.Remove(sandbox.KindServiceInvoices, id) },
		},
		"an invoice that is only listed": {plans: plancheck.ResourceActionNoop, status: "authorized", before: func(s *sandbox.Server, _ string) {
			s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: list, Status: 503}) // The one that is shared.
			s.Inject(notFound(byID))
		}},
		"an invoice at a wrong address": {
			fails: "Cannot read NFS-e 1 \\(order-1\\).*does not prove that the object is gone.*base_url", status: "authorized",
			before: func(s *sandbox.Server, _ string) {
				s.Inject(notFound(byID))
				s.Inject(notFound(list))
			},
		},
		"an invoice that is gone": {
			plans: plancheck.ResourceActionNoop, status: "removed",
			before: func(s *sandbox.Server, id string) { s.Remove(sandbox.KindServiceInvoices, id) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			o := acctest.Serve(t, s, map[string]any{"request_timeout": "5s", "max_retries": 0}).Object("einvoice_invoice_issuance")
			arguments := fmt.Sprintf("model = \"serviceInvoice\"\nintegration_id = \"order-1\"\nissue = %t\npayload_json = \"{\\\"description\\\":\\\"x\\\",\\\"federalServiceCode\\\":\\\"17.01\\\",\\\"total\\\":{\\\"invoiceAmount\\\":1}}\"", !test.draft)
			o.Run(
				acctest.Step{Arguments: arguments},
				acctest.Step{Before: func() { test.before(s, fmt.Sprint(o.State()["id"])) }, Arguments: arguments, PlanOnly: true, Fails: test.fails, Plans: test.plans, State: map[string]any{"status": test.status}},
			)
		})
	}
}

func TestAccIssuance_importsAndAdoptsThePayload(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	issueOutside(t, s, `{"integrationId":"order-1","description":"Consulting","federalServiceCode":"17.01","total":{"invoiceAmount":100}}`)
	imported := func(payload string) string {
		return issuanceConfig(s, payload, "") + `
import {
  to = einvoice_invoice_issuance.test
  id = "serviceInvoice/integration_id=order-1"
}`
	}
	acctest.Run(t, []resource.TestStep{
		{
			Config:      imported(`jsonencode({ description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 101 } })`),
			ExpectError: regexp.MustCompile(`Imported another invoice(.|\n)*101(.|\n)*100`),
		},
		{
			Config:            imported(consulting),
			ConfigPlanChecks:  address.Plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{address.Has("status", knownvalue.StringExact("authorized"))},
		},
		{
			Config: issuanceConfig(s, consulting, ""), ResourceName: string(address), ImportState: true, ImportStateVerify: true,
			ImportStateIdFunc: acctest.ImportID(string(address), "model", "id"),
			// The service does not give the payload back.
			ImportStateVerifyIgnore: []string{"payload_json"},
		},
	})
	if n := s.Count("POST", fixture.ServiceInvoices); n != 1 {
		t.Errorf("%d invoices were sent, want the one made outside", n)
	}
}

func TestAccIssuance_importsByIdentity(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		Steps: []resource.TestStep{
			{
				Config: issuanceConfig(s, consulting, ""),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectIdentity(string(address), map[string]knownvalue.Check{"model": knownvalue.StringExact("serviceInvoice"), "id": knownvalue.NotNull(), "issuer": knownvalue.NotNull()}),
				},
			},
		},
	})
}

func TestAccIssuance_rejectionNamesCodeMessageKindAndAction(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.ScriptInvoice("order-1", sandbox.Reject("E160", "Enviar o codigo do municipio do prestador"))
	acctest.Run(t, []resource.TestStep{
		{
			Config:      issuanceConfig(s, consulting, ""),
			ExpectError: regexp.MustCompile(`NFS-e.*\(order-1\) was rejected: E160(.|\n)*Enviar\s+o\s+codigo\s+do\s+municipio(.|\n)*Rejected\s+by(.|\n)*does\s+not\s+know(.|\n)*Do\s+not\s+reissue(.|\n)*the\s+rejected\s+invoice`),
		},
		{
			Config:            issuanceConfig(s, `jsonencode({ description = "Consulting, corrected", federalServiceCode = "17.01", total = { invoiceAmount = 100 } })`, ""),
			ConfigPlanChecks:  address.Plans(plancheck.ResourceActionCreate), // Not a replacement: nothing was tainted.
			ConfigStateChecks: []statecheck.StateCheck{address.Has("status", knownvalue.StringExact("authorized"))},
		},
	})
	onlyInvoice(t, s)
}

func TestAccIssuance_contingencyIsWaitedOutUnlessAccepted(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"consumerInvoice": map[string]any{"tokenId": "1", "csc": "secret-csc", "allowOfflineContingency": true, "environmentType": "development"}})
	s.ScriptInvoice("order-1", sandbox.Contingency(sandbox.Authorize().After(12*time.Second)))
	config := func(accept bool) string {
		return acctest.Config(s, fmt.Sprintf(`
resource "einvoice_invoice_issuance" "test" {
  model              = "consumerInvoice"
  integration_id     = "order-1"
  accept_contingency = %t
  payload_json       = %q
}`, accept, fixture.ConsumerPayload))
	}
	acctest.Run(t, []resource.TestStep{
		{Config: config(true), ConfigStateChecks: []statecheck.StateCheck{
			address.Has("status", knownvalue.StringExact("inContingent")), address.Has("contingency", knownvalue.NotNull()),
		}},
		{Config: config(false), ConfigStateChecks: []statecheck.StateCheck{address.Has("status", knownvalue.StringExact("authorized"))}},
	})
}

func TestAccIssuance_validatesWhilePlanning(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	var steps []resource.TestStep
	for _, test := range []struct{ id, payload, more, want string }{
		{id: "0123456789012345678901234567890123456", want: `Invalid integration id(.|\n)*37\s+characters`},
		{id: "order 1", want: `Invalid integration id`},
		{payload: `{"status":"enqueued"}`, want: `"status"(.|\n)*Only\s+the\s+service`},
		{payload: `{"issue":false}`, want: `"issue"(.|\n)*attribute\s+.issue`},
		{payload: `{"integrationId":"x"}`, want: `"integrationId"(.|\n)*integration_id`},
		{payload: `[1]`, want: `must be a JSON object`},
		{payload: `{`, want: `(?i)json`},
		{more: `cancellation_reason = "mistake"`, want: `15\s+to\s+255(.|\n)*has\s+7`},
		{more: `timeouts = { create = "-1h" }`, want: `Invalid timeout(.|\n)*above\s+zero`},
	} {
		steps = append(steps, resource.TestStep{
			Config: acctest.Config(s, fmt.Sprintf("resource \"einvoice_invoice_issuance\" \"test\" {\n model = \"serviceInvoice\"\n integration_id = %q\n payload_json = %q\n %s\n}",
				cmp.Or(test.id, "order-1"), cmp.Or(test.payload, "{}"), test.more)),
			PlanOnly: true, ExpectError: regexp.MustCompile(test.want),
		})
	}
	acctest.Run(t, steps)
}

func TestAccIssuance_putsTheServicesRefusalOnThePayload(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{{
		Config:      issuanceConfig(s, `jsonencode({ description = "Consulting" })`, ""),
		ExpectError: regexp.MustCompile(`Cannot issue invoice: NFS-e \(order-1\)(.|\n)*payload_json\s+=(.|\n)*No\s+invoice\s+was\s+issued`),
	}})
}

func TestAccIssuance_waitsForUnknownInputs(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := func(trigger string) string {
		return acctest.Config(s, fmt.Sprintf(`
resource "terraform_data" "input" {
  input            = "order-1"
  triggers_replace = %q
}
resource "einvoice_invoice_issuance" "test" {
  model          = "serviceInvoice"
  integration_id = "order-1"
  payload_json   = jsonencode({ description = terraform_data.input.output, federalServiceCode = "17.01", total = { invoiceAmount = 100 } })
}`, trigger))
	}
	acctest.Run(t, []resource.TestStep{
		{Config: config("a")},
		// The payload is unknown once more and then turns out the same: no POST.
		{Config: config("b")},
	})
	if n := s.Count("POST", fixture.ServiceInvoices); n != 1 {
		t.Errorf("%d invoices were sent, want 1", n)
	}
}

// Whether a draft is to be issued may be known only during apply.
func TestAccIssuance_waitsForAnUnknownDecisionAboutADraft(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := func(issue bool, trigger string) string {
		return acctest.Config(s, fmt.Sprintf(`
resource "terraform_data" "input" {
  input            = %t
  triggers_replace = %q
}
resource "einvoice_invoice_issuance" "test" {
  model          = "serviceInvoice"
  integration_id = "order-1"
  issue          = terraform_data.input.output
  payload_json   = %s
}`, issue, trigger, consulting))
	}
	unknownStatus := address.Plans(plancheck.ResourceActionUpdate, address.Unknown("status"))
	acctest.Run(t, []resource.TestStep{
		{Config: config(false, "a"), ConfigStateChecks: []statecheck.StateCheck{address.Has("status", knownvalue.StringExact("created"))}},
		{Config: config(false, "b"), ConfigPlanChecks: unknownStatus, ConfigStateChecks: []statecheck.StateCheck{address.Has("status", knownvalue.StringExact("created"))}},
		{Config: config(true, "c"), ConfigPlanChecks: unknownStatus, ConfigStateChecks: []statecheck.StateCheck{address.Has("status", knownvalue.StringExact("authorized"))}},
	})
	if n := s.Count("POST", fixture.ServiceInvoices+"/{id}/issue"); n != 1 {
		t.Errorf("the draft was issued %d times, want once", n)
	}
}

// issueOutside makes an invoice that no configuration knows.
func issueOutside(t *testing.T, s *sandbox.Server, body string) {
	t.Helper()
	if _, err := fixture.OwnerClient(t, s).CreateInvoice(t.Context(), einvoice.ModelService, json.RawMessage(body)); err != nil {
		t.Fatal(err)
	}
	s.Settle()
}
