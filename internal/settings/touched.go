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

// touchedBlocks are errors about the blocks that a PUT has not sent and that have lost values, and warnings about those
// with other values. That a PUT leaves them alone is assumed (settings_put_keeps_other_blocks).
func touchedBlocks(before, sent, after document, companyID string) (diags diag.Diagnostics) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if sent[name] != nil {
			continue
		}
		switch emptied, replaced := changedMembers(name, before[name], after[name]); {
		case len(emptied) > 0:
			diags.Append(touchedBlock(name, companyID, shownChanges(append(emptied, replaced...))))
		case len(replaced) > 0:
			diags.Append(changedBeside(name, companyID, shownChanges(replaced)))
		}
	}
	return diags
}

// sendBack is what restores the blocks that a PUT has reset without having sent them: all blocks in
// one request, without the secrets that are lost with them. reset are those that come back.
func sendBack(
	before, sent, after document, wanted []setting,
) (again document, reset []string, lost []place) {
	unknown := unknownIn(before, wanted)
	for name, fields := range before {
		hidesSecret := slices.ContainsFunc(unknown, func(p place) bool { return p.block() == name })
		// A block that is not shown may be as it was, and a field that nobody knows may empty itself: a write would lose
		// the secrets. A block that lacks only secrets would lack them after the write too.
		canBeRestored := func(c change) bool {
			return after[name] != nil && !isSecretName(c.name) && isEmptied(c.name, withoutSecretMembers(c.old), c.now) &&
				(isKnown(name, c.name) || !hidesSecret)
		}
		if emptied, _ := changedMembers(name, fields, after[name]); sent[name] == nil &&
			slices.ContainsFunc(emptied, canBeRestored) {
			reset = append(reset, name)
		}
	}
	if len(reset) == 0 {
		return nil, nil, nil
	}
	known := maps.Clone(before)
	maps.Copy(known, after) // Others may have changed what was not reset.
	for _, name := range reset {
		known[name] = maps.Clone(before[name])
	}
	for _, p := range unknown {
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

// changedMembers are the members of a block that a reset may have emptied, and the known ones that have other values
// now: somebody has changed those. A number that the service has raised meanwhile is not changed.
func changedMembers(block string, before, after einvoice.SettingsBlock) (emptied, replaced []change) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		old, now := decoded(before[name]), decoded(after[name])
		switch {
		case jsontree.Same(old, now), isBlank(old), isRaised(name, old, now):
		case isEmptied(name, old, now):
			emptied = append(emptied, change{name, old, now})
		case isKnown(block, name) && !isSecretName(name) && !isEmpty(now): // A secret may be masked in any form.
			replaced = append(replaced, change{name, old, now})
		}
	}
	return emptied, replaced
}

// isEmptied reports whether a value, or one inside it, is gone. In place of a text, which may be of an enumeration, and
// of a next number the number 0 is nothing. Any other value is somebody's change, and false says nothing.
func isEmptied(name string, old, now any) bool {
	wasText := false
	switch old := old.(type) {
	case map[string]any:
		members, isObject := now.(map[string]any)
		return (isObject || isEmpty(now)) && slices.ContainsFunc(slices.Collect(maps.Keys(old)), func(name string) bool {
			return isEmptied(name, old[name], members[name])
		})
	case []any:
		return len(old) > 0 && isEmpty(now)
	case bool:
		return old && now == nil
	case string:
		wasText = true
	}
	isZero := now == json.Number("0") && (wasText || strings.HasPrefix(name, "next"))
	return !isBlank(old) && (isEmpty(now) || isZero)
}

// isKnown reports whether a member of a block has an attribute.
func isKnown(block, name string) bool {
	return slices.ContainsFunc(blocks, func(b field) bool {
		return b.wireName() == block && slices.ContainsFunc(b.fields, func(f field) bool { return f.wireName() == name })
	})
}

// isRaised reports whether a member is the number of a next document, and higher than it was.
func isRaised(name string, old, now any) bool {
	return strings.HasPrefix(name, "next") && wholeNumber(now) > wholeNumber(old)
}

// shownChanges are members with the values from before, but for those of secrets.
func shownChanges(changes []change) (shown []string) {
	for _, c := range changes {
		if isSecretName(c.name) {
			shown = append(shown, "`"+c.name+"` (its value is not shown)")
			continue
		}
		value, _ := json.Marshal(withoutSecretMembers(c.old)) // It was JSON.
		shown = append(shown, "`"+c.name+"` = "+string(value))
	}
	return shown
}

func withoutSecretMembers(value any) any {
	members, isObject := value.(map[string]any)
	if !isObject {
		return value
	}
	members = maps.Clone(members)
	maps.DeleteFunc(members, func(member string, _ any) bool { return isSecretName(member) })
	return members
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
