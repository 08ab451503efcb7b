package invoice_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
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
		"authorized":         {prepare: one("authorized", 100), requests: 1, says: []string{`NFS-e 7 (order-1) exists: apply adopts it`, `status "authorized", amount 100.00`}},
		"not all comparable": {prepare: one("authorized", 0), requests: 1, says: []string{"apply adopts it", "Its amount could not be compared"}},
		"in progress": {prepare: func(t *testing.T, s *sandbox.Server) {
			one("enqueued", 100)(t, s)
			s.Before("GET", readByID, func() { s.SetInvoiceStatus(fmt.Sprint(onlyInvoice(t, s)["id"]), "authorized") })
		}, requests: 1, says: []string{"NFS-e 7 (order-1) exists: apply waits for it", `status "enqueued", amount 100.00`}},
		"a draft of somebody else": {
			prepare: one("created", 7), requests: 2, says: []string{
				"Unknown draft at the service: NFS-e 7 (order-1)", "import it by `serviceInvoice/", "Nothing was sent",
				"100 in `payload_json`, 7 at the service",
			},
		},
		"rejected":                {prepare: one("rejected", 100), requests: 2, says: []string{"was rejected: apply sends it again", "Apply asks the tax authority about it first"}, posts: 1},
		"refused, another amount": {prepare: one("authorized", 7), requests: 1, says: []string{"Another invoice has this integration_id", "100 in `payload_json`, 7 at the service"}},
		"refused, another company's": {
			prepare: one("authorized", 100), more: map[string]any{"issuer": fixture.OtherNumber}, requests: 1,
			says: []string{"Issued by another company: NFS-e 7 (order-1)"},
		},
		"refused, the look-up itself": {prepare: func(t *testing.T, s *sandbox.Server) {
			s.Inject(sandbox.Fault{Method: "GET", Path: fixture.ServiceInvoices, Kind: sandbox.FaultStatus, Status: 403, Times: 2})
		}, requests: 1, says: []string{"Cannot look up invoice: NFS-e (order-1)"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
				if !strings.Contains(testkit.TextsOf(said), want) {
					t.Errorf("the plan lacks %q: %s", want, testkit.TextsOf(said))
				}
			}
			foretold := testkit.ErrorsIn(said)
			if foretold == "" {
				o.MustNotFail(o.Apply(config, planned))
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
