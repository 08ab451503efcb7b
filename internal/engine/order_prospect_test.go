package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// What a look says is what a creation then does, and the look itself leaves no trace.
func TestLook_saysWhatCreateOfAnOrderThenDoes(t *testing.T) {
	t.Parallel()
	status := func(status string) func(*orderBench) {
		return func(b *orderBench) {
			b.service.Patch(sandbox.KindOrders, b.onlyID(), map[string]any{"status": status})
		}
	}
	invoiceIs := func(status string) func(*orderBench) {
		return func(b *orderBench) {
			b.service.SetInvoiceStatus(fmt.Sprint(b.service.Invoices(einvoice.ModelService)[0]["id"]), status)
		}
	}
	for name, test := range map[string]struct {
		prepare  func(b *orderBench)
		found    bool
		steps    []Step
		inDoubt  bool
		kind     Kind // of the problem of both
		requests int  // of the look
		posts    int  // of the creation; so are the next ones
		statuses int
		issues   int
	}{
		"nothing is there":   {prepare: func(*orderBench) {}, requests: 1, posts: 1},
		"in progress":        {prepare: recorded, requests: 2, found: true, steps: []Step{Awaits}},
		"authorized":         {prepare: inTurn(recorded, invoiceIs("authorized")), requests: 2, found: true, steps: []Step{Awaits}},
		"nothing more to do": {prepare: inTurn(inMode(einvoice.IssueDisabled, ""), recorded), requests: 2, found: true},
		"explicitly": {
			prepare: inTurn(inMode(einvoice.IssueDisabled, ""), recorded, (*orderBench).explicitly), requests: 2, found: true, steps: []Step{IssuesRest, Awaits}, issues: 1,
		},
		"the status issues": {
			prepare: inTurn(inMode(einvoice.IssueAfterPayment, "created"), recorded, inMode(einvoice.IssueAfterPayment, "approved")), requests: 2,
			found: true, steps: []Step{ChangesStatus, LetsIssue, Awaits}, statuses: 1,
		},
		"rejected":                {prepare: inTurn(recorded, invoiceIs("rejected")), requests: 2, found: true, steps: []Step{IssuesRest, Awaits}, issues: 1},
		"refused, another amount": {prepare: inTurn(recorded, func(b *orderBench) { n := einvoice.Number(7); b.Wanted.Amount = &n }), requests: 2, kind: Another},
		"refused, several":        {prepare: soldTwice, requests: 1, kind: Several},
		"refused, canceled":       {prepare: inTurn(recorded, status("canceled")), requests: 2, kind: Ended},
		"refused, a dead invoice": {prepare: inTurn(recorded, invoiceIs("denied")), requests: 3, kind: Ended},
		"not waited for": {
			prepare: inTurn(recorded, invoiceIs("denied"), func(b *orderBench) { b.Waits = false }), requests: 2, found: true,
		},
		"begun and listed nowhere": {prepare: func(b *orderBench) {
			loaded(b.t, &b.Service, b.key()).Keep(b.t.Context(), journal.Record{Phase: journal.Sending})
		}, requests: 1, inDoubt: true, posts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newOrderBench(t, sandbox.Options{AuthorizeAfter: 5 * time.Second})
			test.prepare(b)
			b.service.ResetRequests()
			known := b.known()
			now := b.Clock.Now()
			seen, problem := b.Look(t.Context())
			if n := len(b.service.Requests()); n != test.requests || fixture.CountWrites(b.service) != 0 {
				t.Errorf("the look made %d requests, want %d, none of which changes anything", n, test.requests)
			}
			if after := b.known(); after != known || !b.Clock.Now().Equal(now) {
				t.Errorf("the look left a trace: %v, was %v", after, known)
			}
			if (seen.Found != nil) != test.found || !slices.Equal(seen.Steps, test.steps) || seen.InDoubt != test.inDoubt || kindOf(problem) != test.kind {
				t.Errorf("the look says %+v and %v", seen, problem)
			}
			_, err := b.Create(t.Context())
			if kindOf(err) != test.kind {
				t.Errorf("the creation ends with %v, want %q", err, test.kind)
			}
			if problem != nil && err != nil && saidOf(problem) != saidOf(err) {
				t.Errorf("the look says\n%s\nand the creation\n%s", saidOf(problem), saidOf(err))
			}
			for path, want := range map[string]int{"POST " + fixture.OrdersPath: test.posts, "PUT " + fixture.OrderPath + "/status": test.statuses, "POST " + fixture.OrderIssuePath: test.issues} {
				method, path, _ := strings.Cut(path, " ")
				if got := b.service.Count(method, path); got != want {
					t.Errorf("the creation sent %d %s %s, want %d", got, method, path, want)
				}
			}
		})
	}
}

func (b *orderBench) known() journal.Record { return loaded(b.t, &b.Service, b.key()).Known }
