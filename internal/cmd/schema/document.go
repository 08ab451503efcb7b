package main

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// providerKey is the address tfplugindocs looks a provider up under: it knows the hashicorp namespace only, whoever the
// provider belongs to.
const providerKey = "registry.terraform.io/hashicorp/einvoice"

// document is what `terraform providers schema -json` prints, field by field.
type document struct {
	FormatVersion   string                     `json:"format_version"`
	ProviderSchemas map[string]providerSchemas `json:"provider_schemas"`
}

type providerSchemas struct {
	Provider           *schema                    `json:"provider,omitempty"`
	Resources          map[string]*schema         `json:"resource_schemas,omitempty"`
	DataSources        map[string]*schema         `json:"data_source_schemas,omitempty"`
	EphemeralResources map[string]*schema         `json:"ephemeral_resource_schemas,omitempty"`
	ListResources      map[string]*schema         `json:"list_resource_schemas,omitempty"`
	Actions            map[string]*actionSchema   `json:"action_schemas,omitempty"`
	Functions          map[string]*function       `json:"functions,omitempty"`
	Identities         map[string]*identitySchema `json:"resource_identity_schemas,omitempty"`
}

type schema struct {
	Version int64  `json:"version"`
	Block   *block `json:"block,omitempty"`
}

// actionSchema has no version: an action has no state.
type actionSchema struct {
	Block *block `json:"block,omitempty"`
}

type block struct {
	Attributes         map[string]*attribute   `json:"attributes,omitempty"`
	BlockTypes         map[string]*nestedBlock `json:"block_types,omitempty"`
	Description        string                  `json:"description,omitempty"`
	DescriptionKind    string                  `json:"description_kind,omitempty"`
	Deprecated         bool                    `json:"deprecated,omitempty"`
	DeprecationMessage string                  `json:"deprecation_message,omitempty"`
}

type nestedBlock struct {
	NestingMode string `json:"nesting_mode,omitempty"`
	Block       *block `json:"block,omitempty"`
	MinItems    int64  `json:"min_items,omitempty"`
	MaxItems    int64  `json:"max_items,omitempty"`
}

type attribute struct {
	Type               tftypes.Type      `json:"type,omitempty"`
	NestedType         *nestedAttributes `json:"nested_type,omitempty"`
	Description        string            `json:"description,omitempty"`
	DescriptionKind    string            `json:"description_kind,omitempty"`
	Deprecated         bool              `json:"deprecated,omitempty"`
	DeprecationMessage string            `json:"deprecation_message,omitempty"`
	Required           bool              `json:"required,omitempty"`
	Optional           bool              `json:"optional,omitempty"`
	Computed           bool              `json:"computed,omitempty"`
	Sensitive          bool              `json:"sensitive,omitempty"`
	WriteOnly          bool              `json:"write_only,omitempty"`
}

type nestedAttributes struct {
	Attributes  map[string]*attribute `json:"attributes,omitempty"`
	NestingMode string                `json:"nesting_mode,omitempty"`
}

type function struct {
	Description        string       `json:"description,omitempty"`
	Summary            string       `json:"summary,omitempty"`
	DeprecationMessage string       `json:"deprecation_message,omitempty"`
	ReturnType         tftypes.Type `json:"return_type"`
	Parameters         []*parameter `json:"parameters,omitempty"`
	VariadicParameter  *parameter   `json:"variadic_parameter,omitempty"`
}

type parameter struct {
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"`
	IsNullable  bool         `json:"is_nullable,omitempty"`
	Type        tftypes.Type `json:"type"`
}

type identitySchema struct {
	Version    int64                         `json:"version"`
	Attributes map[string]*identityAttribute `json:"attributes,omitempty"`
}

type identityAttribute struct {
	Type              tftypes.Type `json:"type"`
	Description       string       `json:"description,omitempty"`
	RequiredForImport bool         `json:"required_for_import,omitempty"`
	OptionalForImport bool         `json:"optional_for_import,omitempty"`
}

func newDocument(schemas *tfprotov6.GetProviderSchemaResponse, identities *tfprotov6.GetResourceIdentitySchemasResponse) document {
	return document{
		FormatVersion: "1.0",
		ProviderSchemas: map[string]providerSchemas{providerKey: {
			Provider:           newSchema(schemas.Provider),
			Resources:          mapped(schemas.ResourceSchemas, newSchema),
			DataSources:        mapped(schemas.DataSourceSchemas, newSchema),
			EphemeralResources: mapped(schemas.EphemeralResourceSchemas, newSchema),
			ListResources:      mapped(schemas.ListResourceSchemas, newSchema),
			Actions: mapped(schemas.ActionSchemas, func(s *tfprotov6.ActionSchema) *actionSchema {
				return &actionSchema{Block: newBlock(s.Schema.Block)}
			}),
			Functions:  mapped(schemas.Functions, newFunction),
			Identities: mapped(identities.IdentitySchemas, newIdentitySchema),
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

func newSchema(s *tfprotov6.Schema) *schema {
	if s == nil {
		return nil
	}
	return &schema{Version: s.Version, Block: newBlock(s.Block)}
}

func newBlock(b *tfprotov6.SchemaBlock) *block {
	out := &block{
		Attributes:         newAttributes(b.Attributes),
		BlockTypes:         make(map[string]*nestedBlock, len(b.BlockTypes)),
		Description:        b.Description,
		DescriptionKind:    word(b.DescriptionKind),
		Deprecated:         b.Deprecated,
		DeprecationMessage: b.DeprecationMessage,
	}
	for _, nested := range b.BlockTypes {
		out.BlockTypes[nested.TypeName] = &nestedBlock{
			NestingMode: word(nested.Nesting),
			Block:       newBlock(nested.Block),
			MinItems:    nested.MinItems,
			MaxItems:    nested.MaxItems,
		}
	}
	return out
}

func newAttributes(attributes []*tfprotov6.SchemaAttribute) map[string]*attribute {
	out := make(map[string]*attribute, len(attributes))
	for _, a := range attributes {
		converted := &attribute{
			Type:               a.Type,
			Description:        a.Description,
			DescriptionKind:    word(a.DescriptionKind),
			Deprecated:         a.Deprecated,
			DeprecationMessage: a.DeprecationMessage,
			Required:           a.Required,
			Optional:           a.Optional,
			Computed:           a.Computed,
			Sensitive:          a.Sensitive,
			WriteOnly:          a.WriteOnly,
		}
		if a.NestedType != nil {
			converted.Type = nil
			converted.NestedType = &nestedAttributes{
				Attributes:  newAttributes(a.NestedType.Attributes),
				NestingMode: word(a.NestedType.Nesting),
			}
		}
		out[a.Name] = converted
	}
	return out
}

func newFunction(f *tfprotov6.Function) *function {
	out := &function{
		Description:        f.Description,
		Summary:            f.Summary,
		DeprecationMessage: f.DeprecationMessage,
		ReturnType:         f.Return.Type,
	}
	for _, p := range f.Parameters {
		out.Parameters = append(out.Parameters, newParameter(p))
	}
	if f.VariadicParameter != nil {
		out.VariadicParameter = newParameter(f.VariadicParameter)
	}
	return out
}

func newParameter(p *tfprotov6.FunctionParameter) *parameter {
	return &parameter{Name: p.Name, Description: p.Description, IsNullable: p.AllowNullValue, Type: p.Type}
}

func newIdentitySchema(s *tfprotov6.ResourceIdentitySchema) *identitySchema {
	out := &identitySchema{Version: s.Version, Attributes: make(map[string]*identityAttribute, len(s.IdentityAttributes))}
	for _, a := range s.IdentityAttributes {
		out.Attributes[a.Name] = &identityAttribute{
			Type:              a.Type,
			Description:       a.Description,
			RequiredForImport: a.RequiredForImport,
			OptionalForImport: a.OptionalForImport,
		}
	}
	return out
}

// word is how the document writes a word of the protocol, which is in capitals there.
func word(w fmt.Stringer) string { return strings.ToLower(w.String()) }
