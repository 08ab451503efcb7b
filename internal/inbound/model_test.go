package inbound

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// declaring is one declaration in a world.
type declaring struct {
	*oncetest.World

	lag        time.Duration // how long the invoice is shown as it was
	declaredAt []time.Time
	failed     *problem // of the last run
	isMisled   bool     // a run has sent it, and speaks of a read alone
}

func (w *declaring) Serve(_ *oncetest.Run, r *http.Request, _ []byte) (int, string) {
	if r.Method != http.MethodGet {
		w.declaredAt = append(w.declaredAt, time.Now())
		return 200, ""
	}
	status := "none"
	if len(w.declaredAt) > 0 && !time.Now().Before(w.declaredAt[0].Add(w.lag)) {
		status = einvoice.ManifestConfirmed
	}
	return 200, fmt.Sprintf(`{"id":"7c9e6679","manifestation":{"status":%q}}`, status)
}

func (w *declaring) Run(r *oncetest.Run, _ string) {
	client, once := r.Begin(&w.Store)
	d := &declaration{
		client: client, once: once, id: "7c9e6679", status: einvoice.ManifestConfirmed, report: func(string, ...any) {},
		admit: func(context.Context) error { return nil },
	}
	w.failed = d.perform(r.Context)
	w.isMisled = w.isMisled || d.lost != nil && w.failed != nil && w.failed.kind == invoiceUnreadable
}

func (w *declaring) Wrong() error {
	if len(w.declaredAt) > 1 {
		return fmt.Errorf("declared %d times", len(w.declaredAt))
	}
	if w.isMisled {
		return fmt.Errorf("the run that has sent it says: %w", w.failed)
	}
	return nil
}

func (w *declaring) Settle() error {
	if w.World.Run(oncetest.Fate{}, "apply"); w.failed != nil || len(w.declaredAt) == 0 {
		return fmt.Errorf("declared %d times at the end: %w", len(w.declaredAt), w.failed)
	}
	return nil
}

func TestModel_declaresOnce(t *testing.T) {
	t.Parallel()
	oncetest.Play(t, []string{"apply"}, func(t *rapid.T) func(*oncetest.World) oncetest.Model {
		lag := oncetest.Seconds(0, 0, 3, 5).Draw(t, "lag")
		return func(w *oncetest.World) oncetest.Model { return &declaring{World: w, lag: lag} }
	})
}

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
