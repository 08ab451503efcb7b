package invoice_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

const mistake = `cancellation_reason = "Ordered twice by mistake"`

// A plan has said what a destroy does by the status that is in state.
func TestIssuance_destroyDoesWhatThePlanHasSaid(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Planned, Found, Reason string
		Fails                  string
		Deletes                int
	}](t, "issuance_destroy_does_what_the_plan_has_said.json") {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			o := testkit.Serve(t, s, nil).Object(kind)
			o.Run(testkit.Step{Arguments: sale("", "accept_contingency = true\n"+test.Reason)})
			id := fmt.Sprint(onlyInvoice(t, s)["id"])
			s.SetInvoiceStatus(id, test.Planned)
			o.MustNotFail(o.Refresh())
			s.SetInvoiceStatus(id, test.Found)
			failed, succeeds := o.End(), test.Fails == ""
			if (failed == "") != succeeds || !strings.Contains(failed, test.Fails) || (o.State() == nil) != succeeds {
				t.Errorf("the destroy says %q, want %q, and leaves %v", failed, test.Fails, o.State())
			}
			fixture.WantRequests(t, s, "DELETE", "", test.Deletes)
		})
	}
}

// The plan says once what a renaming does, whichever block it plans first. It names each
// invoice that a destroy cancels, and says no more of what the new block adopts.
func TestIssuance_plansOfRenamedBlocksAreShort(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Reason   string
		OldFirst bool
		Want     string
	}](t, "issuance_plans_of_renamed_blocks_are_short.json") {
		rows.Case(t, test.Want, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			p := testkit.Serve(t, s, nil)
			olds := map[string]*testkit.Object{}
			named := func(id string) string { return strings.Replace(sale("", test.Reason), "order-1", id, 1) }
			for _, id := range []string{"order-1", "order-2"} {
				olds[id] = p.Object(kind)
				olds[id].Run(testkit.Step{Arguments: named(id)})
			}
			p.Configure(asBefore(s, nil))
			var got []string
			hear := func(_ *tfprotov6.PlanResourceChangeResponse, said []*tfprotov6.Diagnostic) {
				for _, d := range said {
					got = append(got, d.Summary)
				}
			}
			for _, id := range []string{"order-1", "order-2"} {
				inOrder(!test.OldFirst,
					func() { o := p.Object(kind); hear(o.Plan(o.Value(o.Type, o.Arguments(named(id))))) },
					func() { hear(olds[id].PlanDestroy()) },
				)
			}
			if all := strings.Join(got, "; "); all != test.Want {
				t.Errorf("with %q, the old block first %t, the plans say\n%s\nwant\n%s", test.Reason, test.OldFirst, all, test.Want)
			}
		})
	}
}

// A plan in which one block cancels what another block keeps is refused, whichever of the two it plans first, unless the
// journal knows that the leaving block has it no more.
func TestIssuance_noPlanCancelsWhatAnotherBlockKeeps(t *testing.T) {
	t.Parallel()
	for _, oldFirst := range []bool{true, false} {
		for how, want := range map[string]string{
			"imported": "One block keeps NFS-e 1 (order-1), another one cancels it", "adopted": "", // Nothing is canceled.
		} {
			rows.Case(t, fmt.Sprint(how, " ", oldFirst), func(t *testing.T) {
				s := sandbox.Start(t, sandbox.Options{})
				p := testkit.Serve(t, s, nil)
				old, kept := p.Object(kind), p.Object(kind)
				old.Run(testkit.Step{Arguments: sale("", mistake)})
				if how == "imported" {
					p.MustNotFail(kept.Import("serviceInvoice/" + fmt.Sprint(onlyInvoice(t, s)["id"])))
				} else {
					kept.Run(testkit.Step{Arguments: sale("", mistake)})
				}
				// Another run.
				p.Configure(asBefore(s, nil))
				var said []*tfprotov6.Diagnostic
				hear := func(_ *tfprotov6.PlanResourceChangeResponse, more []*tfprotov6.Diagnostic) {
					said = append(said, more...)
				}
				inOrder(!oldFirst,
					func() { hear(kept.Plan(kept.Value(kept.Type, kept.Arguments(sale("", mistake))))) },
					func() { hear(old.PlanDestroy()) },
				)
				if text := testkit.TextsOf(said); !strings.Contains(text, want) || (want == "") != (text == "") || (how == "imported") != (testkit.ErrorsIn(said) != "") {
					t.Errorf("the plans say\n%s\nwant %q", text, want)
				}
			})
		}
	}
}

// cancelable_until follows from the authorization. Another window changes it in
// place, and nothing is sent.
func TestCancelWindow(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object(kind)
	until := func(window time.Duration) string {
		at, _ := time.Parse(time.RFC3339, fmt.Sprint(testkit.At(s.Invoices("")[0], "authorization.date")))
		return at.Add(window).Format(time.RFC3339)
	}
	o.Run(testkit.Step{Arguments: sale("", ""), State: map[string]any{"cancelable_until": nil}}) // An NFS-e: its city decides.
	sent := fixture.CountWrites(s)
	o.Run(
		testkit.Step{Arguments: sale("", `cancel_window = "48h"`), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"cancelable_until": until(48 * time.Hour)}},
		testkit.Step{Arguments: sale("", `cancel_window = "168h"`), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"cancelable_until": until(168 * time.Hour)}},
		testkit.Step{Arguments: sale("", `cancel_window = "a week"`), Fails: "duration"},
		testkit.Step{Arguments: sale("", ""), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"cancelable_until": nil}},
	)
	fixture.WantWrites(t, s, sent)

	nfe := testkit.Serve(t, s, nil).Object(kind)
	id := s.Seed(sandbox.KindProductInvoices, map[string]any{"integrationId": "order-2", "status": "authorized", "authorization": map[string]any{"date": "2026-11-20T12:00:00-03:00", "protocol": "1"}})
	nfe.MustNotFail(nfe.Import("productInvoice/" + id))
	expect.Is(t, nfe.State()["cancelable_until"], "2026-11-21T12:00:00-03:00", "an NF-e can be canceled until")
}

func TestIssuance_tellsOfTwoNewInvoicesWithOneName(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Row    string
		Second map[string]any // where it differs from the first
		Want   string
		Fails  bool
	}](t, "issuance_tells_of_two_new_invoices_with_one_name.json") {
		rows.Case(t, test.Row, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			p := testkit.Serve(t, s, nil)
			first, second := p.Object(kind), p.Object(kind)
			arguments := saleArguments("sale-1", nil)
			if _, said := first.Plan(first.Value(first.Type, arguments)); len(said) > 0 {
				t.Errorf("the plan of the first says %s", testkit.TextsOf(said))
			}
			maps.Copy(arguments, test.Second)
			_, said := second.Plan(second.Value(second.Type, arguments))
			said = slices.DeleteFunc(said, func(d *tfprotov6.Diagnostic) bool { return strings.HasPrefix(d.Summary, "The plan does not show") })
			expect.Is(t, testkit.ErrorsIn(said) != "", test.Fails, "the plan of the second fails")
			if len(said) != min(1, len(test.Want)) || !strings.HasPrefix(testkit.TextsOf(said), test.Want) {
				t.Errorf("the plan of the second says %q, want %q", testkit.TextsOf(said), test.Want)
			}
			fixture.WantRequests(t, s, "", "", 0)
		})
	}
}

// A reference that is renumbered is another name of the same sale: the one that is planned second says so.
func TestIssuance_tellsOfANewInvoiceWithTheContentOfOneThatLeaves(t *testing.T) {
	t.Parallel()
	const warning = "May be one sale issued twice: NFS-e"
	for _, test := range rows.Read[[]struct {
		Row      string
		Comes    map[string]any // where it differs from the one that leaves, beside the name
		Want     string         // of the warning; none where it is empty
		Reason   string         // to cancel the one that leaves
		Becomes  string         // the status of the one that leaves
		Replaced bool           // its block stays, with another sale
	}](t, "issuance_tells_of_a_new_invoice_with_the_content_of_one_that_leaves.json") {
		for _, leavesFirst := range []bool{true, false} {
			rows.Case(t, fmt.Sprint(test.Row, ", it leaves first ", leavesFirst), func(t *testing.T) {
				s := sandbox.Start(t, sandbox.Options{})
				old := testkit.Serve(t, s, nil).Object(kind)
				arguments := saleArguments("sale-1", nil)
				if test.Reason != "" {
					arguments["cancellation_reason"] = test.Reason
				}
				id := fmt.Sprint(old.MustCreate(arguments)["id"])
				if test.Becomes != "" {
					s.SetInvoiceStatus(id, test.Becomes)
					old.MustNotFail(old.Refresh())
				}
				s.ResetRequests()
				old.Protocol = testkit.Serve(t, s, nil) // Another run.
				comes := saleArguments("sale-2", nil)
				maps.Copy(comes, test.Comes)
				var said []*tfprotov6.Diagnostic
				leaves := tftypes.NewValue(old.Type, nil)
				if test.Replaced {
					other := saleArguments("sale-3", nil)
					other["payload_json"] = `{"description":"Training","federalServiceCode":"17.01","total":{"invoiceAmount":7}}`
					leaves = old.Value(old.Type, other)
				}
				inOrder(leavesFirst,
					func() { _, said = old.Plan(leaves) },
					func() { o := old.Object(kind); _, said = o.Plan(o.Value(o.Type, comes)) },
				)
				text := testkit.TextsOf(said)
				expect.Is(t, strings.Contains(text, warning), test.Want != "", "the second plan warns: %s", text)
				if test.Want != "" {
					for _, part := range []string{test.Want, `"sale-1"`, `"sale-2"`} {
						expect.Contains(t, text, part)
					}
				}
				fixture.WantRequests(t, s, "", "", 0)
			})
		}
	}
}

// inOrder takes steps in turn, or the other way round.
func inOrder(asTheyAre bool, steps ...func()) {
	if !asTheyAre {
		slices.Reverse(steps)
	}
	for _, step := range steps {
		step()
	}
}

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
	for _, test := range rows.Read[[]struct {
		Row                           string
		Allowed                       any
		Planned, Applied              any  // by the settings, before the plan and before the apply
		Branch                        bool // a key that cannot read settings
		RefusedInPlan, RefusedInApply string
		Known                         any // environment_type in the plan
	}](t, "issuance_issues_only_in_the_environments_that_are_named.json") {
		rows.Case(t, test.Row, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			withEnvironment(s, test.Planned)
			settings := map[string]any{"environments": test.Allowed}
			if test.Branch {
				_, settings["api_key"] = fixture.Company(s, fixture.BranchNumber)
			}
			p := testkit.Serve(t, s, settings)
			object := p.Object(kind)
			config := object.Value(object.Type, saleArguments("sale-1", nil))
			planned, said := object.Plan(config)
			wantRefusal(t, said, test.RefusedInPlan)
			if test.RefusedInPlan == "" {
				expect.Is(t, environmentIn(object, planned), test.Known, "the plan shows the environment")
				withEnvironment(s, test.Applied)
				p.Configure(asBefore(s, test.Allowed))
				wantRefusal(t, object.Apply(config, planned), test.RefusedInApply)
			}
			issued := map[bool]int{true: 1}[test.RefusedInPlan+test.RefusedInApply == ""]
			expect.Is(t, len(s.Invoices("")), issued, "invoices exist")
		})
	}
}

// wantRefusal checks what the errors say, "" for none.
func wantRefusal(t *testing.T, said []*tfprotov6.Diagnostic, want string) {
	t.Helper()
	if failed := testkit.ErrorsIn(said); !strings.Contains(failed, want) || (failed != "") != (want != "") {
		t.Fatalf("it says %q, want %q", failed, want)
	}
}

// An apply plans again, and a value that a plan has shown must not be unknown then: it shows the same, or it fails.
func TestIssuance_anApplyPlansTheSameEnvironmentOrFails(t *testing.T) {
	t.Parallel()
	for name, allowed := range map[string]any{
		"one": oneOf("development"), "two": oneOf("development", "simulation"),
	} {
		rows.Case(t, name, func(t *testing.T) {
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
			p.Configure(asBefore(s, allowed))
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

// The list that is read for the environments shows the regime and the state too. Nothing else is read for them.
func TestIssuance_judgesAPayloadByTheRegimeThatTheListShows(t *testing.T) {
	t.Parallel()
	const csosn = `{"destination":"interstate","receiver":{"address":{"city":{"code":3550308}}},
		"items":[{"taxes":{"icms":{"origin":"0","csosn":"102"}}}]}`
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
		rows.Case(t, name, func(t *testing.T) {
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
			if strings.Contains(testkit.TextsOf(said), "and the company is in SP") != (test.allowed != nil) {
				t.Errorf("the plan says %s", testkit.TextsOf(said))
			}
			expect.Is(t, len(s.Requests())-before, test.requests, "requests were sent")
		})
	}
}

// The environment in a plan is the one from before a change that the same plan makes: the plan warns, whichever of
// the two is planned first. Two provider blocks are two processes, and know it of each other. The apply issues
// nothing by what was read before the settings were written.
func TestIssuance_environmentThatChangesBesideIt(t *testing.T) {
	t.Parallel()
	const settingsFirst, invoiceFirst = "settings first", "invoice first"
	for _, order := range []string{settingsFirst, invoiceFirst, settingsFirst + ", two blocks", invoiceFirst + ", two blocks"} {
		order, blocks, _ := strings.Cut(order, ", ")
		rows.Case(t, order+blocks, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			withEnvironment(s, "development")
			p := testkit.Serve(t, s, map[string]any{"environments": oneOf("development", "simulation")})
			other := p
			if blocks != "" {
				other = testkit.Serve(t, s, nil)
			}
			invoice, settings := p.Object(kind), other.Object("einvoice_company_settings")
			config := invoice.Value(invoice.Type, saleArguments("sale-1", nil))
			changed := settings.Value(settings.Type, map[string]any{
				"company_id": s.OwnerCompanyID(), "service_invoice": map[string]any{"environment_type": "production"},
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
			settings.MustNotFail(settings.Apply(changed, settings.MustPlan(changed)))
			wantRefusal(t, invoice.Apply(config, planned), "Issuing in production is not allowed")
			fixture.WantRequests(t, s, "POST", fixture.ServiceInvoices, 0)
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
	for _, test := range rows.Read[[]struct {
		Row           string
		Allowed       any
		Changes       string         // the environment, in the POST
		Invoice       map[string]any // is there
		Shown, Warned string
		Sent          int
	}](t, "issuance_what_is_issued_in_another_environment_is_in_state.json") {
		rows.Case(t, test.Row, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			withEnvironment(s, "development")
			o := testkit.Serve(t, s, map[string]any{"environments": test.Allowed}).Object(kind)
			if test.Invoice != nil {
				s.Seed(sandbox.KindServiceInvoices, test.Invoice)
			} else {
				s.Before("POST", fixture.ServiceInvoices, func() { withEnvironment(s, test.Changes) })
			}
			state, said := o.Create(saleArguments("sale-1", nil))
			o.MustNotFail(said)
			if state["status"] != "authorized" || state["environment_type"] != "development" {
				t.Errorf("the state has %v, want what was planned", state)
			}
			text := testkit.TextsOf(said)
			if !strings.Contains(text, test.Warned) || strings.Count(text, test.Shown) == 0 || strings.Count(text, "Issued in") != 1 {
				t.Errorf("it says %s\nwant %q once", text, test.Warned)
			}
			withEnvironment(s, "development")
			o.Configure(asBefore(s, test.Allowed))
			o.MustNotFail(o.Refresh())
			expect.Is[any](t, o.State()["environment_type"], test.Shown, "after a refresh the environment")
			planned := o.MustPlan(o.Value(o.Type, saleArguments("sale-1", nil)))
			expect.Is(t, o.Action(planned), plancheck.ResourceActionNoop, "the next plan")
			fixture.WantRequests(t, s, "POST", fixture.ServiceInvoices, test.Sent)
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

// Who issues, when one provider configuration has the keys of many companies.

// sale is an issuance of order-1 by a company, "" for none named.
func sale(issuer, more string) string {
	if issuer != "" {
		more += fmt.Sprintf("\nissuer = %q", issuer)
	}
	return `model = "serviceInvoice"
		integration_id = "order-1"
		payload_json = "{\"description\":\"Consulting\",\"federalServiceCode\":\"17.01\",\"total\":{\"invoiceAmount\":100}}"
		` + more
}

func saleArguments(id string, issuer any) map[string]any {
	return map[string]any{"model": "serviceInvoice", "integration_id": id, "payload_json": `{"description":"Consulting","federalServiceCode":"17.01","total":{"invoiceAmount":100}}`, "issuer": issuer}
}

func keysOf(keys map[string]any) map[string]any { return map[string]any{"company_keys": keys} }

func TestIssuer_choosesTheKey(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		issuer string
		by     string // the company that issues
		state  string // of issuer
		asked  int    // requests that only find out whose key it is
	}{
		"in company_keys":                         {fixture.BranchNumber, fixture.BranchNumber, fixture.BranchNumber, 1},
		"in company_keys, spelled in another way": {"11.222.333/0001-81", fixture.BranchNumber, "11.222.333/0001-81", 1},
		"not in company_keys: api_key":            {fixture.MainNumber, fixture.MainNumber, fixture.MainNumber, 1},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			_, key := fixture.Company(s, fixture.BranchNumber)
			o := testkit.Serve(t, s, keysOf(map[string]any{"11.222.333/0001-81": key})).Object(kind)
			o.Run(testkit.Step{Arguments: sale(test.issuer, ""), Plans: plancheck.ResourceActionCreate, State: map[string]any{"issuer": test.state, "status": "authorized"}})
			if n := fixture.IssuedBy(s, test.by); n != 1 || len(s.Invoices("")) != 1 {
				t.Errorf("%d of %d invoices are by %s, want the one there is", n, len(s.Invoices("")), test.by)
			}
			fixture.WantRequests(t, s, "GET", "/v1/companies", test.asked)
		})
	}
}

// wrongKeys are the keys of two companies, each under the number of the other one.
func wrongKeys(s *sandbox.Server) map[string]any {
	_, branch := fixture.Company(s, fixture.BranchNumber)
	_, other := fixture.Company(s, fixture.OtherNumber)
	return map[string]any{fixture.BranchNumber: other, fixture.OtherNumber: branch}
}

func TestIssuer_neverIssuesUnderAKeyKnownToBeAnothers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings func(s *sandbox.Server) map[string]any
		issuer   string
		says     []string
	}{
		"the account shows how each company's key begins": {func(s *sandbox.Server) map[string]any {
			return keysOf(wrongKeys(s))
		}, fixture.BranchNumber, []string{"11.222.333/0001-81", "11.444.777/0001-61"}},
		"the account has no such company, and api_key is that of one that it has": {func(s *sandbox.Server) map[string]any {
			fixture.Company(s, fixture.BranchNumber)
			return nil
		}, fixture.OtherNumber, []string{"98.765.432/0001-98"}},
		"api_key is another company's": {func(s *sandbox.Server) map[string]any {
			fixture.Company(s, fixture.BranchNumber)
			return nil
		}, fixture.BranchNumber, []string{"11.222.333/0001-81", "98.765.432/0001-98"}},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			settings := test.settings(s)
			before := len(s.Invoices(""))
			p := testkit.Serve(t, s, settings)
			for range 2 { // The second is known before it is planned.
				state, said := p.Object(kind).Create(saleArguments("order-1", test.issuer))
				text := testkit.ErrorsIn(said)
				for _, part := range append(test.says, "The key is another company's", "Nothing was sent", "company_keys") {
					if state != nil || !strings.Contains(text, part) {
						t.Errorf("state %v, and the error does not say %q: %s", state, part, text)
					}
				}
			}
			expect.Is(t, fixture.CountWrites(s)+len(s.Invoices(""))-before, 0, "writes or new invoices")
			if n := s.Count("GET", "/v1/companies"); n > 1 {
				t.Errorf("the companies were asked for %d times, want once", n)
			}
			if n := s.Count("GET", fixture.ServiceInvoices); n > 3 {
				t.Errorf("invoices were looked up %d times: the second refusal is for the plan", n)
			}
		})
	}
}

func TestIssuer_configuredLaterSendsNothing(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	_, key := fixture.Company(s, fixture.BranchNumber)
	o := testkit.Serve(t, s, map[string]any{"api_key": key}).Object(kind)
	o.Run(
		testkit.Step{Arguments: sale("", ""), State: map[string]any{"issuer": fixture.BranchNumber}},
		testkit.Step{Before: s.ResetRequests, Arguments: sale(fixture.BranchNumber, "")},
		testkit.Step{Arguments: sale("11.222.333/0001-81", ""), Plans: plancheck.ResourceActionNoop},
		testkit.Step{Arguments: sale(fixture.OtherNumber, ""), Fails: "Another company has issued NFS-e .*11222333000181.*11444777000161"},
	)
	fixture.WantWrites(t, s, 0)
}

func TestIssuer_ofADraftReplacesIt(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	_, branch := fixture.Company(s, fixture.BranchNumber)
	_, other := fixture.Company(s, fixture.OtherNumber)
	o := testkit.Serve(t, s, keysOf(map[string]any{fixture.BranchNumber: branch, fixture.OtherNumber: other})).Object(kind)
	o.Run(
		testkit.Step{Arguments: sale(fixture.BranchNumber, "issue = false")},
		testkit.Step{Arguments: sale(fixture.OtherNumber, "issue = false"), Plans: plancheck.ResourceActionReplace, State: map[string]any{"issuer": fixture.OtherNumber}},
		testkit.Step{Arguments: sale(fixture.OtherNumber, ""), State: map[string]any{"status": "authorized"}},
	)
	expect.Is(t, fixture.IssuedBy(s, fixture.OtherNumber), 1, "invoices of the other company")
}

func TestIssuer_keyThatIsNotKnownYetDefersWhatNeedsItAlone(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	_, key := fixture.Company(s, fixture.BranchNumber)
	keys := keysOf(map[string]any{fixture.BranchNumber: key, fixture.OtherNumber: tftypes.UnknownValue})
	p := testkit.Serve(t, s, keys)
	o := p.Object(kind)
	o.Run(testkit.Step{Arguments: sale(fixture.BranchNumber, "")})
	// Planned while its key is unknown: it passes, and sends nothing.
	s.ResetRequests()
	later := p.Object(kind)
	later.MustPlan(p.Value(later.Type, saleArguments("order-2", fixture.OtherNumber)))
	unknown := p.Object(kind)
	unknown.MustPlan(p.Value(unknown.Type, saleArguments("order-3", tftypes.UnknownValue)))
	fixture.WantRequests(t, s, "", "", 0)
	for settings, want := range map[*testkit.Protocol]int{
		p: 1, // The other's key is unknown: this one is read.
		testkit.Serve(t, s, map[string]any{"company_keys": tftypes.UnknownValue}):                                  0,
		testkit.Serve(t, s, keysOf(map[string]any{fixture.BranchNumber: tftypes.UnknownValue})):                    0,
		testkit.Serve(t, s, map[string]any{"api_key": tftypes.UnknownValue, "company_keys": keys["company_keys"]}): 2, // One looks for a second invoice.
	} {
		s.ResetRequests()
		held := *o
		held.Protocol = settings
		held.MustNotFail(held.Refresh())
		if n := len(s.Requests()); n != want || held.State()["status"] != "authorized" {
			t.Errorf("%d requests for a refresh, want %d; the state is %v", n, want, held.State()["status"])
		}
	}
}

func TestIssuer_emptyKeyIsRefusedWhereItIsUsed(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	for _, empty := range []any{"", nil} {
		p := testkit.Serve(t, s, keysOf(map[string]any{fixture.BranchNumber: empty}))
		o := p.Object(kind)
		_, said := o.Plan(p.Value(o.Type, saleArguments("order-1", "11.222.333/0001-81")))
		if text := testkit.ErrorsIn(said); !strings.Contains(text, "Empty API key") || !strings.Contains(text, fixture.BranchNumber) || !strings.Contains(text, "the provider does not use `api_key` instead") {
			t.Errorf("%v: %s", empty, text)
		}
		expect.Is(t, said[0].Attribute.String(), `AttributeName("issuer")`, "the error")
		o.MustPlan(p.Value(o.Type, saleArguments("order-1", fixture.MainNumber)))
	}
	fixture.WantRequests(t, s, "GET", "/v1/companies", 2)
	fixture.WantRequests(t, s, "", "", 2)
}

func TestIssuer_whoseKeyIsTakenAwayIsNotTakenForGone(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	_, key := fixture.Company(s, fixture.BranchNumber)
	for name, more := range map[string]string{
		"issued": `cancellation_reason = "The customer has left us"`, "draft": "issue = false",
	} {
		o := testkit.Serve(t, s, keysOf(map[string]any{fixture.BranchNumber: key})).Object(kind)
		o.Run(testkit.Step{Arguments: strings.Replace(sale(fixture.BranchNumber, more), "order-1", name, 1)})
		before := o.State()
		for advice, provider := range map[string]map[string]any{"company_keys": keysOf(map[string]any{}), "api_key": nil} {
			o.Protocol = testkit.Serve(t, s, provider)
			said := o.Refresh()
			if len(said) != 1 || !strings.Contains(said[0].Summary, "Cannot look at NFS-e") {
				t.Fatalf("%s: the refresh says %v", name, said)
			}
			if detail := said[0].Detail; !strings.Contains(detail, fixture.MainNumber) || !strings.Contains(detail, advice) {
				t.Errorf("%s: the refresh says %v", name, detail)
			}
			if status := o.State()["status"]; status != before["status"] {
				t.Errorf("%s: the status is %v, was %v", name, status, before["status"])
			}
			_, said = o.PlanDestroy() // A cancellation would fail.
			want := map[string]string{"issued": "The key is another company's: NFS-e 1 (issued)"}[name]
			wantRefusal(t, said, want)
		}
	}
}

// TestIssuer_choosesTheKeyOfADataSource reads what only the branch has.
func TestIssuer_choosesTheKeyOfADataSource(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Arguments map[string]any
		Guarded   bool // the answer itself shows whose the key is
		Requests  int
	}](t, "issuer_chooses_the_key_of_a_data_source.json") {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			branch, key := fixture.Company(s, fixture.BranchNumber)
			id := s.Seed(sandbox.KindServiceInvoices, map[string]any{"_company": branch, "status": "authorized", "integrationId": "sale-1", "authorization": map[string]any{"protocol": "1"}})
			s.Seed(sandbox.KindProductInvoices, map[string]any{"_company": branch, "effectiveDate": "2026-11-15", "amount": 1, "number": 1, "series": "1"})
			s.Seed(sandbox.KindOrders, map[string]any{"_company": branch, "transactionId": "sale-1"})
			received := s.SeedInbound(branch, map[string]any{"model": "productInvoice", "isComplete": true})
			switch test.Arguments["id"] {
			case "issued":
				test.Arguments["id"] = id
			case "received":
				test.Arguments["id"] = received
			}
			argument := "issuer"
			if strings.HasPrefix(name, "einvoice_inbound_") { // Its issuer is the supplier.
				argument = "company"
			}
			read := func(p *testkit.Protocol, issuer string) (map[string]any, string) {
				test.Arguments[argument] = issuer
				return p.ReadData(name, test.Arguments)
			}
			s.ResetRequests()
			p := testkit.Serve(t, s, map[string]any{"company_keys": map[string]any{fixture.BranchNumber: key}})
			state, failed := read(p, "11.222.333/0001-81")
			if failed != "" || state[argument] != "11.222.333/0001-81" {
				t.Errorf("%s is %v, and the error %q", argument, state[argument], failed)
			}
			for _, r := range s.Requests() {
				expect.Is(t, r.Key, branch, "%s %s was sent with the key of", r.Method, r.Path)
			}
			fixture.WantRequests(t, s, "", "", test.Requests)
			if !test.Guarded {
				return
			}
			wrong := testkit.Serve(t, s, map[string]any{"company_keys": map[string]any{fixture.OtherNumber: key}})
			if state, failed := read(wrong, fixture.OtherNumber); state != nil || !strings.Contains(failed, "11.444.777/0001-61") || !strings.Contains(failed, "11.222.333/0001-81") {
				t.Errorf("read with another company's key: %v, and the error %q", state, failed)
			}
		})
	}
}
