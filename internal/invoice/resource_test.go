package invoice_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const (
	kind = "einvoice_invoice_issuance"

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

func TestIssuance_refusesWrongValuesInPlan(t *testing.T) {
	t.Parallel()
	testkit.WantRefusalsOf(t, kind, "issuance_refuses_wrong_values_in_plan.json")
}

// What ends a run from outside, and what several processes do at once. Lost
// answers and lists that lag are cases of the engine and of the fault matrix.

// late is the service on which it is hardest to issue once: a second POST makes a
// second invoice, and a new one shows in no list until the clock is moved.
func late(t *testing.T) (*sandbox.Server, *sandbox.ManualClock) {
	t.Helper()
	clock := sandbox.NewManualClock(time.Now())
	return sandbox.Start(t, sandbox.Options{Clock: clock, NoMergeByIntegrationID: true, ListLag: time.Hour}), clock
}

func wantSentOnce(t *testing.T, s *sandbox.Server) {
	t.Helper()
	fixture.WantRequests(t, s, "POST", fixture.ServiceInvoices, 1)
	expect.Is(t, onlyInvoice(t, s)["status"], "authorized", "the invoice")
}

// The next run looks for as long as requests may take, and finds the invoice at its
// second look.
func TestAccIssuance_killedInThePostIssuesOnce(t *testing.T) {
	t.Parallel()
	s, clock := late(t)
	w := testkit.NewWorkspace(t, testkit.OnceConfig(s, ""), "")
	w.Edit("main.tf", "provider \"einvoice\" {", "provider \"einvoice\" {\n  request_timeout = \"10m\"")
	testkit.KilledDuring(t, w, s, "POST", fixture.ServiceInvoices)
	s.Before("GET", fixture.ServiceInvoices, func() {
		s.Before("GET", fixture.ServiceInvoices, func() { clock.Advance(2 * time.Hour) })
	})
	w.MustApply()
	wantSentOnce(t, s)
}

func TestAccIssuance_interruptEndsAWaitAndTheNextRunGoesOn(t *testing.T) {
	t.Parallel()
	clock := sandbox.NewManualClock(time.Now())
	s := sandbox.Start(t, sandbox.Options{Clock: clock, AuthorizeAfter: time.Hour})
	w := testkit.NewWorkspace(t, testkit.OnceConfig(s, ""), "")
	output := testkit.EndedDuring(t, w, s, "GET", readByID, syscall.SIGTERM)
	expect.Contains(t, output, "Interrupted while issuing NFS-e (order-1)")
	clock.Advance(2 * time.Hour)
	w.MustApply()
	wantSentOnce(t, s)
}

// The invoice is the one that an apply would go on with.
func TestIssuance_importsByIntegrationID(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	branch, key := fixture.Company(s, fixture.BranchNumber)
	for _, doc := range rows.Read[[]map[string]any](t, "imported_invoices.json") {
		if doc["amount"] = 100; doc["_company"] == "branch" {
			doc["_company"] = branch
		}
		s.Seed(sandbox.KindServiceInvoices, doc)
	}
	imports := rows.Read[map[string]map[string]string](t, "invoice_imports.json")
	p := testkit.Serve(t, s, map[string]any{"company_keys": map[string]any{fixture.BranchNumber: key}})
	testkit.WantImports(t, p, s, kind, imports["found"], imports["refused"])
}

func TestIssuance_ends(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "issuance_ends.json")
}

func TestIssuance_blocksBesideEachOther(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "issuance_blocks.json")
}

func TestIssuance_environments(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "issuance_environments.json")
}

// Who issues, when one provider configuration has the keys of many companies.
func TestIssuer(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "issuers.json")
}

func TestIssuance(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "issuances.json")
}

// The service has only what the interface shows or names, which is no list of consumer invoices.
func TestUnlisted(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "unlisted.json")
}

func TestInvoiceActions(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "actions.json")
}

// All that plan_lookup can find is a case of the engine's look.
func TestIssuance_plans(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "plans.json")
}
