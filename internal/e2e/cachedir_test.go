package e2e_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// TestCacheDir_neverMakesAWrongDecision loses the state after an invoice was issued, damages what this machine remembers
// of it, and applies again. The journal and the shared rate file may be anything by then: at worst the second run is
// more patient.
func TestCacheDir_neverMakesAWrongDecision(t *testing.T) {
	t.Parallel()
	// This service makes a second invoice of a second POST, and its list lags: the look-up alone does not protect.
	strict := sandbox.Options{AuthorizeAfter: 100 * time.Millisecond, NoMergeByIntegrationID: true, ListLag: 6 * time.Second}
	merging := sandbox.Options{AuthorizeAfter: 100 * time.Millisecond}
	for name, test := range map[string]struct {
		options sandbox.Options
		dir     string // "" for one of the test's own
		damage  func(t *testing.T, name string)
	}{
		"that is left alone":     {options: strict},
		"with truncated content": {options: strict, damage: cutFile},
		"that became folders": {options: strict, damage: func(t *testing.T, name string) {
			t.Helper()
			removeFile(t, name)
			if err := os.Mkdir(name, 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		// Here nothing is remembered, and the service has to tell.
		"that was emptied":    {options: merging, damage: removeFile},
		"that cannot be made": {options: merging, dir: "/dev/null/einvoice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onClock(t, test.options, func(t *testing.T, s *clocked) {
				if test.dir != "" {
					s.network.CacheDir = test.dir
				}
				issue := func() {
					o := s.process(map[string]any{"requests_per_minute": 60}).Object("einvoice_invoice_issuance")
					_, said := o.Create(unknownValues["einvoice_invoice_issuance"].arguments)
					o.MustNotFail(said)
				}
				issue()
				damaged := 0
				err := filepath.WalkDir(s.network.CacheDir, func(name string, entry fs.DirEntry, err error) error {
					if err != nil || entry.IsDir() || strings.HasSuffix(name, ".lock") || test.damage == nil {
						return err
					}
					damaged++
					test.damage(t, name)
					_ = os.Chtimes(name, time.Now(), time.Now()) // By the clock of the test, unless it is gone.
					return nil
				})
				if err != nil && test.dir == "" || test.damage != nil && damaged == 0 {
					t.Fatalf("%d files were damaged: %v", damaged, err)
				}
				issue()
				if invoices := s.InvoicesByIntegrationID("order-1"); len(invoices) != 1 || invoices[0]["status"] != "authorized" {
					t.Errorf("%d invoices, want 1, authorized: %v", len(invoices), invoices)
				}
				if n := s.Count("POST", fixture.ServiceInvoices); n != 1 {
					t.Errorf("%d invoices were sent, want 1", n)
				}
			})
		})
	}
}
