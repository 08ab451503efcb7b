package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
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

// document is the settings of a company at the service, by block.
type document map[string]einvoice.SettingsBlock

// place is where a field is.
type place struct {
	field
	at   path.Path // product_invoice.inbound.enabled
	keys []string  // productInvoice, inbound, enabled
}

func (p place) inner(f field) place {
	return place{f, p.at.AtName(f.name), append(slices.Clone(p.keys), f.wireName())}
}

func (p place) block() string { return p.keys[0] }

// in is the field as the service wrote it; nil where it is missing.
func (p place) in(held document) (json.RawMessage, error) {
	return jsontree.At(held[p.keys[0]][p.keys[1]], p.keys[2:]...)
}

func (p place) putInto(next document, value json.RawMessage) error {
	changed, err := jsontree.With(next[p.keys[0]][p.keys[1]], value, p.keys[2:]...)
	if err == nil {
		next[p.keys[0]][p.keys[1]] = changed
	}
	return err
}

// takeOut takes a field of a block, or of an object in it, out of what was read, which
// then says nothing about it.
func (p place) takeOut(held document) {
	fields, name := held[p.keys[0]], p.keys[1]
	if len(p.keys) == 2 {
		delete(fields, name)
		return
	}
	members, _ := jsontree.Members(fields[name]) // It was found in this object.
	delete(members, p.wireName())
	fields[name], _ = json.Marshal(members)
}

// setting is a field that a configuration manages.
type setting struct {
	place
	value attr.Value // never null, never unknown
}

// managed lists what is known in the blocks of a configuration, but for the
// secrets.
func (m *blocksModel) managed() []setting {
	var out []setting
	for _, b := range blocks {
		out = append(out, managedIn(place{}.inner(b), *m.block(b.name))...)
	}
	return out
}

func managedIn(p place, value attr.Value) []setting {
	object, isObject := value.(types.Object)
	switch {
	case attribute.IsUnset(value), p.kind == secret:
		return nil
	case !isObject:
		return []setting{{p, value}}
	}
	var out []setting
	for _, f := range p.fields {
		out = append(out, managedIn(p.inner(f), leaf(object, f.name))...)
	}
	return out
}

// heldIn tells whether the service holds what is configured, and what it wrote.
// A number that it raises by itself may be higher.
func (s setting) heldIn(held document) (satisfied bool, raw json.RawMessage, err error) {
	if raw, err = s.in(held); err != nil {
		return false, nil, err
	}
	value, err := s.read(raw, nil)
	if err != nil || value.IsNull() {
		return false, raw, err
	}
	switch value := value.(type) {
	case types.Int64:
		wanted, _ := s.value.(types.Int64)
		return value.Equal(wanted) || s.kind == nextNumber && value.ValueInt64() > wanted.ValueInt64(), raw, nil
	case attribute.Spelled:
		wanted, _ := s.value.(attribute.Spelled)
		return value.Spelling.Same(value.ValueString(), wanted.ValueString()), raw, nil
	case jsontypes.Normalized:
		configured, _ := s.value.(jsontypes.Normalized)
		return attribute.ExtraHeld(configured, json.RawMessage(value.ValueString())), raw, nil
	default:
		return value.Equal(s.value), raw, nil
	}
}

// overlay returns the blocks to send so that the service holds what is wanted.
// Every field that is not wanted stays byte for byte as it was read; a block in
// which nothing changes is not among them, unless it is one of also. It fails rather than
// write the mask of a secret back over the secret.
func overlay(held document, wanted []setting, secrets []wantedSecret, also ...string) (document, diag.Diagnostics) {
	var diags diag.Diagnostics
	next, changed := document{}, map[string]bool{}
	for _, block := range also {
		changed[block] = true
	}
	for _, s := range wanted {
		next[s.block()] = einvoice.SettingsBlock{}
	}
	for _, s := range secrets {
		next[s.block()] = einvoice.SettingsBlock{}
	}
	for block, fields := range next {
		maps.Copy(fields, held[block])
	}
	for _, s := range wanted {
		satisfied, _, err := s.heldIn(next)
		if err == nil && !satisfied {
			changed[s.block()] = true
			err = s.putInto(next, wire(s.value))
		}
		if err != nil {
			diags.Append(unexpectedSetting(s.at, err))
		}
	}
	for _, s := range secrets {
		if changed[s.block()] || s.mustBeSent(held) {
			changed[s.block()] = true
			diags.Append(s.complete(next, held)...)
		}
	}
	maps.DeleteFunc(next, func(block string, _ einvoice.SettingsBlock) bool { return !changed[block] })
	diags.Append(checkMasks(next, wanted, secrets)...)
	return next, diags
}

// checkMasks refuses to send a text that the service has masked, in a field that
// this provider may not even know: the mask would take the place of the value.
func checkMasks(next document, wanted []setting, secrets []wantedSecret) diag.Diagnostics {
	written := map[string]bool{}
	for _, s := range wanted {
		written[strings.Join(s.keys, ".")] = true
	}
	for _, s := range secrets {
		written[strings.Join(s.keys, ".")] = true // Completed by a rule of its own.
	}
	raw, _ := json.Marshal(next) // Each value of it comes from JSON.
	value, _ := jsontree.Decode(raw)
	var diags diag.Diagnostics
	eachText("", value, func(at, text string) {
		list, _, _ := strings.Cut(at, "[") // It is written as a whole.
		if looksMasked(text) && !written[at] && !written[list] {
			diags.Append(maskedUnknown(at))
		}
	})
	return diags
}

// eachText visits every text in a decoded value with its place, such as a.b[0].c, in the
// order of the places.
func eachText(at string, value any, visit func(at, text string)) {
	switch value := value.(type) {
	case string:
		visit(at, value)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			eachText(strings.TrimPrefix(at+"."+name, "."), value[name], visit)
		}
	case []any:
		for i, element := range value {
			eachText(fmt.Sprintf("%s[%d]", at, i), element, visit)
		}
	}
}

// looksMasked wants more than the client does for a field that is known to be a
// secret: one asterisk may stand in any text.
func looksMasked(text string) bool {
	return strings.Contains(text, "***") || strings.Contains(text, "•••") || strings.Contains(text, "●●●")
}

// untaken is what was sent and is not held afterwards.
type untaken struct {
	at         path.Path // the argument
	key        string    // of extra_json: general.roundingTolerance
	inState    path.Path // what the state has of it
	sent, held string    // "" for secrets
}

// untakenSettings compares what was sent with what the service holds
// afterwards: it answers well-formed settings with success also when it ignores
// them, so reading back is the only proof.
func untakenSettings(held document, wanted []setting, secrets []wantedSecret) []untaken {
	var out []untaken
	for _, s := range wanted {
		if satisfied, raw, _ := s.heldIn(held); !satisfied {
			if raw == nil {
				raw = json.RawMessage("nothing")
			}
			missed := untaken{at: s.at, inState: s.at, sent: string(wire(s.value)), held: string(raw)}
			if s.kind == anyJSON {
				missed.key = strings.Join(s.keys, ".")
			}
			out = append(out, missed)
		}
	}
	for _, s := range secrets {
		if !s.mayBeIn(held) {
			at, inState := s.argument()
			out = append(out, untaken{at: at, inState: inState})
		}
	}
	return out
}
