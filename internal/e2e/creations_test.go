package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// A CLI that is killed after the answer to a creation has no state of it. The next
// run takes over what the journal remembers, until a state was seen that holds it.
func TestAccCreations_areTakenOverFromARunWithoutState(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewWorkspace(t, testkit.Config(s, aliasOf(s, "second", "")+`
resource "einvoice_customer" "test" {
  count = 2
  name  = "Padaria"
}
resource "einvoice_customer" "second" {
  provider = einvoice.second
  name     = "Padaria"
}`), "")
	state := filepath.Join(w.Dir, "terraform.tfstate")
	apply := func(when string, customers int, adopts bool) {
		t.Helper()
		if said := w.MustApply(); strings.Contains(said, "Adopted customer Padaria") != adopts {
			t.Errorf("%s says that something is taken over: %t\n%s", when, !adopts, said)
		}
		if n := len(s.Objects(sandbox.KindCustomers)); n != customers {
			t.Errorf("%s: %d customers, want %d", when, n, customers)
		}
	}
	apply("the first run, with equal blocks", 3, false)
	removeFile(t, state)
	apply("the run after a kill", 3, true)
	w.MustPlanNothing() // This tells the journal that a state holds them.
	removeFile(t, state)
	apply("the run after a lost state", 6, false)
}

func TestCreations_sayHowToImportWhatExists(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	const url, block = "https://erp.example/hooks?token=s3cr3t", `import \{\s+to = einvoice_%s\.NAME\s+id = "%s"\s+\}`
	for kind, test := range map[string]struct {
		arguments, held map[string]any
		title           string
	}{
		"customer": {
			map[string]any{"name": "Padaria", "federal_tax_number": "11.222.333/0001-81"},
			map[string]any{"name": "Another name", "federalTaxNumber": "11222333000181"},
			`Customer Padaria \(11222333000181\) already exists: `,
		},
		"product": {map[string]any{"name": "Pão", "code": "P-1"}, map[string]any{"code": "P-1"}, `Product P-1 \(Pão\) already exists: `},
		"webhook": {
			map[string]any{"event": "invoice.authorized", "url": url},
			map[string]any{"event": "invoice.authorized", "url": url},
			`Webhook for invoice\.authorized to https://erp\.example/hooks\?\.\.\. already exists: `,
		},
	} {
		want := func(status int, advice, id string) {
			t.Helper()
			s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: "/v1/" + kind + "s", Status: status, Message: "It exists."})
			_, said := testkit.Serve(t, s, nil).Object("einvoice_" + kind).Create(test.arguments)
			text := testkit.ErrorsIn(said)
			pattern := `(?s)` + test.title + `API message: It exists\..*` + advice + `.*` + fmt.Sprintf(block, kind, id)
			if !regexp.MustCompile(pattern).MatchString(text) || strings.Contains(text, "s3cr3t") {
				t.Errorf("the error is %q, want %s", text, pattern)
			}
		}
		want(409, "Look up its id", "ID")
		id := s.Seed(kind+"s", test.held)
		want(409, "Import it instead of creating it:", id)
		want(422, "Import it instead of creating it:", id)
		second := s.Seed(kind+"s", test.held)
		want(409, "has 2 that match: "+id+", "+second, id)
	}
}

// What is found again after a lost answer is as wanted, however its arguments are spelled.
func TestLostCreations_updateNothing(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST"})
	created(testkit.Serve(t, s, nil), "customer", object{
		"name": "C 0", "phone": "(11) 91234-5678", "address": object{"postal_code": "01310-100"},
	})
	if n := s.Count("PUT", ""); n != 0 {
		t.Errorf("%d updates of what is as wanted already", n)
	}
}

// storm lets a fifth of the coming requests be answered 503 and a tenth be cut off,
// one half of these before and one after they are processed.
func storm(s *sandbox.Server, seed uint64, requests int) {
	random := rand.New(rand.NewPCG(seed, 0))
	healthy := 0
	for range requests {
		f := sandbox.Fault{Skip: healthy}
		switch n := random.IntN(20); {
		case n < 4:
			f.Kind, f.Status = sandbox.FaultStatus, 503
		case n == 4:
			f.Kind = sandbox.FaultDropBefore
		case n == 5:
			f.Kind = sandbox.FaultDropAfter
		default:
			healthy++
			continue
		}
		s.Inject(f)
	}
}

// A run through a storm ends well, and has made everything once.
func TestStorm_endsInOneRun(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]sandbox.Options{
		"on a service that merges":             {},
		"on one that does not, and lists late": {NoMergeByIntegrationID: true, ListLag: 12 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testkit.OnClock(t, options, func(t *testing.T, s *testkit.Clocked) {
				storm(s.Server, 7, 3000)
				p := s.Process(map[string]any{"request_timeout": "5s", "max_retries": 12})
				var running sync.WaitGroup
				create := func(kind string, arguments map[string]any) {
					running.Go(func() {
						if _, said := p.Object(kind).Create(arguments); testkit.ErrorsIn(said) != "" {
							t.Errorf("%s %v: %s", kind, arguments, testkit.ErrorsIn(said))
						}
					})
				}
				for n := range 10 {
					create("einvoice_customer", map[string]any{"name": fmt.Sprint("Padaria ", n), "federal_tax_number": fmt.Sprintf("112223330001%02d", n)})
					create("einvoice_product", map[string]any{"name": "Pão", "code": fmt.Sprint("P-", n)})
					create("einvoice_webhook", map[string]any{"event": "invoice.authorized", "url": fmt.Sprintf("https://erp.example/%d", n)})
					create("einvoice_order", map[string]any{
						"transaction_id": fmt.Sprint("sale-", n), "amount": 100, "auto_issue_mode": "disabled",
						"customer": object{"name": "Maria", "federal_tax_number": "52998224725"},
						"items":    []any{object{"price": 100, "product": object{"code": "S1", "name": "Consulta"}}},
					})
					create("einvoice_invoice_issuance", serviceInvoice(fmt.Sprint("order-", n)))
				}
				running.Wait()
				sent, made := 0, map[string]int{}
				for _, r := range s.All("POST", "") {
					if strings.Count(r.Path, "/") == 2 {
						sent++
					}
				}
				for _, kind := range []string{
					sandbox.KindCustomers, sandbox.KindProducts, sandbox.KindWebhooks, sandbox.KindOrders, sandbox.KindServiceInvoices,
				} {
					for _, o := range s.Objects(kind) {
						made[fmt.Sprint(kind, o["federalTaxNumber"], o["code"], o["url"], o["transactionId"], o["integrationId"])]++
					}
				}
				if len(made) != 52 { // The orders make a customer and a product.
					t.Errorf("the service holds %d objects, want 52: %v", len(made), made)
				}
				for what, n := range made {
					if n != 1 {
						t.Errorf("%s is there %d times", what, n)
					}
				}
				if sent <= 50 {
					t.Errorf("%d creations were sent: this proves nothing", sent)
				}
				t.Logf("%d creations were sent for %d objects", sent, len(made))
			})
		})
	}
}
