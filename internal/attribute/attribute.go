package attribute

import (
	"maps"

	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// ID is the identifier that the service gives an object.
func ID(of string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: "Identifier of the " + of + " at the service (a UUID).",
		Computed:            true,
		PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// IdIdentity is the identity of an object that its id alone finds again.
func IdIdentity() identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "Identifier at the service (a UUID)."},
	}}
}

// Text is an optional text with a length limit.
func Text(description string, limit int, example string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: description,
		Optional:            true,
		Validators:          []validator.String{TextValidator{Max: limit, Example: example}},
	}
}

// SpelledText is an optional text that may be written in several ways.
func SpelledText(description string, s *Spelling, limit int, example string, more ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: description,
		CustomType:          SpelledType{Spelling: s},
		Optional:            true,
		Validators:          append([]validator.String{TextValidator{Max: limit, Example: example, Spelling: s}}, more...),
		PlanModifiers:       []planmodifier.String{KeepSpelling{Spelling: s}},
	}
}

func FederalTaxNumber(description string) schema.StringAttribute {
	return SpelledText(description+" With or without punctuation; the CNPJ may be alphanumeric. Wrong check digits warn.",
		TaxNumberSpelling, 14, "11.222.333/0001-81", TaxNumberValidator)
}

func StateTaxNumber(limit int) schema.StringAttribute {
	return SpelledText("State tax registration: digits, or `ISENTO`.", RegistrationSpelling, limit, "110042490114", stateTaxNumberValidator)
}

func Phone(description string) schema.StringAttribute {
	return SpelledText(description+" With or without punctuation; at most 15 digits.", PhoneSpelling, 15, "+55 11 91234-5678")
}

// Required turns an optional attribute into a required one.
func Required(a schema.StringAttribute) schema.StringAttribute {
	a.Optional, a.Required = false, true
	return a
}

// Address is the address of a customer or a company. more adds leaves
// that only one of them has.
func Address(more map[string]schema.Attribute) schema.SingleNestedAttribute {
	attributes := map[string]schema.Attribute{
		"street":                 Text("Street.", 100, "Avenida Paulista"),
		"number":                 Text("Number in the street.", 10, "1000"),
		"district":               Text("District.", 100, "Bela Vista"),
		"postal_code":            SpelledText("Postal code (CEP), with or without punctuation.", postalCodeSpelling, 15, "01310-100"),
		"additional_information": Text("Floor, room and the like.", 150, "Sala 12"),
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
					Validators:          []validator.String{TextValidator{Example: "3550308"}, CityCodeValidator},
				},
				"name": schema.StringAttribute{
					MarkdownDescription: "Name of the city, in any case, with or without accents.",
					CustomType:          SpelledType{Spelling: placeSpelling},
					Optional:            true,
					Computed:            true,
					Validators:          []validator.String{TextValidator{Example: "São Paulo"}},
				},
				"state": schema.StringAttribute{
					MarkdownDescription: "Two-letter code of the state, in any case.",
					CustomType:          SpelledType{Spelling: StateSpelling},
					Optional:            true,
					Computed:            true,
					Validators:          []validator.String{StateValidator},
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
					CustomType:          SpelledType{Spelling: placeSpelling},
					Optional:            true,
					Computed:            true,
					Validators:          []validator.String{TextValidator{Example: "Brasil"}},
				},
			},
		},
	}
	maps.Copy(attributes, more)
	return schema.SingleNestedAttribute{MarkdownDescription: "Address.", Optional: true, Attributes: attributes}
}

// CityName is the free name of a city; the service fills it in from
// the city where there is one.
func CityName() schema.StringAttribute {
	a := Text("Name of a city abroad, for which there is no `city`. Otherwise the service fills it in.", 0, "Lisboa")
	a.Computed = true
	a.PlanModifiers = []planmodifier.String{followsCity{}}
	return a
}

// ComputedAddress is the address of a customer or a company in a data source.
func ComputedAddress(more map[string]dataschema.Attribute) dataschema.SingleNestedAttribute {
	text := func(description string) dataschema.StringAttribute {
		return dataschema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	attributes := map[string]dataschema.Attribute{
		"street":                 text("Street."),
		"number":                 text("Number in the street."),
		"district":               text("District."),
		"postal_code":            dataschema.StringAttribute{MarkdownDescription: "Postal code (CEP).", CustomType: SpelledType{Spelling: postalCodeSpelling}, Computed: true},
		"additional_information": text("Floor, room and the like."),
		"city": dataschema.SingleNestedAttribute{
			MarkdownDescription: "City.",
			Computed:            true,
			Attributes: map[string]dataschema.Attribute{
				"code":  text("IBGE municipal code, 7 digits."),
				"name":  dataschema.StringAttribute{MarkdownDescription: "Name of the city.", CustomType: SpelledType{Spelling: placeSpelling}, Computed: true},
				"state": dataschema.StringAttribute{MarkdownDescription: "Two-letter code of the state, lower case.", CustomType: SpelledType{Spelling: StateSpelling}, Computed: true},
			},
		},
		"country": dataschema.SingleNestedAttribute{
			MarkdownDescription: "Country.",
			Computed:            true,
			Attributes: map[string]dataschema.Attribute{
				"code": dataschema.Int64Attribute{MarkdownDescription: "Numeric code of the country, such as `1058`.", Computed: true},
				"name": dataschema.StringAttribute{MarkdownDescription: "Name of the country.", CustomType: SpelledType{Spelling: placeSpelling}, Computed: true},
			},
		},
	}
	maps.Copy(attributes, more)
	return dataschema.SingleNestedAttribute{MarkdownDescription: "Address.", Computed: true, Attributes: attributes}
}
