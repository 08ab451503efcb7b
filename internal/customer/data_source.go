package customer

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
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

// NewDataSource is the data source einvoice_customer.
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

func customerDataFromAPI(c *einvoice.Customer) customerDataModel {
	return customerDataModel{
		ID:               attribute.TextOrNull(c.ID),
		Name:             attribute.TextOrNull(c.Name),
		LegalName:        attribute.TextOrNull(c.LegalName),
		FederalTaxNumber: attribute.SpelledOrNull(attribute.TaxNumberSpelling, c.FederalTaxNumber),
		StateTaxNumber:   attribute.TextOrNull(c.StateTaxNumber),
		CityTaxNumber:    attribute.TextOrNull(c.CityTaxNumber),
		Email:            attribute.TextOrNull(c.Email),
		Phone:            attribute.TextOrNull(c.Phone),
		MobilePhone:      attribute.TextOrNull(c.MobilePhone),
		Address:          attribute.AddressFromAPI(c.Address, attribute.CustomerAddressTypes),
	}
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
		"name":             attribute.ComputedText("Name or trade name (nome fantasia)."),
		"legal_name":       attribute.ComputedText("Legal name (razão social)."),
		"state_tax_number": attribute.ComputedText(attribute.StateTaxNumberDescription),
		"city_tax_number":  attribute.ComputedText(attribute.CityTaxNumberDescription),
		"email":            attribute.ComputedText("E-mail address."),
		"phone":            attribute.ComputedText("Telephone, without punctuation."),
		"mobile_phone":     attribute.ComputedText("Mobile telephone, without punctuation."),
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
	customer, diags := d.find(ctx, &config)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	state := customerDataFromAPI(customer)
	if !config.FederalTaxNumber.IsNull() { // It stays as it was written.
		state.FederalTaxNumber = config.FederalTaxNumber
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

func (d *customerDataSource) find(ctx context.Context, config *customerDataModel) (*einvoice.Customer, diag.Diagnostics) {
	if id := config.ID.ValueString(); id != "" {
		customer, err := d.Client.Customer(ctx, id)
		if err != nil {
			return nil, message.ReadError(ctx, "customer", "id", id, err)
		}
		return customer, nil
	}
	return customerByTaxNumber(ctx, d.Client, "read customer", config.FederalTaxNumber.ValueString())
}

// customerByTaxNumber walks all customers of the account: the filters of the list
// are not specified. task reads "read customer".
func customerByTaxNumber(ctx context.Context, client *einvoice.Client, task, number string) (*einvoice.Customer, diag.Diagnostics) {
	found, err := einvoice.Matching(client.Customers(ctx), func(c *einvoice.Customer) bool {
		return attribute.TaxNumberSpelling.Same(string(c.FederalTaxNumber), number)
	})
	if err != nil {
		return nil, message.APIError(ctx, task, err, nil)
	}
	if diags := message.ExactlyOne(found, func(c *einvoice.Customer) einvoice.Text { return c.ID }, "customer", "federal_tax_number", number); diags.HasError() {
		return nil, diags
	}
	return found[0], nil
}
