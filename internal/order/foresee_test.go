package order

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// errorsIn are the texts of the errors, a line each.
func errorsIn(diags diag.Diagnostics) string { return fixture.DiagnosticText(diags.Errors()) }

// With plan_lookup a plan says what apply then does, and leaves no trace.
func TestOrdering_foretellsWhatCreateThenDoes(t *testing.T) {
	t.Parallel()
	recorded := func(b *orderBench) {
		if _, err := b.Client.CreateOrder(b.t.Context(), b.wanted, nil); err != nil {
			b.t.Fatal(err)
		}
	}
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
		says     []string // nil for nothing
		requests int      // of the look
		posts    int      // of the creation; so are the next ones
		statuses int
		issues   int
	}{
		"nothing is there":         {prepare: func(*orderBench) {}, requests: 1, posts: 1},
		"in progress":              {prepare: recorded, requests: 2, says: []string{"Order t-1 exists: apply goes on with it", "1 invoice(s): NFS-e (enqueued)", "Apply will wait until its invoices are settled."}},
		"authorized":               {prepare: inTurn(recorded, invoiceIs("authorized")), requests: 2, says: []string{"NFS-e", "(authorized)", "No second order will be recorded."}},
		"nothing more to do":       {prepare: inTurn(inMode(einvoice.IssueDisabled, ""), recorded), requests: 2, says: []string{"no invoices yet", "Nothing will be sent."}},
		"explicitly":               {prepare: inTurn(inMode(einvoice.IssueDisabled, ""), recorded, (*orderBench).explicitly), requests: 2, says: []string{"issue what is rejected or not issued yet, and wait"}, issues: 1},
		"the status issues":        {prepare: inTurn(inMode(einvoice.IssueAfterPayment, "created"), recorded, inMode(einvoice.IssueAfterPayment, "approved")), requests: 2, says: []string{`change its status to "approved", and let the service issue its invoices, and wait`}, statuses: 1},
		"rejected":                 {prepare: inTurn(recorded, invoiceIs("rejected")), requests: 2, says: []string{"NFS-e (rejected)", "issue what is rejected or not issued yet"}, issues: 1},
		"refused, another amount":  {prepare: inTurn(recorded, func(b *orderBench) { n := einvoice.Number(7); b.wanted.Amount = &n }), requests: 2, says: []string{"Another order has this transaction_id"}},
		"refused, several":         {prepare: soldTwice, requests: 1, says: []string{"Several orders have this transaction_id"}},
		"refused, canceled":        {prepare: inTurn(recorded, status("canceled")), requests: 2, says: []string{"Order t-1 is canceled"}},
		"refused, a dead invoice":  {prepare: inTurn(recorded, invoiceIs("denied")), requests: 3, says: []string{"NFS-e", "(t-1) is denied"}},
		"not waited for":           {prepare: inTurn(recorded, invoiceIs("denied"), func(b *orderBench) { b.waits = false }), requests: 2, says: []string{"exists: apply goes on with it"}},
		"begun and listed nowhere": {prepare: func(b *orderBench) { b.journaled(journal.State{Begun: b.Clock.Now()}) }, requests: 1, says: []string{"Order t-1 may exist: apply looks for it first"}, posts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newOrderBench(t, sandbox.Options{AuthorizeAfter: 5 * time.Second})
			test.prepare(b)
			b.service.ResetRequests()
			known := b.Recorded(t.Context(), journalKindOrder, "t-1")
			now := b.Clock.Now()
			foretold := resourceTerms(nil, false).foretold(t.Context(), b.ordering)
			if n := len(b.service.Requests()); n != test.requests || fixture.CountWrites(b.service) != 0 {
				t.Errorf("the look made %d requests, want %d, none of which changes anything", n, test.requests)
			}
			if after := b.Recorded(t.Context(), journalKindOrder, "t-1"); after != known || !b.Clock.Now().Equal(now) {
				t.Errorf("the look left a trace: %v, was %v", after, known)
			}
			fixture.WantTexts(t, foretold, test.says...)
			if test.says == nil && len(foretold) > 0 {
				t.Errorf("the look says %v", foretold)
			}
			_, diags := b.worded(b.create(t.Context()))
			if errorsIn(diags) != errorsIn(foretold) {
				t.Errorf("the look says\n%s\nand the creation\n%s", errorsIn(foretold), errorsIn(diags))
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

// journaled has the journal know something of the order.
func (b *orderBench) journaled(known journal.State) {
	b.t.Helper()
	entry, err := b.OpenEntry(b.t.Context(), &b.notes, journalKindOrder, "t-1")
	if err != nil {
		b.t.Fatal(err)
	}
	defer entry.Close()
	if err := entry.Restore(known); err != nil {
		b.t.Fatal(err)
	}
}
