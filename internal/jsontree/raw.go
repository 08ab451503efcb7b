package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// errNotObject shows nothing of the value, which may be a secret.
var errNotObject = errors.New("an object was expected")

// IsNull reports whether a raw value is missing or null.
func IsNull(raw json.RawMessage) bool {
	trimmed := bytes.TrimSpace(raw)
	return len(trimmed) == 0 || string(trimmed) == "null"
}

// Text writes a JSON string.
func Text(text string) json.RawMessage {
	raw, _ := json.Marshal(text) // Every Go string has a JSON form.
	return raw
}

// Members reads a JSON object; null is an object without members.
func Members(raw json.RawMessage) (map[string]json.RawMessage, error) {
	if IsNull(raw) {
		return map[string]json.RawMessage{}, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, errNotObject
	}
	return members, nil
}

// At returns the value at the end of a path of keys, as it is written; nil where it is missing.
func At(raw json.RawMessage, path ...string) (json.RawMessage, error) {
	for _, name := range path {
		members, err := Members(raw)
		if err != nil {
			return nil, err
		}
		raw = members[name]
	}
	return raw, nil
}

// With returns raw with another value at the end of a path of keys, and every other byte as it was: an encoder would
// drop spaces and write texts in its own way. Objects that are missing on the path are added.
func With(raw, value json.RawMessage, path ...string) (json.RawMessage, error) {
	if len(path) == 0 {
		return value, nil
	}
	if IsNull(raw) {
		raw = json.RawMessage("{}")
	}
	p, err := placeOf(raw, path[0])
	if err != nil {
		return nil, err
	}
	changed, err := With(raw[p.start:p.end], value, path[1:]...)
	if err != nil {
		return nil, err
	}
	return slices.Concat(raw[:p.start], p.before, changed, raw[p.end:]), nil
}

// place is where the value of a member is in the text of an object, or can be
// put, with what has to be written before it then.
type place struct {
	start, end int64
	before     []byte
}

// placeOf finds a member. Of several with the same name it takes the last, as everybody who reads the object does.
func placeOf(object json.RawMessage, name string) (place, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return place{}, errNotObject
	}
	var found, end place
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return place{}, errNotObject
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return place{}, errNotObject
		}
		if at := decoder.InputOffset(); key == name {
			found = place{start: at - int64(len(value)), end: at}
		}
		end.before = []byte(",")
	}
	if _, err := decoder.Token(); err != nil {
		return place{}, errNotObject
	}
	if found.end > 0 {
		return found, nil
	}
	end.start = decoder.InputOffset() - 1
	end.end = end.start
	end.before = slices.Concat(end.before, Text(name), []byte(":"))
	return end, nil
}
