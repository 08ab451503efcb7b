// Package customer is the recipients of invoices: a resource, data sources and a list resource.
package customer

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ session.Managed                     = (*customerResource)(nil)
	_ resource.ResourceWithValidateConfig = (*customerResource)(nil)
)

// NewResource is einvoice_customer.
func NewResource() resource.Resource { return &customerResource{} }

// customerResource is a recipient of invoices. The service also creates customers from orders, unknown to Terraform.
// Its specification has only creation, update and list; the other operations are assumed. A PUT may replace the whole
// customer: an update reads it first, and sends back what the configuration does not manage.
type customerResource struct {
	session.ResourceBase
	attribute.IDIdentity
}

func (r *customerResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_customer"
}

func (r *customerResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A receiver of invoices. All companies of the account share its customers.",
		Attributes:          attributes(),
	}
}

func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":                 attribute.ID("customer"),
		"name":               attribute.Required(attribute.Text("Name or trade name (nome fantasia).", 80, "Padaria")),
		"legal_name":         attribute.Text("Legal name (razão social).", 80, "Padaria Central Ltda"),
		"federal_tax_number": attribute.FederalTaxNumber("CPF, CNPJ or foreign document."),
		"state_tax_number":   attribute.StateTaxNumber(20),
		"city_tax_number":    attribute.Text(attribute.CityTaxNumberDescription, 20, "1234567"),
		"email":              attribute.Text("E-mail address.", 50, "fiscal@example.com"),
		"phone":              attribute.Phone("Telephone."),
		"mobile_phone":       attribute.Phone("Mobile telephone."),
		"address":            attribute.Address(map[string]schema.Attribute{"city_name": attribute.CityName()}),
		"extra_json":         attribute.ExtraJSON("customer"),
	}
}

func (r *customerResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	resp.Diagnostics.Append(attribute.ValidateExtra(ctx, req.Config)...)
}

// ModifyPlan leaves the plan as it is: it checks and warns, and sends no request.
func (r *customerResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	r.RefuseUnusableKey(req, resp)
	resp.Diagnostics.Append(r.noteTwin(ctx, req)...)
}

// noteTwin notes a new customer, and warns if two blocks of this run create customers with one tax number.
func (r *customerResource) noteTwin(ctx context.Context, req resource.ModifyPlanRequest) diag.Diagnostics {
	if r.Deferred() || req.Plan.Raw.IsNull() || !req.State.Raw.IsNull() {
		return nil
	}
	var plan customerModel
	diags := req.Plan.Get(ctx, &plan)
	if attribute.IsUnset(plan.FederalTaxNumber) || diags.HasError() {
		return diags
	}
	number := plan.FederalTaxNumber
	seen := r.NotePlanned(session.Planned{
		Role: session.Comes, Kind: kind.One, Name: string(number.Normalized()), Label: plan.Name.ValueString(),
	})
	if len(seen.Twins) > 0 {
		diags.AddAttributeWarning(path.Root("federal_tax_number"),
			"Two new customers with one tax number: "+number.ValueString(), fmt.Sprintf(
				"Another block of this run, %q, has the same `federal_tax_number`. The service may create both, "+
					"and then nobody knows which one is right. Keep one block, or correct the number.", seen.Twins[0].Label))
	}
	return diags
}

// Create may adopt a customer from the list, after a lost response. It does not change that one, whose entry may be
// short: the next plan shows where it differs.
func (r *customerResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan customerModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(r.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	creation := r.creation(plan.request(), attribute.ExtraRequest(plan.ExtraJSON))
	customer, isAdopted, diags := session.CreateNamed(ctx, r.Session, kind, creation, req.Plan.Schema)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return // Without state: an object that is in state beside an error is replaced.
	}
	resp.Diagnostics.Append(plan.fillFrom(ctx, customer)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...) // What was sent: a warning names what the service changed.
	resp.Diagnostics.Append(r.NoteWrite(ctx, resp.Private)...)
	if !isAdopted {
		resp.Diagnostics.Append(plan.FromAPI(customer)...)
		resp.Diagnostics.Append(attribute.WarnOfUnkept(ctx, resp.State, plan)...)
	}
}

// creation says how to create a customer, and how to recognize it. Two customers may share a tax number: then only the
// name tells them apart.
func (r *customerResource) creation(
	wanted einvoice.Customer, extra json.RawMessage,
) session.Creation[einvoice.Customer] {
	hasNumber := func(c *einvoice.Customer) bool { return kind.HasKey(c, string(wanted.FederalTaxNumber)) }
	hasName := func(c *einvoice.Customer) bool { return attribute.SameName(c.Name, wanted.Name) }
	isSame := func(c *einvoice.Customer) bool { return hasName(c) && hasNumber(c) }
	exists := isSame
	if wanted.FederalTaxNumber != "" {
		exists = hasNumber
	}
	return session.Creation[einvoice.Customer]{
		What: "customer " + session.DisplayName(wanted.Name, einvoice.Text(wanted.FederalTaxNumber), ""),
		Send: func(ctx context.Context) (*einvoice.Customer, error) {
			return r.Client.CreateCustomer(ctx, wanted, extra)
		},
		Matches: isSame,
		Unique:  wanted.FederalTaxNumber != "",
		Answers: func(c *einvoice.Customer) bool {
			if c.FederalTaxNumber != "" && wanted.FederalTaxNumber != "" {
				return hasNumber(c)
			}
			return c.Name == "" || hasName(c)
		},
		Exists: exists,
	}
}

// Read leaves the state as it is while the list may not show its last write yet, and if the service shows no customers.
func (r *customerResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state customerModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	if resp.Diagnostics.HasError() || !r.MayRead(&resp.Diagnostics) {
		return
	}
	isGone, diags := session.ReadInto(ctx, r.Session, kind, &state, req.State, resp.Private)
	if resp.Diagnostics.Append(diags...); isGone {
		resp.State.RemoveResource(ctx)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

func (r *customerResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state customerModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	resp.Diagnostics.Append(r.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.NoteWrite(ctx, resp.Private)...)
	extra := attribute.ExtraRequest(plan.ExtraJSON)
	customer, err := r.Client.UpdateCustomer(ctx, state.ID.ValueString(), plan.request(), state.request(), extra)
	if err != nil {
		resp.Diagnostics.Append(message.APIError(ctx, "update customer", err, req.Plan.Schema)...)
		return
	}
	resp.Diagnostics.Append(plan.fillFrom(ctx, customer)...)
	plan.ID = state.ID
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(plan.FromAPI(customer)...)
	resp.Diagnostics.Append(attribute.WarnOfUnkept(ctx, resp.State, plan)...)
}

func (r *customerResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state customerModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(r.Usable()...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(session.DeleteObject(ctx, r.Session, kind, state.ID, state.Name.ValueString())...)
	}
}

// ImportState takes an id, or federal_tax_number=... with the number of exactly one customer.
func (r *customerResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	id, diags := session.LookUpImportID(ctx, r.Session, kind, req.ID)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	req.ID = id
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}
