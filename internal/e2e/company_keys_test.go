package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

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
	w.Environ = append(w.Environ, "TF_LOG=TRACE", "TF_LOG_PATH="+logs)
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
