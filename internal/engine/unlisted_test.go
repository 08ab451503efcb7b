package engine

import (
	"encoding/json"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
