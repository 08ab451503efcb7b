package invoice

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// seen is order-1 as the service shows it.
func seen(status, code, message string) *einvoice.Invoice {
	number := einvoice.Int(7)
	return &einvoice.Invoice{
		ID: "id-1", Number: &number, Status: einvoice.Enum(status),
		ProcessingDetail: &einvoice.ProcessingDetail{
			Status: "success", Code: einvoice.Text(code), Message: einvoice.Text(message),
		},
	}
}

func answered(method string, status int, message string) *einvoice.Error {
	return &einvoice.Error{
		Method: method, Path: "/v1/service-invoices", Status: status, Messages: []einvoice.FieldMessage{{Message: message}},
	}
}

var errReset = errors.New("connection reset")

// failed is a request that the service answers with an error.
func failed(request engine.Request, method string, status int, message string, v *einvoice.Invoice) engine.Problem {
	cause := answered(method, status, message)
	return engine.Problem{Kind: engine.RequestFailed, Request: request, Invoice: v, Cause: cause}
}

func TestIssuance_whatAPersonIsShown(t *testing.T) {
	t.Parallel()
	fixture.WantShown(t, slices.Concat(shownProblems(t), shownNotes(t), shownCancelProblems(t), shownPlans(t.Context())))
}

func orderOne() issuanceModel {
	return issuanceModel{
		Model: types.StringValue(nfse), IntegrationID: types.StringValue("order-1"),
		essentials: essentials{Status: types.StringValue("authorized")},
	}
}

// ended is a run that ends so, with an invoice.
func ended(kind engine.Kind, v *einvoice.Invoice) engine.Problem {
	return engine.Problem{Kind: kind, Invoice: v}
}

func shownProblems(t *testing.T) (shown []fixture.Shown) {
	type problem = engine.Problem
	amounts := engine.Difference{Of: "amount", Wanted: "1", Held: "2"}
	models := engine.Difference{Of: "model", Wanted: "a", Held: "b"}
	bare, first, second := seen("rejected", "", ""), seen("authorized", "", ""), seen("enqueued", "", "")
	bare.ProcessingDetail, first.ID, second.ID = nil, "a", "b"
	for _, test := range []struct {
		name    string
		inState bool
		problem problem
	}{
		{"an authority's rejection", false, ended(engine.Rejected, seen("rejected", "E10", "RPS já informado"))},
		{"the service's rejection", false, ended(engine.Rejected, seen("rejected", "SPD003", "campo fora de ordem"))},
		{"a rejection without reason", false, ended(engine.Rejected, bare)},
		{"a rejection that a second request did not move", false, problem{Kind: engine.Unmoved, Invoice: seen("rejected", "539", "x"), Issued: true, Cause: answered("POST", 400, "No.")}},
		{"a draft that keeps its content", false, problem{Kind: engine.Unmoved, Invoice: seen("created", "", ""), Differences: []engine.Difference{amounts}}},
		{"an NFS-e that the city cannot be asked about", false, problem{Kind: engine.TimedOut, Invoice: seen("rejected", "SPD999", "sem resposta"), Cause: context.DeadlineExceeded}},
		{"a rejection of what is in state", true, ended(engine.Rejected, seen("rejected", "539", "x"))},
		{"denied", false, ended(engine.Ended, seen("denied", "302", "Uso denegado"))},
		{
			"a timeout", false,
			problem{Kind: engine.TimedOut, Invoice: seen("enqueued", "SPD999", "sem resposta"), Cause: context.DeadlineExceeded},
		},
		{
			"a timeout of one that is shown as rejected and queued", false,
			problem{
				Kind: engine.TimedOut, Invoice: seen("rejected", "225", "Falha"), Queued: true,
				LastCheck: answered("POST", 400, "Still queued"),
			},
		},
		{
			"a timeout after failed reads", false,
			problem{Kind: engine.TimedOut, Invoice: seen("enqueued", "", ""), LastLook: errReset, LastCheck: errReset},
		},
		{
			"an interrupt", false,
			problem{Kind: engine.Interrupted, Invoice: seen("enqueued", "", ""), Cause: context.Canceled},
		},
		{"an answer that was lost", false, problem{Kind: engine.AnswerLost, Cause: errReset, LookedFor: time.Minute}},
		{"in doubt, and unlisted", false, problem{Kind: engine.Unlisted, Model: einvoice.ModelConsumer, Record: "/cache/once/1.json"}},
		{"issued under another name", false, problem{Kind: engine.Misnamed, Invoice: first, Name: "ERP-order-1", Record: "/cache/once/1.json"}},
		{"two invoices under one id", false, problem{Kind: engine.Several, Found: []*einvoice.Invoice{first, second}}},
		{
			"another invoice under the id", false,
			problem{Kind: engine.Another, Invoice: first, Differences: []engine.Difference{amounts, models}},
		},
		{"issued since the plan", true, ended(engine.Settled, first)},
		{"issued by an earlier run with another payload", false, ended(engine.Settled, first)},
		{"no draft", false, ended(engine.NotADraft, second)},
		{"a look-up that fails", false, failed(engine.LookUp, "GET", 404, "No such route.", nil)},
		{"a look-up that is refused", false, failed(engine.LookUp, "GET", 400, "No.", nil)},
		{"a payload that is refused", false, failed(engine.Post, "POST", 400, "The field Description is invalid", nil)},
		{"an invoice that is not offered", false, failed(engine.Post, "POST", 400, "SPD005: not in this city", nil)},
	} {
		m := orderOne()
		test.problem.Model = nfse
		shown = append(shown, fixture.Shown{Case: test.name, Apply: m.problem(t.Context(), &test.problem, test.inState)})
	}
	return shown
}

func shownNotes(t *testing.T) (shown []fixture.Shown) {
	valid, unlike := seen("authorized", "", ""), []engine.Difference{{Of: "amount", Wanted: "150", Held: "100"}}
	for _, test := range []struct {
		name string
		note engine.Event
	}{
		{"an invoice that was there", engine.Event{Kind: engine.Adopted, Invoice: valid}},
		{
			"a service that does not merge",
			engine.Event{Kind: engine.NotMerged, Invoice: valid, Previous: &einvoice.Invoice{ID: "id-0", Status: "rejected"}},
		},
		{
			"an invoice that is not as it was sent",
			engine.Event{Kind: engine.Unlike, Invoice: valid, Differences: unlike},
		},
		{"a journal that cannot be written", engine.Event{Kind: engine.JournalUnwritable, Err: errReset}},
	} {
		m := orderOne()
		test.note.Model = nfse
		shown = append(shown, fixture.Shown{Case: test.name, Apply: m.note(t.Context(), test.note)})
	}
	return shown
}

func shownCancelProblems(t *testing.T) (shown []fixture.Shown) {
	type problem = engine.Problem
	valid := seen("authorized", "", "")
	for _, test := range []struct {
		name    string
		problem problem
	}{
		{"the authority's no", ended(engine.CancellationRefused, seen("authorized", "501", "Prazo superior"))},
		{"the authority's former no", problem{Kind: engine.CancellationRefused, Invoice: seen("authorized", "L999", "Prazo encerrado"), Former: true}},
		{"the service's no", failed(engine.Cancel, "DELETE", 400, "SPD005: not in this city.", valid)},
		{"not processed yet", failed(engine.Cancel, "DELETE", 400, "SPD006: queued.", valid)},
		{"a read that fails", failed(engine.Read, "GET", 404, "Gone.", nil)},
		{"a follow-up that fails", failed(engine.FollowCancellation, "GET", 404, "Gone.", valid)},
		{"in contingency", ended(engine.NotCancelable, seen("inContingent", "", ""))},
		{"in progress", ended(engine.NotCancelable, seen("enqueued", "", ""))},
		{"an answer lost", problem{Kind: engine.AnswerLost, Invoice: valid, Cause: errReset}},
		{
			"time that ended",
			problem{Kind: engine.TimedOut, Invoice: seen("authorized", "SPD002", "aguarde"), Cause: context.DeadlineExceeded, Unanswered: errReset},
		},
		{"an interrupt", problem{Kind: engine.Interrupted, Invoice: valid, Cause: context.Canceled}},
	} {
		m := orderOne()
		test.problem.Model = nfse
		shown = append(shown, fixture.Shown{Case: "canceling: " + test.name, Apply: m.notCanceled(text.InForm(t.Context(), text.Destroy), &test.problem)})
	}
	missing := issuanceModel{essentials: essentials{Status: types.StringValue("removed")}}
	gone := failed(engine.Read, "GET", 404, "Gone.", nil)
	// What the refresh did not find either is forgotten, and nothing is said.
	return append(shown, fixture.Shown{Case: "canceling: gone at the refresh", Apply: missing.notCanceled(t.Context(), &gone)})
}

func shownPlans(ctx context.Context) (shown []fixture.Shown) {
	const mistake = "Ordered twice by mistake"
	authorized := time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name, model, status, reason, window string
		after                               time.Duration // since the authorization
	}{
		{"authorized, with a reason", nfe, "authorized", mistake, "", 23 * time.Hour},
		{"an NF-e after a day", nfe, "authorized", mistake, "", 25 * time.Hour},
		{"an NF-e after two days, with a window of a week", nfe, "authorized", mistake, "168h", 48 * time.Hour},
		{"an NF-e after nine days, with a window of a week", nfe, "authorized", mistake, "168h", 9 * 24 * time.Hour},
		{"an NFC-e within half an hour", nfce, "authorized", mistake, "", 29 * time.Minute},
		{"an NFC-e after half an hour", nfce, "authorized", mistake, "", 31 * time.Minute},
		{"an NFS-e after a year", nfse, "authorized", mistake, "", 365 * 24 * time.Hour},
		{"in contingency", nfce, "inContingent", mistake, "", 0},
		{"enqueued", nfe, "enqueued", mistake, "", 0},
		{"a status of the future", nfe, "underReview", mistake, "", 0},
		{"rejected", nfe, "rejected", mistake, "", 0},
		{"a draft", nfse, "created", mistake, "", 0},
		{"canceled", nfe, "canceled", mistake, "", 0},
		{"removed", nfe, "removed", mistake, "", 0},
		{"authorized, without a reason", nfe, "authorized", "", "", time.Hour},
		{"an NFS-e, without a reason", nfse, "authorized", "", "", 25 * time.Hour},
		{"in contingency, without a reason", nfce, "inContingent", "", "", 0},
	} {
		m := inState(test.model, test.status, test.reason)
		if test.window != "" {
			m.CancelWindow = types.StringValue(test.window)
		}
		shown = append(shown, fixture.Shown{
			Case: "a plan to destroy: " + test.name, Apply: m.destroyWarning(ctx, authorized.Add(test.after)),
		})
	}
	for _, status := range []string{
		"authorized", "enqueued", "inContingent", "created", "canceled", "denied", "disabled", "removed", "rejected",
	} {
		shown = append(shown, fixture.Shown{Case: "a plan of one that is " + status, Apply: inState(nfe, status, "").drift(ctx)})
	}
	for _, test := range []struct {
		name, status, reason, environment, payload string
	}{
		{"an authorized one", "authorized", "", "production", "Bonificação"},
		{"the same payload", "authorized", "", "", "Venda"},
		{"one that is queued", "enqueued", "", "", "Bonificação"},
		{"without fiscal value", "authorized", "", "development", "Bonificação"},
		{"one that will be canceled", "authorized", mistake, "", "Bonificação"},
		{"one whose destroy fails", "inContingent", mistake, "", "Bonificação"},
		{"a draft", "created", "", "", "Bonificação"},
		{"a rejected one", "rejected", "", "", "Bonificação"},
		{"a canceled one", "canceled", "", "", "Bonificação"},
	} {
		state := inState(nfe, test.status, test.reason)
		state.PayloadJSON = attribute.JSONValue(`{"operationNature":"Venda"}`)
		state.EnvironmentType = types.StringValue(test.environment)
		plan := *state
		plan.IntegrationID = types.StringValue("order-2")
		plan.PayloadJSON = attribute.JSONValue(`{"operationNature":"` + test.payload + `"}`)
		shown = append(shown, fixture.Shown{Case: "a replacement: " + test.name, Apply: plan.secondInvoice(ctx, state)})
	}
	return shown
}
