package inbound

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestProblem_isWorded(t *testing.T) {
	t.Parallel()
	lost := errors.New("connection reset")
	no := fixture.FailureOf(t, 400, nil, `{"message":"no"}`)
	early := fixture.FailureOf(t, 429, map[string]string{"Retry-After": "3600"}, `{"message":"too early"}`)
	const nfe = "NF-e of Fornecedor (id 7c9e6679)"
	other := &engine.Problem{Kind: engine.OtherCompany, Issuer: "11222333000181", Owner: "11444777000161"}
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	missing := &einvoice.SyncStatus{
		LastAttemptOutcome: "certificateMissingOrExpired", LastAttemptMessage: "no certificate",
	}
	unexplained := &einvoice.SyncStatus{LastAttemptOutcome: "unexpectedError"}
	var shown []fixture.Shown
	for _, test := range []struct {
		name    string
		problem problem
	}{
		{"the invoice is not there", problem{kind: invoiceUnreadable, invoice: "7c9e6679", cause: fixture.FailureOf(t, 404, nil, "")}},
		{"the invoice cannot be read", problem{kind: invoiceUnreadable, invoice: "7c9e6679", cause: no}},
		{"the key is another company's", problem{kind: otherRecipient, invoice: nfe, cause: other}},
		{"nobody can tell whose key it is", problem{kind: otherRecipient, invoice: nfe, cause: no}},
		{"another declaration says more", problem{kind: tooLate, invoice: nfe, status: "confirmed"}},
		{"the declaration is refused", problem{kind: requestFailed, task: "declare " + nfe + " as confirmed", cause: no}},
		{"the declaration cannot be recorded", problem{kind: unrecorded, invoice: nfe, cause: errors.New("the lock is held")}},
		{"the answer to a declaration is lost", problem{kind: declarationLost, invoice: nfe, cause: lost}},
		{"the status of the search cannot be read", problem{kind: requestFailed, task: readSyncStatus, cause: no}},
		{"the answer to a search is lost", problem{kind: syncLost, cause: lost}},
		{"the search is too early", problem{kind: syncTooEarly, cause: early, until: at, timeout: time.Minute}},
		{"the time is over before the search", problem{kind: syncNotAccepted, cause: context.DeadlineExceeded, timeout: time.Minute}},
		{"the time is over before the search shows", problem{kind: syncNotShown, cause: context.DeadlineExceeded, timeout: time.Minute}},
		{"an interrupt before the search", problem{kind: syncNotAccepted, cause: context.Canceled}},
		{"an interrupt before the search shows", problem{kind: syncNotShown, cause: context.Canceled}},
		{"the search has failed", problem{kind: searchFailed, sync: missing}},
		{"the search has failed, and nobody says why", problem{kind: searchFailed, sync: unexplained}},
	} {
		s := fixture.Shown{Case: test.name, Action: test.problem.diagnostics(t.Context(), message.Invoking, nil)}
		if !strings.Contains(test.name, "search") {
			s.Apply = test.problem.diagnostics(t.Context(), message.Applying, nil)
		}
		shown = append(shown, s)
	}
	fixture.WantShown(t, shown)
}
