package certificate

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ resource.ResourceWithConfigure   = (*certificateResource)(nil)
	_ resource.ResourceWithIdentity    = (*certificateResource)(nil)
	_ resource.ResourceWithImportState = (*certificateResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*certificateResource)(nil)
)

func NewResource() resource.Resource { return &certificateResource{} }

// certificateResource is a digital certificate (A1) of a company. The service
// takes the file and never shows it, refuses a file that the company has
// already, and cannot delete one. The one uploaded last is active.
type certificateResource struct {
	session.ResourceBase
}

func (r *certificateResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_company_certificate"
}

func (r *certificateResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	replaces := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The digital certificate (A1, a PKCS #12 file) that a company signs its invoices with. Creating this resource uploads the file, which becomes the active certificate; " +
			"one that the company has already is adopted. With less than 30 days of validity left every plan warns. Destroying it only removes it from state, because the service deletes no certificate. " +
			"It cannot be imported: the file cannot be read back. Needs the main company's key, and Terraform or OpenTofu 1.11 or newer for its write-only arguments.",
		Attributes: map[string]schema.Attribute{
			"id": attribute.ID("certificate"),
			"company_id": schema.StringAttribute{
				MarkdownDescription: "Identifier of the company. Another company's certificate is another object.",
				Required:            true,
				Validators:          []validator.String{attribute.TextValidator{Example: "7c9e6679-7425-40de-944b-e07fc1f90ae7"}},
				PlanModifiers:       replaces,
			},
			"pfx_base64_wo": schema.StringAttribute{
				MarkdownDescription: "The certificate file (.pfx or .p12) in base64, such as `filebase64(\"certificate.pfx\")`. It reaches neither plan nor state. " +
					"A change of it alone is not seen: change `pfx_base64_wo_version` with it.",
				Required:   true,
				WriteOnly:  true,
				Validators: []validator.String{certificateFileValidator{}},
			},
			"password_wo": schema.StringAttribute{
				MarkdownDescription: "Password of the file. It reaches neither plan nor state.",
				Required:            true,
				WriteOnly:           true,
				Validators:          []validator.String{certificatePasswordValidator{}},
			},
			"pfx_base64_wo_version": schema.StringAttribute{
				MarkdownDescription: "Any text that stands for the file and its password, such as a year or a hash of the file. A new one uploads again.",
				Required:            true,
				Validators:          []validator.String{attribute.TextValidator{Example: "2026"}},
				PlanModifiers:       replaces,
			},
			"subject":    schema.StringAttribute{MarkdownDescription: "Whom the certificate was issued to.", Computed: true},
			"issuer":     schema.StringAttribute{MarkdownDescription: "Authority that issued it.", Computed: true},
			"expires_at": schema.StringAttribute{MarkdownDescription: "When its validity ends.", Computed: true},
			"is_active":  schema.BoolAttribute{MarkdownDescription: "Whether the company signs with it. A later upload, here or elsewhere, takes its place.", Computed: true},
		},
	}
}

func (r *certificateResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = attribute.IDIdentity()
}

func (r *certificateResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.RefuseUnusableKey(req, resp)
	if !req.Plan.Raw.IsNull() {
		return
	}
	var state certificateModel
	if resp.Diagnostics.Append(req.State.Get(ctx, &state)...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(certificateStays(&state))
	}
}

func (r *certificateResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config certificateModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(r.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	// What was unknown while planning was not validated then.
	file, err := certificateFile(config.PFXBase64WO.ValueString())
	if err != nil {
		resp.Diagnostics.AddAttributeError(pathPFX, "Certificate is not base64", "`pfx_base64_wo` is empty or not base64. Nothing was sent.")
		return
	}
	if config.PasswordWO.ValueString() == "" {
		resp.Diagnostics.AddAttributeError(pathPassword, "Empty password", emptyPassword)
		return
	}
	diags := r.upload(ctx, &plan, file, config.PasswordWO.ValueString(), req.Plan.Schema)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return // Without state: an object that is in state beside an error is tainted.
	}
	resp.Diagnostics.Append(expiryWarning(&plan, time.Now())...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// upload fills the plan with the certificate that the file became, or is.
func (r *certificateResource) upload(ctx context.Context, plan *certificateModel, file []byte, password string, schema message.PathSchema) diag.Diagnostics {
	companyID := plan.CompanyID.ValueString()
	content := readCertificate(file, password)
	// What is there before tells, should the answer be lost, what came of it.
	before, err := einvoice.All(r.Client.Certificates(ctx, companyID))
	if err != nil {
		return certificateError(ctx, "read certificates", err, nil)
	}
	uploaded, err := r.Client.UploadCertificate(ctx, companyID, file, password)
	switch {
	case einvoice.IsCertificateRegistered(err):
		return r.adopt(ctx, plan, content, err)
	case errors.Is(err, einvoice.ErrAmbiguous):
		return r.settle(ctx, plan, content, before, err)
	case err != nil:
		return certificateError(ctx, "upload certificate", err, schema)
	}
	if content.isOther(uploaded) {
		return r.answeredWithAnother(ctx, plan, content, uploaded)
	}
	plan.fromAPI(uploaded)
	if content.namesAnother(uploaded) {
		return diag.Diagnostics{certificateOfAnother(plan, content)}
	}
	return nil
}

// answeredWithAnother looks for the uploaded certificate in the list, after an
// answer that shows another one, such as the one before.
func (r *certificateResource) answeredWithAnother(ctx context.Context, plan *certificateModel, content certificateContent, answered *einvoice.Certificate) diag.Diagnostics {
	found, err := session.LookRepeatedly(ctx, func(ctx context.Context) iter.Seq2[*einvoice.Certificate, error] {
		return r.Client.Certificates(ctx, plan.CompanyID.ValueString())
	}, content.isOf)
	if err != nil || len(found) != 1 {
		return certificateMistaken(plan.CompanyID.ValueString(), content, answered, err)
	}
	plan.fromAPI(found[0])
	return nil
}

// adopt takes the certificate that the company has already. The refusal does not
// tell which of several it is; the file does, where it can be read.
func (r *certificateResource) adopt(ctx context.Context, plan *certificateModel, content certificateContent, refusal error) diag.Diagnostics {
	var listed []*einvoice.Certificate
	for _, wait := range session.SettleWaits {
		err := session.Pause(ctx, wait)
		if err == nil {
			listed, err = einvoice.All(r.Client.Certificates(ctx, plan.CompanyID.ValueString()))
		}
		if err != nil {
			return certificateError(ctx, "read certificates", err, nil)
		}
		if len(listed) > 0 {
			break
		}
	}
	var chosen []*einvoice.Certificate
	for _, c := range listed {
		if content.isOf(c) {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 1 {
		plan.fromAPI(chosen[0])
		return diag.Diagnostics{certificateAdopted(plan, true)}
	}
	chosen = nil
	possible := slices.DeleteFunc(slices.Clone(listed), content.isOther)
	certain := len(possible) == 1
	for _, c := range possible {
		if certain || c.IsActive != nil && bool(*c.IsActive) {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) != 1 {
		return certificateUnidentified(plan.CompanyID.ValueString(), listed, refusal)
	}
	plan.fromAPI(chosen[0])
	return diag.Diagnostics{certificateAdopted(plan, certain)}
}

// settle finds out what became of an upload whose answer was lost. It is never
// repeated here.
func (r *certificateResource) settle(ctx context.Context, plan *certificateModel, content certificateContent, before []*einvoice.Certificate, lost error) diag.Diagnostics {
	known := map[einvoice.Text]bool{}
	for _, c := range before {
		known[c.ID] = true
	}
	var added []*einvoice.Certificate
	var err error
	for _, wait := range session.SettleWaits {
		if err = session.Pause(ctx, wait); err != nil {
			break
		}
		added, err = einvoice.Matching(r.Client.Certificates(ctx, plan.CompanyID.ValueString()), func(c *einvoice.Certificate) bool { return !known[c.ID] && !content.isOther(c) })
		if err == nil && len(added) > 0 {
			break
		}
	}
	if err != nil || len(added) != 1 {
		return certificateLost(plan.CompanyID.ValueString(), lost, err, len(added))
	}
	plan.fromAPI(added[0])
	return diag.Diagnostics{certificateSettled(plan, lost)}
}

func (r *certificateResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state certificateModel
	if resp.Diagnostics.Append(req.State.Get(ctx, &state)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	if r.Deferred() {
		return
	}
	if resp.Diagnostics.Append(r.Usable()...); resp.Diagnostics.HasError() {
		return
	}
	found, err := einvoice.Matching(r.Client.Certificates(ctx, state.CompanyID.ValueString()), func(c *einvoice.Certificate) bool {
		return strings.EqualFold(string(c.ID), state.ID.ValueString())
	})
	if errors.Is(err, einvoice.ErrNotFound) {
		// The list is the company's: it is gone with it, and only with it.
		if _, companyErr := r.Client.Company(ctx, state.CompanyID.ValueString()); errors.Is(companyErr, einvoice.ErrNotFound) {
			resp.State.RemoveResource(ctx)
			return
		}
	}
	if err != nil {
		resp.Diagnostics.Append(certificateError(ctx, "read certificates", err, nil)...)
		return
	}
	if len(found) == 0 {
		resp.State.RemoveResource(ctx)
		return
	}
	state.fromAPI(found[0])
	resp.Diagnostics.Append(expiryWarning(&state, time.Now())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// Update has nothing to do: every argument that is kept in state replaces.
func (r *certificateResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan certificateModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete forgets the certificate: ModifyPlan has said what stays.
func (r *certificateResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

func (r *certificateResource) ImportState(_ context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.AddError("Company certificate cannot be imported", certificateNoImport)
}
