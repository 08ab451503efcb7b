package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/webhook"
)

// The lists of companies, customers, products and webhooks are alike, and so are
// their tests. want has a part of what is read of each object.
var wholeLists = []struct {
	plural, kind  string
	objects, want []object
}{
	{
		"companies", sandbox.KindCompanies,
		[]object{
			{"name": "Filial", "legalName": "L", "federalTaxNumber": "45997418000153", "taxRegime": "simplesNacional", "economicActivities": []any{object{"code": "1", "type": "main"}}},
			{"name": "Outra", "federalTaxNumber": "11444777000161"},
		},
		[]object{
			{"name": "Matriz de Teste"}, // The main company.
			{"name": "Filial", "legal_name": "L", "federal_tax_number": "45997418000153", "tax_regime": "simplesNacional", "economic_activities": []any{object{"code": "1", "type": "main"}}},
			{"name": "Outra", "email": nil},
		},
	},
	{
		"customers", sandbox.KindCustomers,
		[]object{
			{"name": "Ana", "federalTaxNumber": "52998224725", "email": "", "address": object{"street": "Rua A", "city": object{"code": "3550308", "name": "São Paulo", "state": "sp"}}},
			{"name": "Bia"},
			{"name": "Caio"},
		},
		[]object{
			{
				"name": "Ana", "federal_tax_number": "52998224725", "email": nil,
				"address": object{
					"street": "Rua A", "number": nil, "district": nil, "postal_code": nil, "additional_information": nil, "city_name": nil, "country": nil,
					"city": object{"code": "3550308", "name": "São Paulo", "state": "sp"},
				},
			},
			{"name": "Bia", "address": nil},
			{"name": "Caio"},
		},
	},
	{
		"products", sandbox.KindProducts,
		[]object{{"name": "Pão", "code": "P1", "price": 1.99, "invoiceModel": "productInvoice"}, {"name": "Bolo", "code": "P2"}},
		[]object{{"name": "Pão", "code": "P1", "price": 1.99, "invoice_model": "productInvoice"}, {"name": "Bolo", "price": nil}},
	},
	{
		"webhooks", sandbox.KindWebhooks,
		[]object{
			{"event": "invoice.authorized", "url": "https://erp.example/a?token=1", "enabled": true}, {"event": "invoice.rejected", "url": "https://erp.example/b", "enabled": false},
		},
		[]object{
			{"event": "invoice.authorized", "url": "https://erp.example/a?token=1", "enabled": true}, {"event": "invoice.rejected", "enabled": false},
		},
	},
}

func TestLists_readAllPagesUpToTheirLimitOrFail(t *testing.T) {
	t.Parallel()
	const secret = "plantedsecret"
	for _, list := range wholeLists {
		t.Run(list.plural, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{MaxPageSize: 1})
			p := testkit.Serve(t, s, nil)
			count := len(list.want)
			reads := func(arguments object, want int) ([]any, object) {
				t.Helper()
				state, said := p.Read("einvoice_"+list.plural, arguments)
				read, _ := state[list.plural].([]any)
				says := ""
				if want < count && arguments != nil {
					says = "List of " + list.plural + " cut at the limit"
				}
				if len(read) != want || len(said) != min(1, len(says)) || len(said) > 0 && said[0].Summary != says {
					t.Fatalf("with %v it reads %d, want %d, and says %v", arguments, len(read), want, said)
				}
				return read, state
			}
			reads(nil, count-len(list.objects))
			for i, held := range list.objects {
				list.want[count-len(list.objects)+i]["id"] = s.Seed(list.kind, held)
			}
			read, _ := reads(nil, count)
			for i, want := range list.want {
				got, _ := read[i].(object)
				for name, value := range want {
					expect.Same(t, value, got[name], "%s of %d", name, i)
				}
			}
			if _, state := reads(object{"limit": count}, count); state["limit"] != float64(count) {
				t.Errorf("the limit is %v, want %d", state["limit"], count)
			}
			reads(object{"limit": count - 1}, count-1)
			for _, skip := range []int{0, 1} { // A failing second page is an error, not the end of the list.
				s.Inject(sandbox.Fault{
					Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/" + list.plural, Status: 403, Skip: skip,
					Message: "no access to https://erp.example/a?token=" + secret,
				})
				_, failed := p.ReadData("einvoice_"+list.plural, nil)
				if !regexp.MustCompile(`(?s)Cannot read ` + list.plural + `.*no access`).MatchString(failed) {
					t.Errorf("a list that fails after %d pages is reported by %q", skip, failed)
				}
				if list.kind == sandbox.KindWebhooks && strings.Contains(failed, secret) {
					t.Errorf("the error shows the secret of a URL: %q", failed)
				}
			}
			fixture.WantWrites(t, s, 0)
		})
	}
}

// A service that shows an id and nothing else: all that it does not show is null.
func TestDataSources_makeNothingUp(t *testing.T) {
	t.Parallel()
	const (
		one  = `{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7"}`
		list = `{"items":[` + one + `],"totalCount":1,"pageCount":1,"pageSize":100,"hasNext":false}`
	)
	nfe := object{"model": "productInvoice"}
	id := object{"id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"}
	for name, test := range map[string]struct {
		arguments  map[string]any
		path, body string
		concluded  []string // what follows from the request, or is said of the answer as a whole
	}{
		"einvoice_company":              {id, "/v1/companies/{id}", one, nil},
		"einvoice_companies":            {nil, "/v1/companies", list, nil},
		"einvoice_company_certificates": {map[string]any{"company_id": "1"}, "/v1/companies/{id}/certificates", list, nil},
		"einvoice_customers":            {nil, "/v1/customers", list, nil},
		"einvoice_products":             {nil, "/v1/products", list, nil},
		"einvoice_webhooks":             {nil, "/v1/webhooks", list, nil},
		"einvoice_service_cities":       {nil, "/v1/service-invoices/cities", list, nil},
		"einvoice_disablements":         {nil, "/v1/product-invoices/disablements", list, nil},
		"einvoice_invoice":              {with(id, nfe), "/v1/product-invoices/{id}", one, nil},
		"einvoice_invoices":             {nfe, "/v1/product-invoices", list, []string{"model"}},
		"einvoice_order":                {id, "/v1/orders/{id}", one, nil},
		"einvoice_orders":               {nil, "/v1/orders", list, nil},
		"einvoice_inbound_invoice":      {with(id, nfe), "/v1/inbound-product-invoices/{id}", one, nil},
		"einvoice_inbound_invoices":     {nil, "/v1/inbound-product-invoices", `{"items":[` + one + `],"nextCursor":null}`, []string{"model"}},
		"einvoice_inbound_sync_status": {
			nil, "/v1/inbound-product-invoices/sync-status", `{"lastNsu":null}`, []string{"healthy", "advice"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Status: 200, Method: "GET", Path: test.path, Body: test.body})
			state, failed := testkit.Serve(t, s, nil).ReadData(name, test.arguments)
			if failed != "" {
				t.Fatal(failed)
			}
			known := append([]string{"id", "raw_json"}, test.concluded...)
			known = slices.AppendSeq(known, maps.Keys(test.arguments))
			if made := shownBeside(known, state); len(made) > 0 {
				t.Errorf("made up: %v", made)
			}
		})
	}
}

// shownBeside are the values of an object, and of those in it, beside some members.
func shownBeside(known []string, of map[string]any) map[string]any {
	shown := map[string]any{}
	for name, value := range of {
		switch value := value.(type) {
		case nil:
		case map[string]any:
			maps.Copy(shown, shownBeside(known, value))
		case []any:
			for _, element := range value {
				if object, ok := element.(map[string]any); ok {
					maps.Copy(shown, shownBeside(known, object))
				}
			}
		default:
			if !slices.Contains(known, name) {
				shown[name] = value
			}
		}
	}
	return shown
}

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
	expect.Is(t, fixture.CountWrites(s)-writes, 0, "requests changed something")
	w.MustPlanNothing()
}

// What the guide shows for CLIs without `terraform query`, on whichever CLI is at
// hand.

// Everything that can be imported, by its natural key where it has one: what a CLI
// generates plans nothing.
func TestAccAdopting_generatedConfigurationPlansNothing(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	seedAccount(s, 0)
	receiver := map[string]any{
		"name": "Padaria \"Central\" ${x} & Filhos", "federalTaxNumber": "11222333000181", "email": "nf@example.com",
		"address": map[string]any{"street": "Rua A", "postalCode": "01310100", "city": map[string]any{"code": 3550308, "name": "São Paulo", "state": "sp"}, "country": "Brasil"},
	}
	s.Seed(sandbox.KindCustomers, map[string]any{"name": "Padaria \"Central\" ${x}", "federalTaxNumber": "11222333000181", "phone": "1133334444"})
	s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "order-1", "amount": 1500.5, "description": "%{if} ${y}\nnovembro", "receiver": receiver})
	s.Seed(sandbox.KindProductInvoices, map[string]any{"integrationId": "order-2", "amount": 10, "receiver": receiver, "status": "canceled", "authorizedPersons": []any{"11222333000181"}})
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"consumerInvoice": map[string]any{"tokenId": "1", "csc": "a code", "allowOfflineContingency": true}})
	received := s.SeedInbound(s.OwnerCompanyID(), map[string]any{"manifestation": map[string]any{"status": "unknown", "justification": "Mercadoria não comprada."}})
	if _, err := fixture.OwnerClient(t, s).CreateOrder(t.Context(), einvoice.Order{TransactionID: "t-1"}, json.RawMessage(
		`{"amount":100,"sendEmailToCustomer":true,"customer":{"name":"Maria","federalTaxNumber":"52998224725"},
		"items":[{"quantity":4,"price":25,"amount":100,"product":{"code":"S1","name":"Consulta","invoiceModel":"serviceInvoice"}}]}`), nil); err != nil {
		t.Fatal(err)
	}
	s.Settle()
	var imports strings.Builder
	for address, id := range map[string]string{
		"einvoice_company.branch":                 "federal_tax_number=12.ABC.345/01DE-35",
		"einvoice_company_settings.main":          s.OwnerCompanyID(),
		"einvoice_customer.bakery":                "federal_tax_number=11.222.333/0001-81",
		"einvoice_product.bread":                  "code=P-1",
		"einvoice_webhook.authorized":             "event=invoice.authorized,url=https://hooks.example/nf?token=abc",
		"einvoice_order.sale":                     "transaction_id=t-1",
		"einvoice_inbound_manifestation.received": received,
		"einvoice_invoice_issuance.service":       "serviceInvoice/integration_id=order-1",
		"einvoice_invoice_issuance.goods":         fixture.MainNumber + "/productInvoice/integration_id=order-2",
	} {
		fmt.Fprintf(&imports, "import {\n  to = %s\n  id = %q\n}\n", address, id)
	}
	w := testkit.NewAttached(t, testkit.Config(s, imports.String()))
	mayGenerate(t, w)
	writes := fixture.CountWrites(s)
	plan, ok := w.Run("plan", "-input=false", "-generate-config-out=generated.tf")
	generated := fileText(t, filepath.Join(w.Dir, "generated.tf"))
	if !ok || !strings.Contains(plan, "Plan: 9 to import, 0 to add, 0 to change, 0 to destroy.") {
		t.Fatalf("the plan is not of imports alone:\n%s\n%s", plan, generated)
	}
	if strings.Contains(generated, "a code") {
		t.Errorf("the generated configuration has a secret:\n%s", generated)
	}
	w.MustApply()
	w.MustPlanNothing()
	expect.Is(t, fixture.CountWrites(s)-writes, 0, "requests changed something")
}

// mayGenerate skips where a CLI cannot generate configuration for import blocks.
func mayGenerate(t *testing.T, w *testkit.Workspace) {
	t.Helper()
	if w.Cli.Product == cli.Terraform && w.Cli.AtLeast(1, 16) {
		// https://github.com/hashicorp/terraform/issues/39144
		t.Skipf("%s looks for hashicorp/einvoice when it generates configuration for import blocks; it has terraform query for that", w.Cli)
	}
}
