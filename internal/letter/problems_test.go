package letter

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestProblem_isWordedForEachFront(t *testing.T) {
	t.Parallel()
	const entry = "/cache/journal/correction-1"
	cause, at := errors.New("connection reset"), time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	no := fixture.FailureOf(t, 400, nil, `{"message":"no"}`)
	seven := einvoice.Int(7)
	inStatus := func(status einvoice.Enum) *einvoice.Invoice {
		return &einvoice.Invoice{Status: status, IntegrationID: "sale-9", Number: &seven}
	}
	var shown []fixture.Shown
	for _, test := range []struct {
		name    string
		problem problem
	}{
		{"another run holds the journal", problem{kind: unrecorded, cause: context.Canceled}},
		{"the same letter was never answered", problem{kind: unanswered, entry: entry, begun: at}},
		{"the answer is lost", problem{kind: answerLost, entry: entry, cause: cause}},
		{"the journal cannot be written", problem{kind: unrecorded, cause: cause}},
		{"the invoice is no NF-e", problem{kind: notAnNFe}},
		{"the invoice is not authorized yet", problem{kind: notAuthorized, invoice: inStatus("enqueued")}},
		{"the invoice is rejected", problem{kind: notAuthorized, invoice: inStatus("rejected")}},
		{"the invoice will never be authorized", problem{kind: notAuthorized, invoice: inStatus("someNewStatus")}},
		{"the invoice cannot be read", problem{kind: invoiceUnreadable, cause: no}},
		{"the letter is refused", problem{kind: refused, cause: no}},
		{"the service does not offer the letter", problem{kind: refused, cause: fixture.FailureOf(t, 400, nil, `{"message":"SPD005: operation not supported"}`)}},
		{"the service is still busy", problem{kind: refused, cause: fixture.FailureOf(t, 400, nil, `{"message":"SPD006: the invoice is queued"}`)}},
		{"the service has no letters", problem{kind: refused, cause: &einvoice.Error{Method: "POST", Path: "/v1/product-invoices/7c9e6679/corrections", Status: 404, Missing: "correct_invoice"}}},
		{"the letter is refused, and the journal cannot be written", problem{kind: refused, cause: no, unrecorded: cause, entry: entry}},
	} {
		test.problem.invoiceID = "7c9e6679"
		shown = append(shown, fixture.Shown{
			Case: test.name, Apply: test.problem.diagnostics(t.Context(), message.Applying, nil), Action: test.problem.diagnostics(t.Context(), message.Invoking, nil),
		})
	}
	sent := sentLetter{eventID: "e2", sentAt: at, entry: entry}
	takenOver, again, unrecorded := sent, sent, sent
	takenOver.takenOver, again.repeated, again.beforeEvent, unrecorded.unrecorded = true, true, "e1", cause
	unnamed := sentLetter{sentAt: at, takenOver: true}
	state := &letterModel{InvoiceID: types.StringValue("7c9e6679"), EventID: types.StringValue("e2"), SentAt: types.StringValue("2026-11-20T12:00:00Z")}
	fixture.WantShown(t, append(
		shown,
		fixture.Shown{Case: "the letter was sent before", Apply: takenOver.warnings(message.Applying, "7c9e6679"), Action: takenOver.warnings(message.Invoking, "7c9e6679")},
		fixture.Shown{Case: "the letter was sent before, and the service tells no event", Apply: unnamed.warnings(message.Applying, "7c9e6679"), Action: unnamed.warnings(message.Invoking, "7c9e6679")},
		fixture.Shown{Case: "the letter was sent again", Apply: again.warnings(message.Applying, "7c9e6679")},
		fixture.Shown{Case: "the letter was sent, and the journal cannot be written", Apply: unrecorded.warnings(message.Applying, "7c9e6679"), Action: unrecorded.warnings(message.Invoking, "7c9e6679")},
		fixture.Shown{Case: "a destroy is planned", Apply: diag.Diagnostics{state.staysAtService()}},
		fixture.Shown{Case: "another letter is planned", Apply: diag.Diagnostics{state.replaceWarning(state)}},
		fixture.Shown{Case: "a letter of another invoice is planned", Apply: diag.Diagnostics{state.replaceWarning(&letterModel{})}},
	))
}
