package customer

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
	_ datasource.DataSourceWithConfigure        = (*customerDataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*customerDataSource)(nil)
)

func NewDataSource() datasource.DataSource { return &customerDataSource{} }

type customerDataSource struct {
	session.DataSourceBase
}

type customerDataModel struct {
	ID               types.String      `tfsdk:"id"`
	Name             types.String      `tfsdk:"name"`
	LegalName        types.String      `tfsdk:"legal_name"`
	FederalTaxNumber attribute.Spelled `tfsdk:"federal_tax_number"`
	StateTaxNumber   types.String      `tfsdk:"state_tax_number"`
	CityTaxNumber    types.String      `tfsdk:"city_tax_number"`
	Email            types.String      `tfsdk:"email"`
	Phone            types.String      `tfsdk:"phone"`
	MobilePhone      types.String      `tfsdk:"mobile_phone"`
	Address          types.Object      `tfsdk:"address"`
}

func (m *customerDataModel) fromAPI(c *einvoice.Customer) {
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
	m.Address = attribute.AddressFromAPI(c.Address, attribute.CustomerAddressTypes)
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
		Validators:          []validator.String{attribute.TextValidator{Example: "7c9e6679-7425-40de-944b-e07fc1f90ae7"}},
	}
	attributes["federal_tax_number"] = schema.StringAttribute{
		MarkdownDescription: "CPF, CNPJ or foreign document, with or without punctuation. Set this or `id`.",
		CustomType:          attribute.SpelledType{Spelling: attribute.TaxNumberSpelling},
		Optional:            true,
		Computed:            true,
		Validators:          []validator.String{attribute.TextValidator{Max: 14, Example: "11.222.333/0001-81", Spelling: attribute.TaxNumberSpelling}},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "One customer, by `id` or by `federal_tax_number`.",
		Attributes:          attributes,
	}
}

// customerDataAttributes describes a customer as it is read.
func customerDataAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": attribute.ComputedText("Identifier of the customer at the service (a UUID)."),
		"federal_tax_number": schema.StringAttribute{
			MarkdownDescription: "CPF, CNPJ or foreign document.", CustomType: attribute.SpelledType{Spelling: attribute.TaxNumberSpelling}, Computed: true,
		},
		"name":             attribute.ComputedText("Name or trade name."),
		"legal_name":       attribute.ComputedText("Legal name."),
		"state_tax_number": attribute.ComputedText("State tax registration: digits, or `ISENTO`."),
		"city_tax_number":  attribute.ComputedText("Municipal registration."),
		"email":            attribute.ComputedText("E-mail address."),
		"phone":            attribute.ComputedText("Telephone, digits."),
		"mobile_phone":     attribute.ComputedText("Mobile telephone, digits."),
		"address":          attribute.ComputedAddress(map[string]schema.Attribute{"city_name": attribute.ComputedText("Name of a city abroad.")}),
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
	resp.Diagnostics.Append(d.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !config.ID.IsNull() {
		customer, err := d.Client.Customer(ctx, config.ID.ValueString())
		if err != nil {
			resp.Diagnostics.Append(message.ReadError(ctx, "customer", "id", config.ID.ValueString(), err)...)
			return
		}
		config.fromAPI(customer)
		resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
		return
	}
	wanted := config.FederalTaxNumber
	found, err := einvoice.Matching(d.Client.Customers(ctx), func(c *einvoice.Customer) bool {
		return attribute.TaxNumberSpelling.Same(string(c.FederalTaxNumber), wanted.ValueString())
	})
	if err != nil {
		resp.Diagnostics.Append(message.ApiError(ctx, "read customer", err, nil)...)
		return
	}
	if resp.Diagnostics.Append(message.ExactlyOne(len(found), "customer", "federal_tax_number", wanted.ValueString())...); resp.Diagnostics.HasError() {
		return
	}
	config.fromAPI(found[0])
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}
