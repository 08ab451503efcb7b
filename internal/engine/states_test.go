package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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
	last    string // the id of what was seeded last
}

// example is a row of a table: what has happened to a sale, and how a run then ends. All is said in the words of the
// sandbox, of the engine, and of happenings.
type example struct {
	Row     string
	Service serviceOptions
	Given   []given

	Runs int // 0 is one
	Look *struct {
		lookWords
		Only bool
	} // before the run, where it is set
	Status  string // of the invoice that goes into state; "" for a problem
	Kind    Kind
	Says    []string // by the problem, in its values
	Notes   []EventKind
	Told    int       // how often it is told that the authority cannot be asked yet
	Within  rows.Span // 0 for any time
	Serves  string
	Doubt   bool // in the journal, at the end
	Held    int  // invoices under order-1, at the end
	Posts   int  // these and the next ones were sent by all runs
	Checks  int
	Issues  int // by id
	Deletes int
}

// given is one thing that happens before the run of a row.
type given struct {
	Script   []sandbox.Outcome // of the sale, in turn
	Fault    *sandbox.Fault    // of the POST, where it names no method; {id} is that of what was seeded last
	Invoice  map[string]any    // is there
	Patch    map[string]any    // of the only object
	Record   string            // of the journal, as in decisions.json
	Run      *string           // a run that ends with a problem of the kind, "" for none
	Before   []string          // after so many requests of the invoice by its id
	Becomes  string            // it has this status
	Do       string            // a word of happenings, or of those of orders
	Mode     []string          // of an order: when it is issued, and its status
	Sells    []string          // the models of what an order sells
	Order    map[string]any    // is there
	Invoices string            // the status of the first invoice of all
}

// serviceOptions are those of the sandbox, with times in words.
type serviceOptions struct {
	sandbox.Options
	AuthorizeAfter, ListLag rows.Span
}

func (o serviceOptions) inBothCases() []sandbox.Options {
	o.Options.AuthorizeAfter, o.Options.ListLag = time.Duration(o.AuthorizeAfter), time.Duration(o.ListLag)
	return fixture.InBothCases(o.Options)
}

// happenings are things that happen to a sale, and changes of what is wanted.
var happenings = map[string]func(*bench){
	"a draft":                            func(b *bench) { b.Issue = false },
	"no draft":                           func(b *bench) { b.Issue = true },
	"another amount":                     func(b *bench) { b.Payload = costing90 },
	"the first amount":                   func(b *bench) { b.Payload = costing100 },
	"another issuer":                     func(b *bench) { b.Issuer = fixture.OtherNumber },
	"another machine":                    func(b *bench) { b.Store = &oncetest.Memory{Now: b.Clock.Now} },
	"interrupted in the POST":            interruptedInThePost,
	"canceled outside":                   cancelOutside,
	"canceled outside before the DELETE": func(b *bench) { b.service.Before("DELETE", byID, func() { cancelOutside(b) }) },
	"the counts begin":                   func(b *bench) { b.service.ResetRequests() },
	"an hour at most":                    func(b *bench) { b.Clock = fixture.Limited(b.Clock, time.Hour) },
	"the patience passes":                func(b *bench) { must(b.t, b.Clock.Pause(b.t.Context(), b.Patience)) },
}

const (
	byID             = fixture.ServiceInvoices + "/{id}"
	consumerInvoices = "/v1/consumer-invoices"
)

func (b *bench) happens(g given) {
	b.t.Helper()
	b.service.ScriptInvoice("order-1", g.Script...)
	switch {
	case g.Fault != nil:
		b.service.Inject(faultOf(*g.Fault, b.path(), b.last))
	case g.Invoice != nil:
		b.last = b.service.Seed(sandbox.KindServiceInvoices, g.Invoice)
	case g.Patch != nil:
		b.service.Patch(sandbox.KindServiceInvoices, b.onlyID(), g.Patch)
	case g.Record != "":
		b.write(b.recordOf(g.Record))
	case g.Run != nil:
		_, err := b.Create(b.t.Context())
		if expect.Is(b.t, string(kindOf(err)), *g.Run, "%v: a first run ends with", err); b.t.Failed() {
			b.t.FailNow()
		}
	case g.Becomes != "":
		id, become := b.onlyID(), func() {}
		become = func() {
			if len(g.Before) == 0 {
				b.service.SetInvoiceStatus(id, g.Becomes)
				return
			}
			method := g.Before[0]
			g.Before = g.Before[1:]
			b.service.Before(method, byID, become)
		}
		become()
	case g.Do != "":
		happenings[g.Do](b)
	}
}

// faultOf is a fault of a row. One that names no method is of the POST.
func faultOf(f sandbox.Fault, posted, id string) sandbox.Fault {
	if f.Method == "" {
		f.Method, f.Path = "POST", posted
	}
	f.Body = strings.ReplaceAll(f.Body, "{id}", id)
	return f
}

// recordOf is a record of the payload that is wanted, where it is ours, and of what was seeded last, where that is A.
func (b *bench) recordOf(text string) journal.Record {
	r := recordOf(b.t, text)
	if r.Result == "A" {
		r.Result = b.last
	}
	note := journal.NoteOf[saleNote](r)
	if note.Digest == "ours" {
		note.Digest = b.content()
	}
	return r.Noted(note)
}

// playSales plays the rows of a table. Each is a run of order-1 as it then is.
func playSales(t *testing.T, table string, prepare func(*bench), run func(*bench) (*einvoice.Invoice, error)) {
	t.Helper()
	for _, x := range rows.Read[[]example](t, table) {
		for _, options := range x.Service.inBothCases() {
			rows.Case(t, x.Row, func(t *testing.T) {
				b := newBench(t, options)
				prepare(b)
				for _, g := range x.Given {
					b.happens(g)
				}
				x.isPlayed(b, run)
			})
		}
	}
}

func (x example) isPlayed(b *bench, run func(*bench) (*einvoice.Invoice, error)) {
	b.t.Helper()
	found := ""
	if x.Look != nil {
		found = b.foretells(x)
	}
	for n := range max(1, x.Runs) {
		if x.Look != nil && x.Look.Only {
			break // Nobody authorizes what was only seeded.
		}
		if n > 0 {
			must(b.t, b.Clock.Pause(b.t.Context(), b.Patience))
		}
		b.Notes, b.sent = nil, false
		begun, told := b.Clock.Now(), 0
		b.Watch = func(e Event) { told += map[EventKind]int{Queued: 1}[e.Kind] }
		v, err := run(b)
		if wantOutcome(b.t, v, err, x.Status, x.Kind, x.Says...); found != "" && !strings.EqualFold(string(v.ID), found) {
			b.t.Errorf("it goes on with %s, the look had %s", v.ID, found)
		}
		if n == 0 {
			wantNotes(b.t, b.Issuing, x.Notes...)
		}
		wantCount(b.t, "told that it is queued", told, x.Told)
		if took := b.Clock.Now().Sub(begun); x.Within > 0 && took > time.Duration(x.Within) {
			b.t.Errorf("it took %s", took)
		}
	}
	expect.Is(b.t, b.known().Phase == journal.Sending, x.Doubt, "the journal's doubt")
	held := b.service.InvoicesByIntegrationID("order-1")
	wantCount(b.t, "invoices at the service", len(held), x.Held)
	if x.Serves != "" {
		expect.Is[any](b.t, held[0]["status"], x.Serves, "the status at the service")
	}
	for sent, want := range map[string]int{
		"POST": x.Posts, "POST /{id}/check-status": x.Checks, "POST /{id}/issue": x.Issues, "DELETE /{id}": x.Deletes,
	} {
		method, path, _ := strings.Cut(sent, " ")
		wantCount(b.t, sent, b.service.Count(method, b.path()+path), want)
	}
}

func (b *bench) creates() (*einvoice.Invoice, error) { return b.Create(b.t.Context()) }

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
		Payload: costing100,
	}}
}

// path is where invoices of the model are sent.
func (b *bench) path() string {
	return map[string]string{einvoice.ModelService: fixture.ServiceInvoices, einvoice.ModelConsumer: consumerInvoices}[b.Model]
}

func (b *bench) posts() int { return b.service.Count("POST", b.path()) }

func TestIssuing_createBringsEachStateToItsEnd(t *testing.T) {
	t.Parallel()
	playSales(t, "issuing_create_brings_each_state_to_its_end.json", asItIs, (*bench).creates)
}

func asItIs(*bench) {}

func TestIssuing_applyAgainGoesOn(t *testing.T) {
	t.Parallel()
	playSales(t, "issuing_apply_again_goes_on.json", asItIs, (*bench).creates)
}

// A creation that failed on its way is sent again in the same run, when it has shown nowhere for as long as it might
// take.
func TestIssuing_sendsAgainWhatShowsNowhere(t *testing.T) {
	t.Parallel()
	repeating := func(b *bench) { b.Client = retrying(b.t, b.service) }
	playSales(t, "issuing_sends_again_what_shows_nowhere.json", repeating, (*bench).creates)
}

// A check-status that is answered with 400 says that the invoice is still queued, whatever the service shows of it: what
// was sent may yet be authorized.
func TestIssuing_sendsNothingWhileARejectedInvoiceIsQueued(t *testing.T) {
	t.Parallel()
	playSales(t, "issuing_sends_nothing_while_a_rejected_invoice_is_queued.json", asItIs, (*bench).creates)
}

// The service has no list of its invoices, and makes a second one of a second request.
func TestIssuing_withoutAListTheJournalDecides(t *testing.T) {
	t.Parallel()
	unlisted := func(b *bench) {
		csc := map[string]any{"consumerInvoice": map[string]any{"tokenId": "1", "csc": "a code"}}
		b.service.SetSettings(b.service.OwnerCompanyID(), csc)
		b.Model, b.Payload = einvoice.ModelConsumer, json.RawMessage(fixture.ConsumerPayload)
	}
	playSales(t, "issuing_without_a_list_the_journal_decides.json", unlisted, (*bench).creates)
}

// Services differ in what a second POST under the name of a rejected invoice does. One that keeps it must neither be
// asked for ever, nor issue the payload that was rejected.
func TestIssuing_aServiceThatKeepsARejectedInvoice(t *testing.T) {
	t.Parallel()
	playSales(t, "issuing_a_service_that_keeps_a_rejected_invoice.json", asItIs, (*bench).creates)
}

func TestIssuing_cancelFollowsTheCancellation(t *testing.T) {
	t.Parallel()
	issued := func(b *bench) { succeeding(b); b.service.ResetRequests() }
	cancel := func(b *bench) (*einvoice.Invoice, error) {
		b.Clock = fixture.Limited(b.Clock, 5*time.Minute)
		return b.Cancel(b.t.Context(), b.onlyID(), "Ordered twice by mistake", "")
	}
	playSales(t, "issuing_cancel_follows_the_cancellation.json", issued, cancel)
}

// What a look says is what a creation then does, and the look itself leaves no trace.
func TestLook_saysWhatCreateThenDoes(t *testing.T) {
	t.Parallel()
	playSales(t, "look_says_what_create_then_does.json", asItIs, (*bench).creates)
}

// foretells looks at the sale of a row, and returns the id of what it finds.
func (b *bench) foretells(x example) (found string) {
	b.t.Helper()
	before, now, seen, noted := b.known(), b.Clock.Now(), len(b.service.Requests()), b.Notes
	prospect, err := b.Look(b.t.Context())
	if prospect.Found != nil {
		found = string(prospect.Found.ID)
	}
	x.Look.want(b.t, b.service, seen, stepsOf(prospect), prospect.InDoubt)
	expect.Is(b.t, kindOf(err), x.Kind, "the look ends with %v", err)
	if after := b.known(); after != before || b.Clock.Now().Sub(now) > time.Second || len(b.Notes) != len(noted) || b.sent {
		b.t.Errorf("the look left a trace: %v was %v, notes %v", after, before, b.Notes)
	}
	return found
}

// lookWords are what a look says, and costs.
type lookWords struct {
	Steps    []string
	InDoubt  bool
	Requests int
}

func (want lookWords) want(t *testing.T, service *sandbox.Server, seen int, steps []string, inDoubt bool) {
	t.Helper()
	made := service.Requests()[seen:]
	expect.Same(t, want, lookWords{steps, inDoubt, len(made)}, "the look")
	for _, r := range made {
		expect.Is(t, r.Method, "GET", "the look sends %s by", r.Path)
	}
}

// stepsOf are the steps of a prospect in words; none where nothing is there.
func stepsOf[T any](p Prospect[T]) (steps []string) {
	for _, step := range p.Steps {
		steps = append(steps, [...]string{
			"sends", "sends over", "issues the draft", "awaits", "takes", "changes the status", "lets issue", "issues the rest",
		}[step])
	}
	return steps
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
		if p.Record != "" {
			said += "recorded in " + p.Record + "; "
		}
		for word, is := range map[string]bool{"refused": p.Refused, "still queued": p.Queued, "as before": p.Former} {
			if is {
				said += word + "; "
			}
		}
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

func (b *bench) onlyID() string {
	return fmt.Sprint(b.service.InvoicesByIntegrationID("order-1")[0]["id"])
}

// retrying is a client that repeats a request twice.
func retrying(t *testing.T, service *sandbox.Server) *einvoice.Client {
	t.Helper()
	client, err := einvoice.New(einvoice.Config{BaseURL: service.BaseURL(), APIKey: service.OwnerKey(), MaxRetries: 2})
	must(t, err)
	return client
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

// costing100 is a payload, and costing90 one of another amount.
var (
	costing100 = json.RawMessage(`{"description":"Consulting","federalServiceCode":"17.01","total":{"invoiceAmount":100}}`)
	costing90  = json.RawMessage(`{"description":"x","federalServiceCode":"17.01","total":{"invoiceAmount":90}}`)
)

func must(t *testing.T, err error) {
	t.Helper()
	expect.NoError(t, err)
}
