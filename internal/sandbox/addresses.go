package sandbox

import (
	"encoding/json"
)

const (
	brazilCode = "1058"
	brazilName = "Brasil"
)

// countries are the central bank's codes of some countries, enough to resolve a country from its code or its name.
var countries = map[string]string{
	brazilCode: brazilName, "639": "Argentina", "1589": "Chile", "2496": "Estados Unidos", "2453": "Espanha",
	"2755": "França", "5860": "Paraguai", "6076": "Portugal", "8451": "Uruguai",
}

// address reads the address of a customer or a company. Integrations report the lengths of its fields. A city is
// {code} or {name, state}; an address without a country is in Brazil. Only customers have cityName, which the service
// is assumed to fill from the city.
func (f *fields) address(name string, withCityName bool) any {
	in := f.child(name)
	if in == nil {
		return nil
	}
	// The service answers with it; clients do not know it.
	in.known["coordinates"] = true
	out := object{
		"street":                in.text("street", 100),
		"number":                in.text("number", 10),
		"district":              in.text("district", 100),
		"postalCode":            in.postalCode("postalCode", 15),
		"additionalInformation": in.text("additionalInformation", 150),
		"city":                  in.city("city"),
		"country":               in.country("country"),
		"coordinates":           nil,
	}
	if withCityName {
		cityName := in.text("cityName", 100)
		if cityName == nil {
			cityName = orNull(text(part(out, "city"), "name"))
		}
		out["cityName"] = cityName
	}
	return out
}

// country reads {code, name}. The code is answered as an integer, also when a string was sent.
func (f *fields) country(name string) any {
	brazil := object{"code": json.Number(brazilCode), "name": brazilName}
	in := f.child(name)
	if in == nil {
		return brazil
	}
	code := in.integer("code")
	called, _ := in.text("name", 60).(string)
	if n, ok := code.(json.Number); ok {
		if known, ok := countries[n.String()]; ok {
			called = known
		}
		return object{"code": n, "name": orNull(called)}
	}
	if called == "" {
		return brazil
	}
	for n, known := range countries {
		if fold(known) == fold(called) {
			return object{"code": json.Number(n), "name": known}
		}
	}
	return object{"code": nil, "name": called}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
