package inbound_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// missingID is that of nothing.
const missingID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

func TestInboundInvoiceDataSource_readsBothModels(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	nfe := s.SeedInbound(s.OwnerCompanyID(), map[string]any{
		"nsu": 7, "amount": 12.5, "issuedOn": "2026-11-10T10:00:00-03:00", "accessKey": inboundKey(1), "isComplete": true,
		"manifestation": map[string]any{"status": "notPerformed", "date": "2026-11-11T10:00:00-03:00", "justification": "Mercadoria não recebida", "protocol": "135"},
	})
	nfse := s.SeedInbound(s.OwnerCompanyID(), map[string]any{
		"model": "serviceInvoice", "manifestation": map[string]any{"status": "rejected", "date": nil, "justification": nil, "reasonCode": "3"},
	})
	of := func(model, id string) map[string]any { return map[string]any{"model": model, "id": id} }
	testkit.WantDataReads(t, s, "einvoice_inbound_invoice", []testkit.DataRead{
		{Name: "an NF-e", Arguments: of("productInvoice", nfe), State: map[string]any{
			"id": nfe, "model": "productInvoice", "environment_type": "production", "access_key": inboundKey(1), "nsu": 7.0, "is_complete": true, "status": "authorized",
			"issued_on": "2026-11-10T10:00:00-03:00", "amount": 12.5, "operation_type": "outgoing", "last_modification_time": nil,
			"issuer":        map[string]any{"name": "Fornecedor", "legal_name": "Fornecedor Ltda", "federal_tax_number": "42318949000184"},
			"manifestation": map[string]any{"status": "notPerformed", "date": "2026-11-11T10:00:00-03:00", "justification": "Mercadoria não recebida", "protocol": "135", "reason_code": nil},
		}},
		{Name: "an NFS-e", Arguments: of("serviceInvoice", nfse), State: map[string]any{
			"is_complete": true, "manifestation": map[string]any{"status": "rejected", "date": nil, "justification": nil, "protocol": nil, "reason_code": "3"},
		}},
		{Name: "of the other model", Arguments: of("serviceInvoice", nfe), Error: "Inbound invoice not found.*NFS-e.*model"},
		{Name: "of a model that nobody receives", Arguments: of("consumerInvoice", nfe), Error: "Invalid model.*productInvoice, serviceInvoice"},
		{Name: "an empty id", Arguments: of("productInvoice", ""), Error: "Empty id"},
	})
	s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/inbound-product-invoices/{id}", Status: 403, Message: "not in the plan of the account"})
	testkit.WantDataReads(t, s, "einvoice_inbound_invoice", []testkit.DataRead{
		{Name: "a refused read", Arguments: of("productInvoice", nfe), Error: "Cannot read inbound invoice.*not in the plan"},
	})
}

func TestInboundSyncStatusDataSource_readsAndAdvises(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"productInvoice": map[string]any{"inbound": map[string]any{"enabled": true}}})
	p := testkit.Serve(t, s, nil)
	for _, test := range []struct {
		set  map[string]any
		want []any // healthy, outcome, message, the attempt, the synchronization, the NSU
	}{
		{nil, []any{true, "neverAttempted", nil, nil, nil, 0.0}},
		{
			map[string]any{"lastAttemptOutcome": withoutCertificate, "lastAttemptMessage": "", "lastAttemptAt": "2026-11-20T10:00:00"},
			[]any{false, withoutCertificate, nil, "2026-11-20T10:00:00", nil, 0.0},
		},
		{map[string]any{"lastAttemptOutcome": ""}, []any{false, nil, nil, "2026-11-20T10:00:00", nil, 0.0}},
		{map[string]any{"lastAttemptOutcome": "somethingNew", "lastNsu": 42, "lastAttemptMessage": "x"}, []any{false, "somethingNew", "x", "2026-11-20T10:00:00", nil, 42.0}},
	} {
		if test.set != nil {
			s.SetSyncStatus(s.OwnerCompanyID(), test.set)
		}
		state, failed := p.ReadData("einvoice_inbound_sync_status", nil)
		got := []any{state["healthy"], state["last_attempt_outcome"], state["last_attempt_message"], state["last_attempt_at"], state["last_sync_at"], state["last_nsu"]}
		expect.Same(t, append(test.want, ""), append(got, failed), "after %v", test.set)
		if state["advice"] == "" {
			t.Errorf("after %v it advises nothing", test.set)
		}
	}
}

// Each outcome of the specification is told apart, and says who acts next.
func TestInboundSyncStatusDataSource_advisesByTheOutcome(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for outcome, want := range rows.Read[map[string]struct {
		Healthy bool
		Advice  string
	}](t, "inbound_sync_status_advises_by_the_outcome.json") {
		s.SetSyncStatus(s.OwnerCompanyID(), map[string]any{"lastAttemptOutcome": outcome})
		state, failed := p.ReadData("einvoice_inbound_sync_status", nil)
		if advice, _ := state["advice"].(string); failed != "" || state["healthy"] != want.Healthy || !strings.Contains(advice, want.Advice) {
			t.Errorf("%s is healthy: %v, and it advises %q (%s)", outcome, state["healthy"], advice, failed)
		}
	}
}

// inboundKey is the access key of the invoice with an NSU.
func inboundKey(nsu int) string {
	return fmt.Sprintf("352611423189490001845500100000000%d1000000000", nsu)[:44]
}

const documentSource = "einvoice_inbound_invoice_document"

func TestInboundInvoiceDocumentDataSource_readsBothModels(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for model, id := range map[string]string{
		"NF-e":  s.SeedInbound(s.OwnerCompanyID(), map[string]any{"isComplete": true}),
		"NFS-e": s.SeedInbound(s.OwnerCompanyID(), map[string]any{"model": "serviceInvoice"}),
	} {
		for format, want := range map[string]string{"xml": `(?s)^<\?xml.*42318949000184`, "pdf": `^%PDF`} {
			state, failed := p.ReadData(documentSource, map[string]any{"id": id, "format": format})
			encoded, _ := state["content_base64"].(string)
			document, err := base64.StdEncoding.DecodeString(encoded)
			if failed != "" || err != nil || !regexp.MustCompile(want).Match(document) {
				t.Errorf("the %s of an %s is %q, and the error %q, %v", format, model, document, failed, err)
			}
			if text, _ := state["content"].(string); strings.HasPrefix(text, "<?xml") != (format == "xml") {
				t.Errorf("the content of the %s of an %s is %q", format, model, text)
			}
		}
	}
}

func TestInboundInvoiceDocumentDataSource_saysWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id, summary := s.SeedInbound(s.OwnerCompanyID(), map[string]any{"isComplete": true}), s.SeedInbound(s.OwnerCompanyID(), map[string]any{})
	of := func(id, format string) map[string]any { return map[string]any{"id": id, "format": format} }
	testkit.WantDataReads(t, s, documentSource, []testkit.DataRead{
		{Name: "the XML of a summary", Arguments: of(summary, "xml"), Warns: "Only the summary of an inbound invoice"},
		{Name: "the PDF of a summary", Arguments: of(summary, "pdf"), Error: `its status is "authorized", and the status of its manifestation is "none"`},
		{Name: "an unknown id", Arguments: of(missingID, "pdf"), Error: "Inbound invoice not found"},
		{Name: "an unknown format", Arguments: of(id, "html"), Error: "Invalid format"},
		{Name: "an empty id", Arguments: of("", "pdf"), Error: "Empty id"},
	})
	for want, faults := range rows.Read[map[string][]sandbox.Fault](t, "inbound_invoice_document_data_source_says_what_is_missing.json") {
		for _, fault := range faults {
			fault.Kind, fault.Method = sandbox.FaultStatus, "GET"
			s.Inject(fault)
		}
		testkit.WantDataReads(t, s, documentSource, []testkit.DataRead{{Name: want, Arguments: of(id, "pdf"), Error: "Cannot read inbound invoice document.*" + want}})
	}
}

const (
	inboundListPath = "/v1/inbound-product-invoices"
	inboundSource   = "einvoice_inbound_invoices"
)

// wantNumbers reads the list, and checks the NSUs of its invoices.
func wantNumbers(t *testing.T, p *testkit.Protocol, arguments map[string]any, want []any) {
	t.Helper()
	state, failed := p.ReadData(inboundSource, arguments)
	numbers := []any{}
	invoices, _ := state["invoices"].([]any)
	for _, invoice := range invoices {
		members, _ := invoice.(map[string]any)
		numbers = append(numbers, members["nsu"])
	}
	expect.Same(t, want, numbers, "the invoices, %s", failed)
}

// seedReceived makes five NF-e, with the NSUs 1 to 5, the last one the newest,
// and one of another company.
func seedReceived(s *sandbox.Server) {
	for i, status := range []string{"authorized", "denied", "authorized", "canceled", "authorized"} {
		n := i + 1
		doc := map[string]any{
			"nsu": n, "status": status, "amount": 100 + n, "accessKey": inboundKey(n), "issuedOn": fmt.Sprintf("2026-11-%02dT10:00:00-03:00", 10+n),
			"operationType": []string{"outgoing", "incoming"}[i%2], "environmentType": []string{"production", "development", "simulation"}[i%3],
		}
		switch n {
		case 1:
			doc["manifestation"] = nil
		case 2:
			doc["manifestation"] = map[string]any{"status": nil}
		case 3:
			doc["isComplete"] = true
			doc["manifestation"] = map[string]any{"status": "confirmed", "date": "2026-11-14T10:00:00-03:00", "justification": "j", "protocol": "135"}
		}
		s.SeedInbound(s.OwnerCompanyID(), doc)
	}
	s.SeedInbound(s.Seed(sandbox.KindCompanies, map[string]any{"name": "Filial", "federalTaxNumber": "45997418000153"}), map[string]any{"nsu": 9})
}

// A service that ignores its filters shows that each of them is applied here.
func TestInboundInvoicesDataSource_filters(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{IgnoreFilters: true})
	seedReceived(s)
	for name, test := range rows.Read[map[string]struct {
		Arguments map[string]any
		Want      []any // NSUs
	}](t, "inbound_invoices_data_source_filters.json") {
		rows.Case(t, name, func(t *testing.T) { wantNumbers(t, testkit.Serve(t, s, nil), test.Arguments, test.Want) })
	}
}

func TestInboundInvoicesDataSource_walksTheCursor(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	var want []any
	for i := range 205 { // More than a cursor list gives at once.
		s.SeedInbound(s.OwnerCompanyID(), map[string]any{"nsu": i, "issuedOn": time.Date(2026, 11, 1, 0, i, 0, 0, time.UTC).Format(time.RFC3339)})
		want = append(want, float64(204-i))
	}
	wantNumbers(t, testkit.Serve(t, s, nil), nil, want)
	s.ResetRequests()
	testkit.WantDataReads(t, s, inboundSource, []testkit.DataRead{{Name: "a limit", Arguments: map[string]any{"limit": 200}, Warns: "List of inbound invoices cut at the limit"}})
	var cursors []string
	for _, r := range s.Requests() {
		cursors = append(cursors, r.Query.Get("cursor"))
	}
	if len(cursors) != 2 || cursors[0] != "" || cursors[1] == "" {
		t.Errorf("the pages were asked for with the cursors %q", cursors)
	}
	// A cursor that is refused is an error, not the end of the list.
	s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: inboundListPath, Status: 400, Message: "The cursor has expired.", Skip: 1})
	testkit.WantDataReads(t, s, inboundSource, []testkit.DataRead{{Name: "a cursor that is refused", Error: "Cannot read inbound invoices.*The cursor has expired"}})
}

func TestInboundInvoicesDataSource_asksTheServiceToFilter(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	seedReceived(s)
	p := testkit.Serve(t, s, nil)
	wantNumbers(t, p, map[string]any{
		"access_key": inboundKey(3), "statuses": []any{"authorized"}, "manifestation_status": "confirmed",
		"operation_type": "outgoing", "environment_type": "simulation", "issued_from": "2026-11-01", "issued_to": "2026-11-30",
	}, []any{3.0})
	sent, _ := s.Last("GET", inboundListPath)
	want := url.Values{
		"accessKey": {inboundKey(3)}, "status": {"authorized"}, "manifestationStatus": {"confirmed"}, "operationType": {"outgoing"}, "environmentType": {"simulation"},
		"initialDate": {"2026-11-01T00:00:00-03:00"}, "endDate": {"2026-11-30T23:59:59.999-03:00"}, "limit": {"200"},
	}
	expect.Same(t, want, sent.Query)
	p.ReadData(inboundSource, map[string]any{"statuses": []any{"denied", "canceled"}})
	if sent, _ := s.Last("GET", inboundListPath); sent.Query.Has("status") {
		t.Errorf("asks for one of several statuses: %v", sent.Query)
	}
}

func TestInboundInvoicesDataSource_wrongValues(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	wrong := rows.Read[[]testkit.DataRead](t, "inbound_invoices_data_source_wrong_values.json")
	testkit.WantDataReads(t, s, inboundSource, wrong)
	fixture.WantRequests(t, s, "", "", 0)
}
