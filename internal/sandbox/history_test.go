package sandbox

import (
	"testing"
	"time"
)

// history is that of a document of any kind.
func (c *client) history(id string) []stateChange {
	for _, kind := range kinds {
		if e := c.s.shelf(kind).byID[id]; e != nil {
			return e.history
		}
	}
	c.t.Fatalf("there is no document %s", id)
	return nil
}

func TestHistory_isWhatBecameOfAnInvoice(t *testing.T) {
	t.Parallel()
	const queued = "Nota fiscal na fila de processamento"
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	tests := []struct {
		name string
		live func(c *client, clock *ManualClock) (id string)
		want []stateChange
	}{
		{"authorized", func(c *client, clock *ManualClock) string {
			id := c.issued("/product-invoices", nil)
			clock.Advance(4 * time.Second)
			return id
		}, []stateChange{{at(0), "enqueued", "", queued}, {at(4), "authorized", "100", "Autorizado o uso da NF-e"}}},
		{"rejected, and sent again", func(c *client, clock *ManualClock) string {
			c.s.ScriptInvoice("a", Reject("778", "NCM"))
			id := c.issued("/service-invoices", object{"integrationId": "a"})
			clock.Advance(4 * time.Second)
			c.issued("/service-invoices", object{"integrationId": "a"})
			clock.Advance(4 * time.Second)
			return id
		}, []stateChange{
			{at(0), "enqueued", "", queued}, {at(4), "rejected", "778", "NCM"}, {at(4), "enqueued", "", queued}, {at(8), "authorized", "", "NFS-e autorizada"},
		}},
		{"changed by somebody else", func(c *client, clock *ManualClock) string {
			id := c.s.Seed(KindConsumerInvoices, object{})
			clock.Advance(time.Second)
			c.s.Patch(KindConsumerInvoices, id, object{"amount": 3})
			c.s.Patch(KindConsumerInvoices, id, object{"status": "odd"})
			clock.Advance(time.Second)
			c.s.SetInvoiceStatus(id, "canceled")
			return id
		}, []stateChange{{at(0), "authorized", "", ""}, {at(1), "odd", "", ""}, {at(2), "canceled", "", ""}}},
		{"in its cancellation", func(c *client, clock *ManualClock) string {
			id := c.s.Seed(KindServiceInvoices, object{})
			clock.Advance(time.Second)
			c.must("DELETE", "/service-invoices/"+id, object{"reason": "Emitida em duplicidade"})
			return id
		}, []stateChange{{at(0), "authorized", "", ""}, {at(1), "authorized", "SPD002", "Cancelamento em processamento"}}},
		{"nothing", func(c *client, _ *ManualClock) string {
			return c.s.Seed(KindOrders, object{"status": "created"})
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			clock := NewManualClock(noon)
			c := newIssuer(t, Options{Clock: clock, AuthorizeAfter: 4 * time.Second})
			wantSame(t, tt.want, c.history(tt.live(c, clock)), "history")
		})
	}
}
