package order

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Every text that an order can end with. Summaries name the order: a CLI folds
// warnings with the same summary and shows only one of them.

func orderLabel(transactionID string) string { return "order " + transactionID }

// terms are the words of a resource or an action for an order.
type terms struct {
	message.Front
	schema  message.PathSchema // finds the attributes that the service's refusals name
	inState bool               // a problem leaves the order in state as it was
}

func resourceTerms(schema message.PathSchema, inState bool) terms {
	return terms{message.Applying, schema, inState}
}

var actionTerms = terms{Front: message.Invoking}

// id is the transaction_id, quoted where it is an attribute.
func (t terms) id() string { return t.Either("`transaction_id`", "transaction_id") }

// ofInvoices are the same terms for one invoice of an order.
func (t terms) ofInvoices(transactionID string) *issuance.Terms {
	return &issuance.Terms{Thing: issuance.Order, Name: transactionID, InState: t.inState}
}

// outcome words how a run ended: what is to be known of it, and the problem if it ended in
// one.
func (t terms) outcome(ctx context.Context, o *engine.Ordering, err error) diag.Diagnostics {
	var diags diag.Diagnostics
	label, ofInvoices := orderLabel(string(o.Wanted.TransactionID)), t.ofInvoices(string(o.Wanted.TransactionID))
	if o.Found != nil {
		diags.AddWarning("Found "+label+" at the service", fmt.Sprintf(
			"The service already has it (id %s) under its `transaction_id`. "+
				"The run continued with it and created no second order.", o.Found.ID))
	}
	for _, n := range o.Notes {
		diags.Append(ofInvoices.Note(ctx, n)...)
	}
	for _, v := range o.Replaced {
		diags.AddWarning(fmt.Sprintf("%s is %s, and another one "+
			"replaces it", ofInvoices.Label(string(v.Model), v), v.Status),
			fmt.Sprintf("The order has another invoice of this model, so this one (id %s) is not issued again.", v.ID))
	}
	p, invoices := (*engine.Problem)(nil), engine.InvoiceProblems(nil)
	switch {
	case err == nil:
	case errors.As(err, &p):
		diags.Append(t.problem(ctx, o, p)...)
	case errors.As(err, &invoices):
		for _, p := range invoices {
			diags.Append(ofInvoices.Problem(ctx, p)...)
		}
	default:
		diags.Append(message.ProviderBug("%s", err))
	}
	return diags
}

// problem says why an order did not become what is wanted.
func (t terms) problem(ctx context.Context, o *engine.Ordering, p *engine.Problem) diag.Diagnostics {
	label, held := orderLabel(string(o.Wanted.TransactionID)), p.Order
	lost := func(sent, instead string) string {
		return fmt.Sprintf("%s was sent, but the response did not arrive (%s). After %s, %s (id %s).",
			sent, message.Clause(p.Cause), p.LookedFor.Round(time.Second), instead, held.ID)
	}
	again := "Nothing was sent a second time. " + t.Again + ": it looks first, and "
	if p.Kind == engine.TimedOut && p.Invoice != nil {
		return t.ofInvoices(string(o.Wanted.TransactionID)).Problem(ctx, p)
	}
	switch p.Kind {
	case engine.RequestFailed:
		return t.requestFailed(ctx, label, p)
	case engine.TimedOut:
		happened := fmt.Sprintf("The service has the order (id %s) but shows no invoice of it, although one is due.",
			held.ID)
		if p.LastLook != nil {
			happened += " The last read failed: " + message.Reason(p.LastLook)
		}
		return message.Error("No invoice yet: "+label, happened,
			t.Again+": it continues to wait, and creates no second order. "+
				"If the service never issues one, "+t.Either("set `issue_invoices = true` to issue explicitly, or "+
				"`wait_for_invoices = false`.", "look at the order in the back office."))
	case engine.StatusLost:
		return message.ErrorAt("status", "Response lost: changing the status of "+label,
			lost(fmt.Sprintf("The change to %q", o.Status), fmt.Sprintf("the service still shows %q", held.Status)),
			again+"sends the change only if the status is still the old one.")
	case engine.IssueLost:
		return message.Error("Response lost: issuing the invoices of "+label,
			lost("The request", "nothing about the order's invoices has changed"),
			again+"issues only what is still not issued.")
	case engine.Ended:
		return message.ErrorAt("transaction_id", message.SentenceCase(label)+" is "+string(held.Status),
			fmt.Sprintf("The service holds the order (id %s) with status %q.", held.ID, held.Status),
			"Nothing was sent. To create an order for the sale again, use a new `transaction_id`.")
	default:
		return t.ofInvoices(string(o.Wanted.TransactionID)).Problem(ctx, p)
	}
}

// requestFailed is a request that the service refused or that did not reach it.
func (t terms) requestFailed(ctx context.Context, label string, p *engine.Problem) diag.Diagnostics {
	diags := t.APIError(ctx, string(p.Request)+" "+label, p.Cause, t.schema)
	for _, refusal := range []error{einvoice.ErrBadRequest, einvoice.ErrForbidden, einvoice.ErrUnauthorized} {
		if errors.Is(p.Cause, refusal) {
			return diags
		}
	}
	why := fmt.Sprintf("the provider looks up the order by its %s first, and never creates a second one.", t.id())
	if p.NoList {
		why = "the journal knows what was sent, and the provider never creates a second order."
	}
	safe := t.Running + " is safe: " + why
	if failure, ok := errors.AsType[*einvoice.Error](p.Cause); ok && failure.Missing == "list_orders" {
		safe = "No order is sent while neither `list_orders` nor `get_order` can find it. If the service has `get_order` " +
			"where it usually is, say so: `operations = { get_order = \"" + einvoice.StandardOperation("get_order") + "\" }`."
	}
	for n, d := range diags {
		diags[n] = diag.NewErrorDiagnostic(d.Summary(), message.Paragraphs(d.Detail(), safe))
	}
	return diags
}

// invoiceNames lists invoices for a person: "NF-e 7 (authorized)".
func invoiceNames(invoices []*einvoice.Invoice) string {
	var names []string
	for _, v := range invoices {
		names = append(names, fmt.Sprintf("%s (%s)", invoiceLabel(v, ""), v.Status))
	}
	return strings.Join(names, ", ")
}

func invoiceLabel(v *einvoice.Invoice, transactionID string) string {
	return message.InvoiceLabel(string(v.Model), transactionID, attribute.IntOrNull(v.Number))
}

// warn is a warning whose summary begins with the order.
func (m *orderModel) warn(summary, format string, args ...any) diag.Diagnostic {
	return diag.NewWarningDiagnostic(message.SentenceCase(m.label())+summary, fmt.Sprintf(format, args...))
}

// goneAtService is an order with invoices that the service no longer finds.
func (m *orderModel) goneAtService() diag.Diagnostic {
	return m.warn(" is gone at the service", "The service no longer finds it (id %s). It has issued %s. The order "+
		"stays in state as it was, and the provider never creates it again by itself. Check with the service. To remove "+
		"it from state, remove the block from the configuration.", m.ID.ValueString(), invoiceNames(m.invoicesInState()))
}

func (m *orderModel) differsAtService(differences []string) diag.Diagnostic {
	return m.warn(" differs at the service", "The service has it (id %s) with other values: %s. The provider "+
		"cannot change an order. Correct it in the back office. If the service is right, correct the "+
		"configuration and import the order again.", m.ID.ValueString(), strings.Join(differences, "; "))
}

// issuedUnasked warns of invoices that are new, although the order asks for none.
func (m *orderModel) issuedUnasked(known, held []*einvoice.Invoice) (diags diag.Diagnostics) {
	if m.AutoIssueMode.ValueString() != einvoice.IssueDisabled || m.IssueInvoices.ValueBool() {
		return nil
	}
	for _, v := range held {
		if was := engine.FindInvoice(known, v); v.IsDraft() || was != nil && !was.IsDraft() {
			continue
		}
		diags.AddWarning(invoiceLabel(v, m.TransactionID.ValueString())+" was issued, although issuing is disabled",
			fmt.Sprintf("`auto_issue_mode` is \"disabled\", but the service has this invoice of the order with status "+
				"%q (id %s). If neither the back office nor an action has issued it, the service ignores "+
				"`auto_issue_mode`. In production the invoice is legally valid: if it is a mistake, cancel it in "+
				"time.", v.Status, v.ID))
	}
	return diags
}

// rejectedInState warns of an invoice that was rejected after the wait for it.
func (m *orderModel) rejectedInState(v *einvoice.Invoice) diag.Diagnostic {
	next := "Correct the cause. The next apply then issues it again."
	if !m.WaitForInvoices.ValueBool() {
		next = "To issue it again, correct the cause, set `wait_for_invoices = true` and apply."
	}
	why := ""
	if v.ProcessingDetail != nil {
		why = " " + message.CodeAndMessage(v.ProcessingDetail)
	}
	return diag.NewWarningDiagnostic(invoiceLabel(v, m.TransactionID.ValueString())+" is rejected", fmt.Sprintf(
		"This invoice of the order has the id %s at the service.%s %s", v.ID, why, next))
}

// endedAtService warns of an invoice that is not valid any more.
func (m *orderModel) endedAtService(v *einvoice.Invoice) diag.Diagnostic {
	label := invoiceLabel(v, m.TransactionID.ValueString())
	return diag.NewWarningDiagnostic(fmt.Sprintf("%s is %s", label, v.Status), fmt.Sprintf(
		"The service has this invoice of the order with status %q (id %s). The provider never issues it again by "+
			"itself. To remove the order from state, remove the block from the configuration. To issue the sale again, "+
			"use a new `transaction_id`.", v.Status, v.ID))
}

// cannotChange refuses a change of what is in state. What to do is said once.
func (m *orderModel) cannotChange(c attribute.Change, isFirst bool) diag.Diagnostic {
	why := "The service has no operation that changes an order, apart from its status."
	if invoices := m.invoicesInState(); len(invoices) > 0 {
		why = "A recorded order cannot change. It has these invoices: " + invoiceNames(invoices) + "."
	}
	advice := ""
	if isFirst {
		advice = "For another sale, use a new `transaction_id`. To keep this one, put the former value back. If it " +
			"refers to objects that change later, set `ignore_changes`. To remove the order from state and cancel nothing, " +
			"use `state rm`, or a `removed` block with `destroy = false`."
	}
	return diag.NewAttributeErrorDiagnostic(message.ShownAt(c.At), "Cannot change "+m.label(), message.Paragraphs(
		fmt.Sprintf("`%s` is %s in state and %s in the configuration. "+
			"%s", c.At, asText(c.Was), asText(c.Now), why), advice))
}

func (m *orderModel) importedAnother(c attribute.Change) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(message.ShownAt(c.At), "Wrong order imported", fmt.Sprintf(
		"`%s` is %s at the service (id %s) and %s in the configuration. Configure what the service has, or import "+
			"the right order.", c.At, asText(c.Was), m.ID.ValueString(), asText(c.Now)))
}

// notCompared names what the service does not show of an imported order.
func (m *orderModel) notCompared(names []string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Adopts imported "+m.label(), fmt.Sprintf(
		"The provider adopts the imported order (id %s) as the configured one and sends nothing. The service does "+
			"not show %s, so the provider could not compare it. Check that it is this sale.",
		m.ID.ValueString(), strings.Join(names, ", ")))
}

// issuedByStatus warns of a change of status after which the service issues.
func (m *orderModel) issuedByStatus() diag.Diagnostic {
	return diag.WithPath(path.Root("status"), m.warn(": its invoices will be issued", "With the status %q and "+
		"`auto_issue_mode = %q`, the service issues the order's invoices by itself. In production they are legally valid.",
		m.Status.ValueString(), m.AutoIssueMode.ValueString()))
}

// label names the order by its id while an import has not read its transaction_id.
func (m *orderModel) label() string {
	return orderLabel(cmp.Or(m.TransactionID.ValueString(), m.ID.ValueString(), "(known after apply)"))
}

const forgetInstead = " To remove the order from state without canceling, remove `cancellation_reason`, apply, and " +
	"then destroy."

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
			fmt.Sprintf("The service has %s. Only an authorized invoice can be canceled, so nothing will be sent "+
				"for any of its invoices. Destroy the order after they are "+
				"authorized.", invoiceNames(unsettled))+forgetInstead)
	case reason != "" && len(valid) > 0:
		return diag.NewWarningDiagnostic("Destroying cancels the invoices of "+m.label(), fmt.Sprintf(
			"A cancellation with the reason %q is sent to the tax authority for each authorized invoice: %s. It cannot be "+
				"undone.%s %s", reason, invoiceNames(valid), periods(valid), stays))
	case len(invoices) == 0:
		stays += " The provider knows none of its invoices. The service may have issued some, or issue them by " +
			"itself later."
	case len(valid)+len(unsettled) == 0:
		stays += " So do its invoices: " + invoiceNames(invoices) + ". Nothing is sent."
		if slices.ContainsFunc(invoices, (*einvoice.Invoice).IsDraft) {
			stays += " The service may still issue those with the status \"created\" by itself."
		}
	default:
		stays += " Its invoices stay too: " + invoiceNames(invoices) +
			". To cancel the authorized ones, set `cancellation_reason`, apply, and then destroy."
	}
	return diag.NewWarningDiagnostic("Destroy only removes "+m.label()+" from state", stays)
}

// secondOrder warns if a plan replaces an order by another sale. A destroy that cancels warns of that.
func (m *orderModel) secondOrder(state *orderModel) diag.Diagnostic {
	if !state.CancellationReason.IsNull() {
		return state.destroyWarning()
	}
	invoices := "with the invoices that it may have"
	if known := state.invoicesInState(); len(known) > 0 {
		invoices = "with its invoices: " + invoiceNames(known)
	}
	return diag.NewAttributeWarningDiagnostic(path.Root("transaction_id"),
		"A second order will be recorded beside "+state.label(), message.Paragraphs(fmt.Sprintf(
			"The first order (id %s) is removed from state. It stays at the service %s. Apply then records another order "+
				"under the transaction_id %q, which has invoices of its own.",
			state.ID.ValueString(), invoices, m.TransactionID.ValueString()),
			"If it is the same sale, restore the former `transaction_id`. If the replacement is to cancel the invoices "+
				"of the first order, set `cancellation_reason` and apply before this change."))
}

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
	ofInvoices.Planned = m.invoicesInState()
	p, problems := (*engine.Problem)(nil), engine.InvoiceProblems(nil)
	switch {
	case errors.As(err, &p) && p.Kind == engine.TakenOver:
		problems = engine.InvoiceProblems{p}
	case !errors.As(err, &problems):
		return t.outcome(ctx, o, err)
	}
	var diags diag.Diagnostics
	for _, p := range problems {
		diags.Append(ofInvoices.CancelProblem(ctx, p)...)
	}
	return diags
}
