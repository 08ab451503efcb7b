package engine

import (
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// A plan has said by the status that it knew what a destroy does.
func TestIssuing_cancelDoesWhatWasPlannedOrNothing(t *testing.T) {
	t.Parallel()
	for planned, endings := range rows.Read[map[string]map[string]Kind](t, "issuing_cancel_does_what_was_planned_or_nothing.json") {
		for found, kind := range endings {
			t.Run(planned+" is "+found, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, sandbox.Options{})
				succeeding(b)
				b.service.SetInvoiceStatus(b.onlyID(), found)
				b.service.ResetRequests()
				b.Clock = fixture.Limited(b.Clock, 5*time.Minute)
				invoice, err := b.Cancel(t.Context(), b.onlyID(), "Ordered twice by mistake", planned)
				ended, sent := found, 0
				if found == "authorized" && kind == "" {
					ended, sent = "canceled", 1
				}
				if kind == "" {
					wantOutcome(t, invoice, err, ended, "")
				} else {
					wantProblem(t, err, kind)
				}
				wantCount(t, "writes", fixture.CountWrites(b.service), sent)
			})
		}
	}
}

func TestCancelableUntil(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		model, key, authorized string
		window                 time.Duration
		want                   string
	}{
		{"productInvoice", "", "2026-11-20T12:00:00-03:00", 0, "2026-11-21T12:00:00-03:00"},
		{"productInvoice", "", "2026-11-20T12:00:00-03:00", 20 * 24 * time.Hour, "2026-12-10T12:00:00-03:00"},
		{"serviceInvoice", "", "2026-11-20T12:00:00-03:00", time.Hour, "2026-11-20T13:00:00-03:00"},
		{"consumerInvoice", "", "2026-11-20T12:00:00", 0, "2026-11-20T12:30:00-03:00"},               // Without an offset it is the time of São Paulo,
		{"consumerInvoice", "12", "2026-11-20T12:00:00", 0, "2026-11-20T12:30:00-05:00"},             // or of the state: Acre,
		{"serviceInvoice", "1302603", "2026-11-20T12:00:00", time.Hour, "2026-11-20T13:00:00-04:00"}, // Amazonas.
		{"consumerInvoice", "12", "2026-11-20T12:00:00-03:00", 0, "2026-11-20T12:30:00-03:00"},
		{"productInvoice", "35", "2026-11-20T15:00:00Z", 0, "2026-11-21T15:00:00Z"},
		{"serviceInvoice", "", "2026-11-20T12:00:00-03:00", 0, ""},
		{"productInvoice", "", "", time.Hour, ""},
	} {
		until, ok := CancelableUntil(test.model, test.key, test.authorized, test.window)
		got := ""
		if ok {
			got = until.Format(time.RFC3339)
		}
		expect.Is(t, got, test.want, "%s authorized at %q: until", test.model, test.authorized)
	}
}

func TestIssuing_cancelFollowsTheCancellation(t *testing.T) {
	t.Parallel()
	refused := script(sandbox.CancelRefused("501", "Prazo de cancelamento superior ao previsto"))
	unfound := sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Status: 404}
	unchecked, later, always := unfound, unfound, unfound
	unchecked.Method, later.Skip, always.Skip, always.Times = "POST", 1, 1, -1
	for name, test := range map[string]struct {
		prepare func(b *bench)
		kind    Kind // none for success
		says    []string
		status  string // at the service
		deletes int
		checks  int // with the authority
	}{
		"authorized is canceled": {status: "canceled", deletes: 1},
		"a refusal keeps it": {
			prepare: refused,
			kind:    CancellationRefused, says: []string{"501", "Prazo de cancelamento"}, status: "authorized", deletes: 1,
		},
		"one that is in processing already is followed and not sent again": {prepare: cancelOutside, status: "canceled"},
		"a refusal of what was in processing already keeps it": {
			prepare: inTurn(refused, cancelOutside),
			kind:    CancellationRefused, says: []string{"501"}, status: "authorized",
		},
		"an answer that it is in processing is followed": {
			prepare: func(b *bench) {
				b.service.Before("DELETE", fixture.ServiceInvoices+"/{id}", func() { cancelOutside(b) })
			}, status: "canceled", deletes: 2,
		},
		"one that does not move is asked for at the authority": {
			prepare: script(sandbox.CancelStuck()),
			status:  "canceled", deletes: 1, checks: 1,
		},
		"a service that cannot ask the authority is read": {
			prepare: inTurn(script(sandbox.CancelStuck()), inject(unchecked)), kind: TimedOut,
			says: []string{"SPD002", "Cancelamento em processamento"}, status: "authorized", deletes: 1, checks: 1,
		},
		"one that is not found while it is followed is not yet canceled": {
			prepare: inTurn(refused, inject(later)),
			kind:    CancellationRefused, status: "authorized", deletes: 1,
		},
		"one that stays unfound is not taken for canceled": {
			prepare: inject(always),
			kind:    RequestFailed, says: []string{"follow the cancellation", "HTTP 404"}, status: "canceled", deletes: 1,
		},
		"one that is removed meanwhile is over": {
			prepare: func(b *bench) {
				b.service.ScriptInvoice("order-1", sandbox.CancelStuck())
				id := b.onlyID()
				b.service.Before("DELETE", fixture.ServiceInvoices+"/{id}", func() {
					b.service.Before("GET", fixture.ServiceInvoices+"/{id}", func() { b.service.SetInvoiceStatus(id, "removed") })
				})
			},
			status: "removed", deletes: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, sandbox.Options{})
			succeeding(b)
			if test.prepare != nil {
				test.prepare(b)
			}
			b.service.ResetRequests()
			b.Clock = fixture.Limited(b.Clock, 5*time.Minute)
			invoice, err := b.Cancel(t.Context(), b.onlyID(), "Ordered twice by mistake", "")
			if test.kind == "" {
				wantOutcome(t, invoice, err, test.status, "")
			} else {
				wantProblem(t, err, test.kind, test.says...)
			}
			expect.Is[any](t, b.service.InvoicesByIntegrationID("order-1")[0]["status"], test.status, "status at the service")
			wantCount(t, "cancellations were sent", b.service.Count("DELETE", ""), test.deletes)
			wantCount(t, "checks with the authority", b.service.Count("POST", fixture.ServiceInvoices+"/{id}/check-status"), test.checks)
		})
	}
}

// cancelOutside begins a cancellation that the machine knows nothing of.
func cancelOutside(b *bench) {
	b.t.Helper()
	_, err := b.Client.CancelInvoice(b.t.Context(), einvoice.ModelService, b.onlyID(), "Ordered twice by mistake", nil)
	must(b.t, err)
}
