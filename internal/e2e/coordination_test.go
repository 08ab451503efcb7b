package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func coordinatedBy(db *fixture.Database) string {
	return fmt.Sprintf("coordination_url=%q", db.URL(""))
}

func letterBody(nfe string) string {
	return fmt.Sprintf(`
resource "einvoice_correction_letter" "test" {
  invoice_id = %q
  letter     = %q
}
`, nfe, fixture.TestLetter)
}

// Without its database a run reads, manages the catalogue, and sends nothing that
// must happen only once.
func TestAccCoordination_nothingIsIssuedWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	db := fixture.Postgres(t)
	s := sandbox.Start(t, sandbox.Options{})
	nfe := fixture.AuthorizedNFe(s)
	w := testkit.NewWorkspace(t, testkit.Config(s, `
resource "einvoice_customer" "test" {
  name = "Padaria"
}
resource "einvoice_invoice_issuance" "test" {
  model          = "serviceInvoice"
  integration_id = "order-1"
  payload_json   = jsonencode({ description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 100 } })
}
resource "einvoice_webhook_secret_rotation" "test" {}
`+testkit.OrderBody("")+letterBody(nfe), coordinatedBy(db)), "")
	db.Stop()
	output, ok := w.Run("apply", "-auto-approve", "-input=false")
	said := testkit.Squeezed(output)
	for _, want := range []string{
		"Warning: Coordination database cannot be used", "Nothing is issued, ordered, corrected, declared or rotated until it can be used.",
		"Error: Coordination database cannot be used: NFS-e (order-1)", "Error: Coordination database cannot be used: order t-1",
		"Error: Coordination database cannot be used: webhook secret", "Error: Coordination database cannot be used: correction letter: invoice " + nfe,
		"before it is sent, and that failed: the database cannot be reached: connect: connection refused. Nothing was sent.",
	} {
		if ok || !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, output)
		}
	}
	if strings.Contains(output, "a-secret") {
		t.Errorf("the URL is said:\n%s", output)
	}
	for _, r := range s.Requests() {
		if r.Method != "GET" && r.Path != "/v1/customers" {
			t.Errorf("sent: %s %s", r.Method, r.Path)
		}
	}
	if n := s.Count("POST", "/v1/customers"); n != 1 {
		t.Errorf("%d customers were created, want 1", n)
	}

	db.Start()
	if output := w.MustApply(); strings.Contains(output, "Coordination") {
		t.Errorf("it is there again:\n%s", output)
	}
	w.MustRun("plan", "-detailed-exitcode")
	if wrong := once(s, nfe); len(wrong) > 0 {
		t.Error(wrong)
	}
	if found := w.InFiles("a-secret"); len(found) > 0 {
		t.Errorf("the URL is in %s", found)
	}
}

// once tells what is not at the service exactly once.
func once(s *sandbox.Server, nfe string) (wrong []string) {
	for what, n := range map[string]int{
		"invoices": len(s.InvoicesByIntegrationID("order-1")), "orders": len(s.Objects("orders")), "letters": len(s.Corrections(nfe)), "rotations": fixture.Rotations(s),
	} {
		if n != 1 {
			wrong = append(wrong, fmt.Sprintf("%d %s", n, what))
		}
	}
	return wrong
}

// The database fails while an invoice is on its way, and comes back later or not
// before the next run, which has a cache directory of its own.
func TestAccCoordination_theDatabaseFailsInTheMiddle(t *testing.T) {
	t.Parallel()
	type database struct {
		*fixture.Database
		wire *fixture.Wire
	}
	for name, tt := range map[string]struct {
		fails, heals func(db database)
		atOnce       bool
	}{
		"it crashes and comes back":               {fails: func(db database) { db.Stop() }, heals: func(db database) { db.Start() }, atOnce: true},
		"it crashes and is back for the next run": {fails: func(db database) { db.Stop() }, heals: func(db database) { db.Start() }},
		"it hangs until the next run":             {fails: func(db database) { db.wire.Hang() }, heals: func(db database) { db.wire.Heal() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := database{Database: fixture.Postgres(t)}
			db.wire = fixture.NewWire(t, db.Address())
			s := sandbox.Start(t, sandbox.Options{NoMergeByIntegrationID: true, ListLag: 10 * time.Second})
			config := strings.Replace(testkit.OnceConfig(s, ""), "requests_per_minute", fmt.Sprintf("coordination_url = %q\n  requests_per_minute", db.wire.Through(db.URL(""))), 1)
			s.Before("POST", fixture.ServiceInvoices, func() {
				if tt.fails(db); tt.atOnce {
					tt.heals(db)
				}
			})
			output, ok := testkit.NewWorkspace(t, config, "").Run("apply", "-auto-approve", "-input=false")
			if !ok {
				t.Fatalf("the invoice is issued, whatever became of the database:\n%s", output)
			}
			said := testkit.Squeezed(output)
			if said != "" && strings.Contains(said, "Cannot write to the coordination database") == tt.atOnce {
				t.Errorf("what is said of the database:\n%s", output)
			}
			if !tt.atOnce {
				tt.heals(db)
			}
			testkit.NewWorkspace(t, config, "").MustApply()
			if n := s.Count("POST", fixture.ServiceInvoices); n != 1 {
				t.Errorf("%d invoices were sent, want 1:\n%s", n, output)
			}
		})
	}
}
