package invoice_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

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
