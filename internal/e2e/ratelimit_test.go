package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// perMinute is the limit here, a quarter of the service's, so that a quarter of
// the requests passes it.
const perMinute = 15

// A run of a CLI is several processes: one plans, one applies, and each alias
// has its own. The service counts them together, by key.

func TestAccRateLimit_isKeptOverPlanApplyAndAliases(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for the limit of a minute to pass twice")
	}
	const (
		held    = 12 // read while planning
		created = 30 // right afterwards, by another process
	)
	// By name, the provider of every second customer.
	for name, second := range map[string]string{
		"one provider configuration": "einvoice",
		"two aliases on one key":     "einvoice.second",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{RateLimit: true, RateLimitPerMinute: perMinute})
			var ids []string
			for i := range held {
				ids = append(ids, s.Seed(sandbox.KindCustomers, map[string]any{"name": fmt.Sprintf("Held %d", i)}))
			}
			list, err := json.Marshal(ids)
			if err != nil {
				t.Fatal(err)
			}
			w := acctest.NewWorkspace(t, acctest.Config(s, fmt.Sprintf(`
provider "einvoice" {
  alias               = "second"
  base_url            = %[1]q
  api_key             = %[2]q
  requests_per_minute = %[6]d
}
data "einvoice_customer" "held" {
  for_each = toset(%[3]s)
  id       = each.key
}
resource "einvoice_customer" "first" {
  count = %[4]d
  name  = "First ${count.index}"
}
resource "einvoice_customer" "second" {
  provider = %[5]s
  count    = %[4]d
  name     = "Second ${count.index}"
}
`, s.BaseURL(), s.OwnerKey(), list, created/2, second, perMinute), fmt.Sprintf("requests_per_minute=%d", perMinute), "requests_per_second=5"), "")

			w.MustRun("plan", "-input=false", "-out=saved")
			if n := len(s.Requests()); n != held {
				t.Errorf("the plan used %d requests, want %d", n, held)
			}
			w.MustRun("apply", "-input=false", "saved")

			for _, r := range s.Requests() {
				if r.Status != http.StatusOK {
					t.Errorf("%s %s at %s was answered %d", r.Method, r.Path, r.At.Format("15:04:05.000"), r.Status)
				}
			}
			if n := s.Count("POST", "/v1/customers"); n != created {
				t.Errorf("%d creations were sent, want %d", n, created)
			}
			if n := len(s.Objects(sandbox.KindCustomers)); n != held+created {
				t.Errorf("%d customers at the service, want %d", n, held+created)
			}
		})
	}
}

// TestAccTwoPipelines_shareOneKeyUnderTheRealLimit applies two configurations
// with one key at the same time. On one machine, and with a database, they share the
// account of what was spent, so that no request is refused. Two machines alone know
// of each other only by the refusals, and go on after them.
func TestAccTwoPipelines_shareOneKeyUnderTheRealLimit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for the limit of a minute to pass")
	}
	const each = 12 // so that both together pass the limit of a minute
	oneCache := t.TempDir()
	for name, test := range map[string]struct {
		cacheDir string // "" for one each
		database bool
		refused  bool // some requests are
	}{
		"on one machine":               {cacheDir: oneCache},
		"on two machines":              {refused: true},
		"on two that share a database": {database: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := []string{fmt.Sprintf("requests_per_minute=%d", perMinute), "requests_per_second=5"}
			if test.database {
				settings = append(settings, fmt.Sprintf("coordination_url=%q", fixture.Postgres(t).URL("")))
			}
			s := sandbox.Start(t, sandbox.Options{RateLimit: true, RateLimitPerMinute: perMinute})
			var runs sync.WaitGroup
			for n := range 2 {
				w := acctest.NewWorkspace(t, acctest.Config(s, fmt.Sprintf(`
resource "einvoice_customer" "test" {
  count = %d
  name  = "Pipeline %d customer ${count.index}"
}
`, each, n), settings...), test.cacheDir)
				runs.Go(func() {
					if output, ok := w.Run("apply", "-auto-approve", "-input=false"); !ok {
						t.Errorf("pipeline %d failed:\n%s", n, output)
					}
				})
			}
			runs.Wait()

			created, refused := 0, 0
			requests := s.Requests()
			for _, r := range requests {
				switch {
				case r.Method == http.MethodPost && r.Status == http.StatusOK:
					created++
				case r.Status == http.StatusTooManyRequests:
					refused++
				}
			}
			t.Logf("%d requests, %d of them refused, in %s", len(requests), refused, requests[len(requests)-1].At.Sub(requests[0].At))
			if n := len(s.Objects(sandbox.KindCustomers)); created != 2*each || n != 2*each {
				t.Errorf("%d creations succeeded and %d customers are there, want %d", created, n, 2*each)
			}
			if (refused > 0) != test.refused { // Where some are expected, none would prove nothing.
				t.Errorf("%d requests were refused", refused)
			}
		})
	}
}
