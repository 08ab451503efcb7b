package settings

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

func (r *companySettingsResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The settings of one company. A field is managed as long as it is configured. Everything else is left exactly as the service holds it: " +
			"its drift is silent, and a field that is taken out of the configuration keeps its value at the service. " +
			"Destroying this resource leaves the settings as they are.",
		Attributes: map[string]schema.Attribute{
			"id": attribute.ID("company"),
			"company_id": schema.StringAttribute{
				MarkdownDescription: "Identifier of the company. A company has one set of settings; manage it in one place.",
				Required:            true,
				Validators:          []validator.String{attribute.TextValidator{Example: "7c9e6679-7425-40de-944b-e07fc1f90ae7"}},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"general": settingsBlock("Settings of the company as a whole.", "", map[string]schema.Attribute{
				"allow_duplicate_federal_tax_numbers":     settingFlag("Whether several companies of the account may have the same tax number."),
				"allow_natural_person_company":            settingFlag("Whether a company may be a natural person (CPF)."),
				"allow_multiple_invoice_models_per_order": settingFlag("Whether one sale may be split into invoices of several models."),
				"decimal_precision":                       settingNumber("Number of decimal places of amounts.", 0),
				"tax_reform_fields_enabled":               settingFlag("Whether the fields of the tax reform (IBS and CBS) are used."),
				"technical_responsible": settingsObjectAttribute("Who is technically responsible for the issuing system (`infRespTec`).", map[string]schema.Attribute{
					"federal_tax_number": settingSpelled("CNPJ of the responsible company, with or without punctuation.", attribute.TaxNumberSpelling, 14, "11.222.333/0001-81", attribute.TaxNumberValidator{}),
					"contact_name":       settingText("Name of the person to contact.", "Maria Silva"),
					"email":              settingText("E-mail address of the contact.", "suporte@example.com"),
					"phone":              settingSpelled("Telephone of the contact, with or without punctuation.", attribute.PhoneSpelling, 15, "+55 11 91234-5678"),
				}),
			}),
			"product_invoice": settingsBlock("Issuing of product invoices (NF-e).", "", map[string]schema.Attribute{
				"series":             settingText("Series of the invoices.", "1"),
				"next_number":        settingFloor("Number of the next invoice."),
				"environment_type":   environmentTypeAttribute(),
				"danfe_print_layout": settingText("Layout of the printed document: "+attribute.WordList(einvoice.DanfePrintLayouts)+".", "default", attribute.EnumValidator{Words: einvoice.DanfePrintLayouts, Assumed: true}),
				"inbound": settingsObjectAttribute("Search for invoices issued against the company.", map[string]schema.Attribute{
					"enabled":    settingFlag("Whether the search is on."),
					"start_date": settingSpelled("Only invoices issued after this date and time (ISO 8601) are imported.", attribute.DateTimeSpelling, 0, "2026-01-01T00:00:00-03:00", attribute.DateTimeValidator{}),
				}),
			}),
			"consumer_invoice": settingsBlock("Issuing of consumer invoices (NFC-e).", cscSecret.field, map[string]schema.Attribute{
				"series":           settingText("Series of the invoices.", "1"),
				"next_number":      settingFloor("Number of the next invoice."),
				"environment_type": environmentTypeAttribute(),
				"token_id":         settingText("Identifier of the taxpayer's security code (CSC id).", "000001"),
				"csc": settingSecret("The taxpayer's security code (CSC). It is kept in state; `secrets.csc_wo` is not. " +
					"Null unless configured, and forgotten here when it is taken out of the configuration; the service keeps it."),
				"allow_offline_contingency": settingFlag("Whether invoices may be issued offline while the authority is unavailable. Needs `token_id` and a CSC."),
			}),
			"service_invoice": settingsBlock("Issuing of service invoices (NFS-e).", passwordSecret.field, map[string]schema.Attribute{
				"series":            settingText("Series of the RPS.", "1"),
				"next_number":       settingFloor("Number of the next RPS."),
				"next_batch_number": settingFloor("Number of the next batch."),
				"environment_type":  environmentTypeAttribute(),
				"issue_type": settingText("How the invoices are issued, such as `normal` (by the city) or `annfs` (by the national environment): "+
					attribute.WordList(einvoice.InvoiceIssueTypes)+".", "normal", attribute.EnumValidator{Words: einvoice.InvoiceIssueTypes}),
				"user_name": settingText("User name for the city's system.", "usuario"),
				"password": settingSecret("Password for the city's system. It is kept in state; `secrets.service_password_wo` is not. " +
					"Null unless configured, and forgotten here when it is taken out of the configuration; the service keeps it."),
				"auth_number":          settingText("Authorization number that the city has given.", "12345"),
				"send_city_tax_number": settingFlag("Whether the municipal registration is sent."),
			}),
			"secrets": schema.SingleNestedAttribute{
				MarkdownDescription: einvoice.SecretsDescription,
				Optional:            true,
				Attributes: map[string]schema.Attribute{
					"csc_wo":                      writeOnlySecret("The taxpayer's security code (CSC).", cscSecret),
					"csc_wo_version":              writeOnlyVersion("csc_wo"),
					"service_password_wo":         writeOnlySecret("Password for the city's system.", passwordSecret),
					"service_password_wo_version": writeOnlyVersion("service_password_wo"),
				},
			},
		},
	}
}

func settingsBlock(description, secret string, attributes map[string]schema.Attribute) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: description,
		Optional:            true,
		Computed:            true,
		PlanModifiers:       []planmodifier.Object{keepBlock{secret: secret}},
		Attributes:          attributes,
	}
}

func settingsObjectAttribute(description string, attributes map[string]schema.Attribute) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: description,
		Optional:            true,
		Computed:            true,
		PlanModifiers:       []planmodifier.Object{keepSetting{}},
		Attributes:          attributes,
	}
}

func settingText(description, example string, more ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: description,
		Optional:            true,
		Computed:            true,
		Validators:          append([]validator.String{attribute.TextValidator{Example: example}}, more...),
		PlanModifiers:       []planmodifier.String{keepSetting{}},
	}
}

func settingSpelled(description string, s *attribute.Spelling, limit int, example string, more ...validator.String) schema.StringAttribute {
	a := attribute.SpelledText(description, s, limit, example, more...)
	a.Computed = true
	a.PlanModifiers = append([]planmodifier.String{keepSetting{}}, a.PlanModifiers...)
	return a
}

func settingFlag(description string) schema.BoolAttribute {
	return schema.BoolAttribute{
		MarkdownDescription: description, Optional: true, Computed: true,
		PlanModifiers: []planmodifier.Bool{keepSetting{}},
	}
}

func settingNumber(description string, least int64) schema.Int64Attribute {
	return schema.Int64Attribute{
		MarkdownDescription: description, Optional: true, Computed: true,
		Validators:    []validator.Int64{attribute.WholeNumberValidator{Least: least}},
		PlanModifiers: []planmodifier.Int64{keepSetting{}},
	}
}

func settingFloor(description string) schema.Int64Attribute {
	a := settingNumber(description+" The service moves it with each one, so a configured value is a floor: a lower number at the service is raised to it, "+
		"a higher one stays and is no drift. After a creation the state shows the configured number until the next refresh.", 1)
	a.PlanModifiers = []planmodifier.Int64{floorSetting{}}
	return a
}

func environmentTypeAttribute() schema.StringAttribute {
	return settingText("Environment of the authority: "+attribute.WordList(einvoice.EnvironmentTypes)+". With `production` the invoices are legally valid, in a sandbox account too.",
		"development", attribute.EnumValidator{Words: einvoice.EnvironmentTypes})
}

func settingSecret(description string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: description, Optional: true, Sensitive: true,
		Validators: []validator.String{attribute.SecretValidator{}},
	}
}

func writeOnlySecret(description string, s secretField) schema.StringAttribute {
	version := message.LastStep(s.version)
	return schema.StringAttribute{
		MarkdownDescription: description + " It is sent when `" + version + "` changes, and when its block has to be written for another reason.",
		Optional:            true,
		Sensitive:           true,
		WriteOnly:           true,
		Validators: []validator.String{
			attribute.SecretValidator{},
			stringvalidator.AlsoRequires(path.MatchRoot("secrets").AtName(version)),
			stringvalidator.ConflictsWith(path.MatchRoot(message.LastStep(s.plain.ParentPath())).AtName(s.field)),
		},
	}
}

func writeOnlyVersion(of string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: "Any text; a change of it sends `" + of + "`.",
		Optional:            true,
		Validators:          []validator.String{attribute.TextValidator{Example: "1"}},
	}
}
