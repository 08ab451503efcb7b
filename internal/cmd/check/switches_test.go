package main

import (
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

const testCSC = "A1B2C3D4-E5F6"

var withCSC = map[string]any{
	"consumerInvoice": map[string]any{"tokenId": "000001", "csc": testCSC},
	"general":         map[string]any{"technicalResponsible": nil},
}

// switched is one thing that the service in memory can do otherwise, and how that is told.
type switched struct {
	Name                                 string
	Options                              sandbox.Options
	AuthorizeAfter, ListLag, DeletionLag string // durations among the options
	Settings                             map[string]any
	About                                string // an operation or an assumption
	Verdict                              string
	Seen                                 string // or the note
	Exit                                 int
	Pasted                               string
}

func switches(t *testing.T) []switched {
	t.Helper()
	all := rows.Read[[]switched](t, "switches.json")
	for i := range all {
		s := &all[i]
		for text, option := range map[*string]*time.Duration{
			&s.AuthorizeAfter: &s.Options.AuthorizeAfter, &s.ListLag: &s.Options.ListLag, &s.DeletionLag: &s.Options.DeletionLag,
		} {
			if *text != "" {
				duration, err := time.ParseDuration(*text)
				expect.NoError(t, err)
				*option = duration
			}
		}
	}
	return all
}

func TestSwitches_areToldApart(t *testing.T) {
	t.Parallel()
	for _, tt := range switches(t) {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()
			s, clock, c := started(t, tt.Options)
			if tt.Options.RateLimit {
				s.OnRequest(func(sandbox.Request) { _ = clock.Pause(t.Context(), time.Second) })
			}
			if tt.Settings != nil {
				s.SetSettings(s.OwnerCompanyID(), tt.Settings)
			}
			o := finished(t.Context(), t, c)
			expect.Is(t, o.exit, tt.Exit, "the exit code:\n%s", o.out)
			o.wants(t, tt.About, tt.Verdict, tt.Seen)
			expect.Contains(t, o.out, tt.Pasted)
			canDelete := !tt.Options.NoCustomerDelete && !tt.Options.OnlySpecified
			if canDelete {
				wantNothingLeft(t, s)
			}
			if isTold := len(o.report.Left) > 0; isTold == canDelete {
				t.Errorf("%v are told to be left", o.report.Left)
			}
		})
	}
}

func TestSeeSecret_doesNotTakeACutSecretForACopedOneWhereKeysAreCut(t *testing.T) {
	t.Parallel()
	_, _, c := started(t, sandbox.Options{})
	c.seeKey("a1b2c3")
	c.seeSecret(object{"csc": "A1B2C3"}, "csc", "tokenId")
	if got := c.assumption("settings_hide_secrets"); got.Verdict != differs || got.Coped {
		t.Errorf("%+v", got)
	}
}
