package order

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Every text that an order can end with; those about one of its invoices are the
// ones of issuing. Summaries name the order: a CLI folds warnings with the same
// summary and shows only one of them.

func orderLabel(transactionID string) string { return "order " + transactionID }

func (o *ordering) label() string { return orderLabel(string(o.wanted.TransactionID)) }

// refused is a request that the service refused or that did not reach it.
func (o *ordering) refused(ctx context.Context, task string, err error) diag.Diagnostics {
	if ctx.Err() != nil {
		return o.interrupted(nil, err)
	}
	diags := message.ApiError(ctx, task, err, o.schema)
	if errors.Is(err, einvoice.ErrBadRequest) || errors.Is(err, einvoice.ErrForbidden) || errors.Is(err, einvoice.ErrUnauthorized) {
		return diags
	}
	safe := "Running apply again is safe: the order is looked up by its `transaction_id` first, and never recorded twice."
	for n, d := range diags {
		if d.Severity() == diag.SeverityError {
			diags[n] = diag.NewErrorDiagnostic(d.Summary(), message.Paragraphs(d.Detail(), safe))
		}
	}
	return diags
}

// unread is a look at an order that failed after something had been sent.
func (o *ordering) unread(ctx context.Context, order *einvoice.Order, err error) diag.Diagnostics {
	if ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return o.interrupted(order, err)
	}
	return o.refused(ctx, "read "+o.label(), err)
}

// interrupted is a run that was ended before it was known what became of it.
func (o *ordering) interrupted(order *einvoice.Order, err error) diag.Diagnostics {
	state := "What became of it is not known."
	if order != nil && order.ID != "" {
		state = fmt.Sprintf("The service holds it (id %s).", order.ID)
	}
	summary := "Interrupted in " + o.label()
	if errors.Is(err, context.DeadlineExceeded) {
		summary = "Out of time in " + o.label()
	}
	return message.Error(summary, state+" ("+strings.TrimSuffix(err.Error(), ".")+")",
		"Run apply again: it looks the order up by its `transaction_id` and goes on from there; nothing is recorded or issued twice.")
}

// answerLost is a creation that may have been processed, but shows nowhere.
func (o *ordering) answerLost(lost error) diag.Diagnostics {
	return message.Error("Answer lost: "+o.label(),
		fmt.Sprintf("The request was sent, but its answer did not arrive (%s), and after %s the service does not list the order.", strings.TrimSuffix(lost.Error(), "."), o.patience.Round(time.Second)),
		"Nothing was sent a second time. Run apply again: it looks the order up first, and records it only if it still does not exist.")
}

func (o *ordering) statusLost(order *einvoice.Order, lost error) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("status"), "Answer lost: the status of "+o.label(),
		message.Paragraphs(fmt.Sprintf("The change to %q was sent, but its answer did not arrive (%s), and after %s the service still shows %q (id %s).",
			o.status, strings.TrimSuffix(lost.Error(), "."), o.patience.Round(time.Second), order.Status, order.ID),
			"Nothing was sent a second time. Run apply again: it looks first, and sends the change only if it still has not happened."))}
}

func (o *ordering) issueLost(order *einvoice.Order, lost error) diag.Diagnostics {
	return message.Error("Answer lost: the explicit issue of "+o.label(),
		fmt.Sprintf("The request was sent, but its answer did not arrive (%s), and after %s nothing about the order's invoices has changed (id %s).",
			strings.TrimSuffix(lost.Error(), "."), o.patience.Round(time.Second), order.ID),
		"Nothing was sent a second time. Run apply again: it looks first, and issues only what is still not issued.")
}

// withoutInvoices is an order whose invoices are due and do not show.
func (o *ordering) withoutInvoices(order *einvoice.Order, err, failure error) diag.Diagnostics {
	if !errors.Is(err, context.DeadlineExceeded) {
		return o.interrupted(order, err)
	}
	happened := fmt.Sprintf("The service holds the order (id %s), and shows no invoice of it yet, although one is due.", order.ID)
	if failure != nil {
		happened += " The last look at it failed: " + message.Sentence(failure.Error())
	}
	return message.Error("No invoice yet: "+o.label(), happened,
		"Run apply again to go on waiting; no second order is made. Where the service never queues one, set `issue_invoices = true` to issue explicitly, or `wait_for_invoices = false`.")
}

// issuedAgain says what becomes of a rejected invoice of an order.
func (o *ordering) issuedAgain(v *einvoice.Invoice) string {
	kept := "Nothing is kept in state, and no second order is made."
	if o.inState {
		kept = "The order stays in state."
	}
	return fmt.Sprintf("%s Correct the cause at the service (the company's settings, the customer, the product or its taxation) and run apply again: "+
		"the order is found by its `transaction_id`, and only what it has not issued yet is issued again, this invoice (id %s) included. "+
		"Where the sale itself is wrong, record it anew under a new `transaction_id`.", kept, v.ID)
}

// adopted is an order that existed already and is what is wanted.
func (o *ordering) adopted(order *einvoice.Order) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Found "+o.label()+" at the service", fmt.Sprintf(
		"The service already held it (id %s) under its `transaction_id`, from an earlier run or from elsewhere. No second order was recorded; this run went on with it.", order.ID))
}

func (o *ordering) refuseAdoption(order *einvoice.Order, differ []string) diag.Diagnostics {
	sent := "Nothing was sent."
	if o.posted {
		sent = "Nothing was sent a second time."
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("transaction_id"), "Another order has this transaction_id: "+o.label(),
		message.Paragraphs(fmt.Sprintf("The service holds an order under %q (id %s) that is not this one: %s.", o.wanted.TransactionID, order.ID, strings.Join(differ, "; ")),
			sent+" Choose another `transaction_id`, or correct the configuration when they are meant to be the same sale."))}
}

func (o *ordering) over(order *einvoice.Order) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("transaction_id"), message.SentenceCase(o.label())+" is "+string(order.Status),
		message.Paragraphs(fmt.Sprintf("The service holds the order (id %s) with status %q.", order.ID, order.Status),
			"Nothing was sent. Choose a new `transaction_id` to record the sale again."))}
}

func (o *ordering) severalFound(found []*einvoice.Order) diag.Diagnostics {
	var list []string
	for _, order := range found {
		list = append(list, fmt.Sprintf("%s (%s)", order.ID, order.Status))
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("transaction_id"), "Several orders have this transaction_id: "+o.label(),
		message.Paragraphs(fmt.Sprintf("The service holds %s under %q.", strings.Join(list, " and "), o.wanted.TransactionID),
			"Nothing was sent. Find out which one is right, import it by its id, and cancel the other in the back office."))}
}

// setAside is a failed invoice that another one has taken the place of.
func (o *ordering) setAside(v *einvoice.Invoice) diag.Diagnostic {
	return diag.NewWarningDiagnostic(fmt.Sprintf("%s is %s, and another one has its place", o.issuingOf(v).Label(v), v.Status), fmt.Sprintf(
		"The order has another invoice of the same model, so this one (id %s) is not issued again.", v.ID))
}

// invoiceNames lists invoices for a person: "NF-e 7 (authorized)".
func invoiceNames(invoices []*einvoice.Invoice) string {
	var names []string
	for _, v := range invoices {
		names = append(names, fmt.Sprintf("%s (%s)", message.InvoiceLabel(string(v.Model), "", attribute.IntOrNull(v.Number)), v.Status))
	}
	return strings.Join(names, ", ")
}

// goneAtService is an order with invoices that the service no longer finds.
func (m *orderModel) goneAtService() diag.Diagnostic {
	return diag.NewWarningDiagnostic(message.SentenceCase(m.label())+" is gone at the service", fmt.Sprintf(
		"The service no longer finds it (id %s), and it has issued %s. It stays in state as it was last seen and is never recorded again by itself. "+
			"Check with the service; to forget it remove the block from the configuration.", m.ID.ValueString(), invoiceNames(m.invoicesInState())))
}

func (m *orderModel) differsAtService(differ []string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(message.SentenceCase(m.label())+" is another one at the service", fmt.Sprintf(
		"The service holds it (id %s) with other values: %s. An order cannot be changed from here. Correct it in the back office, or the configuration where the service is right "+
			"(then import the order again).", m.ID.ValueString(), strings.Join(differ, "; ")))
}

// rejectedInState warns of an invoice that was rejected after it was waited for.
func (m *orderModel) rejectedInState(v *einvoice.Invoice) diag.Diagnostic {
	next := "The next apply issues it again; correct its cause first."
	if !m.WaitForInvoices.ValueBool() {
		next = "To issue it again after its cause is corrected, set `wait_for_invoices = true` and apply."
	}
	why := ""
	if v.ProcessingDetail != nil {
		why = " " + issuing.CodeAndMessage(v.ProcessingDetail)
	}
	return diag.NewWarningDiagnostic(fmt.Sprintf("%s is rejected", message.InvoiceLabel(string(v.Model), m.TransactionID.ValueString(), attribute.IntOrNull(v.Number))),
		fmt.Sprintf("The service holds this invoice of the order as rejected (id %s).%s %s", v.ID, why, next))
}

// destroyWarning says in the plan what a destroy leaves behind.
func (m *orderModel) destroyWarning() diag.Diagnostic {
	stays := "It has no invoices yet; the service may still issue them by itself."
	if invoices := m.invoicesInState(); len(invoices) > 0 {
		stays = "Its invoices stay too: " + invoiceNames(invoices) + ". Cancel in the back office what should not stand."
	}
	return diag.NewWarningDiagnostic("Destroying only forgets "+m.label(), fmt.Sprintf("The order stays at the service (id %s). %s", m.ID.ValueString(), stays))
}

// cannotChange refuses a change of what is in state. What to do is said once.
func (m *orderModel) cannotChange(c change, first bool) diag.Diagnostic {
	why := "The service has no operation that changes an order, apart from its status."
	if invoices := m.invoicesInState(); len(invoices) > 0 {
		why = "Its invoices are issued from it: " + invoiceNames(invoices) + "."
	}
	what := ""
	if first {
		what = "To record another sale use a new `transaction_id`. To keep this one put the former value back, or set `ignore_changes` where it refers to objects that change later. " +
			"To destroy it now use `destroy -refresh=false`, or remove the block."
	}
	return diag.NewAttributeErrorDiagnostic(c.at, "Cannot change "+m.label(), message.Paragraphs(
		fmt.Sprintf("`%s` is %s in state and %s in the configuration. %s", c.at, shown(c.was), shown(c.now), why), what))
}

func (m *orderModel) importedAnother(c change) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(c.at, "Imported another order", fmt.Sprintf(
		"`%s` is %s at the service (id %s) and %s in the configuration. Configure what the service holds, or import the right order.",
		c.at, shown(c.was), m.ID.ValueString(), shown(c.now)))
}

// sentBack warns of a status that goes back from where the order has come to.
func (m *orderModel) sentBack(state *orderModel) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("status"), message.SentenceCase(m.label())+" is sent back to "+m.Status.ValueString(), fmt.Sprintf(
		"The service holds it as %q, which comes after %q. Where something else moves the status, take `status` out of the configuration.",
		state.Status.ValueString(), m.Status.ValueString()))
}

func (m *orderModel) label() string { return orderLabel(m.TransactionID.ValueString()) }
