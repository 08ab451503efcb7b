package month_test

import (
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

func TestMonthDataSources(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "months.json")
}
