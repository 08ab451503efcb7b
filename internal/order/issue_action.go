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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
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
func issueOnly(ctx context.Context, o *engine.Ordering, id string, tell func(text.Text)) diag.Diagnostics {
	held, err := o.Client.Order(ctx, id, "")
	if err != nil {
		return message.ReadError(ctx, "order", "order_id", id, err)
	}
	if held.TransactionID == "" {
		return say.Error(ctx, "order.unnamed", text.With{"id": id})
	}
	o.Wanted.TransactionID, o.Wanted.AutoIssueMode = held.TransactionID, held.AutoIssueMode
	terms := issuance.Terms{Thing: issuance.Order, Name: string(held.TransactionID)}
	has := func(order *einvoice.Order) {
		tell(text.Of("order.has", text.With{"label": orderLabel(terms.Name), "invoices": namesOf(order.Invoices)}))
	}
	o.Watch = func(e engine.Event) {
		switch e.Kind {
		case engine.Queued, engine.StatusChanged:
			former := ""
			if e.Previous != nil {
				former = string(e.Previous.Status)
			}
			tell(text.Of("order.progress", text.With{
				"label": terms.Label(e.Model, e.Invoice), "status": string(e.Invoice.Status),
				"queued": e.Kind == engine.Queued, "former": former,
			}))
		default:
		}
	}
	has(held)
	order, err := o.Update(ctx, id)
	if err == nil {
		has(order)
	}
	return outcome(ctx, o, err, nil, false)
}
