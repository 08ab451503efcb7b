package einvoice

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
)

// neverMerged are the members that are replaced: the service resolves a city's name and code from each other, so that
// an old one would contradict a new one, and lists have no keys to merge by.
var neverMerged = map[string]bool{"city": true, "country": true, "economicActivities": true}

// encode writes JSON without the escapes for HTML, so that an URL stays readable at the other end.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// membersTree decodes an object keeping numbers as they are written.
func membersTree(raw json.RawMessage) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var tree map[string]any
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	return tree, nil
}

// fieldsOf returns what a value of this package would send.
func fieldsOf(v any) (map[string]any, error) {
	raw, err := encode(v)
	if err != nil {
		return nil, err
	}
	fields, err := membersTree(raw)
	if err != nil {
		return nil, err
	}
	delete(fields, "id")
	return fields, nil
}

func extraFields(extra json.RawMessage) (map[string]any, error) {
	if len(bytes.TrimSpace(extra)) == 0 {
		return map[string]any{}, nil
	}
	tree, err := membersTree(extra)
	if err != nil || tree == nil || !json.Valid(extra) {
		return nil, errors.New("the extra fields are not a JSON object")
	}
	return tree, nil
}

// newBody is a new object: extra with the fields of in laid over it.
func newBody(in any, extra json.RawMessage) (json.RawMessage, error) {
	return updateBody(json.RawMessage(`{}`), in, nil, extra)
}

// updateBody is the object the service holds with extra and the fields of next laid over it, and a null for
// everything that only prior has. Credentials are not part of it.
func updateBody(held json.RawMessage, next, prior any, extra json.RawMessage) (json.RawMessage, error) {
	body, err := membersTree(held)
	if err != nil {
		return nil, errors.New("the object the service holds is not a JSON object")
	}
	delete(body, "apiCredentials")
	changes, err := extraFields(extra)
	if err != nil {
		return nil, err
	}
	after, err := fieldsOf(next)
	if err != nil {
		return nil, err
	}
	before, err := fieldsOf(prior)
	if err != nil {
		return nil, err
	}
	merge(changes, after)
	nullRemoved(changes, before)
	merge(body, changes)
	return encode(body)
}

// merge puts the members of over on base, objects merged at any depth.
func merge(base, over map[string]any) {
	for name, value := range over {
		inner, isTree := value.(map[string]any)
		held, heldTree := base[name].(map[string]any)
		if isTree && heldTree && !neverMerged[name] {
			held = maps.Clone(held)
			merge(held, inner)
			base[name] = held
			continue
		}
		base[name] = value
	}
}

// lacksSent reports whether an object has no member for one that in and extra set.
func lacksSent(object json.RawMessage, in any, extra json.RawMessage) bool {
	held, err := membersTree(object)
	if err != nil {
		return false
	}
	body, _ := newBody(in, extra) // Both were sent.
	sent, _ := membersTree(body)
	for name, value := range sent {
		if _, ok := held[name]; !ok && !blank(value) {
			return true
		}
	}
	return false
}

// nullRemoved adds a null to body for each member that before has and body lacks.
func nullRemoved(body, before map[string]any) {
	for name, value := range before {
		now, kept := body[name]
		if !kept {
			body[name] = nil
			continue
		}
		was, wasTree := value.(map[string]any)
		is, isTree := now.(map[string]any)
		if wasTree && isTree && !neverMerged[name] {
			nullRemoved(is, was)
		}
	}
}

func blank(v any) bool { return v == nil || v == "" }
