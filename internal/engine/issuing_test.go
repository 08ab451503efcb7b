package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestIssuingBody_keepsThePayloadButForItsPunctuation(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Payload string
		Draft   bool
		Want    string
	}](t, "issuing_body_keeps_the_payload_but_for_its_punctuation.json") {
		body, err := issuingBody(json.RawMessage(test.Payload), "order-1", !test.Draft)
		if diff := cmp.Diff(test.Want, string(body)); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	if body, err := issuingBody(json.RawMessage(`[]`), "order-1", true); err == nil {
		t.Errorf("a payload that is no object is sent as %s", body)
	}
}

func TestDifferences_comparesWhatBothSidesKnow(t *testing.T) {
	t.Parallel()
	amount := einvoice.Number(100.10)
	held := &einvoice.Invoice{Model: "serviceInvoice", Amount: &amount, Receiver: &einvoice.Party{FederalTaxNumber: "11222333000181"}}
	for name, test := range rows.Read[map[string]struct {
		Payload string
		Want    int
	}](t, "differences_compares_what_both_sides_know.json") {
		if got := Differences(json.RawMessage(test.Payload), "serviceInvoice", held); len(got) != test.Want {
			t.Errorf("%s: differences = %q, want %d", name, got, test.Want)
		}
	}
	if got := Differences(json.RawMessage(`{}`), "productInvoice", held); len(got) != 1 {
		t.Errorf("differences = %q, want the model", got)
	}
}

func TestUncompared_namesWhatOneSideDoesNotShow(t *testing.T) {
	t.Parallel()
	amount, none := einvoice.Number(100), einvoice.Number(0)
	maria := &einvoice.Party{FederalTaxNumber: "52998224725"}
	for name, test := range map[string]struct {
		payload string
		held    einvoice.Invoice
		want    []string
		issuer  string
	}{
		"all is known":                    {`{"payments":[{"amount":1}],"receiver":{"federalTaxNumber":"1"}}`, einvoice.Invoice{Amount: &amount, Receiver: maria}, nil, ""},
		"neither has a receiver":          {`{"items":[{"totalAmount":1}]}`, einvoice.Invoice{Amount: &amount}, nil, ""},
		"no amount is configured":         {`{"description":"x"}`, einvoice.Invoice{Amount: &amount}, []string{"amount"}, ""},
		"a sum that nobody can tell":      {`{"items":[{"totalAmount":1,"discountAmount":1}]}`, einvoice.Invoice{Amount: &amount}, []string{"amount"}, ""},
		"the service shows no amount":     {`{"total":{"invoiceAmount":1}}`, einvoice.Invoice{Amount: &none}, []string{"amount"}, ""},
		"the service shows no receiver":   {`{"total":{"invoiceAmount":1},"receiver":{"federalTaxNumber":"1"}}`, einvoice.Invoice{Amount: &amount}, []string{"receiver"}, ""},
		"the service shows no company":    {`{"total":{"invoiceAmount":1}}`, einvoice.Invoice{Amount: &amount}, []string{"issuer"}, "11222333000181"},
		"the service shows a company":     {`{"total":{"invoiceAmount":1}}`, einvoice.Invoice{Amount: &amount, Company: &einvoice.InvoiceCompany{FederalTaxNumber: "1"}}, nil, "11222333000181"},
		"nothing is known of the payload": {``, einvoice.Invoice{Amount: &amount, Receiver: maria}, []string{"amount", "receiver"}, ""},
	} {
		expect.Same(t, test.want, Uncompared(json.RawMessage(test.payload), test.issuer, &test.held), "%s", name)
	}
}

func TestDifferences_writesAmountsForAPerson(t *testing.T) {
	t.Parallel()
	held := einvoice.Number(1500000.5)
	got := Differences(json.RawMessage(`{"payments":[{"amount":0.1},{"amount":0.2}]}`), "consumerInvoice", &einvoice.Invoice{Amount: &held})
	expect.Same(t, []Difference{{"amount", "0.3", "1500000.5"}}, got)
}

func TestIssuing_knowsItsPayloadInEverySpelling(t *testing.T) {
	t.Parallel()
	content := func(payload string) string { return (&Issuing{Payload: json.RawMessage(payload)}).content() }
	plain := content(`{"total":{"invoiceAmount":100},"receiver":{"federalTaxNumber":"11222333000181"}}`)
	if content(`{"receiver": {"federalTaxNumber": "11.222.333/0001-81"}, "total": {"invoiceAmount": 100}}`) != plain {
		t.Error("the same payload, written in another way, is another one")
	}
	if content(`{"total":{"invoiceAmount":101},"receiver":{"federalTaxNumber":"11222333000181"}}`) == plain {
		t.Error("another payload is the same")
	}
}

// The service may write one instant with another offset each time.
func TestIssuing_wordsAreOrderedByTheirInstant(t *testing.T) {
	t.Parallel()
	rejected := func(on string) *einvoice.Invoice {
		return &einvoice.Invoice{ID: "a", Status: "rejected", ProcessingDetail: &einvoice.ProcessingDetail{Code: "539", On: einvoice.Text(on)}}
	}
	before := rejected("2026-01-02T03:04:05Z")
	if !sameJudgment(before, rejected("2026-01-02T00:04:05-03:00")) {
		t.Error("the rejection from before is taken for a new one, because of its spelling")
	}
	if sameJudgment(before, rejected("2026-01-02T01:04:05-03:00")) {
		t.Error("a new rejection is taken for the one from before")
	}
}

func TestIssuing_goesOnWithTheLastRejection(t *testing.T) {
	t.Parallel()
	b := newBench(t, sandbox.Options{})
	seed := func(on string) string {
		return b.service.Seed(sandbox.KindServiceInvoices, map[string]any{
			"integrationId": "order-1", "status": "rejected", "amount": 100, "processingDetail": map[string]any{"status": "success", "code": "539", "on": on},
		})
	}
	last := seed("2026-01-02T01:04:05-03:00")
	seed("2026-01-02T03:04:05Z")
	succeeding(b)
	if sent, ok := b.service.Last("POST", "/v1/service-invoices/{id}/check-status"); !ok || !strings.Contains(sent.Path, last) {
		t.Errorf("the authority was asked about %v, want the one rejected last, %s", sent, last)
	}
}

// With an issuer the record of a sale is the same whichever key sends it. Without, it is the key's. Two companies may
// give one name to two sales. What a state remembers counts more than what is configured now.
func TestRecordOwner(t *testing.T) {
	t.Parallel()
	client := func(key string) *einvoice.Client {
		c, err := einvoice.New(einvoice.Config{BaseURL: "https://host.example/v1", APIKey: key})
		must(t, err)
		return c
	}
	key := func(apiKey, issuer, remembered string) string {
		s := Service{Client: client(apiKey), Issuer: issuer, Owner: remembered}
		i, o := &Issuing{Service: s, IntegrationID: "sale-1"}, &Ordering{Service: s}
		return fmt.Sprint(i.key(), o.key())
	}
	first := key("a", "11.222.333/0001-81", "")
	for name, test := range map[string]struct {
		key    string
		isSame bool
	}{
		"another key of the issuer":              {key("b", "11222333000181", ""), true},
		"another issuer":                         {key("a", "11444777000161", ""), false},
		"no issuer":                              {key("a", "", ""), false},
		"a state that remembers the issuer":      {key("b", "", "11222333000181"), true},
		"a state from before the issuer was set": {key("b", "11222333000181", client("a").Fingerprint()), false},
	} {
		if (test.key == first) != test.isSame {
			t.Errorf("%s: the same record is %v, want %v", name, !test.isSame, test.isSame)
		}
	}
	if key("a", "", "") == key("b", "", "") || key("a", "", "") != key("b", "11222333000181", client("a").Fingerprint()) {
		t.Error("without an issuer, the record is that of the key, also when an issuer is set later")
	}
}

// The settings said one thing, and the service has issued in another environment: that is an error that names the
// invoice.
func TestIssuing_refusesAnAnswerOfAnotherEnvironment(t *testing.T) {
	t.Parallel()
	for answered, kind := range map[string]Kind{"development": OtherEnvironment, "simulation": ""} {
		rows.Case(t, answered, func(t *testing.T) {
			b := newBench(t, sandbox.Options{})
			b.service.SetSettings(b.service.OwnerCompanyID(), map[string]any{"serviceInvoice": map[string]any{"environmentType": answered}})
			b.Environments = Environments{
				Allows: func(environment string) bool { return environment == "simulation" },
				Of:     func(context.Context, string) (string, error) { return "simulation", nil },
			}
			v, err := b.Create(t.Context())
			problems := problemsOf(err)
			if kindOf(err) != kind || v == nil || kind != "" && (problems[0].Name != answered || problems[0].Invoice == nil) {
				t.Errorf("Create = %v, %v", v, err)
			}
		})
	}
}

// No settings are written between the look at the environment and the answer to what was sent: a write may change the
// environments of models that it does not send.
func TestIssuing_keepsSettingsFromBeingWrittenWhileItSends(t *testing.T) {
	t.Parallel()
	for name, issue := range map[string]func(b *bench){
		"an invoice": succeeding,
		"a draft":    inTurn(drafted, func(b *bench) { b.Issue = true }, succeeding),
	} {
		rows.Case(t, name, func(t *testing.T) {
			b := newBench(t, sandbox.Options{})
			var held, checked, unheld atomic.Int64
			b.Environments = Environments{
				Allows: func(string) bool { checked.Add(1); return true },
				Of:     func(context.Context, string) (string, error) { unheld.Add(1 - held.Load()); return "simulation", nil },
				Hold:   func() func() { held.Add(1); return func() { held.Add(-1) } },
			}
			b.service.OnRequest(func(r sandbox.Request) {
				if r.Method == "POST" && !strings.HasSuffix(r.Path, "/check-status") {
					unheld.Add(1 - held.Load())
				}
			})
			if issue(b); checked.Load() == 0 || unheld.Load() != 0 || held.Load() != 0 {
				t.Errorf("checked %d times, %d times without holding, held %d times at the end",
					checked.Load(), unheld.Load(), held.Load())
			}
		})
	}
}

// A person who imports what a run has left in doubt settles its record, but not while the run may be alive.
func TestIssuing_takesAnImportedInvoiceForTheLostOne(t *testing.T) {
	t.Parallel()
	b := newBench(t, sandbox.Options{})
	b.write(journal.Record{Phase: journal.Sending}.Noted(saleNote{Digest: "hash"}))
	b.Take(t.Context(), "i-1")
	if got := b.known(); got.Phase != journal.Sending {
		t.Errorf("a young record is %+v", got)
	}
	must(t, b.Clock.Pause(t.Context(), b.Patience))
	b.Take(t.Context(), "i-1")
	if got := b.known(); got.Phase != journal.Settled || got.Result != "i-1" || journal.NoteOf[saleNote](got).Digest != "" {
		t.Errorf("an old record is %+v", got)
	}
}

func TestStatus_decidesWhatTheEngineDoes(t *testing.T) {
	t.Parallel()
	decisions := []string{"done", "wait", "issue", "adopt", "reconcile", "ended"}
	endings := []string{"forgotten", "canceled", "unsettled"}
	fixture.EachStatus(t, "../einvoice/testdata/statuses.csv", func(t *testing.T, status string, want fixture.Answers) {
		v := &einvoice.Invoice{Status: einvoice.Enum(status)}
		wants := map[string]Want{
			"keep a draft": {}, "issue": {Issue: true}, "accept contingency": {Issue: true, AcceptContingency: true},
		}
		for column, w := range wants {
			next := decisions[decide(v, w)]
			expect.Is(t, next, want[column], "%s: decide", column)
			if settled := slices.Contains([]string{"done", "ended"}, next); w.IsDoneWith(v) != settled {
				t.Errorf("%s: IsDoneWith = %t", column, !settled)
			}
		}
		for column, got := range map[string]bool{
			"rejected": IsRejected(v), "correctable": IsCorrectable(v), "failed": HasFailed(v), "ended": v.Meaning().HasEnded(),
			"draft": v.IsDraft(), "numbered": LacksNumber(v),
		} {
			expect.Is(t, got, want.Says(column), "%s", column)
		}
		if got := endings[EndingOf(status)]; got != want["cancels"] || IsCancelable(v) != (got == "canceled") {
			t.Errorf("EndingOf = %s, want %s; IsCancelable = %t", got, want["cancels"], IsCancelable(v))
		}
	})
}

// A code says more of a rejected invoice than its status, and nothing of another one.
func TestStatus_theCodeTellsHowAnInvoiceWasRejected(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]decision{
		"": decideReconcile, "225": decideReconcile, fiscal.CodeAlreadyAuthorized: decideAdopt, "SPD998": decideWait,
	} {
		detail := &einvoice.ProcessingDetail{Code: einvoice.Text(code)}
		for _, w := range []Want{{}, {Issue: true}, {Issue: true, AcceptContingency: true}} {
			v := &einvoice.Invoice{Status: einvoice.StatusRejected, ProcessingDetail: detail}
			if got := decide(v, w); got != want || IsRejected(v) != (want == decideReconcile) {
				t.Errorf("rejected with %q: decide = %d, want %d", code, got, want)
			}
			v.Status = einvoice.StatusAuthorized
			expect.Is(t, decide(v, w), decideDone, "authorized with %q: decide", code)
		}
	}
}

// A processing without a time says nothing of when: the date of issue does then.
func TestSameJudgment_ofAProcessingWithoutATime(t *testing.T) {
	t.Parallel()
	of := func(on, issued einvoice.Text) *einvoice.Invoice {
		return &einvoice.Invoice{ProcessingDetail: &einvoice.ProcessingDetail{On: on}, IssuedOn: issued}
	}
	const first, second = "2026-11-27T10:00:00Z", "2026-11-27T11:00:00Z"
	for _, tt := range []struct {
		before, now *einvoice.Invoice
		want        bool
	}{
		{of("", first), of("", first), true},
		{of("", first), of("", second), false},
		{of(first, first), of(first, second), true},
		{of(first, first), of(second, first), false},
	} {
		expect.Is(t, sameJudgment(tt.before, tt.now), tt.want, "%v, then %v: the same", *tt.before.ProcessingDetail, *tt.now.ProcessingDetail)
	}
}

// A plan has said by the status that it knew what a destroy does.
func TestIssuing_cancelDoesWhatWasPlannedOrNothing(t *testing.T) {
	t.Parallel()
	for planned, endings := range rows.Read[map[string]map[string]Kind](t, "issuing_cancel_does_what_was_planned_or_nothing.json") {
		for found, kind := range endings {
			rows.Case(t, planned+" is "+found, func(t *testing.T) {
				b := newBench(t, sandbox.Options{})
				succeeding(b)
				b.service.SetInvoiceStatus(b.onlyID(), found)
				b.service.ResetRequests()
				b.Clock = fixture.Limited(b.Clock, 5*time.Minute)
				invoice, err := b.Cancel(t.Context(), b.onlyID(), "Ordered twice by mistake", planned)
				ended, sent := found, 0
				if found == "authorized" && kind == "" {
					ended, sent = "canceled", 1
				}
				if kind == "" {
					wantOutcome(t, invoice, err, ended, "")
				} else {
					wantProblem(t, err, kind)
				}
				wantCount(t, "writes", fixture.CountWrites(b.service), sent)
			})
		}
	}
}

func TestCancelableUntil(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		model, key, authorized string
		window                 time.Duration
		want                   string
	}{
		{"productInvoice", "", "2026-11-20T12:00:00-03:00", 0, "2026-11-21T12:00:00-03:00"},
		{"productInvoice", "", "2026-11-20T12:00:00-03:00", 20 * 24 * time.Hour, "2026-12-10T12:00:00-03:00"},
		{"serviceInvoice", "", "2026-11-20T12:00:00-03:00", time.Hour, "2026-11-20T13:00:00-03:00"},
		{"consumerInvoice", "", "2026-11-20T12:00:00", 0, "2026-11-20T12:30:00-03:00"},               // Without an offset it is the time of São Paulo,
		{"consumerInvoice", "12", "2026-11-20T12:00:00", 0, "2026-11-20T12:30:00-05:00"},             // or of the state: Acre,
		{"serviceInvoice", "1302603", "2026-11-20T12:00:00", time.Hour, "2026-11-20T13:00:00-04:00"}, // Amazonas.
		{"consumerInvoice", "12", "2026-11-20T12:00:00-03:00", 0, "2026-11-20T12:30:00-03:00"},
		{"productInvoice", "35", "2026-11-20T15:00:00Z", 0, "2026-11-21T15:00:00Z"},
		{"serviceInvoice", "", "2026-11-20T12:00:00-03:00", 0, ""},
		{"productInvoice", "", "", time.Hour, ""},
	} {
		until, ok := CancelableUntil(test.model, test.key, test.authorized, test.window)
		got := ""
		if ok {
			got = until.Format(time.RFC3339)
		}
		expect.Is(t, got, test.want, "%s authorized at %q: until", test.model, test.authorized)
	}
}

func TestIssuing_cancelFollowsTheCancellation(t *testing.T) {
	t.Parallel()
	refused := script(sandbox.CancelRefused("501", "Prazo de cancelamento superior ao previsto"))
	unfound := sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Status: 404}
	unchecked, later, always := unfound, unfound, unfound
	unchecked.Method, later.Skip, always.Skip, always.Times = "POST", 1, 1, -1
	for name, test := range map[string]struct {
		prepare func(b *bench)
		kind    Kind // none for success
		says    []string
		status  string // at the service
		deletes int
		checks  int // with the authority
	}{
		"authorized is canceled": {status: "canceled", deletes: 1},
		"a refusal keeps it": {
			prepare: refused,
			kind:    CancellationRefused, says: []string{"501", "Prazo de cancelamento"}, status: "authorized", deletes: 1,
		},
		"one that is in processing already is followed and not sent again": {prepare: cancelOutside, status: "canceled"},
		"a refusal of what was in processing already keeps it": {
			prepare: inTurn(refused, cancelOutside),
			kind:    CancellationRefused, says: []string{"501"}, status: "authorized",
		},
		"an answer that it is in processing is followed": {
			prepare: func(b *bench) {
				b.service.Before("DELETE", fixture.ServiceInvoices+"/{id}", func() { cancelOutside(b) })
			}, status: "canceled", deletes: 2,
		},
		"one that does not move is asked for at the authority": {
			prepare: script(sandbox.CancelStuck()),
			status:  "canceled", deletes: 1, checks: 1,
		},
		"a service that cannot ask the authority is read": {
			prepare: inTurn(script(sandbox.CancelStuck()), inject(unchecked)), kind: TimedOut,
			says: []string{"SPD002", "Cancelamento em processamento"}, status: "authorized", deletes: 1, checks: 1,
		},
		"one that is not found while it is followed is not yet canceled": {
			prepare: inTurn(refused, inject(later)),
			kind:    CancellationRefused, status: "authorized", deletes: 1,
		},
		"one that stays unfound is not taken for canceled": {
			prepare: inject(always),
			kind:    RequestFailed, says: []string{"follow the cancellation", "HTTP 404"}, status: "canceled", deletes: 1,
		},
		"one that is removed meanwhile is over": {
			prepare: func(b *bench) {
				b.service.ScriptInvoice("order-1", sandbox.CancelStuck())
				id := b.onlyID()
				b.service.Before("DELETE", fixture.ServiceInvoices+"/{id}", func() {
					b.service.Before("GET", fixture.ServiceInvoices+"/{id}", func() { b.service.SetInvoiceStatus(id, "removed") })
				})
			},
			status: "removed", deletes: 1,
		},
	} {
		rows.Case(t, name, func(t *testing.T) {
			b := newBench(t, sandbox.Options{})
			succeeding(b)
			if test.prepare != nil {
				test.prepare(b)
			}
			b.service.ResetRequests()
			b.Clock = fixture.Limited(b.Clock, 5*time.Minute)
			invoice, err := b.Cancel(t.Context(), b.onlyID(), "Ordered twice by mistake", "")
			if test.kind == "" {
				wantOutcome(t, invoice, err, test.status, "")
			} else {
				wantProblem(t, err, test.kind, test.says...)
			}
			expect.Is[any](t, b.service.InvoicesByIntegrationID("order-1")[0]["status"], test.status, "status at the service")
			wantCount(t, "cancellations were sent", b.service.Count("DELETE", ""), test.deletes)
			wantCount(t, "checks with the authority", b.service.Count("POST", fixture.ServiceInvoices+"/{id}/check-status"), test.checks)
		})
	}
}

// cancelOutside begins a cancellation that the machine knows nothing of.
func cancelOutside(b *bench) {
	b.t.Helper()
	_, err := b.Client.CancelInvoice(b.t.Context(), einvoice.ModelService, b.onlyID(), "Ordered twice by mistake", nil)
	must(b.t, err)
}

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
