package einvoice

import (
	"encoding/json"
	"strconv"
)

// objectsRelation is how an entry of a list relates to the object read by id.
type objectsRelation int

const (
	objectsEqual objectsRelation = iota
	objectsDiffer
	objectsShorter // the entry lacks members
)

// compareObjects compares what is said, not how it is written: null, "" and, in
// the object alone, a missing member are the same, as are 1, 1.0 and "1".
func compareObjects(object, entry json.RawMessage) objectsRelation {
	is, err := membersTree(object)
	if err != nil {
		return objectsDiffer
	}
	shown, err := membersTree(entry)
	if err != nil {
		return objectsDiffer
	}
	return compareTrees(is, shown)
}

func compareTrees(is, shown any) objectsRelation {
	switch is := is.(type) {
	case map[string]any:
		members, ok := shown.(map[string]any)
		if !ok {
			return objectsDiffer
		}
		relation := objectsEqual
		for name, value := range is {
			other, present := members[name]
			if !present {
				return objectsShorter
			}
			relation = max(relation, compareTrees(value, other))
		}
		for name, value := range members {
			if _, present := is[name]; !present && !blank(value) {
				relation = max(relation, objectsDiffer)
			}
		}
		return relation
	case []any:
		elements, ok := shown.([]any)
		if !ok || len(is) != len(elements) {
			return objectsDiffer
		}
		relation := objectsEqual
		for i := range is {
			relation = max(relation, compareTrees(is[i], elements[i]))
		}
		return relation
	}
	if blank(is) && blank(shown) || sameScalar(is, shown) {
		return objectsEqual
	}
	return objectsDiffer
}

func blank(v any) bool { return v == nil || v == "" }

// sameScalar compares two scalars as Text would read them, and as Number would
// where one of them is a number.
func sameScalar(a, b any) bool {
	left, right := scalarText(a), scalarText(b)
	if left == "" || right == "" || left == right {
		return left != "" && left == right
	}
	_, leftNumber := a.(json.Number)
	_, rightNumber := b.(json.Number)
	x, err := strconv.ParseFloat(left, 64)
	y, otherErr := strconv.ParseFloat(right, 64)
	return (leftNumber || rightNumber) && err == nil && otherErr == nil && x == y
}

func scalarText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}
