package inbound_test

import (
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

func TestInboundDataSources(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "inbound_reads.json")
}

func TestInboundInvoicesDataSource_walksTheCursor(t *testing.T) {
	t.Parallel()
	const inboundSource = "einvoice_inbound_invoices"
	s := sandbox.Start(t, sandbox.Options{})
	var want []any
	for i := range 205 { // More than a cursor list gives at once.
		s.SeedInbound(s.OwnerCompanyID(), map[string]any{"nsu": i, "issuedOn": time.Date(2026, 11, 1, 0, i, 0, 0, time.UTC).Format(time.RFC3339)})
		want = append(want, float64(204-i))
	}
	state, failed := testkit.Serve(t, s, nil).ReadData(inboundSource, nil)
	var numbers []any
	invoices, _ := state["invoices"].([]any)
	for _, invoice := range invoices {
		numbers = append(numbers, testkit.At(invoice, "nsu"))
	}
	expect.Same(t, want, numbers, "the invoices, %s", failed)
	s.ResetRequests()
	_, said := testkit.Serve(t, s, nil).Read(inboundSource, map[string]any{"limit": 200})
	expect.True(t, len(said) == 1 && said[0].Summary == "List of inbound invoices cut at the limit", "it says %v", said)
	var cursors []string
	for _, r := range s.Requests() {
		cursors = append(cursors, r.Query.Get("cursor"))
	}
	if len(cursors) != 2 || cursors[0] != "" || cursors[1] == "" {
		t.Errorf("the pages were asked for with the cursors %q", cursors)
	}
	// A cursor that is refused is an error, not the end of the list.
	s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/inbound-product-invoices", Status: 400, Message: "The cursor has expired.", Skip: 1})
	_, failed = testkit.Serve(t, s, nil).ReadData(inboundSource, nil)
	expect.Contains(t, failed, "Cannot read inbound invoices")
	expect.Contains(t, failed, "The cursor has expired")
}
