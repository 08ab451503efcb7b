package customer

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*customersDataSource)(nil)

// NewListDataSource is the data source einvoice_customers.
func NewListDataSource() datasource.DataSource { return &customersDataSource{} }

// customersDataSource reads all customers of the account.
type customersDataSource struct {
	session.DataSourceBase
}

func (d *customersDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_customers"
}

func (d *customersDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "All customers of the account, those that orders have made included; all pages are read.",
		Attributes: map[string]schema.Attribute{
			"customers": schema.ListNestedAttribute{
				MarkdownDescription: "The customers, in the order of the service.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: customerDataAttributes()},
			},
		},
	}
}

func (d *customersDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.Diagnostics.Append(session.ReadList(ctx, d.Session, "customers", (*einvoice.Client).Customers, customerDataFromAPI, &resp.State)...)
}
