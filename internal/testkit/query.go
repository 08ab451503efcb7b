package testkit

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Queried is one result of a query.
type Queried struct {
	ID, Name string
	Resource map[string]tftypes.Value
}

// Query asks for objects as `terraform query` does, and takes all results that the provider gives.
func (p *Protocol) Query(kind string, limit int64, include bool) ([]Queried, []*tfprotov6.Diagnostic) {
	p.T.Helper()
	schema := p.Schemas.ListResourceSchemas[kind]
	if schema == nil {
		p.T.Fatalf("no list resource %s is served", kind)
	}
	identities := Answered(p.T, p.GetResourceIdentitySchemas, &tfprotov6.GetResourceIdentitySchemasRequest{})
	config := p.Config(schema, nil)
	valid := Answered(p.T, p.ValidateListResourceConfig, &tfprotov6.ValidateListResourceConfigRequest{
		TypeName: kind, Config: config,
	})
	p.MustNotFail(valid.Diagnostics)
	stream := Answered(p.T, p.ListResource, &tfprotov6.ListResourceRequest{
		TypeName: kind, Config: config, Limit: limit, IncludeResource: include,
	})
	var found []Queried
	var diagnostics []*tfprotov6.Diagnostic
	for result := range stream.Results {
		diagnostics = append(diagnostics, result.Diagnostics...)
		if result.Identity == nil {
			continue
		}
		identity := p.Attributes(result.Identity.IdentityData, identities.IdentitySchemas[kind].ValueType())
		found = append(found, Queried{
			ID: TextIn(p.T, identity["id"]), Name: result.DisplayName,
			Resource: p.Attributes(result.Resource, p.Schemas.ResourceSchemas[kind].ValueType()),
		})
	}
	return found, diagnostics
}
