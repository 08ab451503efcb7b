package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestKeys_withoutOneNothingIsPlannedOrRead(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	held := testkit.Serve(t, s, nil).Object("einvoice_customer")
	_, said := held.Create(object{"name": "Padaria"})
	held.MustNotFail(said)
	prepared := map[string]object{}
	for name, action := range actions {
		prepared[name] = action.prepare(s, s.OwnerCompanyID())
	}
	s.ResetRequests()
	for key, want := range map[any]string{
		"": "Empty API key", nil: "Missing API key", tftypes.UnknownValue: "Provider configuration not known yet",
	} {
		p := testkit.Serve(t, s, object{"api_key": key})
		refused := func(what, said string) {
			t.Helper()
			if !strings.Contains(said, want) || key != tftypes.UnknownValue && !strings.Contains(said, message.EnvAPIKey) {
				t.Errorf("%s says %q, want %q", what, said, want)
			}
		}
		_, failed := p.ReadData("einvoice_invoices", object{"model": "serviceInvoice"})
		refused("a data source", failed)
		found, said := p.Query("einvoice_webhook", 100, true)
		if refused("a query", testkit.ErrorsIn(said)); len(found) > 0 {
			t.Errorf("a query finds %v", found)
		}
		for name, arguments := range prepared {
			if key == tftypes.UnknownValue { // Which it may be while planning.
				refused(name, p.Invoke(name, arguments).Errors)
				continue
			}
			planned := testkit.Answered(t, p.PlanAction, &tfprotov6.PlanActionRequest{
				ActionType: name, Config: p.Config(p.Schemas.ActionSchemas[name].Schema, arguments),
			})
			refused("a plan of "+name, testkit.ErrorsIn(planned.Diagnostics))
		}
		if key == tftypes.UnknownValue {
			continue
		}
		for name, row := range unknownValues {
			o := p.Object(name)
			_, said := o.Plan(o.Value(o.Type, nested(row.arguments)))
			refused("a plan of "+name, testkit.ErrorsIn(said))
		}
		held.Protocol = p
		refused("a refresh", testkit.ErrorsIn(held.Refresh()))
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were sent, want none", n)
	}
}

// branchesConfig is companies, their settings and an invoice of each, with one
// provider configuration for all who issue. It cannot be the one that makes the
// companies: its keys come from them.
func branchesConfig(s *sandbox.Server, numbers ...string) string {
	const issuer = `provider   = einvoice.issuing
  for_each   = einvoice_company.branch
  issuer     = each.value.federal_tax_number
  depends_on = [einvoice_company_settings.branch]`
	const keys = "company_keys = { for c in einvoice_company.branch : c.federal_tax_number => c.api_key }"
	return testkit.Config(s, fmt.Sprintf(`
locals {
  branches = toset(["%s"])
}
resource "einvoice_company_settings" "branch" {
  for_each   = einvoice_company.branch
  company_id = each.value.id
  general    = { decimal_precision = 2 }
}
`, strings.Join(numbers, `", "`))+
		companyBlock("branch", "${each.key}", "for_each = local.branches\n  deletion_protection = false")+
		invoiceBlock("first", "first-${each.value.federal_tax_number}", "100", issuer)+
		aliasOf(s, "issuing", "", keys))
}

func TestAccCompanyKeys_issueForCompaniesOfTheSameApply(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewWorkspace(t, branchesConfig(s, fixture.BranchNumber, fixture.OtherNumber), "")
	logs := filepath.Join(t.TempDir(), "trace.log")
	w.Environ = append(w.Environ, "TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH="+logs)
	printed := w.MustApply()
	wantOneInvoiceEach(t, s, fixture.BranchNumber, fixture.OtherNumber)

	// A company that is added later defers only its own objects.
	const third = "33000167000101"
	w.Write(branchesConfig(s, fixture.BranchNumber, fixture.OtherNumber, third))
	s.ResetRequests()
	plan := w.MustRun("plan", "-input=false")
	if n := s.Count("GET", fixture.ServiceInvoices+"/{id}"); n != 2 || !strings.Contains(plan, "3 to add, 0 to change, 0 to destroy") {
		t.Errorf("%d of 2 invoices were refreshed, and the plan is\n%s", n, plan)
	}
	printed += plan + w.MustApply()
	wantOneInvoiceEach(t, s, fixture.BranchNumber, fixture.OtherNumber, third)
	for _, sent := range s.Requests() {
		if sent.Method == "POST" && strings.HasPrefix(sent.Path, fixture.ServiceInvoices) && sent.Key == s.OwnerCompanyID() {
			t.Error("an invoice was sent with the main company's key")
		}
	}

	// Errors are where keys slip out: the service repeats another company's.
	keys := map[string]string{}
	for _, company := range s.Objects(sandbox.KindCompanies) {
		keys[fmt.Sprint("the key of ", company["id"])] = s.KeyOf(fmt.Sprint(company["id"]))
	}
	var all []string
	for _, key := range keys {
		all = append(all, key)
	}
	s.Inject(sandbox.Fault{
		Kind: sandbox.FaultStatus, Method: "GET", Path: fixture.ServiceInvoices + "/{id}", Status: 400,
		Body: fmt.Sprintf(`{"errors":[{"message":"one of %s is wrong"}]}`, strings.Join(all, ", ")),
	})
	refused, _ := w.Run("plan", "-input=false")
	if !strings.Contains(testkit.Unwrapped(refused), "one of (API key), (API key), (API key), (API key) is wrong") {
		t.Errorf("the error does not repeat the service's words:\n%s", refused)
	}
	searchFor(t, "what the CLI printed", printed+refused, keys)
	searchFor(t, "the log", providerLog(t, logs), keys)
}

func wantOneInvoiceEach(t *testing.T, s *sandbox.Server, numbers ...string) {
	t.Helper()
	for _, number := range numbers {
		if n := fixture.IssuedBy(s, number); n != 1 {
			t.Errorf("%s has %d invoices, want 1", number, n)
		}
	}
	if n := len(s.Invoices("")); n != len(numbers) {
		t.Errorf("%d invoices, want %d", n, len(numbers))
	}
}

// A provider configuration whose key is another company's decides who issues an
// invoice, so what is tested here is above all whose key was used. None of it uses
// the test framework, which serves all aliases from one provider.

var (
	branchCompany = companyBlock("branch", "11.222.333/0001-81", "deletion_protection = false")
	branchObjects = `
resource "einvoice_customer" "under_branch" {
  provider = einvoice.branch
  name     = "Padaria"
}
` + invoiceBlock("under_branch", "branch-1", "100", "provider = einvoice.branch")
)

// ofCompany counts the requests with a company's key.
func ofCompany(s *sandbox.Server, companyID string) int {
	n := 0
	for _, r := range s.Requests() {
		if r.Key == companyID {
			n++
		}
	}
	return n
}

func TestAccAlias_onACompanyOfTheSameConfigurationWorksInOneApply(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	config := testkit.Config(s, branchCompany+aliasOf(s, "branch", "einvoice_company.branch.api_key")+branchObjects)
	w := testkit.NewAttached(t, config)
	w.MustApply()
	branch := fixture.BranchID(s)
	for _, sent := range []string{"/v1/customers", "/v1/service-invoices"} {
		request, ok := s.Last("POST", sent)
		if !ok || request.Key != branch {
			t.Errorf("POST %s was sent with the key of company %q, want the branch's, %s", sent, request.Key, branch)
		}
	}
	if n := len(s.InvoicesByIntegrationID("branch-1")); n != 1 {
		t.Errorf("%d invoices, want 1", n)
	}
	w.MustPlanNothing()
	// The key is known while the company changes, so what is under it is read.
	w.Write(strings.Replace(config, `name               = "branch"`, `name = "Filial Nova"`, 1))
	if output := w.MustApply(); !strings.Contains(output, "0 added, 1 changed, 0 destroyed") {
		t.Errorf("an unrelated change of the company did more than that:\n%s", output)
	}
	// While the company is replaced it is not, and what is under it stays as it is.
	plans := func(want string, arguments ...string) {
		t.Helper()
		s.ResetRequests()
		output := w.MustRun(append([]string{"plan", "-input=false"}, arguments...)...)
		if !strings.Contains(output, want) || strings.Contains(output, "under_branch will be") {
			t.Errorf("the plan is not %q alone:\n%s", want, output)
		}
		if n := s.Count("GET", "/v1/customers/{id}") + s.Count("GET", "/v1/service-invoices/{id}") + ofCompany(s, branch) + ofCompany(s, ""); n != 0 {
			t.Errorf("%d requests were sent for the alias whose key is not known", n)
		}
	}
	plans("Plan: 1 to add, 0 to change, 1 to destroy.", "-replace=einvoice_company.branch")
	held, _ := s.Object(sandbox.KindCompanies, branch)
	s.Remove(sandbox.KindCompanies, branch)
	plans("Plan: 1 to add, 0 to change, 0 to destroy.")
	s.Seed(sandbox.KindCompanies, held)
	w.MustRun("destroy", "-auto-approve", "-input=false")
	if n := len(s.Objects(sandbox.KindCompanies)) + len(s.Objects(sandbox.KindCustomers)); n != 1 {
		t.Errorf("%d objects after destroy, want the main company alone", n)
	}
}

// The advice about a company that was adopted without its key, typed as it stands.
func TestAccAlias_aCompanyWithoutItsKeyIsCreatedAgain(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: "/v1/companies"})
	const target, replace = "-target=einvoice_company.branch", "-replace=einvoice_company.branch"
	protected := strings.Replace(branchCompany, "deletion_protection = false", "", 1)
	byKey := aliasOf(s, "branch", "einvoice_company.branch.api_key")
	w := testkit.NewAttached(t, testkit.Config(s, protected+byKey+branchObjects))
	w.Environ = append(w.Environ, message.EnvAPIKey+"="+s.OwnerKey()) // It counts only for a key that is null.
	said, ok := w.Run("apply", "-auto-approve", "-input=false")
	if ok || !strings.Contains(said, "Error: Empty API key") || !strings.Contains(testkit.Unwrapped(said), "apply with `-target=einvoice_company.NAME`") {
		t.Errorf("the apply whose answer was lost says:\n%s", said)
	}
	w.Write(testkit.Config(s, branchCompany+byKey+branchObjects))
	w.MustRun("apply", "-auto-approve", "-input=false", target)
	w.MustRun("apply", "-auto-approve", "-input=false", target, replace)
	w.MustApply()
	w.MustPlanNothing()
}
