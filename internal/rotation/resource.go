// Package rotation rotates the secret that the deliveries of webhooks are signed
// with, as a resource and as an action. A rotation is not repeated by accident.
package rotation

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var _ session.Managed = (*rotationResource)(nil)

// NewResource is einvoice_webhook_secret_rotation.
func NewResource() resource.Resource { return &rotationResource{} }

// rotationResource is one rotation. There is one secret for the account, and the service
// keeps no record of rotations: the object is in state alone, and a read tells only which
// secret is in force. Request and answer of the rotation are assumed.
type rotationResource struct {
	session.ResourceBase
	attribute.IDIdentity
}

func (r *rotationResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_webhook_secret_rotation"
}

func (r *rotationResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Rotates the secret that signs the deliveries of all webhooks of the account. Creating " +
			"this resource rotates once. A change of `triggers` or `window_hours` rotates again. If the response is " +
			"lost, the provider reads the secret for twice `request_timeout`, at least 20 seconds, to see whether it " +
			"has changed. The next apply on the same machine or with the same database does not repeat a rotation " +
			"that has happened, unless another one of the account was sent since. Destroying this resource only " +
			"removes it from state. It cannot be imported, because the service keeps no record of rotations. Needs " +
			"the main company's key.",
		Attributes: map[string]schema.Attribute{
			"id": attribute.Kept("Identifier of this rotation: a UUID that the provider makes, because the service " +
				"gives none."),
			"triggers": schema.MapAttribute{
				MarkdownDescription: "Any values, such as `{ quarter = \"2026-Q4\" }`. A change rotates again.",
				ElementType:         types.StringType,
				Optional:            true,
				Validators:          []validator.Map{mapvalidator.NoNullValues()},
				PlanModifiers:       []planmodifier.Map{mapplanmodifier.RequiresReplace()},
			},
			"window_hours": schema.Int64Attribute{
				MarkdownDescription: windowDescription + " A change rotates again.",
				Optional:            true,
				Validators:          []validator.Int64{windowHours},
				PlanModifiers:       []planmodifier.Int64{int64planmodifier.RequiresReplace()},
			},
			"store_secret": attribute.Flag("Whether `secret` is kept in state. Defaults to `true`. Changing it never "+
				"rotates: `false` removes the secret from state, `true` reads it into the state.", true),
			"secret": schema.StringAttribute{
				MarkdownDescription: "The current secret, as of the last refresh. Null if it is not stored. If " +
					"somebody rotates the secret elsewhere, the next refresh shows the new one, and the provider " +
					"does not rotate again. If the service shows the secret masked, the state keeps the one that the " +
					"response to the rotation showed.",
				Computed:  true,
				Sensitive: true,
			},
			"rotated_at": attribute.Kept("When the secret was rotated. If the service does not say, by this " +
				"machine's clock."),
			"previous_secret_valid_until": attribute.Kept("Until when the service also signs with the previous " +
				"secret. If the service does not say, the provider adds the window to `rotated_at`. Null without a " +
				"window."),
		},
	}
}

// ModifyPlan decides what becomes of the secret, which depends on store_secret.
func (r *rotationResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	r.RefuseUnusableKey(ctx, req, resp)
	var plan, state rotationModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	secret := types.StringUnknown()
	switch {
	case plan.StoreSecret.IsUnknown():
	case !plan.StoreSecret.ValueBool():
		secret = types.StringNull()
	case !state.Secret.IsNull():
		secret = state.Secret
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("secret"), secret)...)
	if !plan.Triggers.Equal(state.Triggers) || !plan.WindowHours.Equal(state.WindowHours) || req.State.Raw.IsNull() {
		resp.Diagnostics.Append(plan.warnOfAll(ctx, &state)...)
	}
}

// warnOfAll is for whoever has another receiver of the account: it must learn the new secret in time.
func (m *rotationModel) warnOfAll(ctx context.Context, former *rotationModel) diag.Diagnostics {
	with := text.With{"hours": "", "ends": ""}
	if !attribute.IsUnset(m.WindowHours) {
		with["hours"] = strconv.FormatInt(m.WindowHours.ValueInt64(), 10)
	}
	until, known := einvoice.ParseTime(former.PreviousSecretValidUntil.ValueString())
	if known && time.Now().Before(until) {
		with["ends"] = until.Format(time.RFC3339)
	}
	return say.Warning(ctx, "rotation.of_all", with)
}

func (r *rotationResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan rotationModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(r.Usable(ctx)...)
	if resp.Diagnostics.HasError() {
		return
	}
	done, diags := r.rotation(&plan).perform(ctx)
	if resp.Diagnostics.Append(diags...); done == nil { // A tainted object would be rotated again.
		return
	}
	plan.fillFrom(done)
	resp.Diagnostics.Append(plan.warnOfMask(ctx)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (r *rotationResource) rotation(m *rotationModel) *rotation {
	return &rotation{
		client: r.Client, once: r.Once(),
		creation: m.creation(), windowHours: m.WindowHours.ValueInt64Pointer(), wantSecret: m.StoreSecret.ValueBool(),
	}
}

// Read reads the secret in force. One that was rotated elsewhere is no reason to rotate.
func (r *rotationResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state rotationModel
	if resp.Diagnostics.Append(req.State.Get(ctx, &state)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	if r.Deferred() {
		return
	}
	r.rotation(&state).confirm(ctx, state.ID.ValueString())
	if !state.StoreSecret.ValueBool() {
		return
	}
	resp.Diagnostics.Append(r.readSecret(ctx, &state)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	}
}

func (r *rotationResource) readSecret(ctx context.Context, m *rotationModel) diag.Diagnostics {
	if diags := r.Usable(ctx); diags.HasError() {
		return diags
	}
	secret, err := r.Client.WebhookSecret(ctx)
	switch {
	case errors.Is(err, einvoice.ErrMasked):
		return m.warnOfMask(ctx)
	case err != nil:
		return message.APIError(ctx, message.Task("read", "webhook_secret"), err, nil)
	}
	m.Secret = types.StringValue(secret)
	return nil
}

// warnOfMask is about a secret that the service shows masked and the state is to have.
func (m *rotationModel) warnOfMask(ctx context.Context) diag.Diagnostics {
	if !m.Secret.IsNull() || !m.StoreSecret.ValueBool() {
		return nil
	}
	return say.WarningAt(ctx, path.Root("secret"), "rotation.no_secret", nil)
}

// Update only follows store_secret; everything else replaces.
func (r *rotationResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan rotationModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
	if plan.Secret.IsUnknown() {
		plan.Secret = types.StringNull()
		if plan.StoreSecret.ValueBool() {
			resp.Diagnostics.Append(r.readSecret(ctx, &plan)...)
		}
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	}
}

// Delete only forgets the rotation.
func (r *rotationResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

func (r *rotationResource) ImportState(
	ctx context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	resp.Diagnostics.Append(say.Error(ctx, "rotation.import", nil)...)
}

// windowHours applies the limit of the rotation window (specification: Limits).
var windowHours = int64validator.Between(0, 72)

const windowDescription = "For how many hours the service signs deliveries with the previous secret too, `0` to " +
	"`72`. Without it the service decides."

type rotationModel struct {
	ID                       types.String `tfsdk:"id"`
	Triggers                 types.Map    `tfsdk:"triggers"`
	WindowHours              types.Int64  `tfsdk:"window_hours"`
	StoreSecret              types.Bool   `tfsdk:"store_secret"`
	Secret                   types.String `tfsdk:"secret"`
	RotatedAt                types.String `tfsdk:"rotated_at"`
	PreviousSecretValidUntil types.String `tfsdk:"previous_secret_valid_until"`
}

// creation names this creation in the journal by all that a repeated apply has in common with the one that was cut off.
// A plan cannot carry a random id: the provider plans twice.
func (m *rotationModel) creation() string {
	return attribute.HashOfText(m.Triggers.String() + " " + m.WindowHours.String())
}

// fillFrom takes what a rotation gave. Where the service does not tell the times, the
// rotation is dated by the clock, and the window is counted from there.
func (m *rotationModel) fillFrom(done *outcome) {
	m.ID, m.RotatedAt = types.StringValue(done.id), attribute.TextOrNull(done.answer.RotatedAt)
	if m.RotatedAt.IsNull() {
		m.RotatedAt = types.StringValue(done.at.UTC().Format(time.RFC3339))
	}
	m.PreviousSecretValidUntil = attribute.TextOrNull(done.answer.PreviousSecretValidUntil)
	if hours := m.WindowHours.ValueInt64(); m.PreviousSecretValidUntil.IsNull() && hours > 0 {
		from, ok := einvoice.ParseTime(m.RotatedAt.ValueString())
		if !ok {
			from = done.at.UTC()
		}
		m.PreviousSecretValidUntil = types.StringValue(from.Add(time.Duration(hours) * time.Hour).Format(time.RFC3339))
	}
	m.Secret = types.StringNull()
	if m.StoreSecret.ValueBool() {
		m.Secret = attribute.TextOrNull(einvoice.Text(done.secret))
	}
}
