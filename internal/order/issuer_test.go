package order_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// saleBy is an order by a company, "" for none named.
func saleBy(issuer, more string) string {
	if issuer != "" {
		more += fmt.Sprintf("\nissuer = %q", issuer)
	}
	return `transaction_id = "sale-1"
		amount = 10
		customer = { name = "Maria", federal_tax_number = "529.982.247-25", address = { city = { code = "3550308" } } }
		items = [{ quantity = 1, price = 10, amount = 10, product = { code = "P-1", name = "Camisa", price = 10, invoice_model = "serviceInvoice" } }]
		` + more
}

func TestIssuer_recordsTheOrderWithItsKey(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id, key := fixture.Company(s, fixture.BranchNumber)
	_, other := fixture.Company(s, fixture.OtherNumber)
	p := testkit.Serve(t, s, map[string]any{"company_keys": map[string]any{fixture.BranchNumber: key, fixture.OtherNumber: other}})
	o := p.Object("einvoice_order")
	o.Run(
		testkit.Step{Arguments: saleBy("11.222.333/0001-81", `auto_issue_mode = "immediately"`), State: map[string]any{"issuer": "11.222.333/0001-81"}},
		testkit.Step{Before: s.ResetRequests, Arguments: saleBy("", `auto_issue_mode = "immediately"`), Plans: plancheck.ResourceActionNoop},
		testkit.Step{Arguments: saleBy(fixture.OtherNumber, `auto_issue_mode = "immediately"`), Fails: "Another company has issued order sale-1.*11.222.333/0001-81.*11444777000161"},
	)
	fixture.WantWrites(t, s, 0)
	if n := fixture.IssuedBy(s, fixture.BranchNumber); n != 1 || len(s.Invoices("")) != 1 {
		t.Errorf("%d of %d invoices are the branch's", n, len(s.Invoices("")))
	}
	orderID := fmt.Sprint(o.State()["id"])
	for text, want := range map[string]string{
		"11222333000181/" + orderID:                "",
		"11.222.333/0001-81/transaction_id=sale-1": "",
		"11444777000161/transaction_id=sale-1":     "Order not found",
		"transaction_id=sale-1":                    "Order not found", // The main company has none.
		"branch/" + orderID:                        "Invalid import ID",
		"11222333000181transaction_id=sale-1":      "Invalid import ID",
		"11222333000181/":                          "Invalid import ID",
	} {
		imported := p.Object("einvoice_order")
		failed := testkit.ErrorsIn(imported.Import(text))
		if (want == "") != (failed == "") || !strings.Contains(failed, want) || want == "" && imported.State()["transaction_id"] != "sale-1" {
			t.Errorf("%s: the error is %q, want %q; the state is %v", text, failed, want, imported.State())
		}
	}
	if request, _ := s.Last("GET", fixture.OrderPath); request.Key != id {
		t.Errorf("the order was read with the key of %s", request.Key)
	}
}

func TestIssuer_anOrderOfWhichNothingIsIssuedIsReplaced(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	_, branch := fixture.Company(s, fixture.BranchNumber)
	_, other := fixture.Company(s, fixture.OtherNumber)
	o := testkit.Serve(t, s, map[string]any{"company_keys": map[string]any{fixture.BranchNumber: branch, fixture.OtherNumber: other}}).Object("einvoice_order")
	o.Run(
		testkit.Step{Arguments: saleBy(fixture.BranchNumber, `auto_issue_mode = "disabled"`), State: map[string]any{"issuer": fixture.BranchNumber}},
		testkit.Step{Arguments: saleBy(fixture.OtherNumber, `auto_issue_mode = "disabled"`), Plans: plancheck.ResourceActionReplace, State: map[string]any{"issuer": fixture.OtherNumber}},
	)
}

func TestIssuer_neverRecordsUnderAKeyKnownToBeAnothers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		known  bool // whose the key is shows beforehand
		orders int
		says   string
	}{
		"known beforehand": {true, 0, "(?s)The key is another company's: order sale-1.*11.222.333/0001-81.*11.444.777/0001-61.*Nothing was sent"},
		"known afterwards": {false, 1, "(?s)Issued by another company: order sale-1.*11.222.333/0001-81.*the order .*11.444.777/0001-61.*Cancel"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			fixture.Company(s, fixture.BranchNumber)
			_, other := fixture.Company(s, fixture.OtherNumber)
			settings := map[string]any{"company_keys": map[string]any{fixture.BranchNumber: other}}
			if !test.known {
				settings["api_key"] = other
			}
			o := testkit.Serve(t, s, settings).Object("einvoice_order")
			o.Run(testkit.Step{Arguments: saleBy(fixture.BranchNumber, `auto_issue_mode = "immediately"`), Fails: test.says})
			if n := s.Count("POST", fixture.OrdersPath); n != test.orders || o.State() != nil {
				t.Errorf("%d orders, want %d, and the state is %v", n, test.orders, o.State())
			}
		})
	}
}

// The first explicit issue shows whose key it is: the next order issues nothing.
func TestIssuer_anExplicitIssueShowsWhoseTheKeyIs(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	fixture.Company(s, fixture.BranchNumber)
	_, other := fixture.Company(s, fixture.OtherNumber)
	p := testkit.Serve(t, s, map[string]any{"company_keys": map[string]any{fixture.BranchNumber: other}, "api_key": other})
	sale := func(name, more string) string {
		return strings.Replace(saleBy(fixture.BranchNumber, `auto_issue_mode = "disabled"`+"\n"+more), "sale-1", name, 1)
	}
	first, second := p.Object("einvoice_order"), p.Object("einvoice_order")
	first.Run(testkit.Step{Arguments: sale("sale-1", "")})
	second.Run(testkit.Step{Arguments: sale("sale-2", "")})
	first.Run(testkit.Step{Arguments: sale("sale-1", "issue_invoices = true"), Fails: "Issued by another company: order sale-1"})
	second.Run(testkit.Step{Arguments: sale("sale-2", "issue_invoices = true"), Fails: "The key is another company's: order sale-2"})
	fixture.WantRequests(t, s, "POST", fixture.OrdersPath+"/{id}/invoices/issue", 1)
}
