package order

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// outcome is what is to be known of how a run ended, and the problem if it ended in one. inState: a problem leaves the
// order in state as it was.
func outcome(
	ctx context.Context, o *engine.Ordering, err error, schema message.PathSchema, inState bool,
) (diags diag.Diagnostics) {
	terms := &issuance.Terms{Thing: issuance.Order, Name: string(o.Wanted.TransactionID), InState: inState}
	for _, n := range o.Notes {
		diags.Append(terms.Note(ctx, n)...)
	}
	p, invoices := (*engine.Problem)(nil), engine.InvoiceProblems(nil)
	switch {
	case err == nil:
	case errors.As(err, &p):
		diags.Append(problem(ctx, o, p, terms, schema)...)
	case errors.As(err, &invoices):
		for _, p := range invoices {
			diags.Append(terms.Problem(ctx, p)...)
		}
	default:
		diags.Append(message.ProviderBug("%s", err)...)
	}
	return diags
}

// problem is why an order did not become what is wanted.
func problem(
	ctx context.Context, o *engine.Ordering, p *engine.Problem, terms *issuance.Terms, schema message.PathSchema,
) diag.Diagnostics {
	label := orderLabel(terms.Name)
	switch {
	case p.Kind == engine.RequestFailed:
		return requestFailed(ctx, label, p, schema)
	case p.Kind == engine.TimedOut && p.Invoice == nil:
		return say.Error(ctx, "order.no_invoice", text.With{
			"label": label, "id": string(p.Order.ID), "look": message.Cause(p.LastLook),
		})
	case p.Kind == engine.StatusLost:
		return say.ErrorAt(ctx, path.Root("status"), "order.status_lost", text.With{
			"label": label, "id": string(p.Order.ID), "wanted": o.Status, "status": string(p.Order.Status),
			"cause": message.Cause(p.Cause), "for": p.LookedFor,
		})
	case p.Kind == engine.IssueLost:
		return say.Error(ctx, "order.issue_lost", text.With{
			"label": label, "id": string(p.Order.ID), "cause": message.Cause(p.Cause), "for": p.LookedFor,
		})
	case p.Kind == engine.Ended && p.Invoice == nil:
		return say.ErrorAt(ctx, path.Root("transaction_id"), "order.ended", text.With{
			"label": label, "id": string(p.Order.ID), "status": string(p.Order.Status),
		})
	}
	return terms.Problem(ctx, p)
}

// requestFailed is a request that the service refused or that did not reach it.
func requestFailed(
	ctx context.Context, label text.Text, p *engine.Problem, schema message.PathSchema,
) diag.Diagnostics {
	task := message.Task(string(p.Request), label)
	diags := message.APIError(ctx, task, p.Cause, schema)
	for _, refusal := range []error{einvoice.ErrBadRequest, einvoice.ErrForbidden, einvoice.ErrUnauthorized} {
		if errors.Is(p.Cause, refusal) {
			return diags
		}
	}
	failure, isAnswer := errors.AsType[*einvoice.Error](p.Cause)
	return say.Error(ctx, "order.request_failed", text.With{
		"task": task, "said": diags[0].Detail(), "unlisted": p.NoList,
		"unfindable": isAnswer && failure.Missing == "list_orders", "operation": einvoice.StandardOperation("get_order"),
	})
}

// notCanceled is why a destroy did not cancel the invoices.
func (m *orderModel) notCanceled(ctx context.Context, o *engine.Ordering, err error) (diags diag.Diagnostics) {
	terms := &issuance.Terms{
		Thing: issuance.Order, Name: m.TransactionID.ValueString(), InState: true, Planned: m.invoicesInState(),
	}
	p, problems := (*engine.Problem)(nil), engine.InvoiceProblems(nil)
	switch {
	case errors.As(err, &p) && p.Kind == engine.TakenOver:
		problems = engine.InvoiceProblems{p}
	case !errors.As(err, &problems):
		return outcome(ctx, o, err, nil, true)
	}
	for _, p := range problems {
		diags.Append(terms.CancelProblem(ctx, p)...)
	}
	return diags
}

func orderLabel(name string) text.Text { return text.Of("order.label", text.With{"id": name}) }

// label names the order by its id while an import has not read its transaction_id.
func (m *orderModel) label() text.Text {
	return orderLabel(cmp.Or(m.TransactionID.ValueString(), m.ID.ValueString()))
}

// namesOf lists invoices for a person: "NF-e 7 (authorized)".
func namesOf(invoices []*einvoice.Invoice) (names []text.Text) {
	for _, v := range invoices {
		names = append(names, text.Of("order.invoice", text.With{
			"label": invoiceLabel(v, ""), "status": string(v.Status),
		}))
	}
	return names
}

func invoiceLabel(v *einvoice.Invoice, transactionID string) text.Text {
	return message.InvoiceLabel(string(v.Model), transactionID, attribute.IntOrNull(v.Number))
}

// goneAtService warns of an order with invoices that the service no longer finds.
func (m *orderModel) goneAtService(ctx context.Context) diag.Diagnostics {
	return say.Warning(ctx, "order.gone", text.With{
		"label": m.label(), "id": m.ID.ValueString(), "invoices": namesOf(m.invoicesInState()),
	})
}

// issuedUnasked warns of invoices that are new, although the order asks for none.
func (m *orderModel) issuedUnasked(ctx context.Context, known, held []*einvoice.Invoice) (diags diag.Diagnostics) {
	if m.AutoIssueMode.ValueString() != einvoice.IssueDisabled || m.IssueInvoices.ValueBool() {
		return nil
	}
	for _, v := range held {
		if was := engine.FindInvoice(known, v); v.IsDraft() || was != nil && !was.IsDraft() {
			continue
		}
		diags.Append(say.Warning(ctx, "order.issued_unasked", text.With{
			"label": invoiceLabel(v, m.TransactionID.ValueString()), "status": string(v.Status), "id": string(v.ID),
		})...)
	}
	return diags
}

// failedInvoice warns of an invoice that is rejected, or not valid any more.
func (m *orderModel) failedInvoice(ctx context.Context, v *einvoice.Invoice) diag.Diagnostics {
	var said text.Text
	if v.ProcessingDetail != nil {
		said = message.CodeAndMessage(v.ProcessingDetail)
	}
	return say.Warning(ctx, "order.invoice_failed", text.With{
		"label": invoiceLabel(v, m.TransactionID.ValueString()), "status": string(v.Status), "id": string(v.ID),
		"said": said, "waits": m.WaitForInvoices.ValueBool(),
	})
}

// cannotChange refuses a change of what is in state. What to do is said once.
func (m *orderModel) cannotChange(ctx context.Context, c attribute.Change, isFirst bool) diag.Diagnostics {
	return say.ErrorAt(ctx, message.ShownAt(c.At), "order.cannot_change", text.With{
		"label": m.label(), "at": c.At.String(), "was": asText(c.Was), "now": asText(c.Now),
		"invoices": namesOf(m.invoicesInState()), "is_first": isFirst,
	})
}

func (m *orderModel) importedAnother(ctx context.Context, c attribute.Change) diag.Diagnostics {
	return say.ErrorAt(ctx, message.ShownAt(c.At), "order.imported_another", text.With{
		"at": c.At.String(), "was": asText(c.Was), "now": asText(c.Now), "id": m.ID.ValueString(),
	})
}

// destroyWarning says in the plan what a destroy does, and what it leaves behind. Delete
// decides by the same statuses.
func (m *orderModel) destroyWarning(ctx context.Context) diag.Diagnostics {
	invoices, reason := m.invoicesInState(), m.CancellationReason.ValueString()
	ending := func(wanted engine.Ending) []*einvoice.Invoice {
		return slices.DeleteFunc(slices.Clone(invoices), func(v *einvoice.Invoice) bool {
			return engine.EndingOf(string(v.Status)) != wanted
		})
	}
	valid, unsettled := ending(engine.Canceled), ending(engine.Unsettled)
	has := func(model string) bool {
		return slices.ContainsFunc(valid, func(v *einvoice.Invoice) bool { return string(v.Model) == model })
	}
	if reason != "" && len(valid)+len(unsettled) > 0 {
		return say.Warning(ctx, "order.destroy_cancels", text.With{
			"label": m.label(), "id": m.ID.ValueString(), "reason": reason, "valid": namesOf(valid),
			"unsettled": namesOf(unsettled), "nfe": has(einvoice.ModelProduct), "nfce": has(einvoice.ModelConsumer),
		})
	}
	return say.Warning(ctx, "order.destroy_forgets", text.With{
		"label": m.label(), "id": m.ID.ValueString(), "invoices": namesOf(invoices),
		"cancelable": len(valid)+len(unsettled) > 0, "drafts": slices.ContainsFunc(invoices, (*einvoice.Invoice).IsDraft),
	})
}

// secondOrder warns if a plan replaces an order by another sale. A destroy that cancels warns of that.
func (m *orderModel) secondOrder(ctx context.Context, state *orderModel) diag.Diagnostics {
	if !state.CancellationReason.IsNull() {
		return state.destroyWarning(ctx)
	}
	return say.WarningAt(ctx, path.Root("transaction_id"), "order.second", text.With{
		"label": state.label(), "id": state.ID.ValueString(), "invoices": namesOf(state.invoicesInState()),
		"new": m.TransactionID.ValueString(),
	})
}

// prospect warns of an order that apply will continue with.
func (m *orderModel) prospect(ctx context.Context, p engine.Prospect[einvoice.Order]) diag.Diagnostics {
	if p.Found == nil {
		return nil
	}
	var does []text.Text
	for _, next := range p.Steps {
		switch next {
		case engine.ChangesStatus:
			does = append(does, text.Of("order.changes_status", text.With{"status": m.Status.ValueString()}))
		case engine.LetsIssue:
			does = append(does, text.Of("order.lets_issue", nil))
		case engine.IssuesRest:
			does = append(does, text.Of("order.issues_rest", nil))
		default:
			does = append(does, text.Of("order.awaits", nil))
		}
	}
	return say.WarningAt(ctx, path.Root("transaction_id"), "order.exists", text.With{
		"label": m.label(), "id": string(p.Found.ID), "status": string(p.Found.Status),
		"invoices": namesOf(p.Found.Invoices), "does": does,
	})
}

// asText is a value for a person; of an object or a list only that it is there.
func asText(v attr.Value) any {
	if v.IsNull() {
		return text.Of("order.not_set", nil)
	}
	switch v := v.(type) {
	case types.Float64:
		return decimal(v.ValueFloat64())
	case types.List:
		return text.Of("order.list_of", text.With{"n": len(v.Elements())})
	case types.Object:
		return text.Of("order.set", nil)
	case attribute.StringValue:
		return text.Of("order.quoted", text.With{"value": v.ValueString()})
	}
	return v.String()
}
