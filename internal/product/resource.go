// Package product is what is sold: a resource, data sources and a list resource.
package product

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/object"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// productResource is something that is sold. The service keeps its taxation with the company, and also creates products
// from orders. Its specification has only the deletion; fields and other operations are assumed. A PUT may replace the
// whole product: an update reads it first, and sends back what the configuration does not manage.
type productResource struct {
	object.Resource[einvoice.Product, productModel, *productModel]
}

var _ session.Managed = (*productResource)(nil)

// NewResource is einvoice_product.
func NewResource() resource.Resource {
	return &productResource{object.Resource[einvoice.Product, productModel, *productModel]{
		Kind: kind,
		Description: "An article or a service that you sell, for use in orders. You configure its taxation in the " +
			"back office of the service.",
		Attributes: attributes,
		Label:      func(m *productModel) string { return m.Name.ValueString() },
		Fill: func(m *productModel, _ context.Context, p *einvoice.Product) diag.Diagnostics {
			m.ID = attribute.KeepID(m.ID, p.ID)
			return nil
		},
		Creation: func(client *einvoice.Client, m *productModel) session.Creation[einvoice.Product] {
			return creation(client, m.request(), attribute.ExtraRequest(m.ExtraJSON))
		},
	}}
}

func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":   attribute.ID("product"),
		"name": attribute.Required(attribute.Text("Name of the product.", 0, "Pão francês")),
		"code": attribute.Required(attribute.SpelledText("Code of the product in your own books. "+
			"Keep it unique, because the provider finds the product by it.", codeSpelling, 0, "PAO-001")),
		"price": schema.Float64Attribute{
			MarkdownDescription: "Price of one unit, in reais.", Optional: true,
		},
		"invoice_model": attribute.TextWith("Kind of invoice for a sale: "+attribute.WordList(einvoice.Models)+".",
			attribute.EnumValidator{Words: einvoice.Models}),
		"extra_json": attribute.ExtraJSON("product"),
	}
}

// codeSpelling is for services that write codes in capitals, or without blanks around them.
var codeSpelling = attribute.NewSpelling("product code", func(code string) string {
	return strings.ToLower(strings.TrimSpace(code))
})

// creation says how to create a product, and how to recognize it by its code.
func creation(
	client *einvoice.Client, wanted einvoice.Product, extra json.RawMessage,
) session.Creation[einvoice.Product] {
	hasCode := func(p *einvoice.Product) bool { return attribute.SameName(p.Code, wanted.Code) }
	return session.Creation[einvoice.Product]{
		What: session.Named(kind.One, session.DisplayName(wanted.Code, wanted.Name, "")),
		Send: func(ctx context.Context) (*einvoice.Product, error) {
			return client.CreateProduct(ctx, wanted, extra)
		},
		Matches: hasCode,
		Unique:  true,
		Answers: func(p *einvoice.Product) bool { // The service may change the spelling of the code or of the name.
			return p.Code == "" || hasCode(p) || attribute.SameName(p.Name, wanted.Name)
		},
	}
}

func (r *productResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state productModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	resp.Diagnostics.Append(r.Usable(ctx)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.NoteWrite(ctx, resp.Private)...)
	extra := attribute.ExtraRequest(plan.ExtraJSON)
	product, err := r.Client.UpdateProduct(ctx, state.ID.ValueString(), plan.request(), state.request(), extra)
	if err != nil {
		resp.Diagnostics.Append(message.APIError(ctx, message.Task("update", "product"), err, req.Plan.Schema)...)
		return
	}
	plan.ID = state.ID
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(plan.FromAPI(product)...)
	resp.Diagnostics.Append(attribute.WarnOfUnkept(ctx, resp.State, plan)...)
}
