package settings

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// touchedBlocks are errors about the blocks that a PUT has changed without having sent
// them. That it leaves them alone is assumed (settings_put_keeps_other_blocks).
func touchedBlocks(before, sent, after document, companyID string) (diags diag.Diagnostics) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		lost := lostMembers(before[name], after[name])
		if sent[name] == nil && len(lost) > 0 {
			diags.Append(touchedBlock(name, companyID, lost))
		}
	}
	return diags
}

// sendBack is what restores the blocks that a PUT has reset without having sent them: all blocks in
// one request, without the secrets that are lost with them. reset are those that come back.
func sendBack(
	before, sent, after document, wanted []setting,
) (again document, reset []string, lost []place) {
	for name, fields := range before {
		// A block that is not shown may be as it was: a write would lose its secrets. One that lacks only
		// secrets would lack them after the write too.
		canBeRestored := func(c change) bool { return after[name] != nil && !isSecretName(c.name) }
		if sent[name] == nil && slices.ContainsFunc(changedMembers(fields, after[name]), canBeRestored) {
			reset = append(reset, name)
		}
	}
	if len(reset) == 0 {
		return nil, nil, nil
	}
	known := document{}
	for name, fields := range before {
		known[name] = maps.Clone(fields)
	}
	for _, p := range unknownIn(before, wanted) {
		// One that is still shown, in whatever form, was not reset, and a write of its block would lose it.
		now, _ := p.in(after)
		if slices.Contains(reset, p.block()) && isEmpty(decoded(now)) {
			p.removeFrom(known)
			lost = append(lost, p)
		}
	}
	wanted = slices.DeleteFunc(slices.Clone(wanted), func(s setting) bool {
		return slices.ContainsFunc(lost, func(p place) bool { return p.key() == s.key() })
	})
	again = sent
	for _, name := range slices.Sorted(maps.Keys(before)) {
		isNamed := slices.ContainsFunc(blocks, func(b field) bool { return b.wireName() == name })
		if !isNamed && !slices.Contains(reset, name) {
			continue
		}
		with, unsafe := overlay(known, wanted, append(slices.Collect(maps.Keys(again)), name)...)
		if !unsafe.HasError() { // Else it is reported as touched.
			again = with
		}
	}
	isLeftOut := func(block string) bool { return again[block] == nil }
	if reset = slices.DeleteFunc(reset, isLeftOut); len(reset) == 0 {
		return nil, nil, nil
	}
	lost = slices.DeleteFunc(lost, func(p place) bool { return isLeftOut(p.block()) })
	for block, fields := range again {
		for name, raw := range fields { // An invoice may have been issued since.
			if now := after[block][name]; isRaised(name, decoded(raw), decoded(now)) {
				fields[name] = now
			}
		}
	}
	slices.Sort(reset)
	return again, reset, lost
}

// unknownIn are the secrets that a write of their block would lose, and the masked fields that no attribute has.
func unknownIn(held document, wanted []setting) (unknown []place) {
	for _, s := range wanted {
		if s.isSecret() && s.action(held) == refuse {
			unknown = append(unknown, s.place)
		}
	}
	for _, at := range masksIn(held, wanted) {
		at, _, _ = strings.Cut(at, "[")
		unknown = append(unknown, place{keys: strings.Split(at, ".")})
	}
	return unknown
}

// shown is the attribute of a field, or where it is in the service's document.
func (p place) shown() string { return "`" + cmp.Or(p.at.String(), p.key()) + "`" }

func decoded(raw json.RawMessage) any {
	value, _ := jsontree.Decode(raw) // Nothing where it is gone.
	return value
}

// change is of one member of a block.
type change struct {
	name     string
	old, now any // nil where it is gone
}

// changedMembers are the members of a block that have other values now. A number that the service
// has raised meanwhile is not changed.
func changedMembers(before, after einvoice.SettingsBlock) (changed []change) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		old, now := decoded(before[name]), decoded(after[name])
		isOtherForm := isSecretName(name) && !isBlank(old) && !isBlank(now) // It may be masked in any.
		if !jsontree.Same(old, now) && (!isBlank(old) || !isBlank(now)) && !isRaised(name, old, now) && !isOtherForm {
			changed = append(changed, change{name, old, now})
		}
	}
	return changed
}

// isRaised reports whether a member is the number of a next document, and higher than it was.
func isRaised(name string, old, now any) bool {
	return strings.HasPrefix(name, "next") && wholeNumber(now) > wholeNumber(old)
}

// lostMembers are the changed members of a block with the values from before, but for those of secrets.
func lostMembers(before, after einvoice.SettingsBlock) (lost []string) {
	for _, c := range changedMembers(before, after) {
		if isSecretName(c.name) {
			lost = append(lost, "`"+c.name+"` (its value is not shown)")
			continue
		}
		if members, isObject := c.old.(map[string]any); isObject {
			maps.DeleteFunc(members, func(member string, _ any) bool { return isSecretName(member) })
		}
		shown, _ := json.Marshal(c.old) // It was JSON.
		lost = append(lost, "`"+c.name+"` = "+string(shown))
	}
	return lost
}

func isSecretName(name string) bool {
	return slices.ContainsFunc(secrets, func(s place) bool { return s.wireName() == name })
}

// isBlank reports whether a value says nothing: an enumeration that is not set is 0.
func isBlank(v any) bool { return v == nil || v == "" || v == json.Number("0") }

// wholeNumber is 0 for what is no number.
func wholeNumber(v any) int64 {
	number, _ := v.(json.Number)
	whole, _ := number.Int64()
	return whole
}
