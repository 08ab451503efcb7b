package engine

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// Two machines issue and order the same sales at the same moment, on a service that does
// not merge and lists nothing: with a journal each they would make two of each.
func TestTwoMachinesWithADatabaseSendOnce(t *testing.T) {
	t.Parallel()
	const invoices, orders = 20, 8
	server := fixture.Postgres(t)
	service := sandbox.Start(t, sandbox.Options{NoMergeByIntegrationID: true, ListLag: time.Hour, Clock: sandbox.NewManualClock(time.Now())})
	var both sync.WaitGroup
	for range 2 {
		database, err := journal.OpenPostgres(server.URL(""))
		must(t, err)
		for n := range invoices {
			b := benchFor(t, service)
			b.Store, b.IntegrationID = database, fmt.Sprintf("order-%d", n)
			both.Go(func() {
				v, err := b.Create(t.Context())
				wantOutcome(t, v, err, "authorized", "")
			})
		}
		for n := range orders {
			b := newOrderBench(t, sandbox.Options{})
			b.Client, b.Clock, b.Store, b.service = fixture.OwnerClient(t, service), poll.RealTime, database, service
			b.Wanted.TransactionID = einvoice.Text(fmt.Sprintf("t-%d", n))
			both.Go(func() {
				wantOrder(t, b.over(b.Create(t.Context())), oneAuthorized, nil)
			})
		}
	}
	both.Wait()
	wantCount(t, "invoices were sent", service.Count("POST", fixture.ServiceInvoices), invoices)
	wantCount(t, "orders were sent", service.Count("POST", fixture.OrdersPath), orders)
	if n := len(service.Invoices(einvoice.ModelService)); n != invoices+orders {
		t.Errorf("the service holds %d invoices, want %d", n, invoices+orders)
	}
}
