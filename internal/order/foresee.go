package order

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
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
	return m.recording(ctx, s).foretold(ctx, t)
}

func (o *ordering) foretold(ctx context.Context, t terms) diag.Diagnostics {
	found, inDoubt, err := o.look(ctx)
	says := func(summary, detail string) diag.Diagnostics {
		label := message.SentenceCase(orderLabel(string(o.wanted.TransactionID)))
		return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("transaction_id"), label+summary, detail)}
	}
	switch {
	case err != nil:
		return o.outcome(ctx, err, t)
	case found != nil:
		return says(" exists: apply goes on with it", fmt.Sprintf("The service holds it under its `transaction_id` (id %s, status %q), with %s. No second order will be recorded. %s",
			found.ID, found.Status, invoicesShown(found), o.intentions(found)))
	case inDoubt:
		return says(" may exist: apply looks for it first",
			"An earlier run has sent it, and the service does not show it now. Apply looks for it again, for some time, and records it only if it still shows nowhere.")
	}
	return nil
}

// look finds the order as a run would that waits for nothing to appear, and leaves
// the journal as it is. The problem is the one that a run would end in. inDoubt: there
// is none, and the journal knows of one.
func (o *ordering) look(ctx context.Context) (found *einvoice.Order, inDoubt bool, err error) {
	once := *o
	once.Patience = 0
	known := once.Recorded(ctx, journalKindOrder, string(o.wanted.TransactionID))
	found, _, err = once.search(ctx, known)
	if err != nil || found == nil {
		return nil, !known.Begun.IsZero() || known.ID != "", err
	}
	if err := once.fits(found); err != nil {
		return nil, false, err
	}
	if err := once.ofIssuer(found); err != nil {
		return nil, false, err
	}
	return found, false, once.ended(ctx, found)
}

// ended is the problem of a run that waits for invoices, one of which is not valid any
// more.
func (o *ordering) ended(ctx context.Context, found *einvoice.Order) error {
	if next, _ := o.brought(found); !o.waits || !o.due(next) {
		return nil
	}
	var failed invoiceProblems
	for _, v := range found.Invoices {
		if !issuing.HasFailed(v) || string(v.Status) == einvoice.StatusRejected || isReplaced(found.Invoices, v) {
			continue
		}
		full, err := o.Client.Invoice(ctx, string(v.Model), string(v.ID))
		if err != nil {
			full = &einvoice.Invoice{ID: v.ID} // The order shows enough of it.
		}
		failed = append(failed, &issuing.Problem{Kind: issuing.Ended, Model: string(v.Model), Invoice: completed(full, v)})
	}
	if failed != nil {
		return failed
	}
	return nil
}

// brought is an order with the status that a run would bring it to, and whether that
// is another one.
func (o *ordering) brought(found *einvoice.Order) (*einvoice.Order, bool) {
	next := *found
	changes := o.status != "" && string(found.Status) != o.status && slices.Contains(orderBeginnings, string(found.Status))
	if changes {
		next.Status = einvoice.Enum(o.status)
	}
	return &next, changes
}

// intentions says what a run would do with an order that exists.
func (o *ordering) intentions(found *einvoice.Order) string {
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
