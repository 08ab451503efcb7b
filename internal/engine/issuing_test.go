package engine

import (
	"context"
	"encoding/json"
	"errors"
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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
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
	for _, test := range rows.Read[[]struct {
		Row, Issuer        string
		Payload            json.RawMessage
		Held               einvoice.Invoice
		Differ, Uncompared []string // what both show, and what one of them does not
	}](t, "compared.json") {
		var got []string
		for _, d := range Differences(test.Payload, einvoice.ModelService, &test.Held) {
			got = append(got, fmt.Sprint(d.Of, " ", d.Wanted, " ", d.Held))
		}
		expect.Same(t, test.Differ, got, "%s: differences", test.Row)
		expect.Same(t, test.Uncompared, Uncompared(test.Payload, test.Issuer, &test.Held), "%s: uncompared", test.Row)
	}
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
func TestSameJudgment(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Row         string
		Before, Now einvoice.Invoice
		Same        bool
	}](t, "judgments.json") {
		expect.Is(t, sameJudgment(&test.Before, &test.Now), test.Same, "%s: the same", test.Row)
	}
}

// A service may tell no code of a refusal. Before the cancellation was in processing, that proves nothing.
func TestFollower_takesWhatFollowsTheProcessingForARefusal(t *testing.T) {
	t.Parallel()
	authorized := func(status, code, message string) *einvoice.Invoice {
		return &einvoice.Invoice{Status: einvoice.StatusAuthorized, ProcessingDetail: &einvoice.ProcessingDetail{
			Status: einvoice.Enum(status), Code: einvoice.Text(code), Message: einvoice.Text(message),
		}}
	}
	f := follower{
		Issuing: &Issuing{Service: Service{Clock: poll.RealTime}}, goal: canceled,
		before: authorized("success", "100", "Autorizado"),
	}
	for n, step := range []struct {
		shows   *einvoice.Invoice
		refused int
	}{
		{authorized("success", "", ""), 0},
		{authorized("processing", "", ""), 0},
		{authorized("success", "", ""), 1},
		{authorized("success", "", ""), 2},
	} {
		f.invoice, f.changed = step.shows, f.Clock.Now()
		_, err := f.isCanceled()
		p := (*Problem)(nil)
		isRefused := errors.As(err, &p) && p.Kind == CancellationRefused
		if f.refusals != step.refused || isRefused != (step.refused > 1) {
			t.Errorf("look %d: %d refusals and %v, want %d", n, f.refusals, err, step.refused)
		}
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

// No settings are written between the look at the environment and the answer to what was sent: a write may change the
// environments of models that it does not send.
func TestIssuing_keepsSettingsFromBeingWrittenWhileItSends(t *testing.T) {
	t.Parallel()
	for name, issue := range map[string]func(b *bench){
		"an invoice": succeeding,
		"a draft":    func(b *bench) { drafted(b); b.Issue = true; succeeding(b) },
	} {
		rows.Case(t, name, func(t *testing.T) {
			b := newBench(t, sandbox.Options{})
			var held, checked, unheld atomic.Int64
			b.Environments = Environments{
				Allows: func(string) bool { checked.Add(1); return true },
				Of:     func(context.Context, string) (string, error) { unheld.Add(1 - held.Load()); return "simulation", nil },
				Hold:   func(context.Context) (func(), error) { held.Add(1); return func() { held.Add(-1) }, nil },
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
	b.Take(t.Context(), "i-1", true)
	if got := b.known(); got.Phase != journal.Sending {
		t.Errorf("a young record is %+v", got)
	}
	must(t, b.Clock.Pause(t.Context(), b.Patience))
	b.Take(t.Context(), "i-1", true)
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
	for _, test := range rows.Read[[]struct {
		Row, Model, Key, Authorized, Until string
		Window                             rows.Span
	}](t, "cancelable_until.json") {
		got := ""
		if until, ok := CancelableUntil(test.Model, test.Key, test.Authorized, time.Duration(test.Window)); ok {
			got = until.Format(time.RFC3339)
		}
		expect.Is(t, got, test.Until, "%s: until", test.Row)
	}
}

// cancelOutside begins a cancellation that the machine knows nothing of.
func cancelOutside(b *bench) {
	b.t.Helper()
	_, err := b.Client.CancelInvoice(b.t.Context(), einvoice.ModelService, b.onlyID(), "Ordered twice by mistake", nil)
	must(b.t, err)
}

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
