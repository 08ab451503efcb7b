package sandbox

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// Returns follow the specification, Versioning: from two days on, each item of a returning NF-e needs the access key
// and the item number of its origin document, and the note takes no referencedDocuments. The names of these fields of
// an item are not documented: any name counts. Two assumptions: a breach is a 400, and an environment other than
// "development" follows the later day.
var (
	returnsHomologation = time.Date(2026, time.July, 1, 0, 0, 0, 0, localZone)
	returnsProduction   = time.Date(2026, time.September, 1, 0, 0, 0, 0, localZone)
)

const purposeReturn = "devolution"

// keyShape is the access key of an NF-e or NFC-e, whose issuer may have letters.
var keyShape = regexp.MustCompile(`^[0-9]{6}[A-Z0-9]{12}[0-9]{26}$`)

// checkReturn judges a return by its issue date and the environment of the company's settings.
func (f *fields) checkReturn(doc object, items []*fields) {
	since := returnsProduction
	if text(f.c.s.settingsBlock(f.c.companyID(), modelProduct.name), "environmentType") == "development" {
		since = returnsHomologation
	}
	emitted, _ := parseMoment(text(doc, "issuedOn"))
	if t, ok := parseMoment(text(doc, "effectiveDate")); ok {
		emitted = t
	}
	if doc["purposeType"] != purposeReturn || emitted.Before(since) {
		return
	}
	if list, ok := doc["_referencedDocuments"].([]any); doc["_referencedDocuments"] != nil && (!ok || len(list) > 0) {
		f.fail("referencedDocuments",
			"Referenced documents of the whole invoice are not accepted for returns; reference them in each item.")
	}
	for _, item := range items {
		if !hasOrigin(item.in, true) {
			f.fail(item.path,
				"A return requires the access key and the item number of the origin document in each item.")
		}
	}
}

// hasOrigin looks for a part with an access key and an item number. Of the item's own numbers, only one with "item"
// in its name is an item number.
func hasOrigin(v any, top bool) bool {
	if list, ok := v.([]any); ok {
		for _, part := range list {
			if hasOrigin(part, false) {
				return true
			}
		}
		return false
	}
	part, _ := v.(object)
	key, number := false, false
	for name, value := range part {
		if s, ok := value.(string); ok && keyShape.MatchString(s) {
			key = true
		}
		if n, ok := value.(json.Number); ok && (!top || strings.Contains(strings.ToLower(name), "item")) {
			whole, err := n.Int64()
			number = number || err == nil && whole >= 1 && whole <= 990
		}
		if hasOrigin(value, false) {
			return true
		}
	}
	return key && number
}
