package inbound

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

func TestSyncAdvice(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		outcome string
		healthy bool
		words   string
	}{
		{"neverAttempted", true, "Enable inbound invoices"},
		{"synchronized", true, "Nothing to do"},
		{"upToDate", true, "Nothing to do"},
		{"throttledByAuthority", false, "resume by themselves"},
		{"communicationFailure", false, "repeated by itself"},
		{"unexpectedResponse", false, "repeated by itself"},
		{"documentApplyFailure", false, "the same point"},
		{"certificateMissingOrExpired", false, "Upload a valid digital certificate"},
		{"unexpectedError", false, "repeated by itself"},
		{"", false, "does not tell"},
		{"somethingNew", false, `the outcome "somethingNew"`},
	} {
		t.Run("outcome "+test.outcome, func(t *testing.T) {
			t.Parallel()
			healthy, advice := syncAdvice(test.outcome)
			if healthy != test.healthy {
				t.Errorf("healthy is %t, want %t", healthy, test.healthy)
			}
			if !strings.Contains(advice, test.words) || !strings.HasSuffix(advice, ".") {
				t.Errorf("advice is %q; it must be sentences that contain %q", advice, test.words)
			}
		})
	}
}

func TestSyncStatusModel_readsBlankDatesAsNull(t *testing.T) {
	t.Parallel()
	zero := einvoice.Int(0)
	var got syncStatusModel
	got.fill(&einvoice.SyncStatus{LastNSU: &zero, LastAttemptOutcome: "neverAttempted"})
	want := syncStatusModel{
		LastNSU: types.Int64Value(0), LastAttemptOutcome: types.StringValue("neverAttempted"), Healthy: types.BoolValue(true),
		Advice: got.Advice,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
