package webhook

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*webhooksDataSource)(nil)

// NewListDataSource is the data source einvoice_webhooks.
func NewListDataSource() datasource.DataSource { return &webhooksDataSource{} }

// webhooksDataSource reads all webhooks of the account. Their URLs may hold secrets: no
// diagnostic shows one.
type webhooksDataSource struct {
	session.DataSourceBase
}

func (d *webhooksDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_webhooks"
}

func (d *webhooksDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "All webhooks of the account; all pages are read. Needs the main company's key.",
		Attributes: map[string]schema.Attribute{
			"webhooks": schema.ListNestedAttribute{
				MarkdownDescription: "The webhooks, in the order of the service.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: webhookDataAttributes()},
			},
		},
	}
}

func (d *webhooksDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	diags := session.ReadList(ctx, d.Session, "webhooks", (*einvoice.Client).Webhooks, webhookDataFromAPI, &resp.State)
	resp.Diagnostics.Append(withoutURLSecrets(diags)...)
}
