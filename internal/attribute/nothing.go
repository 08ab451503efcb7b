package attribute

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// withMembers is an object, also one of a type of its own such as timeouts.
type withMembers interface{ Attributes() map[string]attr.Value }

// holdsNothing reports whether a value is null, or an object without any value.
func holdsNothing(v attr.Value) bool {
	object, isObject := v.(withMembers)
	if !isObject || IsUnset(v) {
		return v == nil || v.IsNull()
	}
	for _, member := range object.Attributes() {
		if !holdsNothing(member) {
			return false
		}
	}
	return true
}

// EmptyObjects warns of objects that are written and hold nothing: core drops the names that an object does not have,
// such as those of the service, before the provider sees them.
type EmptyObjects struct{ Undescribed }

func (EmptyObjects) ValidateResource(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	for name := range req.Config.Schema.GetAttributes() {
		var value attr.Value
		if diags := req.Config.GetAttribute(ctx, path.Root(name), &value); !diags.HasError() {
			resp.Diagnostics.Append(emptyObjects(ctx, path.Root(name), value)...)
		}
	}
}

func emptyObjects(ctx context.Context, at path.Path, value attr.Value) (diags diag.Diagnostics) {
	if list, isList := value.(types.List); isList {
		for n, element := range list.Elements() {
			diags.Append(emptyObjects(ctx, at.AtListIndex(n), element)...)
		}
	}
	object, isObject := value.(withMembers)
	last := message.LastStep(at)
	switch {
	case !isObject || IsUnset(value) || last == "city" || last == "product": // Both are errors already.
		return diags
	case holdsNothing(value):
		return say.WarningAt(ctx, message.ShownAt(at), "value.holds_nothing", text.With{"path": at.String()})
	}
	for name, member := range object.Attributes() {
		diags.Append(emptyObjects(ctx, at.AtName(name), member)...)
	}
	return diags
}
