package invoice

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Note words an event that did not end a run.
func (t *Terms) Note(n engine.Event) diag.Diagnostic {
	switch n.Kind {
	case engine.InContingency:
		return diag.NewWarningDiagnostic(t.Label(n.Model, n.Invoice)+" is in contingency",
			"It is valid. The service transmits it later for its definitive authorization; until then it cannot be "+
				"canceled. If it is rejected then, a later plan shows that.")
	case engine.NoList:
		things, failure := "orders", (*einvoice.Error)(nil)
		if n.Model != "" {
			things = message.DocumentNames[n.Model]
		}
		_ = errors.As(n.Err, &failure) // It is one.
		return diag.NewWarningDiagnostic("The service does not list "+things, fmt.Sprintf(
			"It does not have the operation `%s`. What the journal does not know is sent once, without a look at the "+
				"service first: keep %s, or use `coordination_url`. "+
				"After a lost answer the run ends with an error, and nothing is sent again.",
			failure.Missing, message.EnvCacheDir))
	case engine.JournalUnwritable:
		if down := (*journal.UnavailableError)(nil); errors.As(n.Err, &down) {
			return diag.NewWarningDiagnostic("Cannot write to the coordination database",
				"Recording there what came of a request failed: "+message.Reason(down)+
					" The next run that asks for the same looks for it at the service first.")
		}
		return diag.NewWarningDiagnostic("Cannot write the journal of issued invoices", fmt.Sprintf(
			"It cannot be written: %s It remembers on this machine what was sent, because the service may list an "+
				"invoice late. Free space, or set %s to a writable "+
				"directory.", message.Reason(n.Err), message.EnvCacheDir))
	default:
		return message.ProviderBug("a note without words: %s", n.Kind)
	}
}

// LogChanges logs each status of an invoice that is waited for and has the id.
func LogChanges(ctx context.Context, id, value string) func(engine.Event) {
	return func(e engine.Event) {
		if e.Kind == engine.StatusChanged {
			tflog.Info(ctx, "Invoice changed its status", map[string]any{
				"model": e.Model, id: value, "id": string(e.Invoice.ID),
				"from": string(e.Previous.Status), "to": string(e.Invoice.Status),
			})
		}
	}
}
