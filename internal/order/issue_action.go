package order

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

type issueModel struct {
	OrderID       types.String      `tfsdk:"order_id"`
	EffectiveDate types.String      `tfsdk:"effective_date"`
	Issuer        attribute.Spelled `tfsdk:"issuer"`
}

// NewIssueAction is the action einvoice_order_issue_invoices. It issues as einvoice_order
// does with issue_invoices, for an order that is in no state.
func NewIssueAction() action.Action {
	return &session.Action[issueModel]{
		Company: "issuer", Name: "order_issue_invoices",
		Description: "Issues the invoices of an order that are not issued yet, including rejected ones, " +
			"and waits up to 10 minutes until they are authorized. It is safe to invoke again: the action looks up " +
			"the order first, and never issues an invoice twice. Needs the seller's key.",
		Attributes: map[string]schema.Attribute{
			"order_id": session.ActionID("Identifier of the order at the service"),
			"effective_date": schema.StringAttribute{
				MarkdownDescription: "The issue date: a date or a date-time.",
				Optional:            true,
				Validators:          []validator.String{attribute.DateValidator},
			},
		},
		Perform: func(ctx context.Context, run *session.Invocation, config *issueModel) diag.Diagnostics {
			ctx, cancel := context.WithTimeout(ctx, attribute.DefaultIssuanceTimeout)
			defer cancel()
			o := &engine.Ordering{
				Service: issuance.Service(run.Session), Issue: true, IssueNow: true, Waits: true,
				EffectiveDate: sentDateTime(config.EffectiveDate.ValueString()),
			}
			return issueOnly(ctx, o, config.OrderID.ValueString(), run.Report)
		},
	}
}

// issueOnly issues the invoices of an order that exists.
func issueOnly(ctx context.Context, o *engine.Ordering, id string, tell func(string, ...any)) diag.Diagnostics {
	held, err := o.Client.Order(ctx, id, "")
	if err != nil {
		return message.Invoking.ReadError(ctx, "order", "order_id", id, err)
	}
	if held.TransactionID == "" {
		return message.Error("Order without a transaction_id: "+id,
			"The order has no transaction_id, by which its invoices are found again. Nothing was sent.",
			"Issue its invoices in the back office.")
	}
	o.Wanted.TransactionID, o.Wanted.AutoIssueMode = held.TransactionID, held.AutoIssueMode
	label, words := orderLabel(string(held.TransactionID)), actionTerms.ofInvoices(string(held.TransactionID))
	o.Watch = func(e engine.Event) {
		switch e.Kind {
		case engine.Queued:
			tell("%s: %s, and check-status says that it is still queued. Waiting.",
				words.Label(e.Model, e.Invoice), e.Invoice.Status)
		case engine.StatusChanged:
			tell("%s: %s, was %s.", words.Label(e.Model, e.Invoice), e.Invoice.Status, e.Previous.Status)
		default:
		}
	}
	tell("%s has %s.", message.SentenceCase(label), invoicesText(held))
	order, err := o.Update(ctx, id)
	if err == nil {
		tell("%s has %s.", message.SentenceCase(label), invoicesText(order))
	}
	return actionTerms.outcome(ctx, o, err)
}

func invoicesText(order *einvoice.Order) string {
	if len(order.Invoices) == 0 {
		return "no invoices yet"
	}
	return "these invoices: " + invoiceNames(order.Invoices)
}
