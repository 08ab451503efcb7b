package issuing

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// The state machine of issuing, state by state, against the sandbox on a clock
// that only moves while the machine waits.

// bench is a machine with a service to run against.
type bench struct {
	*Issuing
	service *sandbox.Server
	clock   *sandbox.ManualClock
}

func newBench(t *testing.T, options sandbox.Options) *bench {
	t.Helper()
	clock := sandbox.NewManualClock(time.Now())
	options.Clock = clock
	if options.AuthorizeAfter == 0 {
		options.AuthorizeAfter = 2 * time.Second
	}
	b := benchFor(t, sandbox.Start(t, options))
	b.clock, b.Now = clock, clock.Now
	b.Sleep = func(ctx context.Context, d time.Duration) error {
		clock.Advance(d)
		b.service.Settle()
		return ctx.Err()
	}
	return b
}

// benchFor is a machine on real time.
func benchFor(t *testing.T, service *sandbox.Server) *bench {
	t.Helper()
	return &bench{service: service, Issuing: &Issuing{
		Client: fixture.OwnerClient(t, service), JournalDir: t.TempDir(), Patience: time.Minute, Now: time.Now, Sleep: session.Pause,
		Model: einvoice.ModelService, Known: ByIntegrationID("order-1"), Issue: true,
		Payload: json.RawMessage(`{"description":"Consulting","total":{"invoiceAmount":100}}`),
	}}
}

// limited ends the wait after d on the bench's clock, as `timeouts` do.
func (b *bench) limited(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	t.Cleanup(func() { cancel(nil) })
	end := b.clock.Now().Add(d)
	sleep := b.Sleep
	b.Sleep = func(ctx context.Context, d time.Duration) error {
		if err := sleep(ctx, d); err != nil {
			return err
		}
		if !b.clock.Now().Before(end) {
			return context.DeadlineExceeded
		}
		return nil
	}
	return ctx
}

func (b *bench) posts() int { return b.service.Count("POST", fixture.ServiceInvoices) }

func TestIssuing_createBringsEachStateToItsEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options sandbox.Options
		prepare func(b *bench)
		// What is left when the first create is over.
		status  string // of the invoice that goes into state; "" for an error
		texts   []string
		without string // a text that would be wrong
		posts   int
		checks  int
	}{
		"authorized in a plain run": {status: "authorized", posts: 1},
		"received first":            {prepare: script(sandbox.Authorize().ReceivedFirst()), status: "authorized", posts: 1},
		"rejected by the authority": {
			prepare: script(sandbox.Reject("539", "Duplicidade de NF-e")), posts: 1,
			texts: []string{"NFS-e", "was rejected: 539", "Duplicidade de NF-e", "definitive"},
		},
		"rejected before sending": {prepare: script(sandbox.Reject("SPD003", "campo invalido")), posts: 1, texts: []string{"SPD003", "Rejected by the service"}},
		"denied":                  {prepare: script(sandbox.Deny("302", "Uso denegado")), posts: 1, texts: []string{"is denied", "302", "new `integration_id`"}},
		"removed while waiting":   {prepare: script(sandbox.Remove()), posts: 1, texts: []string{"is removed"}},
		"disabled while waiting":  {prepare: script(sandbox.Disable()), posts: 1, texts: []string{"is disabled"}},
		"stuck until check-status": {
			prepare: script(sandbox.StuckUntilCheck(sandbox.Authorize())), status: "authorized", posts: 1, checks: 1,
		},
		"SPD001 as a rejection, resolved by check-status": {
			prepare: script(sandbox.TransientCode("SPD001", "em processamento", sandbox.Authorize()).OnlyByCheck()), status: "authorized", posts: 1, checks: 1,
		},
		"SPD999 while enqueued, resolved by time": {
			prepare: script(sandbox.TransientCode("SPD999", "sem comunicacao", sandbox.Authorize()).AsEnqueued()), status: "authorized", posts: 1, checks: -1,
		},
		"SPD998 is waited out": {
			prepare: script(sandbox.TransientCode("SPD998", "erro interno", sandbox.Authorize())), status: "authorized", posts: 1, checks: -1,
		},
		"SPD006, then rejected": {
			prepare: script(sandbox.TransientCode("SPD006", "na fila", sandbox.Reject("204", "Duplicidade"))), posts: 1, checks: -1, texts: []string{"204"},
		},
		"a status of the future is waited on": {
			prepare: script(sandbox.UnknownStatus("underReview", sandbox.Authorize())), status: "authorized", posts: 1,
		},
		"a failed processing detail is no verdict": {
			prepare: script(sandbox.Authorize().FailedDetailFirst()), status: "authorized", posts: 1,
		},
		"the answer to the POST is lost": {
			prepare: inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: fixture.ServiceInvoices}), status: "authorized", posts: 1,
		},
		"the answer is lost and the list lags": {
			options: sandbox.Options{NoMergeByIntegrationID: true, ListLag: 8 * time.Second},
			prepare: inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: fixture.ServiceInvoices}), status: "authorized", posts: 1,
		},
		"processed, then answered 500 without a body": {
			prepare: inject(sandbox.Fault{Kind: sandbox.FaultStatusAfter, Method: "POST", Path: fixture.ServiceInvoices, Status: 500}), status: "authorized", posts: 1,
		},
		"the answer is cut off": {
			prepare: inject(sandbox.Fault{Kind: sandbox.FaultTruncate, Method: "POST", Path: fixture.ServiceInvoices}), status: "authorized", posts: 1,
		},
		"the answer is no JSON": {
			prepare: inject(sandbox.Fault{Kind: sandbox.FaultGarbage, Method: "POST", Path: fixture.ServiceInvoices}), status: "authorized", posts: 1,
		},
		"the answer is about another invoice": {
			prepare: inject(sandbox.Fault{
				Kind: sandbox.FaultBody, Method: "POST", Path: fixture.ServiceInvoices,
				Body: `{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","integrationId":"order-2","status":"enqueued"}`,
			}), status: "authorized", posts: 1,
		},
		"the request is lost on the way": {
			prepare: inject(sandbox.Fault{Kind: sandbox.FaultDropBefore, Method: "POST", Path: fixture.ServiceInvoices}), posts: 1,
			texts: []string{"Answer lost", "does not list it", "Nothing was sent a second time"},
		},
		"the look-up fails": {
			prepare: inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: fixture.ServiceInvoices, Status: 404}), posts: 0, texts: []string{"Cannot look up invoice", "HTTP 404"},
		},
		"the service refuses to look up": {
			prepare: inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: fixture.ServiceInvoices, Status: 400}), posts: 0,
			texts: []string{"Cannot look up invoice", "The request changed nothing", "looked up by its `integration_id` first"}, without: "payload_json",
		},
		"the service refuses the payload": {
			prepare: inject(sandbox.Fault{
				Kind: sandbox.FaultStatus, Method: "POST", Path: fixture.ServiceInvoices, Status: 400,
				Body: `{"errors":[{"message":"The field Description is invalid","path":"description"}]}`,
			}), posts: 1, texts: []string{"description: The field Description is invalid.", "No invoice was issued"},
		},
		"a read fails while waiting": {
			prepare: inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: fixture.ServiceInvoices + "/{id}", Status: 500}), status: "authorized", posts: 1,
		},
		"the filter is ignored": {
			options: sandbox.Options{IgnoreFilters: true},
			prepare: func(b *bench) { b.issueOther("order-0", 3) }, status: "authorized", posts: 4,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, test.options)
			if test.prepare != nil {
				test.prepare(b)
			}
			invoice, diags := b.Create(t.Context())
			wantOutcome(t, invoice, diags, test.status, test.texts)
			if test.without != "" && strings.Contains(fixture.DiagnosticText(diags), test.without) {
				t.Errorf("the text has %q:\n%s", test.without, fixture.DiagnosticText(diags))
			}
			if got := b.posts(); got != test.posts {
				t.Errorf("%d invoices were sent, want %d", got, test.posts)
			}
			if got := b.service.Count("POST", fixture.ServiceInvoices+"/{id}/check-status"); test.checks >= 0 && got != test.checks {
				t.Errorf("check-status was called %d times, want %d", got, test.checks)
			}
		})
	}
}

func script(outcomes ...sandbox.Outcome) func(*bench) {
	return func(b *bench) { b.service.ScriptInvoice("order-1", outcomes...) }
}

func inject(f sandbox.Fault) func(*bench) { return func(b *bench) { b.service.Inject(f) } }

// issueOther makes invoices under other ids, straight at the service.
func (b *bench) issueOther(prefix string, n int) {
	for i := range n {
		body := json.RawMessage(fmt.Sprintf(`{"integrationId":"%s-%d","description":"Other","total":{"invoiceAmount":1}}`, prefix, i))
		if _, err := b.Client.CreateInvoice(context.Background(), b.Model, body); err != nil {
			panic(err)
		}
	}
}

// wantOutcome checks how a run ended: with an invoice of a status, or with an
// error that says the texts.
func wantOutcome(t *testing.T, invoice *einvoice.Invoice, diags diag.Diagnostics, status string, texts []string) {
	t.Helper()
	fixture.WantTexts(t, diags, texts...)
	switch {
	case status == "" && !diags.HasError():
		t.Errorf("no error, but the invoice %v", invoice.Status)
	case status != "" && diags.HasError():
		t.Errorf("an error instead of an invoice: %v", diags)
	case status != "" && string(invoice.Status) != status:
		t.Errorf("status %q, want %q", invoice.Status, status)
	}
}

func TestIssuing_applyAgainGoesOn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options sandbox.Options
		first   func(t *testing.T, b *bench) // leaves the service in some state
		second  func(b *bench)               // changes what is wanted
		status  string
		texts   []string
		posts   int // of both runs
		held    int // invoices under order-1 at the end
	}{
		"after a rejection the corrected payload is sent under the same id": {
			first:  failing(script(sandbox.Reject("539", "x"))),
			second: func(b *bench) { b.Payload = json.RawMessage(`{"description":"Other","total":{"invoiceAmount":90}}`) },
			status: "authorized", posts: 2, held: 1,
		},
		"a rejection that the authority does not share is reconciled, not sent again": {
			first: failing(script(sandbox.Reject("539", "x").Reconciled(sandbox.Authorize()))), status: "authorized", posts: 1, held: 1,
		},
		"an authorized invoice is adopted with a warning": {
			first: succeeding, status: "authorized", texts: []string{"Adopted NFS-e"}, posts: 1, held: 1,
		},
		"an authorized invoice of another amount is refused": {
			first:  succeeding,
			second: func(b *bench) { b.Payload = json.RawMessage(`{"description":"x","total":{"invoiceAmount":90}}`) },
			texts:  []string{"Another invoice has this integration_id", "amount: 90 in `payload_json`, 100 at the service"}, posts: 1, held: 1,
		},
		"a timeout is followed by waiting, not by another POST": {
			options: sandbox.Options{AuthorizeAfter: 2 * time.Minute, NoMergeByIntegrationID: true, ListLag: 30 * time.Second},
			first: func(t *testing.T, b *bench) {
				sleep := b.Sleep
				_, diags := b.Create(b.limited(t, 10*time.Second))
				fixture.WantTexts(t, diags, "Still in progress")
				b.Sleep = sleep
			},
			status: "authorized", posts: 1, held: 1,
		},
		"a POST that was never answered is waited for in a list that lags": {
			options: sandbox.Options{NoMergeByIntegrationID: true, ListLag: 20 * time.Second, AuthorizeAfter: 30 * time.Second},
			first: func(_ *testing.T, b *bench) {
				ctx, cancel := context.WithCancel(context.Background())
				b.service.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: fixture.ServiceInvoices})
				b.service.Before("POST", fixture.ServiceInvoices, cancel) // The run is interrupted in the POST.
				b.Create(ctx)
			},
			status: "authorized", posts: 1, held: 1,
		},
		"a POST that never arrived is sent by the next run": {
			first: failing(inject(sandbox.Fault{Kind: sandbox.FaultDropBefore, Method: "POST", Path: fixture.ServiceInvoices})), status: "authorized", posts: 2, held: 1,
		},
		"a canceled one needs a new id": {
			first: func(t *testing.T, b *bench) {
				succeeding(t, b)
				b.service.SetInvoiceStatus(fmt.Sprint(b.service.InvoicesByIntegrationID("order-1")[0]["id"]), "canceled")
			},
			texts: []string{"is canceled", "new `integration_id`"}, posts: 1, held: 1,
		},
		"a draft is issued": {
			first: func(t *testing.T, b *bench) {
				b.Issue = false
				succeeding(t, b)
			},
			second: func(b *bench) { b.Issue = true }, status: "authorized", posts: 1, held: 1,
		},
		"a draft of another amount is corrected and issued": {
			first: func(t *testing.T, b *bench) {
				b.Issue = false
				succeeding(t, b)
			},
			second: func(b *bench) {
				b.Issue, b.Payload = true, json.RawMessage(`{"description":"x","total":{"invoiceAmount":90}}`)
			},
			status: "authorized", posts: 2, held: 1,
		},
		"another machine is told SPD004 and adopts, although the list lags": {
			options: sandbox.Options{ListLag: 20 * time.Second, AuthorizeAfter: 30 * time.Second},
			first:   interruptedInThePost,
			second:  func(b *bench) { b.JournalDir = "" },
			status:  "authorized", posts: 2, held: 1,
		},
		"a draft of a service that does not merge is corrected with a warning": {
			options: sandbox.Options{NoMergeByIntegrationID: true},
			first: func(t *testing.T, b *bench) {
				b.Issue = false
				succeeding(t, b)
			},
			second: func(b *bench) {
				b.Issue, b.Payload = true, json.RawMessage(`{"description":"x","total":{"invoiceAmount":90}}`)
			},
			status: "authorized", texts: []string{"Two invoices under one integration_id"}, posts: 2, held: 2,
		},
		"two invoices under one id are refused by name": {
			options: sandbox.Options{NoMergeByIntegrationID: true},
			first: func(t *testing.T, b *bench) {
				for range 2 {
					body := json.RawMessage(`{"integrationId":"order-1","description":"x","total":{"invoiceAmount":100}}`)
					if _, err := b.Client.CreateInvoice(t.Context(), b.Model, body); err != nil {
						t.Fatal(err)
					}
				}
			},
			texts: []string{"Several invoices have this integration_id", " and "}, posts: 2, held: 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, test.options)
			test.first(t, b)
			if test.second != nil {
				test.second(b)
			}
			invoice, diags := b.Create(t.Context())
			wantOutcome(t, invoice, diags, test.status, test.texts)
			if got := b.posts(); got != test.posts {
				t.Errorf("%d invoices were sent, want %d", got, test.posts)
			}
			if got := len(b.service.InvoicesByIntegrationID("order-1")); got != test.held {
				t.Errorf("the service holds %d invoices, want %d", got, test.held)
			}
		})
	}
}

// interruptedInThePost ends a run as soon as the service has the invoice.
func interruptedInThePost(t *testing.T, b *bench) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	b.service.Before("POST", fixture.ServiceInvoices, cancel)
	if _, diags := b.Create(ctx); !diags.HasError() {
		t.Fatal("the first run must be interrupted")
	}
}

func succeeding(t *testing.T, b *bench) {
	t.Helper()
	if _, diags := b.Create(t.Context()); diags.HasError() {
		t.Fatalf("the first run: %v", diags)
	}
}

func failing(prepare func(*bench)) func(*testing.T, *bench) {
	return func(t *testing.T, b *bench) {
		t.Helper()
		prepare(b)
		if _, diags := b.Create(t.Context()); !diags.HasError() {
			t.Fatal("the first run must fail")
		}
	}
}

func TestIssuing_nothingIsSentAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	b := newBench(t, sandbox.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	b.service.Before("GET", fixture.ServiceInvoices, cancel)
	_, diags := b.Create(ctx)
	wantOutcome(t, nil, diags, "", nil)
	if n := b.posts(); n != 0 {
		t.Errorf("%d invoices were sent after the interrupt", n)
	}
}

func TestIssuing_thePostOutlivesAnInterrupt(t *testing.T) {
	t.Parallel()
	b := newBench(t, sandbox.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	b.service.Before("POST", fixture.ServiceInvoices, cancel)
	_, diags := b.Create(ctx)
	fixture.WantTexts(t, diags, "Interrupted while issuing", `with status "enqueued"`)
	if n := len(b.service.InvoicesByIntegrationID("order-1")); n != 1 {
		t.Errorf("%d invoices, want the one whose POST was under way", n)
	}
}

func (b *bench) onlyID() string {
	return fmt.Sprint(b.service.InvoicesByIntegrationID("order-1")[0]["id"])
}
