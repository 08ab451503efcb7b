package order

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// The state machine of orders, state by state, against the sandbox on a clock
// that only moves while the machine waits.

// orderBench is a machine with a service to run against.
type orderBench struct {
	*ordering
	t       *testing.T
	service *sandbox.Server
	inState bool
}

func newOrderBench(t *testing.T, options sandbox.Options) *orderBench {
	t.Helper()
	service, clock := fixture.OnManualClock(t, options)
	b := &orderBench{t: t, service: service, ordering: &ordering{
		Service: issuing.Service{Client: fixture.OwnerClient(t, service), Store: journal.OpenFiles(t.TempDir()), Patience: time.Minute, Clock: clock}, waits: true,
	}}
	b.sell(einvoice.ModelService)
	return b
}

// sell makes t-1 the sale of one thing of each model.
func (b *orderBench) sell(models ...string) {
	total, each := einvoice.Number(100*len(models)), einvoice.Number(100)
	b.wanted = einvoice.Order{TransactionID: "t-1", Amount: &total, AutoIssueMode: einvoice.IssueImmediately, Customer: &einvoice.Customer{Name: "Maria", FederalTaxNumber: "52998224725"}}
	for _, model := range models {
		b.wanted.Items = append(b.wanted.Items, einvoice.OrderItem{Amount: &each, Price: &each, Product: &einvoice.Product{Name: "Thing", Code: einvoice.Text(model), InvoiceModel: einvoice.Enum(model)}})
	}
	if len(models) > 1 {
		b.service.SetSettings(b.service.OwnerCompanyID(), map[string]any{"general": map[string]any{"allowMultipleInvoiceModelsPerOrder": true}})
	}
}

// mode is when the service issues by itself, and the status to bring the order to.
func (b *orderBench) mode(mode, status string) {
	b.wanted.AutoIssueMode, b.wanted.Status, b.status = einvoice.Enum(mode), einvoice.Enum(status), status
}

func (b *orderBench) explicitly() { b.issue, b.issueNow = true, true }

func (b *orderBench) limited(d time.Duration) { b.Clock = fixture.Limited(b.Clock, d) }

func (b *orderBench) onlyID() string {
	b.t.Helper()
	orders := b.service.Objects(sandbox.KindOrders)
	if len(orders) != 1 {
		b.t.Fatalf("the service holds %d orders, want 1", len(orders))
	}
	return fmt.Sprint(orders[0]["id"])
}

// worded ends a run in the words of the resource; the next one begins anew.
func (b *orderBench) worded(order *einvoice.Order, err error) (*einvoice.Order, diag.Diagnostics) {
	diags := resourceTerms(nil, b.inState).outcome(context.Background(), b.ordering, err)
	b.notes, b.found, b.replaced, b.sent = nil, nil, nil, false
	return order, diags
}

// lasting ends a first run well, and a failing one must not.
func (b *orderBench) lasting() {
	b.t.Helper()
	if _, diags := b.worded(b.create(b.t.Context())); diags.HasError() {
		b.t.Fatalf("the first run: %v", diags)
	}
}

func (b *orderBench) failing(texts ...string) {
	b.t.Helper()
	_, diags := b.worded(b.create(b.t.Context()))
	if !diags.HasError() {
		b.t.Fatal("the first run must fail")
	}
	fixture.WantTexts(b.t, diags, texts...)
}

// failed is a first run that fails and says the texts.
func failed(texts ...string) func(*orderBench) {
	return func(b *orderBench) { b.failing(texts...) }
}

func scripted(outcomes ...sandbox.Outcome) func(*orderBench) {
	return func(b *orderBench) { b.service.ScriptInvoice("t-1", outcomes...) }
}

func faulty(f sandbox.Fault) func(*orderBench) { return func(b *orderBench) { b.service.Inject(f) } }

func inTurn(steps ...func(*orderBench)) func(*orderBench) {
	return func(b *orderBench) {
		for _, step := range steps {
			step(b)
		}
	}
}

func selling(models ...string) func(*orderBench) { return func(b *orderBench) { b.sell(models...) } }

func inMode(mode, status string) func(*orderBench) {
	return func(b *orderBench) { b.mode(mode, status) }
}

// wantOrder checks how a run ended: with an order whose invoices have these
// states, or, for nil, with an error; and that it says the texts.
func wantOrder(t *testing.T, order *einvoice.Order, diags diag.Diagnostics, want []string, texts []string) {
	t.Helper()
	fixture.WantTexts(t, diags, texts...)
	switch {
	case want == nil && !diags.HasError():
		t.Error("no error")
	case want != nil && diags.HasError():
		t.Errorf("an error instead of an order: %v", diags)
	case want != nil:
		states := []string{}
		for _, v := range order.Invoices {
			states = append(states, string(v.Status))
		}
		slices.Sort(states)
		if diff := cmp.Diff(want, states); diff != "" {
			t.Errorf("the states of the invoices differ (-want +got):\n%s", diff)
		}
	}
}

func TestOrdering_createBringsEachSaleToItsEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options sandbox.Options
		prepare func(b *orderBench)
		want    []string // states of the invoices; nil for an error
		texts   []string
		posts   int
		issues  int
	}{
		"authorized in a plain run":        {want: []string{"authorized"}, posts: 1},
		"two models, two invoices":         {prepare: selling(einvoice.ModelService, einvoice.ModelProduct), want: []string{"authorized", "authorized"}, posts: 1},
		"nothing is due while disabled":    {prepare: inMode(einvoice.IssueDisabled, ""), want: []string{}, posts: 1},
		"nothing is due before payment":    {prepare: inMode(einvoice.IssueAfterPayment, "awaitingPayment"), want: []string{"created"}, posts: 1},
		"paid from the start":              {prepare: inMode(einvoice.IssueAfterPayment, "approved"), want: []string{"authorized"}, posts: 1},
		"issued explicitly while disabled": {prepare: inTurn(inMode(einvoice.IssueDisabled, ""), (*orderBench).explicitly), want: []string{"authorized"}, posts: 1, issues: 1},
		"issued explicitly before payment": {prepare: inTurn(inMode(einvoice.IssueAfterPayment, ""), (*orderBench).explicitly), want: []string{"authorized"}, posts: 1, issues: 1},
		"issued by itself and not again":   {prepare: (*orderBench).explicitly, want: []string{"authorized"}, posts: 1},
		"not waited for":                   {prepare: func(b *orderBench) { b.waits = false }, want: []string{"enqueued"}, posts: 1},
		"received first":                   {prepare: scripted(sandbox.Authorize().ReceivedFirst()), want: []string{"authorized"}, posts: 1},
		"stuck until check-status":         {prepare: scripted(sandbox.StuckUntilCheck(sandbox.Authorize())), want: []string{"authorized"}, posts: 1},
		"a transient code is waited out":   {prepare: scripted(sandbox.TransientCode("SPD999", "sem comunicacao", sandbox.Authorize())), want: []string{"authorized"}, posts: 1},
		"a status of the future":           {prepare: scripted(sandbox.UnknownStatus("underReview", sandbox.Authorize())), want: []string{"authorized"}, posts: 1},
		"denied":                           {prepare: scripted(sandbox.Deny("302", "Uso denegado")), texts: []string{"NFS-e", "is denied", "Uso denegado", "new `transaction_id`"}, posts: 1},
		"removed while waiting":            {prepare: scripted(sandbox.Remove()), texts: []string{"is removed"}, posts: 1},
		"rejected, named like an issuance's": {
			prepare: scripted(sandbox.Reject("539", "Duplicidade de NF-e")), posts: 1,
			texts: []string{"(t-1) was rejected: 539", "Duplicidade de NF-e.", "definitive", "Nothing is kept in state, and no second order is made.", "found by its `transaction_id`"},
		},
		"each rejection is reported": {
			prepare: inTurn(selling(einvoice.ModelService, einvoice.ModelProduct), scripted(sandbox.Reject("101", "first"), sandbox.Reject("102", "second"))), posts: 1,
			texts: []string{"NF-e", "NFS-e", "was rejected: 101", "was rejected: 102"},
		},
		"a rejection beside one that takes long is reported": {
			prepare: inTurn(selling(einvoice.ModelService, einvoice.ModelProduct), scripted(sandbox.Authorize().After(time.Hour), sandbox.Reject("102", "second")),
				func(b *orderBench) { b.limited(30 * time.Second) }), posts: 1,
			texts: []string{"Still in progress", "was rejected: 102", "it finds the order by its `transaction_id`"},
		},
		"in contingency, accepted": {
			prepare: inTurn(selling(einvoice.ModelProduct), scripted(sandbox.Contingency(sandbox.Authorize().After(time.Hour))), func(b *orderBench) { b.acceptContingency = true }),
			want:    []string{"inContingent"}, texts: []string{"is in contingency"}, posts: 1,
		},
		"in contingency, waited out": {
			prepare: inTurn(selling(einvoice.ModelProduct), scripted(sandbox.Contingency(sandbox.Authorize().After(time.Minute)))), want: []string{"authorized"}, posts: 1,
		},
		"the answer to the POST is lost": { // In other ways: the fault matrix.
			prepare: faulty(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: fixture.OrdersPath}), want: []string{"authorized"}, posts: 1,
		},
		"the answer is lost and the list lags": {
			options: sandbox.Options{ListLag: 8 * time.Second},
			prepare: faulty(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: fixture.OrdersPath}), want: []string{"authorized"}, posts: 1,
		},
		"the answer is about another order": {
			prepare: faulty(sandbox.Fault{Kind: sandbox.FaultBody, Method: "POST", Path: fixture.OrdersPath, Body: `{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","transactionId":"t-2"}`}),
			want:    []string{"authorized"}, posts: 1,
		},
		"the request is lost on the way": {
			prepare: faulty(sandbox.Fault{Kind: sandbox.FaultDropBefore, Method: "POST", Path: fixture.OrdersPath}), posts: 1,
			texts: []string{"Answer lost: order t-1", "does not list the order", "Nothing was sent a second time"},
		},
		"another machine was quicker, and the service refuses the second": {
			prepare: inTurn(faulty(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: fixture.OrdersPath, Status: 400, Body: `{"errors":[{"message":"taken","path":"TransactionId"}]}`}),
				func(b *orderBench) {
					b.service.Before("POST", fixture.OrdersPath, func() {
						b.service.Seed(sandbox.KindOrders, map[string]any{"transactionId": "t-1", "amount": json.Number("100"), "autoIssueMode": "disabled"})
					})
				}, inMode(einvoice.IssueDisabled, "")),
			want: []string{}, posts: 1,
		},
		"the order cannot be found again while its invoice is awaited": {
			prepare: faulty(sandbox.Fault{Kind: sandbox.FaultBody, Method: "POST", Path: fixture.OrdersPath, Body: `{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","transactionId":"t-1","invoices":[]}`}),
			texts:   []string{"Cannot follow order t-1", "404", "never recorded twice"}, posts: 1,
		},
		"the look-up fails": {
			prepare: faulty(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: fixture.OrdersPath, Status: 404}), posts: 0, texts: []string{"Cannot look up order t-1", "HTTP 404"},
		},
		"the service refuses the order": {
			prepare: faulty(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: fixture.OrdersPath, Status: 400, Body: `{"errors":[{"message":"The field Name is invalid","path":"customer.name"}]}`}), posts: 1,
			texts: []string{"Cannot create order t-1", "The field Name is invalid."},
		},
		"a read of the order fails while waiting": {
			prepare: inTurn(inMode(einvoice.IssueImmediately, ""), faulty(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: fixture.ServiceInvoices + "/{id}", Status: 500})),
			want:    []string{"authorized"}, posts: 1,
		},
		"the answer shows no invoice yet": {
			prepare: faulty(sandbox.Fault{Kind: sandbox.FaultBody, Method: "POST", Path: fixture.OrdersPath, Body: `{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","transactionId":"t-1","invoices":[]}`}),
			texts:   []string{"No invoice yet: order t-1", "issue_invoices"}, posts: 1,
		},
		"the filter is ignored": {
			options: sandbox.Options{IgnoreFilters: true},
			prepare: func(b *orderBench) {
				for n := range 3 {
					other := b.wanted
					other.TransactionID = einvoice.Text(fmt.Sprintf("t-1%d", n))
					if _, err := b.Client.CreateOrder(b.t.Context(), other, nil); err != nil {
						b.t.Fatal(err)
					}
				}
			},
			want: []string{"authorized"}, posts: 4,
		},
		"the answer to the explicit issue is lost": {
			prepare: inTurn(inMode(einvoice.IssueDisabled, ""), (*orderBench).explicitly, faulty(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: fixture.OrderIssuePath})),
			want:    []string{"authorized"}, posts: 1, issues: 1,
		},
		"the explicit issue is lost on the way": {
			prepare: inTurn(inMode(einvoice.IssueDisabled, ""), (*orderBench).explicitly, faulty(sandbox.Fault{Kind: sandbox.FaultDropBefore, Method: "POST", Path: fixture.OrderIssuePath})),
			texts:   []string{"Answer lost: the explicit issue of order t-1", "Nothing was sent a second time"}, posts: 1, issues: 1,
		},
		"the explicit issue is refused": {
			prepare: inTurn(inMode(einvoice.IssueDisabled, ""), (*orderBench).explicitly, faulty(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: fixture.OrderIssuePath, Status: 400, Body: `{"errors":[{"message":"no certificate"}]}`})),
			texts:   []string{"Cannot issue the invoices of order t-1", "no certificate"}, posts: 1, issues: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newOrderBench(t, test.options)
			if test.prepare != nil {
				test.prepare(b)
			}
			if slices.Contains(test.texts, "No invoice yet: order t-1") {
				b.limited(time.Minute)
			}
			order, diags := b.worded(b.create(t.Context()))
			wantOrder(t, order, diags, test.want, test.texts)
			if got := b.service.Count("POST", fixture.OrdersPath); got != test.posts {
				t.Errorf("%d orders were sent, want %d", got, test.posts)
			}
			if got := b.service.Count("POST", fixture.OrderIssuePath); got != test.issues {
				t.Errorf("%d explicit issues were sent, want %d", got, test.issues)
			}
			if got := b.service.Count("POST", fixture.ServiceInvoices+"/{id}/issue"); got != 0 {
				t.Errorf("%d invoices were issued past their order", got)
			}
		})
	}
}

func TestOrdering_nothingIsSentAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	b := newOrderBench(t, sandbox.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	b.service.Before("GET", fixture.OrdersPath, cancel)
	if _, diags := b.worded(b.create(ctx)); !diags.HasError() {
		t.Error("no error")
	}
	if n := b.service.Count("POST", ""); n != 0 {
		t.Errorf("%d requests were sent after the interrupt", n)
	}
}

func TestOrdering_thePostOutlivesAnInterrupt(t *testing.T) {
	t.Parallel()
	b := newOrderBench(t, sandbox.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	b.service.Before("POST", fixture.OrdersPath, cancel)
	_, diags := b.worded(b.create(ctx))
	fixture.WantTexts(t, diags, "Interrupted", "Run apply again")
	b.onlyID()
}

func TestOrdering_twinIsTheAuthorizedInvoiceOfTheSameOrder(t *testing.T) {
	t.Parallel()
	b := newOrderBench(t, sandbox.Options{})
	b.lasting()
	held := b.service.Invoices(einvoice.ModelService)[0]
	rejected := &einvoice.Invoice{ID: "7c9e6679-7425-40de-944b-e07fc1f90ae7", Model: einvoice.ModelService, Status: "rejected"}
	found, err := b.twin(t.Context(), rejected)
	if err != nil || found == nil || string(found.ID) != held["id"] {
		t.Errorf("found %v %v, want %v", found, err, held["id"])
	}
	b.wanted.TransactionID = "t-2"
	if found, err = b.twin(t.Context(), rejected); err != nil || found != nil {
		t.Errorf("found %v %v of another order", found, err)
	}
}

func TestOrdering_sendsTheWholeOrder(t *testing.T) {
	t.Parallel()
	b := newOrderBench(t, sandbox.Options{})
	b.extra = json.RawMessage(`{"notes":"x"}`)
	b.lasting()
	request, _ := b.service.Last("POST", fixture.OrdersPath)
	want := `{"amount":100,"autoIssueMode":"immediately","customer":{"federalTaxNumber":"52998224725","name":"Maria"},` +
		`"items":[{"amount":100,"price":100,"product":{"code":"serviceInvoice","invoiceModel":"serviceInvoice","name":"Thing"}}],"notes":"x","transactionId":"t-1"}`
	if diff := cmp.Diff(want, string(request.Body)); diff != "" {
		t.Error(diff)
	}
}
