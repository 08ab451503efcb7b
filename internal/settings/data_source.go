package settings

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*companySettingsDataSource)(nil)

func NewDataSource() datasource.DataSource { return &companySettingsDataSource{} }

// companySettingsDataSource reads the live settings of a company, numbers
// included. It shows no secrets: whether the service gives them at all is not
// specified, and a data source would put them into every state that reads it.
type companySettingsDataSource struct {
	session.DataSourceBase
}

type companySettingsDataModel struct {
	ID              types.String `tfsdk:"id"`
	CompanyID       types.String `tfsdk:"company_id"`
	General         types.Object `tfsdk:"general"`
	ProductInvoice  types.Object `tfsdk:"product_invoice"`
	ConsumerInvoice types.Object `tfsdk:"consumer_invoice"`
	ServiceInvoice  types.Object `tfsdk:"service_invoice"`
}

func (d *companySettingsDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_company_settings"
}

func (d *companySettingsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	flag := func(description string) schema.BoolAttribute {
		return schema.BoolAttribute{MarkdownDescription: description, Computed: true}
	}
	number := func(description string) schema.Int64Attribute {
		return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
	}
	spelledText := func(description string, s *attribute.Spelling) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, CustomType: attribute.SpelledType{Spelling: s}, Computed: true}
	}
	object := func(description string, attributes map[string]schema.Attribute) schema.SingleNestedAttribute {
		return schema.SingleNestedAttribute{MarkdownDescription: description, Computed: true, Attributes: attributes}
	}
	environment := text("Environment of the authority: " + attribute.WordList(einvoice.EnvironmentTypes) + ".")
	resp.Schema = schema.Schema{
		MarkdownDescription: "The settings of one company as the service holds them now, with the live numbers. Secrets are not shown.",
		Attributes: map[string]schema.Attribute{
			"id": text("Identifier of the company."),
			"company_id": schema.StringAttribute{
				MarkdownDescription: "Identifier of the company.",
				Required:            true,
				Validators:          []validator.String{attribute.TextValidator{Example: "7c9e6679-7425-40de-944b-e07fc1f90ae7"}},
			},
			"general": object("Settings of the company as a whole.", map[string]schema.Attribute{
				"allow_duplicate_federal_tax_numbers":     flag("Whether several companies of the account may have the same tax number."),
				"allow_natural_person_company":            flag("Whether a company may be a natural person (CPF)."),
				"allow_multiple_invoice_models_per_order": flag("Whether one sale may be split into invoices of several models."),
				"decimal_precision":                       number("Number of decimal places of amounts."),
				"tax_reform_fields_enabled":               flag("Whether the fields of the tax reform (IBS and CBS) are used."),
				"technical_responsible": object("Who is technically responsible for the issuing system (`infRespTec`).", map[string]schema.Attribute{
					"federal_tax_number": spelledText("CNPJ of the responsible company.", attribute.TaxNumberSpelling),
					"contact_name":       text("Name of the person to contact."),
					"email":              text("E-mail address of the contact."),
					"phone":              spelledText("Telephone of the contact.", attribute.PhoneSpelling),
				}),
			}),
			"product_invoice": object("Issuing of product invoices (NF-e).", map[string]schema.Attribute{
				"series":             text("Series of the invoices."),
				"next_number":        number("Number of the next invoice."),
				"environment_type":   environment,
				"danfe_print_layout": text("Layout of the printed document."),
				"inbound": object("Search for invoices issued against the company.", map[string]schema.Attribute{
					"enabled":    flag("Whether the search is on."),
					"start_date": spelledText("Only invoices issued after this date and time are imported.", attribute.DateTimeSpelling),
				}),
			}),
			"consumer_invoice": object("Issuing of consumer invoices (NFC-e).", map[string]schema.Attribute{
				"series":                    text("Series of the invoices."),
				"next_number":               number("Number of the next invoice."),
				"environment_type":          environment,
				"token_id":                  text("Identifier of the taxpayer's security code (CSC id)."),
				"allow_offline_contingency": flag("Whether invoices may be issued offline while the authority is unavailable."),
			}),
			"service_invoice": object("Issuing of service invoices (NFS-e).", map[string]schema.Attribute{
				"series":               text("Series of the RPS."),
				"next_number":          number("Number of the next RPS."),
				"next_batch_number":    number("Number of the next batch."),
				"environment_type":     environment,
				"issue_type":           text("How the invoices are issued: " + attribute.WordList(einvoice.InvoiceIssueTypes) + "."),
				"user_name":            text("User name for the city's system."),
				"auth_number":          text("Authorization number that the city has given."),
				"send_city_tax_number": flag("Whether the municipal registration is sent."),
			}),
		},
	}
}

func (d *companySettingsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config companySettingsDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(d.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	settings, err := d.Client.CompanySettings(ctx, config.CompanyID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(settingsReadError(ctx, config.CompanyID.ValueString(), err)...)
		return
	}
	var held companySettingsModel
	resp.Diagnostics.Append(held.fromAPI(ctx, settings, companySettingsModel{})...)
	if resp.Diagnostics.HasError() {
		return
	}
	config.ID = config.CompanyID
	config.General, config.ProductInvoice = held.General, held.ProductInvoice
	config.ConsumerInvoice = withoutLeaf(ctx, held.ConsumerInvoice, cscSecret.field)
	config.ServiceInvoice = withoutLeaf(ctx, held.ServiceInvoice, passwordSecret.field)
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}

// withoutLeaf returns object without one of its attributes.
func withoutLeaf(ctx context.Context, object types.Object, name string) types.Object {
	attrTypes := map[string]attr.Type{}
	for other, t := range object.AttributeTypes(ctx) {
		if other != name {
			attrTypes[other] = t
		}
	}
	if attribute.IsUnset(object) {
		return types.ObjectNull(attrTypes)
	}
	values := object.Attributes()
	delete(values, name)
	return types.ObjectValueMust(attrTypes, values)
}

// settingsReadError says "company" only where it is the company that is missing.
func settingsReadError(ctx context.Context, companyID string, err error) diag.Diagnostics {
	if errors.Is(err, einvoice.ErrNotFound) {
		return message.ReadError(ctx, "company", "company_id", companyID, err)
	}
	return message.ApiError(ctx, "read company settings", err, nil)
}
