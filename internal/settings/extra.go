package settings

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// Settings that have no attribute are managed by extra_json, key by key: each of its leaves is one
// setting.

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
		c.Fail(codesNoList(c.Path))
	}
}}

func (r *settingsResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var extra attribute.JSON
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, atExtra, &extra)...)
	value, err := jsontree.Decode([]byte(extra.ValueString()))
	if resp.Diagnostics.HasError() || attribute.IsUnset(extra) || err != nil {
		return // The type reports text that is not JSON.
	}
	document, isObject := value.(map[string]any)
	if !isObject {
		resp.Diagnostics.Append(extraNoObject())
		return
	}
	for _, name := range slices.Sorted(maps.Keys(document)) {
		if _, isBlock := document[name].(map[string]any); !isBlock {
			delete(document, name)
			resp.Diagnostics.Append(extraOutside(name))
		}
	}
	resp.Diagnostics.Append(refuseOwned(root, document)...)
}

// refuseOwned refuses what has an attribute, in an object at a place.
func refuseOwned(p place, in map[string]any) (diags diag.Diagnostics) {
	for _, key := range slices.Sorted(maps.Keys(in)) {
		owned := p.member(key)
		if object, isObject := in[key].(map[string]any); isObject && len(owned.fields) > 0 {
			diags.Append(refuseOwned(owned, object)...)
		} else if owned.name != "" && owned.kind != secretJSON {
			diags.Append(extraOwned(owned))
		}
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
