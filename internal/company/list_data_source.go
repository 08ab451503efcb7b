package company

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*companiesDataSource)(nil)

func NewListDataSource() datasource.DataSource { return &companiesDataSource{} }

// companiesDataSource reads all companies of the account.
type companiesDataSource struct {
	session.DataSourceBase
}

type companiesDataModel struct {
	Companies []companyDataModel `tfsdk:"companies"`
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
	if resp.Diagnostics.Append(d.Usable()...); resp.Diagnostics.HasError() {
		return
	}
	found, err := einvoice.All(d.Client.Companies(ctx))
	if err != nil {
		resp.Diagnostics.Append(message.ApiError(ctx, "read companies", err, nil)...)
		return
	}
	state := companiesDataModel{Companies: make([]companyDataModel, 0, len(found))}
	for _, v := range found {
		var m companyDataModel
		m.fromAPI(v)
		state.Companies = append(state.Companies, m)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}
