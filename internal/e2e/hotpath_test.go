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

// benched serves a provider to a benchmark, with a customer that does not exist yet.
func benched(b *testing.B) (*testkit.Object, tftypes.Value) {
	b.Helper()
	o := testkit.Serve(b, sandbox.Start(b, sandbox.Options{}), nil).Object("einvoice_customer")
	b.ReportAllocs()
	return o, o.Value(o.Type, benchedCustomer("Cliente"))
}

func benchedCustomer(name string) map[string]any {
	return map[string]any{
		"name": name, "email": "fiscal@cliente.example", "federal_tax_number": "11.222.333/0001-81",
		"address": map[string]any{
			"street": "Rua Augusta", "number": "200", "postal_code": "01304-000", "city": map[string]any{"code": "3550308"},
		},
	}
}

func BenchmarkProvider_schema(b *testing.B) {
	for b.Loop() {
		testkit.Answered(b, testkit.ServedProvider().GetProviderSchema, &tfprotov6.GetProviderSchemaRequest{})
	}
}

func BenchmarkCustomer_planOfCreation(b *testing.B) {
	o, config := benched(b)
	for b.Loop() {
		o.MustPlan(config)
	}
}

func BenchmarkCustomer_planOfNoChange(b *testing.B) {
	o, config := benched(b)
	o.Create(benchedCustomer("Cliente"))
	for b.Loop() {
		o.MustPlan(config)
	}
}

func BenchmarkCustomer_refresh(b *testing.B) {
	o, _ := benched(b)
	objects := make([]*testkit.Object, 200)
	for i := range objects {
		objects[i] = o.Object("einvoice_customer")
		objects[i].Create(benchedCustomer(fmt.Sprintf("Cliente %d", i)))
	}
	for i := 0; b.Loop(); i++ {
		o.MustNotFail(objects[i%len(objects)].Refresh())
	}
}

func BenchmarkCustomer_creation(b *testing.B) {
	o, config := benched(b)
	for b.Loop() {
		o.Forget()
		o.MustNotFail(o.Apply(config, o.MustPlan(config)))
	}
}
