package order

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// foresee looks at the service and says what apply will make of a new order, in the words of
// the apply where it will be refused. Of one that will be recorded it says nothing.
func (m *orderModel) foresee(ctx context.Context, s *session.Session, t terms) diag.Diagnostics {
	for _, needed := range []attr.Value{
		m.TransactionID, m.Status, m.IssueInvoices, m.WaitForInvoices, m.AutoIssueMode, m.Amount, m.Customer,
	} {
		if needed.IsUnknown() {
			return nil
		}
	}
	o := m.newOrdering(ctx, s)
	prospect, err := o.Look(ctx)
	if err != nil {
		return t.outcome(ctx, o, err)
	}
	return m.prospect(prospect)
}

func (m *orderModel) prospect(p engine.Prospect) diag.Diagnostics {
	at := path.Root("transaction_id")
	switch found := p.Order; {
	case found != nil:
		return diag.Diagnostics{diag.WithPath(at, m.warn(" exists: apply goes on with it", "The service holds it "+
			"under its `transaction_id` (id %s, status %q), with %s. No second order will be recorded. %s",
			found.ID, found.Status, invoicesText(found), m.intentions(p.Steps)))}
	case p.InDoubt:
		return diag.Diagnostics{diag.WithPath(at, m.warn(" may exist: apply looks for it first", "An earlier run has "+
			"sent it, and the service does not show it now. Apply looks for it again, for some time, and records it "+
			"only if no search finds it."))}
	}
	return nil
}

// intentions says what a run would do with an order that exists.
func (m *orderModel) intentions(steps []engine.Step) string {
	if len(steps) == 0 {
		return "Nothing will be sent."
	}
	var does []string
	for _, next := range steps {
		switch next {
		case engine.ChangesStatus:
			does = append(does, fmt.Sprintf("change its status to %q", m.Status.ValueString()))
		case engine.LetsIssue:
			does = append(does, "let the service issue its invoices")
		case engine.IssuesRest:
			does = append(does, "issue what is rejected or not issued yet")
		default:
			does = append(does, "wait until its invoices are settled")
		}
	}
	return "Apply will " + strings.Join(does, ", and ") + "."
}
