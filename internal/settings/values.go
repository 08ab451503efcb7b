package settings

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// document is the settings of a company at the service, by block.
type document map[string]einvoice.SettingsBlock

// typesOf are the types of the fields of an object.
func typesOf(fields []field) map[string]attr.Type {
	return attribute.TypesIn(field{kind: object, fields: fields}.resourceAttribute().GetType())
}

// read returns a field as the service shows it; null, missing and "" are null. prior is what the state has.
func (f field) read(raw json.RawMessage, prior attr.Value) (attr.Value, error) {
	switch f.kind {
	case object:
		held, _ := prior.(types.Object)
		return f.readObject(raw, held)
	case flag:
		v, err := scalar[*einvoice.Flag](f, raw, "true or false")
		return attribute.FlagOrNull(v), err
	case number, nextNumber:
		v, err := scalar[*einvoice.Int](f, raw, "a whole number")
		return attribute.IntOrNull(v), err
	case word:
		v, err := scalar[einvoice.Enum](f, raw, "a text")
		return attribute.TextOrNull(v), err
	case anyJSON:
		return attribute.JSONValue(cmp.Or(string(raw), "null")), nil
	case anyText, spelled, secretJSON:
	case secret: // Another one is a change in the plan, and apply repairs it.
		held, _ := prior.(types.String)
		if held.IsNull() || raw == nil || mayBe(raw, held.ValueString()) {
			return held, nil
		}
	}
	v, err := scalar[einvoice.Text](f, raw, "a text")
	if f.kind == spelled {
		return attribute.SpelledOrNull(f.spelling, v), err
	}
	return attribute.TextOrNull(v), err
}

func (f field) readObject(raw json.RawMessage, prior types.Object) (attr.Value, error) {
	if jsontree.IsNull(raw) {
		return attribute.AbsentObject(prior, typesOf(f.fields)), nil
	}
	members, err := jsontree.Members(raw)
	if err != nil {
		return nil, fmt.Errorf("%s is not an object", f.wireName())
	}
	values := make(map[string]attr.Value, len(f.fields))
	for _, inner := range f.fields {
		if values[inner.name], err = inner.read(members[inner.wireName()], leaf(prior, inner.name)); err != nil {
			return nil, err
		}
	}
	return types.ObjectValueMust(typesOf(f.fields), values), nil
}

// scalar decodes one value; null, missing and "" are the zero value.
func scalar[T any](f field, raw json.RawMessage, want string) (value T, err error) {
	if jsontree.IsNull(raw) || string(raw) == `""` {
		return value, nil
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return value, fmt.Errorf("%s is not %s", f.wireName(), want)
	}
	return value, nil
}

// setting is a configured value of a field. Of a secret it is null unless configured.
type setting struct {
	place
	value attr.Value

	// Of a secret.
	isWriteOnly bool // the value is the write-only argument
	isChanged   bool // the state has another value, or another version
}

// wire is the configured value as it is sent.
func (s setting) wire() json.RawMessage {
	switch value := s.value.(type) {
	case types.Int64:
		return fmt.Append(nil, value.ValueInt64())
	case types.Bool:
		return fmt.Append(nil, value.ValueBool())
	case attribute.JSON:
		return json.RawMessage(value.ValueString())
	}
	if s.kind == secretJSON {
		return json.RawMessage(s.text())
	}
	return jsontree.Text(s.text())
}

// text is a configured text; "" for none.
func (s setting) text() string { return string(attribute.AttrText(s.value)) }

// in is the field as the service wrote it; nil where it is missing.
func (p place) in(held document) (json.RawMessage, error) {
	return jsontree.At(held[p.keys[0]][p.keys[1]], p.keys[2:]...)
}

func (s setting) putInto(next document) error {
	changed, err := jsontree.With(next[s.keys[0]][s.keys[1]], s.wire(), s.keys[2:]...)
	if err == nil {
		next[s.keys[0]][s.keys[1]] = changed
	}
	return err
}

// isHeld reports whether the service holds what is configured. It raises a next number by itself.
func (s setting) isHeld(held document) (bool, error) {
	raw, err := s.in(held)
	if err != nil {
		return false, err
	}
	value, err := s.read(raw, nil)
	if err != nil || value.IsNull() {
		return false, err
	}
	if n, isNumber := value.(types.Int64); isNumber && s.kind == nextNumber {
		minimum, _ := s.value.(types.Int64)
		return n.ValueInt64() >= minimum.ValueInt64(), nil
	}
	return s.isSame(value), nil
}

// isPlanned reports whether the plan has what is configured, or did not know it yet.
func (s setting) isPlanned(planned attr.Value) bool { return planned.IsUnknown() || s.isSame(planned) }

// isSame reports whether another value, spelled in any way, is the configured one.
func (s setting) isSame(other attr.Value) bool {
	switch wanted := s.value.(type) {
	case attribute.Spelled:
		text, _ := other.(attribute.Spelled)
		return s.spelling.Same(text.ValueString(), wanted.ValueString())
	case attribute.JSON:
		shown, _ := other.(attribute.JSON)
		return attribute.ExtraHeld(wanted, json.RawMessage(shown.ValueString()))
	}
	return s.value.Equal(other)
}
