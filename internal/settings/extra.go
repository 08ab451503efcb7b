package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// Settings that have no attribute are managed by extra_json, key by key: each of its leaves is one
// setting.

const extraObject = "a JSON object of blocks, for example `jsonencode({ general = { roundingTolerance = 1.5 } })`"

func extraJSON() schema.StringAttribute {
	a := attribute.ExtraJSON("settings")
	a.MarkdownDescription = "Settings that have no attribute here, as " + extraObject + ". " +
		"The provider merges them into the blocks that it sends, and compares only these keys for drift. " +
		"The service keeps the value of a key that you remove: set it to `null` to clear it. " +
		"If the service does not take a setting, the apply fails. A setting that has an attribute is an error. " +
		"The state keeps these settings: do not put secrets here."
	return a
}

var atExtra = path.Root("extra_json")

// jsonList refuses security codes (CSRT) that are not a list, without showing them.
var jsonList = attribute.TextCheck{Rule: "a JSON list", Check: func(c attribute.Checked) {
	value, err := jsontree.Decode([]byte(c.Text))
	if _, ok := value.([]any); !ok || err != nil {
		c.Fail("Invalid JSON list", "`"+c.Path.String()+"` must be a JSON list, for example `jsonencode([{ ... }])` "+
			"with the members that your service asks for.")
	}
}}

func (r *settingsResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var extra attribute.JSON
	var secrets types.Object
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, atExtra, &extra)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("secrets"), &secrets)...)
	if resp.Diagnostics.HasError() || attribute.IsUnset(extra) {
		return
	}
	value, err := jsontree.Decode([]byte(extra.ValueString()))
	if err != nil {
		return // The type reports text that is not JSON.
	}
	document, ok := value.(map[string]any)
	if !ok {
		resp.Diagnostics.AddAttributeError(atExtra, "Invalid extra JSON", "`extra_json` must be "+extraObject+".")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(document)) {
		if _, ok := document[name].(map[string]any); !ok {
			delete(document, name)
			resp.Diagnostics.AddAttributeError(atExtra, "Extra setting outside of a block", fmt.Sprintf(
				"`extra_json` holds %q, which is not an object. Settings are in blocks: write it inside `general`, "+
					"`productInvoice`, `consumerInvoice`, `serviceInvoice` or another block of the service.", name))
		}
	}
	resp.Diagnostics.Append(refuseOwned(root, document, "")...)
	codes, _ := jsontree.At(json.RawMessage(extra.ValueString()), csrtsSecret.keys...)
	if codes != nil && !leaf(secrets, csrts.writeOnly).IsNull() {
		resp.Diagnostics.AddAttributeError(atExtra, "Setting given twice", fmt.Sprintf(
			"`extra_json` holds %q, and `%s` sets the same. Take it out of `extra_json`.",
			csrtsSecret.key(), csrtsSecret.writeOnlyPath()))
	}
}

// refuseOwned refuses what has an attribute, in an object with the fields of p. written is its place.
func refuseOwned(p place, in map[string]any, written string) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, key := range slices.Sorted(maps.Keys(in)) {
		// A service may ignore case.
		n := slices.IndexFunc(p.fields, func(f field) bool { return strings.EqualFold(f.wireName(), key) })
		if n < 0 {
			continue
		}
		owned, name := p.inner(p.fields[n]), strings.TrimPrefix(written+"."+key, ".")
		if object, ok := in[key].(map[string]any); ok && len(owned.fields) > 0 {
			diags.Append(refuseOwned(owned, object, name)...)
			continue
		}
		diags.AddAttributeError(atExtra, "Field with an attribute of its own", fmt.Sprintf(
			"`extra_json` holds %q, and there is an attribute `%s` for that. "+
				"Set the attribute, and take the field out of `extra_json`.", name, owned.at))
	}
	return diags
}

func extrasIn(keys []string, in map[string]json.RawMessage) []setting {
	var out []setting
	for _, name := range slices.Sorted(maps.Keys(in)) {
		at := append(slices.Clone(keys), name)
		if fields, err := jsontree.Members(in[name]); err == nil && !jsontree.IsNull(in[name]) {
			out = append(out, extrasIn(at, fields)...)
			continue
		}
		extra := place{field{name: name, kind: anyJSON}, atExtra, at}
		out = append(out, setting{place: extra, value: attribute.JSONValue(string(in[name]))})
	}
	return out
}
