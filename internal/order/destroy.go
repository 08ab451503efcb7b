package order

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

const forgetInstead = " To forget the order without canceling, remove `cancellation_reason`, apply, and destroy then."

// destroyWarning says in the plan what a destroy does, and what it leaves behind. Delete
// decides by the same statuses.
func (m *orderModel) destroyWarning() diag.Diagnostic {
	invoices, reason := m.invoicesInState(), m.CancellationReason.ValueString()
	ending := func(wanted engine.Ending) []*einvoice.Invoice {
		return slices.DeleteFunc(slices.Clone(invoices), func(v *einvoice.Invoice) bool {
			return engine.EndingOf(string(v.Status)) != wanted
		})
	}
	valid, unsettled := ending(engine.Canceled), ending(engine.Unsettled)
	stays := fmt.Sprintf("The order stays at the service (id %s).", m.ID.ValueString())
	switch {
	case reason != "" && len(unsettled) > 0:
		return diag.NewWarningDiagnostic("Destroying will fail: "+m.label()+" has invoices that cannot be canceled yet",
			fmt.Sprintf("The service holds %s. Only an authorized invoice can be canceled, so nothing will be sent, "+
				"for none of its invoices. Destroy it when they are settled.", invoiceNames(unsettled))+forgetInstead)
	case reason != "" && len(valid) > 0:
		return diag.NewWarningDiagnostic("Destroying cancels the invoices of "+m.label(), fmt.Sprintf(
			"A cancellation with the reason %q is sent to the tax authority for each that is authorized; "+
				"it cannot be undone: %s.%s %s", reason, invoiceNames(valid), periods(valid), stays))
	case len(invoices) == 0:
		stays += " It has no invoices yet; the service may still issue them by itself."
	case len(valid)+len(unsettled) == 0:
		stays += " So do its invoices: " + invoiceNames(invoices) + ". Nothing is sent."
		if slices.ContainsFunc(invoices, isDraft) {
			stays += " The service may still issue by itself what is only created."
		}
	default:
		stays += " Its invoices stay too: " + invoiceNames(invoices) +
			". To cancel them, set `cancellation_reason` and apply before destroying."
	}
	return diag.NewWarningDiagnostic("Destroying only forgets "+m.label(), stays)
}

func isDraft(v *einvoice.Invoice) bool { return string(v.Status) == einvoice.StatusCreated }

// periods are the usual ones for canceling. The order does not show when its invoices were
// authorized.
func periods(invoices []*einvoice.Invoice) (text string) {
	for _, one := range []struct{ model, period string }{
		{einvoice.ModelProduct, "NF-e ends 24 hours"}, {einvoice.ModelConsumer, "NFC-e ends 30 minutes"},
	} {
		if slices.ContainsFunc(invoices, func(v *einvoice.Invoice) bool { return string(v.Model) == one.model }) {
			text += " The usual period for canceling an " + one.period + " after its authorization."
		}
	}
	return text
}

// notCanceled words why a destroy did not cancel the invoices.
func (m *orderModel) notCanceled(ctx context.Context, o *engine.Ordering, err error) diag.Diagnostics {
	t := resourceTerms(nil, true)
	t.Front = message.Destroying
	ofInvoices := t.ofInvoices(m.TransactionID.ValueString())
	ofInvoices.Forget = forgetInstead
	ofInvoices.Planned = func(v *einvoice.Invoice) (status string) {
		if known := engine.FindInvoice(m.invoicesInState(), v); known != nil {
			status = string(known.Status)
		}
		return status
	}
	p, problems := (*engine.Problem)(nil), engine.InvoiceProblems(nil)
	switch {
	case errors.As(err, &p) && p.Kind == engine.TakenOver:
		problems = engine.InvoiceProblems{p}
	case !errors.As(err, &problems):
		return t.outcome(ctx, o, err)
	}
	var diags diag.Diagnostics
	for _, p := range problems {
		diags.Append(ofInvoices.CancelProblem(p)...)
	}
	return diags
}
