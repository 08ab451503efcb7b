package order

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/invoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ action.ActionWithConfigure  = (*orderIssueAction)(nil)
	_ action.ActionWithModifyPlan = (*orderIssueAction)(nil)
)

// NewIssueAction returns the action einvoice_order_issue_invoices.
func NewIssueAction() action.Action { return &orderIssueAction{} }

// orderIssueAction issues an order's invoices in the way einvoice_order does with
// issue_invoices, for an order that is not in any state.
type orderIssueAction struct {
	session.ActionBase
}

type orderIssueModel struct {
	OrderID       types.String      `tfsdk:"order_id"`
	EffectiveDate types.String      `tfsdk:"effective_date"`
	Issuer        attribute.Spelled `tfsdk:"issuer"`
}

func (a *orderIssueAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_order_issue_invoices"
}

func (a *orderIssueAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Issues the invoices of an order that are not issued yet, those rejected for good included, and waits, up to 10 minutes, until they are authorized. " +
			"It is safe to invoke again: the order is looked at first, what is issued already is not issued twice, and a request whose answer was lost is settled by looking. " +
			"Needs the key of the company that issues." + session.ActionCLI,
		Attributes: map[string]schema.Attribute{
			"order_id": session.ActionID("Identifier of the order at the service"),
			"issuer":   attribute.ActionIssuer(),
			"effective_date": schema.StringAttribute{
				MarkdownDescription: "The date of emission, a date or a date-time.",
				Optional:            true,
				Validators:          []validator.String{attribute.DateValidator},
			},
		},
	}
}

func (a *orderIssueAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config orderIssueModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	acting, diags := a.Acting(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, attribute.DefaultIssuanceTimeout)
	defer cancel()
	o := &engine.Ordering{Service: invoice.Service(acting), Issue: true, IssueNow: true, Waits: true, EffectiveDate: sentDateTime(config.EffectiveDate.ValueString())}
	resp.Diagnostics.Append(issueOnly(ctx, o, config.OrderID.ValueString(), session.Progress(ctx, resp))...)
}

// issueOnly issues the invoices of an order that exists.
func issueOnly(ctx context.Context, o *engine.Ordering, id string, tell func(string, ...any)) diag.Diagnostics {
	held, err := o.Client.Order(ctx, id, "")
	if err != nil {
		return message.Invoking.ReadError(ctx, "order", "order_id", id, err)
	}
	if held.TransactionID == "" {
		return message.Error("Order without a transaction_id: "+id,
			"The service holds the order without a transaction_id, by which its invoices are found again. Nothing was sent.", "Issue its invoices in the back office.")
	}
	o.Wanted.TransactionID, o.Wanted.AutoIssueMode = held.TransactionID, held.AutoIssueMode
	label := orderLabel(string(held.TransactionID))
	o.Watch = func(e engine.Event) {
		if e.Kind == engine.StatusChanged {
			tell("%s: %s, was %s.", actionTerms.ofInvoices(string(held.TransactionID)).Label(e.Model, e.Invoice), e.Invoice.Status, e.Previous.Status)
		}
	}
	tell("%s has %s.", message.SentenceCase(label), invoicesShown(held))
	order, err := o.Update(ctx, id)
	if err == nil {
		tell("%s has %s.", message.SentenceCase(label), invoicesShown(order))
	}
	return actionTerms.outcome(ctx, o, err)
}

func invoicesShown(order *einvoice.Order) string {
	if len(order.Invoices) == 0 {
		return "no invoices yet"
	}
	return fmt.Sprintf("%d invoice(s): %s", len(order.Invoices), invoiceNames(order.Invoices))
}
