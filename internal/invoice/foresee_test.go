package invoice_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// With plan_lookup a plan says what apply then does. All that can be found is a case
// of the engine's look.

var looking = map[string]any{"plan_lookup": true}

func TestPlanLookup_saysWhatApplyThenDoes(t *testing.T) {
	t.Parallel()
	one := func(status string, amount float64) func(*testing.T, *sandbox.Server) {
		return func(_ *testing.T, s *sandbox.Server) {
			s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "order-1", "status": status, "amount": amount, "number": 7})
		}
	}
	for name, test := range map[string]struct {
		prepare  func(t *testing.T, s *sandbox.Server)
		more     map[string]any
		says     []string // of the plan
		requests int      // of the plan
		posts    int
	}{
		"nothing is there":   {prepare: func(*testing.T, *sandbox.Server) {}, requests: 1, posts: 1},
		"authorized":         {prepare: one("authorized", 100), requests: 1, says: []string{`NFS-e 7 (order-1) exists: apply adopts it`, `status "authorized", amount R$ 100.00`}},
		"not all comparable": {prepare: one("authorized", 0), requests: 1, says: []string{"apply adopts it", "Its amount could not be compared"}},
		"in progress": {prepare: func(t *testing.T, s *sandbox.Server) {
			one("enqueued", 100)(t, s)
			s.Before("GET", readByID, func() { s.SetInvoiceStatus(fmt.Sprint(onlyInvoice(t, s)["id"]), "authorized") })
		}, requests: 1, says: []string{"NFS-e 7 (order-1) exists: apply waits for it", `status "enqueued", amount R$ 100.00`}},
		"a draft of somebody else": {
			prepare: one("created", 7), requests: 2, says: []string{
				"Unknown draft at the service: NFS-e 7 (order-1)", "import it by `serviceInvoice/", "Nothing was sent",
				"100 in `payload_json`, 7 at the service",
			},
		},
		"rejected":                {prepare: one("rejected", 100), requests: 2, says: []string{"was rejected before: apply sends it again", "Apply asks the tax authority about it first"}, posts: 1},
		"refused, another amount": {prepare: one("authorized", 7), requests: 1, says: []string{"Another invoice has this integration_id", "100 in `payload_json`, 7 at the service"}},
		"refused, another company's": {
			prepare: one("authorized", 100), more: map[string]any{"issuer": fixture.OtherNumber}, requests: 1,
			says: []string{"Issued by another company: NFS-e 7 (order-1)"},
		},
		"refused, the look-up itself": {prepare: func(t *testing.T, s *sandbox.Server) {
			s.Inject(sandbox.Fault{Method: "GET", Path: fixture.ServiceInvoices, Kind: sandbox.FaultStatus, Status: 403, Times: 2})
		}, requests: 1, says: []string{"Cannot look up invoice: NFS-e (order-1)"}},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			test.prepare(t, s)
			s.ResetRequests()
			arguments := saleArguments("order-1", nil)
			maps.Copy(arguments, test.more)
			o := testkit.Serve(t, s, looking).Object(kind)
			config := o.Value(o.Type, arguments)
			planned, said := o.Plan(config)
			if n := len(s.Requests()); n != test.requests || fixture.CountWrites(s) != 0 {
				t.Errorf("the plan made %d requests, %d of them writes, want %d reads", n, fixture.CountWrites(s), test.requests)
			}
			if test.says == nil && testkit.TextsOf(said) != "" {
				t.Errorf("the plan says: %s", testkit.TextsOf(said))
			}
			for _, want := range test.says {
				expect.Contains(t, testkit.TextsOf(said), want)
			}
			foretold := testkit.ErrorsIn(said)
			if foretold == "" {
				applied := o.Apply(config, planned)
				if o.MustNotFail(applied); strings.Contains(testkit.TextsOf(applied), "Adopted") {
					t.Errorf("what the plan says is said again: %s", testkit.TextsOf(applied))
				}
			} else if _, said = testkit.Serve(t, s, nil).Object(kind).Create(arguments); testkit.ErrorsIn(said) != foretold {
				t.Errorf("the plan says\n%s\nand apply\n%s", foretold, testkit.ErrorsIn(said))
			}
			fixture.WantRequests(t, s, "POST", fixture.ServiceInvoices, test.posts)
		})
	}
}

// What is not known yet, or not asked for, costs nothing.
func TestPlanLookup_asksOnlyWhatItCan(t *testing.T) {
	t.Parallel()
	unknown := tftypes.UnknownValue
	for name, test := range map[string]struct {
		settings, arguments map[string]any
	}{
		"not configured":            {nil, nil},
		"off":                       {map[string]any{"plan_lookup": false}, nil},
		"not known":                 {map[string]any{"plan_lookup": unknown}, nil},
		"an unknown key":            {map[string]any{"api_key": unknown}, nil},
		"an unknown integration_id": {nil, map[string]any{"integration_id": unknown}},
		"an unknown payload":        {nil, map[string]any{"payload_json": unknown}},
		"unknown whether to issue":  {nil, map[string]any{"issue": unknown}},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			settings := map[string]any{}
			if name != "not configured" {
				settings["plan_lookup"] = true
			}
			maps.Copy(settings, test.settings)
			arguments := saleArguments("order-1", nil)
			maps.Copy(arguments, test.arguments)
			o := testkit.Serve(t, s, settings).Object(kind)
			o.MustPlan(o.Value(o.Type, arguments))
			fixture.WantRequests(t, s, "", "", 0)
		})
	}
}

func payloadOf(taxNumber, description string) string {
	return fmt.Sprintf(`{"description":%q,"federalServiceCode":"17.01","receiver":{"name":"A","federalTaxNumber":%q,"phoneNumber":"(11) 98765-4321","address":{"postalCode":"01310-100","city":{"code":"3550308"}}},"total":{"invoiceAmount":100.00}}`,
		description, taxNumber)
}

// What is sent has no punctuation, state has what was written, and another spelling
// of an issued invoice is no change.
func TestIssuance_sendsThePayloadWithoutPunctuation(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object(kind)
	written := payloadOf("11.222.333/0001-81", "Consulting")
	arguments := map[string]any{"model": "serviceInvoice", "integration_id": "order-1", "payload_json": written}
	state := o.MustCreate(arguments)
	expect.Is[any](t, state["payload_json"], written, "state")
	sent, _ := s.Last("POST", fixture.ServiceInvoices)
	var body struct{ Receiver json.RawMessage }
	expect.NoError(t, json.Unmarshal(sent.Body, &body))
	want := `{"name":"A","federalTaxNumber":"11222333000181","phoneNumber":"11987654321","address":{"postalCode":"01310100","city":{"code":3550308}}}`
	expect.Same(t, want, string(body.Receiver), "the receiver that was sent")
	respelled := strings.ReplaceAll(payloadOf("11222333000181", "Consulting"), `"3550308"`, `3550308`)
	o.Run(testkit.Step{Arguments: fmt.Sprintf("model = \"serviceInvoice\"\nintegration_id = \"order-1\"\npayload_json = %q", respelled), Plans: plancheck.ResourceActionNoop, State: map[string]any{"payload_json": written}})
	fixture.WantRequests(t, s, "POST", fixture.ServiceInvoices, 1)
}

// An invoice is warned of while it is to be sent, and not after.
func TestIssuance_checksAPayloadUntilItIsIssued(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object(kind)
	plan := func(description string, more map[string]any) int {
		t.Helper()
		arguments := map[string]any{"model": "serviceInvoice", "integration_id": "order-1", "payload_json": doubtful(description)}
		maps.Copy(arguments, more)
		_, said := o.Plan(o.Value(o.Type, arguments))
		o.MustNotFail(said)
		return warnings(said, "Problems in payload_json: NFS-e")
	}
	draft := map[string]any{"issue": false}
	want := func(name, description string, more map[string]any, want int) {
		t.Helper()
		expect.Is(t, plan(description, more), want, "%s warnings", name)
	}
	want("a new invoice", "Consulting", nil, 1)
	want("one that is not checked", "Consulting", map[string]any{"payload_check": false}, 0)
	arguments := saleArguments("order-1", nil)
	arguments["issue"], arguments["payload_json"] = false, doubtful("Consulting")
	o.MustCreate(arguments)
	want("a draft that stays as it is", "Consulting", draft, 0)
	want("a draft that changes", "Training", draft, 1)
	want("a draft that is to be issued", "Consulting", nil, 1)
	arguments["issue"] = true
	o.MustCreate(arguments)
	want("an issued invoice", "Consulting", nil, 0)
}

func warnings(said []*tfprotov6.Diagnostic, summary string) int {
	n := 0
	for _, d := range said {
		if d.Severity == tfprotov6.DiagnosticSeverityWarning && strings.HasPrefix(d.Summary, summary) {
			n++
		}
	}
	return n
}

// doubtful is a payload that is accepted, and that a plan warns of.
func doubtful(description string) string {
	return strings.Replace(payloadOf("11.222.333/0001-81", description), `"name":"A"`, `"name":"A","nickname":"B"`, 1)
}
