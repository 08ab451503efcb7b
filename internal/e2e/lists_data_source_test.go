package e2e_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
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
