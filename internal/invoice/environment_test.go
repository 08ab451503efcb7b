package invoice_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func withEnvironment(s *sandbox.Server, environment any) {
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"serviceInvoice": map[string]any{"environmentType": environment}})
}

// environmentIn is the environment that a plan shows.
func environmentIn(o *testkit.Object, planned *tfprotov6.PlanResourceChangeResponse) any {
	return testkit.At(testkit.JSON(o.T, o.Unpack(planned.PlannedState, o.Type)), "environment_type")
}

// Nothing is issued in an environment that the provider block does not name, whether the
// plan can tell or only the apply.
func TestIssuance_issuesOnlyInTheEnvironmentsThatAreNamed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		allowed          any
		planned, applied any  // by the settings, before the plan and before the apply
		branch           bool // a key that cannot read settings
		refusedInPlan    string
		refusedInApply   string
		known            any // environment_type in the plan
	}{
		"any":                             {planned: "production", applied: "production"},
		"the one that is named":           {allowed: oneOf("development"), planned: "development", applied: "development", known: "development"},
		"one of two":                      {allowed: oneOf("development", "simulation"), planned: "simulation", applied: "simulation", known: "simulation"},
		"another one":                     {allowed: oneOf("development"), planned: "production", refusedInPlan: "Issuing in production is not allowed: NFS-e (sale-1)"},
		"another one since the plan":      {allowed: oneOf("development"), planned: "development", applied: "production", known: "development", refusedInApply: "Issuing in production is not allowed: NFS-e (sale-1)"},
		"settings without an environment": {allowed: oneOf("development"), applied: nil, known: "development", refusedInApply: "Environment not known: NFS-e (sale-1)"},
		"a key that cannot read settings": {allowed: oneOf("development"), planned: "development", branch: true, refusedInPlan: "Environment not known: NFS-e (sale-1)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			withEnvironment(s, test.planned)
			settings := map[string]any{"environments": test.allowed}
			if test.branch {
				_, settings["api_key"] = fixture.Company(s, fixture.BranchNumber)
			}
			p := testkit.Serve(t, s, settings)
			object := p.Object(kind)
			config := object.Value(object.Type, saleArguments("sale-1", nil))
			planned, said := object.Plan(config)
			if failed := testkit.ErrorsIn(said); !strings.Contains(failed, test.refusedInPlan) || (failed != "") != (test.refusedInPlan != "") {
				t.Fatalf("the plan says %q, want %q", failed, test.refusedInPlan)
			}
			if test.refusedInPlan == "" {
				expect.Is(t, environmentIn(object, planned), test.known, "the plan shows the environment")
				withEnvironment(s, test.applied)
				p.Configure(map[string]any{"base_url": s.BaseURL(), "api_key": s.OwnerKey(), "requests_per_minute": 0, "requests_per_second": 0, "environments": test.allowed})
				failed := testkit.ErrorsIn(object.Apply(config, planned))
				if !strings.Contains(failed, test.refusedInApply) || (failed != "") != (test.refusedInApply != "") {
					t.Errorf("the apply says %q, want %q", failed, test.refusedInApply)
				}
			}
			want := 1
			if test.refusedInPlan+test.refusedInApply != "" {
				want = 0
			}
			expect.Is(t, len(s.Invoices("")), want, "invoices exist")
		})
	}
}

// An apply plans again, and a value that a plan has shown must not be unknown then: it shows the same, or it fails.
func TestIssuance_anApplyPlansTheSameEnvironmentOrFails(t *testing.T) {
	t.Parallel()
	for name, allowed := range map[string]any{
		"one": oneOf("development"), "two": oneOf("development", "simulation"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			p := testkit.Serve(t, s, map[string]any{"environments": allowed})
			object := p.Object(kind)
			plans := func() (shown []any, failed []string) {
				for _, sale := range []string{"sale-1", "sale-2", "sale-3"} {
					planned, said := object.Plan(object.Value(object.Type, saleArguments(sale, nil)))
					shown, failed = append(shown, environmentIn(object, planned)), append(failed, testkit.ErrorsIn(said))
				}
				return shown, failed
			}
			withEnvironment(s, "development")
			if shown, failed := plans(); shown[2] != "development" || failed[2] != "" {
				t.Fatalf("the plans show %v and say %q", shown, failed)
			}
			withEnvironment(s, "production")
			p.Configure(map[string]any{"base_url": s.BaseURL(), "api_key": s.OwnerKey(), "requests_per_minute": 0, "requests_per_second": 0, "environments": allowed})
			shown, failed := plans()
			for i := range shown {
				if shown[i] != "development" && failed[i] == "" || i == 0 && failed[i] == "" {
					t.Errorf("plan %d shows %v and says %q", i, shown[i], failed[i])
				}
			}
		})
	}
}

// One list of the account serves all companies whose settings are read.
func TestIssuance_listsTheCompaniesOnceForTheirEnvironments(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	keys := map[string]any{}
	for _, number := range []string{fixture.BranchNumber, fixture.OtherNumber} {
		id, key := fixture.Company(s, number)
		s.SetSettings(id, map[string]any{"serviceInvoice": map[string]any{"environmentType": "development"}})
		keys[number] = key
	}
	p := testkit.Serve(t, s, map[string]any{"environments": oneOf("development"), "company_keys": keys})
	for number := range keys {
		arguments := saleArguments("sale-1", nil)
		arguments["issuer"] = number
		object := p.Object(kind)
		if _, said := object.Plan(object.Value(object.Type, arguments)); testkit.ErrorsIn(said) != "" {
			t.Error(testkit.ErrorsIn(said))
		}
	}
	fixture.WantRequests(t, s, "GET", "/v1/companies", 1)
}

// The list that is read for the environments shows the regime too. Nothing else is read for it.
func TestIssuance_judgesAPayloadByTheRegimeThatTheListShows(t *testing.T) {
	t.Parallel()
	const csosn = `{"items":[{"taxes":{"icms":{"origin":"0","csosn":"102"}}}]}`
	for name, test := range map[string]struct {
		allowed  any
		issuer   any
		told     bool
		requests int
	}{
		"environments are named":            {allowed: oneOf("development"), told: true, requests: 3},
		"the list does not show the regime": {allowed: oneOf("development"), issuer: fixture.BranchNumber, requests: 2},
		"environments are not named":        {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			id, key := fixture.Company(s, fixture.BranchNumber)
			for _, company := range []string{id, s.OwnerCompanyID()} {
				s.SetSettings(company, map[string]any{"productInvoice": map[string]any{"environmentType": "development"}})
			}
			p := testkit.Serve(t, s, map[string]any{"environments": test.allowed, "company_keys": map[string]any{fixture.BranchNumber: key}})
			before := len(s.Requests())
			object := p.Object(kind)
			_, said := object.Plan(object.Value(object.Type, map[string]any{
				"model": "productInvoice", "integration_id": "sale-1", "payload_json": csosn, "issuer": test.issuer,
			}))
			if strings.Contains(testkit.TextsOf(said), "The company's tax regime is `regimeNormal`") != test.told {
				t.Errorf("the plan says %s", testkit.TextsOf(said))
			}
			expect.Is(t, len(s.Requests())-before, test.requests, "requests were sent")
		})
	}
}

// The environment in a plan is the one from before a change that the same plan makes: the plan warns, whichever of
// the two is planned first.
func TestIssuance_environmentThatChangesBesideIt(t *testing.T) {
	t.Parallel()
	const settingsFirst, invoiceFirst = "settings first", "invoice first"
	for _, order := range []string{settingsFirst, invoiceFirst} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			withEnvironment(s, "development")
			p := testkit.Serve(t, s, map[string]any{"environments": oneOf("development", "simulation")})
			invoice, settings := p.Object(kind), p.Object("einvoice_company_settings")
			config := invoice.Value(invoice.Type, saleArguments("sale-1", nil))
			changed := settings.Value(settings.Type, map[string]any{
				"company_id": s.OwnerCompanyID(), "service_invoice": map[string]any{"environment_type": "simulation"},
			})
			known := any("development")
			var warned string
			if order == settingsFirst {
				known = nil
				settings.Plan(changed)
			}
			planned, _ := invoice.Plan(config)
			if order == invoiceFirst {
				_, said := settings.Plan(changed)
				for _, d := range said {
					warned += d.Summary
				}
			}
			expect.Is(t, environmentIn(invoice, planned), known, "the plan shows the environment")
			expect.Is(t, strings.Contains(warned, "Environment changes beside a new invoice"), (order == invoiceFirst), "the plan warns %q", warned)
		})
	}
}

// One setting stops all invoices of a company and model, so a plan says it once.
func TestIssuance_refusesAnEnvironmentOnceAPlan(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	withEnvironment(s, "production")
	p := testkit.Serve(t, s, map[string]any{"environments": oneOf("development")})
	failed := ""
	for _, id := range []string{"sale-1", "sale-2", "sale-3"} {
		o := p.Object(kind)
		_, said := o.Plan(o.Value(o.Type, saleArguments(id, fixture.MainNumber)))
		failed += testkit.ErrorsIn(said)
	}
	if strings.Count(failed, "Issuing in production is not allowed") != 1 || !strings.Contains(failed, "company "+fixture.MainNumber) {
		t.Errorf("the plans say: %s", failed)
	}
}

// A valid invoice that is in no state is canceled by nobody, and one in state beside an error is tainted: the next
// apply would issue a second one. So what is issued elsewhere than planned is in state, with a warning.
func TestIssuance_whatIsIssuedInAnotherEnvironmentIsInState(t *testing.T) {
	t.Parallel()
	issueElsewhere := func(environment string) func(*sandbox.Server) {
		return func(s *sandbox.Server) {
			s.Before("POST", fixture.ServiceInvoices, func() { withEnvironment(s, environment) })
		}
	}
	for name, test := range map[string]struct {
		allowed any
		happens func(*sandbox.Server)
		shown   string
		warned  string
		sent    int
	}{
		"one that is not allowed": {
			oneOf("development"), issueElsewhere("production"), "production", "Issued in production: NFS-e 1 (sale-1)", 1,
		},
		"another one that is allowed": {
			oneOf("development", "simulation"), issueElsewhere("simulation"), "simulation",
			"Issued in another environment than planned: NFS-e 1 (sale-1)", 1,
		},
		"an invoice of an earlier run": {
			oneOf("development"), func(s *sandbox.Server) {
				s.Seed(sandbox.KindServiceInvoices, map[string]any{
					"status": "authorized", "integrationId": "sale-1", "number": 1, "amount": 100, "environmentType": "production",
				})
			}, "production", "Issued in another environment than planned: NFS-e 1 (sale-1)", 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			withEnvironment(s, "development")
			p := testkit.Serve(t, s, map[string]any{"environments": test.allowed})
			o := p.Object(kind)
			test.happens(s)
			state, said := o.Create(saleArguments("sale-1", nil))
			o.MustNotFail(said)
			if state["status"] != "authorized" || state["environment_type"] != "development" {
				t.Errorf("the state has %v, want what was planned", state)
			}
			text := testkit.TextsOf(said)
			if !strings.Contains(text, test.warned) || strings.Count(text, test.shown) == 0 || strings.Count(text, "Issued in") != 1 {
				t.Errorf("it says %s\nwant %q once", text, test.warned)
			}
			withEnvironment(s, "development")
			o.Configure(asBefore(s, test.allowed))
			o.MustNotFail(o.Refresh())
			expect.Is[any](t, o.State()["environment_type"], test.shown, "after a refresh the environment")
			planned := o.MustPlan(o.Value(o.Type, saleArguments("sale-1", nil)))
			expect.Is(t, o.Action(planned), plancheck.ResourceActionNoop, "the next plan")
			fixture.WantRequests(t, s, "POST", fixture.ServiceInvoices, test.sent)
		})
	}
}

// asBefore are the arguments of the next run.
func asBefore(s *sandbox.Server, allowed any) map[string]any {
	return map[string]any{
		"base_url": s.BaseURL(), "api_key": s.OwnerKey(), "requests_per_minute": 0, "requests_per_second": 0,
		"environments": allowed,
	}
}
