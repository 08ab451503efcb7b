package invoice

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// fields are the attributes that show an object of the service, by their names.
type fields[T any] map[string]field[T]

// field is one attribute: how a schema describes it, and its value in an object.
type field[T any] struct {
	schema.Attribute
	value func(*T) attr.Value
}

func text[T any, S ~string](description string, of func(*T) S) field[T] {
	return field[T]{attribute.ComputedText(description), func(v *T) attr.Value { return attribute.TextOrNull(of(v)) }}
}

func number[T any](description string, of func(*T) *einvoice.Int) field[T] {
	return field[T]{
		schema.Int64Attribute{MarkdownDescription: description, Computed: true},
		func(v *T) attr.Value { return attribute.IntOrNull(of(v)) },
	}
}

func decimal[T any](description string, of func(*T) *einvoice.Number) field[T] {
	return field[T]{
		schema.Float64Attribute{MarkdownDescription: description, Computed: true},
		func(v *T) attr.Value { return attribute.NumberOrNull(of(v)) },
	}
}

// object is null where the service shows no such part.
func object[T, P any](description string, of func(*T) *P, parts fields[P]) field[T] {
	return field[T]{
		attribute.ComputedObject(description, parts.attributes()),
		func(v *T) attr.Value { return parts.object(of(v)) },
	}
}

func (f fields[T]) attributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for name, field := range f {
		attributes[name] = field.Attribute
	}
	return attributes
}

func (f fields[T]) types() map[string]attr.Type {
	types := map[string]attr.Type{}
	for name, field := range f {
		types[name] = field.GetType()
	}
	return types
}

func (f fields[T]) values(v *T) map[string]attr.Value {
	values := map[string]attr.Value{}
	for name, field := range f {
		values[name] = field.value(v)
	}
	return values
}

func (f fields[T]) object(v *T) types.Object {
	if v == nil {
		return types.ObjectNull(f.types())
	}
	return types.ObjectValueMust(f.types(), f.values(v))
}

// inResource turns a computed attribute of a data source into one of a resource.
func inResource(of schema.Attribute) resource.Attribute {
	description := of.GetMarkdownDescription()
	switch of := of.(type) {
	case schema.Int64Attribute:
		return resource.Int64Attribute{MarkdownDescription: description, Computed: true}
	case schema.Float64Attribute:
		return resource.Float64Attribute{MarkdownDescription: description, Computed: true}
	case schema.SingleNestedAttribute:
		parts := map[string]resource.Attribute{}
		for name, part := range of.Attributes {
			parts[name] = inResource(part)
		}
		return resource.SingleNestedAttribute{MarkdownDescription: description, Computed: true, Attributes: parts}
	}
	return resource.StringAttribute{MarkdownDescription: description, Computed: true}
}
