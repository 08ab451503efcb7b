package main

import (
	"fmt"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// providerKey is the address tfplugindocs looks a provider up under: it knows the hashicorp namespace only, whoever the
// provider belongs to.
const providerKey = "registry.terraform.io/hashicorp/einvoice"

// newDocument is what `terraform providers schema -json` prints, in the types that tfplugindocs reads it with.
func newDocument(
	schemas *tfprotov6.GetProviderSchemaResponse,
	identities *tfprotov6.GetResourceIdentitySchemasResponse,
) tfjson.ProviderSchemas {
	return tfjson.ProviderSchemas{
		FormatVersion: "1.0",
		Schemas: map[string]*tfjson.ProviderSchema{providerKey: {
			ConfigSchema:             newSchema(schemas.Provider),
			ResourceSchemas:          mapped(schemas.ResourceSchemas, newSchema),
			DataSourceSchemas:        mapped(schemas.DataSourceSchemas, newSchema),
			EphemeralResourceSchemas: mapped(schemas.EphemeralResourceSchemas, newSchema),
			ListResourceSchemas:      mapped(schemas.ListResourceSchemas, newSchema),
			ActionSchemas: mapped(schemas.ActionSchemas, func(s *tfprotov6.ActionSchema) *tfjson.ActionSchema {
				return &tfjson.ActionSchema{Block: newBlock(s.Schema.Block)}
			}),
			Functions:               mapped(schemas.Functions, newFunction),
			ResourceIdentitySchemas: mapped(identities.IdentitySchemas, newIdentitySchema),
		}},
	}
}

func mapped[From, To any](from map[string]From, convert func(From) To) map[string]To {
	to := make(map[string]To, len(from))
	for name, value := range from {
		to[name] = convert(value)
	}
	return to
}

func newSchema(s *tfprotov6.Schema) *tfjson.Schema {
	if s == nil {
		return nil
	}
	return &tfjson.Schema{Version: uint64(s.Version), Block: newBlock(s.Block)}
}

func newBlock(b *tfprotov6.SchemaBlock) *tfjson.SchemaBlock {
	out := &tfjson.SchemaBlock{
		Attributes:      newAttributes(b.Attributes),
		NestedBlocks:    make(map[string]*tfjson.SchemaBlockType, len(b.BlockTypes)),
		Description:     b.Description,
		DescriptionKind: word[tfjson.SchemaDescriptionKind](b.DescriptionKind),
		Deprecated:      b.Deprecated,
	}
	for _, nested := range b.BlockTypes {
		out.NestedBlocks[nested.TypeName] = &tfjson.SchemaBlockType{
			NestingMode: word[tfjson.SchemaNestingMode](nested.Nesting),
			Block:       newBlock(nested.Block),
			MinItems:    uint64(nested.MinItems),
			MaxItems:    uint64(nested.MaxItems),
		}
	}
	return out
}

func newAttributes(attributes []*tfprotov6.SchemaAttribute) map[string]*tfjson.SchemaAttribute {
	out := make(map[string]*tfjson.SchemaAttribute, len(attributes))
	for _, a := range attributes {
		converted := &tfjson.SchemaAttribute{
			Description:     a.Description,
			DescriptionKind: word[tfjson.SchemaDescriptionKind](a.DescriptionKind),
			Deprecated:      a.Deprecated,
			Required:        a.Required,
			Optional:        a.Optional,
			Computed:        a.Computed,
			Sensitive:       a.Sensitive,
			WriteOnly:       a.WriteOnly,
		}
		if a.NestedType == nil {
			converted.AttributeType = newType(a.Type)
		} else {
			converted.AttributeNestedType = &tfjson.SchemaNestedAttributeType{
				Attributes:  newAttributes(a.NestedType.Attributes),
				NestingMode: word[tfjson.SchemaNestingMode](a.NestedType.Nesting),
			}
		}
		out[a.Name] = converted
	}
	return out
}

func newFunction(f *tfprotov6.Function) *tfjson.FunctionSignature {
	out := &tfjson.FunctionSignature{
		Description:        f.Description,
		Summary:            f.Summary,
		DeprecationMessage: f.DeprecationMessage,
		ReturnType:         newType(f.Return.Type),
	}
	for _, p := range f.Parameters {
		out.Parameters = append(out.Parameters, newParameter(p))
	}
	if f.VariadicParameter != nil {
		out.VariadicParameter = newParameter(f.VariadicParameter)
	}
	return out
}

func newParameter(p *tfprotov6.FunctionParameter) *tfjson.FunctionParameter {
	return &tfjson.FunctionParameter{
		Name:        p.Name,
		Description: p.Description,
		IsNullable:  p.AllowNullValue,
		Type:        newType(p.Type),
	}
}

func newIdentitySchema(s *tfprotov6.ResourceIdentitySchema) *tfjson.IdentitySchema {
	out := &tfjson.IdentitySchema{
		Version:    uint64(s.Version),
		Attributes: make(map[string]*tfjson.IdentityAttribute, len(s.IdentityAttributes)),
	}
	for _, a := range s.IdentityAttributes {
		out.Attributes[a.Name] = &tfjson.IdentityAttribute{
			IdentityType:      newType(a.Type),
			Description:       a.Description,
			RequiredForImport: a.RequiredForImport,
			OptionalForImport: a.OptionalForImport,
		}
	}
	return out
}

// newType is a type as the CLIs know it. Both are written alike in JSON.
func newType(t tftypes.Type) (out cty.Type) {
	written, err := t.MarshalJSON() //nolint:staticcheck // The protocol has no other form.
	if err == nil {
		err = out.UnmarshalJSON(written)
	}
	if err != nil {
		panic("a type of the provider cannot be written: " + err.Error())
	}
	return out
}

// word is how the document writes a word of the protocol, which is in capitals there.
func word[T ~string](w fmt.Stringer) T { return T(strings.ToLower(w.String())) }
