package product

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*productsDataSource)(nil)

// NewListDataSource is the data source einvoice_products.
func NewListDataSource() datasource.DataSource { return &productsDataSource{} }

// productsDataSource reads all products of the account.
type productsDataSource struct {
	session.DataSourceBase
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
	resp.Diagnostics.Append(session.ReadList(ctx, d.Session, "products", (*einvoice.Client).Products, productDataFromAPI, &resp.State)...)
}
