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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/invoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Every text that an order can end with. Summaries name the order: a CLI folds
// warnings with the same summary and shows only one of them.

func orderLabel(transactionID string) string { return "order " + transactionID }

// terms are those in which a front speaks of an order.
type terms struct {
	message.Front
	schema   message.PathSchema // finds the attributes that the service's refusals name
	id       string             // the transaction_id, quoted where it is an attribute
	kept     string             // what becomes of the order, where a problem leaves something to say of it
	noneYet  string             // what to do where the service never queues an invoice
	timeouts string             // and about the time there is
}

// resourceTerms are those of the resource. inState tells that a problem leaves
// the order in state as it was.
func resourceTerms(schema message.PathSchema, inState bool) terms {
	t := terms{
		Front: message.Applying, schema: schema, id: "`transaction_id`", kept: "Nothing is kept in state, and no second order is made. ",
		noneYet:  "If the service never issues one, set `issue_invoices = true` to issue explicitly, or `wait_for_invoices = false`.",
		timeouts: " Raise `timeouts` when the authority is slow.",
	}
	if inState {
		t.kept = "The order stays in state. "
	}
	return t
}

var actionTerms = terms{Front: message.Invoking, id: "transaction_id", noneYet: "If the service never issues one, look at the order in the back office."}

// ofInvoices are the same terms for one invoice of an order.
func (t terms) ofInvoices(transactionID string) *invoice.Terms {
	return &invoice.Terms{
		Front: t.Front, Thing: "order", ID: t.id, Value: transactionID, Timeouts: t.timeouts, At: "the configuration",
		Rejected: func(code string, v *einvoice.Invoice) string {
			return message.Paragraphs(message.RejectionOfPart(code, string(v.Model), strings.Trim(t.id, "`")), fmt.Sprintf(
				"%sCorrect the cause at the service (the company's settings, the customer, the product or its taxation) and %s: "+
					"the order is found by its %s, and only what it has not issued yet is issued, this invoice (id %s) included. "+
					"If the sale itself is wrong, record it under a new %s.", t.kept, t.InSentence(), t.id, v.ID, t.id))
		},
	}
}

// outcome words how a run ended: what is to be known of it, and the problem if it
// ended in one.
func (t terms) outcome(ctx context.Context, o *engine.Ordering, err error) diag.Diagnostics {
	var diags diag.Diagnostics
	label, ofInvoices := orderLabel(string(o.Wanted.TransactionID)), t.ofInvoices(string(o.Wanted.TransactionID))
	if o.Found != nil {
		diags.AddWarning("Found "+label+" at the service", fmt.Sprintf(
			"The service already held it (id %s) under its `transaction_id`, from an earlier run or from elsewhere. This run went on with it and recorded no second order.", o.Found.ID))
	}
	for _, n := range o.Notes {
		switch n.Kind {
		case engine.Unreadable:
			diags.Append(unread())
		case engine.InvoicesUnseen:
			diags.Append(unseen(message.DocumentNames[n.Model]))
		default:
			diags.Append(ofInvoices.Note(n))
		}
	}
	for _, v := range o.Replaced {
		diags.AddWarning(fmt.Sprintf("%s is %s, and another one has its place", ofInvoices.Label(string(v.Model), v), v.Status),
			fmt.Sprintf("The order has another invoice of the same model, so this one (id %s) is not issued again.", v.ID))
	}
	p, invoices := (*engine.Problem)(nil), engine.InvoiceProblems(nil)
	switch {
	case err == nil:
	case errors.As(err, &p):
		diags.Append(t.words(ctx, o, p)...)
	case errors.As(err, &invoices):
		for _, p := range invoices {
			diags.Append(ofInvoices.Problem(p)...)
		}
	default:
		diags.Append(message.ProviderBug("%s", err))
	}
	return diags
}

// words says why an order did not become what is wanted.
func (t terms) words(ctx context.Context, o *engine.Ordering, p *engine.Problem) diag.Diagnostics {
	label, held := orderLabel(string(o.Wanted.TransactionID)), p.Order
	looked := p.LookedFor.Round(time.Second)
	at := func(name, summary string, texts ...string) diag.Diagnostics {
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(name), summary, message.Paragraphs(texts...))}
	}
	switch p.Kind {
	case engine.RequestFailed:
		return t.requestFailed(ctx, label, p)
	case engine.TimedOut:
		happened := fmt.Sprintf("The service holds the order (id %s), and shows no invoice of it yet, although one is due.", held.ID)
		if p.LastLook != nil {
			happened += " The last look at it failed: " + message.Reason(p.LastLook)
		}
		return message.Error("No invoice yet: "+label, happened, t.Again+" to go on waiting; no second order is made. "+t.noneYet)
	case engine.StatusLost:
		return at("status", "Answer lost: the status of "+label,
			fmt.Sprintf("The change to %q was sent, but its answer did not arrive (%s), and after %s the service still shows %q (id %s).", o.Status, message.Clause(p.Cause), looked, held.Status, held.ID),
			"Nothing was sent a second time. "+t.Again+": it looks first, and sends the change only if it still has not happened.")
	case engine.IssueLost:
		return message.Error("Answer lost: the explicit issue of "+label,
			fmt.Sprintf("The request was sent, but its answer did not arrive (%s), and after %s nothing about the order's invoices has changed (id %s).", message.Clause(p.Cause), looked, held.ID),
			"Nothing was sent a second time. "+t.Again+": it looks first, and issues only what is still not issued.")
	case engine.Ended:
		return at("transaction_id", message.SentenceCase(label)+" is "+string(held.Status), fmt.Sprintf("The service holds the order (id %s) with status %q.", held.ID, held.Status),
			"Nothing was sent. Choose a new `transaction_id` to record the sale again.")
	default:
		return t.ofInvoices(string(o.Wanted.TransactionID)).Problem(p)
	}
}

// requestFailed is a request that the service refused or that did not reach it.
func (t terms) requestFailed(ctx context.Context, label string, p *engine.Problem) diag.Diagnostics {
	diags := t.APIError(ctx, string(p.Request)+" "+label, p.Cause, t.schema)
	if errors.Is(p.Cause, einvoice.ErrBadRequest) || errors.Is(p.Cause, einvoice.ErrForbidden) || errors.Is(p.Cause, einvoice.ErrUnauthorized) {
		return diags
	}
	for n, d := range diags {
		diags[n] = diag.NewErrorDiagnostic(d.Summary(), message.Paragraphs(d.Detail(),
			fmt.Sprintf("%s is safe: the order is looked up by its %s first, and never recorded twice.", t.Running, t.id)))
	}
	return diags
}

func differencesShown(differ []engine.Difference) []string {
	var list []string
	for _, d := range differ {
		list = append(list, fmt.Sprintf("%s: %s in the configuration, %s at the service", d.Of, d.Wanted, d.Held))
	}
	return list
}

// invoiceNames lists invoices for a person: "NF-e 7 (authorized)".
func invoiceNames(invoices []*einvoice.Invoice) string {
	var names []string
	for _, v := range invoices {
		names = append(names, fmt.Sprintf("%s (%s)", message.InvoiceLabel(string(v.Model), "", attribute.IntOrNull(v.Number)), v.Status))
	}
	return strings.Join(names, ", ")
}

// unread warns, once a run, of orders that the service neither reads nor lists.
func unread() diag.Diagnostic {
	return diag.NewWarningDiagnostic("The service does not show orders", message.Paragraphs(
		"State keeps what the creation of an order answered. Its invoices are read by their ids, and others are found by the order that they name.",
		message.MissingOperation("get_order")))
}

// unseen warns, once a run, of invoices of orders that the service does not show.
func unseen(name string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Invoices of orders were not waited for: "+name, message.Paragraphs(
		fmt.Sprintf("The service shows no orders and does not list %s, so that nobody sees which of them an order has. `invoices` lacks them, although `wait_for_invoices` is true.", name),
		"Look in the service's back office whether they are authorized. To follow each of them here, issue it by `einvoice_invoice_issuance`.",
		message.MissingOperation("list_invoices")))
}

// goneAtService is an order with invoices that the service no longer finds.
func (m *orderModel) goneAtService() diag.Diagnostic {
	return diag.NewWarningDiagnostic(message.SentenceCase(m.label())+" is gone at the service", fmt.Sprintf(
		"The service no longer finds it (id %s), and it has issued %s. It stays in state as it was last seen and is never recorded again by itself. "+
			"Check with the service; to forget it remove the block from the configuration.", m.ID.ValueString(), invoiceNames(m.invoicesInState())))
}

func (m *orderModel) differsAtService(differ []string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(message.SentenceCase(m.label())+" is another one at the service", fmt.Sprintf(
		"The service holds it (id %s) with other values: %s. An order cannot be changed from here. Correct it in the back office; or, if the service is right, correct the configuration "+
			"and import the order again.", m.ID.ValueString(), strings.Join(differ, "; ")))
}

// rejectedInState warns of an invoice that was rejected after it was waited for.
func (m *orderModel) rejectedInState(v *einvoice.Invoice) diag.Diagnostic {
	next := "The next apply issues it again; correct its cause first."
	if !m.WaitForInvoices.ValueBool() {
		next = "To issue it again after its cause is corrected, set `wait_for_invoices = true` and apply."
	}
	why := ""
	if v.ProcessingDetail != nil {
		why = " " + message.CodeAndMessage(v.ProcessingDetail)
	}
	return diag.NewWarningDiagnostic(fmt.Sprintf("%s is rejected", message.InvoiceLabel(string(v.Model), m.TransactionID.ValueString(), attribute.IntOrNull(v.Number))),
		fmt.Sprintf("The service holds this invoice of the order as rejected (id %s).%s %s", v.ID, why, next))
}

// endedAtService warns of an invoice that is not valid any more.
func (m *orderModel) endedAtService(v *einvoice.Invoice) diag.Diagnostic {
	return diag.NewWarningDiagnostic(fmt.Sprintf("%s is %s", message.InvoiceLabel(string(v.Model), m.TransactionID.ValueString(), attribute.IntOrNull(v.Number)), v.Status),
		fmt.Sprintf("The service holds this invoice of the order with status %q (id %s). It is never issued again by itself. "+
			"To forget the order remove the block from the configuration; to issue the sale again record it under a new `transaction_id`.", v.Status, v.ID))
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
	return diag.NewAttributeErrorDiagnostic(message.ShownAt(c.at), "Cannot change "+m.label(), message.Paragraphs(
		fmt.Sprintf("`%s` is %s in state and %s in the configuration. %s", c.at, shown(c.was), shown(c.now), why), what))
}

func (m *orderModel) importedAnother(c change) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(message.ShownAt(c.at), "Imported another order", fmt.Sprintf(
		"`%s` is %s at the service (id %s) and %s in the configuration. Configure what the service holds, or import the right order.",
		c.at, shown(c.was), m.ID.ValueString(), shown(c.now)))
}

// importedUnseen names what nobody could compare of an imported order.
func (m *orderModel) importedUnseen(names []string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Takes over imported "+m.label(), fmt.Sprintf(
		"The imported order (id %s) is taken for the configured one, and nothing of this is sent: %s. The service does not show it, so it could not be compared: make sure that it is this sale.",
		m.ID.ValueString(), strings.Join(names, ", ")))
}

// sentBack warns of a status that goes back from where the order has come to.
func (m *orderModel) sentBack(state *orderModel) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("status"), message.SentenceCase(m.label())+" is sent back to "+m.Status.ValueString(), fmt.Sprintf(
		"The service holds it as %q, which comes after %q. If something else moves the status, take `status` out of the configuration.",
		state.Status.ValueString(), m.Status.ValueString()))
}

func (m *orderModel) label() string { return orderLabel(m.TransactionID.ValueString()) }
