// Package certificate uploads the digital certificates that companies sign with.
package certificate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var _ session.Managed = (*certificateResource)(nil)

// NewResource is einvoice_company_certificate.
func NewResource() resource.Resource { return &certificateResource{} }

// certificateResource is a digital certificate (A1) of a company. The service never shows the
// file, refuses one that the company has already, and cannot delete one. The last upload is active.
type certificateResource struct {
	session.ResourceBase
	attribute.IDIdentity
}

func (r *certificateResource) Metadata(
	_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse,
) {
	resp.TypeName = "einvoice_company_certificate"
}

func (r *certificateResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	computed := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The digital certificate (certificado digital A1, a PKCS #12 file) with which a company " +
			"signs its invoices. Creating this resource uploads the file, which becomes the active certificate. If " +
			"the company has this certificate already, the provider adopts it. If it expires within 30 days, every " +
			"plan warns. Destroying this resource only removes it from state, because the service cannot delete a " +
			"certificate. It cannot be imported, because the service does not return the file. Needs the main " +
			"company's key, and Terraform or OpenTofu 1.11 or later for its write-only arguments.",
		Attributes: map[string]schema.Attribute{
			"id": attribute.Kept("Identifier of the certificate at the service (a UUID). If the service gives none, " +
				"the provider derives one from the certificate."),
			"company_id": attribute.Replaces(attribute.Required(attribute.TextWith(
				"Identifier of the company. A change uploads the file to the other company.",
				attribute.TextValidator{}))),
			"pfx_base64_wo": schema.StringAttribute{
				MarkdownDescription: "The file (.pfx, .p12) in base64: `filebase64(\"certificate.pfx\")`. Neither " +
					"plan nor state contains it. If you change it, change `pfx_base64_wo_version` too; otherwise " +
					"nothing is sent.",
				Required:   true,
				WriteOnly:  true,
				Validators: []validator.String{fileCheck},
			},
			"password_wo": schema.StringAttribute{
				MarkdownDescription: "Password of the file. Neither plan nor state contains it.",
				Required:            true,
				WriteOnly:           true,
				Validators:          []validator.String{passwordCheck},
			},
			"pfx_base64_wo_version": attribute.Replaces(attribute.Required(attribute.TextWith(
				"Any text, such as a year or a hash of the file. A change uploads the file again.",
				attribute.TextValidator{}))),
			"subject":    computed("Holder of the certificate."),
			"issuer":     computed("Certification authority that issued it."),
			"expires_at": computed("When the certificate expires."),
			"is_active": schema.BoolAttribute{
				MarkdownDescription: "Whether the company signs with it. A later upload replaces it.", Computed: true,
			},
		},
	}
}

func (r *certificateResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	r.RefuseUnusableKey(ctx, req, resp)
	if !req.Plan.Raw.IsNull() {
		return
	}
	var state certificateModel
	if resp.Diagnostics.Append(req.State.Get(ctx, &state)...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(say.Warning(ctx, "certificate.stays", text.With{
			"certificate": state.label(), "company": state.CompanyID.ValueString(),
		})...)
	}
}

func (r *certificateResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config certificateModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(r.Usable(ctx)...)
	if resp.Diagnostics.HasError() {
		return
	}
	// A value that is unknown while planning is not validated then.
	var checked validator.StringResponse
	file, password := config.PFXBase64WO, config.PasswordWO
	fileCheck.ValidateString(ctx, validator.StringRequest{Path: pathPFX, ConfigValue: file}, &checked)
	passwordCheck.ValidateString(ctx, validator.StringRequest{Path: pathPassword, ConfigValue: password}, &checked)
	if resp.Diagnostics.Append(checked.Diagnostics.Errors()...); resp.Diagnostics.HasError() {
		return
	}
	content, _ := certificateFile(file.ValueString()) // As fileCheck has decoded it.
	diags := r.upload(ctx, &plan, content, password.ValueString(), req.Plan.Schema)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return // Without state: an object that is in state beside an error is tainted.
	}
	resp.Diagnostics.Append(expiryWarning(ctx, &plan, time.Now())...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// upload fills the plan with the certificate that was in the file.
func (r *certificateResource) upload(
	ctx context.Context, plan *certificateModel, file []byte, password string, schema message.PathSchema,
) diag.Diagnostics {
	companyID := plan.CompanyID.ValueString()
	expires := readExpiry(file, password)
	list := func(ctx context.Context) iter.Seq2[*einvoice.Certificate, error] {
		return r.Client.Certificates(ctx, companyID)
	}
	// Read before, because only what is new afterwards shows what a lost answer said.
	before, err := einvoice.All(list(ctx))
	if err != nil {
		return requestError(ctx, message.Task("read", "certificates"), companyID, err, nil)
	}
	uploaded, err := r.Client.UploadCertificate(ctx, companyID, file, password)
	if err == nil && isOther(uploaded, expires) && contains(before, uploaded) {
		err = fmt.Errorf("it shows an older certificate, %s: %w", uploaded.ID, einvoice.ErrAmbiguous)
	}
	switch {
	case err == nil:
		plan.fromAPI(uploaded)
		return nil
	case einvoice.IsCertificateRegistered(err):
		return adopt(ctx, plan, list, expires, err)
	case !errors.Is(err, einvoice.ErrAmbiguous): // An upload in doubt is never repeated here.
		return requestError(ctx, message.Task("upload", "certificate"), companyID, err, schema)
	}
	added, lookErr := lookRepeatedly(ctx, list, func(c *einvoice.Certificate) bool {
		return !contains(before, c) && !isOther(c, expires)
	})
	if lookErr != nil || len(added) != 1 {
		return uploadLost(ctx, companyID, err, lookErr, len(added))
	}
	plan.fromAPI(added[0])
	return nil
}

// lookPauses are the pauses before each look: a list may lag by seconds.
var lookPauses = []time.Duration{0, 2 * time.Second, 4 * time.Second}

// lookRepeatedly looks for certificates until some match or no look is left.
func lookRepeatedly(
	ctx context.Context, list func(context.Context) iter.Seq2[*einvoice.Certificate, error],
	match func(*einvoice.Certificate) bool,
) (found []*einvoice.Certificate, err error) {
	ended := poll.RealTime.Few(ctx, lookPauses, func() (bool, error) {
		found, err = einvoice.Matching(list(ctx), match)
		return err == nil && len(found) > 0, nil
	})
	return found, cmp.Or(ended, err)
}

func contains(listed []*einvoice.Certificate, c *einvoice.Certificate) bool {
	return slices.ContainsFunc(listed, func(other *einvoice.Certificate) bool {
		return einvoice.SameID(other.ID, c.ID)
	})
}

// adopt takes the certificate that the company has already. The refusal does not say which of
// several it is; the file does, where it can be read.
func adopt(
	ctx context.Context, plan *certificateModel, list func(context.Context) iter.Seq2[*einvoice.Certificate, error],
	expires time.Time, refusal error,
) diag.Diagnostics {
	listed, err := lookRepeatedly(ctx, list, func(*einvoice.Certificate) bool { return true })
	if err != nil {
		return requestError(ctx, message.Task("read", "certificates"), plan.CompanyID.ValueString(), err, nil)
	}
	found, isCertain := among(listed, expires)
	if found == nil {
		return registeredNotFound(ctx, plan.CompanyID.ValueString(), listed, refusal)
	}
	plan.fromAPI(found)
	return adoptedRegistered(ctx, plan, isCertain)
}

func (r *certificateResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state certificateModel
	if resp.Diagnostics.Append(req.State.Get(ctx, &state)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	if !r.MayRead(ctx, &resp.Diagnostics) {
		return
	}
	certificates := r.Client.Certificates(ctx, state.CompanyID.ValueString())
	found, err := einvoice.Matching(certificates, func(c *einvoice.Certificate) bool {
		return einvoice.SameID(c.ID, state.ID.ValueString())
	})
	isGone, err := r.IsCompanyGone(ctx, state.CompanyID.ValueString(), err)
	switch {
	case isGone, err == nil && len(found) == 0:
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		task := message.Task("read", "certificates")
		resp.Diagnostics.Append(requestError(ctx, task, state.CompanyID.ValueString(), err, nil)...)
		return
	}
	state.fromAPI(found[0])
	resp.Diagnostics.Append(expiryWarning(ctx, &state, time.Now())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// Update has nothing to do: every argument that is kept in state replaces.
func (r *certificateResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan certificateModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete sends nothing: ModifyPlan has said what stays.
func (r *certificateResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

func (r *certificateResource) ImportState(
	ctx context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	resp.Diagnostics.Append(say.Error(ctx, "certificate.no_import", nil)...)
}
