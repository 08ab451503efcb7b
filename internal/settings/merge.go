package settings

import (
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
		return jsontree.Text(string(attribute.AttrText(v)))
	}
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
		raw, err := jsontree.At(current(s.block)[s.field[0]], s.field[1:]...)
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
		raw, err := jsontree.At(held[s.block][s.field[0]], s.field[1:]...)
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

// withField returns a copy of block in which only one field differs.
func withField(block einvoice.SettingsBlock, field []string, value json.RawMessage) (einvoice.SettingsBlock, error) {
	changed, err := jsontree.With(block[field[0]], value, field[1:]...)
	if err != nil {
		return nil, err
	}
	next := einvoice.SettingsBlock{}
	maps.Copy(next, block)
	next[field[0]] = changed
	return next, nil
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
