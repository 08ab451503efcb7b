package attribute

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var (
	_ basetypes.StringTypable                    = JSONType{}
	_ basetypes.StringValuableWithSemanticEquals = JSON{}
	_ xattr.ValidateableAttribute                = JSON{}
)

// JSONType is the type of every argument that holds JSON. Its errors say where a text stops being JSON, and show
// nothing of it: it may hold secrets, and a CLI does not hide what an error quotes.
type JSONType struct{ basetypes.StringType }

func (t JSONType) Equal(o attr.Type) bool {
	_, ok := o.(JSONType)
	return ok
}

func (t JSONType) String() string { return "JSONType" }

func (t JSONType) ValueFromString(
	_ context.Context, in basetypes.StringValue,
) (basetypes.StringValuable, diag.Diagnostics) {
	return JSON{in}, nil
}

func (t JSONType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.StringType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("reading a JSON text: %w", err)
	}
	text, ok := value.(basetypes.StringValue)
	if !ok {
		return nil, fmt.Errorf("reading a JSON text: unexpected value type %T", value)
	}
	return JSON{text}, nil
}

func (t JSONType) ValueType(context.Context) attr.Value { return JSON{} }

// JSON is a text that is JSON. Texts with the same values are the same, however they are written.
type JSON struct{ basetypes.StringValue }

// JSONValue is a known text.
func JSONValue(text string) JSON { return JSON{basetypes.NewStringValue(text)} }

// JSONNull is no text.
func JSONNull() JSON { return JSON{basetypes.NewStringNull()} }

func (v JSON) Type(context.Context) attr.Type { return JSONType{} }

func (v JSON) Equal(o attr.Value) bool {
	other, ok := o.(JSON)
	return ok && v.StringValue.Equal(other.StringValue)
}

// ValueString is the text without a byte order mark. State and plan keep the mark, as core requires of an argument.
func (v JSON) ValueString() string { return jsontree.WithoutMark(v.StringValue.ValueString()) }

// StringSemanticEquals keeps the text in state that has the same values.
func (v JSON) StringSemanticEquals(
	_ context.Context, answered basetypes.StringValuable,
) (bool, diag.Diagnostics) {
	other, ok := answered.(JSON)
	return ok && jsontree.SameText(v.ValueString(), other.ValueString()), nil
}

// ValidateAttribute refuses what is not JSON.
func (v JSON) ValidateAttribute(
	ctx context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse,
) {
	if IsUnset(v) {
		return
	}
	if err := jsontree.Check(v.ValueString()); err != nil {
		resp.Diagnostics.Append(say.ErrorAt(ctx, req.Path, "value.no_json", text.With{
			"path": req.Path.String(), "line": err.Line, "column": err.Column, "expected": err.Expected,
		})...)
	}
}
