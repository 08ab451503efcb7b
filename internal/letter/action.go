package letter

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

type actionModel struct {
	InvoiceID types.String      `tfsdk:"invoice_id"`
	Letter    types.String      `tfsdk:"letter"`
	Issuer    attribute.Spelled `tfsdk:"issuer"`
}

// NewAction is the action einvoice_correction_letter. Only the journal tells that a letter
// was sent.
func NewAction() action.Action {
	return &session.Action[actionModel]{
		Company: "issuer", Name: "correction_letter", Perform: send,
		Description: "Sends a correction letter (carta de correção, CC-e) for an authorized NF-e. " + letterRules +
			"If you invoke it again on the same machine or with the same database, the action does not send the same " +
			"letter for the same invoice a second time. If a response was lost, the action fails until you have " +
			"looked at the invoice and removed the file or row that the error names. An ephemeral runner without a " +
			"database does not know what earlier runs have sent: use the resource " +
			"[einvoice_correction_letter](../resources/correction_letter.md) there, because the state remembers the " +
			"letter. Needs the key of the company that issued the invoice.",
		Attributes: map[string]schema.Attribute{
			"invoice_id": session.ActionID("Identifier of the NF-e at the service, which must be authorized"),
			"letter": schema.StringAttribute{
				MarkdownDescription: letterDescription,
				Required:            true,
				Validators:          []validator.String{letterValidator},
			},
		},
	}
}

func send(ctx context.Context, run *session.Invocation, config *actionModel) diag.Diagnostics {
	c := newCorrection(run.Session, run.Schema, config.InvoiceID, config.Letter)
	c.stateless = true
	run.Report(text.Of("letter.sending", text.With{"invoice": c.invoiceID}))
	sent, diags := c.perform(ctx)
	if sent != nil {
		run.Report(text.Of("letter.sent", text.With{"invoice": c.invoiceID, "event": sent.eventID}))
	}
	return diags
}
