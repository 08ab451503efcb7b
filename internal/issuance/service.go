// Package issuance has what invoice, order and inbound share, so that no noun imports another: what the engine needs of
// a session, what the plans of one run know of a sale, the environment of an invoice, the messages about any invoice or
// order, documents and validators. What only one noun uses stays in that noun.
package issuance

import (
	"context"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// Service returns what the engine needs of a session.
func Service(s *session.Session) engine.Service {
	service := engine.Service{
		Client: s.Client, Store: s.Store, Patience: s.Patience(), Clock: poll.RealTime,
		Issuer: s.Issuer, Account: s.Account,
	}
	if service.Environments.Hold = s.Environments.Hold; s.Environments.Restricted() {
		service.Environments.Allows, service.Environments.Of = s.Environments.Allows, s.EnvironmentOf
	}
	return service
}

// LogChanges logs each status of an invoice that is waited for and has the id, and what else it is waited for.
func LogChanges(ctx context.Context, id, value string) func(engine.Event) {
	return func(e engine.Event) {
		switch e.Kind {
		case engine.Queued:
			tflog.Info(ctx, "Waiting: check-status says that the invoice is still queued", map[string]any{
				"model": e.Model, id: value, "id": string(e.Invoice.ID), "status": string(e.Invoice.Status),
			})
		case engine.StatusChanged:
			tflog.Info(ctx, "Invoice changed its status", map[string]any{
				"model": e.Model, id: value, "id": string(e.Invoice.ID),
				"from": string(e.Previous.Status), "to": string(e.Invoice.Status),
			})
		default:
		}
	}
}
