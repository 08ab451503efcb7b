package rotation

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ resource.ResourceWithConfigure   = (*rotationResource)(nil)
	_ resource.ResourceWithIdentity    = (*rotationResource)(nil)
	_ resource.ResourceWithImportState = (*rotationResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*rotationResource)(nil)
)

func NewResource() resource.Resource { return &rotationResource{} }

// rotationResource rotates the secret that the account's webhooks are signed
// with. There is one secret for the account and the service keeps no record of
// rotations: the object lives in state alone, and what Read can tell is only
// which secret is in force. Request and answer of the rotation are assumed.
type rotationResource struct {
	session.ResourceBase
}

func (r *rotationResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_webhook_secret_rotation"
}

func (r *rotationResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Rotates the secret that the deliveries of all webhooks of the account are signed with. Creating this resource rotates, once; " +
			"a change of `triggers` or `window_hours` rotates again. Should the answer be lost, the next apply on the same machine finds out from the secret " +
			"itself whether the rotation has happened, and does not repeat it. Destroying it only removes it from state. " +
			"It cannot be imported: a rotation is something that has happened, and the service keeps no record of it. Needs the main company's key.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				MarkdownDescription: "Identifier of this rotation, made here (a UUID): the service gives none.",
				Computed:            true,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"triggers": schema.MapAttribute{
				MarkdownDescription: "Any values; when one of them changes, the secret is rotated again. For example `{ quarter = \"2026-Q4\" }`.",
				ElementType:         types.StringType,
				Optional:            true,
				Validators:          []validator.Map{mapvalidator.NoNullValues()},
				PlanModifiers:       []planmodifier.Map{mapplanmodifier.RequiresReplace()},
			},
			"window_hours": schema.Int64Attribute{
				MarkdownDescription: "For how many hours deliveries are signed with the previous secret as well, `0` to `72`. Without it the service decides. A change rotates again.",
				Optional:            true,
				Validators:          []validator.Int64{windowHoursValidator{}},
				PlanModifiers:       []planmodifier.Int64{int64planmodifier.RequiresReplace()},
			},
			"store_secret": schema.BoolAttribute{
				MarkdownDescription: "Whether `secret` is kept in state. Defaults to `true`. Changing it never rotates: `false` takes the secret out of state, `true` reads it.",
				Optional:            true,
				Computed:            true,
				Default:             booldefault.StaticBool(true),
			},
			"secret": schema.StringAttribute{
				MarkdownDescription: "The secret in force, as of the last refresh; null when it is not stored. A secret that was rotated elsewhere shows here without another rotation.",
				Computed:            true,
				Sensitive:           true,
			},
			"rotated_at": schema.StringAttribute{
				MarkdownDescription: "When the secret was rotated, as the service tells it, else by the clock of this machine.",
				Computed:            true,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"previous_secret_valid_until": schema.StringAttribute{
				MarkdownDescription: "Until when deliveries are signed with the previous secret as well, as the service tells it, else counted from `rotated_at`; null without a window.",
				Computed:            true,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
		},
	}
}

func (r *rotationResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "Identifier of the rotation (a UUID), made here."},
	}}
}

// ModifyPlan decides what becomes of the secret, which depends on store_secret.
func (r *rotationResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.RefuseUnusableKey(req, resp)
	if req.Plan.Raw.IsNull() {
		var state rotationModel
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		resp.Diagnostics.Append(rotationStays(&state))
		return
	}
	var store types.Bool
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("store_secret"), &store)...)
	secret := types.StringUnknown()
	switch {
	case store.IsUnknown():
	case !store.ValueBool():
		secret = types.StringNull()
	case !req.State.Raw.IsNull():
		var held types.String
		resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("secret"), &held)...)
		if !held.IsNull() {
			secret = held
		}
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("secret"), secret)...)
}

func (r *rotationResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan rotationModel
	if resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...); resp.Diagnostics.HasError() {
		return
	}
	if resp.Diagnostics.Append(r.Usable()...); resp.Diagnostics.HasError() {
		return
	}
	rotation, err := r.rotating(&plan)
	if err != nil {
		resp.Diagnostics.Append(message.ProviderBug("the triggers cannot be written: %s", err))
		return
	}
	done, diags := rotation.perform(ctx)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return // Without state: an object in state would be tainted, and rotated again.
	}
	plan.fillFrom(done)
	plan.ID = types.StringValue(done.id)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (r *rotationResource) rotating(m *rotationModel) (*rotating, error) {
	creation, err := m.creation()
	return &rotating{
		client: r.Client, store: r.Store, waits: session.SettleWaits[:], now: time.Now, process: thisProcess,
		creation: creation, windowHours: m.WindowHours.ValueInt64Pointer(), wantSecret: m.StoreSecret.ValueBool(),
	}, err
}

// confirm tells the journal that a state holds the rotation.
func (r *rotationResource) confirm(ctx context.Context, m *rotationModel) {
	if r.Deferred() {
		return
	}
	if rotation, err := r.rotating(m); err == nil {
		rotation.confirm(ctx, m.ID.ValueString())
	}
}

// Read takes the secret in force. One that was rotated elsewhere is no reason to
// rotate: whoever did that meant it.
func (r *rotationResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state rotationModel
	if resp.Diagnostics.Append(req.State.Get(ctx, &state)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	r.confirm(ctx, &state)
	if r.Deferred() || !state.StoreSecret.ValueBool() {
		return
	}
	if resp.Diagnostics.Append(r.Usable()...); resp.Diagnostics.HasError() {
		return
	}
	secret, err := r.Client.WebhookSecret(ctx)
	if err != nil {
		resp.Diagnostics.Append(message.ApiError(ctx, "read webhook secret", err, nil)...)
		return
	}
	state.Secret = types.StringValue(secret)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// Update only follows store_secret; everything else replaces.
func (r *rotationResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan rotationModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.Secret.IsUnknown() {
		plan.Secret = types.StringNull()
		if plan.StoreSecret.ValueBool() {
			if resp.Diagnostics.Append(r.Usable()...); resp.Diagnostics.HasError() {
				return
			}
			secret, err := r.Client.WebhookSecret(ctx)
			if err != nil {
				resp.Diagnostics.Append(message.ApiError(ctx, "read webhook secret", err, nil)...)
				return
			}
			plan.Secret = types.StringValue(secret)
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete forgets the rotation: ModifyPlan has said what stays.
func (r *rotationResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state rotationModel
	if resp.Diagnostics.Append(req.State.Get(ctx, &state)...); !resp.Diagnostics.HasError() {
		r.confirm(ctx, &state) // A run may have ended before any refresh.
	}
}

func (r *rotationResource) ImportState(_ context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.AddError("Webhook secret rotation cannot be imported", rotationNoImport)
}

// windowHoursValidator applies the limit of the rotation window (specification:
// Limits).
type windowHoursValidator struct{}

func (windowHoursValidator) Description(context.Context) string {
	return "A whole number of hours from 0 to 72."
}

func (v windowHoursValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (windowHoursValidator) ValidateInt64(_ context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	if attribute.IsUnset(req.ConfigValue) {
		return
	}
	if hours := req.ConfigValue.ValueInt64(); hours < 0 || hours > 72 {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid window hours",
			fmt.Sprintf("`%s` is %d. It must be a whole number of hours from 0 to 72, for example 24.", req.Path, hours))
	}
}
