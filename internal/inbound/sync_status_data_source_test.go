package inbound_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestAccInboundSyncStatusDataSource_readsAndAdvises(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := acctest.Config(s, `data "einvoice_inbound_sync_status" "test" {}`)
	expect := func(name string, value knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.einvoice_inbound_sync_status.test", tfjsonpath.New(name), value)
	}
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"productInvoice": map[string]any{"inbound": map[string]any{"enabled": true}}})
	set := func(fields map[string]any) func() { return func() { s.SetSyncStatus(s.OwnerCompanyID(), fields) } }
	acctest.Run(t, []resource.TestStep{
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
	})
}
