package engine

import (
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// Services differ in what a second POST under the name of a rejected invoice does. One that keeps it must neither be
// asked for ever, nor issue the payload that was rejected.
func TestIssuing_aServiceThatKeepsARejectedInvoice(t *testing.T) {
	t.Parallel()
	const issuePath = fixture.ServiceInvoices + "/{id}/issue"
	corrected := func(b *bench) { b.Payload = costing90 }
	for name, test := range map[string]struct {
		second        func(*bench)
		status        string
		kind          Kind
		posts, issues int // of the second and the third run
	}{
		"a corrected payload asks for another name": {second: corrected, kind: Unmoved, posts: 2},
		"the same payload is issued by its id":      {status: "authorized", posts: 1, issues: 1},
		"rejected again, it says the new rejection": {second: script(sandbox.Reject("540", "y"), sandbox.Reject("541", "z")), kind: Rejected, posts: 2, issues: 2},
		"an issue that is refused changes nothing":  {second: inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: issuePath, Status: 400, Times: 2}), kind: Unmoved, posts: 2, issues: 2},
		"one whose answer is lost is waited for":    {second: inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: issuePath}), status: "authorized", posts: 1, issues: 1},
		"a former payload is not taken for the one it holds": {second: func(b *bench) {
			former := b.Payload
			corrected(b)
			_, err := b.Create(b.t.Context())
			wantProblem(b.t, err, Unmoved)
			b.Payload = former
		}, kind: Unmoved, posts: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, sandbox.Options{KeepsRejected: true})
			failing(script(sandbox.Reject("539", "x")))(b)
			b.service.ResetRequests()
			if test.second != nil {
				test.second(b)
			}
			for range 2 {
				b.Notes, b.sent = nil, false
				invoice, err := b.Create(t.Context())
				wantOutcome(t, invoice, err, test.status, test.kind)
			}
			wantCount(t, "invoices were sent", b.posts(), test.posts)
			wantCount(t, "invoices were issued by their id", b.service.Count("POST", issuePath), test.issues)
			wantCount(t, "invoices at the service", len(b.service.InvoicesByIntegrationID("order-1")), 1)
		})
	}
}

// The city has refused the first cancellation for good, and says nothing new to the second one.
func TestCancel_aRefusalThatIsNoNewsEndsTheWait(t *testing.T) {
	t.Parallel()
	b := newBench(t, sandbox.Options{})
	succeeding(b)
	failed := map[string]any{"status": "failed", "code": "L999", "message": "Prazo encerrado", "on": "2026-03-10T09:00:00-03:00"}
	b.service.Patch(sandbox.KindServiceInvoices, b.onlyID(), map[string]any{"processingDetail": failed})
	b.service.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "DELETE", Path: fixture.ServiceInvoices + "/{id}", Status: 200, Body: "{}"})
	began := b.Clock.Now()
	_, err := b.Cancel(t.Context(), b.onlyID(), "Pedido em duplicidade", "")
	wantProblem(t, err, CancellationRefused, "L999")
	if !problemsOf(err)[0].Former || b.Clock.Now().Sub(began) > 5*time.Minute {
		t.Errorf("the run ends after %s with %v", b.Clock.Now().Sub(began), err)
	}
}

// Another one runs: the refusal of the second is no refusal of the first.
func TestCancel_oneThatIsRefusedBecauseAnotherRunsIsFollowed(t *testing.T) {
	t.Parallel()
	b := newBench(t, sandbox.Options{})
	succeeding(b)
	at := fixture.ServiceInvoices + "/{id}"
	b.service.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "DELETE", Path: at, Status: 400, Body: `{"message":"Cancelamento em andamento"}`})
	b.service.Before("DELETE", at, func() { b.service.SetInvoiceStatus(b.onlyID(), "canceled") })
	v, err := b.Cancel(t.Context(), b.onlyID(), "Pedido em duplicidade", "")
	wantOutcome(t, v, err, "canceled", "")
	wantCount(t, "cancellations were sent", b.service.Count("DELETE", at), 1)
}
