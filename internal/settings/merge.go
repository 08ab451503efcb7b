package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// The service replaces inside a block of settings that is sent: a field that is
// left out goes back to its default, and companies have left the test
// environment or lost their numbering that way. So whole blocks are sent, as
// they were read but for the managed fields, and only blocks that change.

// setting is one managed field of a company's settings.
type setting struct {
	at    path.Path // product_invoice.inbound.enabled
	block string    // productInvoice
	field []string  // inbound, enabled
	kind  attr.Type
	value attr.Value // as configured; never null, never unknown
}

func (s setting) name() string { return message.LastStep(s.at) }

// satisfiedBy tells whether a value of the service says what is configured.
// A number that the service moves by itself is satisfied by a higher one.
func (s setting) satisfiedBy(raw json.RawMessage) (bool, error) {
	held, err := settingFromAPI(s.name(), s.kind, raw)
	if err != nil {
		return false, err
	}
	switch wanted := s.value.(type) {
	case types.Int64:
		held, ok := held.(types.Int64)
		if ok && !held.IsNull() && isFloor(s.name()) {
			return held.ValueInt64() >= wanted.ValueInt64(), nil
		}
	case attribute.Spelled:
		held, ok := held.(attribute.Spelled)
		return ok && !held.IsNull() && wanted.Spelling.Same(wanted.ValueString(), held.ValueString()), nil
	}
	return s.value.Equal(held), nil
}

// wire is the value as it is sent.
func (s setting) wire() json.RawMessage {
	switch v := s.value.(type) {
	case types.Int64:
		return strconv.AppendInt(nil, v.ValueInt64(), 10)
	case types.Bool:
		return strconv.AppendBool(nil, v.ValueBool())
	default:
		return wireText(string(attribute.AttrText(v)))
	}
}

// wireText writes a JSON string.
func wireText(text string) json.RawMessage {
	raw, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`) // A Go string always has a JSON form.
	}
	return raw
}

// isFloor tells of the numbers that the service moves with each invoice.
func isFloor(name string) bool { return name == "next_number" || name == "next_batch_number" }

// overlaySettings returns the blocks to send so that the service holds what is
// wanted. Every field that is not wanted stays byte for byte as it was read; a
// block in which nothing changes is not among them. It fails rather than write
// the mask of a secret back over the secret.
func overlaySettings(held map[string]einvoice.SettingsBlock, wanted []setting, secrets []wantedSecret) (map[string]einvoice.SettingsBlock, diag.Diagnostics) {
	var diags diag.Diagnostics
	changed := map[string]einvoice.SettingsBlock{}
	current := func(block string) einvoice.SettingsBlock {
		if fields, ok := changed[block]; ok {
			return fields
		}
		return held[block]
	}
	for _, s := range wanted {
		raw, err := fieldOf(current(s.block), s.field)
		if err == nil {
			var satisfied bool
			if satisfied, err = s.satisfiedBy(raw); satisfied {
				continue
			}
		}
		if err == nil {
			changed[s.block], err = withField(current(s.block), s.field, s.wire())
		}
		if err != nil {
			diags.Append(unexpectedSetting(s.at, err))
		}
	}
	for _, s := range secrets {
		if _, rewritten := changed[s.block]; rewritten || s.mustSend(held[s.block]) {
			changed[s.block] = maps.Clone(current(s.block))
			if changed[s.block] == nil {
				changed[s.block] = einvoice.SettingsBlock{}
			}
			diags.Append(s.settle(changed[s.block])...)
			diags.Append(s.doubt(held[s.block])...)
		}
	}
	for _, block := range slices.Sorted(maps.Keys(changed)) {
		if field, masked := maskedField(block, changed[block], wanted, secrets); masked {
			diags.Append(maskedUnknown(block, field))
		}
	}
	return changed, diags
}

// untaken is a managed field that the service did not take.
type untaken struct {
	at         path.Path
	sent, held string // "" for secrets
}

// untakenSettings compares what was sent with what the service holds
// afterwards: it answers well-formed settings with success also when it ignores
// them, so reading back is the only proof.
func untakenSettings(held map[string]einvoice.SettingsBlock, wanted []setting, secrets []wantedSecret) []untaken {
	var out []untaken
	for _, s := range wanted {
		raw, err := fieldOf(held[s.block], s.field)
		if err == nil {
			var satisfied bool
			if satisfied, err = s.satisfiedBy(raw); satisfied {
				continue
			}
		}
		text := string(raw)
		if raw == nil || err != nil {
			text = "nothing"
		}
		out = append(out, untaken{at: s.at, sent: string(s.wire()), held: text})
	}
	for _, s := range secrets {
		if !s.heldBy(held[s.block]) {
			out = append(out, untaken{at: s.source()})
		}
	}
	return out
}

// fieldOf returns the raw value of a field, nil where it is missing.
func fieldOf(block map[string]json.RawMessage, field []string) (json.RawMessage, error) {
	raw, ok := block[field[0]]
	if !ok || len(field) == 1 {
		return raw, nil
	}
	inner, err := membersOf(raw)
	if err != nil {
		return nil, err
	}
	return fieldOf(inner, field[1:])
}

// membersOf reads a JSON object; null is one without members.
func membersOf(raw json.RawMessage) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if len(raw) == 0 {
		return nil, nil //nolint:nilnil // A missing object has no members.
	}
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, fmt.Errorf("an object was expected: %w", err)
	}
	return members, nil
}

// withField returns a copy of block in which only one field differs.
func withField(block einvoice.SettingsBlock, field []string, value json.RawMessage) (einvoice.SettingsBlock, error) {
	next := maps.Clone(block)
	if next == nil {
		next = einvoice.SettingsBlock{}
	}
	if len(field) == 1 {
		next[field[0]] = value
		return next, nil
	}
	inner := next[field[0]]
	if isJSONNull(inner) {
		inner = json.RawMessage("{}")
	}
	spliced, err := withMember(inner, field[1], value)
	if err != nil {
		return nil, err
	}
	next[field[0]] = spliced
	return next, nil
}

// withMember sets one member of a JSON object and leaves every other byte of
// the object as it is.
func withMember(object json.RawMessage, name string, value json.RawMessage) (json.RawMessage, error) {
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
	return slices.Concat(object[:end], []byte(separator), wireText(name), []byte(":"), value, object[end:]), nil
}

func isJSONNull(raw json.RawMessage) bool {
	trimmed := bytes.TrimSpace(raw)
	return len(trimmed) == 0 || string(trimmed) == "null"
}

// maskedField finds a text that the service masked in a field this provider
// does not know, at any depth: sending it back would put the mask in its place.
func maskedField(block string, fields einvoice.SettingsBlock, wanted []setting, secrets []wantedSecret) (string, bool) {
	known := map[string]bool{}
	for _, s := range wanted {
		if s.block == block {
			known[strings.Join(s.field, ".")] = true
		}
	}
	for _, s := range secrets {
		if s.block == block {
			known[s.field] = true // Settled by its own rule.
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value, err := jsontree.Decode(fields[name])
		if err != nil {
			continue
		}
		if at, masked := maskedText(name, value, known); masked {
			return at, true
		}
	}
	return "", false
}

func maskedText(at string, value any, known map[string]bool) (string, bool) {
	if known[at] {
		return "", false
	}
	switch value := value.(type) {
	case string:
		return at, looksMasked(value)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if found, masked := maskedText(at+"."+name, value[name], known); masked {
				return found, true
			}
		}
	case []any:
		for i, element := range value {
			if found, masked := maskedText(fmt.Sprintf("%s[%d]", at, i), element, known); masked {
				return found, true
			}
		}
	}
	return "", false
}

// looksMasked wants more than the client does for a field that is known to be a
// secret: one asterisk may stand in any text.
func looksMasked(text string) bool {
	return strings.Contains(text, "***") || strings.Contains(text, "•••") || strings.Contains(text, "●●●")
}
