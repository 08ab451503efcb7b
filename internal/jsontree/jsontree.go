// Package jsontree decodes, compares and changes JSON without losing how a
// number, a text or a whole object was written.
package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Decode keeps numbers as they are written, and drops a byte order mark.
func Decode(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte(byteOrderMark))))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text after the JSON value")
	}
	return value, nil
}

// Same compares decoded values: the order of keys does not matter, numbers compare by value, and a letter with an accent
// is one character or two.
func Same(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, Same)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, Same)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && sameNumber(a.String(), b.String())
	case string:
		b, ok := b.(string)
		return ok && norm.NFC.String(a) == norm.NFC.String(b)
	default:
		return a == b
	}
}

// sameNumber compares JSON numbers by value: 10, 10.00 and 1e1 are the same.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	signA, digitsA, expA := decimalParts(a)
	signB, digitsB, expB := decimalParts(b)
	return signA == signB && digitsA == digitsB && expA.Cmp(expB) == 0
}

// decimalParts splits a JSON number into sign, digits without zeros at either end, and the power of ten of the last
// digit. The exponent stays a number of its own and is never expanded: 1e999999999 is a valid JSON number.
func decimalParts(text string) (negative bool, digits string, exponent *big.Int) {
	text, negative = strings.CutPrefix(text, "-")
	mantissa, power, scientific := strings.Cut(strings.ToLower(text), "e")
	exponent = new(big.Int)
	if scientific {
		exponent.SetString(power, 10)
	}
	integer, fraction, _ := strings.Cut(mantissa, ".")
	digits = integer + fraction
	exponent.Sub(exponent, big.NewInt(int64(len(fraction))))
	trimmed := strings.TrimRight(digits, "0")
	exponent.Add(exponent, big.NewInt(int64(len(digits)-len(trimmed))))
	digits = strings.TrimLeft(trimmed, "0")
	if digits == "" {
		return false, "", new(big.Int)
	}
	return negative, digits, exponent
}

// Member walks down objects by keys; nil when a step is missing.
func Member(value any, keys ...string) any {
	for _, key := range keys {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[key]
	}
	return value
}

// SameText compares two JSON texts; a text that is not JSON equals nothing.
func SameText(a, b string) bool {
	x, errX := Decode([]byte(a))
	y, errY := Decode([]byte(b))
	return errX == nil && errY == nil && Same(x, y)
}

// Holds reports whether held has all that wanted has, at any depth.
func Holds(held, wanted any) bool { return Same(wanted, Project(wanted, held)) }

// Project keeps of held what configured has keys for, at any depth. A list of another length is kept as it is.
func Project(configured, held any) any {
	switch configured := configured.(type) {
	case map[string]any:
		object, ok := held.(map[string]any)
		if !ok {
			return held
		}
		out := make(map[string]any, len(configured))
		for key, value := range configured {
			out[key] = Project(value, object[key])
		}
		return out
	case []any:
		list, ok := held.([]any)
		if !ok || len(list) != len(configured) {
			return held
		}
		out := make([]any, len(list))
		for i, value := range configured {
			out[i] = Project(value, list[i])
		}
		return out
	default:
		return held
	}
}
