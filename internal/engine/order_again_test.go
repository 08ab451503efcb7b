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

// The state machine of orders, state by state, against the sandbox on a clock
// that only moves while the machine waits.

// orderBench is a machine with a service to run against.
type orderBench struct {
	*Ordering
	t       *testing.T
	service *sandbox.Server
	last    string // the id of what was seeded last
}

// orderExample is a row of a table: what has happened to the sale t-1, and how a run then ends.
type orderExample struct {
	Row     string
	Service serviceOptions
	Given   []given

	Update    bool // of the only order, which is in state
	Look      *lookWords
	Invoices  []string // their states at the end; nil for a problem
	Says      []string // by all that the run has to tell
	Found     bool     // the order was there
	IssueBody string   // of the explicit issue, where it matters
	Orders    int      // at the end
	Posts     int      // these and the next ones were sent by all runs
	Puts      int      // of the status
	Issues    int      // explicit
}

// orderHappenings are things that happen to an order, and changes of what is wanted.
var orderHappenings = map[string]func(*orderBench){
	"explicitly":            func(b *orderBench) { b.Issue, b.IssueNow = true, true },
	"not waited for":        func(b *orderBench) { b.Waits = false },
	"on a date":             func(b *orderBench) { b.EffectiveDate = "2026-03-15T10:00:00-03:00" },
	"half an hour at most":  func(b *orderBench) { b.Clock = fixture.Limited(b.Clock, 30*time.Minute) },
	"a minute at most":      func(b *orderBench) { b.Clock = fixture.Limited(b.Clock, time.Minute) },
	"two retries":           func(b *orderBench) { b.Client = retrying(b.t, b.service) },
	"its read is named":     func(b *orderBench) { b.named("GET " + fixture.OrderPath) },
	"its read is not named": func(b *orderBench) { b.Client = fixture.OwnerClient(b.t, b.service) },
	"contingency is accepted": func(b *orderBench) {
		b.AcceptContingency = true
		allowed := map[string]any{"tokenId": "1", "csc": "c", "allowOfflineContingency": true, "environmentType": "development"}
		b.service.SetSettings(b.service.OwnerCompanyID(), map[string]any{"consumerInvoice": allowed})
	},
	"recorded":         func(b *orderBench) { b.recorded("t-1") },
	"recorded as t-10": func(b *orderBench) { b.recorded("t-10") },
	"another amount, customer and mode": func(b *orderBench) {
		amount := einvoice.Number(90)
		b.Wanted.Amount, b.Wanted.AutoIssueMode = &amount, einvoice.IssueDisabled
		b.Wanted.Customer = &einvoice.Customer{Name: "M", FederalTaxNumber: "11222333000181"}
	},
	"it is removed": func(b *orderBench) { b.service.Remove(sandbox.KindOrders, b.onlyID()) },
	"approved outside": func(b *orderBench) {
		_, err := b.Client.SetOrderStatus(b.t.Context(), b.onlyID(), "approved", nil)
		must(b.t, err)
	},
	"authorized while it waits": func(b *orderBench) {
		pause := b.Clock.Pause
		b.Clock.Pause = func(ctx context.Context, d time.Duration) error {
			if d > 0 {
				b.service.SetInvoiceStatus(b.firstInvoice(), "authorized")
			}
			return pause(ctx, d)
		}
	},
	"another invoice has its place": func(b *orderBench) {
		order := b.service.Invoices(einvoice.ModelService)[0]["order"]
		b.service.Seed("serviceInvoices", map[string]any{"status": "authorized", "order": order, "_company": b.service.OwnerCompanyID()})
	},
}

func (b *orderBench) happens(g given) {
	b.t.Helper()
	b.service.ScriptInvoice("t-1", g.Script...)
	switch {
	case g.Fault != nil:
		b.service.Inject(faultOf(*g.Fault, fixture.OrdersPath, b.last))
	case g.Order != nil:
		b.last = b.service.Seed(sandbox.KindOrders, g.Order)
	case g.Patch != nil:
		b.service.Patch(sandbox.KindOrders, b.onlyID(), g.Patch)
	case g.Invoices != "":
		b.service.SetInvoiceStatus(b.firstInvoice(), g.Invoices)
	case g.Record != "":
		loaded(b.t, &b.Service, b.key()).Keep(b.t.Context(), recordOf(b.t, g.Record))
	case g.Mode != nil:
		b.mode(g.Mode[0], g.Mode[1])
	case g.Sells != nil:
		b.sell(g.Sells...)
	case g.Run != nil && *g.Run == "":
		b.lasting()
	case g.Run != nil:
		wantOrder(b.t, b.over(b.Create(b.t.Context())), nil, []string{*g.Run})
	case g.Do != "":
		orderHappenings[g.Do](b)
	}
}

// playOrders plays the rows of a table. Each is a run of t-1 as it then is.
func playOrders(t *testing.T, table string) {
	t.Helper()
	for _, x := range rows.Read[[]orderExample](t, table) {
		for _, options := range x.Service.inBothCases() {
			rows.Case(t, x.Row, func(t *testing.T) {
				b := newOrderBench(t, options)
				for _, g := range x.Given {
					b.happens(g)
				}
				x.isPlayed(b)
			})
		}
	}
}

func (x orderExample) isPlayed(b *orderBench) {
	b.t.Helper()
	var foretold error
	if x.Look != nil {
		foretold = b.foretells(*x.Look)
	}
	end := outcome{}
	if x.Update {
		end = b.over(b.Update(b.t.Context(), b.onlyID()))
	} else {
		end = b.over(b.Create(b.t.Context()))
	}
	wantOrder(b.t, end, x.Invoices, x.Says)
	expect.Is(b.t, strings.Contains(end.met, "found t-1"), x.Found, "it is said to have been there before")
	if x.Look != nil {
		expect.Is(b.t, saidOf(foretold), saidOf(end.err), "what the look says")
	}
	wantCount(b.t, "orders at the service", len(b.service.Objects(sandbox.KindOrders)), x.Orders)
	for sent, want := range map[string]int{
		"POST " + fixture.OrdersPath: x.Posts, "PUT " + fixture.OrderPath + "/status": x.Puts,
		"POST " + fixture.OrderIssuePath: x.Issues, "POST " + byID + "/issue": 0, // Past their order.
	} {
		method, path, _ := strings.Cut(sent, " ")
		wantCount(b.t, sent, b.service.Count(method, path), want)
	}
	if request, ok := b.service.Last("POST", fixture.OrderIssuePath); ok && x.IssueBody != "" {
		expect.Is(b.t, string(request.Body), x.IssueBody, "it was issued with")
	}
}

// foretells looks at the order, and returns the problem that a creation would end with.
func (b *orderBench) foretells(want lookWords) error {
	b.t.Helper()
	known, now, seen := b.known(), b.Clock.Now(), len(b.service.Requests())
	prospect, problem := b.Look(b.t.Context())
	want.want(b.t, b.service, seen, stepsOf(prospect), prospect.InDoubt)
	if after := b.known(); after != known || !b.Clock.Now().Equal(now) {
		b.t.Errorf("the look left a trace: %v, was %v", after, known)
	}
	return problem
}

func TestOrdering_createBringsEachSaleToItsEnd(t *testing.T) {
	t.Parallel()
	playOrders(t, "ordering_create_brings_each_sale_to_its_end.json")
}

// What a second run does with an order that a first one has left behind.
func TestOrdering_applyAgainGoesOn(t *testing.T) {
	t.Parallel()
	playOrders(t, "ordering_apply_again_goes_on.json")
}

func TestOrdering_updateBringsAnOrderInStateFurther(t *testing.T) {
	t.Parallel()
	playOrders(t, "ordering_update_brings_an_order_in_state_further.json")
}

// The service reads orders by their ids and does not list them, and takes a second one.
func TestOrdering_withoutAListTheJournalDecides(t *testing.T) {
	t.Parallel()
	playOrders(t, "ordering_without_a_list_the_journal_decides.json")
}

// What a look says is what a creation then does, and the look itself leaves no trace.
func TestLook_saysWhatCreateOfAnOrderThenDoes(t *testing.T) {
	t.Parallel()
	playOrders(t, "look_says_what_create_of_an_order_then_does.json")
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

func (b *orderBench) known() journal.Record { return loaded(b.t, &b.Service, b.key()).Known }

func (b *orderBench) recorded(transaction string) {
	wanted := b.Wanted
	wanted.TransactionID = einvoice.Text(transaction)
	_, err := b.Client.CreateOrder(b.t.Context(), wanted, nil, nil)
	must(b.t, err)
}

func (b *orderBench) firstInvoice() string {
	return fmt.Sprint(b.service.Invoices(einvoice.ModelService)[0]["id"])
}

// named names the read of an order in the provider block.
func (b *orderBench) named(read string) {
	b.t.Helper()
	client, err := einvoice.New(einvoice.Config{
		BaseURL: b.service.BaseURL(), APIKey: b.service.OwnerKey(), Operations: map[string]string{"get_order": read},
	})
	must(b.t, err)
	b.Client = client
}
