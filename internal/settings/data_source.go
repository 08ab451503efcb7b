package settings

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*dataSource)(nil)

// NewDataSource is the data source einvoice_company_settings.
func NewDataSource() datasource.DataSource { return &dataSource{} }

// dataSource reads the settings of a company, but no secrets: they would be in every state
// that reads them.
type dataSource struct {
	session.DataSourceBase
}

type settingsDataModel struct {
	blocksModel

	ID        types.String `tfsdk:"id"`
	CompanyID types.String `tfsdk:"company_id"`
}

func (d *dataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_company_settings"
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := attribute.Computed(resourceAttributes(withoutSecrets(blocks)))
	attributes["id"] = attribute.ComputedText("Identifier of the company.")
	attributes["company_id"] = schema.StringAttribute{
		MarkdownDescription: "Identifier of the company.",
		Required:            true,
		Validators:          []validator.String{attribute.TextValidator{}},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The settings of one company as the service holds them now. Secrets are not shown.",
		Attributes:          attributes,
	}
}

func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config settingsDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(d.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	settings, err := d.Client.CompanySettings(ctx, config.CompanyID.ValueString())
	if errors.Is(err, einvoice.ErrNotFound) {
		resp.Diagnostics.Append(message.CompanyNotFound(config.CompanyID.ValueString(), err)...)
		return
	}
	if err != nil {
		resp.Diagnostics.Append(message.APIError(ctx, "read company settings", err, nil)...)
		return
	}
	config.ID = config.CompanyID
	if resp.Diagnostics.Append(config.read(settings, withoutSecrets(blocks))...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
	}
}
