package e2e_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// The service allows 60 requests a minute, so what an operation costs in
// requests is what it costs in time. These are the costs that the guide
// promises, counted where they arrive.

// costs are the requests that the service got, as "GET /v1/customers/{id}: 2" and
// sorted.
func costs(s *sandbox.Server) string {
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

func paged(size int) sandbox.Options { return sandbox.Options{MaxPageSize: size} }

// A refresh reads lists where that costs less than reading each object by itself. An
// issued invoice changes only its status, which the lists show.
func TestRequestCounts_refresh(t *testing.T) {
	t.Parallel()
	const (
		customer = `
			name               = "Cliente %d"
			federal_tax_number = "11.222.333/0001-81"
			phone              = "(11) 3333-4444"
			address            = { street = "Rua A", city = { code = "3550308" } }`
		invoice = `
			model          = "serviceInvoice"
			integration_id = "sale-%d"
			payload_json   = jsonencode({ description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 100 } })`
		order = `
			transaction_id = "sale-%d"
			amount         = 10
			customer       = { name = "Maria" }
			items          = [{ quantity = 1, price = 10, amount = 10, product = { code = "C1", name = "Camisa", price = 10, invoice_model = "serviceInvoice" } }]`
	)
	kinds := map[string]string{customer: "einvoice_customer", invoice: "einvoice_invoice_issuance", order: "einvoice_order"}
	for _, tt := range []struct {
		name        string
		object      string
		managed     int
		options     sandbox.Options
		parallelism int // 10 where it is 0
		most        int
	}{
		{name: "100 customers, thirty at once", object: customer, managed: 100, parallelism: 30, most: 8},
		{name: "20 customers in pages of 4", object: customer, managed: 20, options: paged(4), most: 10},
		{name: "20 customers not read by id", object: customer, managed: 20, options: sandbox.Options{NoReadByID: true}, most: 3},
		{name: "one customer", object: customer, managed: 1, most: 1},
		{name: "40 invoices in two pages", object: invoice, managed: 40, options: paged(20), most: 8},
		{name: "one invoice", object: invoice, managed: 1, most: 2}, // It is looked for beside one that was issued today.
		{name: "40 orders in two pages", object: order, managed: 40, options: paged(20), most: 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			testkit.OnClock(t, tt.options, func(t *testing.T, s *testkit.Clocked) {
				apply, objects := s.Process(nil), make([]*testkit.Object, tt.managed)
				eachOf(objects, 30, func(i int) {
					objects[i] = apply.Object(kinds[tt.object])
					_, said := objects[i].Create(apply.Arguments(fmt.Sprintf(tt.object, i)))
					if failed := testkit.ErrorsIn(said); failed != "" {
						t.Error(failed)
					}
				})
				s.ResetRequests()
				plan := s.Process(nil)
				eachOf(objects, cmp.Or(tt.parallelism, 10), func(i int) {
					objects[i].Protocol = plan
					objects[i].Run(testkit.Step{Arguments: fmt.Sprintf(tt.object, i), PlanOnly: true, Plans: plancheck.ResourceActionNoop})
				})
				if n := len(s.Requests()); n == 0 || n > tt.most {
					t.Errorf("a plan costs %d requests, want at most %d: %s", n, tt.most, costs(s.Server))
				}
			})
		})
	}
}

// eachOf does something with each object, so many at once.
func eachOf(objects []*testkit.Object, parallelism int, do func(i int)) {
	turns := make(chan struct{}, parallelism)
	var running sync.WaitGroup
	for i := range objects {
		turns <- struct{}{}
		running.Go(func() {
			do(i)
			<-turns
		})
	}
	running.Wait()
}

// A plan writes nothing, and that of a creation sends nothing at all.
func TestRequestCounts_writes(t *testing.T) {
	t.Parallel()
	const (
		customer = "name = %q"
		product  = "name = %q\ncode = \"P-1\""
		webhook  = "event = \"invoice.authorized\"\nurl = %q\nenabled = %t"
		settings = "company_id = \"OWNER\"\nservice_invoice = { series = %q }"
		company  = `
			name                = %q
			legal_name          = "Padaria Ltda"
			federal_tax_number  = "11222333000181"
			deletion_protection = false
			address             = { city = { code = "3550308" } }`
	)
	type step struct{ arguments, want string } // no arguments: it is destroyed
	for _, tt := range []struct {
		name, kind string
		steps      []step
	}{
		{"customer", "einvoice_customer", []step{
			{fmt.Sprintf(customer, "a"), "POST /v1/customers: 1"},
			{fmt.Sprintf(customer, "b"), "GET /v1/customers/{id}: 1, PUT /v1/customers/{id}: 1"},
			{"", "DELETE /v1/customers/{id}: 1"},
		}},
		{"product", "einvoice_product", []step{
			{fmt.Sprintf(product, "a"), "POST /v1/products: 1"},
			{fmt.Sprintf(product, "b"), "GET /v1/products/{id}: 1, PUT /v1/products/{id}: 1"},
			{"", "DELETE /v1/products/{id}: 1"},
		}},
		{"webhook", "einvoice_webhook", []step{
			{fmt.Sprintf(webhook, "https://a.example", true), "POST /v1/webhooks: 1"},
			{fmt.Sprintf(webhook, "https://b.example", true), "GET /v1/webhooks/{id}: 1, PUT /v1/webhooks/{id}: 1"},
			{fmt.Sprintf(webhook, "https://b.example", false), "PUT /v1/webhooks/{id}/disable: 1"},
			{fmt.Sprintf(webhook, "https://c.example", true), "GET /v1/webhooks/{id}: 1, PUT /v1/webhooks/{id}: 1, PUT /v1/webhooks/{id}/enable: 1"},
			{"", "DELETE /v1/webhooks/{id}: 1"},
		}},
		{"webhook that begins disabled", "einvoice_webhook", []step{
			{fmt.Sprintf(webhook, "https://a.example", false), "POST /v1/webhooks: 1, PUT /v1/webhooks/{id}/disable: 1"},
		}},
		// A company is looked up before its creation, and read afterwards for the mask of the key, which only later
		// answers show. A deletion asks first whose company it is.
		{"company", "einvoice_company", []step{
			{fmt.Sprintf(company, "a"), "GET /v1/companies: 1, GET /v1/companies/{id}: 1, POST /v1/companies: 1"},
			{fmt.Sprintf(company, "b"), "GET /v1/companies/{id}: 1, PUT /v1/companies/{id}: 1"},
			{"", "DELETE /v1/companies/{id}: 1, GET /v1/companies/{id}: 1"},
		}},
		{"company settings", "einvoice_company_settings", []step{
			{fmt.Sprintf(settings, "2"), "GET /v1/companies/{id}/settings: 2, PUT /v1/companies/{id}/settings: 1"},
			{fmt.Sprintf(settings, "3"), "GET /v1/companies/{id}/settings: 2, PUT /v1/companies/{id}/settings: 1"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			o := testkit.Serve(t, s, nil).Object(tt.kind)
			for i, step := range tt.steps {
				o.Protocol = testkit.Serve(t, s, nil)
				config := tftypes.NewValue(o.Type, nil)
				if step.arguments != "" {
					config = o.Value(o.Type, o.Arguments(strings.ReplaceAll(step.arguments, "OWNER", s.OwnerCompanyID())))
				}
				s.ResetRequests()
				o.MustNotFail(o.Refresh())
				planned := o.MustPlan(config)
				if n := fixture.CountWrites(s); n > 0 || i == 0 && len(s.Requests()) > 0 {
					t.Errorf("planning step %d sends %s", i+1, costs(s))
				}
				s.ResetRequests()
				o.Protocol = testkit.Serve(t, s, nil) // A CLI applies with another process.
				o.MustNotFail(o.Apply(config, planned))
				expect.Is(t, costs(s), step.want, "step %d costs", i+1)
			}
		})
	}
}

// An invoice costs a look-up, the issuing itself, and at most two polls, when the
// authority has answered within the usual ten seconds; one that is alone also a
// look for a twin, which the shared polls of several show anyway.
func TestRequestCounts_issuing(t *testing.T) {
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
		{"thirty, authorized within ten seconds", 30, 9900 * time.Millisecond, 3 * 30},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			testkit.OnClock(t, sandbox.Options{AuthorizeAfter: tt.after}, func(t *testing.T, s *testkit.Clocked) {
				objects := make([]*testkit.Object, tt.invoices)
				p := s.Process(nil)
				eachOf(objects, 30, func(i int) {
					objects[i] = p.Object("einvoice_invoice_issuance")
					_, said := objects[i].Create(serviceInvoice(fmt.Sprint("order-", i)))
					if failed := testkit.ErrorsIn(said); failed != "" {
						t.Error(failed)
					}
				})
				if n := len(s.Requests()); n > tt.most {
					t.Errorf("%d requests, want at most %d: %s", n, tt.most, costs(s.Server))
				}
			})
		})
	}
}
