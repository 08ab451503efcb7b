package e2e_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// A service that shows an id and nothing else: all that it does not show is null.
func TestDataSources_makeNothingUp(t *testing.T) {
	t.Parallel()
	const (
		one  = `{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7"}`
		list = `{"items":[` + one + `],"totalCount":1,"pageCount":1,"pageSize":100,"hasNext":false}`
	)
	nfe := map[string]any{"model": "productInvoice"}
	with := func(arguments map[string]any) map[string]any {
		with := map[string]any{"id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"}
		maps.Copy(with, arguments)
		return with
	}
	for name, test := range map[string]struct {
		arguments  map[string]any
		path, body string
		concluded  []string // what follows from the request, or is said of the answer as a whole
	}{
		"einvoice_company":              {with(nil), "/v1/companies/{id}", one, nil},
		"einvoice_companies":            {nil, "/v1/companies", list, nil},
		"einvoice_company_certificates": {map[string]any{"company_id": "1"}, "/v1/companies/{id}/certificates", list, nil},
		"einvoice_customers":            {nil, "/v1/customers", list, nil},
		"einvoice_products":             {nil, "/v1/products", list, nil},
		"einvoice_webhooks":             {nil, "/v1/webhooks", list, nil},
		"einvoice_service_cities":       {nil, "/v1/service-invoices/cities", list, nil},
		"einvoice_disablements":         {nil, "/v1/product-invoices/disablements", list, nil},
		"einvoice_invoice":              {with(nfe), "/v1/product-invoices/{id}", one, nil},
		"einvoice_invoices":             {nfe, "/v1/product-invoices", list, []string{"model"}},
		"einvoice_order":                {with(nil), "/v1/orders/{id}", one, nil},
		"einvoice_orders":               {nil, "/v1/orders", list, nil},
		"einvoice_inbound_invoice":      {with(nfe), "/v1/inbound-product-invoices/{id}", one, nil},
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
