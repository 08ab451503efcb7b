package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// object is a JSON object as the service sent it. Its numbers are json.Number.
type object map[string]any

// The forms of a list.
const (
	aPage     = "a page"
	anArray   = "a bare array"
	oneObject = "one object"
	otherName = "a list under another name"
	noList    = "no list"
)

func decoded(body []byte) any {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// objectIn returns the object of an answer, and whether it was below "result".
func objectIn(body []byte) (of object, wrapped bool) {
	members, _ := decoded(body).(map[string]any)
	if inner, ok := members["result"].(map[string]any); ok && members["id"] == nil {
		return inner, true
	}
	return members, false
}

// itemsIn returns the entries of a list, the members beside them, and its form.
func itemsIn(body []byte) (items []object, around object, form string) {
	entries, problem := einvoice.ListIn(body)
	if problem != "" {
		return nil, nil, noList
	}
	for _, entry := range entries {
		items = append(items, fieldsOf(entry))
	}
	switch around, _ = objectIn(body); {
	case around == nil:
		return items, nil, anArray
	case around["items"] != nil:
		return items, around, aPage
	case around["id"] != nil:
		return items, nil, oneObject
	}
	return items, around, otherName
}

func objects(array []any) []object {
	var all []object
	for _, element := range array {
		if of, ok := element.(map[string]any); ok {
			all = append(all, of)
		}
	}
	return all
}

// text is a scalar as text, "" for anything else.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func (o object) text(name string) string { return text(o[name]) }

func (o object) part(name string) object {
	of, _ := o[name].(map[string]any)
	return of
}

// isEmpty reports whether a value says nothing: null, "", or an object or array of such.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		for _, member := range v {
			if !isEmpty(member) {
				return false
			}
		}
		return true
	}
	return false
}

// same reports whether a stored value is what was sent, however it is spelled.
func same(sent, stored any) bool {
	if text(sent) != "" {
		a, b := strings.TrimSuffix(text(sent), ".0"), strings.TrimSuffix(text(stored), ".0")
		return a == b || numeric(a) == numeric(b) && numeric(a) != ""
	}
	a, errA := json.Marshal(sent)
	b, errB := json.Marshal(stored)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// numeric is a decimal number without the zeros at its end, "" for anything else.
func numeric(s string) string {
	if !decimal.MatchString(s) {
		return ""
	}
	if strings.Contains(s, ".") {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return s
}

var (
	decimal = regexp.MustCompile(`^-?\d+(\.\d+)?$`)
	uuidish = regexp.MustCompile(`(?i)^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	zoned   = regexp.MustCompile(`(Z|[+-]\d\d:?\d\d)$`)
	// longDigits are tax numbers, access keys and the like, also with their punctuation.
	longDigits = regexp.MustCompile(`\d[\d./-]{6,}\d`)
)

// documentForm names how a PDF or an XML came, "" for none.
func documentForm(body []byte, format string) string {
	if begins(body, format) {
		return "raw bytes"
	}
	var s string
	if json.Unmarshal(body, &s) != nil {
		return ""
	}
	if begins([]byte(s), format) {
		return "a JSON string"
	}
	plain, err := base64.StdEncoding.DecodeString(strings.TrimRight(s, "\r\n"))
	if err == nil && begins(plain, format) {
		return "base64 in a JSON string"
	}
	return ""
}

func begins(body []byte, format string) bool {
	first := map[string]string{"pdf": "%PDF", "xml": "<"}[format]
	head := strings.ToLower(string(bytes.TrimSpace(body[:min(len(body), 64)])))
	isPage := strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html")
	return strings.HasPrefix(head, strings.ToLower(first)) && !isPage
}

// randomCPF is a tax number with right check digits.
func randomCPF() string {
	digits := make([]int, 9, 11)
	for i := range digits {
		digits[i] = rand.IntN(10) //nolint:gosec // It names nobody.
	}
	for len(digits) < cap(digits) {
		sum := 0
		for i, digit := range digits {
			sum += digit * (len(digits) + 1 - i)
		}
		digits = append(digits, sum*10%11%10)
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(digits), " ", ""), "[]")
}

// decodedValue is a value as the service would send it back.
func decodedValue(v any) any {
	encoded, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return decoded(encoded)
}
