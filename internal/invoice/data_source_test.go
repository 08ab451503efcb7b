package invoice_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func invoiceConfig(s *sandbox.Server, arguments string) string {
	return acctest.Config(s, "data \"einvoice_invoice\" \"test\" {\n"+arguments+"\n}")
}

func expectInvoice(name string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("data.einvoice_invoice.test", tfjsonpath.New(name), value)
}

func TestAccInvoiceDataSource_readsByIDOrIntegrationID(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 1, IgnoreFilters: true})
	s.Seed("consumerInvoices", map[string]any{"integrationId": "order-10", "status": "denied"})
	id := s.Seed("consumerInvoices", map[string]any{
		"integrationId": "order-1", "status": "authorized", "number": 7, "amount": 10.5, "accessKey": "13181017921427000125650010000000309887251170",
		"authorization": map[string]any{"date": "2026-11-10T10:00:00-03:00", "protocol": "135", "digestValue": ""},
	})
	checks := []statecheck.StateCheck{
		expectInvoice("id", knownvalue.StringExact(id)),
		expectInvoice("integration_id", knownvalue.StringExact("order-1")),
		expectInvoice("number", knownvalue.Int64Exact(7)),
		expectInvoice("amount", knownvalue.Float64Exact(10.5)),
		expectInvoice("authorization", knownvalue.ObjectExact(map[string]knownvalue.Check{
			"date": knownvalue.StringExact("2026-11-10T10:00:00-03:00"), "protocol": knownvalue.StringExact("135"), "digest_value": knownvalue.Null(),
		})),
		expectInvoice("raw_json", knownvalue.StringRegexp(regexp.MustCompile(`^\{.*"accessKey":"1318`))),
	}
	acctest.Run(t, []resource.TestStep{
		{Config: invoiceConfig(s, fmt.Sprintf("model = \"consumerInvoice\"\nid = %q", id)), ConfigStateChecks: checks},
		{Config: invoiceConfig(s, "model = \"consumerInvoice\"\nintegration_id = \"order-1\""), ConfigStateChecks: checks},
	})
}

func TestAccInvoiceDataSource_readsTheCurrentStatusWhereTheListLags(t *testing.T) {
	clock := sandbox.NewManualClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	s := sandbox.Start(t, sandbox.Options{Clock: clock, ListLag: time.Hour})
	id := s.Seed("serviceInvoices", map[string]any{"integrationId": "order-1", "status": "enqueued"})
	s.Patch("serviceInvoices", id, map[string]any{"status": "authorized"})
	acctest.Run(t, []resource.TestStep{{
		Config:            invoiceConfig(s, "model = \"serviceInvoice\"\nintegration_id = \"order-1\""),
		ConfigStateChecks: []statecheck.StateCheck{expectInvoice("status", knownvalue.StringExact("authorized"))},
	}})
}

func TestAccInvoiceDataSource_refusesWhatIsNotOneInvoice(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	for _, status := range []string{"rejected", "authorized", "canceled"} {
		s.Seed("serviceInvoices", map[string]any{"integrationId": "several", "status": status})
	}
	for _, status := range []string{"rejected", "authorized"} {
		s.Seed("serviceInvoices", map[string]any{"integrationId": "again", "status": status})
	}
	fails := func(arguments, want string) resource.TestStep {
		return resource.TestStep{Config: invoiceConfig(s, arguments), PlanOnly: true, ExpectError: regexp.MustCompile(want)}
	}
	acctest.Run(t, []resource.TestStep{
		fails("model = \"serviceInvoice\"\nid = \"nobody\"", `Invoice not found(.|\n)*id\s+"nobody"`),
		fails("model = \"serviceInvoice\"\nintegration_id = \"nobody\"", `Invoice not found(.|\n)*integration_id\s+"nobody"`),
		fails("model = \"serviceInvoice\"\nintegration_id = \"several\"", `Invoice is not the only one(.|\n)*\(canceled\)`),
		fails("model = \"serviceInvoice\"\nintegration_id = \"a\"\nid = \"b\"", `(?i)exactly one|only one of`),
		fails("model = \"serviceInvoice\"", `(?i)exactly one`),
		fails("model = \"nfse\"\nid = \"b\"", `Invalid model`),
		{
			Config:            invoiceConfig(s, "model = \"serviceInvoice\"\nintegration_id = \"again\""),
			ConfigStateChecks: []statecheck.StateCheck{expectInvoice("status", knownvalue.StringExact("authorized"))},
		},
	})
}
