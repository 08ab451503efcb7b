package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

var (
	_ datasource.DataSourceWithConfigure        = (*customerDataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*customerDataSource)(nil)
)

func newCustomerDataSource() datasource.DataSource { return &customerDataSource{} }

type customerDataSource struct {
	dataSourceBase
}

type customerDataModel struct {
	ID               types.String `tfsdk:"id"`
	Name             types.String `tfsdk:"name"`
	LegalName        types.String `tfsdk:"legal_name"`
	FederalTaxNumber spelled      `tfsdk:"federal_tax_number"`
	StateTaxNumber   types.String `tfsdk:"state_tax_number"`
	CityTaxNumber    types.String `tfsdk:"city_tax_number"`
	Email            types.String `tfsdk:"email"`
	Phone            types.String `tfsdk:"phone"`
	MobilePhone      types.String `tfsdk:"mobile_phone"`
	Address          types.Object `tfsdk:"address"`
}

func (m *customerDataModel) fromAPI(c *einvoice.Customer) {
	m.ID = textOrNull(c.ID)
	m.Name = textOrNull(c.Name)
	m.LegalName = textOrNull(c.LegalName)
	if isUnset(m.FederalTaxNumber) { // What was asked for stays as it was written.
		m.FederalTaxNumber = spelledOrNull(taxNumberSpelling, c.FederalTaxNumber)
	}
	m.StateTaxNumber = textOrNull(c.StateTaxNumber)
	m.CityTaxNumber = textOrNull(c.CityTaxNumber)
	m.Email = textOrNull(c.Email)
	m.Phone = textOrNull(c.Phone)
	m.MobilePhone = textOrNull(c.MobilePhone)
	m.Address = addressFromAPI(c.Address, customerAddressTypes)
}

func (d *customerDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_customer"
}

func (d *customerDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := customerDataAttributes()
	attributes["id"] = schema.StringAttribute{
		MarkdownDescription: "Identifier of the customer. Set this or `federal_tax_number`.",
		Optional:            true,
		Computed:            true,
		Validators:          []validator.String{textValidator{example: "7c9e6679-7425-40de-944b-e07fc1f90ae7"}},
	}
	attributes["federal_tax_number"] = schema.StringAttribute{
		MarkdownDescription: "CPF, CNPJ or foreign document, with or without punctuation. Set this or `id`.",
		CustomType:          spelledType{spelling: taxNumberSpelling},
		Optional:            true,
		Computed:            true,
		Validators:          []validator.String{textValidator{max: 14, example: "11.222.333/0001-81", spelling: taxNumberSpelling}},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "One customer, by `id` or by `federal_tax_number`.",
		Attributes:          attributes,
	}
}

// customerDataAttributes describes a customer as it is read.
func customerDataAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": computedText("Identifier of the customer at the service (a UUID)."),
		"federal_tax_number": schema.StringAttribute{
			MarkdownDescription: "CPF, CNPJ or foreign document.", CustomType: spelledType{spelling: taxNumberSpelling}, Computed: true,
		},
		"name":             computedText("Name or trade name."),
		"legal_name":       computedText("Legal name."),
		"state_tax_number": computedText("State tax registration: digits, or `ISENTO`."),
		"city_tax_number":  computedText("Municipal registration."),
		"email":            computedText("E-mail address."),
		"phone":            computedText("Telephone, digits."),
		"mobile_phone":     computedText("Mobile telephone, digits."),
		"address":          computedAddress(map[string]schema.Attribute{"city_name": computedText("Name of a city abroad.")}),
	}
}

func (d *customerDataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{
		datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("federal_tax_number")),
	}
}

func (d *customerDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config customerDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(d.usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !config.ID.IsNull() {
		customer, err := d.client.Customer(ctx, config.ID.ValueString())
		if err != nil {
			resp.Diagnostics.Append(readError(ctx, "customer", "id", config.ID.ValueString(), err)...)
			return
		}
		config.fromAPI(customer)
		resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
		return
	}
	wanted := config.FederalTaxNumber
	found, err := matching(d.client.Customers(ctx), func(c *einvoice.Customer) bool {
		return taxNumberSpelling.same(string(c.FederalTaxNumber), wanted.ValueString())
	})
	if err != nil {
		resp.Diagnostics.Append(apiError(ctx, "read customer", err, nil)...)
		return
	}
	if resp.Diagnostics.Append(exactlyOne(len(found), "customer", "federal_tax_number", wanted.ValueString())...); resp.Diagnostics.HasError() {
		return
	}
	config.fromAPI(found[0])
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}
