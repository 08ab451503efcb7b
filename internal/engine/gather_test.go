package engine

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// The service may write one instant with another offset each time.
func TestIssuing_wordsAreOrderedByTheirInstant(t *testing.T) {
	t.Parallel()
	rejected := func(on string) *einvoice.Invoice {
		return &einvoice.Invoice{ID: "a", Status: "rejected", ProcessingDetail: &einvoice.ProcessingDetail{Code: "539", On: einvoice.Text(on)}}
	}
	before := rejected("2026-01-02T03:04:05Z")
	if !sameJudgment(before, rejected("2026-01-02T00:04:05-03:00")) {
		t.Error("the rejection from before is taken for a new one, because of its spelling")
	}
	if sameJudgment(before, rejected("2026-01-02T01:04:05-03:00")) {
		t.Error("a new rejection is taken for the one from before")
	}
}

func TestIssuing_goesOnWithTheLastRejection(t *testing.T) {
	t.Parallel()
	b := newBench(t, sandbox.Options{})
	seed := func(on string) string {
		return b.service.Seed(sandbox.KindServiceInvoices, map[string]any{
			"integrationId": "order-1", "status": "rejected", "amount": 100, "processingDetail": map[string]any{"status": "success", "code": "539", "on": on},
		})
	}
	last := seed("2026-01-02T01:04:05-03:00")
	seed("2026-01-02T03:04:05Z")
	succeeding(b)
	if sent, ok := b.service.Last("POST", "/v1/service-invoices/{id}/check-status"); !ok || !strings.Contains(sent.Path, last) {
		t.Errorf("the authority was asked about %v, want the one rejected last, %s", sent, last)
	}
}
