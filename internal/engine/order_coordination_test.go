package engine

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// Two machines record the same orders at the same moment, on a service that makes
// two of two and lists nothing.
func TestOrdering_twoMachinesWithADatabaseRecordOnce(t *testing.T) {
	t.Parallel()
	const sales = 20
	server := fixture.Postgres(t)
	service := sandbox.Start(t, sandbox.Options{NoMergeByIntegrationID: true, ListLag: time.Hour, Clock: sandbox.NewManualClock(time.Now())})
	var both sync.WaitGroup
	for range 2 {
		database, err := journal.OpenPostgres(server.URL(""))
		if err != nil {
			t.Fatal(err)
		}
		for n := range sales {
			b := newOrderBench(t, sandbox.Options{})
			b.Client, b.Clock, b.Store, b.service = fixture.OwnerClient(t, service), poll.RealTime, database, service
			b.sell(einvoice.ModelService)
			b.Wanted.TransactionID = einvoice.Text(fmt.Sprintf("t-%d", n))
			both.Go(func() {
				wantOrder(t, b.over(b.Create(t.Context())), []string{"authorized"}, nil)
			})
		}
	}
	both.Wait()
	if n := len(service.Objects(sandbox.KindOrders)); n != sales {
		t.Errorf("%d orders of %d sales", n, sales)
	}
	if n := len(service.Invoices(einvoice.ModelService)); n != sales {
		t.Errorf("%d invoices of %d sales", n, sales)
	}
}
