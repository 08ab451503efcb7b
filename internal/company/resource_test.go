package company_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const companyAddress = "einvoice_company.test"

// companyConfig is a company that may be destroyed, as every test ends with that.
func companyConfig(arguments string) string {
	return fmt.Sprintf("resource \"einvoice_company\" \"test\" {\n%s\n  deletion_protection = false\n}", arguments)
}

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

func expectCompany(name string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(companyAddress, tfjsonpath.New(name), value)
}

func plansCompany(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(companyAddress, action)}}
}

// expectKey checks a key that exists only once the company does.
type expectKey struct {
	s *sandbox.Server
	// key replaces the company's own key of now, where it is set.
	key *string
}

func (e expectKey) CheckValue(other any) error {
	want := e.s.KeyOf(fixture.BranchID(e.s))
	if e.key != nil {
		want = *e.key
	}
	if other != want {
		return fmt.Errorf("the key in state is %q, the company's is %q", other, want)
	}
	return nil
}

func (e expectKey) String() string { return "the company's key" }

func TestAccCompany_createsWithRequiredOnly(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: acctest.Config(s, companyConfig(companyRequired)),
			ConfigStateChecks: []statecheck.StateCheck{
				expectCompany("id", knownvalue.NotNull()),
				expectCompany("email", knownvalue.Null()),
				expectCompany("economic_activities", knownvalue.Null()),
			},
		}},
	})
	sent, _ := s.Last("POST", "/v1/companies")
	want := `{"address":{"city":{"code":"3550308"}},"federalTaxNumber":"11222333000181","legalName":"Padaria Central Ltda","name":"Padaria"}`
	if !jsonSame(t, sent.Body, want) {
		t.Errorf("sent %s, want %s", sent.Body, want)
	}
}

func jsonSame(t *testing.T, got []byte, want string) bool {
	t.Helper()
	return jsontree.SameText(string(got), want)
}

// Done when 5: formats, in both spellings.
func TestAccCompany_planIsEmptyForEverySpelling(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:           acctest.Config(s, companyConfig(companyFull)),
				ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				ConfigStateChecks: []statecheck.StateCheck{
					expectCompany("federal_tax_number", knownvalue.StringExact("11.222.333/0001-81")),
					expectCompany("state_tax_number", knownvalue.StringExact("isento")),
					expectCompany("address", knownvalue.ObjectPartial(map[string]knownvalue.Check{
						"city": knownvalue.ObjectExact(map[string]knownvalue.Check{
							"code": knownvalue.StringExact("3550308"), "name": knownvalue.StringExact("SAO PAULO"), "state": knownvalue.StringExact("SP"),
						}),
						"country": knownvalue.ObjectPartial(map[string]knownvalue.Check{"code": knownvalue.Int64Exact(1058)}),
					})),
				},
			},
			{
				Config: acctest.Config(s, companyConfig(strings.NewReplacer(
					"11.222.333/0001-81", "11222333000181", "isento", "ISENTO", "(11) 91234-5678", "11912345678", "+55 11 91234-5678", "5511912345678",
					"01310-100", "01310100", `name = "SAO PAULO", state = "SP"`, `code = "3550308"`,
				).Replace(companyFull))),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
		},
	})
	request, _ := s.Last("POST", "/v1/companies")
	var sent map[string]any
	if err := json.Unmarshal(request.Body, &sent); err != nil {
		t.Fatal(err)
	}
	if sent["federalTaxNumber"] != "11222333000181" || sent["phone"] != "11912345678" || sent["stateTaxNumber"] != "ISENTO" {
		t.Errorf("sent %s: what is sent must be normalized", request.Body)
	}
	if n := s.Count("PUT", ""); n != 0 {
		t.Errorf("%d updates for a change of spelling alone, want none", n)
	}
	if unknown := s.UnknownFields(); len(unknown) != 0 {
		t.Errorf("fields that the service does not know were sent: %v", unknown)
	}
}

// Done when 3: the key is the full key after create, refresh, update and a
// plan, and never masked in state.
func TestAccCompany_keepsTheWholeKey(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	same := statecheck.CompareValue(compare.ValuesSame())
	checks := func() []statecheck.StateCheck {
		return []statecheck.StateCheck{
			expectCompany("api_key", expectKey{s: s}),
			same.AddStateValue(companyAddress, tfjsonpath.New("api_key")),
			expectCompany("api_key_masked", knownvalue.StringRegexp(regexp.MustCompile(`^[0-9a-f]{4}\*+$`))),
		}
	}
	config := acctest.Config(s, companyConfig(companyFull))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: config, ConfigStateChecks: checks()},
			{RefreshState: true, RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
				plancheck.ExpectEmptyPlan(), plancheck.ExpectSensitiveValue(companyAddress, tfjsonpath.New("api_key")),
			}}},
			{Config: config, PlanOnly: true},
			{
				Config:            acctest.Config(s, companyConfig(strings.Replace(companyFull, "Padaria Central", "Padaria Nova", 1))),
				ConfigPlanChecks:  plansCompany(plancheck.ResourceActionUpdate),
				ConfigStateChecks: checks(),
			},
		},
	})
}

func TestAccCompany_updatesInPlaceAndClears(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{ExtraFields: map[string][]string{sandbox.KindCompanies: {"backOfficeNotes"}}})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: acctest.Config(s, companyConfig(companyFull))},
			{
				PreConfig: func() {
					s.Patch(sandbox.KindCompanies, fixture.BranchID(s), map[string]any{"backOfficeNotes": map[string]any{"kept": json.Number("1.50")}})
				},
				Config: acctest.Config(s, companyConfig(`
  name               = "Padaria Nova"
  legal_name         = "Padaria Central Ltda"
  federal_tax_number = "11222333000181"
  address            = { street = "Rua A", city = { code = "3304557" } }`)),
				ConfigPlanChecks: plansCompany(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{
					expectCompany("email", knownvalue.Null()),
					expectCompany("economic_activities", knownvalue.Null()),
					statecheck.ExpectKnownValue(companyAddress, tfjsonpath.New("address").AtMapKey("city").AtMapKey("name"), knownvalue.StringExact("Rio de Janeiro")),
				},
				Check: func(*terraform.State) error {
					company, _ := s.Object(sandbox.KindCompanies, fixture.BranchID(s))
					if company["backOfficeNotes"] == nil || company["taxRegime"] != nil || company["name"] != "Padaria Nova" {
						return fmt.Errorf("the service holds %v: what is not managed must stay, what was cleared must go", company)
					}
					return nil
				},
			},
		},
	})
	if n := s.Count("PUT", "/v1/companies/{id}"); n != 1 {
		t.Errorf("%d updates, want 1", n)
	}
}

func TestAccCompany_importsWithAnEmptyKey(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 2})
	for i := range 5 {
		s.Seed(sandbox.KindCompanies, map[string]any{"name": "Outra", "legalName": "Outra", "federalTaxNumber": fmt.Sprintf("0000000000000%d", i)})
	}
	id := s.Seed(sandbox.KindCompanies, map[string]any{
		"name": "Padaria", "legalName": "Padaria Central Ltda", "federalTaxNumber": "11222333000181",
		"address": map[string]any{"city": map[string]any{"code": "3550308", "name": "São Paulo", "state": "sp"}, "country": map[string]any{"code": 1058, "name": "Brasil"}},
	})
	config := func(importID string) string {
		return acctest.Config(s, companyConfig(companyRequired)+fmt.Sprintf("\nimport {\n  to = einvoice_company.test\n  id = %q\n}", importID))
	}
	empty := []statecheck.StateCheck{expectCompany("id", knownvalue.StringExact(id)), expectCompany("api_key", knownvalue.StringExact(""))}
	forget := "removed {\n  from = einvoice_company.test\n  lifecycle {\n    destroy = false\n  }\n}"
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: config(id), ConfigStateChecks: empty},
			{Config: acctest.Config(s, forget)},
			{Config: config("federal_tax_number=11.222.333/0001-81"), ConfigStateChecks: empty},
			{Config: acctest.Config(s, forget)},
			{Config: config("federal_tax_number=99999999999999"), ExpectError: regexp.MustCompile(`Company not found`)},
			{Config: config("cnpj=11222333000181"), ExpectError: regexp.MustCompile(`Invalid import ID(.|\n)*federal_tax_number=11222333000181`)},
		},
	})
	if n := fixture.CountWrites(s); n != 0 {
		t.Errorf("%d writes, want none: an import and a removal from state write nothing", n)
	}
}

func TestAccCompany_importPlansNothing(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := strings.Replace(acctest.Config(s, companyConfig(companyFull)), "  deletion_protection = false\n", "", 1)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: acctest.Config(s, companyConfig(companyFull))},
			{ // Fails where the import would plan a change.
				ResourceName: companyAddress, ImportState: true, ImportStateKind: resource.ImportBlockWithID, Config: config,
			},
		},
	})
}

func TestAccCompany_importsByIdentity(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		Steps: []resource.TestStep{
			{
				Config: acctest.Config(s, companyConfig(companyFull)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectIdentityValueMatchesState(companyAddress, tfjsonpath.New("id")),
				},
			},
			{
				ResourceName: companyAddress, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity,
				Config: strings.Replace(acctest.Config(s, companyConfig(companyFull)), "  deletion_protection = false\n", "", 1),
			},
		},
	})
}

func TestAccCompany_recreatesWhatVanished(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := acctest.Config(s, companyConfig(companyRequired))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig:         func() { s.Remove(sandbox.KindCompanies, fixture.BranchID(s)) },
				Config:            config,
				ConfigPlanChecks:  plansCompany(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{expectCompany("api_key", expectKey{s: s})},
			},
		},
	})
}

func TestAccCompany_showsAndRepairsDrift(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := acctest.Config(s, companyConfig(companyFull))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() {
					s.Patch(sandbox.KindCompanies, fixture.BranchID(s), map[string]any{
						"email": "other@example.com", "economicActivities": []any{map[string]any{"code": "1091102", "type": "main"}},
					})
				},
				Config:           config,
				ConfigPlanChecks: plansCompany(plancheck.ResourceActionUpdate),
				Check: func(*terraform.State) error {
					company, _ := s.Object(sandbox.KindCompanies, fixture.BranchID(s))
					activities, _ := company["economicActivities"].([]any)
					if company["email"] != "fiscal@example.com" || len(activities) != 2 {
						return fmt.Errorf("not repaired: %v", company)
					}
					return nil
				},
			},
		},
	})
}

func TestAccCompany_extraJSONIsMergedAndComparedByItsKeys(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{ExtraFields: map[string][]string{sandbox.KindCompanies: {"notes", "flags"}}})
	config := acctest.Config(s, companyConfig(companyRequired+"\n  extra_json = jsonencode({ notes = \"vip\", flags = { a = 1 } })"))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() {
					s.Patch(sandbox.KindCompanies, fixture.BranchID(s), map[string]any{"flags": map[string]any{"b": 2}})
				},
				Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{
				PreConfig: func() { s.Patch(sandbox.KindCompanies, fixture.BranchID(s), map[string]any{"notes": "changed"}) },
				Config:    config, ConfigPlanChecks: plansCompany(plancheck.ResourceActionUpdate),
			},
		},
	})
}

func TestAccCompany_validatesWhilePlanning(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	with := func(old, replacement string) string { return strings.Replace(companyRequired, old, replacement, 1) }
	for name, test := range map[string]struct{ arguments, want string }{
		"a name that is too long":              {with(`"Padaria"`, `"`+strings.Repeat("a", 81)+`"`), `Invalid name(.|\n)*1\s+to\s+80\s+characters(.|\n)*has\s+81`},
		"an email that is too long":            {companyRequired + "\nemail = \"" + strings.Repeat("a", 81) + "\"", `Invalid email(.|\n)*1\s+to\s+80\s+characters`},
		"a legal name that is empty":           {with(`"Padaria Central Ltda"`, `""`), `Empty legal name(.|\n)*omit`},
		"no tax number":                        {with(`federal_tax_number = "11222333000181"`, ""), `"federal_tax_number" is required`},
		"a state tax number with text":         {companyRequired + "\nstate_tax_number = \"livre\"", `digits only, or\s+ISENTO`},
		"no economic activity in a list":       {companyRequired + "\neconomic_activities = []", `at\s+least\s+1\s+element`},
		"an economic activity without a type":  {companyRequired + "\neconomic_activities = [{ code = \"1\" }]", `"type"\s+is\s+required`},
		"a phone that is too long":             {companyRequired + "\nphone = \"+55 11 91234-5678 9999\"", `Invalid phone(.|\n)*1\s+to\s+15\s+characters`},
		"a city without a state":               {with(`code = "3550308"`, `name = "Natal"`), `Incomplete city`},
		"a field with an attribute of its own": {companyRequired + "\nextra_json = jsonencode({ taxRegime = \"x\" })", `Field with an attribute(.|\n)*tax_regime`},
		"a key among the extra fields":         {companyRequired + "\nextra_json = jsonencode({ apiCredentials = {} })", `Field with an attribute`},
	} {
		t.Run(name, func(t *testing.T) {
			resource.ParallelTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps: []resource.TestStep{{
					Config: acctest.Config(s, companyConfig(test.arguments)), PlanOnly: true, ExpectError: regexp.MustCompile(test.want),
				}},
			})
		})
	}
	t.Cleanup(func() {
		if n := len(s.Requests()); n != 0 {
			t.Errorf("%d requests were sent for configurations that are wrong", n)
		}
	})
}

func TestAccCompany_onlyWarnsOfWordsThatAreNotSpecified(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config:             acctest.Config(s, companyConfig(companyRequired+"\n  tax_regime = \"lucroPresumido\"\n  economic_activities = [{ code = \"1\", type = \"other\" }]")),
			PlanOnly:           true,
			ExpectNonEmptyPlan: true, // The company is still to be created.
		}},
	})
}

func TestAccCompany_waitsForUnknownInputs(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: acctest.Config(s, `
resource "terraform_data" "input" {
  input = { name = "Padaria", number = "11.222.333/0001-81", code = "3550308", activity = "1091102" }
}
`+companyConfig(`
  name                = terraform_data.input.output.name
  legal_name          = terraform_data.input.output.name
  federal_tax_number  = terraform_data.input.output.number
  economic_activities = [{ code = terraform_data.input.output.activity, type = "main" }]
  address             = { city = { code = terraform_data.input.output.code } }`)),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectUnknownValue(companyAddress, tfjsonpath.New("federal_tax_number")),
				plancheck.ExpectUnknownValue(companyAddress, tfjsonpath.New("api_key")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{expectCompany("federal_tax_number", knownvalue.StringExact("11.222.333/0001-81"))},
		}},
	})
}

func TestAccCompany_sendsNothingTwiceAndNothingWhilePlanning(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := acctest.Config(s, companyConfig(companyFull))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: config, PlanOnly: true, ExpectNonEmptyPlan: true}, // The company is still to be created.
			{PreConfig: func() {
				if n := len(s.Requests()); n != 0 {
					t.Errorf("%d requests while planning a creation, want none", n)
				}
			}, Config: config},
			{PreConfig: s.ResetRequests, Config: config, PlanOnly: true},
			{PreConfig: func() {
				if n := fixture.CountWrites(s); n != 0 {
					t.Errorf("%d writes while planning, want none", n)
				}
				s.ResetRequests()
			}, Config: config, Destroy: true},
		},
	})
	if n := s.Count("DELETE", "/v1/companies/{id}"); n != 1 {
		t.Errorf("%d deletions, want 1", n)
	}
}
