package invoice

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// seen is order-1 as the service shows it.
func seen(status, code, message string) *einvoice.Invoice {
	number := einvoice.Int(7)
	return &einvoice.Invoice{
		ID: "id-1", Number: &number, Status: einvoice.Enum(status),
		ProcessingDetail: &einvoice.ProcessingDetail{Status: "success", Code: einvoice.Text(code), Message: einvoice.Text(message)},
	}
}

func answered(method string, status int, message string) *einvoice.Error {
	return &einvoice.Error{Method: method, Path: "/v1/service-invoices", Status: status, Messages: []einvoice.FieldMessage{{Message: message}}}
}

var errReset = errors.New("connection reset")

func TestIssuanceProblems_sayWhatHappenedAndWhatToDo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		problem engine.Problem
		inState bool
		want    []string
		without string
	}{
		"an authority's rejection": {problem: engine.Problem{Kind: engine.Rejected, Invoice: seen("rejected", "E10", "RPS já informado")}, want: []string{
			"NFS-e 7 (order-1) was rejected: E10", "RPS já informado.", "Rejected by the tax authority, definitive.", "Never send it under a new integration_id.", "Then run apply again:", "under the same integration_id.",
			"the rejected invoice (id id-1) is found by its `integration_id`",
		}},
		"the service's rejection": {problem: engine.Problem{Kind: engine.Rejected, Invoice: seen("rejected", "SPD003", "campo fora de ordem")}, want: []string{
			"Rejected by the service, definitive.", "campo fora de ordem.",
		}},
		"a rejection without reason":      {problem: engine.Problem{Kind: engine.Rejected, Invoice: &einvoice.Invoice{ID: "id-1", Status: "rejected"}}, want: []string{"NFS-e (order-1) was rejected", "gives no reason"}},
		"a rejection of what is in state": {problem: engine.Problem{Kind: engine.Rejected, Invoice: seen("rejected", "539", "x")}, inState: true, want: []string{"State keeps what it had", "the next plan shows the invoice (id id-1) as rejected"}},
		"denied":                          {problem: engine.Problem{Kind: engine.Ended, Invoice: seen("denied", "302", "Uso denegado")}, want: []string{"NFS-e 7 (order-1) is denied", "Code 302", "Uso denegado.", "First ask the service's support", "new `integration_id`"}},
		"a timeout": {problem: engine.Problem{Kind: engine.TimedOut, Invoice: seen("enqueued", "SPD999", "sem resposta"), Cause: context.DeadlineExceeded}, want: []string{
			"Still in progress: NFS-e 7 (order-1)", `"enqueued"`, "id-1", "SPD999 · sem resposta", "Run apply again", "nothing is issued twice", "Raise `timeouts`",
		}},
		"a timeout of one that is shown as rejected and queued": {problem: engine.Problem{Kind: engine.TimedOut, Invoice: seen("rejected", "225", "Falha"), Queued: true, LastCheck: answered("POST", 400, "Still queued")}, want: []string{
			"Still in progress: NFS-e 7 (order-1)", "as rejected (id id-1), and answers check-status with HTTP 400", "225 · Falha", "nothing was sent again", "Still queued", "ask the service's support",
		}},
		"a timeout after failed reads": {problem: engine.Problem{Kind: engine.TimedOut, Invoice: seen("enqueued", "", ""), LastLook: errReset, LastCheck: errReset}, want: []string{"The last request about it failed: connection reset. The last look at it failed: connection reset."}},
		"an interrupt":                 {problem: engine.Problem{Kind: engine.Interrupted, Invoice: seen("enqueued", "", ""), Cause: context.Canceled}, want: []string{"Interrupted while issuing NFS-e 7 (order-1)", "id-1", `with status "enqueued"`, "Run apply again"}},
		"an answer that was lost":      {problem: engine.Problem{Kind: engine.AnswerLost, Cause: errReset, LookedFor: time.Minute}, want: []string{"Answer lost: NFS-e (order-1)", "connection reset", "after 1m0s the service does not list it", "Nothing was sent a second time"}},
		"two invoices under one id": {problem: engine.Problem{Kind: engine.Several, Found: []*einvoice.Invoice{{ID: "a", Status: "authorized"}, {ID: "b", Status: "enqueued"}}}, want: []string{
			"Several invoices have this integration_id: NFS-e (order-1)", "a (authorized) and b (enqueued)", "Nothing was sent", "Then apply again: the one that is left",
		}},
		"another invoice under the id": {
			problem: engine.Problem{Kind: engine.Another, Invoice: seen("authorized", "", ""), Differences: []engine.Difference{{Of: "amount", Wanted: "1", Held: "2"}, {Of: "model", Wanted: "a", Held: "b"}}},
			want:    []string{"Another invoice has this integration_id", "amount: 1 in `payload_json`, 2 at the service; model: a in the configuration, b at the service", "Nothing was sent", "another `integration_id`"},
		},
		"issued since the plan": {
			problem: engine.Problem{Kind: engine.Settled, Invoice: seen("authorized", "", "")}, inState: true,
			want: []string{"Cannot change NFS-e 7 (order-1)", `has become "authorized" since the plan`, "Run plan again"},
		},
		"issued by an earlier run with another payload": {
			problem: engine.Problem{Kind: engine.Settled, Invoice: seen("authorized", "", "")},
			want:    []string{"Cannot change NFS-e 7 (order-1)", "An earlier run has sent another payload", "Put the former"}, without: "Run plan again",
		},
		"no draft": {problem: engine.Problem{Kind: engine.NotADraft, Invoice: seen("enqueued", "", "")}, want: []string{
			"Not a draft: NFS-e 7 (order-1)", "id-1", `status "enqueued" instead of "created"`, "Set `issue = true`",
		}},
		"a look-up that fails": {problem: engine.Problem{Kind: engine.RequestFailed, Request: engine.LookUp, Cause: answered("GET", 404, "No such route.")}, want: []string{"Cannot look up invoice: NFS-e (order-1)", "No such route.", "Running apply again is safe", "HTTP 404"}},
		"a look-up that is refused": {
			problem: engine.Problem{Kind: engine.RequestFailed, Request: engine.LookUp, Cause: answered("GET", 400, "No.")},
			want:    []string{"Nothing was changed", "looked up by its `integration_id` first"}, without: "payload_json",
		},
		"a payload that is refused": {problem: engine.Problem{Kind: engine.RequestFailed, Request: engine.Post, Cause: answered("POST", 400, "The field Description is invalid")}, want: []string{
			"Cannot issue invoice: NFS-e (order-1)", "The field Description is invalid.", "No invoice was issued", "Correct `payload_json`", "HTTP 400",
		}},
		"an invoice that is not offered": {
			problem: engine.Problem{Kind: engine.RequestFailed, Request: engine.Post, Cause: answered("POST", 400, "SPD005: not in this city")},
			want:    []string{"SPD005: not in this city.", "No invoice was issued", "repeating it changes nothing"}, without: "Correct `payload_json`",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := issuanceModel{Model: types.StringValue(einvoice.ModelService), IntegrationID: types.StringValue("order-1")}
			test.problem.Model = einvoice.ModelService
			diags := m.problem(&test.problem, test.inState)
			if len(diags) != 1 || !diags.HasError() {
				t.Fatalf("%v, want one error", diags)
			}
			fixture.WantTexts(t, diags, test.want...)
			if test.without != "" && strings.Contains(fixture.DiagnosticText(diags), test.without) {
				t.Errorf("the text has %q", test.without)
			}
		})
	}
}

func TestIssuanceNotes_sayWhatIsToBeKnown(t *testing.T) {
	t.Parallel()
	previous := &einvoice.Invoice{ID: "id-0", Status: "rejected"}
	for _, test := range []struct {
		note engine.Event
		want []string
	}{
		{engine.Event{Kind: engine.Adopted, Invoice: seen("authorized", "", "")}, []string{"Adopted NFS-e 7 (order-1)", "nothing was issued"}},
		{engine.Event{Kind: engine.NotMerged, Invoice: seen("authorized", "", ""), Previous: previous}, []string{"Two invoices under one integration_id: NFS-e 7 (order-1)", "id-1", "id-0"}},
		{
			engine.Event{Kind: engine.Unlike, Invoice: seen("authorized", "", ""), Differences: []engine.Difference{{Of: "amount", Wanted: "150", Held: "100"}}},
			[]string{"NFS-e 7 (order-1) is not as it was sent", "amount: 150 in `payload_json`, 100 at the service", "no invoice yet"},
		},
		{engine.Event{Kind: engine.InContingency, Invoice: seen("inContingent", "", "")}, []string{"NFS-e 7 (order-1) is in contingency", "definitive authorization"}},
		{engine.Event{Kind: engine.JournalUnwritable, Err: errReset}, []string{"Cannot write the journal", "connection reset.", "EINVOICE_CACHE_DIR"}},
	} {
		m := issuanceModel{IntegrationID: types.StringValue("order-1")}
		test.note.Model = einvoice.ModelService
		d := m.note(test.note)
		if d.Severity() != diag.SeverityWarning {
			t.Errorf("%s is no warning", d.Summary())
		}
		fixture.WantTexts(t, diag.Diagnostics{d}, test.want...)
	}
}

func TestIssuanceCancelProblems_sayWhatHappenedAndWhatToDo(t *testing.T) {
	t.Parallel()
	const forget = "without canceling it, remove `cancellation_reason`"
	for name, test := range map[string]struct {
		problem engine.Problem
		want    []string
	}{
		"the authority's no": {engine.Problem{Kind: engine.CancellationRefused, Invoice: seen("authorized", "501", "Prazo superior")}, []string{
			"Cancellation refused: NFS-e 7 (order-1)", "501", "Prazo superior.", "The invoice stays in state. It stays authorized.", "24 hours for an NF-e", forget,
		}},
		"the service's no": {engine.Problem{Kind: engine.RequestFailed, Request: engine.Cancel, Invoice: seen("authorized", "", ""), Cause: answered("DELETE", 400, "SPD005: not in this city.")}, []string{
			"Cannot cancel invoice: NFS-e 7 (order-1)", "API message: SPD005: not in this city.", "Nothing was canceled. The invoice stays in state.", forget,
		}},
		"not processed yet": {engine.Problem{Kind: engine.RequestFailed, Request: engine.Cancel, Invoice: seen("authorized", "", ""), Cause: answered("DELETE", 400, "SPD006: queued.")}, []string{
			"SPD006", "Run destroy again when it is settled", forget,
		}},
		"a read that fails": {engine.Problem{Kind: engine.RequestFailed, Request: engine.Read, Cause: answered("GET", 404, "Gone.")}, []string{
			"Cannot cancel invoice: NFS-e (order-1)", "HTTP 404", "The invoice stays in state. Running destroy again is safe",
		}},
		"a follow-up that fails": {engine.Problem{Kind: engine.RequestFailed, Request: engine.FollowCancellation, Invoice: seen("authorized", "", ""), Cause: answered("GET", 404, "Gone.")}, []string{
			"Cannot follow the cancellation of invoice", "HTTP 404",
		}},
		"in contingency": {engine.Problem{Kind: engine.NotCancelable, Invoice: seen("inContingent", "", "")}, []string{"Cannot cancel NFS-e 7 (order-1) in contingency", "definitive authorization", "Run destroy again after it is authorized", forget}},
		"in progress":    {engine.Problem{Kind: engine.NotCancelable, Invoice: seen("enqueued", "", "")}, []string{"Cannot cancel NFS-e 7 (order-1) yet", "Run destroy again when it is settled", forget}},
		"an answer lost": {engine.Problem{Kind: engine.AnswerLost, Invoice: seen("authorized", "", ""), Cause: errReset}, []string{"Answer to a cancellation lost", "connection reset", "The invoice stays in state. Run destroy again"}},
		"time that ended": {engine.Problem{Kind: engine.TimedOut, Invoice: seen("authorized", "SPD002", "em processamento"), Cause: context.DeadlineExceeded, Unanswered: errReset}, []string{
			"Cancellation still in progress", "SPD002", "The answer to the cancellation was lost: connection reset.", "Run destroy again: it looks first",
		}},
		"an interrupt": {engine.Problem{Kind: engine.Interrupted, Invoice: seen("authorized", "", ""), Cause: context.Canceled}, []string{"Cancellation still in progress", "The run was interrupted."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := issuanceModel{IntegrationID: types.StringValue("order-1"), essentials: essentials{Status: types.StringValue("authorized")}}
			test.problem.Model = einvoice.ModelService
			diags := m.notCanceled(&test.problem)
			if len(diags) != 1 || !diags.HasError() {
				t.Fatalf("%v, want one error", diags)
			}
			fixture.WantTexts(t, diags, test.want...)
		})
	}
	missing := issuanceModel{essentials: essentials{Status: types.StringValue("removed")}}
	if diags := missing.notCanceled(&engine.Problem{Kind: engine.RequestFailed, Request: engine.Read, Cause: answered("GET", 404, "Gone.")}); len(diags) > 0 {
		t.Errorf("one that the refresh did not find either is not forgotten: %v", diags)
	}
}
