package settings

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// The security codes of the technical responsible are a list whose form is not
// specified. A service may show all of it, mask the codes, leave them out, or add
// members of its own. None of that is another list than the one that was sent.

// shownCodes is shownSecret of such a list. What may hide a code counts as masked:
// to send it back would take the code away.
func shownCodes(raw json.RawMessage) (string, secretForm) {
	if raw == nil {
		return "", secretAbsent
	}
	value, err := jsontree.Decode(raw)
	switch {
	case err == nil && isEmpty(value):
		return "", secretUnset
	case err != nil || mayHideCode(value):
		return string(raw), secretMasked
	default:
		return string(raw), secretClear
	}
}

func isEmpty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	default:
		return false
	}
}

// mayHideCode: an authority gives a code, which is a long text, and its number (CSRT,
// idCSRT). An object that does not show two such values hides one.
func mayHideCode(value any) bool {
	switch value := value.(type) {
	case string:
		return value == "" || einvoice.IsMasked(value)
	case []any:
		return slices.ContainsFunc(value, mayHideCode)
	case map[string]any:
		members := slices.Collect(maps.Values(value))
		return len(members) < 2 || slices.ContainsFunc(members, mayHideCode) || !slices.ContainsFunc(members, isLongText)
	default:
		return value == nil
	}
}

func isLongText(value any) bool {
	text, ok := value.(string)
	return ok && len(text) >= 8
}

// compareCodes tells how what the service shows differs from what was sent: less is
// shown, or something else.
func compareCodes(sent, shown string) (less, another bool) {
	a, errA := jsontree.Decode([]byte(sent))
	b, errB := jsontree.Decode([]byte(shown))
	if errA != nil || errB != nil {
		return true, false // It cannot be compared.
	}
	return compareShown(a, b)
}

func compareShown(sent, shown any) (less, another bool) {
	if isEmpty(shown) {
		return !isEmpty(sent), false
	}
	var inner [][2]any
	switch sent := sent.(type) {
	case map[string]any:
		members, ok := shown.(map[string]any)
		if !ok {
			return compareText(sent, shown)
		}
		for name, value := range sent {
			inner = append(inner, [2]any{value, members[name]})
		}
	case []any:
		elements, ok := shown.([]any)
		if !ok || len(elements) != len(sent) {
			return compareText(sent, shown)
		}
		for i, value := range sent {
			inner = append(inner, [2]any{value, elements[i]})
		}
	default:
		return compareText(sent, shown)
	}
	for _, pair := range inner {
		l, a := compareShown(pair[0], pair[1])
		less, another = less || l, another || a
	}
	return less, another
}

// compareText compares two values of which one has no parts. A number may come back
// as a text.
func compareText(sent, shown any) (less, another bool) {
	a, isText := scalarText(sent)
	b, isShownText := scalarText(shown)
	switch {
	case isShownText && einvoice.IsMasked(b):
		return true, false
	case isText && isShownText:
		return false, a != b && !jsontree.SameText(a, b)
	default:
		return false, !jsontree.Same(sent, shown)
	}
}

func scalarText(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case json.Number:
		return value.String(), true
	default:
		return "", false
	}
}
