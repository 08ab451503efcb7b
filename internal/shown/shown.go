// Package shown has tables of the attributes that show an object of the service: one line describes
// an attribute and reads its value.
package shown

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// Fields are the attributes that show an object of the service, by their names.
type Fields map[string]Field

// Field is one attribute: how a data source describes it, and its value.
type Field struct {
	schema.Attribute
	Value attr.Value
}

// Text shows a text; one that is missing is null.
func Text[S ~string](description string, s S) Field {
	return Field{attribute.ComputedText(description), attribute.TextOrNull(s)}
}

// Texts is null if the service shows no list, and not if it shows an empty one.
func Texts[S ~string](description string, texts []S) Field {
	of := schema.ListAttribute{MarkdownDescription: description, ElementType: types.StringType, Computed: true}
	if texts == nil {
		return Field{of, types.ListNull(types.StringType)}
	}
	elements := []attr.Value{}
	for _, text := range texts {
		elements = append(elements, attribute.TextOrNull(text))
	}
	return Field{of, types.ListValueMust(types.StringType, elements)}
}

// Int shows a whole number.
func Int(description string, n *einvoice.Int) Field {
	return Field{attribute.ComputedInt(description), attribute.IntOrNull(n)}
}

// Number shows a number.
func Number(description string, n *einvoice.Number) Field {
	return Field{schema.Float64Attribute{MarkdownDescription: description, Computed: true}, attribute.NumberOrNull(n)}
}

// Flag shows a flag.
func Flag(description string, f *einvoice.Flag) Field {
	return Field{schema.BoolAttribute{MarkdownDescription: description, Computed: true}, attribute.FlagOrNull(f)}
}

// Object is null if the service shows no such part.
func Object[T any](description string, v *T, parts func(*T) Fields) Field {
	return Field{attribute.ComputedObject(description, Attributes(parts)), Value(v, parts)}
}

// List describes a list of objects.
func List[T any](description string, parts func(*T) Fields) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		MarkdownDescription: description, Computed: true,
		NestedObject: schema.NestedAttributeObject{Attributes: Attributes(parts)},
	}
}

// Value is an object of the service as a value.
func Value[T any](v *T, parts func(*T) Fields) types.Object {
	if v == nil {
		return types.ObjectNull(Types(parts))
	}
	values := map[string]attr.Value{}
	for name, field := range parts(v) {
		values[name] = field.Value
	}
	return types.ObjectValueMust(Types(parts), values)
}

// Attributes describes an object of the service.
func Attributes[T any](parts func(*T) Fields) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for name, field := range parts(new(T)) {
		attributes[name] = field.Attribute
	}
	return attributes
}

// Types are the types of the attributes of an object.
func Types[T any](parts func(*T) Fields) map[string]attr.Type {
	types := map[string]attr.Type{}
	for name, field := range parts(new(T)) {
		types[name] = field.GetType()
	}
	return types
}

// Into completes the configuration of a data source with what the service shows.
func (f Fields) Into(ctx context.Context, config types.Object) types.Object {
	values := config.Attributes()
	for name, field := range f {
		values[name] = field.Value
	}
	return types.ObjectValueMust(config.AttributeTypes(ctx), values)
}
