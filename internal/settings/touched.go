package settings

import (
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

// resetBlocks are the blocks that a PUT has reset without having sent them: they are emptied, or no
// longer hold what is configured here.
func resetBlocks(before, sent, after document, wanted []setting) (names []string) {
	lost, _ := overlay(after, wanted, nil) // What cannot be read is reported as touched.
	for _, name := range slices.Sorted(maps.Keys(before)) {
		changed := changedMembers(before[name], after[name])
		isFilled := func(c change) bool { return !isBlank(c.now) } // Somebody may have changed it at the same moment.
		isEmptied := len(changed) > 0 && !slices.ContainsFunc(changed, isFilled)
		if sent[name] == nil && (lost[name] != nil || isEmptied) {
			names = append(names, name)
		}
	}
	return names
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
		old, _ := jsontree.Decode(before[name])
		now, _ := jsontree.Decode(after[name]) // Nothing where it is gone.
		isRaised := strings.HasPrefix(name, "next") && wholeNumber(now) > wholeNumber(old)
		if !jsontree.Same(old, now) && (!isBlank(old) || !isBlank(now)) && !isRaised {
			changed = append(changed, change{name, old, now})
		}
	}
	return changed
}

// lostMembers are the changed members of a block with the values from before, but for those of secrets.
func lostMembers(before, after einvoice.SettingsBlock) (lost []string) {
	for _, c := range changedMembers(before, after) {
		if isSecret(c.name) {
			lost = append(lost, "`"+c.name+"` (its value is not shown)")
			continue
		}
		if members, isObject := c.old.(map[string]any); isObject {
			maps.DeleteFunc(members, func(member string, _ any) bool { return isSecret(member) })
		}
		shown, _ := json.Marshal(c.old) // It was JSON.
		lost = append(lost, "`"+c.name+"` = "+string(shown))
	}
	return lost
}

func isSecret(name string) bool {
	return slices.ContainsFunc(secretFields, func(s secretField) bool { return s.wireName() == name })
}

// isBlank reports whether a value says nothing: an enumeration that is not set is 0.
func isBlank(v any) bool { return v == nil || v == "" || v == json.Number("0") }

// wholeNumber is 0 for what is no number.
func wholeNumber(v any) int64 {
	number, _ := v.(json.Number)
	whole, _ := number.Int64()
	return whole
}
