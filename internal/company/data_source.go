package company

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ datasource.DataSourceWithConfigure        = (*companyDataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*companyDataSource)(nil)
)

// NewDataSource is the data source einvoice_company.
func NewDataSource() datasource.DataSource { return &companyDataSource{} }

type companyDataSource struct {
	session.DataSourceBase
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
		MarkdownDescription: "CNPJ or CPF, with or without punctuation. Set this or `id`. All companies of the account are read for it.",
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
	spelled := func(description string, s *attribute.Spelling) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, CustomType: attribute.SpelledType{Spelling: s}, Computed: true}
	}
	return map[string]schema.Attribute{
		"id":                 attribute.ComputedText("Identifier of the company at the service (a UUID)."),
		"federal_tax_number": spelled("CNPJ or CPF.", attribute.TaxNumberSpelling),
		"name":               attribute.ComputedText("Name or trade name (nome fantasia)."),
		"legal_name":         attribute.ComputedText("Legal name (razão social)."),
		"state_tax_number":   spelled(attribute.StateTaxNumberDescription, attribute.RegistrationSpelling),
		"city_tax_number":    attribute.ComputedText(attribute.CityTaxNumberDescription),
		"email":              attribute.ComputedText("E-mail address."),
		"phone":              spelled("Telephone, without punctuation.", attribute.PhoneSpelling),
		"mobile_phone":       spelled("Mobile telephone, without punctuation.", attribute.PhoneSpelling),
		"tax_regime":         attribute.ComputedText("Tax regime (regime tributário), such as " + attribute.WordList(taxRegimes) + "."),
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
	var config companyRecord
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(d.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	var company *einvoice.Company
	var diags diag.Diagnostics
	if config.ID.IsNull() {
		company, diags = companyByTaxNumber(ctx, d.Client, "read company", config.FederalTaxNumber.ValueString())
	} else {
		var err error
		if company, err = d.Client.Company(ctx, config.ID.ValueString()); err != nil {
			diags = message.ReadError(ctx, "company", "id", config.ID.ValueString(), err)
		}
	}
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	config.read(company)
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}

// companyByTaxNumber walks all companies of the account: the service has no
// look-up by number. task reads "read company".
func companyByTaxNumber(ctx context.Context, client *einvoice.Client, task, number string) (*einvoice.Company, diag.Diagnostics) {
	found, err := einvoice.Matching(client.Companies(ctx), hasTaxNumber(number))
	if err != nil {
		return nil, message.APIError(ctx, task, err, nil)
	}
	if diags := message.ExactlyOne(found, func(c *einvoice.Company) einvoice.Text { return c.ID }, "company", "federal_tax_number", number); diags.HasError() {
		return nil, diags
	}
	return found[0], nil
}
