package engine

import (
	"encoding/json"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

const consumerInvoices = "/v1/consumer-invoices"

// The service has no list of its invoices, and makes a second one of a second request.
func TestIssuing_withoutAListTheJournalDecides(t *testing.T) {
	t.Parallel()
	lost := sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: consumerInvoices}
	gone := sandbox.Fault{
		Kind: sandbox.FaultStatus, Method: "GET", Path: consumerInvoices + "/{id}", Status: 404, Times: -1,
	}
	for name, test := range map[string]struct {
		prepare func(b *bench) // what has happened before the run
		status  string
		kind    Kind
		posts   int
	}{
		"idle":             {status: "authorized", posts: 1},
		"settled":          {prepare: succeeding, status: "authorized", posts: 1},
		"rejected":         {prepare: failing(script(sandbox.Reject("539", "x"))), status: "authorized", posts: 2},
		"an answer lost":   {prepare: inject(lost), kind: Unlisted, posts: 1},
		"and a second run": {prepare: failing(inject(lost)), kind: Unlisted, posts: 1},
		"refused": {prepare: failing(inject(sandbox.Fault{
			Kind: sandbox.FaultStatus, Method: "POST", Path: consumerInvoices, Status: 400, Body: `{"errors":[{"message":"no"}]}`,
		})), status: "authorized", posts: 2},
		"a lost correction": {
			prepare: inTurn(failing(script(sandbox.Reject("539", "x"))), failing(inject(lost))), kind: Unlisted, posts: 2,
		},
		"settled, and not found by its id": {prepare: inTurn(succeeding, inject(gone)), kind: Unlisted, posts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, sandbox.Options{OnlySpecified: true, NoMergeByIntegrationID: true})
			csc := map[string]any{"consumerInvoice": map[string]any{"tokenId": "1", "csc": "a code"}}
			b.service.SetSettings(b.service.OwnerCompanyID(), csc)
			b.Model, b.Payload = einvoice.ModelConsumer, json.RawMessage(fixture.ConsumerPayload)
			if test.prepare != nil {
				test.prepare(b)
			}
			b.Notes, b.sent = nil, false
			v, err := b.Create(t.Context())
			wantOutcome(t, v, err, test.status, test.kind)
			wantCount(t, "invoices were sent", b.service.Count("POST", consumerInvoices), test.posts)
		})
	}
}

// The service reads orders by their ids and does not list them, and takes a second one.
func TestOrdering_withoutAListTheJournalDecides(t *testing.T) {
	t.Parallel()
	drop := func(kind sandbox.FaultKind) func(*orderBench) {
		return faulty(sandbox.Fault{Kind: kind, Method: "POST", Path: fixture.OrdersPath})
	}
	unread := faulty(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: fixture.OrderPath, Status: 404, Times: -1})
	unlisted, refused := []string{string(Unlisted)}, []string{"request failed: look up"}
	for name, test := range map[string]struct {
		options sandbox.Options
		unnamed bool              // `operations` does not name the read
		prepare func(*orderBench) // what has happened before the run
		want    []string
		says    []string
		posts   int
	}{
		"idle":                             {want: oneAuthorized, posts: 1},
		"settled":                          {prepare: (*orderBench).lasting, want: oneAuthorized, posts: 1},
		"answered with its invoice":        {options: sandbox.Options{OrdersAnswerInvoice: true}, want: oneAuthorized, posts: 1},
		"an answer lost":                   {prepare: drop(sandbox.FaultDropAfter), says: unlisted, posts: 1},
		"an answer lost by an earlier run": {prepare: inTurn(drop(sandbox.FaultDropAfter), failedWith()), says: unlisted, posts: 1},
		"a request lost":                   {prepare: drop(sandbox.FaultDropBefore), says: unlisted, posts: 1},
		"a request lost by an earlier run": {prepare: inTurn(drop(sandbox.FaultDropBefore), failedWith()), says: unlisted, posts: 1},
		"refused": {prepare: inTurn(onOrder(sandbox.Fault{
			Kind: sandbox.FaultStatus, Status: 400, Body: `{"errors":[{"message":"no"}]}`,
		}), failedWith()), want: oneAuthorized, posts: 2},
		"settled, and not found by its id":       {prepare: inTurn((*orderBench).lasting, unread), says: unlisted, posts: 1},
		"nothing reads it":                       {prepare: unread, says: []string{"request failed: follow"}, posts: 1},
		"nothing is known to find it":            {unnamed: true, says: refused},
		"nothing is known to find it, and again": {unnamed: true, prepare: failedWith(), says: refused},
		"settled by a run that knew how to find it": {
			unnamed: true, want: oneAuthorized, posts: 1, prepare: func(b *orderBench) {
				named := b.Client
				b.named()
				b.lasting()
				b.Client = named
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.options.Without = []string{"GET " + fixture.OrdersPath}
			b := newOrderBench(t, test.options)
			if !test.unnamed {
				b.named()
			}
			if test.prepare != nil {
				test.prepare(b)
			}
			wantOrder(t, b.over(b.Create(t.Context())), test.want, test.says)
			wantCount(t, "orders were sent", b.service.Count("POST", fixture.OrdersPath), test.posts)
		})
	}
}

// named names the read of an order in the provider block.
func (b *orderBench) named() {
	b.t.Helper()
	client, err := einvoice.New(einvoice.Config{
		BaseURL: b.service.BaseURL(), APIKey: b.service.OwnerKey(), Operations: map[string]string{"get_order": "GET " + fixture.OrderPath},
	})
	must(b.t, err)
	b.Client = client
}

func must(t *testing.T, err error) {
	t.Helper()
	expect.NoError(t, err)
}
