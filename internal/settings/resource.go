// Package settings manages the settings of a company: a document that always
// exists and that the service replaces block by block.
package settings

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
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

func (r *settingsResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := resourceAttributes(blocks)
	attributes["id"] = attribute.ID("company")
	attributes["company_id"] = attribute.Replaces(attribute.Required(attribute.TextWith(
		"Identifier of the company. A company has one set of settings; manage it in one place.",
		attribute.TextValidator{})))
	attributes["extra_json"] = extraJSON()
	attributes["secrets"] = schema.SingleNestedAttribute{
		MarkdownDescription: "Secrets as write-only arguments, which are not kept in state. Needs Terraform 1.11 or " +
			"OpenTofu 1.11; on older CLIs use `consumer_invoice.csc` and `service_invoice.password`.",
		Optional:   true,
		Attributes: writeOnlyAttributes(),
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The settings of one company. The provider manages only the fields that you configure. " +
			"If you remove a field from the configuration, it keeps its value at the service. " +
			"Destroying this resource leaves the settings as they are. Needs the main company's key.\n\n" +
			"The provider writes whole blocks, made of what it has just read, and only those that change. Then it reads " +
			"the settings again. If anything else has changed, the apply fails, and the error shows the former values.\n\n" +
			"A field that you do not configure is null right after the creation. The next refresh shows what the service " +
			"holds. To use such a field in the same apply, read it from the data source of the same name.\n\n" +
			"With `ignore_changes`, single settings, whole blocks, `extra_json` and `secrets` can be left to the back office. " +
			"What is ignored is not sent: it stays as the service has it, also if its block is written for another reason. A " +
			"block with a secret that is ignored, and that the service does not show in clear, cannot be written.\n\n" +
			"`environment_type` is `production`, `development` (the authority's test environment, homologação) " +
			"or `simulation`.",
		Attributes: attributes,
	}
}

func (r *settingsResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var extra attribute.JSON
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, atExtra, &extra)...)
	value, err := jsontree.Decode([]byte(extra.ValueString()))
	if resp.Diagnostics.HasError() || attribute.IsUnset(extra) || err != nil {
		return // The type reports text that is not JSON.
	}
	document, isObject := value.(map[string]any)
	if !isObject {
		resp.Diagnostics.Append(say.ErrorAt(ctx, atExtra, "settings.extra_no_object", nil)...)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(document)) {
		if _, isBlock := document[name].(map[string]any); !isBlock {
			delete(document, name)
			resp.Diagnostics.Append(say.ErrorAt(ctx, atExtra, "settings.extra_outside", text.With{"name": name})...)
		}
	}
	resp.Diagnostics.Append(refuseOwned(ctx, root, document)...)
}

// ModifyPlan takes what only the service knows from the state and from what the last refresh has shown of the secrets.
// It asks the service only in checkPlannedContingency. What is not known yet is checked before anything is written.
func (r *settingsResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	if r.RefuseUnusableKey(ctx, req, resp); req.Plan.Raw.IsNull() {
		return // Nothing is sent.
	}
	var config, plan, state settingsModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	last, diags := readSights(ctx, req.Private)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	if !state.CompanyID.Equal(plan.CompanyID) { // Another company's settings say nothing of these.
		state, last = settingsModel{}, nil
	}
	plan.ID = plan.CompanyID
	for _, b := range blocks {
		object := plan.block(b.name)
		*object, _ = b.planned(*config.block(b.name), *object, *state.block(b.name)).(types.Object)
		resp.Diagnostics.Append(r.checkEnvironment(ctx, b, &config, &plan, &state)...)
		resp.Diagnostics.Append(r.checkNumber(ctx, b, &plan, &state)...)
	}
	resp.Diagnostics.Append(checkSeries(ctx, plan.ServiceInvoice, state.ServiceInvoice)...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	w := &writing{config: config, plan: plan, state: state, last: last}
	resp.Diagnostics.Append(w.checkSecrets(ctx, r.LabelOf("company", w.companyID()))...)
	resp.Diagnostics.Append(r.checkPlannedContingency(ctx, w)...)
}

// Create leaves nothing in state when it fails: the next plan creates again, which writes the same again.
func (r *settingsResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var config, plan settingsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.Append(r.Usable(ctx)...); resp.Diagnostics.HasError() {
		return
	}
	now, diags := r.write(ctx, &writing{config: config, plan: plan}, req.Plan.Schema)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("company_id"), plan.CompanyID)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, sightsKey, now.encoded())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (r *settingsResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state settingsModel
	if resp.Diagnostics.Append(req.State.Get(ctx, &state)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("company_id"), state.CompanyID)...)
	last, diags := readSights(ctx, req.Private)
	if resp.Diagnostics.Append(diags...); !r.MayRead(ctx, &resp.Diagnostics) {
		return
	}
	settings, err := r.Client.CompanySettings(ctx, state.CompanyID.ValueString())
	isGone, err := r.IsCompanyGone(ctx, state.CompanyID.ValueString(), err)
	switch {
	case isGone:
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		resp.Diagnostics.Append(message.APIError(ctx, message.Task("read", "company_settings"), err, nil)...)
		return
	}
	now := last.after(settings.Blocks)
	resp.Diagnostics.Append(state.fromAPI(ctx, r.LabelOf("company", state.CompanyID.ValueString()), settings, now)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, sightsKey, now.encoded())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// Update puts the plan into state, not what was read back: what changed at the service between plan and apply would be
// an inconsistent result. When it fails, the state stays as it was: the next refresh shows what was written.
func (r *settingsResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, plan, state settingsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("company_id"), state.CompanyID)...)
	last, diags := readSights(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.Append(r.Usable(ctx)...); resp.Diagnostics.HasError() {
		return
	}
	now, diags := r.write(ctx, &writing{config: config, plan: plan, state: state, last: last}, req.Plan.Schema)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, sightsKey, now.encoded())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete sends nothing: settings cannot be deleted. The plan has said so.
func (r *settingsResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

func (r *settingsResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("company_id"), path.Root("company_id"), req, resp)
}
