package invoice_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// What depends on an invoice is read once it is authorized, and a document is saved
// byte for byte: a file with one byte more is no PDF, and no signed XML.
func TestAccInvoiceDataSources_areReadInTheApplyThatIssues(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{DocumentForm: sandbox.DocumentRaw, Clock: sandbox.NewManualClock(noon)})
	for range 3 {
		s.Seed(sandbox.KindProductInvoices, map[string]any{})
	}
	s.Seed(sandbox.KindDisablements, map[string]any{"initialNumber": 10})
	w := testkit.NewAttached(t, testkit.Config(s, `
resource "einvoice_invoice_issuance" "test" {
  model          = "serviceInvoice"
  integration_id = "order-1"
  payload_json   = jsonencode({ description = "d", federalServiceCode = "17.01", total = { invoiceAmount = 10 } })
}
data "einvoice_invoice" "test" {
  model = "serviceInvoice"
  id    = einvoice_invoice_issuance.test.id
}
data "einvoice_invoice_document" "test" {
  for_each = toset(["pdf", "xml"])
  model    = "serviceInvoice"
  id       = einvoice_invoice_issuance.test.id
  format   = each.key
}
data "einvoice_invoices" "cut" {
  model = "productInvoice"
  limit = 2
}
data "einvoice_invoices" "whole" {
  model = "productInvoice"
  limit = 3
}
data "einvoice_disablements" "test" {}
output "documents" {
  value = join(" ", [for document in data.einvoice_invoice_document.test : document.content_base64])
}
output "status" {
  value = "${data.einvoice_invoice.test.status} ${length(data.einvoice_invoices.whole.invoices)} ${length(data.einvoice_disablements.test.disablements)}"
}`))
	if output := w.MustApply(); strings.Count(output, "Warning: List of invoices cut at the limit") != 1 {
		t.Errorf("the apply does not warn once that one list is cut:\n%s", output)
	}
	w.MustPlanNothing()
	if got := w.MustRun("output", "-raw", "status"); got != "authorized 3 1" {
		t.Errorf("read was %q", got)
	}
	saved := strings.Fields(w.MustRun("output", "-raw", "documents"))
	for i, want := range []string{`(?s)^%PDF-1\.4\n.*%%EOF\n$`, `(?s)^<\?xml.*</\w+>$`} {
		if content, err := base64.StdEncoding.DecodeString(saved[i]); err != nil || !regexp.MustCompile(want).Match(content) {
			t.Errorf("saved %q (%v), want %s", content, err, want)
		}
	}
}

func TestInvoiceDataSource_readsOneInvoice(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 1, IgnoreFilters: true, Clock: sandbox.NewManualClock(noon), ListLag: time.Hour})
	s.Seed(sandbox.KindConsumerInvoices, map[string]any{"integrationId": "order-10", "status": "denied"})
	id := s.Seed(sandbox.KindConsumerInvoices, map[string]any{
		"integrationId": "order-1", "status": "enqueued", "number": 7, "amount": 10.5, "accessKey": "13181017921427000125650010000000309887251170",
		"authorization": map[string]any{"date": "2026-11-10T10:00:00-03:00", "protocol": "135", "digestValue": ""},
	})
	s.Patch(sandbox.KindConsumerInvoices, id, map[string]any{"status": "authorized"}) // Which the list does not show yet.
	for _, status := range []string{"rejected", "authorized", "canceled"} {
		s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "several", "status": status})
	}
	for _, status := range []string{"rejected", "authorized"} {
		s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "again", "status": status})
	}
	s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "rejected", "status": "rejected"})
	whole := map[string]any{
		"id": id, "integration_id": "order-1", "status": "authorized", "number": 7.0, "amount": 10.5,
		"authorization": map[string]any{"date": "2026-11-10T10:00:00-03:00", "protocol": "135", "digest_value": nil},
	}
	with := func(model, name, value string) map[string]any { return map[string]any{"model": model, name: value} }
	testkit.WantDataReads(t, s, "einvoice_invoice", []testkit.DataRead{
		{Name: "by id", Arguments: with("consumerInvoice", "id", id), State: whole},
		{Name: "by name", Arguments: with("consumerInvoice", "integration_id", "order-1"), State: whole},
		{Name: "the one that is not rejected", Arguments: with("serviceInvoice", "integration_id", "again"), State: map[string]any{"status": "authorized"}},
		{Name: "a single rejected one", Arguments: with("serviceInvoice", "integration_id", "rejected"), State: map[string]any{"status": "rejected"}},
		{Name: "no such id", Arguments: with("serviceInvoice", "id", "nobody"), Error: `Invoice not found.*id "nobody"`},
		{Name: "no such name", Arguments: with("serviceInvoice", "integration_id", "nobody"), Error: `Invoice not found.*integration_id "nobody"`},
		{Name: "several", Arguments: with("serviceInvoice", "integration_id", "several"), Error: `More than one invoice has integration_id.*\(canceled\)`},
		{Name: "both", Arguments: map[string]any{"model": "serviceInvoice", "id": "a", "integration_id": "b"}, Error: `(?i)exactly one|only one of`},
		{Name: "neither", Arguments: map[string]any{"model": "serviceInvoice"}, Error: `(?i)exactly one`},
		{Name: "another model", Arguments: with("nfse", "id", "b"), Error: `Invalid model`},
	})
	state, _ := testkit.Serve(t, s, nil).ReadData("einvoice_invoice", with("consumerInvoice", "id", id))
	if raw := fmt.Sprint(state["raw_json"]); !strings.Contains(raw, `"accessKey":"1318`) {
		t.Errorf("raw_json is %s", raw)
	}
	fixture.WantWrites(t, s, 0)
}
