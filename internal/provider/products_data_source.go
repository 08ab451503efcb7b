package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
)

var _ datasource.DataSourceWithConfigure = (*productsDataSource)(nil)

func newProductsDataSource() datasource.DataSource { return &productsDataSource{} }

// productsDataSource reads all products of the account.
type productsDataSource struct {
	dataSourceBase
}

type productsDataModel struct {
	Products []productDataModel `tfsdk:"products"`
}

func (d *productsDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_products"
}

func (d *productsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "All products of the account, those that orders have made included; all pages are read.",
		Attributes: map[string]schema.Attribute{
			"products": schema.ListNestedAttribute{
				MarkdownDescription: "The products, in the order of the service.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: productDataAttributes()},
			},
		},
	}
}

func (d *productsDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	if resp.Diagnostics.Append(d.usable()...); resp.Diagnostics.HasError() {
		return
	}
	found, err := all(d.client.Products(ctx))
	if err != nil {
		resp.Diagnostics.Append(apiError(ctx, "read products", err, nil)...)
		return
	}
	state := productsDataModel{Products: make([]productDataModel, 0, len(found))}
	for _, v := range found {
		var m productDataModel
		m.fromAPI(v)
		state.Products = append(state.Products, m)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}
