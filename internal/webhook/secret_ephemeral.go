package webhook

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ ephemeral.EphemeralResourceWithConfigure = (*openSecret)(nil)

// NewSecretEphemeral is the ephemeral resource einvoice_webhook_secret.
func NewSecretEphemeral() ephemeral.EphemeralResource { return &openSecret{} }

// openSecret reads the secret that deliveries are signed with. A CLI
// opens it while planning and again while applying, so Open only reads.
type openSecret struct {
	*session.Session
}

type webhookSecretModel struct {
	Secret types.String `tfsdk:"secret"`
}

func (e *openSecret) Metadata(_ context.Context, _ ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = "einvoice_webhook_secret"
}

func (e *openSecret) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the secret that signs the deliveries of all webhooks of the account, in plan and " +
			"again in apply. No state and no plan contains it: pass it to a write-only argument, as in the example. " +
			"[einvoice_webhook_secret_rotation](../resources/webhook_secret_rotation.md) changes it. Needs the main " +
			"company's key.\n\nNeeds Terraform 1.10 or later, or OpenTofu 1.11 or later; write-only arguments need " +
			"Terraform 1.11.",
		Attributes: map[string]schema.Attribute{
			"secret": schema.StringAttribute{
				MarkdownDescription: "The current secret.",
				Computed:            true,
				Sensitive:           true,
			},
		},
	}
}

func (e *openSecret) Configure(ctx context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	e.Session = session.From(ctx, req.ProviderData, &resp.Diagnostics)
}

// Open fails while the provider configuration is unknown: OpenTofu takes an unknown result for a
// bug, and null would fail the validation of the argument that gets it.
func (e *openSecret) Open(ctx context.Context, _ ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	if resp.Diagnostics.Append(e.Usable(ctx)...); resp.Diagnostics.HasError() {
		return
	}
	secret, err := e.Client.WebhookSecret(ctx)
	if err != nil {
		resp.Diagnostics.Append(message.APIError(ctx, message.Task("read", "webhook_secret"), err, nil)...)
		return
	}
	resp.Diagnostics.Append(resp.Result.Set(ctx, webhookSecretModel{Secret: types.StringValue(secret)})...)
}
