// Package settings manages the settings of a company: a document that always
// exists and that the service replaces block by block.
package settings

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ resource.ResourceWithConfigure      = (*settingsResource)(nil)
	_ resource.ResourceWithIdentity       = (*settingsResource)(nil)
	_ resource.ResourceWithImportState    = (*settingsResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*settingsResource)(nil)
	_ resource.ResourceWithValidateConfig = (*settingsResource)(nil)
)

// NewResource is einvoice_company_settings.
func NewResource() resource.Resource { return &settingsResource{} }

// settingsResource is the settings document of a company, which always exists. The service replaces
// a block that is sent, ignores what it does not know with a success, and may mask secrets. So a
// write reads, merges, sends the blocks that change, and reads again. Its field names are assumed.
type settingsResource struct {
	session.ResourceBase
}

func (r *settingsResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_company_settings"
}

func (r *settingsResource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"company_id": identityschema.StringAttribute{
			RequiredForImport: true, Description: "Identifier of the company (a UUID).",
		},
	}}
}

// Create leaves nothing in state when it fails: the next plan creates again, which writes the
// same again.
func (r *settingsResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var config, plan settingsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(r.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	config = config.shownBy(ctx, &plan)
	notes := secretNotes{}
	ignored, _, diags := r.write(ctx, config, settingsModel{}, notes, req.Plan.Schema)
	resp.Diagnostics.Append(diags...)
	for _, u := range ignored {
		resp.Diagnostics.Append(settingIgnored(u, config.CompanyID.ValueString()))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("company_id"), plan.CompanyID)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, secretNotesKey, notes.encoded())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// write makes the service hold what is configured. It returns what the service did not take, and
// whether the rest is known to be held. The configuration alone shows what is managed: all that is
// not null there, and as planned.
func (r *settingsResource) write(
	ctx context.Context, config, state settingsModel, notes secretNotes, schema message.PathSchema,
) (ignored []ignoredSetting, known bool, diags diag.Diagnostics) {
	defer r.Environments.Write()()
	companyID := config.CompanyID.ValueString()
	wanted := config.wanted(state, notes)
	before, next := (*einvoice.Settings)(nil), document(nil)
	after, failed := r.put(ctx, companyID, func(held *einvoice.Settings) (document, diag.Diagnostics) {
		var gone diag.Diagnostics
		for name := range next {
			if len(before.Blocks[name]) > 0 && len(held.Blocks[name]) == 0 {
				gone.Append(hiddenBlock(name, companyID))
			}
		}
		if before != nil { // It is a repetition: the first attempt may have been processed.
			held = beforeAttempt(before, held, next)
		}
		before = held
		notes.observe(held.Blocks)
		// What an earlier attempt has sent, and may have been processed, is sent whole again.
		next, diags = overlay(held.Blocks, wanted, slices.Collect(maps.Keys(next))...)
		diags.Append(append(gone, unsafeBlocks(held.Blocks, next, config, state)...)...)
		if state.CompanyID.IsNull() && !diags.HasError() {
			diags.Append(missingSecrets(held.Blocks, next, wanted)...)
		}
		return next, diags
	}, schema)
	switch {
	case failed.HasError():
		return nil, false, failed
	case len(next) == 0:
		return nil, true, diags
	}
	for _, name := range slices.Sorted(maps.Keys(next)) {
		if shown, _ := jsontree.At(before.Raw, name); shown == nil {
			diags.Append(blockWrittenUnseen(name, companyID))
		}
	}
	again, reset, lost := sendBack(before.Blocks, next, after.Blocks, wanted)
	if len(reset) > 0 {
		held, failed := r.put(ctx, companyID, func(held *einvoice.Settings) (document, diag.Diagnostics) {
			still, _, _ := sendBack(before.Blocks, next, held.Blocks, wanted)
			return still, nil
		}, schema)
		if failed.HasError() {
			return nil, false, append(failed, touchedBlocks(before.Blocks, next, after.Blocks, companyID)...)
		}
		next, after = again, held
		diags.Append(blocksSentBack(reset, companyID))
	}
	for _, s := range wanted {
		if _, sent := next[s.block()]; sent && s.intent != unmanaged {
			note := notes.of(s.place)
			note.Written, note.Lost = true, false
		}
	}
	if len(lost) > 0 {
		diags.Append(secretsLost(lost, companyID))
	}
	for _, p := range lost {
		*notes.of(p) = secretNote{Lost: true}
	}
	diags.Append(touchedBlocks(before.Blocks, next, after.Blocks, companyID)...)
	diags.Append(notes.observeHidden(before.Blocks, after.Blocks, wanted)...)
	notes.observe(after.Blocks)
	return ignoredSettings(after.Blocks, wanted), true, diags
}

// beforeAttempt are the settings that are held now, with the blocks from before an attempt that it may have reset.
func beforeAttempt(before, held *einvoice.Settings, sent document) *einvoice.Settings {
	blocks := maps.Clone(held.Blocks)
	for name, fields := range before.Blocks {
		if emptied, _ := changedMembers(name, fields, held.Blocks[name]); len(emptied) > 0 && sent[name] == nil {
			blocks[name] = fields
		}
	}
	return &einvoice.Settings{Blocks: blocks, Raw: before.Raw}
}

// unsafeBlocks are errors about blocks that must not be sent.
func unsafeBlocks(held, next document, config, state settingsModel) (diags diag.Diagnostics) {
	companyID := config.CompanyID.ValueString()
	for _, name := range state.hiddenBlocks(held) {
		if next[name] != nil {
			diags.Append(hiddenBlock(name, companyID))
		}
	}
	if hidden := state.hiddenSettings(held, next); len(hidden) > 0 {
		diags.Append(hiddenSettings(hidden, companyID))
	}
	return append(diags, checkHeldContingency(config, held)...)
}

// errRefused is of settings that were read again, and whose blocks must not be sent.
var errRefused = errors.New("the settings that were read again cannot be written")

// put reads the settings, writes the blocks that change makes of them, if any, and reads what the service holds then.
func (r *settingsResource) put(
	ctx context.Context, companyID string,
	change func(held *einvoice.Settings) (document, diag.Diagnostics), schema message.PathSchema,
) (after *einvoice.Settings, refused diag.Diagnostics) {
	var unchanged *einvoice.Settings
	err := r.Client.RewriteSettings(ctx, companyID,
		func(held *einvoice.Settings) (map[string]einvoice.SettingsBlock, error) {
			next, diags := change(held)
			if diags.HasError() {
				refused = diags
				return nil, errRefused
			}
			if unchanged = nil; len(next) == 0 {
				unchanged = held
			}
			return next, nil
		})
	failure, isAnswer := errors.AsType[*einvoice.Error](err)
	switch {
	case err == nil && unchanged != nil:
		return unchanged, nil
	case refused.HasError() && !isAnswer:
		return nil, refused
	case isAnswer && failure.Method == http.MethodGet && errors.Is(err, einvoice.ErrNotFound):
		return nil, message.CompanyNotFound(companyID, err)
	case isAnswer && failure.Method == http.MethodGet:
		return nil, message.APIError(ctx, "read company settings", err, nil)
	case err != nil:
		return nil, append(message.APIError(ctx, "update company settings", err, schema), refused...)
	}
	if after, err = r.Client.CompanySettings(ctx, companyID); err != nil {
		return nil, message.APIError(ctx, "verify company settings", err, nil)
	}
	return after, nil
}

func (r *settingsResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state settingsModel
	if resp.Diagnostics.Append(req.State.Get(ctx, &state)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("company_id"), state.CompanyID)...)
	notes, _, diags := readSecretNotes(ctx, req.Private)
	if resp.Diagnostics.Append(diags...); !r.MayRead(&resp.Diagnostics) {
		return
	}
	settings, err := r.Client.CompanySettings(ctx, state.CompanyID.ValueString())
	isGone, err := r.IsCompanyGone(ctx, state.CompanyID.ValueString(), err)
	switch {
	case isGone:
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		resp.Diagnostics.Append(message.APIError(ctx, "read company settings", err, nil)...)
		return
	}
	notes.observe(settings.Blocks)
	resp.Diagnostics.Append(state.fromAPI(ctx, settings)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, secretNotesKey, notes.encoded())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// Update puts the plan into state, not what was read back: what changed at the service between
// plan and apply would be an inconsistent result. Only a field that the service did not take
// keeps its prior value.
func (r *settingsResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, plan, state settingsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("company_id"), state.CompanyID)...)
	notes, _, diags := readSecretNotes(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(r.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	config = config.shownBy(ctx, &plan)
	ignored, known, diags := r.write(ctx, config, state, notes, req.Plan.Schema)
	if resp.Diagnostics.Append(diags...); !known {
		return
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, secretNotesKey, notes.encoded())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	for _, u := range ignored {
		resp.Diagnostics.Append(settingIgnored(u, config.CompanyID.ValueString()))
		_, inState := u.argument()
		var prior attr.Value
		resp.Diagnostics.Append(req.State.GetAttribute(ctx, inState, &prior)...)
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, inState, prior)...)
	}
}

// Delete sends nothing: settings cannot be deleted. The plan has said so.
func (r *settingsResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

func (r *settingsResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("company_id"), path.Root("company_id"), req, resp)
}
