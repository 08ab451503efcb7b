package e2e_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// companyActions are the actions about documents of a company: what they need there,
// and which request may only go out under that company's key.
var companyActions = map[string]struct {
	prepare func(s *sandbox.Server, company string) map[string]any
	sends   string // a suffix of the path
}{
	"einvoice_correction_letter": {sends: "/corrections", prepare: func(s *sandbox.Server, company string) map[string]any {
		return map[string]any{"invoice_id": authorizedInvoice(s, company), "letter": fixture.TestLetter}
	}},
	"einvoice_inbound_manifest": {sends: "/manifest", prepare: func(s *sandbox.Server, company string) map[string]any {
		return map[string]any{"id": s.SeedInbound(company, map[string]any{"manifestation": map[string]any{"status": "none"}}), "status": "confirmed"}
	}},
	"einvoice_inbound_sync": {sends: "/sync", prepare: func(s *sandbox.Server, company string) map[string]any {
		receiveInbound(s, company, true)
		return map[string]any{}
	}},
	"einvoice_invoice_cancel": {sends: "", prepare: func(s *sandbox.Server, company string) map[string]any {
		return map[string]any{"model": "productInvoice", "id": authorizedInvoice(s, company), "reason": "Pedido cancelado pelo cliente."}
	}},
	"einvoice_invoice_check_status": {sends: "/check-status", prepare: func(s *sandbox.Server, company string) map[string]any {
		return map[string]any{"model": "productInvoice", "id": authorizedInvoice(s, company)}
	}},
	"einvoice_order_issue_invoices": {sends: "/issue", prepare: func(s *sandbox.Server, company string) map[string]any {
		return map[string]any{"order_id": seededOrder(s, company)}
	}},
}

func authorizedInvoice(s *sandbox.Server, company string) string {
	return s.Seed(sandbox.KindProductInvoices, map[string]any{"_company": company, "status": "authorized", "integrationId": "sale-1"})
}

// Every action but that of the webhooks' secret, which the account has only one of.
func TestActions_actForTheCompanyTheyName(t *testing.T) {
	t.Parallel()
	if got, want := len(companyActions), len(validActions)-1; got != want {
		t.Errorf("%d actions are tested, want %d", got, want)
	}
	for name, tt := range companyActions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			company, key := fixture.Company(s, fixture.BranchNumber)
			fixture.Company(s, fixture.OtherNumber)
			arguments := tt.prepare(s, company)
			keys := map[string]any{fixture.BranchNumber: key, fixture.OtherNumber: key} // The second one is wrong.
			argument := "issuer"
			if strings.HasPrefix(name, "einvoice_inbound_") { // Its issuer is the supplier.
				argument = "company"
			}
			by := func(issuer string) map[string]any {
				with := maps.Clone(arguments)
				with[argument] = issuer
				return with
			}
			sent := func() (n int) {
				for _, r := range s.Requests() {
					if r.Method != "GET" && strings.HasSuffix(r.Path, tt.sends) {
						n++
						if r.Key != company {
							t.Errorf("%s %s was sent under the key of company %q, want %q", r.Method, r.Path, r.Key, company)
						}
					}
				}
				return n
			}

			// A question asked for another company does no harm, and a search shows nobody's number.
			if name != "einvoice_invoice_check_status" && name != "einvoice_inbound_sync" {
				testkit.Serve(t, s, map[string]any{"company_keys": keys}).Invoke(name, by(fixture.OtherNumber)).
					Expect(t, "", "11.444.777/0001-61", "")
				if n := sent(); n != 0 {
					t.Errorf("%d requests under a key that is another company's", n)
				}
			}
			testkit.Serve(t, s, map[string]any{"company_keys": keys}).Invoke(name, by("11.222.333/0001-81")).Expect(t, "", "", "")
			if n := sent(); n != 1 {
				t.Errorf("%d requests under the company's key, want 1", n)
			}

			later := testkit.Serve(t, s, map[string]any{"company_keys": map[string]any{fixture.BranchNumber: tftypes.UnknownValue}})
			later.Invoke(name, by(fixture.BranchNumber)).Expect(t, "", "Provider configuration not known yet", "")
		})
	}
}
