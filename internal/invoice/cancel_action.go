package invoice

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ action.ActionWithConfigure  = (*invoiceCancelAction)(nil)
	_ action.ActionWithModifyPlan = (*invoiceCancelAction)(nil)
)

func NewCancelAction() action.Action { return &invoiceCancelAction{} }

// invoiceCancelAction cancels an invoice in the way a destroy with a reason does.
type invoiceCancelAction struct {
	session.ActionBase
}

type invoiceCancelModel struct {
	Model  types.String `tfsdk:"model"`
	ID     types.String `tfsdk:"id"`
	Reason types.String `tfsdk:"reason"`
}

func (a *invoiceCancelAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_invoice_cancel"
}

func (a *invoiceCancelAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	attributes := invoiceArguments()
	attributes["reason"] = schema.StringAttribute{
		MarkdownDescription: "Why it is canceled, 15 to 255 characters.",
		Required:            true,
		Validators:          []validator.String{CancellationReasonValidator{}},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Cancels an authorized invoice and waits, up to 10 minutes, until the tax authority has canceled it. Legal windows are short, commonly 24 hours for an NF-e, " +
			"30 minutes for an NFC-e, by city for an NFS-e. It is safe to invoke again: a canceled invoice is left alone, and a cancellation in processing is followed, not sent again. " +
			"One in contingency, in progress, or that never became valid is refused.\n\n" +
			"For an invoice of an einvoice_invoice_issuance the next plan shows it as canceled; `cancellation_reason` of that resource cancels on destroy instead. " +
			"Needs the key of the company that issued the invoice." + session.ActionCLI,
		Attributes: attributes,
	}
}

func (a *invoiceCancelAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config invoiceCancelModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(a.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, attribute.DefaultIssuanceTimeout)
	defer cancel()
	c := &canceling{
		Issuing: issuing.Issuing{Service: Service(a.Session), Model: config.Model.ValueString()},
		tell:    session.Progress(ctx, resp),
		id:      config.ID.ValueString(),
	}
	resp.Diagnostics.Append(c.perform(ctx, config.Reason.ValueString())...)
}

// canceling is one cancellation that nobody can forget instead.
type canceling struct {
	issuing.Issuing
	tell func(string, ...any)
	id   string
	sent bool
}

func (c *canceling) perform(ctx context.Context, reason string) diag.Diagnostics {
	c.Watch = c.watch
	v, err := c.Cancel(ctx, c.id, reason)
	if p := (*issuing.Problem)(nil); errors.As(err, &p) {
		if p.Request == issuing.Read {
			return message.Invoking.ReadError(ctx, message.DocumentNames[c.Model], "id", c.id, p.Cause)
		}
		return (&Terms{Front: message.Invoking, Value: name(p.Invoice, c.id)}).CancelProblem(p)
	}
	label := message.InvoiceLabel(c.Model, name(v, c.id), attribute.IntOrNull(v.Number))
	switch {
	case c.sent:
		c.tell("%s is %s.", label, v.Status)
	case string(v.Status) == einvoice.StatusCanceled:
		c.tell("%s is canceled already; nothing was sent.", label)
	default:
		return message.Error(fmt.Sprintf("Nothing to cancel: %s is %s", label, v.Status),
			fmt.Sprintf("Only an authorized invoice can be canceled, and the service holds this one with status %q (id %s). Nothing was sent.", v.Status, c.id))
	}
	return nil
}

func (c *canceling) watch(e issuing.Event) {
	label := message.InvoiceLabel(c.Model, name(e.Invoice, c.id), attribute.IntOrNull(e.Invoice.Number))
	switch e.Kind {
	case issuing.Canceling:
		c.sent = true
		c.tell("Canceling %s, which is %s.", label, e.Invoice.Status)
	case issuing.CancellationUnknown:
		c.tell("The answer does not tell whether the cancellation began; looking what comes of it.")
	case issuing.CancellationSent:
		c.tell("Waiting for the authority to cancel %s.", label)
	default:
	}
}

// name is what a person knows an invoice by, or its id.
func name(v *einvoice.Invoice, id string) string { return cmp.Or(string(v.IntegrationID), id) }
