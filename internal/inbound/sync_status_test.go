package inbound

import (
	"slices"
	"strings"
	"testing"
)

func TestSyncAdvice(t *testing.T) {
	t.Parallel()
	healthy := []string{"neverAttempted", "synchronized", "upToDate"}
	for _, known := range syncOutcomes {
		if is, advice := syncAdvice(known.outcome); is != slices.Contains(healthy, known.outcome) || !strings.HasSuffix(advice, ".") {
			t.Errorf("%s: %t, %q", known.outcome, is, advice)
		}
	}
	for outcome, words := range map[string]string{"": "does not tell", "somethingNew": `the outcome "somethingNew"`} {
		if is, advice := syncAdvice(outcome); is || !strings.Contains(advice, words) {
			t.Errorf("%q: %t, %q", outcome, is, advice)
		}
	}
}
