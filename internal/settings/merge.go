package settings

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// The service replaces inside a block of settings that is sent: a field that is
// left out goes back to its default, and companies have left the test
// environment or lost their numbering that way. So whole blocks are sent, as
// they were read but for the managed fields, and only blocks that change.

// document is the settings of a company by block.
type document = map[string]einvoice.SettingsBlock

// setting is one managed field of a company's settings.
type setting struct {
	field
	at    path.Path  // product_invoice.inbound.enabled
	block string     // productInvoice
	keys  []string   // inbound, enabled
	value attr.Value // as configured; never null, never unknown
}

// managed lists the settings that a configuration manages: what is not null in
// it, but for the secrets, which have rules of their own.
func (m *blocksModel) managed() []setting {
	var out []setting
	for _, b := range blocks {
		out = append(out, managedIn(b.fields, setting{at: path.Root(b.name), block: b.wireName()}, *m.block(b.name))...)
	}
	return out
}

// managedIn lists them in one object, which is at the place of around.
func managedIn(fields []field, around setting, object types.Object) []setting {
	var out []setting
	for _, f := range fields {
		value := leaf(object, f.name)
		s := setting{field: f, at: around.at.AtName(f.name), block: around.block, keys: append(slices.Clone(around.keys), f.wireName()), value: value}
		switch inner, isObject := value.(types.Object); {
		case isObject:
			out = append(out, managedIn(f.fields, s, inner)...)
		case !attribute.IsUnset(value) && f.kind != secret:
			out = append(out, s)
		}
	}
	return out
}

// heldIn is the field as the service wrote it, and whether it says what is
// configured. A number that the service raises by itself may be higher.
func (s setting) heldIn(held document) (raw json.RawMessage, satisfied bool, err error) {
	raw, err = jsontree.At(held[s.block][s.keys[0]], s.keys[1:]...)
	if err != nil {
		return nil, false, err
	}
	value, err := s.read(raw, nil)
	if err != nil {
		return nil, false, err
	}
	switch wanted := s.value.(type) {
	case types.Int64:
		if number, ok := value.(types.Int64); ok && !number.IsNull() && s.kind == nextNumber {
			return raw, number.ValueInt64() >= wanted.ValueInt64(), nil
		}
	case attribute.Spelled:
		text, ok := value.(attribute.Spelled)
		return raw, ok && !text.IsNull() && wanted.Spelling.Same(wanted.ValueString(), text.ValueString()), nil
	}
	return raw, s.value.Equal(value), nil
}

func (s setting) isHeldIn(held document) bool {
	_, satisfied, err := s.heldIn(held)
	return err == nil && satisfied
}

func (s setting) putInto(next document) error {
	block := next[s.block]
	changed, err := jsontree.With(block[s.keys[0]], wire(s.value), s.keys[1:]...)
	if err == nil {
		block[s.keys[0]] = changed
	}
	return err
}

// overlay returns the blocks to send so that the service holds what is wanted.
// Every field that is not wanted stays byte for byte as it was read; a block in
// which nothing changes is not among them. It fails rather than write the mask
// of a secret back over the secret.
func overlay(held document, wanted []setting, secrets []wantedSecret) (document, diag.Diagnostics) {
	var diags diag.Diagnostics
	next, changed := document{}, map[string]bool{}
	for _, b := range blocks {
		next[b.wireName()] = einvoice.SettingsBlock{}
		maps.Copy(next[b.wireName()], held[b.wireName()])
	}
	for _, s := range wanted {
		_, satisfied, err := s.heldIn(next)
		if err == nil && !satisfied {
			changed[s.block] = true
			err = s.putInto(next)
		}
		if err != nil {
			diags.Append(unexpectedSetting(s.at, err))
		}
	}
	for _, s := range secrets {
		if changed[s.wireBlock()] || s.mustBeSent(held) {
			changed[s.wireBlock()] = true
			diags.Append(s.putInto(next, held)...)
		}
	}
	maps.DeleteFunc(next, func(block string, _ einvoice.SettingsBlock) bool { return !changed[block] })
	for _, block := range slices.Sorted(maps.Keys(next)) {
		if at := maskedField(block, next[block], wanted, secrets); at != "" {
			diags.Append(maskedUnknown(block, at))
		}
	}
	return next, diags
}

// maskedField finds a text that the service masked in a field that this provider
// does not write, at any depth: sending it back would put the mask in its place.
func maskedField(block string, fields einvoice.SettingsBlock, wanted []setting, secrets []wantedSecret) string {
	written := map[string]bool{}
	for _, s := range wanted {
		if s.block == block {
			written[strings.Join(s.keys, ".")] = true
		}
	}
	for _, s := range secrets {
		if s.wireBlock() == block {
			written[s.wireName()] = true // It has a rule of its own.
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value, err := jsontree.Decode(fields[name])
		if err != nil {
			continue
		}
		for at, text := range jsontree.Texts(name, value) {
			if looksMasked(text) && !written[at] {
				return at
			}
		}
	}
	return ""
}

// looksMasked wants more than the client does for a field that is known to be a
// secret: one asterisk may stand in any text.
func looksMasked(text string) bool {
	return strings.Contains(text, "***") || strings.Contains(text, "•••") || strings.Contains(text, "●●●")
}

// untaken is what was sent and is not held afterwards.
type untaken struct {
	at         path.Path // the argument
	inState    path.Path // what the state has of it: of a write-only one its version
	sent, held string    // "" for secrets
}

// untakenSettings compares what was sent with what the service holds
// afterwards: it answers well-formed settings with success also when it ignores
// them, so reading back is the only proof.
func untakenSettings(held document, wanted []setting, secrets []wantedSecret) []untaken {
	var out []untaken
	for _, s := range wanted {
		if raw, satisfied, err := s.heldIn(held); !satisfied {
			shown := string(raw)
			if raw == nil || err != nil {
				shown = "nothing"
			}
			out = append(out, untaken{at: s.at, inState: s.at, sent: string(wire(s.value)), held: shown})
		}
	}
	for _, s := range secrets {
		switch {
		case s.mayBeIn(held):
		case s.plain:
			out = append(out, untaken{at: s.plainPath(), inState: s.plainPath()})
		default:
			out = append(out, untaken{at: s.writeOnlyPath(), inState: s.versionPath()})
		}
	}
	return out
}
