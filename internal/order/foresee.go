package order

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// foresee looks at the service and says what apply will make of a new order, in the
// words of the apply where it will be refused. Of one that will be recorded nothing is
// said.
func (m *orderModel) foresee(ctx context.Context, s *session.Session, t terms) diag.Diagnostics {
	if attribute.IsUnset(m.TransactionID) || m.Status.IsUnknown() || m.IssueInvoices.IsUnknown() || m.WaitForInvoices.IsUnknown() || m.AutoIssueMode.IsUnknown() ||
		m.Amount.IsUnknown() || m.Customer.IsUnknown() {
		return nil
	}
	return t.foretold(ctx, m.recording(ctx, s))
}

func (t terms) foretold(ctx context.Context, o *ordering) diag.Diagnostics {
	found, inDoubt, err := o.look(ctx)
	says := func(summary, detail string) diag.Diagnostics {
		label := message.SentenceCase(orderLabel(string(o.wanted.TransactionID)))
		return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("transaction_id"), label+summary, detail)}
	}
	switch {
	case err != nil:
		return t.outcome(ctx, o, err)
	case found != nil:
		return says(" exists: apply goes on with it", fmt.Sprintf("The service holds it under its `transaction_id` (id %s, status %q), with %s. No second order will be recorded. %s",
			found.ID, found.Status, invoicesShown(found), intentions(o, found)))
	case inDoubt:
		return says(" may exist: apply looks for it first",
			"An earlier run has sent it, and the service does not show it now. Apply looks for it again, for some time, and records it only if it still shows nowhere.")
	}
	return nil
}

// intentions says what a run would do with an order that exists.
func intentions(o *ordering, found *einvoice.Order) string {
	var does []string
	next, changes := o.brought(found)
	if changes {
		does = append(does, fmt.Sprintf("change its status to %q", o.status))
	}
	switch {
	case changes && o.triggered(next):
		does = append(does, "let the service issue its invoices")
	case (o.issueNow || o.waits && o.due(next)) && o.hasRest(found):
		does = append(does, "issue what is rejected or not issued yet")
	}
	if o.waits && o.due(next) {
		does = append(does, "wait until its invoices are settled")
	}
	if does == nil {
		return "Nothing will be sent."
	}
	return "Apply will " + strings.Join(does, ", and ") + "."
}
