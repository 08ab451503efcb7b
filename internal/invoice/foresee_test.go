package invoice_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
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
	for _, test := range rows.Read[[]struct {
		Row             string
		Invoice, More   map[string]any // what is there, and more arguments
		Becomes         string         // its status, before it is read
		Fault           *sandbox.Fault
		Says            []string // by the plan
		Fails           bool
		Requests, Posts int // of the plan and of both
	}](t, "plan_lookup_says_what_apply_then_does.json") {
		rows.Case(t, test.Row, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			if test.Invoice != nil {
				id := s.Seed(sandbox.KindServiceInvoices, test.Invoice)
				if test.Becomes != "" {
					s.Before("GET", readByID, func() { s.SetInvoiceStatus(id, test.Becomes) })
				}
			}
			if test.Fault != nil {
				s.Inject(*test.Fault)
			}
			arguments := saleArguments("order-1", nil)
			maps.Copy(arguments, test.More)
			o := testkit.Serve(t, s, looking).Object(kind)
			config := o.Value(o.Type, arguments)
			planned, said := o.Plan(config)
			fixture.WantRequests(t, s, "", "", test.Requests)
			fixture.WantWrites(t, s, 0)
			if test.Says == nil {
				expect.Is(t, testkit.TextsOf(said), "", "the plan says")
			}
			for _, want := range test.Says {
				expect.Contains(t, testkit.TextsOf(said), want)
			}
			foretold := testkit.ErrorsIn(said)
			expect.Is(t, foretold != "", test.Fails, "the plan fails with %q", foretold)
			if foretold == "" {
				applied := o.Apply(config, planned)
				if o.MustNotFail(applied); strings.Contains(testkit.TextsOf(applied), "Adopted") {
					t.Errorf("what the plan says is said again: %s", testkit.TextsOf(applied))
				}
			} else if _, said = testkit.Serve(t, s, nil).Object(kind).Create(arguments); testkit.ErrorsIn(said) != foretold {
				t.Errorf("the plan says\n%s\nand apply\n%s", foretold, testkit.ErrorsIn(said))
			}
			fixture.WantRequests(t, s, "POST", fixture.ServiceInvoices, test.Posts)
		})
	}
}

// What is not known yet, or not asked for, costs nothing.
func TestPlanLookup_asksOnlyWhatItCan(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Row                 string
		Settings, Arguments map[string]any
	}](t, "plan_lookup_asks_only_what_it_can.json") {
		rows.Case(t, test.Row, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			arguments := saleArguments("order-1", nil)
			maps.Copy(arguments, test.Arguments)
			o := testkit.Serve(t, s, test.Settings).Object(kind)
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
