package invoice_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// seedInvoices makes service invoices, a to e of five days, f without a date, and Gg with the date of issue alone.
func seedInvoices(t *testing.T, s *sandbox.Server) {
	t.Helper()
	for _, doc := range rows.Read[[]map[string]any](t, "invoices.json") {
		s.Seed(sandbox.KindServiceInvoices, doc)
	}
}

// oneOf is a set of one word.
func oneOf(words ...string) (set []tftypes.Value) {
	for _, word := range words {
		set = append(set, tftypes.NewValue(tftypes.String, word))
	}
	return set
}

// listed reads invoices, and returns the first one and the integration ids of all.
func listed(p *testkit.Protocol, arguments map[string]any) (first map[string]any, ids string) {
	p.T.Helper()
	state, failed := p.ReadData("einvoice_invoices", arguments)
	if failed != "" {
		p.T.Fatal(failed)
	}
	invoices, _ := state["invoices"].([]any)
	for i, one := range invoices {
		invoice, _ := one.(map[string]any)
		ids += fmt.Sprint(invoice["integration_id"])
		if i == 0 {
			first = invoice
		}
	}
	return first, ids
}

// A service that ignores its filters shows that they are applied here.
func TestInvoicesDataSource_filters(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 2, IgnoreFilters: true})
	seedInvoices(t, s)
	p := testkit.Serve(t, s, nil)
	for _, test := range rows.Read[[]struct {
		Row, Want string // the integration ids
		Arguments map[string]any
	}](t, "invoices_data_source_filters.json") {
		test.Arguments["model"] = "serviceInvoice"
		_, ids := listed(p, test.Arguments)
		expect.Is(t, ids, test.Want, "%s: it finds", test.Row)
	}
	s.ResetRequests()
	if _, ids := listed(p, map[string]any{"model": "serviceInvoice", "limit": 1}); ids != "a" {
		t.Errorf("a limit of 1 finds %q", ids)
	}
	fixture.WantRequests(t, s, "GET", fixture.ServiceInvoices, 1)
}

func TestInvoicesDataSource_asksTheServiceToFilter(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	seedInvoices(t, s)
	_, ids := listed(testkit.Serve(t, s, nil), map[string]any{
		"model": "serviceInvoice", "integration_id": "c", "transaction_id": "sale-0", "effective_date_start": "2026-11-01", "effective_date_end": "2026-11-30",
		"receiver_federal_tax_number": "11.222.333/0001-81",
	})
	expect.Is(t, ids, "c", "found")
	sent, _ := s.Last("GET", fixture.ServiceInvoices)
	for name, want := range map[string]string{
		"integrationId": "c", "transactionId": "sale-0", "receiverFederalTaxNumber": "11222333000181",
		"effectiveDateStart": "2026-11-01T00:00:00-03:00", "effectiveDateEnd": "2026-11-30T23:59:59.999-03:00",
	} {
		expect.Is(t, sent.Query.Get(name), want, "%s was sent as", name)
	}
}

func TestInvoicesDataSource_readsTheWholeShape(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed(sandbox.KindProductInvoices, map[string]any{
		"integrationId": "a", "number": 0, "environmentType": 0, "govPurchase": map[string]any{"type": "union", "rate": 1.5},
		"rps": map[string]any{"number": 7, "series": "A"}, "order": map[string]any{"id": "o1", "date": "", "transactionId": "sale-1"},
		"authorizedPersons": []any{"52998224725"}, "contingency": map[string]any{"date": "2026-11-10", "reason": "SEFAZ"},
		"receiver": map[string]any{"name": "Ana", "suframaTaxNumber": "9", "municipalTaxNumber": "2", "address": map[string]any{
			"street": "Rua A", "country": "BRA", "city": map[string]any{"code": 3550308, "name": "São Paulo", "state": "sp"},
		}},
		"pickup": map[string]any{"name": "Doca", "phoneNumber": "1133334444", "address": nil}, "somethingNew": map[string]any{"x": 1.50},
	})
	p := testkit.Serve(t, s, nil)
	if bare, _ := listed(p, map[string]any{"model": "productInvoice"}); bare["id"] == nil || bare["raw_json"] != nil {
		t.Errorf("without raw: id %v, raw_json %v", bare["id"], bare["raw_json"])
	}
	one, _ := listed(p, map[string]any{"model": "productInvoice", "raw": true})
	for path, want := range rows.Read[map[string]any](t, "invoices_data_source_reads_the_whole_shape.json") {
		expect.Same(t, want, testkit.At(one, path), "%s", path)
	}
	if raw := fmt.Sprint(one["raw_json"]); !strings.Contains(raw, `"somethingNew":{"x":1.5`) || strings.Contains(raw, `"result"`) {
		t.Errorf("raw_json is %s", raw)
	}
}

func TestInvoicesDataSource_saysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 2})
	const kind = "einvoice_invoices"
	testkit.WantDataReads(t, s, kind, rows.Read[[]testkit.DataRead](t, "invoices_data_source_refuses.json"))
	fixture.WantRequests(t, s, "", "", 0)
	seedInvoices(t, s)
	s.Inject(sandbox.Fault{Method: "GET", Path: fixture.ServiceInvoices, Kind: sandbox.FaultStatus, Status: 403, Skip: 1, Message: "no access"})
	_, failed := testkit.Serve(t, s, nil).ReadData(kind, map[string]any{"model": "serviceInvoice"})
	if !strings.HasPrefix(failed, "Cannot read invoices") || !strings.Contains(failed, "no access") {
		t.Errorf("of a page that fails it says %q", failed)
	}
}

func TestDisablementsDataSource_filters(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]sandbox.Options{
		"a service that filters":         {MaxPageSize: 1},
		"a service that ignores filters": {MaxPageSize: 1, IgnoreFilters: true},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, options)
			for i, status := range []string{"registered", "rejected", "inProcessing"} {
				s.Seed(sandbox.KindDisablements, map[string]any{
					"initialNumber": 10 * (i + 1), "finalNumber": 10*(i+1) + 5, "series": "1", "reason": "Falha na numeração", "status": status,
					"date": fmt.Sprintf("2026-11-%02dT10:00:00-03:00", 10+i), "messageCode": "102", "messageText": "ok", "protocolNumber": "135", "environment": "production",
				})
			}
			s.Seed(sandbox.KindDisablements, map[string]any{"initialNumber": 90, "_model": "consumerInvoice"})
			p := testkit.Serve(t, s, nil)
			read := func(arguments map[string]any) (found []map[string]any) {
				t.Helper()
				state, failed := p.ReadData("einvoice_disablements", arguments)
				if failed != "" {
					t.Fatal(failed)
				}
				list, _ := state["disablements"].([]any)
				for _, one := range list {
					found = append(found, one.(map[string]any))
				}
				return found
			}
			for _, test := range rows.Read[[]struct {
				Arguments map[string]any
				Want      []any // the first numbers of the ranges
			}](t, "disablements_data_source_filters.json") {
				var got []any
				for _, one := range read(test.Arguments) {
					got = append(got, one["initial_number"])
				}
				if !slices.Equal(got, test.Want) {
					t.Errorf("%v finds %v, want %v", test.Arguments, got, test.Want)
				}
			}
			first := read(map[string]any{})[0]
			delete(first, "id")
			delete(first, "identifier")
			if diff := cmp.Diff(map[string]any{
				"date": "2026-11-10T10:00:00-03:00", "initial_number": 10.0, "final_number": 15.0, "series": "1", "reason": "Falha na numeração", "protocol_number": "135",
				"status": "registered", "environment": "production", "message_code": "102", "message_text": "ok",
			}, first); diff != "" {
				t.Errorf("the first (-want +got):\n%s", diff)
			}
		})
	}
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestInvoiceDataSource_readsOneInvoice(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 1, IgnoreFilters: true, Clock: sandbox.NewManualClock(noon), ListLag: time.Hour})
	for _, doc := range rows.Read[[]map[string]any](t, "one_invoice.json") {
		kind := sandbox.KindServiceInvoices
		if doc["_model"] != nil {
			kind = sandbox.KindConsumerInvoices
		}
		s.Seed(kind, doc)
	}
	s.Patch(sandbox.KindConsumerInvoices, "whole", map[string]any{"status": "authorized"}) // Which the list does not show yet.
	reads := rows.Read[[]testkit.DataRead](t, "invoice_data_source_reads_one_invoice.json")
	testkit.WantDataReads(t, s, "einvoice_invoice", reads)
	state, _ := testkit.Serve(t, s, nil).ReadData("einvoice_invoice", reads[0].Arguments)
	expect.Contains(t, fmt.Sprint(state["raw_json"]), `"accessKey":"1318`)
	fixture.WantWrites(t, s, 0)
}

// authorizedOf makes an authorized invoice of each model.
func authorizedOf(s *sandbox.Server) map[string]string {
	ids := map[string]string{}
	for model, kind := range map[string]string{
		"productInvoice": sandbox.KindProductInvoices, "consumerInvoice": sandbox.KindConsumerInvoices, "serviceInvoice": sandbox.KindServiceInvoices,
	} {
		ids[model] = s.Seed(kind, map[string]any{
			"status": "authorized", "model": model, "number": 7, "amount": 10, "receiver": map[string]any{"name": "Ana & João"},
			"authorization": map[string]any{"date": "2026-11-10T10:00:00-03:00", "protocol": "135", "digestValue": "v"},
		})
	}
	return ids
}

func documentOf(model, id, format string) map[string]any {
	return map[string]any{"model": model, "id": id, "format": format}
}

func TestInvoiceDocumentDataSource_readsEveryModel(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for model, id := range authorizedOf(s) {
		for format, want := range map[string]string{"xml": `(?s)^<\?xml.*Ana &amp; João.*<nProt>135</nProt></\w+>$`, "pdf": `(?s)^%PDF-1\.4\n.*%%EOF\n$`} {
			state, failed := p.ReadData("einvoice_invoice_document", documentOf(model, id, format))
			content, err := base64.StdEncoding.DecodeString(fmt.Sprint(state["content_base64"]))
			if failed != "" || err != nil || !regexp.MustCompile(want).Match(content) {
				t.Errorf("the %s of a %s is %q (%v %s)", format, model, content, err, failed)
			}
			if text := state["content"]; format == "xml" && text != string(content) || format == "pdf" && text != nil {
				t.Errorf("the text of the %s of a %s is %v", format, model, text)
			}
		}
	}
}

func TestInvoiceDocumentDataSource_saysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	for _, status := range []string{"authorized", "enqueued"} {
		s.Seed(sandbox.KindServiceInvoices, map[string]any{"id": status, "status": status, "integrationId": "order-1"})
	}
	for _, fault := range []sandbox.Fault{
		{Kind: sandbox.FaultStatus, Status: 400, Message: "The document is being made."},
		{Kind: sandbox.FaultStatus, Status: 403, Message: "no access"},
		{Kind: sandbox.FaultBody, Status: 200, Body: `"<html>login</html>"`},
	} {
		fault.Method, fault.Path = "GET", "/v1/service-invoices/{id}/xml"
		s.Inject(fault)
	}
	reads := rows.Read[[]testkit.DataRead](t, "invoice_document_data_source_refuses.json")
	testkit.WantDataReads(t, s, "einvoice_invoice_document", reads)
}

// The specification names both without a path.
func TestInvoiceDocumentDataSource_readsLettersAndPreviews(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := authorizedOf(s)["productInvoice"]
	s.Patch(sandbox.KindProductInvoices, id, map[string]any{"_corrections": []any{map[string]any{"eventId": "e-1", "letter": "Onde se lê A, leia-se B"}}})
	named := testkit.Serve(t, s, map[string]any{"operations": map[string]any{"preview_invoice": "GET /v1/{model}-invoices/{id}/pdf"}})
	for format, want := range map[string]string{"pdf": `^%PDF`, "xml": `<xCorrecao>Onde se lê A, leia-se B</xCorrecao>`, "preview": `^%PDF`} {
		arguments := documentOf("productInvoice", id, format)
		if format != "preview" {
			arguments["correction_event_id"] = "e-1"
		}
		state, failed := named.ReadData("einvoice_invoice_document", arguments)
		content, _ := base64.StdEncoding.DecodeString(fmt.Sprint(state["content_base64"]))
		if failed != "" || !regexp.MustCompile(want).Match(content) {
			t.Errorf("the %s is %q (%s)", format, content, failed)
		}
	}
	if n := s.Count("GET", "/v1/product-invoices/{id}/corrections/{eventId}/xml"); n != 1 {
		t.Errorf("the letter was read %d times", n)
	}
	s.ResetRequests()
	_, failed := testkit.Serve(t, s, nil).ReadData("einvoice_invoice_document", documentOf("productInvoice", id, "preview"))
	if !regexp.MustCompile(`(?s)No path for the preview.*preview_invoice`).MatchString(failed) || len(s.Requests()) > 0 {
		t.Errorf("%d requests, and the error is %q", len(s.Requests()), failed)
	}
}

func TestInvoiceDocumentEphemeral_readsWhatTheDataSourceReads(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for model, id := range authorizedOf(s) {
		for _, format := range []string{"xml", "pdf"} {
			shown, said := p.Open("einvoice_invoice_document", documentOf(model, id, format))
			state, _ := p.ReadData("einvoice_invoice_document", documentOf(model, id, format))
			if content := shown["content_base64"]; len(said) > 0 || content == nil || content != state["content_base64"] {
				t.Errorf("the %s of a %s is %v, want %v (%v)", format, model, content, state["content_base64"], said)
			}
		}
	}
	fixture.WantWrites(t, s, 0)
}

// The document goes to a write-only argument, and into no file.
func TestAccInvoiceDocumentEphemeral_leavesNoTrace(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{SecretReads: sandbox.SecretsClear})
	w := testkit.NewAttached(t, testkit.Config(s, fmt.Sprintf(`
ephemeral "einvoice_invoice_document" "xml" {
  model  = "serviceInvoice"
  id     = %q
  format = "xml"
}

resource "einvoice_company_settings" "main" {
  company_id = %q
  secrets    = { csc_wo = sha256(ephemeral.einvoice_invoice_document.xml.content), csc_wo_version = "1" }
}`, authorizedOf(s)["serviceInvoice"], s.OwnerCompanyID())))
	if !w.Cli.AtLeast(1, 11) {
		t.Skipf("%s has no write-only arguments", w.Cli)
	}
	w.MustRun("plan", "-input=false", "-out=saved.plan")
	w.MustRun("apply", "-input=false", "saved.plan")
	w.MustPlanNothing()
	handed := fmt.Sprint(testkit.At(s.SettingsClear(s.OwnerCompanyID()), "consumerInvoice.csc"))
	if len(handed) != 64 {
		t.Fatalf("the service was given %q", handed)
	}
	for _, text := range []string{"João", handed} {
		if files := w.InFiles(text); len(files) != 0 {
			t.Errorf("%v hold the document", files)
		}
	}
}
