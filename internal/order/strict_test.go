package order_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// Some services list orders only by a period, and want the legal name of a company that buys.
func TestOrder_ofAServiceThatInsists(t *testing.T) {
	t.Parallel()
	type arguments = map[string]any
	buyer := func(more arguments) arguments {
		customer := arguments{"name": "Padaria", "federal_tax_number": "42318949000184"}
		for name, value := range more {
			customer[name] = value
		}
		return arguments{"transaction_id": "t-1", "amount": 100, "customer": customer, "items": item(4, 25, "serviceInvoice"), "extra_json": `{"transport":{"plate":"ABC1D23"},"tag":1}`}
	}
	for name, test := range map[string]struct{ date, from, to string }{
		"without a date at any time": {from: "2000-01-01", to: "2099-12-31"},
		"from a day before its date": {date: "2024-03-10T23:30:00-03:00", from: "2024-03-09"},
		"to a day after its date":    {date: "2098-03-10", to: "2098-03-11"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{OrdersNeedPeriod: true, OrdersNeedLegalName: true})
			o := testkit.Serve(t, s, nil).Object("einvoice_order")
			_, refused := o.Create(buyer(nil))
			if text := testkit.ErrorsIn(refused); !strings.Contains(text, "LegalName") {
				t.Errorf("the refusal says %q", text)
			}
			sold := buyer(arguments{"legal_name": "Padaria Ltda", "state_tax_number": "110.042.490.114"})
			if test.date != "" {
				sold["date"] = test.date
			}
			s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: fixture.OrdersPath})
			s.ResetRequests()
			_, heard := o.Create(sold)
			said := testkit.TextsOf(heard)
			if n := len(s.Objects(sandbox.KindOrders)); n != 1 {
				t.Fatalf("the service holds %d orders: %s", n, said)
			}
			held := s.Objects(sandbox.KindOrders)[0]
			if testkit.At(held, "customer.legalName") != "Padaria Ltda" || testkit.At(held, "customer.stateTaxNumber") != "110042490114" || testkit.At(held, "transport.plate") != "ABC1D23" {
				t.Errorf("the service holds %v", held)
			}
			if !strings.Contains(said, "Not kept as sent: extra_json.tag") || strings.Contains(said, "transport") {
				t.Errorf("the apply says %s", said)
			}
			lists := s.All("GET", fixture.OrdersPath)
			if len(lists) == 0 {
				t.Error("the list was not read")
			}
			for _, request := range lists[:1] {
				query := request.Query
				if from, to := query.Get("initialDate"), query.Get("endDate"); from == "" || to == "" || test.from != "" && from != test.from || test.to != "" && to != test.to {
					t.Errorf("the list was asked for %s to %s", from, to)
				}
			}
		})
	}
}
