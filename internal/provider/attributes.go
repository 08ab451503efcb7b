package provider

import (
	"maps"

	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// idAttribute is the identifier that the service gives an object.
func idAttribute(of string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: "Identifier of the " + of + " at the service (a UUID).",
		Computed:            true,
		PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// idIdentity is the identity of an object that its id alone finds again.
func idIdentity() identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "Identifier at the service (a UUID)."},
	}}
}

// textAttribute is an optional text with a length limit.
func textAttribute(description string, limit int, example string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: description,
		Optional:            true,
		Validators:          []validator.String{textValidator{max: limit, example: example}},
	}
}

// spelledAttribute is an optional text that may be written in several ways.
func spelledAttribute(description string, s *spelling, limit int, example string, more ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: description,
		CustomType:          spelledType{spelling: s},
		Optional:            true,
		Validators:          append([]validator.String{textValidator{max: limit, example: example, spelling: s}}, more...),
		PlanModifiers:       []planmodifier.String{keepSpelling{spelling: s}},
	}
}

func federalTaxNumberAttribute(description string) schema.StringAttribute {
	return spelledAttribute(description+" With or without punctuation; the CNPJ may be alphanumeric. Wrong check digits warn.",
		taxNumberSpelling, 14, "11.222.333/0001-81", taxNumberValidator{})
}

func stateTaxNumberAttribute(limit int) schema.StringAttribute {
	return spelledAttribute("State tax registration: digits, or `ISENTO`.", registrationSpelling, limit, "110042490114", stateTaxNumberValidator{})
}

func phoneAttribute(description string) schema.StringAttribute {
	return spelledAttribute(description+" With or without punctuation; at most 15 digits.", phoneSpelling, 15, "+55 11 91234-5678")
}

// required turns an optional attribute into a required one.
func required(a schema.StringAttribute) schema.StringAttribute {
	a.Optional, a.Required = false, true
	return a
}

// addressAttribute is the address of a customer or a company. more adds leaves
// that only one of them has.
func addressAttribute(more map[string]schema.Attribute) schema.SingleNestedAttribute {
	attributes := map[string]schema.Attribute{
		"street":                 textAttribute("Street.", 100, "Avenida Paulista"),
		"number":                 textAttribute("Number in the street.", 10, "1000"),
		"district":               textAttribute("District.", 100, "Bela Vista"),
		"postal_code":            spelledAttribute("Postal code (CEP), with or without punctuation.", postalCodeSpelling, 15, "01310-100"),
		"additional_information": textAttribute("Floor, room and the like.", 150, "Sala 12"),
		"city": schema.SingleNestedAttribute{
			MarkdownDescription: "City, by `code` or by `name` and `state`; the service resolves one from the other.",
			Optional:            true,
			Computed:            true,
			PlanModifiers:       []planmodifier.Object{resolvedObject{}},
			Validators:          []validator.Object{cityValidator{}},
			Attributes: map[string]schema.Attribute{
				"code": schema.StringAttribute{
					MarkdownDescription: "IBGE municipal code, 7 digits (preferred).",
					Optional:            true,
					Computed:            true,
					Validators:          []validator.String{textValidator{example: "3550308"}, cityCodeValidator{}},
				},
				"name": schema.StringAttribute{
					MarkdownDescription: "Name of the city, in any case, with or without accents.",
					CustomType:          spelledType{spelling: placeSpelling},
					Optional:            true,
					Computed:            true,
					Validators:          []validator.String{textValidator{example: "São Paulo"}},
				},
				"state": schema.StringAttribute{
					MarkdownDescription: "Two-letter code of the state, in any case.",
					CustomType:          spelledType{spelling: stateSpelling},
					Optional:            true,
					Computed:            true,
					Validators:          []validator.String{stateValidator{}},
				},
			},
		},
		"country": schema.SingleNestedAttribute{
			MarkdownDescription: "Country; Brazil has the code `1058`.",
			Optional:            true,
			Computed:            true,
			PlanModifiers:       []planmodifier.Object{resolvedObject{}},
			Attributes: map[string]schema.Attribute{
				"code": schema.Int64Attribute{MarkdownDescription: "Numeric code of the country, such as `1058`.", Optional: true, Computed: true},
				"name": schema.StringAttribute{
					MarkdownDescription: "Name of the country.",
					CustomType:          spelledType{spelling: placeSpelling},
					Optional:            true,
					Computed:            true,
					Validators:          []validator.String{textValidator{example: "Brasil"}},
				},
			},
		},
	}
	maps.Copy(attributes, more)
	return schema.SingleNestedAttribute{MarkdownDescription: "Address.", Optional: true, Attributes: attributes}
}

// cityNameAttribute is the free name of a city; the service fills it in from
// the city where there is one.
func cityNameAttribute() schema.StringAttribute {
	a := textAttribute("Name of a city abroad, for which there is no `city`. Otherwise the service fills it in.", 0, "Lisboa")
	a.Computed = true
	a.PlanModifiers = []planmodifier.String{followsCity{}}
	return a
}

// computedAddress is the address of a customer or a company in a data source.
func computedAddress(more map[string]dataschema.Attribute) dataschema.SingleNestedAttribute {
	text := func(description string) dataschema.StringAttribute {
		return dataschema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	attributes := map[string]dataschema.Attribute{
		"street":                 text("Street."),
		"number":                 text("Number in the street."),
		"district":               text("District."),
		"postal_code":            dataschema.StringAttribute{MarkdownDescription: "Postal code (CEP).", CustomType: spelledType{spelling: postalCodeSpelling}, Computed: true},
		"additional_information": text("Floor, room and the like."),
		"city": dataschema.SingleNestedAttribute{
			MarkdownDescription: "City.",
			Computed:            true,
			Attributes: map[string]dataschema.Attribute{
				"code":  text("IBGE municipal code, 7 digits."),
				"name":  dataschema.StringAttribute{MarkdownDescription: "Name of the city.", CustomType: spelledType{spelling: placeSpelling}, Computed: true},
				"state": dataschema.StringAttribute{MarkdownDescription: "Two-letter code of the state, lower case.", CustomType: spelledType{spelling: stateSpelling}, Computed: true},
			},
		},
		"country": dataschema.SingleNestedAttribute{
			MarkdownDescription: "Country.",
			Computed:            true,
			Attributes: map[string]dataschema.Attribute{
				"code": dataschema.Int64Attribute{MarkdownDescription: "Numeric code of the country, such as `1058`.", Computed: true},
				"name": dataschema.StringAttribute{MarkdownDescription: "Name of the country.", CustomType: spelledType{spelling: placeSpelling}, Computed: true},
			},
		},
	}
	maps.Copy(attributes, more)
	return dataschema.SingleNestedAttribute{MarkdownDescription: "Address.", Computed: true, Attributes: attributes}
}
