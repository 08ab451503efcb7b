package company

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
)

var (
	taxRegimes    = []string{"simplesNacional", "simplesNacionalExcessoSublimite", "simplesNacionalMEI", "regimeNormal"}
	activityTypes = []string{"main", "secondary"}
)

// assumedWord is an optional text of which only assumptions know the words.
func assumedWord(description string, words []string) schema.StringAttribute {
	a := attribute.Text(description, 0, words[0])
	a.Validators = append(a.Validators, attribute.EnumValidator{Words: words, Assumed: true})
	return a
}

func (r *companyResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A company of the account: an issuer of invoices, with an API key of its own. " +
			"If you replace or delete a company, its key stops working, and you can no longer reach what was created " +
			"with it. Needs the main company's key.",
		Attributes: attributes(),
	}
}

func attributes() map[string]schema.Attribute {
	kept := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	return map[string]schema.Attribute{
		"id":         attribute.ID("company"),
		"name":       attribute.Required(attribute.Text("Name or trade name (nome fantasia).", 80, "Padaria Central")),
		"legal_name": attribute.Required(attribute.Text("Legal name (razão social).", 80, "Padaria Central Ltda")),
		"federal_tax_number": attribute.Required(attribute.CompanyTaxNumber(
			"CNPJ or CPF of the company. An account has at most one company for each.")),
		"state_tax_number": attribute.StateTaxNumber(0),
		"city_tax_number":  attribute.Text(attribute.CityTaxNumberDescription, 0, "1234567"),
		"email":            attribute.Text("E-mail address.", 80, "fiscal@example.com"),
		"phone":            attribute.Phone("Telephone."),
		"mobile_phone":     attribute.WithAssumedLength(attribute.Phone("Mobile telephone.")),
		"tax_regime": assumedWord("Tax regime (regime tributário), such as "+attribute.WordList(taxRegimes)+
			". Another word gives a warning.", taxRegimes),
		"economic_activities": schema.ListNestedAttribute{
			MarkdownDescription: "Economic activities (CNAE).",
			Optional:            true,
			Validators:          []validator.List{listvalidator.SizeAtLeast(1)},
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"code": attribute.Required(attribute.Text("Code of the activity (CNAE).", 0, "1091102")),
				"type": attribute.Required(
					assumedWord("Whether it is the `main` activity or a `secondary` one.", activityTypes)),
			}},
		},
		"address": attribute.Address(nil),
		"deletion_protection": schema.BoolAttribute{
			MarkdownDescription: "Whether the company is protected from deletion, which is irreversible and ends its " +
				"API key. Defaults to `true`. To delete a company, set this to `false`, apply, and destroy. The " +
				"provider never deletes the company whose key it uses.",
			Optional: true,
			Computed: true,
			Default:  booldefault.StaticBool(true),
		},
		"api_key": schema.StringAttribute{
			MarkdownDescription: "The company's API key. The service shows it only in the answer that creates " +
				"the company. An empty string, never null, after an import. A key that is regenerated in the " +
				"back office does not change it, but gives a warning in every plan.",
			Computed:      true,
			Sensitive:     true,
			PlanModifiers: kept,
		},
		"api_key_masked": schema.StringAttribute{
			MarkdownDescription: "The API key as the service shows it now, with only its first characters visible.",
			Computed:            true,
			Sensitive:           true,
			PlanModifiers:       kept,
		},
		"extra_json": attribute.ExtraJSON("company"),
	}
}
