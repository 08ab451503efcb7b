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
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := rotationModel{WindowHours: test.window, StoreSecret: types.BoolValue(test.store)}
			m.fillFrom(&test.done)
			if got := m.RotatedAt.ValueString(); got != test.rotatedAt {
				t.Errorf("rotated_at is %q, want %q", got, test.rotatedAt)
			}
			if got := m.PreviousSecretValidUntil; got.ValueString() != test.validTo || got.IsNull() != (test.validTo == "") {
				t.Errorf("previous_secret_valid_until is %s, want %q", got, test.validTo)
			}
			if m.Secret.ValueString() != test.secret || m.Secret.IsNull() != (test.secret == "") {
				t.Errorf("secret is stored: %t, want %t", !m.Secret.IsNull(), test.secret != "")
			}
		})
	}
}

func TestRotationModel_creation(t *testing.T) {
	t.Parallel()
	triggers := func(pairs ...string) types.Map {
		values := map[string]attr.Value{}
		for i := 0; i < len(pairs); i += 2 {
			values[pairs[i]] = types.StringValue(pairs[i+1])
		}
		return types.MapValueMust(types.StringType, values)
	}
	base := rotationModel{Triggers: triggers("a", "1", "b", "2"), WindowHours: types.Int64Value(24)}
	for _, test := range []struct {
		name  string
		other rotationModel
		same  bool
	}{
		{"the same triggers in another order", rotationModel{Triggers: triggers("b", "2", "a", "1"), WindowHours: types.Int64Value(24)}, true},
		{"another value", rotationModel{Triggers: triggers("a", "1", "b", "3"), WindowHours: types.Int64Value(24)}, false},
		{"another window", rotationModel{Triggers: triggers("a", "1", "b", "2"), WindowHours: types.Int64Value(0)}, false},
		{"no window", rotationModel{Triggers: triggers("a", "1", "b", "2"), WindowHours: types.Int64Null()}, false},
		{"no triggers", rotationModel{Triggers: types.MapNull(types.StringType), WindowHours: types.Int64Value(24)}, false},
		{"store_secret says nothing", rotationModel{Triggers: base.Triggers, WindowHours: base.WindowHours, StoreSecret: types.BoolValue(false)}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if same := base.creation() == test.other.creation(); same != test.same {
				t.Errorf("the creations are the same: %t, want %t", same, test.same)
			}
		})
	}
}
