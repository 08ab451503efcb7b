package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// The state machine of issuing, state by state, against the sandbox on a clock
// that only moves while the machine waits.

// bench is a machine with a service to run against.
type bench struct {
	*Issuing
	t       *testing.T
	service *sandbox.Server
}

func newBench(t *testing.T, options sandbox.Options) *bench {
	t.Helper()
	service, clock := fixture.OnManualClock(t, options)
	b := benchFor(t, service)
	b.Clock, b.Store = clock, &oncetest.Memory{Now: clock.Now}
	return b
}

// benchFor is a machine on real time.
func benchFor(t *testing.T, service *sandbox.Server) *bench {
	t.Helper()
	return &bench{t: t, service: service, Issuing: &Issuing{
		Service: Service{Client: fixture.OwnerClient(t, service), Store: &oncetest.Memory{}, Patience: time.Minute, Clock: poll.RealTime},
		Want:    Want{Issue: true}, Model: einvoice.ModelService, IntegrationID: "order-1",
		Payload: json.RawMessage(`{"description":"Consulting","federalServiceCode":"17.01","total":{"invoiceAmount":100}}`),
	}}
}

func (b *bench) posts() int { return b.service.Count("POST", fixture.ServiceInvoices) }

// Whose key it is cannot be asked where no list shows the companies: one sale goes first, and its invoice shows it.
func TestIssuing_issuerOnAServiceThatListsNoCompanies(t *testing.T) {
	t.Parallel()
	for issuer, kind := range map[string]Kind{"": "", fixture.MainNumber: "", fixture.OtherNumber: OtherCompany} {
		rows.Case(t, issuer, func(t *testing.T) {
			b := newBench(t, sandbox.Options{OnlySpecified: true})
			b.Issuer = issuer
			for n := range 2 {
				b.IntegrationID = fmt.Sprint("order-", n)
				if _, err := b.Create(t.Context()); kindOf(err) != kind {
					t.Errorf("invoice %d ends with %v, want %q", n, err, kind)
				}
			}
			if want := map[Kind]int{"": 2, OtherCompany: 1}[kind]; b.posts() != want {
				t.Errorf("%d invoices were sent, want %d", b.posts(), want)
			}
		})
	}
}

func TestIssuing_createBringsEachStateToItsEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options sandbox.Options
		prepare func(b *bench)
		// What is left when the first create is over.
		status string // of the invoice that goes into state; "" for a problem
		kind   Kind
		says   []string
		posts  int
		checks int
	}{
		"authorized in a plain run": {status: "authorized", posts: 1},
		"authorized on a service that lists late": {
			options: sandbox.Options{NoMergeByIntegrationID: true, ListLag: 6 * time.Second}, status: "authorized", posts: 1,
		},
		"rejected by the authority": {
			prepare: script(sandbox.Reject("539", "Duplicidade de NF-e")), posts: 1,
			kind: Rejected, says: []string{"539", "Duplicidade de NF-e"},
		},
		"denied": {prepare: script(sandbox.Deny("302", "Uso denegado")), posts: 1, kind: Ended, says: []string{"denied", "302"}},
		"stuck until check-status": {
			prepare: script(sandbox.StuckUntilCheck(sandbox.Authorize())), status: "authorized", posts: 1, checks: 1,
		},
		"SPD001 as a rejection, resolved by check-status": {
			prepare: script(sandbox.TransientCode("SPD001", "em processamento", sandbox.Authorize()).OnlyByCheck()), status: "authorized", posts: 1, checks: 1,
		},
		"a failed processing detail is no verdict": {
			prepare: script(sandbox.Authorize().FailedDetailFirst()), status: "authorized", posts: 1,
		},
		"the answer is about another invoice": {
			prepare: inject(sandbox.Fault{
				Kind: sandbox.FaultBody, Method: "POST", Path: fixture.ServiceInvoices,
				Body: `{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","integrationId":"order-2","status":"enqueued"}`,
			}), status: "authorized", posts: 1,
		},
		"the answer is another sale's, as the next read shows": {
			prepare: mixedUp(0), posts: 1, kind: Misnamed, says: []string{"has order-2"},
		},
		"the answer is another sale's, as a later read shows": {
			prepare: mixedUp(1), posts: 1, kind: Misnamed, says: []string{"has order-2"},
		},
		"the filter is ignored": {
			options: sandbox.Options{IgnoreFilters: true},
			prepare: inTurn(issued("order-0"), issued("order-01")), status: "authorized", posts: 1,
		},
	} {
		for _, options := range fixture.InBothCases(test.options) {
			rows.Case(t, name, func(t *testing.T) {
				b := newBench(t, options)
				if test.prepare != nil {
					test.prepare(b)
				}
				invoice, err := b.Create(t.Context())
				wantOutcome(t, invoice, err, test.status, test.kind, test.says...)
				wantCount(t, "invoices were sent", b.posts(), test.posts)
				if got := b.service.Count("POST", fixture.ServiceInvoices+"/{id}/check-status"); test.checks >= 0 && got != test.checks {
					t.Errorf("check-status was called %d times, want %d", got, test.checks)
				}
			})
		}
	}
}

// A list that ignores the filter shows the sale whose name differs in case: the journal knows whose it is.
func TestIssuing_namesThatDifferInCaseAreTwoSales(t *testing.T) {
	t.Parallel()
	b := newBench(t, sandbox.Options{IgnoreFilters: true, NoMergeByIntegrationID: true})
	ids := map[einvoice.Text]bool{}
	for _, name := range []string{"Sale-a", "sale-A", "Sale-a"} {
		b.IntegrationID = name
		invoice, err := b.Create(t.Context())
		wantOutcome(t, invoice, err, "authorized", "")
		ids[invoice.ID] = true
	}
	if n := b.posts(); n != 2 || len(ids) != 2 {
		t.Errorf("%d invoices were sent for two sales, and three runs ended with %v", n, ids)
	}
}

func script(outcomes ...sandbox.Outcome) func(*bench) {
	return func(b *bench) { b.service.ScriptInvoice("order-1", outcomes...) }
}

func issued(name string) func(*bench) {
	return func(b *bench) {
		b.service.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": name, "status": "authorized", "amount": 100})
	}
}

func inject(f sandbox.Fault) func(*bench) { return func(b *bench) { b.service.Inject(f) } }

// onPost lets a POST of the invoice fail.
func onPost(f sandbox.Fault) func(*bench) {
	f.Method, f.Path = "POST", fixture.ServiceInvoices
	return inject(f)
}

// wantOutcome checks how a run ended: with an invoice of a status, or with a
// problem of a kind that says, in its values, what was met.
func wantOutcome(t *testing.T, invoice *einvoice.Invoice, err error, status string, kind Kind, says ...string) {
	t.Helper()
	if status != "" && (err != nil || string(invoice.Status) != status) {
		t.Errorf("ended with %v and %v, want an invoice that is %s", invoice, err, status)
	}
	if status == "" {
		wantProblem(t, err, kind, says...)
	}
}

func wantProblem(t *testing.T, err error, kind Kind, says ...string) {
	t.Helper()
	if kindOf(err) != kind {
		t.Fatalf("ended with %v, want a problem of the kind %q", err, kind)
	}
	wantSaid(t, saidOf(err), says)
}

func wantSaid(t *testing.T, said string, texts []string) {
	t.Helper()
	for _, text := range texts {
		expect.Contains(t, said, text)
	}
}

// saidOf is all that the problems of a run say, in the engine's own words.
func saidOf(err error) (said string) {
	for _, p := range problemsOf(err) {
		said += fmt.Sprintf("%s %s; ", p.Model, p)
		if v := p.Invoice; v == nil {
			said += "no invoice"
		} else {
			said += fmt.Sprintf("it is %s: %v", v.Status, v.ProcessingDetail)
		}
		said += fmt.Sprintf("; %d repetitions; %v; has %s; ", p.Repetitions, p.Differences, p.Name)
		if p.Order != nil {
			said += fmt.Sprintf("order %s is %s; ", p.Order.ID, p.Order.Status)
		}
	}
	return said
}

func wantCount(t *testing.T, of string, got, want int) {
	t.Helper()
	expect.Is(t, got, want, "%s", of)
}

// wantNotes checks which notes were taken.
func wantNotes(t *testing.T, i *Issuing, want ...EventKind) {
	t.Helper()
	var got []EventKind
	for _, n := range i.Notes {
		got = append(got, n.Kind)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the notes are %q, want %q", got, want)
	}
}

// A run without state may correct and issue the draft that another state still has: the plan of that state learns it.
func TestPending_knowsWhatARunWithoutStateHasSentOverADraft(t *testing.T) {
	t.Parallel()
	b := newBench(t, sandbox.Options{})
	drafted(b)
	b.Issue, b.Payload = true, costing90
	succeeding(b)
	if sent, _ := b.Pending(t.Context(), b.onlyID()); !sent {
		t.Errorf("the journal has forgotten what was sent: %+v", b.known())
	}
	wantCount(t, "invoices at the service", len(b.service.InvoicesByIntegrationID("order-1")), 1)
}

func TestIssuing_applyAgainGoesOn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options sandbox.Options
		first   func(b *bench) // leaves the service in some state
		second  func(b *bench) // changes what is wanted
		status  string
		kind    Kind
		says    []string
		note    EventKind
		posts   int // of both runs
		held    int // invoices under order-1 at the end
	}{
		"after a rejection the corrected payload is sent under the same id": {
			first: failing(script(sandbox.Reject("539", "x"))),
			second: func(b *bench) {
				b.Payload = json.RawMessage(`{"description":"Other","federalServiceCode":"17.01","total":{"invoiceAmount":90}}`)
			},
			status: "authorized", posts: 2, held: 1,
		},
		"an authorized invoice is adopted with a warning": {
			first: succeeding, status: "authorized", note: Adopted, posts: 1, held: 1,
		},
		"another machine is told SPD004 and adopts, although the list lags": {
			options: sandbox.Options{ListLag: 20 * time.Second, AuthorizeAfter: 30 * time.Second},
			first:   interruptedInThePost,
			second:  func(b *bench) { b.Store = &oncetest.Memory{Now: b.Clock.Now} },
			status:  "authorized", posts: 2, held: 1,
		},
		"another machine is answered with the invoice of another amount, and is told so": {
			options: sandbox.Options{AnswersWithWhatIsThere: true, ListLag: 20 * time.Second, AuthorizeAfter: 30 * time.Second},
			first:   interruptedInThePost,
			second:  func(b *bench) { b.Store, b.Payload = &oncetest.Memory{Now: b.Clock.Now}, costing90 },
			status:  "authorized", note: Unlike, posts: 2, held: 1,
		},
		"a payload of another amount that was refused does not keep the right one from being taken": {
			options: sandbox.Options{ListLag: 20 * time.Second, AuthorizeAfter: 30 * time.Second},
			first:   interruptedInThePost,
			second: func(b *bench) {
				if !refusedElsewhere(b) {
					b.t.Error("the problem does not say that the payload was refused")
				}
			},
			status: "authorized", posts: 2, held: 1,
		},
		"a draft of a service that does not merge is corrected with a warning, although the answer is lost": {
			options: sandbox.Options{NoMergeByIntegrationID: true},
			first:   drafted,
			second: func(b *bench) {
				b.Issue, b.Payload = true, costing90
				onPost(sandbox.Fault{Kind: sandbox.FaultDropAfter})(b)
			},
			status: "authorized", note: NotMerged, posts: 2, held: 2,
		},
	} {
		for _, options := range fixture.InBothCases(test.options) {
			rows.Case(t, name, func(t *testing.T) {
				b := newBench(t, options)
				test.first(b)
				if test.second != nil {
					test.second(b)
				}
				b.Notes, b.sent = nil, false
				invoice, err := b.Create(t.Context())
				wantOutcome(t, invoice, err, test.status, test.kind, test.says...)
				if test.note != "" {
					wantNotes(t, b.Issuing, test.note)
				}
				wantCount(t, "invoices were sent", b.posts(), test.posts)
				wantCount(t, "invoices at the service", len(b.service.InvoicesByIntegrationID("order-1")), test.held)
			})
		}
	}
}

// refusedElsewhere sends a payload of another amount from another machine, and reports whether the service refused it.
func refusedElsewhere(b *bench) bool {
	right := b.Payload
	b.Store, b.Payload = &oncetest.Memory{Now: b.Clock.Now}, costing90
	_, err := b.Create(b.t.Context())
	wantProblem(b.t, err, Another, "{amount 90 100}")
	b.Payload = right
	return problemsOf(err)[0].Refused
}

// costing90 is a payload of another amount.
var costing90 = json.RawMessage(`{"description":"x","federalServiceCode":"17.01","total":{"invoiceAmount":90}}`)

// interruptedInThePost ends a run as soon as the service has the invoice.
func interruptedInThePost(b *bench) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.t.Context())
	b.service.Before("POST", fixture.ServiceInvoices, cancel)
	_, err := b.Create(ctx)
	wantProblem(b.t, err, Interrupted)
}

func succeeding(b *bench) {
	b.t.Helper()
	if _, err := b.Create(b.t.Context()); err != nil {
		b.t.Fatalf("the first run: %v", err)
	}
}

func drafted(b *bench) {
	b.Issue = false
	succeeding(b)
}

func failing(prepare func(*bench)) func(*bench) {
	return func(b *bench) {
		b.t.Helper()
		prepare(b)
		if _, err := b.Create(b.t.Context()); err == nil {
			b.t.Fatal("the first run must fail")
		}
	}
}

func (b *bench) onlyID() string {
	return fmt.Sprint(b.service.InvoicesByIntegrationID("order-1")[0]["id"])
}

// A creation that failed on its way is sent again in the same run, when it has
// shown nowhere for as long as it might take.
func TestIssuing_sendsAgainWhatShowsNowhere(t *testing.T) {
	t.Parallel()
	failing := func(status, times int, wait string) func(*bench) {
		return onPost(sandbox.Fault{Kind: sandbox.FaultStatus, Status: status, Times: times, Header: http.Header{"Retry-After": {wait}}})
	}
	for name, test := range map[string]struct {
		options sandbox.Options
		prepare func(b *bench)
		lost    bool
		posts   int
	}{
		"cut on the way there, twice":        {prepare: onPost(sandbox.Fault{Kind: sandbox.FaultDropBefore, Times: 2}), posts: 3},
		"503, as often as there are retries": {prepare: failing(503, 2, "60"), posts: 3},
		"503, more often":                    {prepare: failing(503, 3, "1"), lost: true, posts: 3},
		"cut on the way there, then on the way back, and listed late": {
			options: sandbox.Options{NoMergeByIntegrationID: true, ListLag: 55 * time.Second},
			prepare: inTurn(
				onPost(sandbox.Fault{Kind: sandbox.FaultDropBefore}), onPost(sandbox.Fault{Kind: sandbox.FaultDropAfter}),
			), posts: 2,
		},
		"503, then refused: the first one stays in doubt": {
			prepare: inTurn(failing(503, 1, "1"), failing(400, 1, "")), lost: true, posts: 2,
		},
	} {
		rows.Case(t, name, func(t *testing.T) {
			b := newBench(t, test.options)
			b.Client = retrying(t, b.service)
			test.prepare(b)
			_, err := b.Create(t.Context())
			p := (*Problem)(nil)
			if isProblem := errors.As(err, &p); isProblem != test.lost || isProblem && p.Kind == AnswerLost && p.Repetitions != test.posts-1 {
				t.Errorf("it ends with %v, %+v", err, p)
			}
			wantCount(t, "invoices were sent", b.posts(), test.posts)
			expect.Is(t, b.known().Phase == journal.Sending, test.lost, "the journal's doubt")
			held := map[bool]int{false: 1}[test.lost]
			wantCount(t, "invoices at the service", len(b.service.InvoicesByIntegrationID("order-1")), held)
			wantNotes(t, b.Issuing)
		})
	}
}

// retrying is a client that repeats a request twice.
func retrying(t *testing.T, service *sandbox.Server) *einvoice.Client {
	t.Helper()
	client, err := einvoice.New(einvoice.Config{BaseURL: service.BaseURL(), APIKey: service.OwnerKey(), MaxRetries: 2})
	must(t, err)
	return client
}

// mixedUp has the service answer the POST with another sale's invoice, without its name.
// The first reads of it fail.
func mixedUp(failures int) func(*bench) {
	return func(b *bench) {
		id := b.service.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "order-2", "status": "authorized", "amount": 100})
		onPost(sandbox.Fault{Kind: sandbox.FaultBody, Body: fmt.Sprintf(`{"id":%q,"status":"enqueued"}`, id)})(b)
		if failures > 0 {
			inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: fixture.ServiceInvoices + "/{id}", Status: 404, Times: failures})(b)
		}
	}
}

// A service that gives each invoice another name is sent the sale once, however often it is applied.
func TestIssuing_sendsNothingBesideWhatHasAnotherName(t *testing.T) {
	t.Parallel()
	b := newBench(t, sandbox.Options{})
	id := b.service.Seed(sandbox.KindServiceInvoices, map[string]any{
		"integrationId": "ERP-order-1", "status": "authorized", "amount": 100,
	})
	onPost(sandbox.Fault{
		Kind: sandbox.FaultStatus, Status: http.StatusOK,
		Body: fmt.Sprintf(`{"id":%q,"integrationId":"ERP-order-1","status":"authorized"}`, id),
	})(b)
	for range 3 {
		_, err := b.Create(t.Context())
		must(t, b.Clock.Pause(t.Context(), b.Patience))
		p := (*Problem)(nil)
		if !errors.As(err, &p) || p.Kind != Misnamed || p.Record == "" || p.Name != "ERP-order-1" {
			t.Errorf("it ends with %v, %+v, want one that names the other invoice", err, p)
		}
	}
	wantCount(t, "invoices were sent", b.posts(), 1)
}

// A check-status that is answered with 400 says that the invoice is still queued,
// whatever the service shows of it: what was sent may yet be authorized.
func TestIssuing_sendsNothingWhileARejectedInvoiceIsQueued(t *testing.T) {
	t.Parallel()
	const checkPath = fixture.ServiceInvoices + "/{id}/check-status"
	thrice := inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: checkPath, Status: 400, Times: 3})
	for name, test := range map[string]struct {
		options sandbox.Options
		outcome sandbox.Outcome
		second  func(b *bench)
		within  time.Duration
		status  string
		kind    Kind
		posts   int
	}{
		"queued for some time, then authorized": {
			outcome: sandbox.Reject("539", "x").Reconciled(sandbox.Authorize()),
			second:  thrice, status: "authorized", posts: 1,
		},
		"queued for some time, then rejected": {
			outcome: sandbox.Reject("539", "x"), second: thrice, status: "authorized", posts: 2,
		},
		"queued for ever": {
			options: sandbox.Options{CheckStatusQueued: true}, outcome: sandbox.Reject("539", "x"),
			second: func(b *bench) { b.Clock, b.Payload = fixture.Limited(b.Clock, time.Hour), costing90 },
			within: 150 * time.Second, kind: TimedOut, posts: 1,
		},
		"a service without check-status": {
			options: sandbox.Options{Without: []string{"POST /v1/service-invoices/{id}/check-status"}}, outcome: sandbox.Reject("539", "x"),
			status: "authorized", posts: 2,
		},
	} {
		rows.Case(t, name, func(t *testing.T) {
			b := newBench(t, test.options)
			failing(script(test.outcome))(b)
			if test.second != nil {
				test.second(b)
			}
			b.Notes, b.sent = nil, false
			begun, told := b.Clock.Now(), 0
			b.Watch = func(e Event) {
				if e.Kind == Queued {
					told++
				}
			}
			v, err := b.Create(t.Context())
			wantOutcome(t, v, err, test.status, test.kind)
			if took := b.Clock.Now().Sub(begun); test.within > 0 && took > test.within {
				t.Errorf("it waited for %s, want at most %s", took, test.within)
			}
			expect.Is(t, test.second != nil, (told == 1), "the wait was told %d times", told)
			if p := problemsOf(err); p != nil && !p[0].Queued {
				t.Errorf("%+v does not say that it is queued", p[0])
			}
			wantCount(t, "invoices were sent", b.posts(), test.posts)
		})
	}
}

// Two machines issue and order the same sales at the same moment, on a service that does
// not merge and lists nothing: with a journal each they would make two of each.
func TestTwoMachinesWithADatabaseSendOnce(t *testing.T) {
	t.Parallel()
	const invoices, orders = 20, 8
	server := fixture.Postgres(t)
	service := sandbox.Start(t, sandbox.Options{NoMergeByIntegrationID: true, ListLag: time.Hour, Clock: sandbox.NewManualClock(time.Now())})
	var both sync.WaitGroup
	for range 2 {
		database, err := journal.OpenPostgres(server.URL(""))
		must(t, err)
		for n := range invoices {
			b := benchFor(t, service)
			b.Store, b.IntegrationID = database, fmt.Sprintf("order-%d", n)
			both.Go(func() {
				v, err := b.Create(t.Context())
				wantOutcome(t, v, err, "authorized", "")
			})
		}
		for n := range orders {
			b := newOrderBench(t, sandbox.Options{})
			b.Client, b.Clock, b.Store, b.service = fixture.OwnerClient(t, service), poll.RealTime, database, service
			b.Wanted.TransactionID = einvoice.Text(fmt.Sprintf("t-%d", n))
			both.Go(func() {
				wantOrder(t, b.over(b.Create(t.Context())), oneAuthorized, nil)
			})
		}
	}
	both.Wait()
	wantCount(t, "invoices were sent", service.Count("POST", fixture.ServiceInvoices), invoices)
	wantCount(t, "orders were sent", service.Count("POST", fixture.OrdersPath), orders)
	expect.Is(t, len(service.Invoices(einvoice.ModelService)), invoices+orders, "the service holds invoices")
}

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
		rows.Case(t, name, func(t *testing.T) {
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
		rows.Case(t, name, func(t *testing.T) {
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
