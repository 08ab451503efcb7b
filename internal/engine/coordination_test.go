package engine

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// Two machines issue the same sales at the same moment, on a service that does not
// merge and lists nothing: with a journal each they would make two invoices of each.
func TestIssuing_twoMachinesWithADatabaseIssueOnce(t *testing.T) {
	t.Parallel()
	const sales = 50
	server := fixture.Postgres(t)
	service := sandbox.Start(t, sandbox.Options{NoMergeByIntegrationID: true, ListLag: time.Hour, Clock: sandbox.NewManualClock(time.Now())})
	var both sync.WaitGroup
	for range 2 {
		database, err := journal.OpenPostgres(server.URL(""))
		if err != nil {
			t.Fatal(err)
		}
		for n := range sales {
			b := benchFor(t, service)
			b.Store, b.IntegrationID = database, fmt.Sprintf("order-%d", n)
			both.Go(func() {
				v, err := b.Create(t.Context())
				wantOutcome(t, v, err, "authorized", "")
			})
		}
	}
	both.Wait()
	for n := range sales {
		if held := service.InvoicesByIntegrationID(fmt.Sprintf("order-%d", n)); len(held) != 1 {
			t.Errorf("%d invoices of order-%d", len(held), n)
		}
	}
	if sent := service.Count("POST", fixture.ServiceInvoices); sent != sales {
		t.Errorf("%d of %d sales were sent", sent, sales)
	}
}
