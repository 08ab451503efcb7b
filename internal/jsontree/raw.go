package jsontree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// RawAt returns the raw value of a field, nil where it is missing.
func RawAt(block map[string]json.RawMessage, field []string) (json.RawMessage, error) {
	raw, ok := block[field[0]]
	if !ok || len(field) == 1 {
		return raw, nil
	}
	inner, err := Members(raw)
	if err != nil {
		return nil, err
	}
	return RawAt(inner, field[1:])
}

// Members reads a JSON object; null is one without members.
func Members(raw json.RawMessage) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if len(raw) == 0 {
		return nil, nil //nolint:nilnil // A missing object has no members.
	}
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, fmt.Errorf("an object was expected: %w", err)
	}
	return members, nil
}

// WithMember sets one member of a JSON object and leaves every other byte of
// the object as it is.
func WithMember(object json.RawMessage, name string, value json.RawMessage) (json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, fmt.Errorf("an object was expected, not %.20q", object)
	}
	separator := ""
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("reading an object: %w", err)
		}
		var old json.RawMessage
		if err := decoder.Decode(&old); err != nil {
			return nil, fmt.Errorf("reading an object: %w", err)
		}
		if end := decoder.InputOffset(); key == name {
			return slices.Concat(object[:end-int64(len(old))], value, object[end:]), nil
		}
		separator = ","
	}
	end := bytes.LastIndexByte(object, '}')
	return slices.Concat(object[:end], []byte(separator), Text(name), []byte(":"), value, object[end:]), nil
}

func IsNull(raw json.RawMessage) bool {
	trimmed := bytes.TrimSpace(raw)
	return len(trimmed) == 0 || string(trimmed) == "null"
}

// Text writes a JSON string.
func Text(text string) json.RawMessage {
	raw, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`) // A Go string always has a JSON form.
	}
	return raw
}
