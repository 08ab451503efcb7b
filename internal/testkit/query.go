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

// Query asks for objects as `terraform query` does, and takes all results that
// the provider gives.
func (p *Protocol) Query(kind string, limit int64, include bool) ([]Queried, []*tfprotov6.Diagnostic) {
	p.T.Helper()
	schema := p.Schemas.ListResourceSchemas[kind]
	if schema == nil {
		p.T.Fatalf("no list resource %s is served", kind)
	}
	identities, err := p.GetResourceIdentitySchemas(p.T.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		p.T.Fatal(err)
	}
	config := p.Config(schema, nil)
	valid, err := p.ValidateListResourceConfig(
		p.T.Context(),
		&tfprotov6.ValidateListResourceConfigRequest{TypeName: kind, Config: config},
	)
	if err != nil {
		p.T.Fatal(err)
	}
	p.MustNotFail(valid.Diagnostics)
	stream, err := p.ListResource(
		p.T.Context(),
		&tfprotov6.ListResourceRequest{TypeName: kind, Config: config, Limit: limit, IncludeResource: include},
	)
	if err != nil {
		p.T.Fatal(err)
	}
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
