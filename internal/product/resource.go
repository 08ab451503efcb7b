// Package product is what is sold: a resource, data sources and a list resource.
package product

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ session.Managed                     = (*productResource)(nil)
	_ resource.ResourceWithValidateConfig = (*productResource)(nil)
)

// NewResource is einvoice_product.
func NewResource() resource.Resource { return &productResource{} }

// productResource is something that is sold. The service keeps its taxation with the company, and also creates products
// from orders. Its specification has only the deletion; fields and other operations are assumed. A PUT may replace the
// whole product: an update reads it first, and sends back what the configuration does not manage.
type productResource struct {
	session.ResourceBase
	attribute.IDIdentity
}

func (r *productResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_product"
}

func (r *productResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "An article or a service that you sell, for use in orders. You configure its taxation in the " +
			"back office of the service.",
		Attributes: attributes(),
	}
}

func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":   attribute.ID("product"),
		"name": attribute.Required(attribute.Text("Name of the product.", 0, "Pão francês")),
		"code": attribute.Required(attribute.Text("Code of the product in your own books. "+
			"Keep it unique, because the provider finds the product by it.", 0, "PAO-001")),
		"price": schema.Float64Attribute{
			MarkdownDescription: "Price of one unit, in reais. A negative price gives a warning.",
			Optional:            true,
			Validators:          []validator.Float64{priceValidator{}},
		},
		"invoice_model": attribute.TextWith("Kind of invoice for a sale: "+attribute.WordList(einvoice.Models)+".",
			attribute.EnumValidator{Words: einvoice.Models}),
		"extra_json": attribute.ExtraJSON("product"),
	}
}

func (r *productResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	resp.Diagnostics.Append(attribute.ValidateExtra(ctx, req.Config)...)
}

func (r *productResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	r.RefuseUnusableKey(req, resp)
	resp.Diagnostics.Append(r.noteTwin(ctx, req)...)
}

// noteTwin notes a new product, and warns if two blocks of this run create products with one code. A lost response is
// looked up by the code, so one block could adopt the other's product.
func (r *productResource) noteTwin(ctx context.Context, req resource.ModifyPlanRequest) diag.Diagnostics {
	if r.Deferred() || req.Plan.Raw.IsNull() || !req.State.Raw.IsNull() {
		return nil
	}
	var plan productModel
	diags := req.Plan.Get(ctx, &plan)
	if attribute.IsUnset(plan.Code) || diags.HasError() {
		return diags
	}
	code := plan.Code.ValueString()
	seen := r.NotePlanned(session.Planned{
		Role: session.Comes, Kind: kind.One, Name: fiscal.FoldPlace(code), Label: plan.Name.ValueString(),
	})
	if len(seen.Twins) > 0 {
		diags.AddAttributeWarning(path.Root("code"), "Two new products with one code: "+code, fmt.Sprintf(
			"Another block of this run, %q, has the same `code`. The provider finds a product by its code, "+
				"so it would mix up the two. Give each product its own code.", seen.Twins[0].Label))
	}
	return diags
}

// Create does not change a product that it adopts, whose entry in the list may be short: the next plan shows where it
// differs.
func (r *productResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan productModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(r.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	creation := r.creation(plan.request(), attribute.ExtraRequest(plan.ExtraJSON))
	product, isAdopted, diags := session.CreateNamed(ctx, r.Session, kind, creation, req.Plan.Schema)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	plan.ID = attribute.KeepID(plan.ID, product.ID)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(r.NoteWrite(ctx, resp.Private)...)
	if !isAdopted {
		resp.Diagnostics.Append(plan.FromAPI(product)...)
		resp.Diagnostics.Append(attribute.WarnOfUnkept(ctx, resp.State, plan)...)
	}
}

// creation says how to create a product, and how to recognize it by its code.
func (r *productResource) creation(
	wanted einvoice.Product, extra json.RawMessage,
) session.Creation[einvoice.Product] {
	hasCode := func(p *einvoice.Product) bool { return attribute.SameName(p.Code, wanted.Code) }
	return session.Creation[einvoice.Product]{
		What: "product " + session.DisplayName(wanted.Code, wanted.Name, ""),
		Send: func(ctx context.Context) (*einvoice.Product, error) {
			return r.Client.CreateProduct(ctx, wanted, extra)
		},
		Matches: hasCode,
		Unique:  true,
		Answers: func(p *einvoice.Product) bool { // The service may change the spelling of the code or of the name.
			return p.Code == "" || hasCode(p) || attribute.SameName(p.Name, wanted.Name)
		},
	}
}

// Read leaves the state as it is while the list may not show its last write yet, and if the service shows no products.
func (r *productResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state productModel
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

func (r *productResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state productModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	resp.Diagnostics.Append(r.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.NoteWrite(ctx, resp.Private)...)
	extra := attribute.ExtraRequest(plan.ExtraJSON)
	product, err := r.Client.UpdateProduct(ctx, state.ID.ValueString(), plan.request(), state.request(), extra)
	if err != nil {
		resp.Diagnostics.Append(message.APIError(ctx, "update product", err, req.Plan.Schema)...)
		return
	}
	plan.ID = state.ID
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(plan.FromAPI(product)...)
	resp.Diagnostics.Append(attribute.WarnOfUnkept(ctx, resp.State, plan)...)
}

func (r *productResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state productModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(r.Usable()...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(session.DeleteObject(ctx, r.Session, kind, state.ID, state.Name.ValueString())...)
	}
}

// ImportState takes an id, or code=... with the code of exactly one product.
func (r *productResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	id, diags := session.LookUpImportID(ctx, r.Session, kind, req.ID)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	req.ID = id
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}

// priceValidator warns of a negative price, which no invoice can have. The service may accept it.
type priceValidator struct{ attribute.Undescribed }

func (priceValidator) ValidateFloat64(
	_ context.Context, req validator.Float64Request, resp *validator.Float64Response,
) {
	if price := req.ConfigValue.ValueFloat64(); price < 0 {
		resp.Diagnostics.AddAttributeWarning(req.Path, "Negative price", fmt.Sprintf(
			"`%s` is %g. No invoice has a negative price, so a sale of this product would be rejected. "+
				"For a discount use `discount_amount` of an order.", req.Path, price))
	}
}
