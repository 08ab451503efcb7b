package invoice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// failure is why a request failed, in words: "a reset", "the deadline", "an interrupt", or "POST 400 No.".
type failure struct{ error }

// UnmarshalText reads one.
func (f *failure) UnmarshalText(words []byte) error {
	known := map[string]error{"a reset": errReset, "the deadline": context.DeadlineExceeded, "an interrupt": context.Canceled}
	cause, isKnown := known[string(words)]
	if f.error = cause; isKnown {
		return nil
	}
	answer := &einvoice.Error{Path: "/v1/service-invoices"}
	_, err := fmt.Sscan(string(words), &answer.Method, &answer.Status)
	message := string(words[len(answer.Method)+len(" 400 "):])
	answer.Messages, f.error = []einvoice.FieldMessage{{Message: message}}, answer
	return err
}

var errReset = errors.New("connection reset")

// shownProblem is a row: a problem of an NFS-e, if no other model is named, and the invoice as the service shows it:
// its status, and the code and the message of its processing.
type shownProblem struct {
	engine.Problem

	Row                                    string
	InState                                bool
	ID                                     string
	Seen                                   []string
	Cause, Unanswered, LastCheck, LastLook failure
	LookedFor                              rows.Span
}

func (row shownProblem) problem() *engine.Problem {
	p := row.Problem
	if p.Model == "" {
		p.Model = nfse
	}
	if row.Seen != nil {
		p.Invoice = seen(row.Seen...)
		p.Invoice.ID = einvoice.Text(cmp.Or(row.ID, "id-1"))
	}
	p.Cause, p.Unanswered, p.LookedFor = row.Cause.error, row.Unanswered.error, time.Duration(row.LookedFor)
	p.LastCheck, p.LastLook = row.LastCheck.error, row.LastLook.error
	return &p
}

// seen is order-1 as the service shows it.
func seen(words ...string) *einvoice.Invoice {
	number := einvoice.Int(7)
	v := &einvoice.Invoice{ID: "id-1", Number: &number, Status: einvoice.Enum(words[0])}
	if len(words) > 1 {
		v.ProcessingDetail = &einvoice.ProcessingDetail{
			Status: "success", Code: einvoice.Text(words[1]), Message: einvoice.Text(words[2]),
		}
	}
	return v
}

func TestIssuance_whatAPersonIsShown(t *testing.T) {
	t.Parallel()
	fixture.WantShown(t, slices.Concat(shownProblems(t), shownNotes(t), shownCancelProblems(t), shownPlans(t)))
}

func orderOne() issuanceModel {
	return issuanceModel{
		Model: types.StringValue(nfse), IntegrationID: types.StringValue("order-1"),
		essentials: essentials{Status: types.StringValue("authorized")},
	}
}

func shownProblems(t *testing.T) (shown []fixture.Shown) {
	for _, row := range rows.Read[[]shownProblem](t, "problems.json") {
		m, p := orderOne(), row.problem()
		p.Model = nfse
		shown = append(shown, fixture.Shown{Case: row.Row, Apply: m.problem(t.Context(), p, row.InState)})
	}
	return shown
}

func shownNotes(t *testing.T) (shown []fixture.Shown) {
	valid := seen("authorized", "", "")
	for _, test := range []struct {
		name string
		note engine.Event
	}{
		{"an invoice that was there", engine.Event{Kind: engine.Adopted, Invoice: valid}},
		{"a service that does not merge", engine.Event{
			Kind: engine.NotMerged, Invoice: valid, Previous: &einvoice.Invoice{ID: "id-0", Status: "rejected"},
		}},
		{"an invoice that is not as it was sent", engine.Event{
			Kind: engine.Unlike, Invoice: valid, Differences: []engine.Difference{{Of: "amount", Wanted: "150", Held: "100"}},
		}},
		{"a journal that cannot be written", engine.Event{Kind: engine.JournalUnwritable, Err: errReset}},
	} {
		m := orderOne()
		test.note.Model = nfse
		shown = append(shown, fixture.Shown{Case: test.name, Apply: m.note(t.Context(), test.note)})
	}
	return shown
}

func shownCancelProblems(t *testing.T) (shown []fixture.Shown) {
	for _, row := range rows.Read[[]shownProblem](t, "cancel_problems.json") {
		m := orderOne()
		said := m.notCanceled(text.InForm(t.Context(), text.Destroy), row.problem())
		shown = append(shown, fixture.Shown{Case: "canceling: " + row.Row, Apply: said})
	}
	missing := issuanceModel{essentials: essentials{Status: types.StringValue("removed")}}
	gone := &engine.Problem{Kind: engine.RequestFailed, Request: engine.Read, Cause: &einvoice.Error{Status: 404}}
	// What the refresh did not find either is forgotten, and nothing is said.
	return append(shown, fixture.Shown{Case: "canceling: gone at the refresh", Apply: missing.notCanceled(t.Context(), gone)})
}

func shownPlans(t *testing.T) (shown []fixture.Shown) {
	authorized := time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)
	for _, row := range rows.Read[[]struct {
		Row, Model, Status, Reason, Window string
		After                              rows.Span // since the authorization
	}](t, "destroys.json") {
		m := inState(row.Model, row.Status, row.Reason)
		if row.Window != "" {
			m.CancelWindow = types.StringValue(row.Window)
		}
		said := m.destroyWarning(t.Context(), authorized.Add(time.Duration(row.After)))
		shown = append(shown, fixture.Shown{Case: "a plan to destroy: " + row.Row, Apply: said})
	}
	for _, status := range []string{
		"authorized", "enqueued", "inContingent", "created", "canceled", "denied", "disabled", "removed", "rejected",
	} {
		said := inState(nfe, status, "").drift(t.Context())
		shown = append(shown, fixture.Shown{Case: "a plan of one that is " + status, Apply: said})
	}
	for _, row := range rows.Read[[]struct{ Row, Status, Reason, Environment, Nature string }](t, "replacements.json") {
		state := inState(nfe, row.Status, row.Reason)
		state.PayloadJSON = attribute.JSONValue(`{"operationNature":"Venda"}`)
		state.EnvironmentType = types.StringValue(row.Environment)
		plan := *state
		plan.IntegrationID = types.StringValue("order-2")
		plan.PayloadJSON = attribute.JSONValue(`{"operationNature":"` + row.Nature + `"}`)
		shown = append(shown, fixture.Shown{Case: "a replacement: " + row.Row, Apply: plan.secondInvoice(t.Context(), state)})
	}
	return shown
}
