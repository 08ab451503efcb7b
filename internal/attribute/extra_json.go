package attribute

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// ExtraJSON has fields of the service that have no attribute here.
func ExtraJSON(of string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: "Fields of the " + of + " that have no attribute here, as a JSON object, for example " +
			"`jsonencode({ notes = \"...\" })`. The provider merges them into its requests, and compares only these " +
			"keys for drift. The service keeps the value of a key that you remove: set it to `null` to clear it. The " +
			"provider warns if the service does not keep a field. A field that has an attribute is an error.",
		CustomType:    JSONType{},
		Optional:      true,
		PlanModifiers: []planmodifier.String{KeepJSON()},
	}
}

// ValidateExtra refuses a value that is not an object, and fields that have an attribute.
func ValidateExtra(ctx context.Context, config tfsdk.Config) diag.Diagnostics {
	at := path.Root("extra_json")
	var extra JSON
	diags := config.GetAttribute(ctx, at, &extra)
	if diags.HasError() || IsUnset(extra) {
		return diags
	}
	value, err := jsontree.Decode([]byte(extra.ValueString()))
	if err != nil {
		return diags // The type reports text that is not JSON.
	}
	object, ok := value.(map[string]any)
	if !ok {
		return append(diags, say.ErrorAt(ctx, at, "value.no_object", nil)...)
	}
	attributes := map[string]string{"id": "id", "apicredentials": "api_key"} // A service may ignore case in names.
	for name := range config.Schema.GetAttributes() {
		attributes[strings.ToLower(CamelCase(name))] = name
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if name, ok := attributes[strings.ToLower(key)]; ok {
			diags.Append(say.ErrorAt(ctx, at, "value.has_attribute", text.With{"key": key, "attribute": name})...)
		}
	}
	return diags
}

// ExtraRequest is the JSON object to merge into a request; nil when there is none.
func ExtraRequest(extra JSON) json.RawMessage {
	if IsUnset(extra) {
		return nil
	}
	return json.RawMessage(extra.ValueString())
}

// ProjectExtra reads the keys of prior from the service's object. Where all values are the
// same, the prior text stays as it is.
func ProjectExtra(prior JSON, raw json.RawMessage) (JSON, diag.Diagnostics) {
	if IsUnset(prior) {
		return prior, nil
	}
	configured, err := jsontree.Decode([]byte(prior.ValueString()))
	if err != nil {
		return prior, nil // The type has reported it.
	}
	held, err := jsontree.Decode(raw)
	if err != nil {
		return prior, message.ProviderBug("the service's object cannot be read again: %s", err)
	}
	projected := jsontree.Project(configured, held)
	if jsontree.Same(configured, projected) {
		return prior, nil
	}
	text, err := json.Marshal(projected)
	if err != nil {
		return prior, message.ProviderBug("a projected object cannot be written: %s", err)
	}
	return JSONValue(string(text)), nil
}

// ExtraHeld reports whether the service's object already holds all of extra.
func ExtraHeld(extra JSON, raw json.RawMessage) bool {
	if IsUnset(extra) {
		return true
	}
	projected, diags := ProjectExtra(extra, raw)
	return !diags.HasError() && projected.ValueString() == extra.ValueString()
}

// CamelCase turns an attribute name into the service's field name.
func CamelCase(attribute string) string {
	words := strings.Split(attribute, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}
