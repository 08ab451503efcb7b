package attribute

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// The address is kept as an object value, not a struct: it, its city and its
// country may be unknown while planning.

var (
	cityTypes = map[string]attr.Type{
		"code": types.StringType, "name": SpelledType{Spelling: placeSpelling}, "state": SpelledType{Spelling: StateSpelling},
	}
	countryTypes = map[string]attr.Type{"code": types.Int64Type, "name": SpelledType{Spelling: placeSpelling}}
	AddressTypes = map[string]attr.Type{
		"street": types.StringType, "number": types.StringType, "district": types.StringType,
		"postal_code": SpelledType{Spelling: postalCodeSpelling}, "additional_information": types.StringType,
		"city": types.ObjectType{AttrTypes: cityTypes}, "country": types.ObjectType{AttrTypes: countryTypes},
	}
	CustomerAddressTypes = withAttribute(AddressTypes, "city_name", types.StringType)
)

func withAttribute(in map[string]attr.Type, name string, t attr.Type) map[string]attr.Type {
	out := map[string]attr.Type{name: t}
	for k, v := range in {
		out[k] = v
	}
	return out
}

// AddressFromAPI reads an address; attrTypes says whether it has a city_name. One
// without any value is none: some services answer the empty object for it.
func AddressFromAPI(a *einvoice.Address, attrTypes map[string]attr.Type) types.Object {
	if a == nil {
		return types.ObjectNull(attrTypes)
	}
	bare := *a
	bare.City, bare.Country = nil, nil
	city, country := cityFromAPI(a.City), countryFromAPI(a.Country)
	if bare == (einvoice.Address{}) && city.IsNull() && country.IsNull() {
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

// ReadAddress reads an address into a state. One that is configured without any
// value stays, or its plan would never be empty.
func ReadAddress(prior types.Object, a *einvoice.Address, attrTypes map[string]attr.Type) types.Object {
	if read := AddressFromAPI(a, attrTypes); !read.IsNull() {
		return read
	}
	return AbsentObject(prior, attrTypes)
}

func cityFromAPI(c *einvoice.City) types.Object {
	if c == nil || *c == (einvoice.City{}) {
		return types.ObjectNull(cityTypes)
	}
	return types.ObjectValueMust(cityTypes, map[string]attr.Value{
		"code": TextOrNull(c.Code), "name": SpelledOrNull(placeSpelling, c.Name), "state": SpelledOrNull(StateSpelling, c.State),
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
	if o.IsNull() || o.IsUnknown() {
		return nil
	}
	leaves := o.Attributes()
	a := &einvoice.Address{
		Street:                AttrText(leaves["street"]),
		Number:                AttrText(leaves["number"]),
		District:              AttrText(leaves["district"]),
		PostalCode:            AttrText(leaves["postal_code"]),
		AdditionalInformation: AttrText(leaves["additional_information"]),
		CityName:              AttrText(leaves["city_name"]),
	}
	if city, ok := leaves["city"].(types.Object); ok && !IsUnset(city) {
		l := city.Attributes()
		a.City = &einvoice.City{Code: AttrText(l["code"]), Name: AttrText(l["name"]), State: AttrText(l["state"])}
	}
	if country, ok := leaves["country"].(types.Object); ok && !IsUnset(country) {
		l := country.Attributes()
		a.Country = &einvoice.Country{Name: AttrText(l["name"])}
		if code, ok := l["code"].(types.Int64); ok {
			a.Country.Code = KnownInt(code)
		}
	}
	return a
}

// AttrText is the text that is sent for a leaf; "" when it is not known.
func AttrText(v attr.Value) einvoice.Text {
	switch v := v.(type) {
	case Spelled:
		return v.Normalized()
	case types.String:
		return KnownText(v)
	}
	return ""
}

// FillUnknown returns planned with its unknown parts taken from what the
// service answered; what is known stays as planned. A part that the answer
// lacks becomes null.
func FillUnknown(ctx context.Context, planned, answered types.Object) (types.Object, diag.Diagnostics) {
	if planned.IsUnknown() {
		return answered, nil
	}
	if planned.IsNull() {
		return planned, nil
	}
	values, fromAnswer := planned.Attributes(), answered.Attributes()
	for name, value := range values {
		have, ok := fromAnswer[name]
		if object, isObject := value.(types.Object); isObject {
			answeredObject, wasObject := have.(types.Object)
			if !ok || !wasObject {
				answeredObject = types.ObjectNull(object.AttributeTypes(ctx))
			}
			filled, diags := FillUnknown(ctx, object, answeredObject)
			if diags.HasError() {
				return planned, diags
			}
			values[name] = filled
			continue
		}
		if !value.IsUnknown() {
			continue
		}
		if ok {
			values[name] = have
			continue
		}
		null, diags := nullOf(ctx, value.Type(ctx))
		if diags.HasError() {
			return planned, diags
		}
		values[name] = null
	}
	return types.ObjectValue(planned.AttributeTypes(ctx), values)
}

func nullOf(ctx context.Context, t attr.Type) (attr.Value, diag.Diagnostics) {
	null, err := t.ValueFromTerraform(ctx, tftypes.NewValue(t.TerraformType(ctx), nil))
	if err != nil {
		return nil, diag.Diagnostics{message.ProviderBug("a null %s: %s", t, err)}
	}
	return null, nil
}

// AbsentObject reads an object that the service does not hold. One that is
// configured without any value stays, or its plan would never be empty.
func AbsentObject(prior types.Object, attrTypes map[string]attr.Type) types.Object {
	if IsUnset(prior) {
		return types.ObjectNull(attrTypes)
	}
	for _, value := range prior.Attributes() {
		if !value.IsNull() {
			return types.ObjectNull(attrTypes)
		}
	}
	return prior
}

// WithLeaf returns object with one value in it replaced, by null where value is
// nil; it stays as it is where it has no such place.
func WithLeaf(ctx context.Context, object types.Object, names []string, value attr.Value) types.Object {
	if IsUnset(object) {
		return object
	}
	values := object.Attributes()
	held, ok := values[names[0]]
	if !ok {
		return object
	}
	var diags diag.Diagnostics
	if inner, isObject := held.(types.Object); isObject && len(names) > 1 {
		value = WithLeaf(ctx, inner, names[1:], value)
	} else if value == nil {
		value, diags = nullOf(ctx, held.Type(ctx))
	}
	if diags.HasError() {
		return object
	}
	values[names[0]] = value
	replaced, diags := types.ObjectValue(object.AttributeTypes(ctx), values)
	if diags.HasError() {
		return object
	}
	return replaced
}
