package fiscal

import (
	"encoding/json"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// partyMembers are the members of an issuing body that hold a person or a company
// (specification: Product invoice, and intermediary data as an additive change).
var partyMembers = []string{"receiver", "pickup", "delivery", "intermediary"}

// respelling is another way to write the value of a member, by its path.
type respelling struct {
	path  []string
	value any
}

// respellings are the values of an issuing body that people write with punctuation
// and that are sent without it: tax numbers, postal codes and phones, and the codes
// of cities, which invoices have as integers. Everything else is left alone.
func respellings(payload any) []respelling {
	var found []respelling
	text := func(normalized func(string) string, path ...string) {
		written, ok := jsontree.Member(payload, path...).(string)
		if normal := normalized(written); ok && normal != written {
			found = append(found, respelling{path, normal})
		}
	}
	code := func(path ...string) {
		written, _ := jsontree.Member(payload, path...).(string)
		digits := strings.TrimSpace(written)
		if len(digits) == cityCodeLength && allDigits(digits) && digits[0] != '0' {
			found = append(found, respelling{path, json.Number(digits)})
		}
	}
	for _, party := range partyMembers {
		text(NormalizeTaxNumber, party, "federalTaxNumber")
		text(NormalizeStateTaxNumber, party, "stateTaxNumber")
		text(PhoneDigits, party, "phoneNumber")
		text(NormalizePostalCode, party, "address", "postalCode")
		code(party, "address", "city", "code")
	}
	for _, place := range []string{"location", "serviceLocation"} {
		code(place, "code")
		code(place, "city", "code")
	}
	if list, ok := jsontree.Member(payload, "authorizedPersons").([]any); ok {
		normalized, changed := make([]any, len(list)), false
		for i, person := range list {
			normalized[i] = person
			if number, ok := person.(string); ok && NormalizeTaxNumber(number) != number {
				normalized[i], changed = NormalizeTaxNumber(number), true
			}
		}
		if changed {
			found = append(found, respelling{[]string{"authorizedPersons"}, normalized})
		}
	}
	return found
}

// SendablePayload is an issuing body as it is sent. Only the values that are written in another way change; every other
// byte stays, and so does a text that is no JSON object.
func SendablePayload(payload json.RawMessage) json.RawMessage {
	decoded, err := jsontree.Decode(payload)
	if err != nil {
		return payload
	}
	sendable := payload
	for _, r := range respellings(decoded) {
		value, err := json.Marshal(r.value)
		if err != nil {
			return payload
		}
		if sendable, err = jsontree.With(sendable, value, r.path...); err != nil {
			return payload
		}
	}
	return sendable
}

// SamePayload reports whether two issuing bodies are the same when they are sent.
func SamePayload(a, b string) bool {
	return jsontree.SameText(string(SendablePayload(json.RawMessage(a))), string(SendablePayload(json.RawMessage(b))))
}
