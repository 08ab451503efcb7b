package e2e_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// These are the paths that a CLI takes once for each resource. `make bench`
// measures the same with a real CLI.

// served is a provider as a CLI talks to it, configured for a sandbox, and what
// there is to say about its customers.
type served struct {
	b        *testing.B
	sandbox  *sandbox.Server
	server   tfprotov6.ProviderServer
	customer tftypes.Object
	identity tftypes.Object
}

func serveForBenchmark(b *testing.B) *served {
	b.Helper()
	for name, value := range map[string]string{"EINVOICE_REQUESTS_PER_MINUTE": "0", "EINVOICE_REQUESTS_PER_SECOND": "0", message.EnvCacheDir: b.TempDir()} {
		b.Setenv(name, value)
	}
	s := &served{b: b, server: acctest.ServedProvider(), sandbox: sandbox.New(sandbox.Options{})}
	if err := s.sandbox.Listen("127.0.0.1:0"); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.sandbox.Close)
	schemas, err := s.server.GetProviderSchema(b.Context(), &tfprotov6.GetProviderSchemaRequest{})
	s.check(err, schemas.Diagnostics)
	s.customer = schemas.ResourceSchemas["einvoice_customer"].ValueType().(tftypes.Object)
	s.identity = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String}}

	config := nullObject(schemas.Provider.ValueType().(tftypes.Object))
	config["base_url"] = tftypes.NewValue(tftypes.String, s.sandbox.BaseURL())
	config["api_key"] = tftypes.NewValue(tftypes.String, s.sandbox.OwnerKey())
	configured, err := s.server.ConfigureProvider(b.Context(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.11.4", Config: s.dynamic(tftypes.NewValue(schemas.Provider.ValueType(), config)),
	})
	s.check(err, configured.Diagnostics)
	return s
}

func (s *served) check(err error, diags []*tfprotov6.Diagnostic) {
	s.b.Helper()
	if err != nil {
		s.b.Fatal(err)
	}
	for _, d := range diags {
		s.b.Fatalf("%s: %s", d.Summary, d.Detail)
	}
}

func (s *served) dynamic(v tftypes.Value) *tfprotov6.DynamicValue {
	s.b.Helper()
	packed, err := tfprotov6.NewDynamicValue(v.Type(), v)
	if err != nil {
		s.b.Fatal(err)
	}
	return &packed
}

func nullObject(of tftypes.Object) map[string]tftypes.Value {
	values := map[string]tftypes.Value{}
	for name, t := range of.AttributeTypes {
		values[name] = tftypes.NewValue(t, nil)
	}
	return values
}

func text(v string) tftypes.Value { return tftypes.NewValue(tftypes.String, v) }

// config is a customer as they usually are; planned tells the CLI's proposal,
// whose computed values are not known, from it.
func (s *served) config(name string, planned bool) tftypes.Value {
	values := nullObject(s.customer)
	values["name"], values["email"] = text(name), text("fiscal@cliente.example")
	values["federal_tax_number"] = text("11.222.333/0001-81")
	addressType := s.customer.AttributeTypes["address"].(tftypes.Object)
	address := nullObject(addressType)
	address["street"], address["number"], address["postal_code"] = text("Rua Augusta"), text("200"), text("01304-000")
	cityType := addressType.AttributeTypes["city"].(tftypes.Object)
	city := nullObject(cityType)
	city["code"] = text("3550308")
	if planned {
		values["id"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	}
	address["city"] = tftypes.NewValue(cityType, city)
	values["address"] = tftypes.NewValue(addressType, address)
	return tftypes.NewValue(s.customer, values)
}

func (s *served) validate(config *tfprotov6.DynamicValue) {
	resp, err := s.server.ValidateResourceConfig(s.b.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: "einvoice_customer", Config: config})
	s.check(err, resp.Diagnostics)
}

// plan plans a change to config; a nil prior is a creation.
func (s *served) plan(prior, config, proposed *tfprotov6.DynamicValue, identity *tfprotov6.ResourceIdentityData) *tfprotov6.PlanResourceChangeResponse {
	if prior == nil {
		prior = s.dynamic(tftypes.NewValue(s.customer, nil))
	}
	resp, err := s.server.PlanResourceChange(s.b.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "einvoice_customer", PriorState: prior, ProposedNewState: proposed, Config: config, PriorIdentity: identity,
	})
	s.check(err, resp.Diagnostics)
	return resp
}

func (s *served) create(name string) *tfprotov6.ApplyResourceChangeResponse {
	config, proposed := s.dynamic(s.config(name, false)), s.dynamic(s.config(name, true))
	planned := s.plan(nil, config, proposed, nil)
	resp, err := s.server.ApplyResourceChange(s.b.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: "einvoice_customer", PriorState: s.dynamic(tftypes.NewValue(s.customer, nil)), PlannedState: planned.PlannedState, Config: config,
		PlannedPrivate: planned.PlannedPrivate, PlannedIdentity: planned.PlannedIdentity,
	})
	s.check(err, resp.Diagnostics)
	return resp
}

func (s *served) read(state *tfprotov6.DynamicValue, identity *tfprotov6.ResourceIdentityData) {
	resp, err := s.server.ReadResource(s.b.Context(), &tfprotov6.ReadResourceRequest{TypeName: "einvoice_customer", CurrentState: state, CurrentIdentity: identity})
	s.check(err, resp.Diagnostics)
}

func BenchmarkProvider_schema(b *testing.B) {
	for b.Loop() {
		if _, err := acctest.ServedProvider().GetProviderSchema(b.Context(), &tfprotov6.GetProviderSchemaRequest{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCustomer_validate(b *testing.B) {
	s := serveForBenchmark(b)
	config := s.dynamic(s.config("Cliente", false))
	b.ReportAllocs()
	for b.Loop() {
		s.validate(config)
	}
}

func BenchmarkCustomer_planOfCreation(b *testing.B) {
	s := serveForBenchmark(b)
	config, proposed := s.dynamic(s.config("Cliente", false)), s.dynamic(s.config("Cliente", true))
	b.ReportAllocs()
	for b.Loop() {
		s.plan(nil, config, proposed, nil)
	}
}

func BenchmarkCustomer_planOfNoChange(b *testing.B) {
	s := serveForBenchmark(b)
	created := s.create("Cliente")
	config := s.dynamic(s.config("Cliente", false))
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
		s.read(one.NewState, one.NewIdentity)
	}
}

func BenchmarkCustomer_creation(b *testing.B) {
	s := serveForBenchmark(b)
	b.ReportAllocs()
	for b.Loop() {
		s.create("Cliente")
	}
}
