package rotation

import (
	"encoding/json"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

type rotationModel struct {
	ID                       types.String `tfsdk:"id"`
	Triggers                 types.Map    `tfsdk:"triggers"`
	WindowHours              types.Int64  `tfsdk:"window_hours"`
	StoreSecret              types.Bool   `tfsdk:"store_secret"`
	Secret                   types.String `tfsdk:"secret"`
	RotatedAt                types.String `tfsdk:"rotated_at"`
	PreviousSecretValidUntil types.String `tfsdk:"previous_secret_valid_until"`
}

// creation names this creation in the journal by all that a repeated apply has in common
// with the one that was cut off. A plan cannot carry a random id: the provider plans twice.
func (m *rotationModel) creation() string {
	triggers := map[string]string{}
	for name, value := range m.Triggers.Elements() {
		if text, ok := value.(types.String); ok {
			triggers[name] = text.ValueString()
		}
	}
	text, _ := json.Marshal(struct { // Texts and a number can always be written.
		Triggers    map[string]string `json:"triggers"`
		WindowHours *int64            `json:"windowHours"`
	}{triggers, m.WindowHours.ValueInt64Pointer()})
	return attribute.HashOfText(string(text))
}

// fillFrom takes what a rotation gave. Where the service does not tell the times, the
// rotation is dated by the clock, and the window is counted from there.
func (m *rotationModel) fillFrom(done *outcome) {
	m.RotatedAt = attribute.TextOrNull(done.answer.RotatedAt)
	if m.RotatedAt.IsNull() {
		m.RotatedAt = types.StringValue(done.at.UTC().Format(time.RFC3339))
	}
	m.PreviousSecretValidUntil = attribute.TextOrNull(done.answer.PreviousSecretValidUntil)
	if m.PreviousSecretValidUntil.IsNull() {
		m.PreviousSecretValidUntil = windowEnd(m.RotatedAt.ValueString(), done.at, m.WindowHours)
	}
	m.Secret = types.StringNull()
	if m.StoreSecret.ValueBool() {
		m.Secret = attribute.TextOrNull(einvoice.Text(done.secret))
	}
}

// windowEnd is null without a window; a window of 0 hours is none.
func windowEnd(rotatedAt string, fallback time.Time, hours types.Int64) types.String {
	if hours.IsNull() || hours.ValueInt64() == 0 {
		return types.StringNull()
	}
	from, ok := einvoice.ParseTime(rotatedAt)
	if !ok {
		from = fallback.UTC()
	}
	return types.StringValue(from.Add(time.Duration(hours.ValueInt64()) * time.Hour).Format(time.RFC3339))
}
