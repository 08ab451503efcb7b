package product

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ datasource.DataSourceWithConfigure        = (*productDataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*productDataSource)(nil)
)

// NewDataSource is the data source einvoice_product.
func NewDataSource() datasource.DataSource { return &productDataSource{} }

type productDataSource struct {
	session.DataSourceBase
}

type productDataModel struct {
	ID           types.String  `tfsdk:"id"`
	Name         types.String  `tfsdk:"name"`
	Code         types.String  `tfsdk:"code"`
	Price        types.Float64 `tfsdk:"price"`
	InvoiceModel types.String  `tfsdk:"invoice_model"`
}

func productDataFromAPI(p *einvoice.Product) productDataModel {
	return productDataModel{
		ID:           attribute.TextOrNull(p.ID),
		Name:         attribute.TextOrNull(p.Name),
		Code:         attribute.TextOrNull(p.Code),
		Price:        attribute.NumberOrNull(p.Price),
		InvoiceModel: attribute.TextOrNull(p.InvoiceModel),
	}
}

func (d *productDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_product"
}

func (d *productDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := productDataAttributes()
	attributes["id"] = schema.StringAttribute{
		MarkdownDescription: "Identifier of the product. Set this or `code`.",
		Optional:            true,
		Computed:            true,
		Validators:          []validator.String{attribute.TextValidator{Example: "7c9e6679-7425-40de-944b-e07fc1f90ae7"}},
	}
	attributes["code"] = schema.StringAttribute{
		MarkdownDescription: "Code of the product in your own books. Set this or `id`. Several products with the code are an error.",
		Optional:            true,
		Computed:            true,
		Validators:          []validator.String{attribute.TextValidator{Example: "PAO-001"}},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "One product, by `id` or by `code`.",
		Attributes:          attributes,
	}
}

// productDataAttributes describes a product as it is read.
func productDataAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":            attribute.ComputedText("Identifier of the product at the service (a UUID)."),
		"code":          attribute.ComputedText("Code of the product in your own books."),
		"name":          attribute.ComputedText("Name of the product."),
		"price":         schema.Float64Attribute{MarkdownDescription: "Price of one unit, in reais.", Computed: true},
		"invoice_model": attribute.ComputedText("Kind of invoice that a sale of the product asks for, such as `productInvoice`."),
	}
}

func (d *productDataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{
		datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("code")),
	}
}

func (d *productDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config productDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(d.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	product, diags := d.find(ctx, &config)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, productDataFromAPI(product))...)
}

func (d *productDataSource) find(ctx context.Context, config *productDataModel) (*einvoice.Product, diag.Diagnostics) {
	if id := config.ID.ValueString(); id != "" {
		product, err := d.Client.Product(ctx, id)
		if err != nil {
			return nil, message.ReadError(ctx, "product", "id", id, err)
		}
		return product, nil
	}
	return productByCode(ctx, d.Client, "read product", config.Code.ValueString())
}

// productByCode walks all products of the account: the filters of the list are not
// specified. task reads "read product".
func productByCode(ctx context.Context, client *einvoice.Client, task, code string) (*einvoice.Product, diag.Diagnostics) {
	found, err := einvoice.Matching(client.Products(ctx), func(p *einvoice.Product) bool { return string(p.Code) == code })
	if err != nil {
		return nil, message.APIError(ctx, task, err, nil)
	}
	if diags := message.ExactlyOne(found, func(p *einvoice.Product) einvoice.Text { return p.ID }, "product", "code", code); diags.HasError() {
		return nil, diags
	}
	return found[0], nil
}
