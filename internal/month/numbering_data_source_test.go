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

func seedDisabled(s *sandbox.Server, from, to int, series, status, environment string) {
	s.Seed(sandbox.KindDisablements, map[string]any{"initialNumber": from, "finalNumber": to, "series": series, "status": status, "environment": environment})
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
	for name, test := range map[string]struct {
		invoices                    []string
		disable                     func(s *sandbox.Server)
		first, last, used, disabled any
		gaps                        []any
		requests                    int
	}{
		"an empty month":              {nil, nil, nil, nil, 0.0, 0.0, gapsOf(), 2},
		"all are there":               {[]string{"11/1", "11/2", "11/3"}, nil, 1.0, 3.0, 3.0, 0.0, gapsOf(), 2},
		"some are missing":            {[]string{"11/1", "11/2", "11/5", "11/9"}, nil, 1.0, 9.0, 4.0, 0.0, gapsOf(3, 4, 6, 8), 3},
		"canceled and denied count":   {[]string{"11/1", "11/2 canceled", "11/3 denied", "11/4 inContingent", "11/5 enqueued", "11/6"}, nil, 1.0, 6.0, 6.0, 0.0, gapsOf(), 2},
		"rejected and removed do not": {[]string{"11/1", "11/2 rejected", "11/3 removed", "11/4"}, nil, 1.0, 4.0, 2.0, 0.0, gapsOf(2, 3), 3},
		"a number that was voided":    {[]string{"11/1", "11/2 disabled", "11/3"}, nil, 1.0, 3.0, 2.0, 1.0, gapsOf(), 2},
		"one number on two invoices":  {[]string{"11/1", "11/1", "11/2"}, nil, 1.0, 2.0, 2.0, 0.0, gapsOf(), 2},
		"skipped since October":       {[]string{"10/7", "10/8", "11/11"}, nil, 11.0, 11.0, 1.0, 0.0, gapsOf(9, 10), 3},
		"October used it later":       {[]string{"11/1", "10/2", "11/3"}, nil, 1.0, 3.0, 2.0, 0.0, gapsOf(), 2},
		"December used it":            {[]string{"10/1", "11/4", "12/3"}, nil, 4.0, 4.0, 1.0, 0.0, gapsOf(2, 2), 3},
		"other environments":          {[]string{"11/1", "11/3", "10/2 authorized development"}, nil, 1.0, 3.0, 2.0, 0.0, gapsOf(2, 2), 3},
		"no number yet":               {[]string{"11/1", "11/0 enqueued", "11/2"}, nil, 1.0, 2.0, 2.0, 0.0, gapsOf(), 2},
		"declared unused":             {[]string{"11/1", "11/9"}, func(s *sandbox.Server) { seedDisabled(s, 2, 5, "001", "registered", "production") }, 1.0, 9.0, 2.0, 4.0, gapsOf(6, 8), 3},
		"declared unused, all of it":  {[]string{"11/1", "11/9"}, func(s *sandbox.Server) { seedDisabled(s, 1, 20, "1", "registered", "production") }, 1.0, 9.0, 2.0, 7.0, gapsOf(), 2},
		"declared in vain":            {[]string{"11/1", "11/3"}, func(s *sandbox.Server) { seedDisabled(s, 2, 2, "1", "rejected", "production") }, 1.0, 3.0, 2.0, 0.0, gapsOf(2, 2), 3},
		"declared of another series":  {[]string{"11/1", "11/3"}, func(s *sandbox.Server) { seedDisabled(s, 2, 2, "2", "registered", "production") }, 1.0, 3.0, 2.0, 0.0, gapsOf(2, 2), 3},
		"declared elsewhere":          {[]string{"11/1", "11/3"}, func(s *sandbox.Server) { seedDisabled(s, 2, 2, "1", "registered", "development") }, 1.0, 3.0, 2.0, 0.0, gapsOf(2, 2), 3},
		"declared unused, then used":  {[]string{"11/1", "11/2", "11/3"}, func(s *sandbox.Server) { seedDisabled(s, 2, 2, "1", "registered", "production") }, 1.0, 3.0, 3.0, 0.0, gapsOf(), 2},
		"another series is not judged": {[]string{"11/1", "11/2"}, func(s *sandbox.Server) {
			s.Seed(sandbox.KindProductInvoices, map[string]any{"effectiveDate": "2026-11-15", "number": 9, "series": "2"})
		}, 1.0, 2.0, 2.0, 0.0, gapsOf(), 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{IgnoreFilters: len(name)%2 == 0})
			seedNumbered(s, test.invoices...)
			if test.disable != nil {
				test.disable(s)
			}
			state, failed := testkit.Serve(t, s, nil).ReadData(numberingSource, map[string]any{"model": "productInvoice", "series": "01", "month": "2026-11"})
			if failed != "" {
				t.Fatal(failed)
			}
			want := []any{test.first, test.last, test.used, test.disabled, test.gaps}
			expect.Same(t, want, []any{state["first"], state["last"], state["used"], state["disabled"], state["gaps"]}, "first, last, used, disabled and gaps")
			fixture.WantRequests(t, s, "", "", test.requests)
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
