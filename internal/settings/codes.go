package settings

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// The security codes of the technical responsible are a list whose form is not specified. A
// service may show all of it, mask the codes, leave them out, or add members of its own.

// codesForm is textForm of such a list.
func codesForm(raw json.RawMessage, configured string) secretForm {
	shown, _ := jsontree.Decode(raw) // It is part of a document that was decoded.
	sent, err := jsontree.Decode([]byte(configured))
	switch {
	case raw == nil:
		return absent
	case isEmpty(shown):
		return unset
	case mayHideCode(shown):
		return masked
	case err == nil && jsontree.Same(sent, jsontree.Project(sent, shown)):
		return same
	}
	return another
}

func isEmpty(value any) bool {
	switch value := value.(type) {
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	return value == nil
}

// mayHideCode reports whether a code may be masked or missing. An authority gives a code, which
// is a long text, and its number (CSRT, idCSRT): an object without two such values hides one.
func mayHideCode(value any) bool {
	switch value := value.(type) {
	case string:
		return value == "" || einvoice.IsMasked(value)
	case []any:
		return slices.ContainsFunc(value, mayHideCode)
	case map[string]any:
		members := slices.Collect(maps.Values(value))
		isShown := len(members) >= 2 && slices.ContainsFunc(members, isLongText)
		return !isShown || slices.ContainsFunc(members, mayHideCode)
	}
	return value == nil
}

func isLongText(value any) bool {
	text, _ := value.(string)
	return len(text) >= 8
}
