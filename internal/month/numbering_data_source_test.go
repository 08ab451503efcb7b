package month_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const numberingSource = "einvoice_numbering"

// numbered is an invoice as "month/number", with its status and environment where
// they are not authorized and production.
func seedNumbered(s *sandbox.Server, numbered ...string) {
	for _, text := range numbered {
		month, number, status, environment := "", 0, "authorized", "production"
		parts := strings.Fields(text)
		if _, err := fmt.Sscanf(strings.Replace(parts[0], "/", " ", 1), "%s %d", &month, &number); err != nil {
			panic(err)
		}
		if len(parts) > 1 {
			status = parts[1]
		}
		if len(parts) > 2 {
			environment = parts[2]
		}
		date := "2026-" + month + "-15T10:00:00-03:00"
		s.Seed(sandbox.KindProductInvoices, map[string]any{
			"effectiveDate": date, "issuedOn": date, "number": number, "series": "1", "status": status, "environmentType": environment,
		})
	}
}

func gapsOf(pairs ...float64) []any {
	gaps := []any{}
	for i := 0; i < len(pairs); i += 2 {
		gaps = append(gaps, map[string]any{"from": pairs[i], "to": pairs[i+1]})
	}
	return gaps
}

func TestNumberingDataSource(t *testing.T) {
	t.Parallel()
	for n, test := range rows.Read[[]struct {
		Row         string
		Invoices    []string
		Disablement map[string]any
		OtherSeries bool // has an invoice, too
		Shows       map[string]any
		Requests    int
	}](t, "numbering_data_source.json") {
		rows.Case(t, test.Row, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{IgnoreFilters: n%2 == 0})
			seedNumbered(s, test.Invoices...)
			if test.Disablement != nil {
				s.Seed(sandbox.KindDisablements, test.Disablement)
			}
			if test.OtherSeries {
				s.Seed(sandbox.KindProductInvoices, map[string]any{"effectiveDate": "2026-11-15", "number": 9, "series": "2"})
			}
			state, failed := testkit.Serve(t, s, nil).ReadData(numberingSource, map[string]any{"model": "productInvoice", "series": "01", "month": "2026-11"})
			expect.Is(t, failed, "", "the error")
			for name, want := range test.Shows {
				expect.Same(t, want, state[name], "%s", name)
			}
			fixture.WantRequests(t, s, "", "", test.Requests)
		})
	}
}

func TestNumberingDataSource_environments(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	seedNumbered(s, "11/1", "11/3", "11/70 authorized development")
	p := testkit.Serve(t, s, nil)
	arguments := map[string]any{"model": "productInvoice", "series": "1", "month": "2026-11"}
	if _, failed := p.ReadData(numberingSource, arguments); !strings.Contains(failed, "development and production") {
		t.Errorf("the error is %q", failed)
	}
	arguments["environment_type"] = "production"
	state, failed := p.ReadData(numberingSource, arguments)
	expect.Same(t, []any{"", 3.0, gapsOf(2, 2)}, []any{failed, state["last"], state["gaps"]}, "production")
}

func TestNumberingDataSource_otherModels(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	for _, n := range []int{1, 3, 4} {
		s.Seed(sandbox.KindServiceInvoices, map[string]any{"effectiveDate": "2026-11-15", "number": 1000 + n, "rps": map[string]any{"number": n, "series": "RPS"}})
		s.Seed(sandbox.KindConsumerInvoices, map[string]any{"effectiveDate": "2026-11-15", "number": n, "series": "1", "environmentType": "production"})
	}
	s.Seed(sandbox.KindServiceInvoices, map[string]any{"effectiveDate": "2026-11-15", "number": 2000})
	s.Seed(sandbox.KindDisablements, map[string]any{"_model": "consumerInvoice", "initialNumber": 2, "finalNumber": 2, "series": "1", "status": "registered", "environment": "production"})
	p := testkit.Serve(t, s, nil)
	read := func(model, series string) []any {
		state, failed := p.ReadData(numberingSource, map[string]any{"model": model, "series": series, "month": "2026-11"})
		return []any{failed, state["used"], state["disabled"], state["gaps"]}
	}
	expect.Same(t, []any{"", 3.0, 0.0, gapsOf(2, 2)}, read("serviceInvoice", "RPS"), "RPS")
	expect.Same(t, []any{"", 3.0, 1.0, gapsOf()}, read("consumerInvoice", "1"), "NFC-e")
	s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/consumer-invoices/disablements", Status: 404})
	expect.Same(t, []any{"", 3.0, nil, gapsOf(2, 2)}, read("consumerInvoice", "1"), "NFC-e where the service does not list what was voided")
	s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/product-invoices/disablements", Status: 404, Message: "no such list"})
	if got := read("productInvoice", "1"); !strings.Contains(fmt.Sprint(got[0]), "no such list") {
		t.Errorf("NF-e where the service does not list what was voided: %v", got)
	}
}

func TestNumberingDataSource_readsWhatAListDoesNotShow(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	seedNumbered(s, "11/7")
	id := s.Objects(sandbox.KindProductInvoices)[0]["id"]
	s.Inject(sandbox.Fault{Kind: sandbox.FaultBody, Method: "GET", Path: "/v1/product-invoices", Body: fmt.Sprintf(`[{"id":%q,"status":"authorized","effectiveDate":"2026-11-15"}]`, id)})
	state, failed := testkit.Serve(t, s, nil).ReadData(numberingSource, map[string]any{"model": "productInvoice", "series": "1", "month": "2026-11"})
	if failed != "" || state["last"] != 7.0 {
		t.Errorf("the last number is %v, and the error %q", state["last"], failed)
	}
}

const totalsSource = "einvoice_invoice_totals"

// seedMonth makes invoices of November 2026 and around it.
func seedMonth(t *testing.T, s *sandbox.Server) {
	t.Helper()
	for _, doc := range rows.Read[[]map[string]any](t, "month.json") {
		s.Seed(sandbox.KindServiceInvoices, doc)
	}
	s.Seed(sandbox.KindProductInvoices, map[string]any{"effectiveDate": "2026-11-15T10:00:00-03:00", "amount": 7})
}

func subtotal(state map[string]any, status string) []any {
	all, _ := state["by_status"].(map[string]any)
	one, _ := all[status].(map[string]any)
	return []any{one["invoice_count"], one["amount"]}
}

func TestInvoiceTotalsDataSource_countsTheWholeMonthAndNoMore(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]sandbox.Options{
		"a service that filters":         {MaxPageSize: 2},
		"a service that ignores filters": {MaxPageSize: 2, IgnoreFilters: true},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, options)
			seedMonth(t, s)
			p := testkit.Serve(t, s, nil)
			state, failed := p.ReadData(totalsSource, map[string]any{"model": "serviceInvoice", "month": "2026-11"})
			if failed != "" {
				t.Fatal(failed)
			}
			got := []any{state["invoice_count"], state["amount"], state["time_zone"], subtotal(state, "authorized"), subtotal(state, "canceled"), subtotal(state, "rejected"), subtotal(state, "denied"), subtotal(state, "someNewStatus")}
			want := []any{5.0, "51.80", "America/Sao_Paulo", []any{2.0, "0.30"}, []any{1.0, "50.50"}, []any{1.0, "0.00"}, []any{0.0, "0.00"}, []any{1.0, "1.00"}}
			expect.Same(t, want, got, "November in São Paulo")
			manaus, failed := p.ReadData(totalsSource, map[string]any{"model": "serviceInvoice", "month": "2026-11", "time_zone": "America/Manaus"})
			if failed != "" {
				t.Fatal(failed)
			}
			// The first minutes of São Paulo are October there, and those of December November.
			expect.Same(t, []any{2.0, "2000.20"}, subtotal(manaus, "authorized"), "November in Manaus")
		})
	}
}

func TestInvoiceTotalsDataSource_asksForTheMonth(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	if _, failed := testkit.Serve(t, s, nil).ReadData(totalsSource, map[string]any{"model": "consumerInvoice", "month": "2026-12"}); failed != "" {
		t.Fatal(failed)
	}
	requests := s.Requests()
	if len(requests) != 1 || requests[0].Path != "/v1/consumer-invoices" {
		t.Fatalf("the requests are %v, want one for the list", requests)
	}
	query := requests[0].Query
	got := []string{query.Get("effectiveDateStart"), query.Get("effectiveDateEnd")}
	expect.Same(t, []string{"2026-11-30T00:00:00-03:00", "2027-01-02T00:00:00-03:00"}, got, "the dates")
}

// A sum that lacks something is worse than none.
func TestInvoiceTotalsDataSource_isCompleteOrFails(t *testing.T) {
	t.Parallel()
	const list = "/v1/service-invoices"
	arguments := map[string]any{"model": "serviceInvoice", "month": "2026-11"}
	for _, test := range rows.Read[[]struct {
		Row    string
		Listed json.RawMessage // id-1 has an amount of 10
		Fails  string
		Count  any
	}](t, "invoice_totals_data_source_is_complete_or_fails.json") {
		rows.Case(t, test.Row, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			s.Seed(sandbox.KindServiceInvoices, map[string]any{"id": "id-1", "effectiveDate": "2026-11-15T10:00:00-03:00", "amount": 10})
			s.Inject(sandbox.Fault{Kind: sandbox.FaultBody, Method: "GET", Path: list, Body: string(test.Listed)})
			state, failed := testkit.Serve(t, s, nil).ReadData(totalsSource, arguments)
			if (failed == "") != (test.Fails == "") || !strings.Contains(failed, test.Fails) {
				t.Errorf("the error is %q, want %q", failed, test.Fails)
			}
			expect.Same(t, test.Count, state["invoice_count"], "the count")
		})
	}
	rows.Case(t, "the second page fails", func(t *testing.T) {
		s := sandbox.Start(t, sandbox.Options{MaxPageSize: 2})
		seedMonth(t, s)
		s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: list, Skip: 1, Status: 400, Message: "no more"})
		if state, failed := testkit.Serve(t, s, nil).ReadData(totalsSource, arguments); state != nil || !strings.Contains(failed, "no more") {
			t.Errorf("the totals are %v, and the error is %q", state, failed)
		}
	})
}

func TestInvoiceTotalsDataSource_wrongValues(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	testkit.WantDataReads(t, s, totalsSource, []testkit.DataRead{
		{Name: "a month", Arguments: map[string]any{"model": "serviceInvoice", "month": "2026-13"}, Error: "Invalid month"},
		{Name: "a zone", Arguments: map[string]any{"model": "serviceInvoice", "month": "2026-11", "time_zone": "Brasilia"}, Error: "Invalid time zone"},
	})
	fixture.WantRequests(t, s, "", "", 0)
}
