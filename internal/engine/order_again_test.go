package engine

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
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
			t.Run(name, func(t *testing.T) {
				t.Parallel()
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
