package rotation

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

type rotationActionModel struct {
	WindowHours types.Int64 `tfsdk:"window_hours"`
}

// NewAction is the action einvoice_webhook_secret_rotate. Each invocation that is answered is one
// rotation.
func NewAction() action.Action {
	return &session.Action[rotationActionModel]{
		Name: "webhook_secret_rotate", Perform: rotate,
		Description: "Rotates the secret that signs the deliveries of all webhooks of the account. Each " +
			"invocation rotates once, and ends the window of the previous rotation. If the response is lost, the " +
			"action reads the secret for twice `request_timeout`, at least 20 seconds, to see whether it has " +
			"changed. If you then invoke it again on the same machine or with the same database, it does not repeat " +
			"a rotation that has happened. It does not show the secret: read it with the ephemeral resource " +
			"[einvoice_webhook_secret](../ephemeral-resources/webhook_secret.md). Needs the main company's key.",
		Attributes: map[string]schema.Attribute{
			"window_hours": schema.Int64Attribute{
				MarkdownDescription: windowDescription,
				Optional:            true,
				Validators:          []validator.Int64{windowHours},
			},
		},
	}
}

func rotate(ctx context.Context, run *session.Invocation, config *rotationActionModel) diag.Diagnostics {
	run.Report(text.Of("rotation.rotating", nil))
	done, diags := (&rotation{
		client: run.Client, once: run.Once(), stateless: true,
		creation:    attribute.HashOfText("action " + config.WindowHours.String()),
		windowHours: config.WindowHours.ValueInt64Pointer(),
	}).perform(ctx)
	if done != nil {
		m := rotationModel{WindowHours: config.WindowHours}
		m.fillFrom(done)
		run.Report(text.Of("rotation.rotated", text.With{
			"at": m.RotatedAt.ValueString(), "until": m.PreviousSecretValidUntil.ValueString(),
		}))
	}
	return diags
}
