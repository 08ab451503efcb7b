package inbound_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

const withoutCertificate = "certificateMissingOrExpired"

// outcomeSet makes the last search of the main company end in an outcome.
func outcomeSet(s *sandbox.Server, outcome string) {
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"productInvoice": map[string]any{"inbound": map[string]any{"enabled": true}}})
	s.SetSyncStatus(s.OwnerCompanyID(), map[string]any{"lastAttemptOutcome": outcome, "lastAttemptAt": "2026-11-20T10:00:00"})
}

// One outcome of each kind; TestSyncAdvice has them all.
func TestAccInboundCertificateExample_endsARunOnlyWithoutACertificate(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.ExampleWorkspace(t, s, filepath.Join(testkit.ExamplesDir, "inbound-certificate"))
	for _, test := range []struct {
		outcome, advice string // advice that is shown, "" for none
		ends            bool
	}{
		{outcome: "communicationFailure", advice: "repeats the search by itself"},
		{outcome: withoutCertificate, advice: "Upload a valid digital certificate", ends: true},
	} {
		outcomeSet(s, test.outcome)
		output, ok := w.Run("apply", "-auto-approve", "-input=false")
		if ok == test.ends {
			t.Errorf("%s: the run succeeds: %t\n%s", test.outcome, ok, output)
		}
		// Lines are wrapped, so that words are compared.
		said := regexp.MustCompile(`[^\pL\pN]+`).ReplaceAllString(output, " ")
		if !strings.Contains(said, test.advice) {
			t.Errorf("%s: its advice is not shown:\n%s", test.outcome, output)
		}
		if warns := strings.Contains(output, "Warning: Check block assertion failed"); !test.ends && warns != (test.advice != "") {
			t.Errorf("%s: the check warns: %t\n%s", test.outcome, warns, output)
		}
	}
}

// TestAccInboundSyncStatusExample_tellsThePipeline reads what the comment of the
// example reads: the result of the check in a saved plan.
func TestAccInboundSyncStatusExample_tellsThePipeline(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.ExampleWorkspace(t, s, filepath.Join(testkit.ExamplesDir, "data-sources", "einvoice_inbound_sync_status"))
	for outcome, want := range map[string]string{"upToDate": "pass", withoutCertificate: "fail"} {
		outcomeSet(s, outcome)
		w.MustRun("plan", "-out=tfplan", "-input=false")
		var plan struct{ Checks []struct{ Status string } }
		expect.NoError(t, json.Unmarshal([]byte(w.MustRun("show", "-json", "tfplan")), &plan))
		if len(plan.Checks) != 1 || plan.Checks[0].Status != want {
			t.Errorf("%s: the checks of the plan are %v, want one %s", outcome, plan.Checks, want)
		}
	}
}
