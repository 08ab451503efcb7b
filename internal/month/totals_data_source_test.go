package month_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

const totalsSource = "einvoice_invoice_totals"

// seedMonth makes invoices of November 2026 and around it.
func seedMonth(s *sandbox.Server) {
	for i, one := range []struct {
		date, status string
		amount       any
	}{
		{"2026-10-31T23:59:59-03:00", "authorized", 1000},
		{"2026-11-01T00:00:00-03:00", "authorized", 0.1},
		{"2026-11-15T10:00:00-03:00", "authorized", 0.2},
		{"2026-11-15", "canceled", 50.5},
		{"2026-11-16T10:00:00", "someNewStatus", 1},
		{"2026-12-01T02:30:00Z", "rejected", nil},
		{"2026-12-01T00:30:00-03:00", "authorized", 2000},
	} {
		s.Seed(sandbox.KindServiceInvoices, map[string]any{"effectiveDate": one.date, "issuedOn": one.date, "status": one.status, "amount": one.amount, "integrationId": fmt.Sprint(i)})
	}
	s.Seed(sandbox.KindProductInvoices, map[string]any{"effectiveDate": "2026-11-15T10:00:00-03:00", "amount": 7})
	s.Seed(sandbox.KindServiceInvoices, map[string]any{"status": "created", "issuedOn": nil, "effectiveDate": nil, "amount": 9})
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, options)
			seedMonth(s)
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
	dated := `"effectiveDate":"2026-11-15T10:00:00-03:00"`
	for name, test := range map[string]struct {
		listed string // ID stands for that of an invoice with an amount of 10
		fails  string
		count  any
	}{
		"an entry without an amount is read":   {`[{"id":"ID","status":"authorized",` + dated + `}]`, "", 1.0},
		"an entry without a date is read":      {`[{"id":"ID","status":"authorized","amount":10}]`, "", 1.0},
		"an entry without a status is read":    {`[{"id":"ID","amount":10,` + dated + `}]`, "", 1.0},
		"a draft that is gone counts nothing":  {`[{"id":"00000000-0000-4000-8000-000000000009","status":"created"}]`, "", 0.0},
		"no amount of a valid one":             {`[{"id":"ID","status":"authorized","amount":null,` + dated + `}]`, "no amount that can be read of the NFS-e", nil},
		"an amount in an unknown form":         {`[{"id":"ID","status":"rejected","amount":"1e-99999",` + dated + `}]`, "no amount that can be read of the NFS-e", nil},
		"no date of a valid one":               {`[{"id":"ID","status":"canceled","amount":1,"effectiveDate":null}]`, "no date that can be read of the NFS-e", nil},
		"a date in an unknown form":            {`[{"id":"ID","status":"rejected","amount":1,"effectiveDate":"15/11/2026"}]`, "no date that can be read of the NFS-e", nil},
		"a list that is shorter than it says":  {`{"items":[{"id":"ID","status":"authorized","amount":10,` + dated + `}],"totalCount":2,"hasNext":false}`, "the list is not complete", nil},
		"no list":                              {`"none"`, "Cannot add up invoices", nil},
		"a list that ends while it has a next": {`{"items":[],"hasNext":true}`, "Cannot add up invoices", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			id := s.Seed(sandbox.KindServiceInvoices, map[string]any{"effectiveDate": "2026-11-15T10:00:00-03:00", "amount": 10})
			s.Inject(sandbox.Fault{Kind: sandbox.FaultBody, Method: "GET", Path: list, Body: strings.ReplaceAll(test.listed, "ID", id)})
			state, failed := testkit.Serve(t, s, nil).ReadData(totalsSource, arguments)
			if (failed == "") != (test.fails == "") || !strings.Contains(failed, test.fails) {
				t.Errorf("the error is %q, want %q", failed, test.fails)
			}
			expect.Same(t, test.count, state["invoice_count"], "the count")
		})
	}
	t.Run("the second page fails", func(t *testing.T) {
		t.Parallel()
		s := sandbox.Start(t, sandbox.Options{MaxPageSize: 2})
		seedMonth(s)
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
