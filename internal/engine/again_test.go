package engine

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// A creation that failed on its way is sent again in the same run, when it has
// shown nowhere for as long as it might take.
func TestIssuing_sendsAgainWhatShowsNowhere(t *testing.T) {
	t.Parallel()
	failing := func(status, times int, wait string) func(*bench) {
		return onPost(sandbox.Fault{Kind: sandbox.FaultStatus, Status: status, Times: times, Header: http.Header{"Retry-After": {wait}}})
	}
	for name, test := range map[string]struct {
		options sandbox.Options
		prepare func(b *bench)
		lost    bool
		posts   int
	}{
		"cut on the way there, twice":        {prepare: onPost(sandbox.Fault{Kind: sandbox.FaultDropBefore, Times: 2}), posts: 3},
		"503, as often as there are retries": {prepare: failing(503, 2, "60"), posts: 3},
		"503, more often":                    {prepare: failing(503, 3, "1"), lost: true, posts: 3},
		"cut on the way there, then on the way back, and listed late": {
			options: sandbox.Options{NoMergeByIntegrationID: true, ListLag: 55 * time.Second},
			prepare: inTurn(
				onPost(sandbox.Fault{Kind: sandbox.FaultDropBefore}), onPost(sandbox.Fault{Kind: sandbox.FaultDropAfter}),
			), posts: 2,
		},
		"503, then refused: the first one stays in doubt": {
			prepare: inTurn(failing(503, 1, "1"), failing(400, 1, "")), lost: true, posts: 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, test.options)
			b.Client = retrying(t, b.service)
			test.prepare(b)
			_, err := b.Create(t.Context())
			p := (*Problem)(nil)
			if isProblem := errors.As(err, &p); isProblem != test.lost || isProblem && p.Kind == AnswerLost && p.Repetitions != test.posts-1 {
				t.Errorf("it ends with %v, %+v", err, p)
			}
			wantCount(t, "invoices were sent", b.posts(), test.posts)
			if doubt := b.known().Phase == journal.Sending; doubt != test.lost {
				t.Errorf("the journal's doubt is %t, want %t", doubt, test.lost)
			}
			held := map[bool]int{false: 1}[test.lost]
			wantCount(t, "invoices at the service", len(b.service.InvoicesByIntegrationID("order-1")), held)
			wantNotes(t, b.Issuing)
		})
	}
}

// retrying is a client that repeats a request twice.
func retrying(t *testing.T, service *sandbox.Server) *einvoice.Client {
	t.Helper()
	client, err := einvoice.New(einvoice.Config{BaseURL: service.BaseURL(), APIKey: service.OwnerKey(), MaxRetries: 2})
	must(t, err)
	return client
}

// mixedUp has the service answer the POST with another sale's invoice, without its name.
// The first reads of it fail.
func mixedUp(failures int) func(*bench) {
	return func(b *bench) {
		id := b.service.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "order-2", "status": "authorized", "amount": 100})
		onPost(sandbox.Fault{Kind: sandbox.FaultBody, Body: fmt.Sprintf(`{"id":%q,"status":"enqueued"}`, id)})(b)
		if failures > 0 {
			inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: fixture.ServiceInvoices + "/{id}", Status: 404, Times: failures})(b)
		}
	}
}

// A service that gives each invoice another name is sent the sale once, however often it is applied.
func TestIssuing_sendsNothingBesideWhatHasAnotherName(t *testing.T) {
	t.Parallel()
	b := newBench(t, sandbox.Options{})
	id := b.service.Seed(sandbox.KindServiceInvoices, map[string]any{
		"integrationId": "ERP-order-1", "status": "authorized", "amount": 100,
	})
	onPost(sandbox.Fault{
		Kind: sandbox.FaultStatus, Status: http.StatusOK,
		Body: fmt.Sprintf(`{"id":%q,"integrationId":"ERP-order-1","status":"authorized"}`, id),
	})(b)
	for range 3 {
		_, err := b.Create(t.Context())
		must(t, b.Clock.Pause(t.Context(), b.Patience))
		p := (*Problem)(nil)
		if !errors.As(err, &p) || p.Kind != Misnamed || p.Record == "" || p.Name != "ERP-order-1" {
			t.Errorf("it ends with %v, %+v, want one that names the other invoice", err, p)
		}
	}
	wantCount(t, "invoices were sent", b.posts(), 1)
}
