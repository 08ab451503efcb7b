package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// The address is kept as an object value, not a struct: it, its city and its
// country may be unknown while planning.

var (
	cityTypes = map[string]attr.Type{
		"code": types.StringType, "name": spelledType{spelling: placeSpelling}, "state": spelledType{spelling: stateSpelling},
	}
	countryTypes = map[string]attr.Type{"code": types.Int64Type, "name": spelledType{spelling: placeSpelling}}
	addressTypes = map[string]attr.Type{
		"street": types.StringType, "number": types.StringType, "district": types.StringType,
		"postal_code": spelledType{spelling: postalCodeSpelling}, "additional_information": types.StringType,
		"city": types.ObjectType{AttrTypes: cityTypes}, "country": types.ObjectType{AttrTypes: countryTypes},
	}
	customerAddressTypes = withAttribute(addressTypes, "city_name", types.StringType)
)

func withAttribute(in map[string]attr.Type, name string, t attr.Type) map[string]attr.Type {
	out := map[string]attr.Type{name: t}
	for k, v := range in {
		out[k] = v
	}
	return out
}

// addressFromAPI reads an address; attrTypes says whether it has a city_name. One
// without any value is none: some services answer the empty object for it.
func addressFromAPI(a *einvoice.Address, attrTypes map[string]attr.Type) types.Object {
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
		"street":                 textOrNull(a.Street),
		"number":                 textOrNull(a.Number),
		"district":               textOrNull(a.District),
		"postal_code":            spelledOrNull(postalCodeSpelling, a.PostalCode),
		"additional_information": textOrNull(a.AdditionalInformation),
		"city":                   city,
		"country":                country,
	}
	if _, ok := attrTypes["city_name"]; ok {
		values["city_name"] = textOrNull(a.CityName)
	}
	return types.ObjectValueMust(attrTypes, values)
}

// readAddress reads an address into a state. One that is configured without any
// value stays, or its plan would never be empty.
func readAddress(prior types.Object, a *einvoice.Address, attrTypes map[string]attr.Type) types.Object {
	if read := addressFromAPI(a, attrTypes); !read.IsNull() {
		return read
	}
	return absentObject(prior, attrTypes)
}

func cityFromAPI(c *einvoice.City) types.Object {
	if c == nil || *c == (einvoice.City{}) {
		return types.ObjectNull(cityTypes)
	}
	return types.ObjectValueMust(cityTypes, map[string]attr.Value{
		"code": textOrNull(c.Code), "name": spelledOrNull(placeSpelling, c.Name), "state": spelledOrNull(stateSpelling, c.State),
	})
}

func countryFromAPI(c *einvoice.Country) types.Object {
	if c == nil || *c == (einvoice.Country{}) {
		return types.ObjectNull(countryTypes)
	}
	return types.ObjectValueMust(countryTypes, map[string]attr.Value{
		"code": intOrNull(c.Code), "name": spelledOrNull(placeSpelling, c.Name),
	})
}

// addressRequest is the address as it is sent; nil when there is none.
func addressRequest(o types.Object) *einvoice.Address {
	if o.IsNull() || o.IsUnknown() {
		return nil
	}
	leaves := o.Attributes()
	a := &einvoice.Address{
		Street:                attrText(leaves["street"]),
		Number:                attrText(leaves["number"]),
		District:              attrText(leaves["district"]),
		PostalCode:            attrText(leaves["postal_code"]),
		AdditionalInformation: attrText(leaves["additional_information"]),
		CityName:              attrText(leaves["city_name"]),
	}
	if city, ok := leaves["city"].(types.Object); ok && !isUnset(city) {
		l := city.Attributes()
		a.City = &einvoice.City{Code: attrText(l["code"]), Name: attrText(l["name"]), State: attrText(l["state"])}
	}
	if country, ok := leaves["country"].(types.Object); ok && !isUnset(country) {
		l := country.Attributes()
		a.Country = &einvoice.Country{Name: attrText(l["name"])}
		if code, ok := l["code"].(types.Int64); ok {
			a.Country.Code = knownInt(code)
		}
	}
	return a
}

// attrText is the text that is sent for a leaf; "" when it is not known.
func attrText(v attr.Value) einvoice.Text {
	switch v := v.(type) {
	case spelled:
		return v.normalized()
	case types.String:
		return knownText(v)
	}
	return ""
}

// fillUnknown returns planned with its unknown parts taken from what the
// service answered; what is known stays as planned. A part that the answer
// lacks becomes null.
func fillUnknown(ctx context.Context, planned, answered types.Object) (types.Object, diag.Diagnostics) {
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
			filled, diags := fillUnknown(ctx, object, answeredObject)
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
		return nil, diag.Diagnostics{providerBug("a null %s: %s", t, err)}
	}
	return null, nil
}
