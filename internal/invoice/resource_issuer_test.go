package invoice_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// Who issues, when one provider configuration has the keys of many companies.

// sale is an issuance of order-1 by a company, "" for none named.
func sale(issuer, more string) string {
	if issuer != "" {
		more += fmt.Sprintf("\nissuer = %q", issuer)
	}
	return `model = "serviceInvoice"
		integration_id = "order-1"
		payload_json = "{\"description\":\"Consulting\",\"federalServiceCode\":\"17.01\",\"total\":{\"invoiceAmount\":100}}"
		` + more
}

func saleArguments(id string, issuer any) map[string]any {
	return map[string]any{"model": "serviceInvoice", "integration_id": id, "payload_json": `{"description":"Consulting","federalServiceCode":"17.01","total":{"invoiceAmount":100}}`, "issuer": issuer}
}

func keysOf(keys map[string]any) map[string]any { return map[string]any{"company_keys": keys} }

func TestIssuer_choosesTheKey(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		issuer string
		by     string // the company that issues
		state  string // of issuer
		asked  int    // requests that only find out whose key it is
	}{
		"in company_keys":                         {fixture.BranchNumber, fixture.BranchNumber, fixture.BranchNumber, 1},
		"in company_keys, spelled in another way": {"11.222.333/0001-81", fixture.BranchNumber, "11.222.333/0001-81", 1},
		"not in company_keys: api_key":            {fixture.MainNumber, fixture.MainNumber, fixture.MainNumber, 1},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			_, key := fixture.Company(s, fixture.BranchNumber)
			o := testkit.Serve(t, s, keysOf(map[string]any{"11.222.333/0001-81": key})).Object(kind)
			o.Run(testkit.Step{Arguments: sale(test.issuer, ""), Plans: plancheck.ResourceActionCreate, State: map[string]any{"issuer": test.state, "status": "authorized"}})
			if n := fixture.IssuedBy(s, test.by); n != 1 || len(s.Invoices("")) != 1 {
				t.Errorf("%d of %d invoices are by %s, want the one there is", n, len(s.Invoices("")), test.by)
			}
			fixture.WantRequests(t, s, "GET", "/v1/companies", test.asked)
		})
	}
}

// wrongKeys are the keys of two companies, each under the number of the other one.
func wrongKeys(s *sandbox.Server) map[string]any {
	_, branch := fixture.Company(s, fixture.BranchNumber)
	_, other := fixture.Company(s, fixture.OtherNumber)
	return map[string]any{fixture.BranchNumber: other, fixture.OtherNumber: branch}
}

func TestIssuer_neverIssuesUnderAKeyKnownToBeAnothers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings func(s *sandbox.Server) map[string]any
		issuer   string
		says     []string
	}{
		"the account shows how each company's key begins": {func(s *sandbox.Server) map[string]any {
			return keysOf(wrongKeys(s))
		}, fixture.BranchNumber, []string{"11.222.333/0001-81", "11.444.777/0001-61"}},
		"the account has no such company, and api_key is that of one that it has": {func(s *sandbox.Server) map[string]any {
			fixture.Company(s, fixture.BranchNumber)
			return nil
		}, fixture.OtherNumber, []string{"98.765.432/0001-98"}},
		"api_key is another company's": {func(s *sandbox.Server) map[string]any {
			fixture.Company(s, fixture.BranchNumber)
			return nil
		}, fixture.BranchNumber, []string{"11.222.333/0001-81", "98.765.432/0001-98"}},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			settings := test.settings(s)
			before := len(s.Invoices(""))
			p := testkit.Serve(t, s, settings)
			for range 2 { // The second is known before it is planned.
				state, said := p.Object(kind).Create(saleArguments("order-1", test.issuer))
				text := testkit.ErrorsIn(said)
				for _, part := range append(test.says, "The key is another company's", "Nothing was sent", "company_keys") {
					if state != nil || !strings.Contains(text, part) {
						t.Errorf("state %v, and the error does not say %q: %s", state, part, text)
					}
				}
			}
			expect.Is(t, fixture.CountWrites(s)+len(s.Invoices(""))-before, 0, "writes or new invoices")
			if n := s.Count("GET", "/v1/companies"); n > 1 {
				t.Errorf("the companies were asked for %d times, want once", n)
			}
			if n := s.Count("GET", fixture.ServiceInvoices); n > 3 {
				t.Errorf("invoices were looked up %d times: the second refusal is for the plan", n)
			}
		})
	}
}

func TestIssuer_configuredLaterSendsNothing(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	_, key := fixture.Company(s, fixture.BranchNumber)
	o := testkit.Serve(t, s, map[string]any{"api_key": key}).Object(kind)
	o.Run(
		testkit.Step{Arguments: sale("", ""), State: map[string]any{"issuer": fixture.BranchNumber}},
		testkit.Step{Before: s.ResetRequests, Arguments: sale(fixture.BranchNumber, "")},
		testkit.Step{Arguments: sale("11.222.333/0001-81", ""), Plans: plancheck.ResourceActionNoop},
		testkit.Step{Arguments: sale(fixture.OtherNumber, ""), Fails: "Another company has issued NFS-e .*11222333000181.*11444777000161"},
	)
	fixture.WantWrites(t, s, 0)
}

func TestIssuer_ofADraftReplacesIt(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	_, branch := fixture.Company(s, fixture.BranchNumber)
	_, other := fixture.Company(s, fixture.OtherNumber)
	o := testkit.Serve(t, s, keysOf(map[string]any{fixture.BranchNumber: branch, fixture.OtherNumber: other})).Object(kind)
	o.Run(
		testkit.Step{Arguments: sale(fixture.BranchNumber, "issue = false")},
		testkit.Step{Arguments: sale(fixture.OtherNumber, "issue = false"), Plans: plancheck.ResourceActionReplace, State: map[string]any{"issuer": fixture.OtherNumber}},
		testkit.Step{Arguments: sale(fixture.OtherNumber, ""), State: map[string]any{"status": "authorized"}},
	)
	expect.Is(t, fixture.IssuedBy(s, fixture.OtherNumber), 1, "invoices of the other company")
}

func TestIssuer_keyThatIsNotKnownYetDefersWhatNeedsItAlone(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	_, key := fixture.Company(s, fixture.BranchNumber)
	keys := keysOf(map[string]any{fixture.BranchNumber: key, fixture.OtherNumber: tftypes.UnknownValue})
	p := testkit.Serve(t, s, keys)
	o := p.Object(kind)
	o.Run(testkit.Step{Arguments: sale(fixture.BranchNumber, "")})
	// Planned while its key is unknown: it passes, and sends nothing.
	s.ResetRequests()
	later := p.Object(kind)
	later.MustPlan(p.Value(later.Type, saleArguments("order-2", fixture.OtherNumber)))
	unknown := p.Object(kind)
	unknown.MustPlan(p.Value(unknown.Type, saleArguments("order-3", tftypes.UnknownValue)))
	fixture.WantRequests(t, s, "", "", 0)
	for settings, want := range map[*testkit.Protocol]int{
		p: 1, // The other's key is unknown: this one is read.
		testkit.Serve(t, s, map[string]any{"company_keys": tftypes.UnknownValue}):                                  0,
		testkit.Serve(t, s, keysOf(map[string]any{fixture.BranchNumber: tftypes.UnknownValue})):                    0,
		testkit.Serve(t, s, map[string]any{"api_key": tftypes.UnknownValue, "company_keys": keys["company_keys"]}): 2, // One looks for a second invoice.
	} {
		s.ResetRequests()
		held := *o
		held.Protocol = settings
		held.MustNotFail(held.Refresh())
		if n := len(s.Requests()); n != want || held.State()["status"] != "authorized" {
			t.Errorf("%d requests for a refresh, want %d; the state is %v", n, want, held.State()["status"])
		}
	}
}

func TestIssuer_emptyKeyIsRefusedWhereItIsUsed(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	for _, empty := range []any{"", nil} {
		p := testkit.Serve(t, s, keysOf(map[string]any{fixture.BranchNumber: empty}))
		o := p.Object(kind)
		_, said := o.Plan(p.Value(o.Type, saleArguments("order-1", "11.222.333/0001-81")))
		if text := testkit.ErrorsIn(said); !strings.Contains(text, "Empty API key") || !strings.Contains(text, fixture.BranchNumber) || !strings.Contains(text, "`api_key` is not used in its place") {
			t.Errorf("%v: %s", empty, text)
		}
		expect.Is(t, said[0].Attribute.String(), `AttributeName("issuer")`, "the error")
		o.MustPlan(p.Value(o.Type, saleArguments("order-1", fixture.MainNumber)))
	}
	fixture.WantRequests(t, s, "", "", 0)
}

func TestIssuer_whoseKeyIsTakenAwayIsNotTakenForGone(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	_, key := fixture.Company(s, fixture.BranchNumber)
	for name, more := range map[string]string{"issued": "", "draft": "issue = false"} {
		o := testkit.Serve(t, s, keysOf(map[string]any{fixture.BranchNumber: key})).Object(kind)
		o.Run(testkit.Step{Arguments: strings.Replace(sale(fixture.BranchNumber, more), "order-1", name, 1)})
		before := o.State()
		for advice, provider := range map[string]map[string]any{"company_keys": keysOf(map[string]any{}), "api_key": nil} {
			o.Protocol = testkit.Serve(t, s, provider)
			said := o.Refresh()
			if len(said) != 1 || !strings.Contains(said[0].Summary, "Cannot look at NFS-e") {
				t.Fatalf("%s: the refresh says %v", name, said)
			}
			if detail := said[0].Detail; !strings.Contains(detail, fixture.MainNumber) || !strings.Contains(detail, advice) {
				t.Errorf("%s: the refresh says %v", name, detail)
			}
			if status := o.State()["status"]; status != before["status"] {
				t.Errorf("%s: the status is %v, was %v", name, status, before["status"])
			}
		}
	}
}

// TestIssuer_choosesTheKeyOfADataSource reads what only the branch has.
func TestIssuer_choosesTheKeyOfADataSource(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Arguments map[string]any
		Guarded   bool // the answer itself shows whose the key is
		Requests  int
	}](t, "issuer_chooses_the_key_of_a_data_source.json") {
		rows.Case(t, name, func(t *testing.T) {
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
				expect.Is(t, r.Key, branch, "%s %s was sent with the key of", r.Method, r.Path)
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
