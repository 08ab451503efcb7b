package e2e_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// TestAccRateLimit_isSharedByAllProcesses applies two configurations with one key at the
// same time. Each is several processes: one plans, one applies, and each alias has its
// own. On one machine, and with a database, they share the account of what was spent:
// with one request a second, none comes sooner after another one. How they keep the
// limits of a minute with that account is a matter of the client's tests, on a clock.
func TestAccRateLimit_isSharedByAllProcesses(t *testing.T) {
	t.Parallel()
	oneCache := t.TempDir()
	for name, test := range map[string]struct {
		cacheDir string // "" for one each
		database bool
	}{
		"on one machine":                        {cacheDir: oneCache},
		"on two machines that share a database": {database: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits := "requests_per_minute = 60\n  requests_per_second = 1"
			if test.database {
				limits += "\n  " + coordinatedBy(fixture.Postgres(t))
			}
			s := sandbox.Start(t, sandbox.Options{RateLimit: true})
			held := s.Seed(sandbox.KindCustomers, map[string]any{"name": "Held"})
			const each = 5 // requests of a pipeline
			var runs sync.WaitGroup
			for pipeline := range 2 {
				config := testkit.ExampleVersions + fmt.Sprintf(`
provider "einvoice" {
  base_url = %[1]q
  api_key  = %[2]q
  %[3]s
}
provider "einvoice" {
  alias    = "second"
  base_url = %[1]q
  api_key  = %[2]q
  %[3]s
}
data "einvoice_customer" "held" {
  id = %[4]q
}
resource "einvoice_customer" "first" {
  count = 2
  name  = "First ${count.index} of %[5]d"
}
resource "einvoice_customer" "second" {
  provider = einvoice.second
  count    = 2
  name     = "Second ${count.index} of %[5]d"
}
`, s.BaseURL(), s.OwnerKey(), limits, held, pipeline)
				w := testkit.NewWorkspace(t, config, test.cacheDir)
				runs.Go(func() {
					if output, ok := w.Run("apply", "-auto-approve", "-input=false"); !ok {
						t.Errorf("a pipeline failed:\n%s", output)
					}
				})
			}
			runs.Wait()

			requests := s.Requests()
			for i, r := range requests {
				if r.Status != http.StatusOK {
					t.Errorf("%s %s was answered %d", r.Method, r.Path, r.Status)
				}
				if i > 0 && r.At.Sub(requests[i-1].At) < time.Second {
					t.Errorf("%s %s came %s after the request before it", r.Method, r.Path, r.At.Sub(requests[i-1].At))
				}
			}
			if len(requests) != 2*each {
				t.Errorf("%d requests were sent, want %d", len(requests), 2*each)
			}
		})
	}
}
