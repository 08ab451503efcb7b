package rotation

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestProblem_isWordedForEachFront(t *testing.T) {
	t.Parallel()
	const entry = "/cache/journal/rotation-1"
	lost, cause := errors.New("connection reset"), errors.New("HTTP 403")
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	no := fixture.FailureOf(t, 400, nil, `{"message":"no"}`)
	var shown []fixture.Shown
	for _, test := range []struct {
		name    string
		problem problem
	}{
		{"another run holds the journal", problem{kind: unrecorded, cause: context.Canceled}},
		{"the journal cannot be read", problem{kind: unreadable, entry: entry, begun: at}},
		{"the answer is lost and the secret is masked", problem{kind: unreadable, entry: entry, begun: at, lost: lost}},
		{"the journal cannot be written", problem{kind: unrecorded, cause: errors.New("disk full")}},
		{"the secret cannot be read", problem{kind: secretUnreadable, cause: no}},
		{"the rotation is refused", problem{kind: refused, cause: no}},
		{"the answer is lost and the secret cannot be read", problem{kind: unreadableAfter, lost: lost, cause: cause}},
		{"the secret cannot be read after an answer", problem{kind: unreadableAfter, cause: cause}},
		{"the answer is lost and the secret is the same", problem{kind: unchanged, lost: lost}},
		{"the secret is the same after an answer", problem{kind: unchanged}},
	} {
		shown = append(shown, fixture.Shown{
			Case: test.name, Apply: test.problem.diagnostics(t.Context(), message.Applying), Action: test.problem.diagnostics(t.Context(), message.Invoking),
		})
	}
	for _, test := range []struct {
		name string
		done outcome
	}{
		{"an earlier run has rotated", outcome{at: at, takenOver: true, answered: true}},
		{"an earlier run has rotated, and its answer was lost", outcome{at: at, takenOver: true}},
		{"the answer is lost and the secret has changed", outcome{at: at, lost: lost}},
	} {
		shown = append(shown, fixture.Shown{Case: test.name, Apply: test.done.warnings(message.Applying), Action: test.done.warnings(message.Invoking)})
	}
	state := &rotationModel{ID: types.StringValue("r1"), RotatedAt: types.StringValue("2026-11-20T12:00:00Z")}
	fixture.WantShown(t, append(shown, fixture.Shown{Case: "a destroy is planned", Apply: diag.Diagnostics{state.staysAtService()}}))
}
