package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// The service allows 60 requests a minute, so what an operation costs in
// requests is what it costs in time. These are the costs that the guide
// promises, counted where they arrive.

// counted runs a command and returns the requests it made, as "GET
// /v1/customers/{id}: 2" and sorted.
func counted(w *acctest.Workspace, s *sandbox.Server, command ...string) string {
	w.T.Helper()
	s.ResetRequests()
	w.MustRun(append(command, "-input=false")...)
	counts := map[string]int{}
	for _, r := range s.Requests() {
		segments := strings.Split(r.Path, "/")
		for i, segment := range segments {
			if strings.Count(segment, "-") == 4 {
				segments[i] = "{id}"
			}
		}
		counts[r.Method+" "+strings.Join(segments, "/")]++
	}
	var lines []string
	for _, request := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprintf("%s: %d", request, counts[request]))
	}
	return strings.Join(lines, ", ")
}

func TestAccRequestCounts_refresh(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		managed, other int
		options        sandbox.Options
		most           int
	}{
		{name: "1,000 customers in an account of 1,000", managed: 1000, most: 24},
		{name: "5 customers in an account of 50,000", managed: 5, other: 49_995, most: 8},
		{name: "100 customers in pages of 20", managed: 100, options: sandbox.Options{MaxPageSize: 20}, most: 10},
		{name: "100 customers that cannot be read by id", managed: 100, options: sandbox.Options{NoReadByID: true}, most: 3},
		{name: "one customer", managed: 1, most: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, tt.options)
			customers := func(n int) string {
				return acctest.Config(s, fmt.Sprintf(`
resource "einvoice_customer" "test" {
  count              = %d
  name               = "Cliente ${count.index}"
  federal_tax_number = "11.222.333/0001-81"
  phone              = "(11) 3333-4444"
  address = {
    street = "Rua A"
    city   = { code = "3550308" }
  }
}`, n))
			}
			w := acctest.NewAttached(t, customers(1))
			w.MustApply()
			multiply(w, s, sandbox.KindCustomers, "name", "Cliente ", tt.managed)
			w.Write(customers(tt.managed))
			for i := range tt.other {
				s.Seed(sandbox.KindCustomers, map[string]any{"name": fmt.Sprintf("Outro %d", i)})
			}
			for _, parallelism := range []string{"10", "30"} {
				began := time.Now()
				said := counted(w, s, "plan", "-detailed-exitcode", "-parallelism="+parallelism)
				// A list serves for a minute: on a busy machine it is read again.
				if n := len(s.Requests()); n > tt.most*(1+int(time.Since(began).Minutes())) {
					t.Errorf("a plan costs %d requests, want at most %d: %s", n, tt.most, said)
				}
			}
		})
	}
}

// An issued invoice changes only its status, which the lists show.
func TestAccRequestCounts_refreshOfInvoices(t *testing.T) {
	t.Parallel()
	invoices := func(n int) string {
		return fmt.Sprintf(`
resource "einvoice_invoice_issuance" "test" {
  count          = %d
  model          = "serviceInvoice"
  integration_id = "sale-${count.index}"
  payload_json   = jsonencode({
    description        = "Consulting"
    federalServiceCode = "17.01"
    total              = { invoiceAmount = 100 }
  })
}`, n)
	}
	orders := func(n int) string {
		return fmt.Sprintf(`
resource "einvoice_order" "test" {
  count          = %d
  transaction_id = "sale-${count.index}"
  amount         = 10
  customer       = { name = "Maria" }
  items          = [{ quantity = 1, price = 10, amount = 10, product = { code = "C1", name = "Camisa", price = 10, invoice_model = "serviceInvoice" } }]
}`, n)
	}
	for _, tt := range []struct {
		name           string
		config         func(int) string
		kind, id       string
		managed, other int
		options        sandbox.Options
		most           int
	}{
		{name: "1,000 invoices in an account of 1,000", managed: 1000, most: 24},
		{name: "5 invoices in an account of 50,000", managed: 5, other: 49_995, most: 8},
		{name: "12 invoices of the last month in an account of 50,000", managed: 12, other: 49_988, most: 20},
		{name: "12 invoices where filters are ignored", managed: 12, other: 2000, options: sandbox.Options{IgnoreFilters: true}, most: 20},
		{name: "one invoice", managed: 1, most: 1},
		{name: "300 orders in an account of 300", config: orders, kind: sandbox.KindOrders, id: "transactionId", managed: 300, most: 8},
		{name: "12 orders in an account of 5,000", config: orders, kind: sandbox.KindOrders, id: "transactionId", managed: 12, other: 4988, most: 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.config == nil {
				tt.config, tt.kind, tt.id = invoices, sandbox.KindServiceInvoices, "integrationId"
			}
			s := sandbox.Start(t, tt.options)
			w := acctest.NewAttached(t, acctest.Config(s, tt.config(1)))
			w.MustApply()
			multiply(w, s, tt.kind, tt.id, "sale-", tt.managed)
			w.Write(acctest.Config(s, tt.config(tt.managed)))
			for i := range tt.other {
				date := time.Now().AddDate(0, 0, -i%1500).Format(time.RFC3339)
				s.Seed(tt.kind, map[string]any{"effectiveDate": date, "date": date})
			}
			for _, parallelism := range []string{"10", "30"} {
				said := counted(w, s, "plan", "-detailed-exitcode", "-parallelism="+parallelism)
				if n := len(s.Requests()); n > tt.most {
					t.Errorf("a plan costs %d requests, want at most %d: %s", n, tt.most, said)
				}
			}
		})
	}
}

// multiply makes n objects of the one that was applied, at the service and in state: a
// CLI takes a while to create a thousand. They differ in one member, a prefix and a
// number. An order has an invoice of its own.
func multiply(w *acctest.Workspace, s *sandbox.Server, kind, member, prefix string, n int) {
	w.T.Helper()
	file := filepath.Join(w.Dir, "terraform.tfstate")
	raw, err := os.ReadFile(file)
	if err != nil {
		w.T.Fatal(err)
	}
	var state map[string]any
	if err := json.Unmarshal(raw, &state); err != nil {
		w.T.Fatal(err)
	}
	resource := state["resources"].([]any)[0].(map[string]any)
	first, err := json.Marshal(resource["instances"].([]any)[0])
	if err != nil {
		w.T.Fatal(err)
	}
	document := s.Objects(kind)[0]
	id := document["id"].(string)
	delete(document, "id")
	instances := []any{json.RawMessage(first)}
	for i := 1; i < n; i++ {
		document[member] = fmt.Sprintf("%s%d", prefix, i)
		seeded := s.Seed(kind, document)
		replaced := []string{`"index_key":0`, fmt.Sprintf(`"index_key":%d`, i), id, seeded, `"` + prefix + `0"`, fmt.Sprintf(`"%s%d"`, prefix, i)}
		if kind == sandbox.KindOrders {
			invoice := s.Objects(sandbox.KindServiceInvoices)[0]
			was := fmt.Sprint(invoice["id"])
			delete(invoice, "id")
			invoice["order"] = map[string]any{"id": seeded}
			replaced = append(replaced, was, s.Seed(sandbox.KindServiceInvoices, invoice))
		}
		other := strings.NewReplacer(replaced...)
		instances = append(instances, json.RawMessage(other.Replace(string(first))))
	}
	resource["instances"] = instances
	if raw, err = json.Marshal(state); err != nil {
		w.T.Fatal(err)
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		w.T.Fatal(err)
	}
}

// A refresh must show what another process wrote a moment ago, although the
// service still lists what was before.
func TestAccRequestCounts_refreshOfAListThatLags(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{ListLag: time.Hour})
	config := func(name string) string {
		return acctest.Config(s, fmt.Sprintf(`
resource "einvoice_product" "test" {
  count = 40
  name  = count.index %% 3 == 0 ? %q : "Pão"
  code  = "P-${count.index}"
  price = 1.5
}`, name))
	}
	w := acctest.NewAttached(t, config("Pão"))
	w.MustApply()
	for _, product := range s.Objects(sandbox.KindProducts) {
		s.Patch(sandbox.KindProducts, product["id"].(string), map[string]any{}) // Listed by now.
	}
	w.Write(config("Bolo"))
	w.MustApply()
	w.MustPlanNothing()
}

// A plan writes nothing, and that of a creation sends nothing at all.
func TestAccRequestCounts_writes(t *testing.T) {
	t.Parallel()
	company := func(name string) string {
		return fmt.Sprintf(`
resource "einvoice_company" "test" {
  name                = %q
  legal_name          = "Padaria Ltda"
  federal_tax_number  = "11222333000181"
  deletion_protection = false
  address             = { city = { code = "3550308" } }
}`, name)
	}
	settings := func(series string) string {
		return company("Padaria") + fmt.Sprintf(`
resource "einvoice_company_settings" "test" {
  company_id      = einvoice_company.test.id
  service_invoice = { series = %q }
}`, series)
	}
	customer, product := "resource \"einvoice_customer\" \"test\" {\n  name = %q\n}", "resource \"einvoice_product\" \"test\" {\n  name = %q\n  code = \"P-1\"\n}"
	webhook := "resource \"einvoice_webhook\" \"test\" {\n  event = \"invoice.authorized\"\n  url = %q\n  enabled = %t\n}"
	type step struct{ config, want string }
	for _, tt := range []struct {
		name  string
		given string // applied before the steps
		steps []step // "" destroys
	}{
		{name: "customer", steps: []step{
			{fmt.Sprintf(customer, "a"), "POST /v1/customers: 1"},
			{fmt.Sprintf(customer, "b"), "GET /v1/customers/{id}: 1, PUT /v1/customers/{id}: 1"},
			{"", "DELETE /v1/customers/{id}: 1"},
		}},
		{name: "product", steps: []step{
			{fmt.Sprintf(product, "a"), "POST /v1/products: 1"},
			{fmt.Sprintf(product, "b"), "GET /v1/products/{id}: 1, PUT /v1/products/{id}: 1"},
			{"", "DELETE /v1/products/{id}: 1"},
		}},
		{name: "webhook", steps: []step{
			{fmt.Sprintf(webhook, "https://a.example", true), "POST /v1/webhooks: 1"},
			{fmt.Sprintf(webhook, "https://b.example", true), "GET /v1/webhooks/{id}: 1, PUT /v1/webhooks/{id}: 1"},
			{fmt.Sprintf(webhook, "https://b.example", false), "PUT /v1/webhooks/{id}/disable: 1"},
			{fmt.Sprintf(webhook, "https://c.example", true), "GET /v1/webhooks/{id}: 1, PUT /v1/webhooks/{id}: 1, PUT /v1/webhooks/{id}/enable: 1"},
			{"", "DELETE /v1/webhooks/{id}: 1"},
		}},
		{name: "webhook that begins disabled", steps: []step{
			{fmt.Sprintf(webhook, "https://a.example", false), "POST /v1/webhooks: 1, PUT /v1/webhooks/{id}/disable: 1"},
		}},
		// The creation is read once more for the mask of the key, which only later
		// answers show, and a deletion asks first whose company it is.
		{name: "company", steps: []step{
			{company("a"), "GET /v1/companies/{id}: 1, POST /v1/companies: 1"},
			{company("b"), "GET /v1/companies/{id}: 1, PUT /v1/companies/{id}: 1"},
			{"", "DELETE /v1/companies/{id}: 1, GET /v1/companies/{id}: 1"},
		}},
		{name: "company settings", given: company("Padaria"), steps: []step{
			{settings("2"), "GET /v1/companies/{id}/settings: 2, PUT /v1/companies/{id}/settings: 1"},
			{settings("3"), "GET /v1/companies/{id}/settings: 2, PUT /v1/companies/{id}/settings: 1"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			w := acctest.NewAttached(t, acctest.Config(s, tt.given))
			w.MustApply()
			for i, step := range tt.steps {
				w.Write(acctest.Config(s, step.config))
				planned := counted(w, s, "plan")
				if n := fixture.CountWrites(s); n > 0 || i == 0 && tt.given == "" && planned != "" {
					t.Errorf("planning step %d sends %s", i+1, planned)
				}
				if got := counted(w, s, "apply", "-auto-approve", "-refresh=false"); got != step.want {
					t.Errorf("step %d costs %s, want %s", i+1, got, step.want)
				}
			}
		})
	}
}

// An invoice costs a look-up, the issuing itself, and at most two polls, when the
// authority has answered within the usual ten seconds; one that is alone also a
// look for a twin, which the shared polls of several show anyway.
func TestAccRequestCounts_issuing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		invoices int
		after    time.Duration
		most     int
	}{
		{"authorized at once", 1, time.Second, 4},
		{"authorized within ten seconds", 1, 9900 * time.Millisecond, 5},
		{"thirty, authorized at once", 30, time.Second, 3 * 30},
		{"thirty, authorized within ten seconds", 30, 9 * time.Second, 3 * 30},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{AuthorizeAfter: tt.after})
			w := acctest.NewAttached(t, acctest.Config(s, fmt.Sprintf(`
resource "einvoice_invoice_issuance" "test" {
  count          = %d
  model          = "serviceInvoice"
  integration_id = "order-${count.index}"
  payload_json   = jsonencode({
    description        = "Consulting"
    federalServiceCode = "17.01"
    total              = { invoiceAmount = 100 }
  })
}`, tt.invoices)))
			said := counted(w, s, "apply", "-auto-approve", "-parallelism=30")
			t.Logf("%d invoices: %s", tt.invoices, said)
			if n := len(s.Requests()); n > tt.most {
				t.Errorf("%d requests, want at most %d: %s", n, tt.most, said)
			}
			if said := counted(w, s, "plan", "-detailed-exitcode"); len(s.Requests()) > tt.invoices {
				t.Errorf("a plan costs %s", said)
			}
		})
	}
}
