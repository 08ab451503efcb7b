package company

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ datasource.DataSourceWithConfigure        = (*companyDataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*companyDataSource)(nil)
)

func NewDataSource() datasource.DataSource { return &companyDataSource{} }

type companyDataSource struct {
	session.DataSourceBase
}

type companyDataModel struct {
	ID                 types.String      `tfsdk:"id"`
	Name               types.String      `tfsdk:"name"`
	LegalName          types.String      `tfsdk:"legal_name"`
	FederalTaxNumber   attribute.Spelled `tfsdk:"federal_tax_number"`
	StateTaxNumber     types.String      `tfsdk:"state_tax_number"`
	CityTaxNumber      types.String      `tfsdk:"city_tax_number"`
	Email              types.String      `tfsdk:"email"`
	Phone              types.String      `tfsdk:"phone"`
	MobilePhone        types.String      `tfsdk:"mobile_phone"`
	TaxRegime          types.String      `tfsdk:"tax_regime"`
	EconomicActivities types.List        `tfsdk:"economic_activities"`
	Address            types.Object      `tfsdk:"address"`
	APIKeyMasked       types.String      `tfsdk:"api_key_masked"`
}

func (m *companyDataModel) fromAPI(c *einvoice.Company) {
	m.ID = attribute.TextOrNull(c.ID)
	m.Name = attribute.TextOrNull(c.Name)
	m.LegalName = attribute.TextOrNull(c.LegalName)
	if attribute.IsUnset(m.FederalTaxNumber) { // What was asked for stays as it was written.
		m.FederalTaxNumber = attribute.SpelledOrNull(attribute.TaxNumberSpelling, c.FederalTaxNumber)
	}
	m.StateTaxNumber = attribute.TextOrNull(c.StateTaxNumber)
	m.CityTaxNumber = attribute.TextOrNull(c.CityTaxNumber)
	m.Email = attribute.TextOrNull(c.Email)
	m.Phone = attribute.TextOrNull(c.Phone)
	m.MobilePhone = attribute.TextOrNull(c.MobilePhone)
	m.TaxRegime = attribute.TextOrNull(c.TaxRegime)
	m.EconomicActivities = activitiesFromAPI(c.EconomicActivities)
	m.Address = attribute.AddressFromAPI(c.Address, attribute.AddressTypes)
	m.APIKeyMasked = maskedKey(c.APIKey)
}

func (d *companyDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_company"
}

func (d *companyDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := companyDataAttributes()
	attributes["id"] = schema.StringAttribute{
		MarkdownDescription: "Identifier of the company. Set this or `federal_tax_number`.",
		Optional:            true,
		Computed:            true,
		Validators:          []validator.String{attribute.TextValidator{Example: "7c9e6679-7425-40de-944b-e07fc1f90ae7"}},
	}
	attributes["federal_tax_number"] = schema.StringAttribute{
		MarkdownDescription: "CNPJ or CPF, with or without punctuation. Set this or `id`. All pages of the account's companies are walked.",
		CustomType:          attribute.SpelledType{Spelling: attribute.TaxNumberSpelling},
		Optional:            true,
		Computed:            true,
		Validators:          []validator.String{attribute.TextValidator{Max: 14, Example: "11.222.333/0001-81", Spelling: attribute.TaxNumberSpelling}},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "One company of the account, by `id` or by `federal_tax_number`. Needs the main company's key.",
		Attributes:          attributes,
	}
}

// companyDataAttributes describes a company as it is read.
func companyDataAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": attribute.ComputedText("Identifier of the company at the service (a UUID)."),
		"federal_tax_number": schema.StringAttribute{
			MarkdownDescription: "CNPJ or CPF.", CustomType: attribute.SpelledType{Spelling: attribute.TaxNumberSpelling}, Computed: true,
		},
		"name":             attribute.ComputedText("Name or trade name."),
		"legal_name":       attribute.ComputedText("Legal name."),
		"state_tax_number": attribute.ComputedText("State tax registration: digits, or `ISENTO`."),
		"city_tax_number":  attribute.ComputedText("Municipal registration."),
		"email":            attribute.ComputedText("E-mail address."),
		"phone":            attribute.ComputedText("Telephone, digits."),
		"mobile_phone":     attribute.ComputedText("Mobile telephone, digits."),
		"tax_regime":       attribute.ComputedText("Tax regime, such as " + attribute.WordList(taxRegimes) + "."),
		"economic_activities": schema.ListNestedAttribute{
			MarkdownDescription: "Economic activities (CNAE).",
			Computed:            true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"code": attribute.ComputedText("Code of the activity (CNAE)."),
				"type": attribute.ComputedText("Whether it is the `main` activity or a `secondary` one."),
			}},
		},
		"address": attribute.ComputedAddress(nil),
		"api_key_masked": schema.StringAttribute{
			MarkdownDescription: "The API key as the service shows it, with only its first characters visible.",
			Computed:            true,
			Sensitive:           true,
		},
	}
}

func (d *companyDataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{
		datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("federal_tax_number")),
	}
}

func (d *companyDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config companyDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(d.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !config.ID.IsNull() {
		company, err := d.Client.Company(ctx, config.ID.ValueString())
		if err != nil {
			resp.Diagnostics.Append(message.ReadError(ctx, "company", "id", config.ID.ValueString(), err)...)
			return
		}
		config.fromAPI(company)
		resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
		return
	}
	wanted := config.FederalTaxNumber.ValueString()
	found, err := einvoice.Matching(d.Client.Companies(ctx), hasTaxNumber(wanted))
	if err != nil {
		resp.Diagnostics.Append(message.ApiError(ctx, "read company", err, nil)...)
		return
	}
	if resp.Diagnostics.Append(message.ExactlyOne(len(found), "company", "federal_tax_number", wanted)...); resp.Diagnostics.HasError() {
		return
	}
	config.fromAPI(found[0])
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}
