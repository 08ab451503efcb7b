package issuing

import (
	"fmt"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestIssuing_cancelFollowsTheCancellation(t *testing.T) {
	t.Parallel()
	unfound := sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Status: 404}
	for name, test := range map[string]struct {
		prepare func(t *testing.T, b *bench)
		texts   []string // none for success
		missing bool     // the refresh did not find it either
		status  string   // at the service
		deletes int
		checks  int // with the authority
	}{
		"authorized is canceled":   {status: "canceled", deletes: 1},
		"already canceled is done": {prepare: func(_ *testing.T, b *bench) { b.service.SetInvoiceStatus(b.onlyID(), "canceled") }, status: "canceled"},
		"a refusal keeps it": {
			prepare: func(_ *testing.T, b *bench) {
				b.service.ScriptInvoice("order-1", sandbox.CancelRefused("501", "Prazo de cancelamento superior ao previsto"))
			},
			texts: []string{"Cancellation refused", "501", "Prazo de cancelamento"}, status: "authorized", deletes: 1,
		},
		"a lost answer is followed": {
			prepare: func(_ *testing.T, b *bench) {
				b.service.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "DELETE"})
			}, status: "canceled", deletes: 1,
		},
		"one that is in processing already is followed and not sent again": {
			prepare: func(t *testing.T, b *bench) {
				t.Helper()
				cancelOutside(t, b.service)
			}, status: "canceled",
		},
		"a refusal of what was in processing already keeps it": {
			prepare: func(t *testing.T, b *bench) {
				t.Helper()
				b.service.ScriptInvoice("order-1", sandbox.CancelRefused("501", "Prazo de cancelamento superior ao previsto"))
				cancelOutside(t, b.service)
			},
			texts: []string{"Cancellation refused", "501"}, status: "authorized",
		},
		"an answer that it is in processing is followed": {
			prepare: func(t *testing.T, b *bench) {
				t.Helper()
				b.service.Before("DELETE", fixture.ServiceInvoices+"/{id}", func() { cancelOutside(t, b.service) })
			}, status: "canceled", deletes: 2,
		},
		"one that does not move is asked for at the authority": {
			prepare: func(_ *testing.T, b *bench) { b.service.ScriptInvoice("order-1", sandbox.CancelStuck()) },
			status:  "canceled", deletes: 1, checks: 1,
		},
		"a service that cannot ask the authority is read": {
			prepare: func(_ *testing.T, b *bench) {
				b.service.ScriptInvoice("order-1", sandbox.CancelStuck())
				b.service.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Status: 404})
			},
			texts: []string{"Cancellation still in progress", "SPD002", "Cancelamento em processamento", "Run destroy again"}, status: "authorized", deletes: 1, checks: 1,
		},
		"the service's own no keeps it": {
			prepare: func(_ *testing.T, b *bench) {
				b.service.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "DELETE", Status: 400, Message: "SPD005: not in this city."})
			},
			texts: []string{"Cannot cancel invoice: NFS-e 1 (order-1)", "API message: SPD005: not in this city.", "in state", "remove `cancellation_reason`"}, status: "authorized", deletes: 1,
		},
		"what is not processed yet is told": {
			prepare: func(_ *testing.T, b *bench) {
				b.service.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "DELETE", Status: 400, Message: "SPD006: not processed yet."})
			},
			texts: []string{"SPD006", "Run destroy again when it is settled"}, status: "authorized", deletes: 1,
		},
		"a success of false is no cancellation": {
			prepare: func(_ *testing.T, b *bench) {
				b.service.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "DELETE", Status: 200, Body: `{"success":false}`})
			},
			texts: []string{"Cannot cancel invoice"}, status: "authorized", deletes: 1,
		},
		"one that only this read does not find is not forgotten": {
			prepare: func(_ *testing.T, b *bench) { b.service.Inject(unfound) }, texts: []string{"Cannot cancel invoice", "HTTP 404"}, status: "authorized",
		},
		"one that the refresh did not find either is forgotten": {
			prepare: func(_ *testing.T, b *bench) { b.service.Inject(unfound) }, missing: true, status: "authorized",
		},
		"one that is not found while it is followed is not yet canceled": {
			prepare: func(_ *testing.T, b *bench) {
				b.service.ScriptInvoice("order-1", sandbox.CancelRefused("501", "Prazo de cancelamento superior ao previsto"))
				later := unfound
				later.Skip = 1
				b.service.Inject(later)
			},
			texts: []string{"Cancellation refused"}, status: "authorized", deletes: 1,
		},
		"one that stays unfound is not taken for canceled": {
			prepare: func(_ *testing.T, b *bench) {
				later := unfound
				later.Skip, later.Times = 1, -1
				b.service.Inject(later)
			},
			texts: []string{"Cannot follow the cancellation", "HTTP 404"}, status: "canceled", deletes: 1,
		},
		"one that is removed meanwhile is over":  {prepare: becoming("removed"), status: "removed", deletes: 1},
		"one that is denied meanwhile is over":   {prepare: becoming("denied"), status: "denied", deletes: 1},
		"one that is disabled meanwhile is over": {prepare: becoming("disabled"), status: "disabled", deletes: 1},
		"in contingency it is refused": {
			prepare: func(_ *testing.T, b *bench) { b.service.SetInvoiceStatus(b.onlyID(), "inContingent") }, texts: []string{"in contingency", "definitive authorization"}, status: "inContingent",
		},
		"in progress it is refused": {
			prepare: func(_ *testing.T, b *bench) { b.service.SetInvoiceStatus(b.onlyID(), "enqueued") }, texts: []string{"Cannot cancel", "yet"}, status: "enqueued",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, sandbox.Options{})
			succeeding(t, b)
			if test.prepare != nil {
				test.prepare(t, b)
			}
			b.service.ResetRequests()
			diags := b.Cancel(b.limited(t, 5*time.Minute), b.onlyID(), "Ordered twice by mistake", test.missing)
			fixture.WantTexts(t, diags, test.texts...)
			if diags.HasError() != (len(test.texts) > 0) {
				t.Errorf("diagnostics %v", diags)
			}
			if got := b.service.InvoicesByIntegrationID("order-1")[0]["status"]; got != test.status {
				t.Errorf("status at the service %v, want %s", got, test.status)
			}
			if got := b.service.Count("DELETE", ""); got != test.deletes {
				t.Errorf("%d cancellations were sent, want %d", got, test.deletes)
			}
			if got := b.service.Count("POST", fixture.ServiceInvoices+"/{id}/check-status"); got != test.checks {
				t.Errorf("the authority was asked %d times, want %d", got, test.checks)
			}
		})
	}
}

// becoming gives the invoice another status while its cancellation is followed.
func becoming(status string) func(*testing.T, *bench) {
	return func(_ *testing.T, b *bench) {
		b.service.ScriptInvoice("order-1", sandbox.CancelStuck())
		id := b.onlyID()
		b.service.Before("DELETE", fixture.ServiceInvoices+"/{id}", func() {
			b.service.Before("GET", fixture.ServiceInvoices+"/{id}", func() { b.service.SetInvoiceStatus(id, status) })
		})
	}
}

// cancelOutside begins a cancellation that the machine knows nothing of.
func cancelOutside(t *testing.T, s *sandbox.Server) {
	t.Helper()
	id := fmt.Sprint(s.InvoicesByIntegrationID("order-1")[0]["id"])
	if _, err := fixture.OwnerClient(t, s).CancelInvoice(t.Context(), einvoice.ModelService, id, "Ordered twice by mistake"); err != nil {
		t.Fatal(err)
	}
}

func TestCanceling_anotherSpellingOfTheTimeIsNoRefusal(t *testing.T) {
	t.Parallel()
	judged := func(on string) *einvoice.Invoice {
		return &einvoice.Invoice{Status: "authorized", ProcessingDetail: &einvoice.ProcessingDetail{Status: "success", Code: "100", On: einvoice.Text(on)}}
	}
	c := &canceling{before: judged("2026-01-02T03:04:05Z"), current: judged("2026-01-02T00:04:05-03:00")}
	if c.refused() {
		t.Error("the authorization is taken for a refusal")
	}
	c.current = judged("2026-01-02T03:04:06Z")
	if !c.refused() {
		t.Error("a new word is not seen")
	}
}
