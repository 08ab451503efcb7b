package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

var (
	taxRegimes    = []string{"simplesNacional", "simplesNacionalExcessoSublimite", "simplesNacionalMEI", "regimeNormal"}
	activityTypes = []string{"main", "secondary"}
)

func (r *companyResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	kept := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A company of the account: an issuer of invoices, with an API key of its own. Needs the main company's key. " +
			"Replacing or deleting a company abandons everything under its key.",
		Attributes: map[string]schema.Attribute{
			"id":                 idAttribute("company"),
			"name":               required(textAttribute("Name or trade name, at most 80 characters.", 80, "Padaria Central")),
			"legal_name":         required(textAttribute("Legal name, at most 80 characters.", 80, "Padaria Central Ltda")),
			"federal_tax_number": required(federalTaxNumberAttribute("CNPJ or CPF of the company; the account has one company for each.")),
			"state_tax_number":   stateTaxNumberAttribute(0),
			"city_tax_number":    textAttribute("Municipal registration.", 0, "1234567"),
			"email":              textAttribute("E-mail address, at most 80 characters.", 80, "fiscal@example.com"),
			"phone":              phoneAttribute("Telephone."),
			"mobile_phone":       phoneAttribute("Mobile telephone."),
			"tax_regime": schema.StringAttribute{
				MarkdownDescription: "Tax regime, such as " + wordList(taxRegimes) + ". Another word warns.",
				Optional:            true,
				Validators:          []validator.String{textValidator{example: taxRegimes[0]}, enumValidator{words: taxRegimes, assumed: true}},
			},
			"economic_activities": schema.ListNestedAttribute{
				MarkdownDescription: "Economic activities (CNAE).",
				Optional:            true,
				Validators:          []validator.List{entriesValidator{example: "{ code = \"1091102\", type = \"main\" }"}},
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"code": required(textAttribute("Code of the activity (CNAE).", 0, "1091102")),
					"type": schema.StringAttribute{
						MarkdownDescription: "Whether it is the `main` activity or a `secondary` one.",
						Required:            true,
						Validators:          []validator.String{textValidator{example: activityTypes[0]}, enumValidator{words: activityTypes, assumed: true}},
					},
				}},
			},
			"address": addressAttribute(nil),
			"deletion_protection": schema.BoolAttribute{
				MarkdownDescription: "Whether the company is kept from being deleted, which is irreversible and ends its API key. Defaults to `true`. " +
					"To delete a company, set this to `false`, apply, and then destroy. The company whose key the provider works with is never deleted.",
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(true),
			},
			"api_key": schema.StringAttribute{
				MarkdownDescription: "The company's API key, from the answer that created it; the service shows it only then. An empty string, never null, after an import. " +
					"A key that is regenerated in the back office does not change it, but warns in every plan.",
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
			"extra_json": extraJSONAttribute("company"),
		},
	}
}
