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

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// A CLI that is killed after the answer to a creation has no state of it. The next
// run takes over what the journal remembers, until a state was seen that holds it.
func TestAccCreations_areTakenOverFromARunWithoutState(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{ExtraFields: unmanaged})
	w := testkit.NewWorkspace(t, testkit.Config(s, `
resource "einvoice_customer" "test" {
  name = "Padaria"
}

provider "einvoice" {
  alias               = "second"
  base_url            = "`+s.BaseURL()+`"
  api_key             = "`+s.OwnerKey()+`"
  requests_per_minute = 0
  requests_per_second = 0
}

resource "einvoice_customer" "second" {
  provider = einvoice.second
  name     = "Padaria"
}

resource "einvoice_product" "test" {
  count      = 2
  name       = "Pão"
  code       = "P-1"
  extra_json = jsonencode({ ncm = "19059090" })
}

resource "einvoice_webhook" "test" {
  count   = 2
  event   = "invoice.authorized"
  url     = "https://erp.example/hooks?token=s3cr3t"
  enabled = false
}`), "")
	kinds := []string{sandbox.KindCustomers, sandbox.KindProducts, sandbox.KindWebhooks}
	state := filepath.Join(w.Dir, "terraform.tfstate")
	want := func(when string, each int) {
		t.Helper()
		for _, kind := range kinds {
			if n := len(s.Objects(kind)); n != each {
				t.Errorf("%s: %d %s, want %d", when, n, kind, each)
			}
		}
	}
	w.MustApply()
	want("two equal blocks in one run", 2)
	removeFile(t, state)
	said := w.MustApply()
	want("the run after a kill", 2)
	for _, warning := range []string{"Adopted customer Padaria", "Adopted product P-1 (Pão)", "Adopted webhook for invoice.authorized to https://erp.example/hooks?..."} {
		if !strings.Contains(said, warning) {
			t.Errorf("the run after a kill does not say %q:\n%s", warning, said)
		}
	}
	w.MustPlanNothing() // This tells the journal that a state holds them.
	removeFile(t, state)
	if said := w.MustApply(); strings.Contains(said, "Adopted") {
		t.Errorf("what was in a state is taken over:\n%s", said)
	}
	want("the run after a lost state", 4)
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

// What is found again after a lost answer is named by what is known of it.
func TestLostCreations_nameWhatIsKnown(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]struct {
		arguments map[string]any
		want      string
	}{
		"einvoice_customer": {
			map[string]any{"name": "C 0", "phone": "(11) 91234-5678", "address": map[string]any{"postal_code": "01310-100"}},
			"Adopted customer C 0",
		},
		"einvoice_product": {map[string]any{"name": "Pão", "code": "P-1", "price": 1.5}, "Adopted product P-1 (Pão)"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST"})
			_, said := testkit.Serve(t, s, nil).Object(kind).Create(test.arguments)
			if len(said) != 1 || said[0].Summary != test.want || strings.Contains(said[0].Detail, "()") {
				t.Errorf("%v, want %q", said, test.want)
			}
			if n := s.Count("PUT", ""); n != 0 {
				t.Errorf("%d updates of what is as wanted already", n)
			}
		})
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
						"transaction_id": fmt.Sprint("sale-", n), "amount": 100, "auto_issue_mode": "disabled", "customer": map[string]any{"name": "Maria", "federal_tax_number": "52998224725"},
						"items": []any{map[string]any{"quantity": 1, "price": 100, "amount": 100, "product": map[string]any{"code": "S1", "name": "Consulta", "invoice_model": "serviceInvoice"}}},
					})
					create("einvoice_invoice_issuance", map[string]any{
						"model": einvoice.ModelService, "integration_id": fmt.Sprint("order-", n), "payload_json": `{"description":"Consultoria","federalServiceCode":"17.01","total":{"invoiceAmount":100}}`,
					})
				}
				running.Wait()
				sent, made := 0, map[string]int{}
				for kind, path := range map[string]string{
					sandbox.KindCustomers: "/v1/customers", sandbox.KindProducts: "/v1/products", sandbox.KindWebhooks: "/v1/webhooks", sandbox.KindOrders: "/v1/orders", sandbox.KindServiceInvoices: "/v1/service-invoices",
				} {
					sent += s.Count("POST", path)
					for _, object := range s.Objects(kind) {
						made[fmt.Sprint(kind, object["federalTaxNumber"], object["code"], object["url"], object["transactionId"], object["integrationId"])]++
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
