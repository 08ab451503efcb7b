package e2e_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// TestAccCacheDir_neverMakesAWrongDecision loses the state after an invoice was
// issued, damages what this machine remembers of it, and applies again. The
// journal and the shared rate file may be anything by then: at worst the second
// run is more patient.
func TestAccCacheDir_neverMakesAWrongDecision(t *testing.T) {
	t.Parallel()
	// This service makes a second invoice of a second POST, and its list lags: the
	// look-up alone does not protect.
	strict := sandbox.Options{AuthorizeAfter: 100 * time.Millisecond, NoMergeByIntegrationID: true, ListLag: 6 * time.Second}
	merging := sandbox.Options{AuthorizeAfter: 100 * time.Millisecond}
	for name, test := range map[string]struct {
		options sandbox.Options
		dir     string // "" for one of the test's own
		damage  func(t *testing.T, name string)
	}{
		"that is left alone":     {options: strict},
		"with truncated content": {options: strict, damage: func(t *testing.T, name string) { cutFile(t, name) }},
		"that became folders": {options: strict, damage: func(t *testing.T, name string) {
			removeFile(t, name)
			if err := os.Mkdir(name, 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		// Here nothing is remembered, and the service has to tell.
		"that was emptied":    {options: merging, damage: func(t *testing.T, name string) { removeFile(t, name) }},
		"that cannot be made": {options: merging, dir: "/dev/null/einvoice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, test.options)
			w := testkit.NewWorkspace(t, strings.Replace(testkit.OnceConfig(s, ""), "requests_per_minute = 0", "requests_per_minute = 60", 1), test.dir)
			w.MustApply()
			removeFile(t, filepath.Join(w.Dir, "terraform.tfstate"))
			damaged := 0
			if test.damage != nil {
				err := filepath.WalkDir(w.CacheDir, func(name string, entry fs.DirEntry, err error) error {
					if err != nil || entry.IsDir() || strings.HasSuffix(name, ".lock") {
						return err
					}
					damaged++
					test.damage(t, name)
					if entry, err := os.Stat(name); err == nil && entry.IsDir() {
						return fs.SkipAll
					}
					return nil
				})
				if err != nil || damaged == 0 {
					t.Fatalf("nothing was damaged: %v", err)
				}
			}
			w.MustApply()
			if invoices := s.InvoicesByIntegrationID("order-1"); len(invoices) != 1 || invoices[0]["status"] != "authorized" {
				t.Errorf("%d invoices, want 1, authorized: %v", len(invoices), invoices)
			}
			if n := s.Count("POST", "/v1/service-invoices"); n != 1 {
				t.Errorf("%d invoices were sent, want 1", n)
			}
		})
	}
}
