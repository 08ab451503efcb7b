package e2e_test

import (
	"flag"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

var writePlans = flag.Bool("write-plans", false, "write the plan texts in testdata/plans instead of comparing with them")

const (
	planCompany = `
resource "einvoice_company" "branch" {
  name                = "Padaria Central"
  legal_name          = "Padaria Central Ltda"
  federal_tax_number  = "11.222.333/0001-81"
  deletion_protection = false
  address             = { street = "Avenida Paulista", number = "1000", district = "Bela Vista", postal_code = "01310-100", city = { code = "3550308" } }
}
`
	planCustomer = `
resource "einvoice_customer" "cafe" {
  name               = "Café da Esquina"
  federal_tax_number = "45.997.418/0001-53"
  phone              = "(11) 3333-4444"
  address            = { street = "Rua A", number = "1", postal_code = "01310-100", city = { name = "São Paulo", state = "SP" } }
}
`
	planSettings = `
resource "einvoice_company_settings" "main" {
  company_id      = "OWNER"
  service_invoice = { series = "1", next_number = 10, environment_type = "simulation" }
  product_invoice = { series = "1", environment_type = "development" }
}
`
	planSettingsOfBranch = `
resource "einvoice_company_settings" "branch" {
  company_id = einvoice_company.branch.id
  general    = { decimal_precision = 3 }
}
`
	planWebhook = `
resource "einvoice_webhook" "erp" {
  event = "invoice.authorized"
  url   = "https://erp.example/hooks"
}
`
	planProduct = `
resource "einvoice_product" "bread" {
  name          = "Pão francês"
  code          = "P-1"
  price         = 1.5
  invoice_model = "consumerInvoice"
}
`
	planOrder = `
resource "einvoice_order" "cake" {
  transaction_id  = "2026-11-000123"
  amount          = 100
  auto_issue_mode = "afterPayment"
  status          = "created"
  customer        = { name = "Maria", federal_tax_number = "529.982.247-25" }
  items           = [{ quantity = 4, price = 25, amount = 100, product = { code = "S1", name = "Consulta", invoice_model = "serviceInvoice" } }]
}
`
	planRotation = `
resource "einvoice_webhook_secret_rotation" "quarterly" {
  triggers     = { quarter = "2026-Q3" }
  window_hours = 24
}
`
	planInvoice = `
resource "einvoice_invoice_issuance" "november" {
  model          = "serviceInvoice"
  integration_id = "2026-11-consulting"
  payload_json   = jsonencode({ description = "Consultoria", federalServiceCode = "17.01", total = { invoiceAmount = 1500 } })
}
`
)

// planTexts are the changes that people review most, each with what the reviewer
// reads. A line that does not belong into a text is a defect, whatever the state
// is afterwards.
var planTexts = []struct {
	name          string
	given, wanted string
	drift         func(s *sandbox.Server) // after what is given was applied
	destroy       bool
}{
	{name: "create a company", wanted: planCompany},
	{name: "create a customer", wanted: planCustomer},
	{name: "rename a company", given: planCompany, wanted: strings.Replace(planCompany, `"Padaria Central"`, `"Padaria Nova"`, 1)},
	{name: "move a customer", given: planCustomer, wanted: strings.Replace(planCustomer, `{ name = "São Paulo", state = "SP" }`, `{ code = "3304557" }`, 1)},
	{name: "spell a customer in another way", given: planCustomer, wanted: strings.NewReplacer("45.997.418/0001-53", "45997418000153", "01310-100", "01310100", "(11) 3333-4444", "1133334444").Replace(planCustomer)},
	{name: "raise the next number", given: planSettings, wanted: strings.Replace(planSettings, "next_number = 10", "next_number = 500", 1)},
	{name: "go to production", given: planSettings, wanted: strings.Replace(planSettings, `"development"`, `"production"`, 1)},
	{name: "enable a webhook that the service disabled", given: planWebhook, wanted: planWebhook, drift: func(s *sandbox.Server) {
		for _, webhook := range s.Objects(sandbox.KindWebhooks) {
			s.Patch(sandbox.KindWebhooks, webhook["id"].(string), map[string]any{"enabled": false})
		}
	}},
	{name: "undo a change made elsewhere", given: planCustomer, wanted: planCustomer, drift: func(s *sandbox.Server) {
		for _, customer := range s.Objects(sandbox.KindCustomers) {
			s.Patch(sandbox.KindCustomers, customer["id"].(string), map[string]any{"phone": "1100000000"})
		}
	}},
	{name: "make again what was deleted elsewhere", given: planWebhook, wanted: planWebhook, drift: func(s *sandbox.Server) {
		for _, webhook := range s.Objects(sandbox.KindWebhooks) {
			s.Remove(sandbox.KindWebhooks, webhook["id"].(string))
		}
		// Another one can be read by its id, which proves that this one is gone.
		s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.rejected", "url": "https://other.example/"})
	}},
	{name: "change a price", given: planProduct, wanted: strings.Replace(planProduct, "1.5", "1.75", 1)},
	{name: "approve an order", given: planOrder, wanted: strings.Replace(planOrder, `"created"`, `"approved"`, 1)},
	{name: "forget an order", given: planOrder, destroy: true},
	{name: "rotate the webhook secret", given: planRotation, wanted: strings.Replace(planRotation, "Q3", "Q4", 1)},
	{name: "issue an invoice", wanted: planInvoice},
	{name: "let destroy cancel an invoice", given: planInvoice, wanted: strings.Replace(planInvoice, "\n}\n", "\n  cancellation_reason = \"Issued for the wrong month\"\n}\n", 1)},
	{name: "forget an invoice", given: planInvoice, destroy: true},
	{name: "destroy settings", given: planSettings, destroy: true},
	{name: "destroy a company", given: planCompany, destroy: true},
	{name: "destroy a company and its settings", given: planCompany + planSettingsOfBranch, destroy: true},
}

var planNoise = []struct {
	of *regexp.Regexp
	is string
}{
	{regexp.MustCompile(`(?s)^.*?(?:Terraform|OpenTofu) (will perform the following actions|planned the following actions|detected the following changes)`), "The CLI $1"},
	{regexp.MustCompile(`(?s)^.*?No changes\..*`), "No changes.\n"},
	{regexp.MustCompile(`(?s)\n─+\n.*$`), "\n"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<uuid>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[-+]\d\d:\d\d)`), "<time>"},
	{regexp.MustCompile(`(digest_value|protocol)( *=) "[^"]+"`), `$1$2 "<authority's>"`},
	{regexp.MustCompile(`(?m) +$`), ""},
	// Where a line breaks depends on what stood in the place of <uuid>.
	{regexp.MustCompile(`on main\.tf line \d+, in`), "in"},
	{regexp.MustCompile(`(?m)^ +\d+: resource`), "  resource"},
}

func TestAccPlanTexts_readLikeSentences(t *testing.T) {
	t.Parallel()
	for _, test := range planTexts {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			config := func(body string) string {
				return testkit.Config(s, strings.ReplaceAll(body, "OWNER", s.OwnerCompanyID()))
			}
			w := testkit.NewAttached(t, config(test.given))
			if test.given != "" {
				w.MustApply()
			}
			if test.drift != nil {
				test.drift(s)
			}
			args := []string{"plan", "-input=false"}
			if test.destroy {
				args = append(args, "-destroy")
			} else {
				w.Write(config(test.wanted))
			}
			text := w.MustRun(args...)
			for _, noise := range planNoise {
				text = noise.of.ReplaceAllString(text, noise.is)
			}
			file := filepath.Join("testdata", "plans", strings.ReplaceAll(test.name, " ", "-")+".txt")
			if *writePlans {
				replaceFile(t, file, text)
				return
			}
			want := fileText(t, file)
			if diff := cmp.Diff(want, text); diff != "" {
				t.Errorf("the plan reads otherwise than in %s; if that is meant, write it with -write-plans:\n%s", file, diff)
			}
		})
	}
}
