package engine

import (
	"context"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// A check-status that is answered with 400 says that the invoice is still queued,
// whatever the service shows of it: what was sent may yet be authorized.
func TestIssuing_sendsNothingWhileARejectedInvoiceIsQueued(t *testing.T) {
	t.Parallel()
	const checkPath = fixture.ServiceInvoices + "/{id}/check-status"
	thrice := inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: checkPath, Status: 400, Times: 3})
	for name, test := range map[string]struct {
		options sandbox.Options
		outcome sandbox.Outcome
		second  func(b *bench)
		within  time.Duration
		status  string
		kind    Kind
		posts   int
	}{
		"queued for some time, then authorized": {
			outcome: sandbox.Reject("539", "x").Reconciled(sandbox.Authorize()),
			second:  thrice, status: "authorized", posts: 1,
		},
		"queued for some time, then rejected": {
			outcome: sandbox.Reject("539", "x"), second: thrice, status: "authorized", posts: 2,
		},
		"queued for ever": {
			options: sandbox.Options{CheckStatusQueued: true}, outcome: sandbox.Reject("539", "x"),
			second: func(b *bench) { b.Clock, b.Payload = fixture.Limited(b.Clock, time.Hour), costing90 },
			within: 150 * time.Second, kind: TimedOut, posts: 1,
		},
		"a service without check-status": {
			options: sandbox.Options{Without: []string{"POST /v1/service-invoices/{id}/check-status"}}, outcome: sandbox.Reject("539", "x"),
			status: "authorized", posts: 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, test.options)
			failing(script(test.outcome))(b)
			if test.second != nil {
				test.second(b)
			}
			b.Notes, b.sent = nil, false
			begun, told := b.Clock.Now(), 0
			b.Watch = func(e Event) {
				if e.Kind == Queued {
					told++
				}
			}
			v, err := b.Create(t.Context())
			wantOutcome(t, v, err, test.status, test.kind)
			if took := b.Clock.Now().Sub(begun); test.within > 0 && took > test.within {
				t.Errorf("it waited for %s, want at most %s", took, test.within)
			}
			if isQueued := test.second != nil; isQueued != (told == 1) {
				t.Errorf("the wait was told %d times", told)
			}
			if p := problemsOf(err); p != nil && !p[0].Queued {
				t.Errorf("%+v does not say that it is queued", p[0])
			}
			wantCount(t, "invoices were sent", b.posts(), test.posts)
		})
	}
}

// overdue is a context that ends by its timeout when it is canceled.
type overdue struct{ context.Context }

func (o overdue) Err() error {
	if o.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}
