package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// touchedBlocks are errors about the blocks that a PUT has changed without having sent
// them. That it leaves them alone is assumed (settings_put_keeps_other_blocks).
func touchedBlocks(before, sent, after map[string]einvoice.SettingsBlock, companyID string) (diags diag.Diagnostics) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, wasSent := sent[name]; wasSent {
			continue
		}
		lost := lostMembers(before[name], after[name])
		if len(lost) == 0 {
			continue
		}
		diags.AddError(fmt.Sprintf("Settings block %s of company %s changed unasked", name, companyID), message.Paragraphs(
			fmt.Sprintf("The block was not sent, and the service holds other values than before the write. Before, it held %s.", strings.Join(lost, ", ")),
			"The service seems to reset the blocks that a request does not send, or somebody has changed this one at the same moment. "+
				"Check the settings in the back office now. Before you apply again, configure all blocks with all their values."))
	}
	return diags
}

// resetBlocks are the blocks that were not sent and no longer hold what is configured here.
func resetBlocks(sent, after document, wanted []setting) []string {
	lost, _ := overlay(after, wanted, nil) // What cannot be read is reported as touched.
	maps.DeleteFunc(lost, func(name string, _ einvoice.SettingsBlock) bool { return sent[name] != nil })
	return slices.Sorted(maps.Keys(lost))
}

// blocksSentBack warns of blocks that a PUT has reset, and that were sent once more.
func blocksSentBack(names []string, companyID string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Settings of company "+companyID+" were reset and sent back: "+strings.Join(names, ", "), message.Paragraphs(
		"A write of other blocks has reset them, so that they were sent once more, as they were before and as they are configured.",
		"The service seems to reset the blocks that a request does not send. Configure all blocks: only those are sent back."))
}

// lostMembers are the members of a block that have other values now, with the values from
// before. Values of secrets are not shown, and numbers that went on are none.
func lostMembers(before, after einvoice.SettingsBlock) (lost []string) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		was, _ := jsontree.Decode(before[name])
		is, _ := jsontree.Decode(after[name]) // Nothing where it is gone.
		if jsontree.Same(was, is) || isBlank(was) && isBlank(is) || isNumbering(name) && hasGoneOn(was, is) {
			continue
		}
		wire := "`" + name + "`"
		switch members, isObject := was.(map[string]any); {
		case isSecret(name):
			lost = append(lost, wire+" (its value is not shown)")
			continue
		case isObject:
			maps.DeleteFunc(members, func(member string, _ any) bool { return isSecret(member) })
		}
		shown, _ := json.Marshal(was) // It was JSON.
		lost = append(lost, fmt.Sprintf("%s = %s", wire, shown))
	}
	return lost
}

func isSecret(name string) bool {
	return slices.ContainsFunc(secretFields, func(s secretField) bool { return s.wireName() == name })
}

// isBlank reports whether a value says nothing: an enumeration that is not set is 0.
func isBlank(v any) bool {
	number, isNumber := v.(json.Number)
	return v == nil || v == "" || isNumber && number == "0"
}

func isNumbering(name string) bool { return strings.HasPrefix(name, "next") }

// hasGoneOn reports whether the service has raised a number meanwhile.
func hasGoneOn(was, is any) bool {
	from, isNumber := was.(json.Number)
	to, isStill := is.(json.Number)
	first, err := from.Int64()
	last, nextErr := to.Int64()
	return isNumber && isStill && err == nil && nextErr == nil && last > first
}
