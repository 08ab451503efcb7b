package invoice_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// TestIssuer_choosesTheKeyOfADataSource reads what only the branch has.
func TestIssuer_choosesTheKeyOfADataSource(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Arguments map[string]any
		Guarded   bool // the answer itself shows whose the key is
		Requests  int
	}](t, "issuer_chooses_the_key_of_a_data_source.json") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			branch, key := fixture.Company(s, fixture.BranchNumber)
			id := s.Seed(sandbox.KindServiceInvoices, map[string]any{"_company": branch, "status": "authorized", "integrationId": "sale-1", "authorization": map[string]any{"protocol": "1"}})
			s.Seed(sandbox.KindProductInvoices, map[string]any{"_company": branch, "effectiveDate": "2026-11-15", "amount": 1, "number": 1, "series": "1"})
			s.Seed(sandbox.KindOrders, map[string]any{"_company": branch, "transactionId": "sale-1"})
			received := s.SeedInbound(branch, map[string]any{"model": "productInvoice", "isComplete": true})
			switch test.Arguments["id"] {
			case "issued":
				test.Arguments["id"] = id
			case "received":
				test.Arguments["id"] = received
			}
			argument := "issuer"
			if strings.HasPrefix(name, "einvoice_inbound_") { // Its issuer is the supplier.
				argument = "company"
			}
			read := func(p *testkit.Protocol, issuer string) (map[string]any, string) {
				test.Arguments[argument] = issuer
				return p.ReadData(name, test.Arguments)
			}
			s.ResetRequests()
			p := testkit.Serve(t, s, map[string]any{"company_keys": map[string]any{fixture.BranchNumber: key}})
			state, failed := read(p, "11.222.333/0001-81")
			if failed != "" || state[argument] != "11.222.333/0001-81" {
				t.Errorf("%s is %v, and the error %q", argument, state[argument], failed)
			}
			for _, r := range s.Requests() {
				if r.Key != branch {
					t.Errorf("%s %s was sent with the key of %s", r.Method, r.Path, r.Key)
				}
			}
			fixture.WantRequests(t, s, "", "", test.Requests)
			if !test.Guarded {
				return
			}
			wrong := testkit.Serve(t, s, map[string]any{"company_keys": map[string]any{fixture.OtherNumber: key}})
			if state, failed := read(wrong, fixture.OtherNumber); state != nil || !strings.Contains(failed, "11.444.777/0001-61") || !strings.Contains(failed, "11.222.333/0001-81") {
				t.Errorf("read with another company's key: %v, and the error %q", state, failed)
			}
		})
	}
}
