package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

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
	s.ResetRequests()
	for key, want := range map[any]string{"": "Empty API key", nil: "Missing API key"} {
		p := testkit.Serve(t, s, map[string]any{"api_key": key})
		for name, row := range unknownValues {
			arguments := object{}
			for path, value := range row.arguments {
				testkit.Set(arguments, path, value)
			}
			o := p.Object(name)
			_, said := o.Plan(o.Value(o.Type, arguments))
			wantKeyError(t, "a plan of "+name, testkit.ErrorsIn(said), want)
		}
		_, failed := p.ReadData("einvoice_invoices", object{"model": "serviceInvoice"})
		wantKeyError(t, "a data source", failed, want)
		held.Protocol = p
		wantKeyError(t, "a refresh", testkit.ErrorsIn(held.Refresh()), want)
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were sent, want none", n)
	}
}

func wantKeyError(t *testing.T, what, said, want string) {
	t.Helper()
	if !strings.Contains(said, want) || !strings.Contains(said, message.EnvAPIKey) {
		t.Errorf("%s says %q, want %q", what, said, want)
	}
}

func TestKeys_aWrongOneSaysWhatToCheck(t *testing.T) {
	t.Parallel()
	const wrong = "5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e"
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, map[string]any{"api_key": wrong})
	_, read := p.ReadData("einvoice_invoices", object{"model": "serviceInvoice"})
	_, customer := p.Object("einvoice_customer").Create(object{"name": "Padaria"})
	_, invoice := p.Object("einvoice_invoice_issuance").Create(unknownValues["einvoice_invoice_issuance"].arguments)
	for summary, said := range map[string]string{
		"Cannot read invoices": read, "Cannot create customer": testkit.ErrorsIn(customer),
		"Cannot look up invoice": testkit.ErrorsIn(invoice), // Issuing looks up at first.
	} {
		for _, part := range []string{
			summary, "HTTP 403", "`company_keys`) belongs to this environment", "main company's key",
		} {
			if !strings.Contains(said, part) || strings.Contains(said, wrong) {
				t.Errorf("the error does not say %q, or shows the key: %s", part, said)
			}
		}
	}
	if n := len(s.Objects(sandbox.KindCustomers)) + len(s.Invoices("")); n != 0 {
		t.Errorf("%d objects were created with a wrong key", n)
	}
}

// branchesConfig is companies, their settings and an invoice of each, with one
// provider configuration for all who issue. It cannot be the one that makes the
// companies: its keys come from them.
func branchesConfig(s *sandbox.Server, numbers ...string) string {
	return testkit.Config(s, fmt.Sprintf(`
locals {
  branches = toset(["%s"])
}
resource "einvoice_company" "branch" {
  for_each            = local.branches
  name                = "Filial ${each.key}"
  legal_name          = "Filial Ltda"
  federal_tax_number  = each.key
  address             = { city = { code = "3550308" } }
  deletion_protection = false
}
resource "einvoice_company_settings" "branch" {
  for_each   = einvoice_company.branch
  company_id = each.value.id
  general    = { decimal_precision = 2 }
}
resource "einvoice_invoice_issuance" "first" {
  provider       = einvoice.issuing
  for_each       = einvoice_company.branch
  issuer         = each.value.federal_tax_number
  model          = "serviceInvoice"
  integration_id = "first-${each.value.federal_tax_number}"
  payload_json   = jsonencode({ description = "Consultoria", federalServiceCode = "17.01", total = { invoiceAmount = 100 } })
  depends_on     = [einvoice_company_settings.branch]
}
provider "einvoice" {
  alias               = "issuing"
  base_url            = %q
  api_key             = %q
  company_keys        = { for c in einvoice_company.branch : c.federal_tax_number => c.api_key }
  requests_per_minute = 0
  requests_per_second = 0
}
`, strings.Join(numbers, `", "`), s.BaseURL(), s.OwnerKey()))
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
		keys[fmt.Sprint("the key of ", company["name"])] = s.KeyOf(fmt.Sprint(company["id"]))
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

const branchCompany = `
resource "einvoice_company" "branch" {
  name                = "Filial"
  legal_name          = "Filial Ltda"
  federal_tax_number  = "11.222.333/0001-81"
  address             = { city = { code = "3550308" } }
  deletion_protection = false
}
`

const branchObjects = `
resource "einvoice_customer" "under_branch" {
  provider = einvoice.branch
  name     = "Padaria"
}

resource "einvoice_invoice_issuance" "under_branch" {
  provider       = einvoice.branch
  model          = "serviceInvoice"
  integration_id = "branch-1"
  payload_json   = jsonencode({ description = "Consultoria", federalServiceCode = "17.01", total = { invoiceAmount = 100 } })
}
`

// aliasOfBranch is a second provider configuration; apiKey is an expression.
func aliasOfBranch(s *sandbox.Server, apiKey string) string {
	return fmt.Sprintf(`
provider "einvoice" {
  alias               = "branch"
  base_url            = %q
  api_key             = %s
  requests_per_minute = 0
  requests_per_second = 0
}
`, s.BaseURL(), apiKey)
}

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
	config := testkit.Config(s, branchCompany+aliasOfBranch(s, "einvoice_company.branch.api_key")+branchObjects)
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
	w.Write(strings.Replace(config, `"Filial"`, `"Filial Nova"`, 1))
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

func TestAccAlias_dataSourceWithoutDependsOnSaysToAddIt(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewAttached(t, testkit.Config(s, branchCompany+aliasOfBranch(s, "einvoice_company.branch.api_key")+`
data "einvoice_invoices" "under_branch" {
  provider = einvoice.branch
  model    = "serviceInvoice"
}
`))
	output, ok := w.Run("plan", "-input=false")
	text := testkit.Unwrapped(output)
	if ok || !strings.Contains(text, "Error: Provider configuration not known yet") || !strings.Contains(text, "(api_key)") ||
		!strings.Contains(text, "depends_on = [einvoice_company.NAME]") {
		t.Errorf("the plan does not say to add depends_on:\n%s", output)
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were sent, want none", n)
	}
}

// aliasWorkspace has EINVOICE_API_KEY set to the main company's key, which an alias must
// not use unless its own key is null.
func aliasWorkspace(t *testing.T, s *sandbox.Server, apiKey, body string) *testkit.Workspace {
	t.Helper()
	w := testkit.NewAttached(t, testkit.Config(s, aliasOfBranch(s, apiKey)+body))
	w.Environ = append(w.Environ, message.EnvAPIKey+"="+s.OwnerKey())
	return w
}

func TestAccAlias_keyOfAnImportedCompanyIsEmptyAndRefused(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := s.Seed(sandbox.KindCompanies, map[string]any{
		"name": "Filial", "legalName": "Filial Ltda", "federalTaxNumber": "11222333000181",
		"address": map[string]any{"city": map[string]any{"code": "3550308", "name": "São Paulo", "state": "sp"}},
	})
	imported := fmt.Sprintf("import {\n  to = einvoice_company.branch\n  id = %q\n}\n", id)
	w := aliasWorkspace(t, s, "einvoice_company.branch.api_key", branchCompany+imported)
	w.MustApply()
	s.ResetRequests()
	w.Write(testkit.Config(s, branchCompany+aliasOfBranch(s, "einvoice_company.branch.api_key")+branchObjects))
	output, ok := w.Run("apply", "-auto-approve", "-input=false")
	if ok || !strings.Contains(output, "Error: Empty API key") || !strings.Contains(output, "coalesce(") {
		t.Errorf("the apply under the empty key of an imported company does not say so:\n%s", output)
	}
	if n := fixture.CountWrites(s) + s.Count("", "/v1/service-invoices"); n != 0 {
		t.Errorf("%d requests for what is under the alias, want none", n)
	}

	w.Write(testkit.Config(s, branchCompany+aliasOfBranch(s, fmt.Sprintf("coalesce(einvoice_company.branch.api_key, %q)", s.KeyOf(id)))+branchObjects))
	w.MustApply()
	if request, _ := s.Last("POST", "/v1/service-invoices"); request.Key != id {
		t.Errorf("the invoice was issued with the key of %q, want the branch's, %s", request.Key, id)
	}
}

// The advice about a company that was adopted without its key, typed as it stands.
func TestAccAlias_aCompanyWithoutItsKeyIsCreatedAgain(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: "/v1/companies"})
	const target, replace = "-target=einvoice_company.branch", "-replace=einvoice_company.branch"
	protected := strings.Replace(branchCompany, "deletion_protection = false", "", 1)
	w := aliasWorkspace(t, s, "einvoice_company.branch.api_key", protected+branchObjects)
	said, ok := w.Run("apply", "-auto-approve", "-input=false")
	if ok || !strings.Contains(said, "Error: Empty API key") || !strings.Contains(testkit.Unwrapped(said), "apply with `-target=einvoice_company.NAME`") {
		t.Errorf("the apply whose answer was lost says:\n%s", said)
	}
	w.Write(testkit.Config(s, branchCompany+aliasOfBranch(s, "einvoice_company.branch.api_key")+branchObjects))
	w.MustRun("apply", "-auto-approve", "-input=false", target)
	w.MustRun("apply", "-auto-approve", "-input=false", target, replace)
	w.MustApply()
	w.MustPlanNothing()
}
