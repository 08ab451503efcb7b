package settings_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

const series3 = `product_invoice = { series = "3" }`

// started is a company with values in all blocks, and its settings resource.
func started(t *testing.T, options sandbox.Options) (*sandbox.Server, *testkit.Object) {
	t.Helper()
	s := sandbox.Start(t, options)
	for at, value := range map[string]any{
		"consumerInvoice.series": "7", "consumerInvoice.nextNumber": 42, "consumerInvoice.environmentType": "production",
		"consumerInvoice.tokenId": "000001", "consumerInvoice.csc": "SECRET-OF-THE-TAXPAYER",
		"consumerInvoice.allowOfflineContingency": true, "consumerInvoice.warning": "expires soon",
		"consumerInvoice.modifiedAt": "2026-11-25", "general.decimalPrecision": 4, "general.labels": []any{"a", "b"},
		"general.technicalResponsible": map[string]any{"contactName": "Ana", "email": "a@example.com", "phone": nil, "csrts": []any{"SECRET-TOO"}},
		"productInvoice.nextNumber":    5, "serviceInvoice.nextBatchNumber": 6, "serviceInvoice.userName": "city",
	} {
		block, field, _ := strings.Cut(at, ".")
		set(s, block, field, value)
	}
	return s, testkit.Serve(t, s, nil).Object("einvoice_company_settings")
}

func create(s *sandbox.Server, o *testkit.Object, arguments string) (errors, all string) {
	_, said := o.Create(o.Arguments(fmt.Sprintf("company_id = %q\n%s", s.OwnerCompanyID(), arguments)))
	return testkit.ErrorsIn(said), testkit.TextsOf(said)
}

// putBodies are the settings that were sent since, by block, in the order of the requests.
func putBodies(t *testing.T, s *sandbox.Server, since int) (bodies []map[string]map[string]any) {
	t.Helper()
	for _, r := range s.All("PUT", settingsRoute)[since:] {
		var body map[string]map[string]any
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

// requested are the reads and writes of the settings, each write with what it sends of a place.
func requested(t *testing.T, s *sandbox.Server, block, field string) (log []string) {
	t.Helper()
	bodies := putBodies(t, s, 0)
	for _, r := range s.Requests() {
		if r.Method == http.MethodPut {
			log = append(log, fmt.Sprint("PUT ", bodies[0][block][field]))
			bodies = bodies[1:]
			continue
		}
		log = append(log, r.Method)
	}
	return log
}

// What changes beside a write is named with its former value, and is never written back.
func TestCompanySettings_whatChangesBesideAWriteIsNamed(t *testing.T) {
	t.Parallel()
	for _, row := range rows.Read[[]struct {
		Block, Field, Says string
		Becomes            json.RawMessage
	}](t, "changes_beside_a_write.json") {
		rows.Case(t, fmt.Sprintf("%s.%s %s", row.Block, row.Field, row.Becomes), func(t *testing.T) {
			s, o := started(t, sandbox.Options{})
			var now string // what the service has in the end
			s.Before("PUT", settingsRoute, func() {
				s.Before("GET", settingsRoute, func() {
					set(s, row.Block, row.Field, row.Becomes)
					now = string(s.SettingsJSON(s.OwnerCompanyID()))
				})
			})
			failed, text := create(s, o, series3)
			if !matches(row.Says, failed) || strings.Contains(text, "SECRET") {
				t.Errorf("it says %q, want %q", text, row.Says)
			}
			expect.Same(t, []string{"GET", "PUT 3", "GET"}, requested(t, s, "productInvoice", "series"))
			expect.Same(t, now, string(s.SettingsJSON(s.OwnerCompanyID())))
		})
	}
}

// A failed update leaves the state as it was. What it has written shows in the next refresh.
func TestCompanySettings_anUpdateThatFailsAfterTheWriteIsSettledByARefresh(t *testing.T) {
	t.Parallel()
	s, o := started(t, sandbox.Options{SettingsReplaceAll: true})
	if failed, _ := create(s, o, `product_invoice = { series = "1" }`); failed != "" {
		t.Fatal(failed)
	}
	s.Before("PUT", settingsRoute, func() { set(s, "consumerInvoice", "series", "8") })
	change := o.Value(o.Type, withCompany(s, map[string]any{"product_invoice": map[string]any{"series": "3"}}))
	failed := testkit.ErrorsIn(o.Apply(change, o.MustPlan(change)))
	if !matches("`series` = \"7\".*Settings block general of company.*Settings block serviceInvoice of company", failed) {
		t.Errorf("it says %q", failed)
	}
	if series := testkit.At(o.State(), "product_invoice.series"); series != "1" {
		t.Errorf("the series in state is %v", series)
	}
	o.MustNotFail(o.Refresh())
	if action := o.Action(o.MustPlan(change)); action != plancheck.ResourceActionNoop {
		t.Errorf("the next plan is %s", action)
	}
}

// A write that is repeated sends what was read right before it.
func TestCompanySettings_aRepeatedWriteIsMadeAnew(t *testing.T) {
	t.Parallel()
	limited := sandbox.Fault{Kind: sandbox.FaultStatus, Status: 429, Header: http.Header{"Retry-After": {"0"}}}
	for name, fault := range map[string]sandbox.Fault{
		"429": limited, "503": {Kind: sandbox.FaultStatus, Status: 503}, "a cut connection": {Kind: sandbox.FaultDropBefore},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, o := started(t, sandbox.Options{})
			fault.Method, fault.Path = "PUT", settingsRoute
			s.Inject(fault)
			s.Before("PUT", settingsRoute, func() {
				set(s, "productInvoice", "nextNumber", 9)
				set(s, "productInvoice", "danfePrintLayout", "simplified")
			})
			if failed, _ := create(s, o, series3); failed != "" {
				t.Error(failed)
			}
			log := requested(t, s, "productInvoice", "nextNumber")
			if diff := cmp.Diff([]string{"GET", "PUT 5", "GET", "PUT 9", "GET"}, log); diff != "" {
				t.Error(diff)
			}
			wantHeld(t, s, map[string]any{"productInvoice.series": "3", "productInvoice.danfePrintLayout": "simplified"})
		})
	}
}

// Until a write of settings is checked, nothing is issued beside it: an environment may be another one meanwhile.
func TestCompanySettings_nothingIsIssuedWhileTheyAreWritten(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	settings, issuance := p.Object("einvoice_company_settings"), p.Object("einvoice_invoice_issuance")
	change := settings.Value(settings.Type, withCompany(s, map[string]any{"service_invoice": map[string]any{"environment_type": "simulation"}}))
	sale := issuance.Value(issuance.Type, issuance.Arguments(
		`model = "serviceInvoice"
		integration_id = "sale-1"
		payload_json = "{\"description\":\"Consulting\",\"federalServiceCode\":\"17.01\",\"total\":{\"invoiceAmount\":100}}"`))
	planned, sold := settings.MustPlan(change), issuance.MustPlan(sale)
	s.ResetRequests()
	issued := make(chan string)
	s.Before("PUT", settingsRoute, func() {
		go func() { issued <- testkit.ErrorsIn(issuance.Apply(sale, sold)) }()
		<-time.After(200 * time.Millisecond) // Long enough for a sale that does not wait.
	})
	settings.MustNotFail(settings.Apply(change, planned))
	if failed := <-issued; failed != "" {
		t.Error(failed)
	}
	var sent []string
	for _, r := range s.Requests() {
		if what := strings.Split(r.Path, "/")[2]; what == "companies" || r.Method == http.MethodPost {
			sent = append(sent, r.Method+" "+what)
		}
	}
	if diff := cmp.Diff([]string{"GET companies", "PUT companies", "GET companies", "POST service-invoices"}, sent); diff != "" {
		t.Error(diff)
	}
}
