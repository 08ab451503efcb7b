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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
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
		t.Run(issuer, func(t *testing.T) {
			t.Parallel()
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
			t.Run(name, func(t *testing.T) {
				t.Parallel()
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
		if !strings.Contains(said, text) {
			t.Errorf("%q is not told: %s", text, said)
		}
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
	if got != want {
		t.Errorf("%d %s, want %d", got, of, want)
	}
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
			t.Run(name, func(t *testing.T) {
				t.Parallel()
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
