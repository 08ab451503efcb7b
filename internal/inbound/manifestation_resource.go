package inbound

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var (
	_ session.Managed                     = (*manifestationResource)(nil)
	_ resource.ResourceWithValidateConfig = (*manifestationResource)(nil)
)

// NewManifestationResource is einvoice_inbound_manifestation.
func NewManifestationResource() resource.Resource { return &manifestationResource{} }

// manifestationResource is the recipient's declaration about a received NF-e. The invoice
// shows the last one alone, and not who has made it. It cannot be taken back: only another
// one can follow.
type manifestationResource struct {
	session.ResourceBase
}

type resourceModel struct {
	InvoiceID     types.String      `tfsdk:"invoice_id"`
	Status        types.String      `tfsdk:"status"`
	Justification types.String      `tfsdk:"justification"`
	Company       attribute.Spelled `tfsdk:"company"`
	Date          types.String      `tfsdk:"date"`
	Protocol      types.String      `tfsdk:"protocol"`
	Account       types.String      `tfsdk:"account"`
}

type manifestationIdentity struct {
	InvoiceID types.String `tfsdk:"invoice_id"`
	Company   types.String `tfsdk:"company"`
}

func (m *resourceModel) identity() manifestationIdentity {
	return manifestationIdentity{InvoiceID: m.InvoiceID, Company: attribute.IssuerIdentity(m.Company)}
}

func (r *manifestationResource) Metadata(
	_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse,
) {
	resp.TypeName = "einvoice_inbound_manifestation"
	resp.ResourceBehavior.MutableIdentity = true // The company may be configured later.
}

func (r *manifestationResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: manifestationDescription + "It cannot be taken back. If the invoice already has this " +
			"declaration, the provider adopts it and sends nothing. If the response is lost, the provider looks for " +
			"the declaration for twice `request_timeout`, at least 20 seconds. A change from `acknowledged` to " +
			"another status is made in place, with a second declaration. Any other change replaces the resource. " +
			"After `acknowledged` or `confirmed`, the service releases the complete XML, if it had only the summary. " +
			"Destroying this resource only removes it from state. Needs the key of the company that received the " +
			"invoice.",
		Attributes: map[string]schema.Attribute{
			"invoice_id": attribute.Replaces(attribute.Required(attribute.TextWith(
				"Identifier of the inbound invoice at the service (a UUID).", attribute.TextValidator{}))),
			"status": schema.StringAttribute{
				MarkdownDescription: statusDescription,
				Required:            true,
				Validators:          []validator.String{attribute.EnumValidator{Words: manifestStatuses}},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplaceIf(
					replacesDeclaration, replacesUnless, replacesUnless)},
			},
			"justification": attribute.TextWith(
				justificationDescription+" It can change only together with `status`.",
				justificationLength, attribute.PrintedText),
			"company": attribute.Issuer("that received the invoice",
				"Required if the provider has `company_keys`; otherwise the company that owns `api_key`. It cannot change "+
					"after the declaration."),
			"date":     attribute.Kept("When it was declared."),
			"protocol": attribute.Kept("Protocol of the authority."),
			"account":  attribute.Account("declaration"),
		},
	}
}

const replacesUnless = "Replaces unless it was `acknowledged`."

func replacesDeclaration(
	_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse,
) {
	resp.RequiresReplace = req.StateValue.ValueString() != einvoice.ManifestAcknowledged
}

func (r *manifestationResource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"invoice_id": identityschema.StringAttribute{RequiredForImport: true, Description: "Inbound invoice."},
		"company":    attribute.IssuerIdentityAttribute,
	}}
}

// ValidateConfig refuses what the service refuses: see [einvoice.Client.ManifestInbound].
func (r *manifestationResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var config resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(refuseShort(ctx, config.Status, config.Justification)...)
}

func (r *manifestationResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	var plan, state resourceModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		if !resp.Diagnostics.HasError() {
			resp.Diagnostics.Append(say.Warning(ctx, "inbound.stays", text.With{
				"label": state.label(), "status": state.Status.ValueString(),
			})...)
		}
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	acting, diags := r.As(ctx, req.Config, req.Plan, state.Company)
	resp.Diagnostics.Append(diags...)
	acting.RefuseUnusableKey(ctx, req, resp)
	if req.State.Raw.IsNull() || !plan.Status.Equal(state.Status) {
		resp.Diagnostics.Append(acting.RequireIssuer(ctx, plan.declaration().In(ctx))...)
	}
	if req.State.Raw.IsNull() {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("account"), acting.PlannedAccount())...)
	}
	resp.Diagnostics.Append(plan.noteDeclaration(ctx, acting)...)
	if resp.Diagnostics.HasError() || req.State.Raw.IsNull() || !plan.InvoiceID.Equal(state.InvoiceID) {
		return
	}
	resp.Diagnostics.Append(plan.refuseChange(ctx, &state)...)
	if !plan.Status.Equal(state.Status) {
		plan.Date, plan.Protocol = types.StringUnknown(), types.StringUnknown()
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	}
}

// noteDeclaration notes a declaration, and refuses two blocks, new or not, that declare the same invoice differently.
// Each apply would declare both: a read shows the last declaration alone.
func (m *resourceModel) noteDeclaration(ctx context.Context, s *session.Session) diag.Diagnostics {
	if s.Deferred() || attribute.IsUnset(m.InvoiceID) || attribute.IsUnset(m.Status) {
		return nil
	}
	status := m.Status.ValueString()
	seen := s.NotePlanned(session.Planned{
		Role: session.Stays, Kind: "declaration", Name: m.InvoiceID.ValueString(), Content: status,
	})
	for _, other := range seen.Named {
		if other.Content == status {
			continue
		}
		return say.ErrorAt(ctx, path.Root("status"), "inbound.two_declarations", text.With{
			"label": m.label(), "other": other.Content, "this": status,
		})
	}
	return nil
}

// refuseChange refuses what cannot follow a declaration that was made.
func (m *resourceModel) refuseChange(ctx context.Context, state *resourceModel) diag.Diagnostics {
	isSame := m.Status.Equal(state.Status)
	switch {
	case attribute.OtherIssuer(m.Company, state.Company):
		return say.ErrorAt(ctx, path.Root(companyArgument), "inbound.other_company", text.With{
			"label": state.label(), "former": state.Company.ValueString(), "company": m.Company.ValueString(),
		})
	case !isSame && m.Status.ValueString() == einvoice.ManifestAcknowledged:
		return tooLate(ctx, state.label(), state.Status.ValueString())
	case isSame && !m.Justification.IsUnknown() && !state.Justification.IsNull() &&
		!m.Justification.Equal(state.Justification):
		return say.ErrorAt(ctx, path.Root("justification"), "inbound.other_justification", text.With{
			"label": state.label(), "status": state.Status.ValueString(),
		})
	}
	return nil
}

func (m *resourceModel) label() text.Text {
	return text.Of("inbound.nfe", text.With{"invoice": m.InvoiceID.ValueString()})
}

func (m *resourceModel) declaration() text.Text {
	return text.Of("inbound.declaration", text.With{"label": m.label()})
}

func (r *manifestationResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan resourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	acting, diags := r.As(ctx, req.Config, req.Plan, attribute.Spelled{})
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(acting.Usable(ctx)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if resp.Diagnostics.Append(plan.declare(ctx, acting, req.Plan.Schema)...); resp.Diagnostics.HasError() {
		return
	}
	plan.Account = acting.KnownAccount(plan.Account)
	resp.Diagnostics.Append(acting.NoteAccount(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// declare brings the invoice to the declaration, and fills what comes with it. An answer
// that was lost, where the invoice shows the declaration, is no news.
func (m *resourceModel) declare(ctx context.Context, s *session.Session, at message.PathSchema) diag.Diagnostics {
	d := newDeclaration(s, m.InvoiceID, m.Status, m.Justification)
	d.schema = at
	if failed := d.perform(ctx); failed.HasError() {
		return failed
	}
	m.Date, m.Protocol = types.StringNull(), types.StringNull()
	if d.manifestation != nil {
		m.Date, m.Protocol = attribute.TextOrNull(d.manifestation.Date), attribute.TextOrNull(d.manifestation.Protocol)
	}
	m.Company = attribute.IssuerFromAPI(m.Company, "") // No answer shows who has received it.
	return nil
}

func (r *manifestationResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state resourceModel
	if resp.Diagnostics.Append(req.State.Get(ctx, &state)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	reading := r.For(state.Company)
	resp.Diagnostics.Append(reading.NoteAccount(ctx, resp.Private)...)
	if !reading.MayRead(ctx, &resp.Diagnostics) {
		return
	}
	v, err := reading.Client.InboundInvoice(ctx, einvoice.ModelProduct, state.InvoiceID.ValueString())
	switch {
	case errors.Is(err, einvoice.ErrNotFound), err == nil && !isDeclared(v):
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		task := text.Of("inbound.read", text.With{"label": state.label()})
		resp.Diagnostics.Append(message.APIError(ctx, task, err, nil)...)
		return
	}
	if declared(v) != state.Status.ValueString() { // The former reason says nothing of this declaration.
		state.Justification = attribute.TextOrNull(v.Manifestation.Justification)
	}
	state.Status = types.StringValue(declared(v))
	state.Date = attribute.TextOrNull(v.Manifestation.Date)
	state.Protocol = attribute.TextOrNull(v.Manifestation.Protocol)
	state.Account = reading.KnownAccount(state.Account)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// Update declares anew after `acknowledged`. A company that is configured later is only
// recorded.
func (r *manifestationResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state resourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	acting, diags := r.As(ctx, req.Config, req.Plan, state.Company)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(acting.Usable(ctx)...)
	resp.Diagnostics.Append(acting.RefuseOtherAccount(ctx, req.Private, state.declaration().In(ctx))...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !plan.Status.Equal(state.Status) {
		resp.Diagnostics.Append(plan.declare(ctx, acting, req.Plan.Schema)...)
	}
	if resp.Diagnostics.HasError() {
		return // The state keeps what was declared before.
	}
	plan.Account = acting.KnownAccount(plan.Account)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete only forgets the declaration. The plan has warned that it stays.
func (r *manifestationResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

func (r *manifestationResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	var identity manifestationIdentity
	if req.ID == "" && req.Identity != nil {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
	} else {
		company, id, ok := attribute.CutIssuer(req.ID)
		if !ok || id == "" {
			resp.Diagnostics.Append(message.InvalidImportID(ctx, req.ID, text.Of("inbound.import", nil))...)
			return
		}
		identity = manifestationIdentity{InvoiceID: types.StringValue(id), Company: attribute.TextOrNull(company)}
	}
	if !identity.Company.IsNull() {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(companyArgument), identity.Company)...)
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("invoice_id"), identity.InvoiceID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity)...)
}
