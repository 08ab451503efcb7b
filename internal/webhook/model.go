package webhook

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

type webhookModel struct {
	ID      types.String      `tfsdk:"id"`
	Event   types.String      `tfsdk:"event"`
	URL     attribute.Spelled `tfsdk:"url"`
	Enabled types.Bool        `tfsdk:"enabled"`
}

// FromAPI takes the values of the service's webhook.
func (m *webhookModel) FromAPI(w *einvoice.Webhook) diag.Diagnostics {
	m.ID = attribute.KeepID(m.ID, w.ID)
	m.Event = attribute.TextOrNull(w.Event)
	if !urlSpelling.Same(m.URL.ValueString(), string(w.URL)) {
		m.URL = attribute.SpelledOrNull(urlSpelling, w.URL)
	}
	switch {
	case w.Enabled != nil:
		m.Enabled = attribute.FlagOrNull(w.Enabled)
	case m.Enabled.IsNull(): // An import, from a service that does not show it: a new webhook is enabled.
		m.Enabled = types.BoolValue(true)
	}
	return nil
}

// readTarget takes the event and the URL of a response that shows them.
func (m *webhookModel) readTarget(w *einvoice.Webhook) {
	if w.Event != "" {
		m.Event = attribute.TextOrNull(w.Event)
	}
	if w.URL != "" {
		m.URL = attribute.SpelledOrNull(urlSpelling, w.URL)
	}
}

// Agrees reports whether the service's webhook has the values of the state.
func (m *webhookModel) Agrees(w *einvoice.Webhook) bool {
	next := *m
	_ = next.FromAPI(w)
	return next == *m
}
