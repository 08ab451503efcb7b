package attribute

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

var (
	placeType = SpelledType{Spelling: placeSpelling}
	stateType = SpelledType{Spelling: StateSpelling}
)

// The types of an address, of a company and of a customer. Models have it as an object
// value, not as a struct: it, its city and its country may be unknown while planning.
var (
	AddressTypes         = TypesIn(Address(nil).GetType())
	CustomerAddressTypes = TypesIn(Address(map[string]schema.Attribute{"city_name": CityName()}).GetType())
	cityTypes            = TypesIn(AddressTypes["city"])
	countryTypes         = TypesIn(AddressTypes["country"])
)

// TypesIn are the types of the attributes of an object.
func TypesIn(object attr.Type) map[string]attr.Type {
	of, _ := object.(types.ObjectType)
	return of.AttrTypes
}

// AddressFromAPI reads an address; attrTypes says whether it has a city_name. An address
// without any value is null: some services answer with an empty object then.
func AddressFromAPI(a *einvoice.Address, attrTypes map[string]attr.Type) types.Object {
	if a == nil {
		return types.ObjectNull(attrTypes)
	}
	texts := *a
	texts.City, texts.Country = nil, nil
	city, country := cityFromAPI(a.City), countryFromAPI(a.Country)
	if texts == (einvoice.Address{}) && city.IsNull() && country.IsNull() {
		return types.ObjectNull(attrTypes)
	}
	values := map[string]attr.Value{
		"street":                 TextOrNull(a.Street),
		"number":                 TextOrNull(a.Number),
		"district":               TextOrNull(a.District),
		"postal_code":            SpelledOrNull(postalCodeSpelling, a.PostalCode),
		"additional_information": TextOrNull(a.AdditionalInformation),
		"city":                   city,
		"country":                country,
	}
	if _, ok := attrTypes["city_name"]; ok {
		values["city_name"] = TextOrNull(a.CityName)
	}
	return types.ObjectValueMust(attrTypes, values)
}

// ReadAddress reads an address into a state. An address that is configured without any
// value stays, or its plan would never be empty.
func ReadAddress(prior types.Object, a *einvoice.Address, attrTypes map[string]attr.Type) types.Object {
	if read := AddressFromAPI(a, attrTypes); !read.IsNull() {
		leaves := read.Attributes()
		if country, _ := prior.Attributes()["country"].(types.Object); leaves["country"].IsNull() && !country.IsNull() {
			leaves["country"] = AbsentObject(country, countryTypes)
		}
		return types.ObjectValueMust(attrTypes, leaves)
	}
	return AbsentObject(prior, attrTypes)
}

func cityFromAPI(c *einvoice.City) types.Object {
	if c == nil || *c == (einvoice.City{}) {
		return types.ObjectNull(cityTypes)
	}
	return types.ObjectValueMust(cityTypes, map[string]attr.Value{
		"code":  TextOrNull(c.Code),
		"name":  SpelledOrNull(placeSpelling, c.Name),
		"state": SpelledOrNull(StateSpelling, c.State),
	})
}

func countryFromAPI(c *einvoice.Country) types.Object {
	if c == nil || *c == (einvoice.Country{}) {
		return types.ObjectNull(countryTypes)
	}
	return types.ObjectValueMust(countryTypes, map[string]attr.Value{
		"code": IntOrNull(c.Code), "name": SpelledOrNull(placeSpelling, c.Name),
	})
}

// AddressRequest is the address as it is sent; nil when there is none.
func AddressRequest(o types.Object) *einvoice.Address {
	if IsUnset(o) {
		return nil
	}
	leaves := o.Attributes()
	a := &einvoice.Address{
		Street:                AttrText(leaves["street"]),
		Number:                AttrText(leaves["number"]),
		District:              AttrText(leaves["district"]),
		PostalCode:            einvoice.PostalCode(AttrText(leaves["postal_code"])),
		AdditionalInformation: AttrText(leaves["additional_information"]),
		CityName:              AttrText(leaves["city_name"]),
	}
	if city, ok := leaves["city"].(types.Object); ok && !IsUnset(city) {
		l := city.Attributes()
		a.City = &einvoice.City{Code: AttrText(l["code"]), Name: AttrText(l["name"]), State: AttrText(l["state"])}
	}
	if country, ok := leaves["country"].(types.Object); ok && !IsUnset(country) && !holdsNothing(country) {
		l := country.Attributes()
		a.Country = &einvoice.Country{Name: AttrText(l["name"])}
		if code, ok := l["code"].(types.Int64); ok {
			a.Country.Code = KnownInt(code)
		}
	}
	return a
}

// AttrText is the text that is sent for a value; "" when the value is not known.
func AttrText(v attr.Value) einvoice.Text {
	switch v := v.(type) {
	case Spelled:
		return v.Normalized()
	case types.String:
		return KnownText(v)
	}
	return ""
}

// Address is the address of a customer or a company. more adds leaves that only one of
// them has.
func Address(more map[string]schema.Attribute) schema.SingleNestedAttribute {
	resolved := func(about string, as basetypes.StringTypable, checks ...validator.String) schema.StringAttribute {
		return schema.StringAttribute{
			MarkdownDescription: about, CustomType: as, Optional: true, Computed: true, Validators: checks,
		}
	}
	filled := TextValidator{}
	attributes := map[string]schema.Attribute{
		"street":   Text("Street.", 100, "Avenida Paulista"),
		"number":   Text("Number in the street.", 10, "1000"),
		"district": Text("District.", 100, "Bela Vista"),
		"postal_code": SpelledText("Postal code (CEP). With or without punctuation.",
			postalCodeSpelling, 15, "01310-100"),
		"additional_information": Text("Floor, room and the like.", 150, "Sala 12"),
		"city": schema.SingleNestedAttribute{
			MarkdownDescription: "City. Set `code`, or `name` and `state`: the service resolves one from the other.",
			Optional:            true,
			Computed:            true,
			PlanModifiers:       []planmodifier.Object{resolvedObject{}},
			Validators:          []validator.Object{cityValidator{}},
			Attributes: map[string]schema.Attribute{
				"code": resolved("IBGE municipal code, 7 digits. Prefer it to name and "+
					"state.", nil, filled, CityCodeValidator),
				"name": resolved("Name of the city, in upper or lower case, with or without "+
					"accents.", placeType, filled),
				"state": resolved("Two-letter code of the state, in upper or lower case.", stateType, StateValidator),
			},
		},
		"country": schema.SingleNestedAttribute{
			MarkdownDescription: "Country. Brazil has the code `1058`.",
			Optional:            true,
			Computed:            true,
			PlanModifiers:       []planmodifier.Object{resolvedObject{}},
			Attributes: map[string]schema.Attribute{
				"code": schema.Int64Attribute{
					MarkdownDescription: "Numeric code of the country, such as `1058`.", Optional: true, Computed: true,
				},
				"name": resolved("Name of the country.", placeType, filled),
			},
		},
	}
	if more != nil { // The vendor's schema states the lengths of a company's address, and that of number is measured.
		for _, name := range []string{"street", "district", "postal_code", "additional_information"} {
			leaf, _ := attributes[name].(schema.StringAttribute)
			attributes[name] = WithAssumedLength(leaf)
		}
	}
	maps.Copy(attributes, more)
	return schema.SingleNestedAttribute{
		MarkdownDescription: "Address.", Optional: true, Attributes: attributes,
		Validators: []validator.Object{postalCodeValidator{}},
	}
}

// CityName is the name of a city abroad. The service fills it in where there is a city.
func CityName() schema.StringAttribute {
	a := Text("Name of a city abroad. For a city in Brazil the service fills it in.", 0, "Lisboa")
	a.Computed = true
	a.PlanModifiers = []planmodifier.String{followsCity{}}
	return a
}
