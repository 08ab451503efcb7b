// Package company manages the companies of the account, and reads them.
package company

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/object"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// companyResource is an issuer of invoices. Only the response to its creation shows its API key, and a deletion ends
// the key for good. Only the main company's key may manage companies. The service cannot look a company up by tax
// number, so the provider reads the whole list.
type companyResource struct {
	object.Resource[einvoice.Company, companyModel, *companyModel]
}

var _ session.Managed = (*companyResource)(nil)

// NewResource is einvoice_company.
func NewResource() resource.Resource {
	return &companyResource{object.Resource[einvoice.Company, companyModel, *companyModel]{
		Kind: kind,
		Description: "A company of the account: an issuer of invoices, with an API key of its own. " +
			"If you replace or delete a company, its key stops working, and you can no longer reach what was created " +
			"with it. Needs the main company's key.",
		Attributes: attributes,
	}}
}

func attributes() map[string]schema.Attribute {
	kept := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	return map[string]schema.Attribute{
		"id":         attribute.ID("company"),
		"name":       attribute.Required(attribute.Text("Name or trade name (nome fantasia).", 80, "Padaria Central")),
		"legal_name": attribute.Required(attribute.Text("Legal name (razão social).", 80, "Padaria Central Ltda")),
		"federal_tax_number": attribute.Required(attribute.CompanyTaxNumber(
			"CNPJ or CPF of the company. Integrations report that an account has at most one company for each.")),
		"state_tax_number": attribute.StateTaxNumber(0),
		"city_tax_number":  attribute.Text(attribute.CityTaxNumberDescription, 0, "1234567"),
		"email":            attribute.Text("E-mail address.", 80, "fiscal@example.com"),
		"phone":            attribute.Phone("Telephone."),
		"mobile_phone":     attribute.WithAssumedLength(attribute.Phone("Mobile telephone.")),
		"tax_regime": assumedWord("Tax regime (regime tributário), such as "+attribute.WordList(taxRegimes)+
			". Any other value gives a warning.", taxRegimes),
		"economic_activities": schema.ListNestedAttribute{
			MarkdownDescription: "Economic activities (CNAE).",
			Optional:            true,
			Validators:          []validator.List{listvalidator.SizeAtLeast(1)},
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"code": attribute.Required(attribute.Text("Code of the activity (CNAE).", 0, "1091102")),
				"type": attribute.Required(
					assumedWord("Whether it is the `main` activity or a `secondary` one.", activityTypes)),
			}},
		},
		"address": attribute.Address(nil),
		"deletion_protection": attribute.Flag("Whether the company is protected from deletion, which is irreversible "+
			"and ends its API key. Defaults to `true`. To delete a company, set this to `false`, apply, and destroy. "+
			"The provider never deletes the company whose key it uses.", true),
		"api_key": schema.StringAttribute{
			MarkdownDescription: "The company's API key. The service shows it only in the response to " +
				"the creation. After an import it is an empty string, never null. If somebody generates another " +
				"key in the back office, this value stays, and every plan warns.",
			Computed:      true,
			Sensitive:     true,
			PlanModifiers: kept,
		},
		"api_key_masked": schema.StringAttribute{
			MarkdownDescription: "The API key as the service shows it now, with only its first characters visible.",
			Computed:            true,
			Sensitive:           true,
			PlanModifiers:       kept,
		},
		"extra_json": attribute.ExtraJSON("company"),
	}
}

var (
	taxRegimes    = []string{"simplesNacional", "simplesNacionalExcessoSublimite", "simplesNacionalMEI", "regimeNormal"}
	activityTypes = []string{"main", "secondary"}
)

// assumedWord is an optional text. The specification does not list its words: another one gives a warning.
func assumedWord(description string, words []string) schema.StringAttribute {
	return attribute.TextWith(description,
		attribute.TextValidator{Example: words[0]}, attribute.EnumValidator{Words: words, Assumed: true})
}

// ModifyPlan refuses or warns of a deletion, which cannot be undone. It does not run for the destroying half of a
// replacement, so Delete checks again.
func (r *companyResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	r.RefuseUnusableKey(ctx, req, resp)
	if req.State.Raw.IsNull() {
		var plan companyModel
		resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
		resp.Diagnostics.Append(r.notePlanned(ctx, session.Comes, &plan)...)
		return
	}
	var state companyModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	switch {
	case resp.Diagnostics.HasError():
	case req.Plan.Raw.IsNull():
		resp.Diagnostics.Append(r.notePlanned(ctx, session.Leaves, &state)...)
		refused := r.refuseDeletion(ctx, &state)
		if resp.Diagnostics.Append(refused...); !refused.HasError() {
			resp.Diagnostics.Append(say.Warning(ctx, "company.deletion_ends_key", text.With{
				"name": state.Name.ValueString(), "company": state.label(),
			})...)
		}
		return
	case state.keyWasReplaced():
		resp.Diagnostics.Append(say.WarningAt(ctx, path.Root("api_key"), "company.key_replaced", text.With{
			"name": state.Name.ValueString(), "company": state.label(),
		})...)
	}
	r.NoteLabel(kind.One, state.ID.ValueString(), shortLabel(state.Name.ValueString(), state.FederalTaxNumber.ValueString()))
	var plan companyModel
	if resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...); resp.Diagnostics.HasError() {
		return
	}
	before, now := state.FederalTaxNumber, plan.FederalTaxNumber
	if !before.IsNull() && !now.IsUnknown() && before.Normalized() != now.Normalized() {
		resp.Diagnostics.Append(say.WarningAt(ctx, path.Root("federal_tax_number"), "company.other_number", text.With{
			"company": state.label(), "name": state.Name.ValueString(), "number": now.ValueString(),
		})...)
	}
}

// notePlanned tells the plan of a company that comes or leaves, and recommends a moved block if one of the two comes
// where the other one leaves: the key of a company is shown once.
func (r *companyResource) notePlanned(ctx context.Context, role session.Role, m *companyModel) diag.Diagnostics {
	number := m.FederalTaxNumber
	if attribute.IsUnset(number) {
		return nil
	}
	seen := r.NotePlanned(session.Planned{Role: role, Kind: kind.One, Name: string(number.Normalized())})
	if len(seen.Renamed) == 0 {
		return nil
	}
	return say.WarningAt(ctx, path.Root("federal_tax_number"), "company.renamed",
		text.With{"number": number.ValueString()})
}

// refuseDeletion is the error of a protected company, and of the one that this run works as.
func (r *companyResource) refuseDeletion(ctx context.Context, state *companyModel) diag.Diagnostics {
	switch {
	case r.Session != nil && r.Client != nil && r.isOwn(state):
		return say.Error(ctx, "company.own", text.With{"company": state.label()})
	case state.DeletionProtection.IsNull() || state.DeletionProtection.ValueBool():
		return say.Error(ctx, "company.protected", text.With{"company": state.label()})
	}
	return nil
}

// isOwn reports whether a company is the one whose key this run works with. A mask may show
// nothing of the key, so the key in state is compared too.
func (r *companyResource) isOwn(state *companyModel) bool {
	matches := r.Client.KeyMatchesMask
	return matches(state.APIKeyMasked.ValueString()) || matches(state.APIKey.ValueString())
}

// Create refuses a company that exists, because its key is never shown again. It does not change a company that it
// adopts after a lost response: the next plan shows where that differs.
func (r *companyResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan companyModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(r.Usable(ctx)...)
	if resp.Diagnostics.HasError() {
		return
	}
	creation := creation(r.Client, plan.request(), attribute.ExtraRequest(plan.ExtraJSON))
	if diags := session.RefuseExisting(ctx, r.Session, kind, creation); diags.HasError() {
		resp.Diagnostics.Append(diags...)
		return
	}
	company, isAdopted, diags := session.CreateNamed(ctx, r.Session, kind, creation, req.Plan.Schema)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	resp.Diagnostics.Append(plan.takeKey(ctx, company, isAdopted)...)
	resp.Diagnostics.Append(plan.fillFrom(ctx, company)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(r.NoteWrite(ctx, resp.Private)...)
	// From here on no error: it would taint the company, and the next plan would replace it and its key.
	if shown, err := r.Client.Company(ctx, plan.ID.ValueString()); err == nil {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("api_key_masked"), maskedKey(shown.APIKey))...)
		if plan.APIKey.ValueString() != "" { // Without its key it may be another one, and differ from the plan.
			resp.Diagnostics.Append(plan.FromAPI(shown)...)
			resp.Diagnostics.Append(attribute.WarnOfUnkept(ctx, resp.State, plan)...)
		}
	}
}

// creation says how to create a company, and how to recognize it by its tax number.
func creation(
	client *einvoice.Client, wanted einvoice.Company, extra json.RawMessage,
) session.Creation[einvoice.Company] {
	hasNumber := func(c *einvoice.Company) bool { return kind.HasKey(c, string(wanted.FederalTaxNumber)) }
	return session.Creation[einvoice.Company]{
		What: session.Named(kind.One, session.DisplayName(einvoice.Text(wanted.FederalTaxNumber), wanted.Name, "")),
		Send: func(ctx context.Context) (*einvoice.Company, error) {
			return client.CreateCompany(ctx, wanted, extra)
		},
		Matches:  hasNumber,
		Unique:   true,
		Answers:  func(c *einvoice.Company) bool { return c.FederalTaxNumber == "" || hasNumber(c) },
		OnImport: text.Of("company.on_import", nil),
	}
}

// takeKey takes the key that only the response to the creation shows, and warns if the company came without it.
func (m *companyModel) takeKey(ctx context.Context, c *einvoice.Company, isAdopted bool) diag.Diagnostics {
	m.APIKey, m.APIKeyMasked = types.StringValue(""), types.StringNull()
	switch {
	case isAdopted:
		label := companyLabel(c.Name, c.FederalTaxNumber, c.ID)
		return say.WarningAt(ctx, path.Root("api_key"), "company.adopted_without_key", text.With{"company": label})
	case c.APIKey == "" || einvoice.IsMasked(c.APIKey):
		label := companyLabel(m.Name.ValueString(), m.FederalTaxNumber.ValueString(), string(c.ID))
		return say.WarningAt(ctx, path.Root("api_key"), "company.key_not_captured", text.With{"company": label})
	}
	m.APIKey = types.StringValue(c.APIKey)
	return nil
}

func (r *companyResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state companyModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	resp.Diagnostics.Append(r.Usable(ctx)...)
	if resp.Diagnostics.HasError() {
		return
	}
	company, err := r.update(ctx, &plan, &state)
	if err != nil {
		resp.Diagnostics.Append(message.APIError(ctx, message.Task("update", "company"), err, req.Plan.Schema)...)
		return
	}
	resp.Diagnostics.Append(plan.fillFrom(ctx, company)...)
	plan.ID = state.ID
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	if company.Raw != nil { // The service has answered. Without a request the state keeps its values.
		resp.Diagnostics.Append(plan.FromAPI(company)...)
		resp.Diagnostics.Append(attribute.WarnOfUnkept(ctx, resp.State, plan)...)
	}
}

// update sends the changes, or nothing: the service does not know deletion_protection.
func (r *companyResource) update(ctx context.Context, plan, state *companyModel) (*einvoice.Company, error) {
	next, prior := plan.request(), state.request()
	if session.SameRequest(next, prior) && plan.ExtraJSON.Equal(state.ExtraJSON) {
		return &prior, nil
	}
	return r.Client.UpdateCompany(ctx, state.ID.ValueString(), next, prior, attribute.ExtraRequest(plan.ExtraJSON))
}

// Delete reads the company once more. The mask of its key in state may be old, and hide that this run works with that
// key: then the deletion would end the access to the account.
func (r *companyResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state companyModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(r.Usable(ctx)...)
	if resp.Diagnostics.HasError() {
		return
	}
	company, err := r.Client.Company(ctx, state.ID.ValueString())
	if errors.Is(err, einvoice.ErrNotFound) {
		return
	}
	if err != nil {
		resp.Diagnostics.Append(message.APIError(ctx, message.Task("delete", "company"), err, nil)...)
		return
	}
	state.APIKeyMasked = maskedKey(company.APIKey)
	if resp.Diagnostics.Append(r.refuseDeletion(ctx, &state)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(session.DeleteObject(ctx, r.Session, kind, state.ID, state.Name.ValueString())...)
}
