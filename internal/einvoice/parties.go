package einvoice

import (
	"bytes"
	"cmp"
	"encoding/json"
)

// City is a city by its IBGE code, or by name and state. The service resolves the
// one from the other and answers the state in lower case.
type City struct {
	Code  Text `json:"code,omitempty"` // IBGE municipal code, 7 digits
	Name  Text `json:"name,omitempty"`
	State Text `json:"state,omitempty"`
}

// Country is the country of a customer's or a company's address.
type Country struct {
	Code *Int `json:"code,omitempty"` // 1058 is Brazil
	Name Text `json:"name,omitempty"`
}

// UnmarshalJSON also accepts a bare string, which is the name.
func (c *Country) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte(`"`)) {
		*c = Country{}
		return c.Name.UnmarshalJSON(raw)
	}
	type plain Country
	return json.Unmarshal(raw, (*plain)(c))
}

// Address is the address of a customer or a company.
type Address struct {
	Street                Text       `json:"street,omitempty"`
	Number                Text       `json:"number,omitempty"`
	District              Text       `json:"district,omitempty"`
	PostalCode            PostalCode `json:"postalCode,omitempty"`
	AdditionalInformation Text       `json:"additionalInformation,omitempty"`
	City                  *City      `json:"city,omitempty"`
	CityName              Text       `json:"cityName,omitempty"`
	Country               *Country   `json:"country,omitempty"`
}

// Party is the receiver, pickup or delivery of an invoice.
type Party struct {
	Name               Text          `json:"name,omitempty"`
	FederalTaxNumber   TaxNumber     `json:"federalTaxNumber,omitempty"`
	StateTaxNumber     Text          `json:"stateTaxNumber,omitempty"`
	SuframaTaxNumber   Text          `json:"suframaTaxNumber,omitempty"`
	CityTaxNumber      Text          `json:"cityTaxNumber,omitempty"`
	MunicipalTaxNumber Text          `json:"municipalTaxNumber,omitempty"`
	Email              Text          `json:"email,omitempty"`
	PhoneNumber        Text          `json:"phoneNumber,omitempty"`
	Address            *PartyAddress `json:"address,omitempty"`
}

// PartyAddress is the address of a Party. Its country is a string, not the object of an Address.
type PartyAddress struct {
	Street                Text        `json:"street,omitempty"`
	District              Text        `json:"district,omitempty"`
	PostalCode            PostalCode  `json:"postalCode,omitempty"`
	Number                Text        `json:"number,omitempty"`
	AdditionalInformation Text        `json:"additionalInformation,omitempty"`
	City                  *City       `json:"city,omitempty"`
	Country               CountryName `json:"country,omitempty"`
}

// CountryName is a country by its name or code.
type CountryName Text

// UnmarshalJSON also accepts a country object, of which the name is taken, or the code where it has no name.
func (n *CountryName) UnmarshalJSON(raw []byte) error {
	if !isObject(raw) {
		return (*Text)(n).UnmarshalJSON(raw)
	}
	var country struct{ Code, Name Text }
	if err := json.Unmarshal(raw, &country); err != nil {
		return err
	}
	*n = CountryName(cmp.Or(country.Name, country.Code))
	return nil
}
