package inbound_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const inboundListPath = "/v1/inbound-product-invoices"

func inboundConfig(s *sandbox.Server, arguments string) string {
	return acctest.Config(s, "data \"einvoice_inbound_invoices\" \"test\" {\n"+arguments+"\n}")
}

// foundInbound checks the NSUs of the invoices.
func foundInbound(numbers ...int64) statecheck.StateCheck {
	var checks []knownvalue.Check
	for _, n := range numbers {
		checks = append(checks, knownvalue.ObjectPartial(map[string]knownvalue.Check{"nsu": knownvalue.Int64Exact(n)}))
	}
	return statecheck.ExpectKnownValue("data.einvoice_inbound_invoices.test", tfjsonpath.New("invoices"), knownvalue.ListExact(checks))
}

// inboundKey is the access key of the invoice with an NSU.
func inboundKey(nsu int) string {
	return fmt.Sprintf("352611423189490001845500100000000%d1000000000", nsu)[:44]
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
		if n == 3 {
			doc["isComplete"] = true
			doc["manifestation"] = map[string]any{"status": "confirmed", "date": "2026-11-14T10:00:00-03:00", "justification": "j", "protocol": "135"}
		}
		s.SeedInbound(s.OwnerCompanyID(), doc)
	}
	s.SeedInbound(s.Seed(sandbox.KindCompanies, map[string]any{"name": "Filial", "federalTaxNumber": "45997418000153"}), map[string]any{"nsu": 9})
}

// A service that ignores its filters shows that each of them is applied here.
func TestAccInboundInvoicesDataSource_filters(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{IgnoreFilters: true})
	seedReceived(s)
	var steps []resource.TestStep
	for _, test := range []struct {
		arguments string
		want      []int64
	}{
		{``, []int64{5, 4, 3, 2, 1}},
		{fmt.Sprintf("access_key = %q", inboundKey(2)), []int64{2}},
		{fmt.Sprintf("access_key = %q", inboundKey(2)[:4]+" "+inboundKey(2)[4:]), []int64{2}},
		{`statuses = ["denied"]`, []int64{2}},
		{`statuses = ["denied", "canceled"]`, []int64{4, 2}},
		{`statuses = ["authorized", "denied", "canceled"]`, []int64{5, 4, 3, 2, 1}},
		{`manifestation_status = "confirmed"`, []int64{3}},
		{`manifestation_status = "none"`, []int64{5, 4, 2, 1}},
		{`operation_type = "incoming"`, []int64{4, 2}},
		{`environment_type = "simulation"`, []int64{3}},
		{`issued_from = "2026-11-14"`, []int64{5, 4}},
		{`issued_to = "2026-11-12"`, []int64{2, 1}},
		{"issued_from = \"2026-11-13T10:00:00-03:00\"\nissued_to = \"2026-11-13T13:00:00Z\"", []int64{3}},
		{"statuses = [\"authorized\"]\nissued_from = \"2026-11-12\"\noperation_type = \"outgoing\"\nenvironment_type = \"development\"", []int64{5}},
		{"statuses = [\"authorized\"]\nlimit = 2", []int64{5, 3}},
	} {
		steps = append(steps, resource.TestStep{Config: inboundConfig(s, test.arguments), ConfigStateChecks: []statecheck.StateCheck{foundInbound(test.want...)}})
	}
	acctest.Run(t, steps)
}

func TestAccInboundInvoicesDataSource_walksTheCursor(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	for i := range 205 { // More than a cursor list gives at once.
		s.SeedInbound(s.OwnerCompanyID(), map[string]any{"nsu": i, "issuedOn": time.Date(2026, 11, 1, 0, i, 0, 0, time.UTC).Format(time.RFC3339)})
	}
	body := func(arguments string) string {
		return inboundConfig(s, arguments) + "\noutput \"nsus\" {\n  value = join(\" \", data.einvoice_inbound_invoices.test.invoices[*].nsu)\n}\n"
	}
	w := acctest.NewAttached(t, body(""))
	w.MustApply()
	var want []string
	for i := range 205 {
		want = append(want, fmt.Sprint(204-i))
	}
	if diff := cmp.Diff(strings.Join(want, " "), strings.TrimSpace(w.MustRun("output", "-raw", "nsus"))); diff != "" {
		t.Error(diff)
	}
	s.ResetRequests()
	w.Write(body("limit = 200"))
	if output := w.MustRun("plan"); strings.Count(output, "Warning: List of invoices cut at the limit") != 1 {
		t.Errorf("the plan does not warn once that the list is cut:\n%s", output)
	}
	var cursors []string
	for _, r := range s.Requests() {
		cursors = append(cursors, r.Query.Get("cursor"))
	}
	if len(cursors) != 2 || cursors[0] != "" || cursors[1] == "" {
		t.Errorf("the pages were asked for with the cursors %q", cursors)
	}
	// A cursor that is refused is an error, not the end of the list.
	s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: inboundListPath, Status: 400, Message: "The cursor has expired.", Skip: 1})
	w.Write(body(""))
	if output, ok := w.Run("plan"); ok || !strings.Contains(output, "Cannot read inbound invoices") || !strings.Contains(output, "The cursor has expired.") {
		t.Errorf("the plan ends with:\n%s", output)
	}
	// One that comes again would go round for ever.
	s.Inject(sandbox.Fault{
		Kind: sandbox.FaultBody, Method: "GET", Path: inboundListPath, Status: 200, Body: `{"items":[{"id":"1"}],"nextCursor":"again","hasNext":true}`, Times: 2,
	})
	if output, ok := w.Run("plan"); ok || !strings.Contains(output, "comes again") {
		t.Errorf("the plan ends with:\n%s", output)
	}
}

func TestAccInboundInvoicesDataSource_asksTheServiceToFilter(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	seedReceived(s)
	acctest.Run(t, []resource.TestStep{{
		Config: inboundConfig(s, fmt.Sprintf(`
  access_key           = %q
  statuses             = ["authorized"]
  manifestation_status = "confirmed"
  operation_type       = "outgoing"
  environment_type     = "simulation"
  issued_from          = "2026-11-01"
  issued_to            = "2026-11-30"`, inboundKey(3))),
		ConfigStateChecks: []statecheck.StateCheck{foundInbound(3)},
	}})
	sent, _ := s.Last("GET", inboundListPath)
	want := url.Values{
		"accessKey": {inboundKey(3)}, "status": {"authorized"}, "manifestationStatus": {"confirmed"}, "operationType": {"outgoing"}, "environmentType": {"simulation"},
		"initialDate": {"2026-11-01T00:00:00-03:00"}, "endDate": {"2026-11-30T23:59:59.999-03:00"}, "limit": {"200"},
	}
	if diff := cmp.Diff(want, sent.Query); diff != "" {
		t.Error(diff)
	}
}

func TestAccInboundInvoicesDataSource_wrongValues(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	var steps []resource.TestStep
	for _, test := range []struct{ arguments, want string }{
		{`access_key = "123"`, `Invalid access key(.|\n)*44\s+characters(.|\n)*has 3\s+characters`},
		{`access_key = "` + strings.Repeat("A", 44) + `"`, `Invalid access key`},
		{`access_key = ""`, `Invalid access key`},
		{`statuses = ["rejected"]`, `Invalid statuses(.|\n)*authorized,\s+denied,\s+canceled`},
		{`statuses = ["authorized", null]`, `Null Set Value`},
		{`manifestation_status = "ignored"`, `Invalid manifestation status(.|\n)*notPerformed`},
		{`operation_type = "in"`, `Invalid operation type(.|\n)*incoming,\s+outgoing`},
		{`environment_type = "test"`, `Invalid environment type`},
		{`issued_from = "yesterday"`, `Invalid issued from`},
		{`issued_to = "2026-13-01"`, `Invalid issued to`},
		{`limit = -1`, `Invalid limit`},
	} {
		steps = append(steps, resource.TestStep{Config: inboundConfig(s, test.arguments), PlanOnly: true, ExpectError: regexp.MustCompile(test.want)})
	}
	acctest.Run(t, steps)
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests for configurations that are wrong, want none", n)
	}
}
