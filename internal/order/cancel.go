package order

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// cancel cancels the invoices of an order that are valid, and waits until they are
// not. planned are those that the plan knew. The whole sale is looked at before
// anything is sent: half of it canceled is worse than none.
func (o *ordering) cancel(ctx context.Context, id, reason string, planned []*einvoice.Invoice) error {
	held, err := o.read(ctx, einvoice.Text(id))
	switch {
	case errors.Is(err, einvoice.ErrNotFound): // Its invoices are there all the same.
		held = &einvoice.Order{}
	case err != nil:
		return o.failed(ctx, requestRead, err)
	}
	if err := inFull(ctx, o.Client, held, func(v *einvoice.Invoice) bool { return v.Status == "" }); err != nil {
		return o.failed(ctx, requestRead, err)
	}
	invoices := slices.Clone(held.Invoices)
	for _, v := range planned {
		if !slices.ContainsFunc(invoices, sameInvoice(v)) {
			invoices = append(invoices, v)
		}
	}
	if err := o.unfit(invoices, planned); err != nil {
		return err
	}
	problems := make(invoiceProblems, len(invoices))
	var canceling sync.WaitGroup
	for n, v := range invoices {
		if issuing.EndingOf(string(v.Status)) == issuing.Canceled {
			canceling.Go(func() {
				_, err := o.issuingOf(v).CancelAsPlanned(ctx, string(v.ID), reason, string(v.Status))
				_ = errors.As(err, &problems[n])
			})
		}
	}
	canceling.Wait()
	if problems = slices.DeleteFunc(problems, func(p *issuing.Problem) bool { return p == nil }); len(problems) > 0 {
		return problems
	}
	return nil
}

func sameInvoice(v *einvoice.Invoice) func(*einvoice.Invoice) bool {
	return func(other *einvoice.Invoice) bool { return strings.EqualFold(string(v.ID), string(other.ID)) }
}

// unfit are the invoices that keep a sale from being canceled: those that the plan
// did not know so, and those that cannot be canceled yet.
func (o *ordering) unfit(invoices, planned []*einvoice.Invoice) error {
	var problems invoiceProblems
	for _, v := range invoices {
		kind := issuing.NotCancelable
		ending, at := issuing.EndingOf(string(v.Status)), slices.IndexFunc(planned, sameInvoice(v))
		switch {
		case at < 0 && ending != issuing.Forgotten, at >= 0 && !issuing.EndsAsPlanned(v, string(planned[at].Status)):
			kind = issuing.NotAsPlanned
		case ending != issuing.Unsettled:
			continue
		}
		problems = append(problems, &issuing.Problem{Kind: kind, Model: string(v.Model), Invoice: v})
	}
	if problems == nil {
		return nil
	}
	return problems
}

const forgetInstead = " To forget the order without canceling, remove `cancellation_reason`, apply, and destroy then."

// destroyWarning says in the plan what a destroy does, and what it leaves behind.
// Delete decides by the same statuses, which is what it has of the plan.
func (m *orderModel) destroyWarning() diag.Diagnostic {
	invoices, reason := m.invoicesInState(), m.CancellationReason.ValueString()
	ending := func(is issuing.Ending) (of []*einvoice.Invoice) {
		return slices.DeleteFunc(slices.Clone(invoices), func(v *einvoice.Invoice) bool { return issuing.EndingOf(string(v.Status)) != is })
	}
	valid, unsettled := ending(issuing.Canceled), ending(issuing.Unsettled)
	stays := fmt.Sprintf("The order stays at the service (id %s).", m.ID.ValueString())
	switch {
	case reason != "" && len(unsettled) > 0:
		return diag.NewWarningDiagnostic("Destroying will fail: "+m.label()+" has invoices that cannot be canceled yet", fmt.Sprintf(
			"The service holds %s. Only an authorized invoice can be canceled, so nothing will be sent, for none of its invoices. Destroy it when they are settled.", invoiceNames(unsettled))+forgetInstead)
	case reason != "" && len(valid) > 0:
		return diag.NewWarningDiagnostic("Destroying cancels the invoices of "+m.label(), fmt.Sprintf(
			"A cancellation with the reason %q is sent to the tax authority for each that is authorized; it cannot be undone: %s.%s %s", reason, invoiceNames(valid), periods(valid), stays))
	}
	switch {
	case len(invoices) == 0:
		stays += " It has no invoices yet; the service may still issue them by itself."
	case len(valid)+len(unsettled) == 0:
		stays += " So do its invoices: " + invoiceNames(invoices) + ". Nothing is sent."
		if slices.ContainsFunc(invoices, func(v *einvoice.Invoice) bool { return string(v.Status) == einvoice.StatusCreated }) {
			stays += " The service may still issue by itself what is only created."
		}
	default:
		stays += " Its invoices stay too: " + invoiceNames(invoices) + ". To cancel them, set `cancellation_reason` and apply before destroying."
	}
	return diag.NewWarningDiagnostic("Destroying only forgets "+m.label(), stays)
}

// periods are the usual ones for canceling. The order does not show when its
// invoices were authorized.
func periods(invoices []*einvoice.Invoice) (text string) {
	for _, one := range []struct{ model, period string }{
		{einvoice.ModelProduct, " The usual period for canceling an NF-e ends 24 hours after its authorization."},
		{einvoice.ModelConsumer, " The usual period for canceling an NFC-e ends 30 minutes after its authorization."},
	} {
		if slices.ContainsFunc(invoices, func(v *einvoice.Invoice) bool { return string(v.Model) == one.model }) {
			text += one.period
		}
	}
	return text
}

// notCanceled words why a destroy did not cancel the invoices.
func (m *orderModel) notCanceled(ctx context.Context, o *ordering, err error) diag.Diagnostics {
	t := resourceTerms(nil, true)
	t.Front = message.Destroying
	ofInvoices := t.ofInvoices(m.TransactionID.ValueString())
	ofInvoices.Forget = forgetInstead
	var problems invoiceProblems
	if !errors.As(err, &problems) {
		return o.outcome(ctx, err, t)
	}
	var diags diag.Diagnostics
	for _, p := range problems {
		if p.Kind != issuing.NotAsPlanned {
			diags.Append(ofInvoices.CancelProblem(p)...)
			continue
		}
		was := "The plan did not know it"
		if known := slices.IndexFunc(m.invoicesInState(), sameInvoice(p.Invoice)); known >= 0 {
			was = fmt.Sprintf("The plan was made for an invoice with status %q", m.invoicesInState()[known].Status)
		}
		diags.Append(message.Error("Not destroyed: the status of "+ofInvoices.Label(p.Model, p.Invoice)+" has changed", fmt.Sprintf(
			"%s, and the service now holds it with status %q (id %s). For it nothing was sent, and the order stays in state.", was, p.Invoice.Status, p.Invoice.ID),
			"Plan again: the new plan says what a destroy does now.")...)
	}
	return diags
}
