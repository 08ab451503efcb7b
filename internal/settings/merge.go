package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// The service resets the fields that a sent block lacks: companies have left the test environment
// or lost their numbering that way. So this provider sends only blocks that change, each with all
// that was read of it and the managed fields.

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

// parent is the attribute of its block.
func (p place) parent() string { return message.SnakeCase(p.block()) }

// in is the field as the service wrote it; nil where it is missing.
func (p place) in(held document) (json.RawMessage, error) {
	return jsontree.At(held[p.keys[0]][p.keys[1]], p.keys[2:]...)
}

// key names the field in the document, such as productInvoice.inbound.enabled.
func (p place) key() string { return strings.Join(p.keys, ".") }

func (p place) putInto(next document, value json.RawMessage) error {
	changed, err := jsontree.With(next[p.keys[0]][p.keys[1]], value, p.keys[2:]...)
	if err == nil {
		next[p.keys[0]][p.keys[1]] = changed
	}
	return err
}

// removeFrom removes a field of a block, or of an object in it, from what was read.
func (p place) removeFrom(held document) { remove(held[p.keys[0]], p.keys[1:]) }

func remove(fields map[string]json.RawMessage, keys []string) {
	name := keys[0]
	if len(keys) == 1 {
		delete(fields, name)
		return
	}
	if members, err := jsontree.Members(fields[name]); err == nil && members[keys[1]] != nil {
		remove(members, keys[1:])
		fields[name], _ = json.Marshal(members) // Each of them is JSON.
	}
}

// setting is what a configuration says about a field.
type setting struct {
	place
	value attr.Value // never unknown, and null only for a secret that is not managed

	// Of a secret.
	intent     intent
	sentBefore bool // this provider has sent the secret
}

// wanted lists what a configuration says: what it manages, and then each secret. state is the zero
// model while creating.
func (m *settingsModel) wanted(state settingsModel, notes secretNotes) []setting {
	out := m.managed()
	for _, s := range secrets {
		out = append(out, m.secret(s, state, notes.of(s).Written))
	}
	return out
}

// managed lists what is known in a configuration, without the secrets.
func (m *settingsModel) managed() []setting {
	var out []setting
	for _, b := range blocks {
		out = append(out, managedIn(place{}.inner(b), *m.block(b.name))...)
	}
	extra, _ := jsontree.Members(json.RawMessage(m.ExtraJSON.ValueString())) // Checked by ValidateConfig.
	return append(out, extrasIn(nil, extra)...)
}

func managedIn(p place, value attr.Value) []setting {
	object, isObject := value.(types.Object)
	switch {
	case attribute.IsUnset(value), p.kind == secret:
		return nil
	case !isObject:
		return []setting{{place: p, value: value}}
	}
	var out []setting
	for _, f := range p.fields {
		out = append(out, managedIn(p.inner(f), leaf(object, f.name))...)
	}
	return out
}

// heldIn reports whether the service holds, or for a secret may hold, what is configured, and returns
// what it shows of it. A number that it raises by itself may be higher.
func (s setting) heldIn(held document) (satisfied bool, raw json.RawMessage, err error) {
	if s.isSecret() {
		return s.intent == unmanaged || s.formIn(held, s.text()).mayBeConfigured(), nil, nil
	}
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
	case attribute.JSON:
		configured, _ := s.value.(attribute.JSON)
		return attribute.ExtraHeld(configured, json.RawMessage(value.ValueString())), raw, nil
	default:
		return value.Equal(s.value), raw, nil
	}
}

// overlay returns the blocks to send so that the service holds what is wanted: those that change,
// and those that also names. Every other field in them stays byte for byte as it was read. It
// refuses to write a mask over the value that the service has masked.
func overlay(held document, wanted []setting, also ...string) (document, diag.Diagnostics) {
	var diags diag.Diagnostics
	next, changed := document{}, map[string]bool{}
	for _, block := range also {
		next[block], changed[block] = einvoice.SettingsBlock{}, true
	}
	for _, s := range wanted {
		next[s.block()] = einvoice.SettingsBlock{}
	}
	for block, fields := range next {
		maps.Copy(fields, held[block])
	}
	for _, s := range wanted {
		if s.isSecret() {
			if changed[s.block()] || s.action(held) == send {
				changed[s.block()] = true
				diags.Append(s.complete(next, held)...)
			}
			continue
		}
		satisfied, _, err := s.heldIn(next)
		if err == nil && !satisfied {
			changed[s.block()] = true
			err = s.putInto(next, s.wire())
		}
		if err != nil {
			diags.Append(unexpectedSetting(s.at, err))
		}
	}
	maps.DeleteFunc(next, func(block string, _ einvoice.SettingsBlock) bool { return !changed[block] })
	for _, at := range masksIn(next, wanted) {
		diags.Append(maskedUnknown(at))
	}
	return next, diags
}

// masksIn are the places of the masked texts that nothing wanted replaces.
func masksIn(next document, wanted []setting) (masks []string) {
	written := map[string]bool{}
	for _, s := range wanted {
		written[s.key()] = true
	}
	raw, _ := json.Marshal(next) // Each value of it comes from JSON.
	eachText("", decoded(raw), func(at, text string) {
		list, _, _ := strings.Cut(at, "[") // It is written as a whole.
		if looksMasked(text) && !written[at] && !written[list] {
			masks = append(masks, at)
		}
	})
	return masks
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

// looksMasked reports whether a text may be a mask. One asterisk may stand in any text that is no
// secret.
func looksMasked(text string) bool {
	return strings.Contains(text, "***") || strings.Contains(text, "•••") || strings.Contains(text, "●●●")
}

// ignoredSetting is what was sent, and what is held in its place.
type ignoredSetting struct {
	setting
	held string
}

// ignoredSettings compares what was sent with what the service holds afterwards. The service
// reports success also for settings that it ignores: only reading them back proves a write.
func ignoredSettings(held document, wanted []setting) []ignoredSetting {
	var out []ignoredSetting
	for _, s := range wanted {
		satisfied, raw, _ := s.heldIn(held)
		if raw == nil {
			raw = json.RawMessage("nothing")
		}
		if !satisfied {
			out = append(out, ignoredSetting{s, string(raw)})
		}
	}
	return out
}

// inUTC reports whether the service holds the instant that was sent, in UTC and without an offset,
// and whether the date was sent with one.
func (u ignoredSetting) inUTC() (isSame, hasOffset bool) {
	var sent, held string
	if json.Unmarshal(u.wire(), &sent) != nil || json.Unmarshal([]byte(u.held), &held) != nil {
		return false, false
	}
	instant, isDate := einvoice.ParseTime(sent)
	now, _ := einvoice.ParseTimeIn(held, time.UTC)
	inUTC, _ := einvoice.ParseTimeIn(sent, time.UTC)
	return isDate && instant.Equal(now), instant.Equal(inUTC)
}
