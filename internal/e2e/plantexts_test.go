package e2e_test

import (
	"flag"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

var writePlans = flag.Bool("write-plans", false, "write the plan texts in testdata/plans instead of comparing with them")

const (
	planCompany = `
resource "einvoice_company" "branch" {
  name                = "Padaria Central"
  legal_name          = "Padaria Central Ltda"
  federal_tax_number  = "11.222.333/0001-81"
  deletion_protection = false
  address = {
    street = "Avenida Paulista", number = "1000", district = "Bela Vista", postal_code = "01310-100", city = { code = "3550308" }
  }
}
`
	planSettings = `
resource "einvoice_company_settings" "branch" {
  company_id      = einvoice_company.branch.id
  service_invoice = { environment_type = "simulation", series = "1" }
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
	planOrder = `
resource "einvoice_order" "cake" {
  transaction_id  = "2026-11-000123"
  amount          = 100
  auto_issue_mode = "afterPayment"
  status          = "created"
  customer        = { name = "Maria", federal_tax_number = "529.982.247-25" }
  items = [{
    quantity = 4, price = 25, amount = 100, product = { code = "S1", name = "Consulta", invoice_model = "serviceInvoice" }
  }]
}
`
	planInvoice = `
resource "einvoice_invoice_issuance" "november" {
  model          = "serviceInvoice"
  integration_id = "2026-11-consulting"
  payload_json   = jsonencode({ description = "Consultoria", federalServiceCode = "17.01", total = { invoiceAmount = 1500 } })
}
`
	planOthers = `
resource "einvoice_customer" "spelled" {
  name               = "Maria"
  federal_tax_number = "529.982.247-25"
  phone              = "(11) 3333-5555"
  address            = { postal_code = "01310-200", city = { code = "3550308" } }
}
resource "einvoice_customer" "drifting" {
  name  = "João"
  phone = "(11) 3333-6666"
}
resource "einvoice_company_settings" "main" {
  company_id      = "OWNER"
  product_invoice = { series = "1", next_number = 10, environment_type = "development" }
}
resource "einvoice_webhook" "disabled" {
  event = "invoice.authorized"
  url   = "https://erp.example/hooks"
}
resource "einvoice_webhook" "gone" {
  event = "invoice.rejected"
  url   = "https://erp.example/hooks"
}
resource "einvoice_product" "bread" {
  name          = "Pão francês"
  code          = "P-1"
  price         = 1.5
  invoice_model = "consumerInvoice"
}
resource "einvoice_webhook_secret_rotation" "quarterly" {
  triggers     = { quarter = "2026-Q3" }
  window_hours = 24
}
`
)

const planAll = planCompany + planCustomer + planOrder + planInvoice + planOthers

// planChanges are one change of each object; the first three are other spellings.
var planChanges = strings.NewReplacer(
	"529.982.247-25", "52998224725", "(11) 3333-5555", "1133335555", "01310-200", "01310200",
	`"Padaria Central"`, `"Padaria Nova"`, `{ name = "São Paulo", state = "SP" }`, `{ code = "3304557" }`,
	"next_number = 10", "next_number = 500", `"development"`, `"production"`, "1.5\n", "1.75\n", `"created"`, `"approved"`, "Q3", "Q4",
	"1500 } })", "1500 } })\n  cancellation_reason = \"Issued for the wrong month\"",
)

// planTexts are what the reviewer reads of the changes that people review most. A line that does not belong into a text
// is a defect, whatever the state is afterwards.
var planTexts = []struct {
	name          string
	given, wanted string
	drift         func(s *sandbox.Server) // after what is given was applied
}{
	{name: "create", wanted: planCompany + planSettings + planCustomer + planInvoice},
	{
		name:  "change",
		given: planAll, wanted: planChanges.Replace(planAll),
		drift: func(s *sandbox.Server) {
			for _, customer := range s.Objects(sandbox.KindCustomers) {
				if customer["name"] == "João" {
					s.Patch(sandbox.KindCustomers, customer["id"].(string), map[string]any{"phone": "1100000000"})
				}
			}
			for _, webhook := range s.Objects(sandbox.KindWebhooks) {
				if webhook["event"] == "invoice.rejected" {
					s.Remove(sandbox.KindWebhooks, webhook["id"].(string))
				} else {
					s.Patch(sandbox.KindWebhooks, webhook["id"].(string), map[string]any{"enabled": false})
				}
			}
		},
	},
	{name: "destroy", given: planCompany + planOrder + planInvoice + `
resource "einvoice_company_settings" "branch" {
  company_id = einvoice_company.branch.id
  general    = { decimal_precision = 3 }
}
`},
}

var planNoise = []struct {
	of *regexp.Regexp
	is string
}{
	{regexp.MustCompile(`(?s)^.*?(?:Terraform|OpenTofu) (will perform the following actions|planned the following actions|detected the following changes)`), "The CLI $1"},
	{regexp.MustCompile(`(?s)\n─+\n.*$`), "\n"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+/[0-9a-f]{8}`), "<account>"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<uuid>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[-+]\d\d:\d\d)`), "<time>"},
	{regexp.MustCompile(`(digest_value|protocol)( *=) "[^"]+"`), `$1$2 "<authority's>"`},
	{regexp.MustCompile(`(?m) +$`), ""},
	// Where a line breaks depends on what stood in the place of <uuid>.
	{regexp.MustCompile(`on main\.tf line \d+, in`), "in"},
	{regexp.MustCompile(`(?m)^ +\d+: `), "  "},
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
			if test.wanted == "" {
				args = append(args, "-destroy")
			} else {
				w.Write(config(test.wanted))
			}
			text := w.MustRun(args...)
			for _, noise := range planNoise {
				text = noise.of.ReplaceAllString(text, noise.is)
			}
			file := filepath.Join("testdata", "plans", test.name+".txt")
			if *writePlans {
				replaceFile(t, file, text)
				return
			}
			want := fileText(t, file)
			expect.Same(t, want, text, "the plan reads otherwise than in %s; if that is meant, write it with -write-plans", file)
		})
	}
}
