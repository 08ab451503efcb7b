package rotation

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ action.ActionWithConfigure  = (*rotationAction)(nil)
	_ action.ActionWithModifyPlan = (*rotationAction)(nil)
)

// NewAction is the action einvoice_webhook_secret_rotate.
func NewAction() action.Action { return &rotationAction{} }

// rotationAction rotates the webhook secret as the resource does. Each invocation that is
// answered is one rotation.
type rotationAction struct {
	session.ActionBase
}

type rotationActionModel struct {
	WindowHours types.Int64 `tfsdk:"window_hours"`
}

func (a *rotationAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_webhook_secret_rotate"
}

func (a *rotationAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Rotates the secret that signs the deliveries of all webhooks of the account. Each " +
			"invocation rotates once, and ends the window of the previous rotation. If the response is lost, the " +
			"action reads the secret for twice `request_timeout`, at least 20 seconds, to see whether it has " +
			"changed. If you then invoke it again on the same machine or with the same database, it does not repeat " +
			"a rotation that has happened. It does not show the secret: read it with the ephemeral resource " +
			"[einvoice_webhook_secret](../ephemeral-resources/webhook_secret.md). Needs the main company's " +
			"key." + session.ActionCLI,
		Attributes: map[string]schema.Attribute{
			"window_hours": schema.Int64Attribute{
				MarkdownDescription: windowDescription,
				Optional:            true,
				Validators:          []validator.Int64{windowHours},
			},
		},
	}
}

func (a *rotationAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config rotationActionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(a.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	report := session.Progress(ctx, resp)
	report("Rotating the webhook secret.")
	r := &rotation{
		client: a.Client, once: a.OnceByKey(), stateless: true,
		creation:    attribute.HashOfText("action " + config.WindowHours.String()),
		windowHours: config.WindowHours.ValueInt64Pointer(),
	}
	done, failed := r.perform(ctx)
	if failed != nil {
		resp.Diagnostics.Append(failed.diagnostics(ctx, message.Invoking)...)
		return
	}
	resp.Diagnostics.Append(done.warnings(message.Invoking)...)
	m := rotationModel{WindowHours: config.WindowHours}
	m.fillFrom(done)
	window := ""
	if until := m.PreviousSecretValidUntil.ValueString(); until != "" {
		window = fmt.Sprintf(" Deliveries are signed with the one before as well until %s.", until)
	}
	report("The webhook secret was rotated at %s.%s", m.RotatedAt.ValueString(), window)
}
