package webhook

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

type webhookModel struct {
	ID      types.String `tfsdk:"id"`
	Event   types.String `tfsdk:"event"`
	URL     types.String `tfsdk:"url"`
	Enabled types.Bool   `tfsdk:"enabled"`
}

// FromAPI takes what the service holds.
func (m *webhookModel) FromAPI(w *einvoice.Webhook) diag.Diagnostics {
	m.ID = attribute.KeepID(m.ID, w.ID)
	m.Event = attribute.TextOrNull(w.Event)
	m.URL = attribute.TextOrNull(w.URL)
	switch {
	case w.Enabled != nil:
		m.Enabled = attribute.FlagOrNull(w.Enabled)
	case m.Enabled.IsNull(): // An import, from a service that does not tell: a webhook begins enabled.
		m.Enabled = types.BoolValue(true)
	}
	return nil
}

// readTarget takes the event and the URL of an answer that shows them.
func (m *webhookModel) readTarget(w *einvoice.Webhook) {
	if w.Event != "" {
		m.Event = attribute.TextOrNull(w.Event)
	}
	if w.URL != "" {
		m.URL = attribute.TextOrNull(w.URL)
	}
}

// Agrees reports whether the service's webhook says what the state does.
func (m *webhookModel) Agrees(w *einvoice.Webhook) bool {
	next := *m
	_ = next.FromAPI(w)
	return next == *m
}
