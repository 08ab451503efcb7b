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

// resetBlocks are the blocks that were not sent and no longer hold what is configured here.
func resetBlocks(sent, after document, wanted []setting) []string {
	lost, _ := overlay(after, wanted, nil) // What cannot be read is reported as touched.
	maps.DeleteFunc(lost, func(name string, _ einvoice.SettingsBlock) bool { return sent[name] != nil })
	return slices.Sorted(maps.Keys(lost))
}

// lostMembers are the members of a block that have other values now, with the values from before,
// but for those of secrets. A number that the service has raised meanwhile is not lost.
func lostMembers(before, after einvoice.SettingsBlock) (lost []string) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		old, _ := jsontree.Decode(before[name])
		now, _ := jsontree.Decode(after[name]) // Nothing where it is gone.
		isRaised := strings.HasPrefix(name, "next") && wholeNumber(now) > wholeNumber(old)
		if jsontree.Same(old, now) || isBlank(old) && isBlank(now) || isRaised {
			continue
		}
		if isSecret(name) {
			lost = append(lost, "`"+name+"` (its value is not shown)")
			continue
		}
		if members, isObject := old.(map[string]any); isObject {
			maps.DeleteFunc(members, func(member string, _ any) bool { return isSecret(member) })
		}
		shown, _ := json.Marshal(old) // It was JSON.
		lost = append(lost, "`"+name+"` = "+string(shown))
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
