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
	fixture.WantRequests(t, s, "", "", 0)
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

var ()
