package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// What a second run does with an order that a first one has left behind.

// interruptedIn is a first run that is interrupted in a POST, whose answer is lost.
func interruptedIn(path string, lost sandbox.FaultKind) func(*orderBench) {
	return func(b *orderBench) {
		ctx, cancel := context.WithCancel(b.t.Context())
		b.service.Inject(sandbox.Fault{Kind: lost, Method: "POST", Path: path})
		b.service.Before("POST", path, cancel)
		wantOrder(b.t, b.over(b.Create(ctx)), nil, []string{"interrupted"})
	}
}

// recorded makes the order straight at the service.
func recorded(b *orderBench) {
	_, err := b.Client.CreateOrder(b.t.Context(), b.Wanted, nil, nil)
	must(b.t, err)
}

// soldTwice makes two orders under t-1, straight at the service.
func soldTwice(b *orderBench) {
	for range 2 {
		recorded(b)
	}
}

func TestOrdering_applyAgainGoesOn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options sandbox.Options
		first   func(b *orderBench) // leaves the service in some state
		second  func(b *orderBench) // changes what is wanted
		want    []string
		says    []string
		posts   int // of both runs
		issues  int
		orders  int // held at the end
	}{
		"after a rejection the same order is issued again": {
			first: inTurn(scripted(sandbox.Reject("539", "x")), failedWith("serviceInvoice rejected", "539")),
			want:  oneAuthorized, says: []string{"found t-1"}, posts: 1, issues: 1, orders: 1,
		},
		"of two invoices only the rejected one is issued again": {
			first: inTurn(selling(einvoice.ModelService, einvoice.ModelProduct), scripted(sandbox.Reject("539", "x")), failedWith()),
			want:  []string{"authorized", "authorized"}, posts: 1, issues: 1, orders: 1,
		},
		"an order of another amount, customer and mode is refused": {
			first: (*orderBench).lasting,
			second: func(b *orderBench) {
				amount := einvoice.Number(90)
				b.Wanted.Amount, b.Wanted.AutoIssueMode = &amount, einvoice.IssueDisabled
				b.Wanted.Customer = &einvoice.Customer{Name: "M", FederalTaxNumber: "11222333000181"}
			},
			says: []string{
				"another one has the id", "amount 90 100", "customer 11222333000181 52998224725", "auto_issue_mode disabled immediately",
			},
			posts: 1, orders: 1,
		},
		"an order that is gone is recorded again": {
			first: func(b *orderBench) {
				b.mode(einvoice.IssueDisabled, "")
				b.lasting()
				b.service.Remove(sandbox.KindOrders, b.onlyID())
			},
			want: []string{}, posts: 2, orders: 1,
		},
		"a canceled order does not count beside another": {
			first: func(b *orderBench) {
				soldTwice(b)
				b.service.Patch(sandbox.KindOrders, fmt.Sprint(b.service.Objects(sandbox.KindOrders)[0]["id"]), map[string]any{"status": "canceled"})
			},
			want: oneAuthorized, posts: 2, orders: 2,
		},
		"an order that is found further on is not sent back": {
			first: func(b *orderBench) {
				b.mode(einvoice.IssueAfterPayment, "approved")
				b.lasting()
				b.service.Patch(sandbox.KindOrders, b.onlyID(), map[string]any{"status": "completed"})
			},
			second: inMode(einvoice.IssueAfterPayment, "approved"),
			want:   oneAuthorized, posts: 1, orders: 1,
		},
		"an explicit issue that never arrived is sent by the next run": {
			first: inTurn(inTurn(inMode(einvoice.IssueDisabled, ""), (*orderBench).explicitly, onIssue(sandbox.Fault{Kind: sandbox.FaultDropBefore})), failedWith("answer to an explicit issue lost")),
			want:  oneAuthorized, posts: 1, issues: 2, orders: 1,
		},
		"a rejected invoice is left alone where another has its place": {
			first: func(b *orderBench) {
				scripted(sandbox.Reject("539", "x"))(b)
				b.failing()
				rejected := b.service.Invoices(einvoice.ModelService)[0]
				b.service.Seed("serviceInvoices", map[string]any{"status": "authorized", "order": rejected["order"], "_company": b.service.OwnerCompanyID()})
			},
			want: []string{"authorized", "rejected"}, says: []string{"rejected is replaced"}, posts: 1, orders: 1,
		},
	} {
		for _, options := range fixture.InBothCases(test.options) {
			rows.Case(t, name, func(t *testing.T) {
				b := newOrderBench(t, options)
				test.first(b)
				if test.second != nil {
					test.second(b)
				}
				wantOrder(t, b.over(b.Create(t.Context())), test.want, test.says)
				wantCount(t, "orders were sent", b.service.Count("POST", fixture.OrdersPath), test.posts)
				wantCount(t, "explicit issues were sent", b.service.Count("POST", fixture.OrderIssuePath), test.issues)
				wantCount(t, "orders at the service", len(b.service.Objects(sandbox.KindOrders)), test.orders)
			})
		}
	}
}

func TestOrdering_updateBringsAnOrderInStateFurther(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first  func(b *orderBench)
		second func(b *orderBench)
		want   []string
		says   []string
		puts   int
		issues int
	}{
		"approved": {
			first: inMode(einvoice.IssueAfterPayment, ""), second: inMode(einvoice.IssueAfterPayment, "approved"),
			want: oneAuthorized, puts: 1,
		},
		"approved already at the service": {
			first: inMode(einvoice.IssueAfterPayment, ""),
			second: func(b *orderBench) {
				b.mode(einvoice.IssueAfterPayment, "approved")
				_, err := b.Client.SetOrderStatus(b.t.Context(), b.onlyID(), "approved", nil)
				must(b.t, err)
			},
			want: oneAuthorized, puts: 1,
		},
		"approved, and rejected: reported, not issued again unseen": {
			first: inMode(einvoice.IssueAfterPayment, ""),
			second: func(b *orderBench) {
				b.mode(einvoice.IssueAfterPayment, "approved")
				b.service.ScriptInvoice("t-1", sandbox.Reject("539", "x"))
			},
			says: []string{"serviceInvoice rejected", "539"}, puts: 1,
		},
		"issued explicitly": {
			first: inMode(einvoice.IssueDisabled, ""), second: (*orderBench).explicitly, want: oneAuthorized, issues: 1,
		},
		"issued explicitly when all is issued": {second: (*orderBench).explicitly, want: oneAuthorized},
		"issued explicitly on a date, without waiting": {
			first: inMode(einvoice.IssueDisabled, ""),
			second: func(b *orderBench) {
				b.explicitly()
				b.Waits, b.EffectiveDate = false, "2026-03-15T10:00:00-03:00"
			},
			want: []string{"enqueued"}, issues: 1,
		},
		"issued explicitly where the trigger has not done it": {
			first: inMode(einvoice.IssueAfterPayment, ""),
			second: func(b *orderBench) {
				b.service.Patch(sandbox.KindOrders, b.onlyID(), map[string]any{"status": "approved"})
				b.explicitly()
			},
			want: oneAuthorized, issues: 1,
		},
		"issued by its trigger a little later, and not explicitly": {
			first: inMode(einvoice.IssueAfterPayment, ""),
			second: func(b *orderBench) {
				b.service.Patch(sandbox.KindOrders, b.onlyID(), map[string]any{"status": "approved"})
				b.explicitly()
				pause := b.Clock.Pause
				b.Clock.Pause = func(ctx context.Context, d time.Duration) error {
					if d > 0 {
						b.service.SetInvoiceStatus(fmt.Sprint(b.service.Invoices(einvoice.ModelService)[0]["id"]), "authorized")
					}
					return pause(ctx, d)
				}
			},
			want: oneAuthorized,
		},
	} {
		rows.Case(t, name, func(t *testing.T) {
			b := newOrderBench(t, sandbox.Options{})
			if test.first != nil {
				test.first(b)
			}
			b.lasting()
			id := b.onlyID()
			test.second(b)
			wantOrder(t, b.over(b.Update(t.Context(), id)), test.want, test.says)
			wantCount(t, "changes of status were sent", b.service.Count("PUT", fixture.OrderPath+"/status"), test.puts)
			wantCount(t, "explicit issues were sent", b.service.Count("POST", fixture.OrderIssuePath), test.issues)
			wantCount(t, "orders were sent", b.service.Count("POST", fixture.OrdersPath), 1)
			if request, ok := b.service.Last("POST", fixture.OrderIssuePath); ok && b.EffectiveDate != "" {
				if got, want := string(request.Body), fmt.Sprintf(`{"effectiveDate":%q}`, b.EffectiveDate); got != want {
					t.Errorf("sent %s, want %s", got, want)
				}
			}
		})
	}
}

func TestOrdering_interruptedExplicitIssueIsWaitedForBeforeItIsSentAgain(t *testing.T) {
	t.Parallel()
	b := newOrderBench(t, sandbox.Options{})
	b.mode(einvoice.IssueDisabled, "")
	b.explicitly()
	interruptedIn(fixture.OrderIssuePath, sandbox.FaultDropBefore)(b)
	wantOrder(t, b.over(b.Create(t.Context())), oneAuthorized, nil)
	sent := b.service.All("POST", fixture.OrderIssuePath)
	if len(sent) != 2 {
		t.Fatalf("%d explicit issues were sent, want 2", len(sent))
	}
	if apart := sent[1].At.Sub(sent[0].At); apart < b.Patience-10*time.Second {
		t.Errorf("the second was sent %s after the first, which was never answered; want about %s", apart, b.Patience)
	}
}

func TestOrdering_whatAPersonHasCanceledIsNotIssuedAgain(t *testing.T) {
	t.Parallel()
	rejected, canceled := &einvoice.Invoice{ID: "a", Model: einvoice.ModelProduct, Status: "rejected"}, &einvoice.Invoice{ID: "b", Model: einvoice.ModelProduct, Status: "canceled"}
	for name, test := range map[string]struct {
		invoices []*einvoice.Invoice
		want     bool
	}{
		"rejected":                              {[]*einvoice.Invoice{rejected}, true},
		"rejected, issued again, then canceled": {[]*einvoice.Invoice{rejected, canceled}, false},
	} {
		expect.Is(t, (&Ordering{}).hasRest(&einvoice.Order{Invoices: test.invoices}), test.want, "%s: has a rest", name)
	}
}

// T17: an order that another block adopts is recorded as its own, although nothing else is new.
func TestRows_orderOfAnotherBlock(t *testing.T) {
	t.Parallel()
	b := newOrderBench(t, sandbox.Options{})
	for _, holder := range []string{"old", "new"} {
		b.Holder = holder
		b.lasting()
		expect.Is(t, journal.NoteOf[saleNote](b.known()).Block, holder, "the record names")
	}
}

// The state machine of orders, state by state, against the sandbox on a clock
// that only moves while the machine waits.

// orderBench is a machine with a service to run against.
type orderBench struct {
	*Ordering
	t       *testing.T
	service *sandbox.Server
}

func newOrderBench(t *testing.T, options sandbox.Options) *orderBench {
	t.Helper()
	service, clock := fixture.OnManualClock(t, options)
	b := &orderBench{t: t, service: service, Ordering: &Ordering{
		Service: Service{Client: fixture.OwnerClient(t, service), Store: &oncetest.Memory{Now: clock.Now}, Patience: time.Minute, Clock: clock}, Waits: true,
	}}
	b.sell(einvoice.ModelService)
	return b
}

// sell makes t-1 the sale of one thing of each model.
func (b *orderBench) sell(models ...string) {
	total, each := einvoice.Number(100*len(models)), einvoice.Number(100)
	b.Wanted = einvoice.Order{TransactionID: "t-1", Amount: &total, AutoIssueMode: einvoice.IssueImmediately, Customer: &einvoice.Customer{Name: "Maria", FederalTaxNumber: "52998224725"}}
	for _, model := range models {
		b.Wanted.Items = append(b.Wanted.Items, einvoice.OrderItem{Amount: &each, Price: &each, Product: &einvoice.Product{Name: "Thing", Code: einvoice.Text(model), InvoiceModel: einvoice.Enum(model)}})
	}
	if len(models) > 1 {
		b.service.SetSettings(b.service.OwnerCompanyID(), map[string]any{"general": map[string]any{"allowMultipleInvoiceModelsPerOrder": true}})
	}
}

// mode is when the service issues by itself, and the status to bring the order to.
func (b *orderBench) mode(mode, status string) {
	b.Wanted.AutoIssueMode, b.Wanted.Status, b.Status = einvoice.Enum(mode), einvoice.Enum(status), status
}

func (b *orderBench) explicitly() { b.Issue, b.IssueNow = true, true }

func (b *orderBench) limited(d time.Duration) { b.Clock = fixture.Limited(b.Clock, d) }

func (b *orderBench) onlyID() string {
	b.t.Helper()
	orders := b.service.Objects(sandbox.KindOrders)
	if len(orders) != 1 {
		b.t.Fatalf("the service holds %d orders, want 1", len(orders))
	}
	return fmt.Sprint(orders[0]["id"])
}

// oneAuthorized are the states of the invoices of an order that has one.
var oneAuthorized = []string{"authorized"}

// outcome is how a run has ended.
type outcome struct {
	order *einvoice.Order
	err   error
	met   string // all that the run has to tell, in the engine's own words
}

// over is a run that is over; the next one begins anew.
func (b *orderBench) over(order *einvoice.Order, err error) outcome {
	var met []string
	if b.Found != nil {
		met = append(met, "found "+string(b.Found.TransactionID))
	}
	for _, n := range b.Notes {
		met = append(met, string(n.Kind))
	}
	for _, v := range b.Replaced {
		met = append(met, fmt.Sprintf("%s is replaced", v.Status))
	}
	if err != nil {
		met = append(met, saidOf(err))
	}
	b.Notes, b.Found, b.Replaced, b.sent = nil, nil, nil, false
	return outcome{order, err, strings.Join(met, "; ")}
}

// lasting ends a first run well, and a failing one must not.
func (b *orderBench) lasting() {
	b.t.Helper()
	if end := b.over(b.Create(b.t.Context())); end.err != nil {
		b.t.Fatalf("the first run: %v", end.err)
	}
}

func (b *orderBench) failing(says ...string) {
	b.t.Helper()
	wantOrder(b.t, b.over(b.Create(b.t.Context())), nil, says)
	if b.t.Failed() {
		b.t.FailNow()
	}
}

// failed is a first run that fails and says the texts.
func failedWith(says ...string) func(*orderBench) {
	return func(b *orderBench) { b.failing(says...) }
}

func scripted(outcomes ...sandbox.Outcome) func(*orderBench) {
	return func(b *orderBench) { b.service.ScriptInvoice("t-1", outcomes...) }
}

func faulty(f sandbox.Fault) func(*orderBench) { return func(b *orderBench) { b.service.Inject(f) } }

// onOrder and onIssue let a POST of the order, or of its explicit issue, fail.
func onOrder(f sandbox.Fault) func(*orderBench) {
	f.Method, f.Path = "POST", fixture.OrdersPath
	return faulty(f)
}

func onIssue(f sandbox.Fault) func(*orderBench) {
	f.Method, f.Path = "POST", fixture.OrderIssuePath
	return faulty(f)
}

func repeating(b *orderBench) { b.Client = retrying(b.t, b.service) }

func inTurn[B any](steps ...func(B)) func(B) {
	return func(b B) {
		for _, step := range steps {
			step(b)
		}
	}
}

func selling(models ...string) func(*orderBench) { return func(b *orderBench) { b.sell(models...) } }

func inMode(mode, status string) func(*orderBench) {
	return func(b *orderBench) { b.mode(mode, status) }
}

func acceptingContingency(b *orderBench) {
	b.AcceptContingency = true
	b.service.SetSettings(b.service.OwnerCompanyID(), map[string]any{"consumerInvoice": map[string]any{"tokenId": "1", "csc": "c", "allowOfflineContingency": true, "environmentType": "development"}})
}

// wantOrder checks how a run ended: with an order whose invoices have these
// states, or, for nil, with a problem; and that it tells the texts.
func wantOrder(t *testing.T, end outcome, want []string, says []string) {
	t.Helper()
	wantSaid(t, end.met, says)
	switch {
	case want == nil && end.err == nil:
		t.Error("no problem")
	case want != nil && end.err != nil:
		t.Errorf("a problem instead of an order: %v", end.err)
	case want != nil:
		states := []string{}
		for _, v := range end.order.Invoices {
			states = append(states, string(v.Status))
		}
		slices.Sort(states)
		expect.Same(t, want, states, "the states of the invoices differ")
	}
}

func TestOrdering_createBringsEachSaleToItsEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options sandbox.Options
		prepare func(b *orderBench)
		want    []string // states of the invoices; nil for a problem
		says    []string
		posts   int
		issues  int
	}{
		"authorized in a plain run":        {want: oneAuthorized, posts: 1},
		"two models, two invoices":         {prepare: selling(einvoice.ModelService, einvoice.ModelProduct), want: []string{"authorized", "authorized"}, posts: 1},
		"nothing is due while disabled":    {prepare: inMode(einvoice.IssueDisabled, ""), want: []string{}, posts: 1},
		"nothing is due before payment":    {prepare: inMode(einvoice.IssueAfterPayment, "awaitingPayment"), want: []string{"created"}, posts: 1},
		"paid from the start":              {prepare: inMode(einvoice.IssueAfterPayment, "approved"), want: oneAuthorized, posts: 1},
		"issued explicitly while disabled": {prepare: inTurn(inMode(einvoice.IssueDisabled, ""), (*orderBench).explicitly), want: oneAuthorized, posts: 1, issues: 1},
		"issued explicitly before payment": {prepare: inTurn(inMode(einvoice.IssueAfterPayment, ""), (*orderBench).explicitly), want: oneAuthorized, posts: 1, issues: 1},
		"issued by itself and not again":   {prepare: (*orderBench).explicitly, want: oneAuthorized, posts: 1},
		"not waited for":                   {prepare: func(b *orderBench) { b.Waits = false }, want: []string{"enqueued"}, posts: 1},
		"denied":                           {prepare: scripted(sandbox.Deny("302", "Uso denegado")), says: []string{"serviceInvoice ended", "denied", "Uso denegado"}, posts: 1},
		"each rejection is reported": {
			prepare: inTurn(selling(einvoice.ModelService, einvoice.ModelProduct), scripted(sandbox.Reject("101", "first"), sandbox.Reject("102", "second"))), posts: 1,
			says: []string{"productInvoice rejected", "serviceInvoice rejected", "101", "102"},
		},
		// Both share one clock, which either may bring to its end: after so many reads of one the other was read, too.
		"a rejection beside one that takes long is reported": {
			prepare: inTurn(selling(einvoice.ModelService, einvoice.ModelProduct), scripted(sandbox.Authorize().After(time.Hour), sandbox.Reject("102", "second").After(-time.Second)),
				func(b *orderBench) { b.limited(30 * time.Minute) }), posts: 1,
			says: []string{"not settled in time", "rejected; it is rejected", "102"},
		},
		"in contingency, accepted": {
			prepare: inTurn(selling(einvoice.ModelConsumer), scripted(sandbox.Contingency(sandbox.Authorize().After(time.Hour))), acceptingContingency),
			want:    []string{"inContingent"}, says: []string{string(InContingency)}, posts: 1,
		},
		"an NF-e in contingency is waited for": { // By a service that shows it so.
			prepare: inTurn(selling(einvoice.ModelProduct), scripted(sandbox.Outcome{Kind: sandbox.OutcomeStatus, Status: "inContingent", Then: new(sandbox.Authorize().After(10 * time.Minute))}), acceptingContingency),
			want:    oneAuthorized, posts: 1,
		},
		"the answer is the invoice": {options: sandbox.Options{OrdersAnswerInvoice: true}, want: oneAuthorized, posts: 1},
		"the answer is one of two invoices, and nobody waits": {
			options: sandbox.Options{OrdersAnswerInvoice: true}, want: []string{"enqueued", "enqueued"}, posts: 1,
			prepare: inTurn(selling(einvoice.ModelService, einvoice.ModelProduct), func(b *orderBench) { b.Waits = false }),
		},
		"the answer is an invoice that does not name the order, and nothing shows that one": {
			prepare: onOrder(sandbox.Fault{Kind: sandbox.FaultStatus, Status: 200, Body: `{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","number":7}`}),
			says:    []string{string(Unlisted), "does not name its order"}, posts: 1,
		},
		"an earlier run was answered with an invoice that does not name the order, and nothing shows that one": {
			prepare: inTurn(onOrder(sandbox.Fault{Kind: sandbox.FaultStatus, Status: 200, Body: `{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","number":7}`}), failedWith()),
			says:    []string{string(Unlisted)}, posts: 1,
		},
		"the answer is an invoice that does not name the order": {
			prepare: onOrder(sandbox.Fault{Kind: sandbox.FaultBody, Body: `{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","model":"serviceInvoice"}`}),
			want:    oneAuthorized, posts: 1,
		},
		"the answer is about another order": {
			prepare: onOrder(sandbox.Fault{Kind: sandbox.FaultBody, Body: `{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","transactionId":"t-2"}`}),
			want:    oneAuthorized, posts: 1,
		},
		"the answer is another sale's, without its name": {
			prepare: func(b *orderBench) {
				id := b.service.Seed(sandbox.KindOrders, map[string]any{"transactionId": "t-2", "amount": json.Number("100")})
				onOrder(sandbox.Fault{Kind: sandbox.FaultBody, Body: fmt.Sprintf(`{"id":%q,"status":"created"}`, id)})(b)
			},
			says: []string{"it has another name", "has t-2"}, posts: 1,
		},
		"a request that fails on the way is repeated": {
			prepare: inTurn(repeating, onOrder(sandbox.Fault{Kind: sandbox.FaultStatus, Status: 503, Times: 2})),
			want:    oneAuthorized, posts: 3,
		},
		"a request is repeated as often as there are retries": {
			prepare: inTurn(repeating, onOrder(sandbox.Fault{Kind: sandbox.FaultStatus, Status: 503, Times: 3})),
			says:    []string{"answer lost", "2 repetitions"}, posts: 3,
		},
		"the order cannot be found again while its invoice is awaited": {
			prepare: onOrder(sandbox.Fault{Kind: sandbox.FaultBody, Body: `{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","transactionId":"t-1","invoices":[]}`}),
			says:    []string{"request failed: follow", "404"}, posts: 1,
		},
		"the answer shows no invoice yet": {
			prepare: inTurn(onOrder(sandbox.Fault{Kind: sandbox.FaultBody, Body: `{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","transactionId":"t-1","invoices":[]}`}),
				func(b *orderBench) { b.limited(time.Minute) }),
			says: []string{"not settled in time"}, posts: 1,
		},
		"the filter is ignored": {
			options: sandbox.Options{IgnoreFilters: true},
			prepare: func(b *orderBench) {
				other := b.Wanted
				other.TransactionID = "t-10"
				_, err := b.Client.CreateOrder(b.t.Context(), other, nil, nil)
				must(b.t, err)
			},
			want: oneAuthorized, posts: 2,
		},
	} {
		for _, options := range fixture.InBothCases(test.options) {
			rows.Case(t, name, func(t *testing.T) {
				b := newOrderBench(t, options)
				if test.prepare != nil {
					test.prepare(b)
				}
				end := b.over(b.Create(t.Context()))
				wantOrder(t, end, test.want, test.says)
				if strings.Contains(end.met, "found t-1") {
					t.Error("what this run has recorded is said to have been there before")
				}
				wantCount(t, "orders were sent", b.service.Count("POST", fixture.OrdersPath), test.posts)
				wantCount(t, "explicit issues were sent", b.service.Count("POST", fixture.OrderIssuePath), test.issues)
				wantCount(t, "invoices were issued past their order", b.service.Count("POST", fixture.ServiceInvoices+"/{id}/issue"), 0)
			})
		}
	}
}

func TestOrdering_twinIsTheAuthorizedInvoiceOfTheSameOrder(t *testing.T) {
	t.Parallel()
	b := newOrderBench(t, sandbox.Options{})
	b.lasting()
	held := b.service.Invoices(einvoice.ModelService)[0]
	rejected := &einvoice.Invoice{ID: "7c9e6679-7425-40de-944b-e07fc1f90ae7", Model: einvoice.ModelService, Status: "rejected"}
	found, err := b.issuingOf(rejected).findAuthorized(t.Context(), rejected)
	if err != nil || found == nil || string(found.ID) != held["id"] {
		t.Errorf("found %v %v, want %v", found, err, held["id"])
	}
	b.Wanted.TransactionID = "t-2"
	if found, err = b.issuingOf(rejected).findAuthorized(t.Context(), rejected); err != nil || found != nil {
		t.Errorf("found %v %v of another order", found, err)
	}
}

func TestOrdering_sendsTheWholeOrder(t *testing.T) {
	t.Parallel()
	b := newOrderBench(t, sandbox.Options{})
	b.Extra = json.RawMessage(`{"notes":"x"}`)
	b.lasting()
	request, _ := b.service.Last("POST", fixture.OrdersPath)
	want := `{"amount":100,"autoIssueMode":"immediately","customer":{"federalTaxNumber":"52998224725","name":"Maria"},` +
		`"items":[{"amount":100,"price":100,"product":{"code":"serviceInvoice","invoiceModel":"serviceInvoice","name":"Thing"}}],"notes":"x","transactionId":"t-1"}`
	if diff := cmp.Diff(want, string(request.Body)); diff != "" {
		t.Error(diff)
	}
}
