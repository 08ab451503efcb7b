package inbound_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
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
		if diff := cmp.Diff(test.want, got); diff != "" || failed != "" || state["advice"] == "" {
			t.Errorf("after %v (-want +got):\n%s%s", test.set, diff, failed)
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

// words is a set of texts.
func words(texts ...any) []tftypes.Value {
	var set []tftypes.Value
	for _, text := range texts {
		set = append(set, tftypes.NewValue(tftypes.String, text))
	}
	return set
}

// numbersOf are the NSUs of the invoices in a state.
func numbersOf(state map[string]any) []any {
	numbers := []any{}
	invoices, _ := state["invoices"].([]any)
	for _, invoice := range invoices {
		members, _ := invoice.(map[string]any)
		numbers = append(numbers, members["nsu"])
	}
	return numbers
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
	type arguments = map[string]any
	for name, test := range map[string]struct {
		arguments arguments
		want      []any
	}{
		"none":                      {nil, []any{5.0, 4.0, 3.0, 2.0, 1.0}},
		"a key":                     {arguments{"access_key": inboundKey(2)}, []any{2.0}},
		"a key with spaces":         {arguments{"access_key": inboundKey(2)[:4] + " " + inboundKey(2)[4:]}, []any{2.0}},
		"a status":                  {arguments{"statuses": words("denied")}, []any{2.0}},
		"two statuses":              {arguments{"statuses": words("denied", "canceled")}, []any{4.0, 2.0}},
		"a declaration":             {arguments{"manifestation_status": "confirmed"}, []any{3.0}},
		"no declaration":            {arguments{"manifestation_status": "none"}, []any{5.0, 4.0, 2.0, 1.0}},
		"a direction":               {arguments{"operation_type": "incoming"}, []any{4.0, 2.0}},
		"an environment":            {arguments{"environment_type": "simulation"}, []any{3.0}},
		"the first day":             {arguments{"issued_from": "2026-11-14"}, []any{5.0, 4.0}},
		"the last day":              {arguments{"issued_to": "2026-11-12"}, []any{2.0, 1.0}},
		"a moment in two spellings": {arguments{"issued_from": "2026-11-13T10:00:00-03:00", "issued_to": "2026-11-13T13:00:00Z"}, []any{3.0}},
		"several": {
			arguments{"statuses": words("authorized"), "issued_from": "2026-11-12", "operation_type": "outgoing", "environment_type": "development"}, []any{5.0},
		},
		"a limit": {arguments{"statuses": words("authorized"), "limit": 3}, []any{5.0, 3.0, 1.0}},
	} {
		rows.Case(t, name, func(t *testing.T) {
			state, failed := testkit.Serve(t, s, nil).ReadData(inboundSource, test.arguments)
			if diff := cmp.Diff(test.want, numbersOf(state)); diff != "" || failed != "" {
				t.Errorf("the invoices (-want +got):\n%s%s", diff, failed)
			}
		})
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
	state, failed := testkit.Serve(t, s, nil).ReadData(inboundSource, nil)
	if diff := cmp.Diff(want, numbersOf(state)); diff != "" || failed != "" {
		t.Errorf("the invoices (-want +got):\n%s%s", diff, failed)
	}
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
	state, failed := p.ReadData(inboundSource, map[string]any{
		"access_key": inboundKey(3), "statuses": words("authorized"), "manifestation_status": "confirmed", "operation_type": "outgoing", "environment_type": "simulation",
		"issued_from": "2026-11-01", "issued_to": "2026-11-30",
	})
	if diff := cmp.Diff([]any{3.0}, numbersOf(state)); diff != "" || failed != "" {
		t.Errorf("the invoices (-want +got):\n%s%s", diff, failed)
	}
	sent, _ := s.Last("GET", inboundListPath)
	want := url.Values{
		"accessKey": {inboundKey(3)}, "status": {"authorized"}, "manifestationStatus": {"confirmed"}, "operationType": {"outgoing"}, "environmentType": {"simulation"},
		"initialDate": {"2026-11-01T00:00:00-03:00"}, "endDate": {"2026-11-30T23:59:59.999-03:00"}, "limit": {"200"},
	}
	if diff := cmp.Diff(want, sent.Query); diff != "" {
		t.Error(diff)
	}
	p.ReadData(inboundSource, map[string]any{"statuses": words("denied", "canceled")})
	if sent, _ := s.Last("GET", inboundListPath); sent.Query.Has("status") {
		t.Errorf("asks for one of several statuses: %v", sent.Query)
	}
}

func TestInboundInvoicesDataSource_wrongValues(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	type arguments = map[string]any
	testkit.WantDataReads(t, s, inboundSource, []testkit.DataRead{
		{Name: "a short key", Arguments: arguments{"access_key": "123"}, Error: "Invalid access key.*44 characters.*has 3 characters"},
		{Name: "a key of letters", Arguments: arguments{"access_key": strings.Repeat("A", 44)}, Error: "Invalid access key"},
		{Name: "an empty key", Arguments: arguments{"access_key": ""}, Error: "Invalid access key"},
		{Name: "an unknown status", Arguments: arguments{"statuses": words("rejected")}, Error: "Invalid statuses.*authorized, denied, canceled"},
		{Name: "no status", Arguments: arguments{"statuses": words("authorized", nil)}, Error: "Null Set Value"},
		{Name: "a date in words", Arguments: arguments{"issued_from": "yesterday"}, Error: "Invalid issued from"},
		{Name: "a negative limit", Arguments: arguments{"limit": -1}, Error: "at least 1, got: -1"},
	})
	fixture.WantRequests(t, s, "", "", 0)
}
