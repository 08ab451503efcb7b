package e2e_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// These are the paths that a CLI takes once for each resource. `make bench`
// measures the same with a real CLI.

// benched is a provider as a CLI talks to it, and what there is to say about its
// customers.
type benched struct {
	*testkit.Protocol

	customer tftypes.Type
}

func serveForBenchmark(b *testing.B) *benched {
	b.Helper()
	p := testkit.Serve(b, sandbox.Start(b, sandbox.Options{}), nil)
	return &benched{p, p.Schemas.ResourceSchemas["einvoice_customer"].ValueType()}
}

func (s *benched) check(err error, diags []*tfprotov6.Diagnostic) {
	s.T.Helper()
	if err != nil {
		s.T.Fatal(err)
	}
	s.MustNotFail(diags)
}

// config is a customer as they usually are; planned tells the CLI's proposal,
// whose computed values are not known, from it.
func (s *benched) config(name string, planned bool) *tfprotov6.DynamicValue {
	values := map[string]any{
		"name": name, "email": "fiscal@cliente.example", "federal_tax_number": "11.222.333/0001-81",
		"address": map[string]any{"street": "Rua Augusta", "number": "200", "postal_code": "01304-000", "city": map[string]any{"code": "3550308"}},
	}
	if planned {
		values["id"] = tftypes.UnknownValue
	}
	return s.Dynamic(s.Value(s.customer, values))
}

// plan plans a change to config; a nil prior is a creation.
func (s *benched) plan(prior, config, proposed *tfprotov6.DynamicValue, identity *tfprotov6.ResourceIdentityData) *tfprotov6.PlanResourceChangeResponse {
	if prior == nil {
		prior = s.Dynamic(tftypes.NewValue(s.customer, nil))
	}
	resp, err := s.PlanResourceChange(s.T.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "einvoice_customer", PriorState: prior, ProposedNewState: proposed, Config: config, PriorIdentity: identity,
	})
	s.check(err, resp.Diagnostics)
	return resp
}

func (s *benched) create(name string) *tfprotov6.ApplyResourceChangeResponse {
	config := s.config(name, false)
	planned := s.plan(nil, config, s.config(name, true), nil)
	resp, err := s.ApplyResourceChange(s.T.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: "einvoice_customer", PriorState: s.Dynamic(tftypes.NewValue(s.customer, nil)), PlannedState: planned.PlannedState, Config: config,
		PlannedPrivate: planned.PlannedPrivate, PlannedIdentity: planned.PlannedIdentity,
	})
	s.check(err, resp.Diagnostics)
	return resp
}

func BenchmarkProvider_schema(b *testing.B) {
	for b.Loop() {
		if _, err := testkit.ServedProvider().GetProviderSchema(b.Context(), &tfprotov6.GetProviderSchemaRequest{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCustomer_validate(b *testing.B) {
	s := serveForBenchmark(b)
	config := s.config("Cliente", false)
	b.ReportAllocs()
	for b.Loop() {
		resp, err := s.ValidateResourceConfig(b.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: "einvoice_customer", Config: config})
		s.check(err, resp.Diagnostics)
	}
}

func BenchmarkCustomer_planOfCreation(b *testing.B) {
	s := serveForBenchmark(b)
	config, proposed := s.config("Cliente", false), s.config("Cliente", true)
	b.ReportAllocs()
	for b.Loop() {
		s.plan(nil, config, proposed, nil)
	}
}

func BenchmarkCustomer_planOfNoChange(b *testing.B) {
	s := serveForBenchmark(b)
	created := s.create("Cliente")
	config := s.config("Cliente", false)
	b.ReportAllocs()
	for b.Loop() {
		s.plan(created.NewState, config, created.NewState, created.NewIdentity)
	}
}

func BenchmarkCustomer_refresh(b *testing.B) {
	s := serveForBenchmark(b)
	var created []*tfprotov6.ApplyResourceChangeResponse
	for i := range 200 {
		created = append(created, s.create(fmt.Sprintf("Cliente %d", i)))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		one := created[i%len(created)]
		resp, err := s.ReadResource(b.Context(), &tfprotov6.ReadResourceRequest{TypeName: "einvoice_customer", CurrentState: one.NewState, CurrentIdentity: one.NewIdentity})
		s.check(err, resp.Diagnostics)
	}
}

func BenchmarkCustomer_creation(b *testing.B) {
	s := serveForBenchmark(b)
	b.ReportAllocs()
	for b.Loop() {
		s.create("Cliente")
	}
}
