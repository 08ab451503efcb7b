package engine

import (
	"slices"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

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
			if next != want[column] {
				t.Errorf("%s: decide = %s, want %s", column, next, want[column])
			}
			if settled := slices.Contains([]string{"done", "ended"}, next); w.IsDoneWith(v) != settled {
				t.Errorf("%s: IsDoneWith = %t", column, !settled)
			}
		}
		for column, got := range map[string]bool{
			"rejected": IsRejected(v), "correctable": IsCorrectable(v), "failed": HasFailed(v), "ended": v.Meaning().HasEnded(),
			"draft": v.IsDraft(), "numbered": LacksNumber(v),
		} {
			if got != want.Says(column) {
				t.Errorf("%s: %t", column, got)
			}
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
			if got := decide(v, w); got != decideDone {
				t.Errorf("authorized with %q: decide = %d", code, got)
			}
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
		if got := sameJudgment(tt.before, tt.now); got != tt.want {
			t.Errorf("%v, then %v: the same: %t", *tt.before.ProcessingDetail, *tt.now.ProcessingDetail, got)
		}
	}
}
