package fiscal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// InvoiceModels are the models of an invoice.
var InvoiceModels = []string{modelNFe, modelNFCe, modelNFSe}

const (
	modelNFe  = "productInvoice"
	modelNFCe = "consumerInvoice"
	modelNFSe = "serviceInvoice"
)

// CheckModel refuses what is no model of an invoice.
func CheckModel(model string) error {
	if slices.Contains(InvoiceModels, model) {
		return nil
	}
	return text.NewError("model.unknown", text.With{"model": model, "models": InvoiceModels})
}

// Payload writes the JSON text of an issuing body from a decoded object: nulls left out, the fields of a customer in
// the place of a party renamed, and everything spelled as it is sent.
func Payload(object map[string]any) (string, error) {
	body, _ := withoutNulls(object).(map[string]any)
	for _, name := range partyMembers {
		if party, ok := body[name].(map[string]any); ok {
			body[name] = partyFrom(party)
		}
	}
	written, err := json.Marshal(body)
	if err != nil {
		return "", text.NewError("payload.unwritable", text.With{"cause": err})
	}
	return string(SendablePayload(written)), nil
}

func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := make(map[string]any, len(value))
		for name, member := range value {
			if member != nil {
				kept[name] = withoutNulls(member)
			}
		}
		return kept
	case []any:
		kept := make([]any, 0, len(value))
		for _, element := range value {
			if element != nil {
				kept = append(kept, withoutNulls(element))
			}
		}
		return kept
	}
	return value
}

// partyNames are the members of a party by the attributes of an einvoice_customer,
// and of the data sources that show a receiver.
var partyNames = map[string]string{
	"federal_tax_number": "federalTaxNumber",
	"state_tax_number":   "stateTaxNumber",
	"city_tax_number":    "cityTaxNumber",
	"suframa_tax_number": "suframaTaxNumber",
	"phone_number":       "phoneNumber",
}

// customerOnly are the attributes of an einvoice_customer that a party does not have, or has in another way.
var customerOnly = []string{
	"id", "extra_json", "raw_json", "legal_name", "phone", "mobile_phone", "municipal_tax_number",
}

// partyFrom renames the fields of a customer. What has none of them, as a body
// written in the service's own names, stays as it is, but for its address.
func partyFrom(party map[string]any) map[string]any {
	isCustomer := slices.ContainsFunc(slices.Collect(maps.Keys(party)), func(name string) bool {
		return partyNames[name] != "" || name != "id" && slices.Contains(customerOnly, name)
	})
	out := renamed(party, partyNames)
	if isCustomer {
		maps.DeleteFunc(out, func(name string, _ any) bool { return slices.Contains(customerOnly, name) })
		// The document names its receiver by the legal name, where there is one.
		prefer(out, "name", party, "legal_name", "name")
		prefer(out, "phoneNumber", party, "phoneNumber", "phone_number", "phone", "mobile_phone")
	}
	if address, ok := out["address"].(map[string]any); ok {
		out["address"] = addressFrom(address)
	}
	return out
}

// renamed is an object with other names for some members. A member that has the other name already counts.
func renamed(object map[string]any, names map[string]string) map[string]any {
	out := maps.Clone(object)
	for name, to := range names {
		value, ok := object[name]
		delete(out, name)
		if _, given := object[to]; ok && !given {
			out[to] = value
		}
	}
	return out
}

// prefer sets a member to the first of several that has a value.
func prefer(out map[string]any, to string, from map[string]any, names ...string) {
	for _, name := range names {
		if value, ok := from[name]; ok && value != "" {
			out[to] = value
			return
		}
	}
}

// brazil is the country of an address in the body of an invoice, which names
// countries by three letters, and its code in the address of a customer.
const (
	brazil     = "BRA"
	brazilCode = "1058"
)

// addressNames are the members of an address by the attributes of an einvoice_customer.
var addressNames = map[string]string{"postal_code": "postalCode", "additional_information": "additionalInformation"}

// addressFrom renames the fields of a customer's address.
func addressFrom(address map[string]any) map[string]any {
	out := renamed(address, addressNames)
	delete(out, "city_name")
	if country, ok := address["country"]; ok {
		if out["country"] = countryFrom(country); out["country"] == nil {
			delete(out, "country")
		}
	}
	if name, ok := address["city_name"]; ok && out["city"] == nil {
		out["city"] = map[string]any{"name": name}
	}
	return out
}

// countryFrom makes a text of the object {name, code}.
func countryFrom(value any) any {
	country, ok := value.(map[string]any)
	if !ok {
		return value
	}
	name, _ := country["name"].(string)
	if IsBrazil(fmt.Sprint(country["code"])) || IsBrazil(name) {
		return brazil
	}
	if name == "" {
		return nil
	}
	return name
}

// codeDigits are the lengths of the codes that integrations send as numbers too, by their groups.
var codeDigits = map[string]map[string]int{"icms": {"cst": 2}, "ibsCbs": {"cst": 3, "classification": 6}}

// AsRead is an issuing body as the rules read it: its codes have their zeros, and the amounts of an NFS-e are total,
// also where they are called totals, as the specification calls them once.
func AsRead(model string, payload map[string]any) map[string]any {
	read, _ := withCodes(payload, "", nil).(map[string]any)
	if model == modelNFSe && read["total"] == nil && read["totals"] != nil {
		read["total"] = read["totals"]
		delete(read, "totals")
	}
	return read
}

func withCodes(value any, name string, codes map[string]int) any {
	switch v := value.(type) {
	case map[string]any:
		read := maps.Clone(v)
		for member := range v {
			read[member] = withCodes(v[member], member, codeDigits[name])
		}
		return read
	case []any:
		list := slices.Clone(v)
		for i := range list {
			list[i] = withCodes(list[i], "", nil)
		}
		return list
	case json.Number:
		if zeros := codes[name] - len(v); zeros > 0 {
			return strings.Repeat("0", zeros) + v.String()
		}
	}
	return value
}
