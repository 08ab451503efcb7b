package company

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*companiesDataSource)(nil)

// NewListDataSource is the data source einvoice_companies.
func NewListDataSource() datasource.DataSource { return &companiesDataSource{} }

// companiesDataSource reads all companies of the account.
type companiesDataSource struct {
	session.DataSourceBase
}

func (d *companiesDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_companies"
}

func (d *companiesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "All companies of the account; all pages are read. Needs the main company's key.",
		Attributes: map[string]schema.Attribute{
			"companies": schema.ListNestedAttribute{
				MarkdownDescription: "The companies, in the order of the service.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: companyDataAttributes()},
			},
		},
	}
}

func (d *companiesDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.Diagnostics.Append(session.ReadList(ctx, d.Session, "companies", (*einvoice.Client).Companies, func(c *einvoice.Company) companyRecord {
		var shown companyRecord
		shown.read(c)
		return shown
	}, &resp.State)...)
}
