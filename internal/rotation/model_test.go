package rotation

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

func TestRotationModel_fillFrom(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	hours := types.Int64Value
	for _, test := range []struct {
		name               string
		window             types.Int64
		store              bool
		done               outcome
		rotatedAt, validTo string
		secret             string
	}{
		{"the clock dates what the service does not date", hours(24), true, outcome{at: at, secret: "s"}, "2026-11-20T12:00:00Z", "2026-11-21T12:00:00Z", "s"},
		{
			"the window counts from the service's date", hours(1), true,
			outcome{at: at, secret: "s", answer: einvoice.Rotation{RotatedAt: "2026-11-20T09:30:00-03:00"}},
			"2026-11-20T09:30:00-03:00", "2026-11-20T10:30:00-03:00", "s",
		},
		{
			"a date without an offset is local", hours(1), true,
			outcome{at: at, secret: "s", answer: einvoice.Rotation{RotatedAt: "2026-11-20T09:30:00"}},
			"2026-11-20T09:30:00", "2026-11-20T10:30:00-03:00", "s",
		},
		{
			"what the service tells wins", hours(1), true,
			outcome{at: at, secret: "s", answer: einvoice.Rotation{RotatedAt: "yesterday", PreviousSecretValidUntil: "tomorrow"}},
			"yesterday", "tomorrow", "s",
		},
		{
			"a date that cannot be read does not break the window", hours(2), true,
			outcome{at: at, secret: "s", answer: einvoice.Rotation{RotatedAt: "yesterday"}},
			"yesterday", "2026-11-20T14:00:00Z", "s",
		},
		{"without a window nothing ends", types.Int64Null(), true, outcome{at: at, secret: "s"}, "2026-11-20T12:00:00Z", "", "s"},
		{"a window of no hours is none", hours(0), true, outcome{at: at, secret: "s"}, "2026-11-20T12:00:00Z", "", "s"},
		{"a secret that is not to be stored is not", hours(0), false, outcome{at: at, secret: "s"}, "2026-11-20T12:00:00Z", "", ""},
	} {
		m := rotationModel{WindowHours: test.window, StoreSecret: types.BoolValue(test.store)}
		m.fillFrom(&test.done)
		if got := m.RotatedAt.ValueString(); got != test.rotatedAt {
			t.Errorf("%s: rotated_at is %q, want %q", test.name, got, test.rotatedAt)
		}
		if got := m.PreviousSecretValidUntil; got.ValueString() != test.validTo || got.IsNull() != (test.validTo == "") {
			t.Errorf("%s: previous_secret_valid_until is %s, want %q", test.name, got, test.validTo)
		}
		if m.Secret.ValueString() != test.secret || m.Secret.IsNull() != (test.secret == "") {
			t.Errorf("%s: secret is stored: %t, want %t", test.name, !m.Secret.IsNull(), test.secret != "")
		}
	}
}

func TestRotationModel_creation(t *testing.T) {
	t.Parallel()
	of := func(b string, hours types.Int64) rotationModel {
		triggers := map[string]attr.Value{"a": types.StringValue("1"), "b": types.StringValue(b)}
		return rotationModel{Triggers: types.MapValueMust(types.StringType, triggers), WindowHours: hours}
	}
	base, unstored := of("2", types.Int64Value(24)), of("2", types.Int64Value(24))
	unstored.StoreSecret = types.BoolValue(false)
	if base.creation() != unstored.creation() {
		t.Error("store_secret makes it another creation")
	}
	for name, other := range map[string]rotationModel{
		"another value":  of("3", types.Int64Value(24)),
		"another window": of("2", types.Int64Value(0)),
		"no window":      of("2", types.Int64Null()),
		"no triggers":    {Triggers: types.MapNull(types.StringType), WindowHours: base.WindowHours},
	} {
		if base.creation() == other.creation() {
			t.Errorf("%s is the same creation", name)
		}
	}
}
