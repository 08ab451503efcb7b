package company_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const (
	update  = plancheck.ResourceActionUpdate
	nothing = plancheck.ResourceActionNoop

	mayBeDeleted = "\ndeletion_protection = false"
)

const companyRequired = `
  name               = "Padaria"
  legal_name         = "Padaria Central Ltda"
  federal_tax_number = "11222333000181"
  address            = { city = { code = "3550308" } }`

const companyFull = `
  name               = "Padaria"
  legal_name         = "Padaria Central Ltda"
  federal_tax_number = "11.222.333/0001-81"
  state_tax_number   = "isento"
  city_tax_number    = "123-4"
  email              = "fiscal@example.com"
  phone              = "(11) 91234-5678"
  mobile_phone       = "+55 11 91234-5678"
  tax_regime         = "simplesNacional"
  economic_activities = [
    { code = "1091102", type = "main" },
    { code = "4721102", type = "secondary" },
  ]
  address = {
    street      = "Avenida Paulista"
    number      = "1000"
    district    = "Bela Vista"
    postal_code = "01310-100"
    city        = { name = "SAO PAULO", state = "SP" }
    country     = { code = 1058 }
  }`

func TestCompany(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "companies.json")
}

func TestAccCompany_goesThroughItsLifecycle(t *testing.T) {
	testkit.Lifecycle{
		Type: "einvoice_company", Kind: sandbox.KindCompanies, Path: "/v1/companies",
		Required: strings.Replace(companyRequired, `"Padaria"`, "terraform_data.input.output", 1) + mayBeDeleted, Unknown: "name", Input: "Padaria",
		All: companyFull + mayBeDeleted, Imported: companyFull, ImportID: "federal_tax_number=11222333/0001.81",
		Changed: strings.Replace(companyRequired, `"Padaria"`, `"Padaria Nova"`, 1) + mayBeDeleted,
		Refused: "phone",
		Drift:   map[string]any{"email": "other@example.com"},
		Holds:   map[string]string{"name": "Padaria Nova", "email": "<nil>", "taxRegime": "<nil>"},
		Is: []statecheck.StateCheck{
			testkit.Address("einvoice_company.test").Has("email", knownvalue.Null()),
			testkit.Address("einvoice_company.test").Has("economic_activities", knownvalue.Null()),
		},
	}.Run(t, sandbox.Start(t, sandbox.Options{}))
}

// required are the arguments of a company, as companyRequired has them.
func required() map[string]any {
	return map[string]any{
		"name": "Padaria", "legal_name": "Padaria Central Ltda", "federal_tax_number": "11222333000181", "address": map[string]any{"city": map[string]any{"code": "3550308"}},
	}
}

// What a company's key, its deletion and its creation can go wrong with.

// createdCompany is a company over the protocol, with its state.
func createdCompany(t *testing.T, s *sandbox.Server, protected bool) (*testkit.Object, map[string]any) {
	t.Helper()
	o := testkit.Serve(t, s, nil).Object("einvoice_company")
	arguments := required()
	arguments["deletion_protection"] = protected
	state, said := o.Create(arguments)
	o.MustNotFail(said)
	return o, state
}

func TestCompany_warnsOfAKeyRegeneratedOutsideInEveryPlan(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o, state := createdCompany(t, s, true)
	config := o.Value(o.Type, required())
	if _, said := o.Plan(config); len(said) != 0 {
		t.Errorf("of a key that is right it says %s", testkit.TextsOf(said))
	}
	old, fresh := fmt.Sprint(state["api_key"]), s.RegenerateKey(fixture.BranchID(s))
	for range 2 {
		o.MustNotFail(o.Refresh())
		planned, said := o.Plan(config)
		if text := testkit.TextsOf(said); !strings.Contains(text, "API key was replaced: company ") || strings.Contains(text, old) || strings.Contains(text, fresh) {
			t.Errorf("the plan says %s", text)
		}
		o.MustNotFail(o.Apply(config, planned))
	}
	if o.State()["api_key"] != old {
		t.Error("the key in state was not kept")
	}
	if masked := fmt.Sprint(o.State()["api_key_masked"]); !strings.HasPrefix(fresh, strings.TrimRight(masked, "*")) {
		t.Errorf("api_key_masked is %q, which is not as last read", masked)
	}
}

const (
	endsKeyText = "ends its API key"
	own         = "Cannot delete the company that owns the API key"
)

func TestCompany_isProtectedFromDeletionInPlanAndInAReplacement(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o, _ := createdCompany(t, s, true)
	for when, said := range map[string]func() []*tfprotov6.Diagnostic{
		"a plan":        func() []*tfprotov6.Diagnostic { _, said := o.PlanDestroy(); return said },
		"a replacement": func() []*tfprotov6.Diagnostic { return o.Destroy(nil) }, // Its destroying half is not planned.
	} {
		if text := testkit.ErrorsIn(said()); !strings.Contains(text, "Company is protected from deletion") || !strings.Contains(text, `ompany "Padaria" (federal_tax_number 11222333000181`) {
			t.Errorf("%s is not refused by name: %q", when, text)
		}
	}
	o.Run(testkit.Step{Arguments: companyRequired + mayBeDeleted, Plans: update})
	fixture.WantRequests(t, s, "PUT", "", 0)
	fixture.WantRequests(t, s, "DELETE", "", 0)
}

// The plan of a replacement does not warn: that of its destroying half is not made.
func TestCompany_warnsInThePlanThatItsKeyIsAbandoned(t *testing.T) {
	t.Parallel()
	for name, isPlanned := range map[string]bool{"a destroy": true, "a replacement": false} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			o, _ := createdCompany(t, s, false)
			o.Protocol = testkit.Serve(t, s, nil) // Another run.
			var planned *tfprotov6.PlanResourceChangeResponse
			var said []*tfprotov6.Diagnostic
			if isPlanned {
				planned, said = o.PlanDestroy()
			}
			said = append(said, o.Destroy(planned)...)
			if text := testkit.TextsOf(said); testkit.ErrorsIn(said) != "" || strings.Contains(text, endsKeyText) != isPlanned || len(said) > 1 {
				t.Errorf("it says %q", text)
			}
			expect.Is(t, len(s.Objects(sandbox.KindCompanies)), 1, "companies are left")
		})
	}
}

func TestCompany_neverDeletesTheCompanyThatItWorksAs(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object("einvoice_company")
	o.MustNotFail(o.Import(s.OwnerCompanyID()))
	o.Run(testkit.Step{Arguments: `
  name               = "Matriz de Teste"
  legal_name         = "Matriz de Teste Ltda"
  federal_tax_number = "98765432000198"
  address            = { city = { code = "3550308" } }` + mayBeDeleted})
	if _, said := o.PlanDestroy(); !strings.Contains(testkit.ErrorsIn(said), own) {
		t.Errorf("the plan was not refused: %s", testkit.TextsOf(said))
	}
	if said := o.Destroy(nil); !strings.Contains(testkit.ErrorsIn(said), own) {
		t.Errorf("a replacement was not refused: %s", testkit.TextsOf(said))
	}
	// With a stale state only the deletion itself can see it.
	o.Protocol = testkit.Serve(t, s, map[string]any{"api_key": s.RegenerateKey(s.OwnerCompanyID())})
	planned, said := o.PlanDestroy()
	o.MustNotFail(said)
	if said := o.Destroy(planned); !strings.Contains(testkit.ErrorsIn(said), own) {
		t.Errorf("a stale state got the company deleted: %s", testkit.TextsOf(said))
	}
	fixture.WantRequests(t, s, "DELETE", "", 0)
}

// A company that is deleted in one block and created in another has only got another name, most of the time.
func TestCompany_tellsHowToRenameItsBlock(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		number  string
		renamed bool
	}{
		"its number": {"11222333000181", true}, "its number in another spelling": {"11.222.333/0001-81", true}, "another number": {"42318949000184", false},
	} {
		for _, leavesFirst := range []bool{true, false} {
			rows.Case(t, name, func(t *testing.T) {
				s := sandbox.Start(t, sandbox.Options{})
				old, _ := createdCompany(t, s, false)
				old.Protocol = testkit.Serve(t, s, nil) // Another run.
				s.ResetRequests()
				renamed := old.Object("einvoice_company")
				var said []*tfprotov6.Diagnostic
				plans := []func(){
					func() { _, said = old.PlanDestroy() },
					func() {
						_, said = renamed.Plan(renamed.Value(renamed.Type, renamed.Arguments(strings.Replace(companyRequired, "11222333000181", test.number, 1))))
					},
				}
				if !leavesFirst {
					slices.Reverse(plans)
				}
				for _, plan := range plans {
					plan()
				}
				text := testkit.TextsOf(said)
				if strings.Contains(text, "Renamed without a `moved` block: company ") != test.renamed || strings.Contains(text, "moved {\n  from = einvoice_company.") != test.renamed {
					t.Errorf("leaves first: %t: the second plan says %q", leavesFirst, text)
				}
				fixture.WantRequests(t, s, "", "", 0)
			})
		}
	}
}
