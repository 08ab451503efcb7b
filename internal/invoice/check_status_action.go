package invoice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ action.ActionWithConfigure  = (*invoiceCheckStatusAction)(nil)
	_ action.ActionWithModifyPlan = (*invoiceCheckStatusAction)(nil)
)

func NewCheckStatusAction() action.Action { return &invoiceCheckStatusAction{} }

// invoiceCheckStatusAction has the service ask the authority about an invoice.
// It changes nothing at the authority and may be repeated.
type invoiceCheckStatusAction struct {
	session.ActionBase
}

func (a *invoiceCheckStatusAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_invoice_check_status"
}

func (a *invoiceCheckStatusAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Has the service ask the tax authority about an issued invoice and take over what it says, for one that has not moved for long or that somebody canceled elsewhere. " +
			"While the invoice is queued there is nothing to ask yet, and the action waits for that to end, up to 10 minutes. It does not issue anything and is safe to invoke again; " +
			"einvoice_invoice_issuance does the same by itself while it waits. Needs the key of the company that issued the invoice." + session.ActionCLI,
		Attributes: session.InvoiceActionAttributes(),
	}
}

func (a *invoiceCheckStatusAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config session.InvoiceAction
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(a.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, attribute.DefaultIssuanceTimeout)
	defer cancel()
	c := &checking{client: a.Client, sleep: session.Pause, report: session.Reporter(ctx, resp), model: config.Model.ValueString(), id: config.ID.ValueString()}
	resp.Diagnostics.Append(session.InActionWords(c.perform(ctx))...)
}

// checking is one question to the authority.
type checking struct {
	client *einvoice.Client
	sleep  func(context.Context, time.Duration) error
	report func(string)

	model, id string
}

// queuedStatuses are those in which the authority has not heard of an invoice,
// or may not have.
var queuedStatuses = []string{einvoice.StatusEnqueued, einvoice.StatusReceived}

func (c *checking) perform(ctx context.Context) diag.Diagnostics {
	tell := session.Telling(c.report)
	tell("Asking the authority about %s %s.", message.DocumentNames[c.model], c.id)
	for {
		v, err := c.client.CheckInvoiceStatus(ctx, c.model, c.id)
		switch {
		case err == nil:
			return c.found(v)
		case !issuing.AnsweredNo(err):
			return message.ApiError(ctx, "check the status of "+message.DocumentNames[c.model]+" "+c.id, err, nil)
		}
		held, readErr := c.client.Invoice(ctx, c.model, c.id)
		if readErr != nil {
			return message.ReadError(ctx, message.DocumentNames[c.model], "id", c.id, readErr)
		}
		if !errors.Is(err, einvoice.ErrBadRequest) {
			return message.Error("Cannot ask the authority about "+c.label(held), message.Sentence(err.Error()),
				fmt.Sprintf("The service does not offer this for the model. A plain read shows the invoice as %s.", held.Status))
		}
		if !slices.Contains(queuedStatuses, string(held.Status)) {
			return message.ApiError(ctx, "check the status of "+c.label(held), err, nil)
		}
		tell("%s is %s; there is nothing to ask before it has been sent. Waiting.", c.label(held), held.Status)
		if diags := c.unqueued(ctx, held); diags.HasError() {
			return diags
		}
	}
}

// unqueued polls by plain reads until the status moves, as the specification
// asks for.
func (c *checking) unqueued(ctx context.Context, held *einvoice.Invoice) diag.Diagnostics {
	for poll := 0; ; poll++ {
		if err := c.sleep(ctx, issuing.PollPauses[min(poll, len(issuing.PollPauses)-1)]); err != nil {
			return message.Error("Still queued: "+c.label(held), fmt.Sprintf("Its status at the service is %q, and the authority was not asked.", held.Status),
				"Invoke the action again later.")
		}
		current, err := c.client.Invoice(ctx, c.model, c.id)
		if err != nil && ctx.Err() == nil {
			return message.ReadError(ctx, message.DocumentNames[c.model], "id", c.id, err)
		}
		if err == nil && current.Status != held.Status {
			return nil
		}
	}
}

// found reports the answer. A rejection is an answer too, and no failure of the
// question.
func (c *checking) found(v *einvoice.Invoice) diag.Diagnostics {
	tell := session.Telling(c.report)
	tell("%s is %s.", c.label(v), v.Status)
	if string(v.Status) != einvoice.StatusRejected {
		return nil
	}
	explained := fiscal.ExplainRejection(issuing.RejectionCode(v))
	detail := "The service gives no reason."
	if v.ProcessingDetail != nil {
		detail = issuing.CodeAndMessage(v.ProcessingDetail)
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic(c.label(v)+" is rejected", message.Paragraphs(detail,
		fmt.Sprintf("Rejected by the %s, %s. %s", issuing.OriginName(explained.Origin), explained.Kind, explained.Action)))}
}

func (c *checking) label(v *einvoice.Invoice) string {
	name := string(v.IntegrationID)
	if name == "" {
		name = c.id
	}
	return message.InvoiceLabel(c.model, name, attribute.IntOrNull(v.Number))
}
