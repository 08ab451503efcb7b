package provider

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
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

func TestInboundSyncStatusFromAPI_readsBlankDatesAsNull(t *testing.T) {
	t.Parallel()
	zero := einvoice.Int(0)
	got := inboundSyncStatusFromAPI(&einvoice.SyncStatus{LastNSU: &zero, LastAttemptOutcome: "neverAttempted"})
	want := inboundSyncStatusModel{
		LastNSU: types.Int64Value(0), LastAttemptOutcome: types.StringValue("neverAttempted"), Healthy: types.BoolValue(true), Advice: got.Advice,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAccInboundSyncStatusDataSource_readsAndAdvises(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := configFor(s, `data "einvoice_inbound_sync_status" "test" {}`)
	expect := func(name string, value knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.einvoice_inbound_sync_status.test", tfjsonpath.New(name), value)
	}
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"productInvoice": map[string]any{"inbound": map[string]any{"enabled": true}}})
	set := func(fields map[string]any) func() { return func() { s.SetSyncStatus(s.OwnerCompanyID(), fields) } }
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: testFactories(),
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigStateChecks: []statecheck.StateCheck{
					expect("last_nsu", knownvalue.Int64Exact(0)),
					expect("last_sync_at", knownvalue.Null()),
					expect("last_attempt_outcome", knownvalue.StringExact("neverAttempted")),
					expect("healthy", knownvalue.Bool(true)),
				},
			},
			{
				PreConfig: set(map[string]any{"lastAttemptOutcome": "certificateMissingOrExpired", "lastAttemptMessage": "", "lastAttemptAt": "2026-11-20T10:00:00"}),
				Config:    config,
				ConfigStateChecks: []statecheck.StateCheck{
					expect("healthy", knownvalue.Bool(false)),
					expect("last_attempt_message", knownvalue.Null()),
					expect("last_attempt_at", knownvalue.StringExact("2026-11-20T10:00:00")),
					expect("advice", knownvalue.StringRegexp(regexp.MustCompile("certificate"))),
				},
			},
			{
				PreConfig: set(map[string]any{"lastAttemptOutcome": "somethingNew", "lastNsu": 42, "lastAttemptMessage": "x"}),
				Config:    config,
				ConfigStateChecks: []statecheck.StateCheck{
					expect("healthy", knownvalue.Bool(false)),
					expect("last_nsu", knownvalue.Int64Exact(42)),
					expect("last_attempt_outcome", knownvalue.StringExact("somethingNew")),
					expect("last_attempt_message", knownvalue.StringExact("x")),
				},
			},
		},
	})
}
