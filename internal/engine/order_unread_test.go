package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// A service that has only what the interface shows or names neither reads nor lists an
// order, and lists no consumer invoices.
func TestOrdering_withoutReadsTheJournalDecides(t *testing.T) {
	t.Parallel()
	lost := sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: fixture.OrdersPath}
	lostBefore := sandbox.Fault{Kind: sandbox.FaultDropBefore, Method: "POST", Path: fixture.OrdersPath}
	unnamed := sandbox.Fault{
		Kind: sandbox.FaultBody, Method: "POST", Path: fixture.OrdersPath,
		Body: `{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","model":"serviceInvoice","status":"enqueued"}`,
	}
	lostIssue := sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: fixture.OrderIssuePath}
	const service, consumer = einvoice.ModelService, einvoice.ModelConsumer
	for name, test := range map[string]struct {
		options sandbox.Options
		model   string
		prepare func(b *orderBench) // what has happened before the run
		want    []string
		says    []string
		posts   int
		issues  int
	}{
		"an NFS-e":                             {model: service, want: oneAuthorized, posts: 1},
		"an NFS-e that the answer hides":       {options: sandbox.Options{OrdersWithoutInvoices: true}, model: service, want: oneAuthorized, posts: 1},
		"an NFC-e":                             {model: consumer, want: oneAuthorized, posts: 1},
		"an NFC-e that the answer hides":       {options: sandbox.Options{OrdersWithoutInvoices: true}, model: consumer, want: []string{}, posts: 1},
		"settled before":                       {model: service, prepare: (*orderBench).lasting, want: oneAuthorized, posts: 1},
		"an answer lost":                       {model: service, prepare: faulty(lost), want: oneAuthorized, posts: 1},
		"an answer lost, of an NFC-e":          {model: consumer, prepare: faulty(lost), says: []string{string(Unlisted)}, posts: 1},
		"an answer lost, and a list that lags": {options: sandbox.Options{ListLag: 8 * time.Second}, model: service, prepare: faulty(lost), want: oneAuthorized, posts: 1},
		"a request lost":                       {model: service, prepare: faulty(lostBefore), says: []string{string(Unlisted)}, posts: 1},
		"a request lost by an earlier run":     {model: service, prepare: inTurn(faulty(lostBefore), failedWith()), says: []string{string(Unlisted)}, posts: 1},
		"an answer lost by an earlier run": {
			model: service, prepare: interruptedIn(fixture.OrdersPath, sandbox.FaultDropAfter), want: oneAuthorized, posts: 1,
		},
		"an answer lost, and another sale has the name": {
			model: service, prepare: inTurn(faulty(lost), func(b *orderBench) {
				b.service.Before("GET", fixture.ServiceInvoices, func() {
					for _, v := range b.service.Invoices(service) {
						b.service.Patch(sandbox.KindServiceInvoices, fmt.Sprint(v["id"]), map[string]any{"receiver": map[string]any{"federalTaxNumber": "11144477735"}})
					}
				})
			}), says: []string{string(Another)}, posts: 1,
		},
		"answered with its invoice": {options: sandbox.Options{OrdersAnswerInvoice: true}, model: service, want: oneAuthorized, posts: 1},
		"answered with its NFC-e":   {options: sandbox.Options{OrdersAnswerInvoice: true}, model: consumer, want: oneAuthorized, posts: 1},
		"answered with an NFC-e that does not name it": {
			model: consumer, prepare: faulty(unnamed), says: []string{string(Unlisted), "does not name its order"}, posts: 1,
		},
		"answered with an NFS-e that does not name it": {model: service, prepare: faulty(unnamed), want: oneAuthorized, posts: 1},
		"issued explicitly":                            {model: service, prepare: explicit, want: oneAuthorized, posts: 1, issues: 1},
		"an NFC-e, explicitly":                         {model: consumer, prepare: explicit, want: []string{}, posts: 1, issues: 1},
		"an NFC-e, explicitly, in a first run":         {model: consumer, prepare: inTurn(explicit, (*orderBench).lasting), want: []string{}, posts: 1, issues: 1},
		"an NFC-e, explicitly, lost":                   {model: consumer, prepare: inTurn(explicit, faulty(lostIssue)), says: []string{string(IssueLost)}, posts: 1, issues: 1},
		"an NFC-e, explicitly, lost before": {
			model: consumer, prepare: inTurn(explicit, faulty(lostIssue), failedWith()), says: []string{string(IssueLost)}, posts: 1, issues: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.options.OnlySpecified = true
			b := newOrderBench(t, test.options)
			b.service.SetSettings(b.service.OwnerCompanyID(), map[string]any{"consumerInvoice": map[string]any{"tokenId": "1", "csc": "a code"}})
			b.sell(test.model)
			if test.prepare != nil {
				test.prepare(b)
			}
			end := b.over(b.Create(t.Context()))
			if test.want != nil && end.err != nil {
				t.Fatal(end.err)
			}
			wantOrder(t, end, test.want, test.says)
			wantCount(t, "orders were sent", b.service.Count("POST", fixture.OrdersPath), test.posts)
			wantCount(t, "explicit issues were sent", b.service.Count("POST", fixture.OrderIssuePath), test.issues)
		})
	}
}

// explicit has the order issue only when it is asked to.
func explicit(b *orderBench) {
	b.Wanted.AutoIssueMode = einvoice.IssueDisabled
	b.explicitly()
}
