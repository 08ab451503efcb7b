package e2e_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/webhook"
)

func TestListResources_showNamesThatAPersonRecognises(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed(sandbox.KindCompanies, map[string]any{"name": "Filial", "federalTaxNumber": "12ABC34501DE35"})
	s.Seed(sandbox.KindCustomers, map[string]any{"name": "Padaria Central", "federalTaxNumber": "11222333000181"})
	s.Seed(sandbox.KindCustomers, map[string]any{"name": "Ana", "federalTaxNumber": "52998224725"})
	s.Seed(sandbox.KindCustomers, map[string]any{"name": "Widget Inc.", "federalTaxNumber": "US-12.345"})
	s.Seed(sandbox.KindCustomers, map[string]any{"name": "Consumidor"})
	s.Seed(sandbox.KindProducts, map[string]any{"name": "Pão", "code": "P-1"})
	s.Seed(sandbox.KindProducts, map[string]any{"code": "P-2"})
	s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.authorized", "url": "https://user:pass@hooks.example/nf?token=abc", "enabled": true})
	p := testkit.Serve(t, s, nil)
	for kind, want := range map[string][]string{
		"einvoice_company":  {"Matriz de Teste (98.765.432/0001-98)", "Filial (12.ABC.345/01DE-35)"},
		"einvoice_customer": {"Padaria Central (11.222.333/0001-81)", "Ana (529.982.247-25)", "Widget Inc. (US-12.345)", "Consumidor"},
		"einvoice_product":  {"Pão (P-1)", "P-2"},
		"einvoice_webhook":  {"invoice.authorized (" + webhook.ShownURL("https://user:pass@hooks.example/nf?token=abc") + ")"},
	} {
		found, diagnostics := p.Query(kind, 100, false)
		p.MustNotFail(diagnostics)
		var names []string
		for _, f := range found {
			names = append(names, f.Name)
		}
		expect.Same(t, want, names, "%s", kind)
		for _, name := range names {
			if strings.Contains(name, "abc") || strings.Contains(name, "pass@") {
				t.Errorf("%q shows a secret", name)
			}
		}
	}
}

// What a query gives must be what a read of the same object gives, or generated
// configuration would not plan empty.
func TestListResources_fillTheResourceAsAReadDoes(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	seedAccount(s, 4)
	p := testkit.Serve(t, s, nil)
	for _, kind := range []string{"einvoice_company", "einvoice_customer", "einvoice_product", "einvoice_webhook"} {
		found, diagnostics := p.Query(kind, 100, true)
		p.MustNotFail(diagnostics)
		if len(found) == 0 {
			t.Errorf("%s: nothing was found", kind)
		}
		for _, f := range found {
			imported := testkit.Answered(t, p.ImportResourceState, &tfprotov6.ImportResourceStateRequest{
				TypeName: kind, ID: f.ID,
			})
			p.MustNotFail(imported.Diagnostics)
			read := testkit.Answered(t, p.ReadResource, &tfprotov6.ReadResourceRequest{
				TypeName: kind, CurrentState: imported.ImportedResources[0].State, CurrentIdentity: imported.ImportedResources[0].Identity,
			})
			p.MustNotFail(read.Diagnostics)
			want := p.Attributes(read.NewState, p.Schemas.ResourceSchemas[kind].ValueType())
			for name, value := range want {
				if !f.Resource[name].Equal(value) {
					t.Errorf("%s %s: the query gives %s, a read %s", kind, name, f.Resource[name], value)
				}
			}
		}
	}
}

func TestListResources_reportWhatFails(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	found, said := testkit.Serve(t, s, object{"api_key": "nobody"}).Query("einvoice_webhook", 100, true)
	if len(found) > 0 || !strings.Contains(testkit.ErrorsIn(said), "Cannot list webhooks") {
		t.Errorf("with a key that is nobody's: %v, and it says %q", found, testkit.ErrorsIn(said))
	}
}

// needsTerraform skips a test of what OpenTofu does not have in any version, and
// Terraform since 1.minor.
func needsTerraform(t *testing.T, minor int, what string) {
	t.Helper()
	if found := testkit.MustFindCLI(t); found.Product != cli.Terraform || !found.AtLeast(1, minor) {
		t.Skipf("%s has no %s", found, what)
	}
}

// seedAccount fills an account as people and other systems do: with everything,
// with hardly anything, and with odd spellings.
func seedAccount(s *sandbox.Server, customers int) {
	address := object{
		"street": "Rua A", "number": "1", "district": "Centro", "postalCode": "01310100",
		"city":    object{"code": "3550308", "name": "São Paulo", "state": "sp"},
		"country": object{"code": 1058, "name": "Brasil"},
	}
	for i := range customers {
		customer := object{"name": fmt.Sprintf("Cliente \"%03d\" ${x} & Filhos", i+1), "federalTaxNumber": "11222333000181"}
		maps.Copy(customer, []object{
			{},
			{
				"legalName": "Razão Social Ltda", "stateTaxNumber": "ISENTO", "email": "nf@example.com", "phone": "1133334444",
				"address": address,
			},
			{"federalTaxNumber": "12ABC34501DE35", "address": object{"street": "Rua B", "city": object{"code": "3304557"}}},
			{"federalTaxNumber": "US-12.345", "address": object{
				"street": "Main St", "cityName": "Springfield", "country": object{"code": 2496, "name": "Estados Unidos"},
			}},
		}[i%4])
		s.Seed(sandbox.KindCustomers, customer)
	}
	s.Seed(sandbox.KindCompanies, object{
		"name": "Filial", "legalName": "Filial Ltda", "federalTaxNumber": "12ABC34501DE35", "taxRegime": "simplesNacional",
		"address": address,
	})
	s.Seed(sandbox.KindProducts, map[string]any{"name": "Pão", "code": "P-1", "price": 1.25, "invoiceModel": "productInvoice"})
	s.Seed(sandbox.KindProducts, map[string]any{"name": "Amostra", "code": "P-2", "price": 0})
	s.Seed(sandbox.KindProducts, map[string]any{"name": "Sem preço", "code": "P-3"})
	s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.authorized", "url": "https://hooks.example/nf?token=abc", "enabled": true})
	s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.rejected", "url": "https://hooks.example/nf", "enabled": false})
}

func TestAccQuery_generatesConfigurationThatImportsWithoutAChange(t *testing.T) {
	t.Parallel()
	const customers = 101
	needsTerraform(t, 14, "terraform query")
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewWorkspace(t, testkit.Config(s, ""), "")
	seedAccount(s, customers)
	var query strings.Builder
	for _, kind := range []string{"company", "customer", "product", "webhook"} {
		fmt.Fprintf(&query, "list \"einvoice_%s\" \"all\" {\n  provider = einvoice\n  limit    = 1000\n}\n", kind)
	}
	replaceFile(t, filepath.Join(w.Dir, "all.tfquery.hcl"), query.String())
	w.MustRun("query", "-generate-config-out=adopted.tf")
	if got, want := len(s.Requests()), 2+3; got != want {
		t.Errorf("%d requests for the query, want %d: two pages of customers, and one of each other kind", got, want)
	}
	plan := w.MustRun("plan", "-input=false")
	if want := fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", customers+2+3+2); !strings.Contains(plan, want) {
		t.Fatalf("the plan is not of imports alone:\n%s", plan)
	}
	writes := fixture.CountWrites(s)
	w.MustApply()
	if n := fixture.CountWrites(s) - writes; n != 0 {
		t.Errorf("%d requests changed something, want none", n)
	}
	w.MustPlanNothing()
}
