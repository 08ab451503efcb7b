package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

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
			onClock(t, options, func(t *testing.T, s *clocked) {
				storm(s.Server, 7, 3000)
				p := s.process(map[string]any{"request_timeout": "5s", "max_retries": 12})
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
