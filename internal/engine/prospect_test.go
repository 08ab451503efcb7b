package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// What a look says is what a creation then does, and the look itself leaves no trace.
func TestLook_saysWhatCreateThenDoes(t *testing.T) {
	t.Parallel()
	const draft, authorized = "created", "authorized"
	seed := func(b *bench, status string, amount float64) string {
		return b.service.Seed(sandbox.KindServiceInvoices, map[string]any{
			"integrationId": "order-1", "status": status, "amount": amount, "processingDetail": map[string]any{"status": "success", "code": map[string]any{"rejected": "539"}[status]},
		})
	}
	one := func(status string, amount float64) func(*bench) { return func(b *bench) { seed(b, status, amount) } }
	journaled := func(status string, note saleNote) func(*bench) {
		return func(b *bench) {
			b.write(journal.Record{Phase: journal.Settled, Result: seed(b, status, 100), Note: journal.Record{}.Noted(note).Note})
		}
	}
	ours := (&Issuing{Payload: newPayload}).content()
	for name, test := range map[string]struct {
		prepare  func(b *bench)
		draft    bool
		step     Step
		inDoubt  bool
		kind     Kind // of the problem of both
		requests int  // of the look
		posts    int  // of the creation
		issues   int  // of a draft by its id
	}{
		"nothing is there":         {prepare: func(*bench) {}, step: Sends, requests: 1, posts: 1},
		"authorized":               {prepare: one(authorized, 100), step: Takes, requests: 1},
		"in progress":              {prepare: one("enqueued", 100), step: Awaits, requests: 1},
		"in contingency":           {prepare: one("inContingent", 100), step: Awaits, requests: 1},
		"a draft of somebody else": {prepare: one(draft, 100), kind: OthersDraft, requests: 2},
		"theirs, beside a rejected": {
			prepare: func(b *bench) { seed(b, draft, 100); seed(b, "rejected", 100) }, kind: OthersDraft, requests: 2,
		},
		"theirs, as it is wanted":   {prepare: one(draft, 100), draft: true, step: Takes, requests: 2},
		"theirs, of another amount": {prepare: one(draft, 7), draft: true, kind: OthersDraft, requests: 2},
		"a draft that may be ours": {prepare: func(b *bench) {
			seed(b, draft, 100)
			b.write(journal.Record{Phase: journal.Sending, Note: journal.Record{}.Noted(saleNote{Digest: ours}).Note})
		}, step: SendsOver, requests: 2, posts: 1},
		"a draft that may be ours, and kept so": {prepare: func(b *bench) {
			seed(b, draft, 100)
			b.write(journal.Record{Phase: journal.Sending, Note: journal.Record{}.Noted(saleNote{Digest: ours}).Note})
		}, draft: true, step: Takes, requests: 2},
		"a draft of another amount that may be ours, and kept so": {prepare: func(b *bench) {
			seed(b, draft, 7)
			b.write(journal.Record{Phase: journal.Sending, Note: journal.Record{}.Noted(saleNote{Digest: ours}).Note})
		}, draft: true, step: SendsOver, requests: 2, posts: 1},
		"a draft in doubt, and kept so":  {prepare: journaled(draft, saleNote{Trust: doubtful}), draft: true, step: SendsOver, requests: 2, posts: 1},
		"an adopted draft, and kept so":  {prepare: journaled(draft, saleNote{Trust: adopted}), draft: true, step: Takes, requests: 2},
		"an adopted draft, to be issued": {prepare: journaled(draft, saleNote{Trust: adopted}), step: SendsOver, requests: 2, posts: 1},
		"a draft of this content":        {prepare: journaled(draft, saleNote{Digest: ours}), step: IssuesDraft, requests: 2, issues: 1},
		"rejected":                       {prepare: one("rejected", 100), step: SendsOver, requests: 2, posts: 1},
		"rejected, another amount":       {prepare: one("rejected", 7), step: SendsOver, requests: 2, posts: 1},
		"canceled":                       {prepare: one("canceled", 100), kind: Ended, requests: 1},
		"another amount":                 {prepare: one(authorized, 7), kind: Another, requests: 1},
		"several":                        {prepare: func(b *bench) { seed(b, authorized, 100); seed(b, "enqueued", 100) }, kind: Several, requests: 1},
		"made of this payload":           {prepare: journaled(authorized, saleNote{Digest: ours}), step: Takes, requests: 1},
		"made of another payload":        {prepare: journaled(authorized, saleNote{Digest: "another"}), kind: Settled, requests: 1},
		"a draft in doubt":               {prepare: journaled(draft, saleNote{Trust: doubtful}), step: SendsOver, requests: 2, posts: 1},
		"in doubt, and authorized":       {prepare: journaled(authorized, saleNote{Trust: doubtful}), step: Takes, requests: 1},
		"another company's":              {prepare: func(b *bench) { seed(b, authorized, 100); b.Issuer = fixture.OtherNumber }, kind: OtherCompany, requests: 1},
		"begun, and listed nowhere": {prepare: func(b *bench) {
			b.write(journal.Record{Phase: journal.Sending, Note: journal.Record{}.Noted(saleNote{Digest: ours}).Note})
		}, step: Sends, inDoubt: true, requests: 1, posts: 1},
		"known, and gone": {prepare: func(b *bench) { b.write(journal.Record{Phase: journal.Settled, Result: "gone"}) }, step: Sends, inDoubt: true, requests: 2, posts: 1},
		"known, and not listed yet": {prepare: func(b *bench) {
			id := seed(b, authorized, 100)
			b.write(journal.Record{Phase: journal.Settled, Result: id})
			b.service.Inject(sandbox.Fault{Method: "GET", Path: fixture.ServiceInvoices, Kind: sandbox.FaultBody, Body: `{"items":[],"totalCount":0,"pageCount":0,"hasNext":false}`})
		}, step: Takes, requests: 2},
	} {
		rows.Case(t, name, func(t *testing.T) {
			b := newBench(t, sandbox.Options{})
			b.Payload, b.Issue = newPayload, !test.draft
			test.prepare(b)
			before, now, seen := b.known(), b.Clock.Now(), len(b.service.Requests())
			prospect, err := b.Look(t.Context())
			if requests := len(b.service.Requests()) - seen; requests != test.requests || fixture.CountWrites(b.service) != 0 || b.sent {
				t.Errorf("the look made %d requests, want %d, none of which changes anything", requests, test.requests)
			}
			if after := b.known(); after != before || b.Clock.Now().Sub(now) > time.Second || len(b.Notes) != 0 {
				t.Errorf("the look left a trace: %v was %v, notes %v", after, before, b.Notes)
			}
			if stepOf(prospect) != test.step && test.kind == "" || prospect.InDoubt != test.inDoubt || kindOf(err) != test.kind {
				t.Errorf("the look says %+v and %v, want step %d, in doubt %t, problem %q", prospect, err, test.step, test.inDoubt, test.kind)
			}
			if name == "in progress" || name == "in contingency" {
				return // Where a creation waits, nobody authorizes what was only seeded.
			}
			created, err := b.Create(t.Context())
			if kindOf(err) != test.kind {
				t.Errorf("the creation ends with %v, want %q", err, test.kind)
			}
			wantCount(t, "invoices were sent", b.posts(), test.posts)
			wantCount(t, "drafts were issued", b.service.Count("POST", fixture.ServiceInvoices+"/{id}/issue"), test.issues)
			if prospect.Found != nil && (created == nil || created.ID != prospect.Found.ID) {
				t.Errorf("the creation went on with %v, the look had %s", created, prospect.Found.ID)
			}
		})
	}
}

var newPayload = json.RawMessage(`{"description":"Consulting","federalServiceCode":"17.01","total":{"invoiceAmount":100}}`)

// kindOf returns the kind of a problem, or of the first of an order's invoices.
func kindOf(err error) Kind {
	if problems := problemsOf(err); len(problems) > 0 {
		return problems[0].Kind
	}
	return ""
}

// loaded is the record of a sale.
func loaded(t *testing.T, s *Service, key journal.Key) *once.Turn {
	t.Helper()
	turn, err := s.Once().Load(t.Context(), key)
	must(t, err)
	return turn
}

func (b *bench) known() journal.Record { return loaded(b.t, &b.Service, b.key()).Known }

// write records something.
func (b *bench) write(known journal.Record) {
	loaded(b.t, &b.Service, b.key()).Keep(b.t.Context(), known)
}

func unforetold(*held, error) error { return nil }

// foretold looks at a sale that is in no state, and returns what compares that with
// how its creation ends. While something is in doubt, another runner is at work, or the
// service lags, a look promises nothing.
func (w *world) foretold(ctx context.Context, i *Issuing, s step, state *held) func(*held, error) error {
	t, err := i.Once().Load(ctx, i.key())
	if state != nil || s.Act != apply || err != nil || t.Known.Phase == journal.Sending {
		return unforetold
	}
	hid := w.service.hidesSome() // A slow look outlasts that.
	prospect, problem := i.Look(ctx)
	if hid || w.service.hidesSome() {
		return unforetold
	}
	documents := len(w.service.documents)
	return func(next *held, err error) error {
		made := len(w.service.documents) - documents
		switch {
		case kindOf(problem) == RequestFailed, kindOf(err) == RequestFailed: // A read lags: the next run goes on.
		case problem != nil && kindOf(problem) == kindOf(err) && made == 0:
		case problem != nil:
			return fmt.Errorf("%w, and the creation ended with %w, and made %d", problem, err, made)
		case stepOf(prospect) == Takes && (err != nil || next.id != string(prospect.Found.ID) || made > 0):
			return fmt.Errorf("%s is taken, and the creation ended with %v and %w, and made %d", prospect.Found.ID, next, err, made)
		case (stepOf(prospect) == Awaits || stepOf(prospect) == IssuesDraft) && made > 0:
			return fmt.Errorf("%s is there, and the creation made %d", prospect.Found.ID, made)
		case stepOf(prospect) == Sends && !prospect.InDoubt && !i.sent:
			return fmt.Errorf("it is sent, and nothing was: %w", err)
		}
		return nil
	}
}

func stepOf[T any](p Prospect[T]) Step {
	if p.Found == nil {
		return Sends
	}
	return p.Steps[0]
}

// A block was renamed without `moved`, and its destroy is canceling the invoice: the plan says so, as the apply would. A
// destroy that was killed keeps nobody from adopting.
func TestLook_besideADestroyThatCancels(t *testing.T) {
	t.Parallel()
	b := newBench(t, sandbox.Options{})
	id := b.service.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "order-1", "status": "authorized", "amount": 100})
	b.write(journal.Record{Phase: journal.Sending, Result: id}.Noted(saleNote{Canceling: true}))
	if _, err := b.Look(t.Context()); kindOf(err) != BeingCanceled {
		t.Errorf("beside it, the look ends with %v", err)
	}
	must(t, b.Clock.Pause(t.Context(), b.Patience))
	prospect, err := b.Look(t.Context())
	if err != nil || stepOf(prospect) != Takes {
		t.Errorf("after it, the look says %+v, %v", prospect, err)
	}
}

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
		rows.Case(t, name, func(t *testing.T) {
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
				expect.Is(t, b.service.Count(method, path), want, "the creation sent %s %s", method, path)
			}
		})
	}
}

func (b *orderBench) known() journal.Record { return loaded(b.t, &b.Service, b.key()).Known }
