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
	if raw == nil {
		return absent
	}
	shown, _ := jsontree.Decode(raw) // It is part of a document that was decoded.
	sent, err := jsontree.Decode([]byte(configured))
	switch {
	case isEmpty(shown):
		return unset
	case mayHideCode(shown), configured != "" && err != nil:
		return masked
	case configured == "":
		return another
	}
	return compareCodes(sent, shown)
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
		return slices.ContainsFunc(value, func(element any) bool {
			_, isText := element.(string)
			return isText && !isLongText(element) || mayHideCode(element)
		})
	case map[string]any:
		members := slices.Collect(maps.Values(value))
		isShown := len(members) >= 2 && slices.ContainsFunc(members, isLongText)
		return !isShown || slices.ContainsFunc(members, mayHideCode)
	}
	return value == nil
}

func isLongText(value any) bool {
	text, _ := value.(string)
	return len(text) >= shortest
}

// compareCodes compares what was sent with what is shown in clear: all of it, with more
// members or without, is the same. A part of it counts as masked.
func compareCodes(sent, shown any) secretForm {
	form := same
	switch sent := sent.(type) {
	case map[string]any:
		if members, ok := shown.(map[string]any); ok {
			for name, value := range sent {
				form = max(form, compareCodes(value, members[name]))
			}
			return form
		}
	case []any:
		if elements, ok := shown.([]any); ok && len(elements) == len(sent) {
			for i, value := range sent {
				form = max(form, compareCodes(value, elements[i]))
			}
			return form
		}
	}
	text := scalarText(sent)
	switch { // A number may come back as a text.
	case jsontree.Same(sent, shown), text != "" && text == scalarText(shown):
		return same
	case shown == nil:
		return masked
	}
	return another
}

func scalarText(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case json.Number:
		return value.String()
	}
	return ""
}
