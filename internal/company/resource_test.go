package company_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
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

const address = acctest.Address("einvoice_company.test")

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

// The framework plans after each apply, and fails unless that plan is empty.
func TestAccCompany_createsWithRequiredOnlyAndRecreatesWhatVanished(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := acctest.Config(s, companyConfig(companyRequired))
	acctest.Run(t, []resource.TestStep{
		{
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				address.Has("id", knownvalue.NotNull()),
				address.Has("email", knownvalue.Null()),
				address.Has("economic_activities", knownvalue.Null()),
			},
		},
		{
			PreConfig:         func() { s.Remove(sandbox.KindCompanies, fixture.BranchID(s)) },
			Config:            config,
			ConfigPlanChecks:  address.Plans(plancheck.ResourceActionCreate),
			ConfigStateChecks: []statecheck.StateCheck{address.Has("api_key", expectKey{s: s})},
		},
	})
	sent, _ := s.Last("POST", "/v1/companies")
	want := `{"address":{"city":{"code":"3550308"}},"federalTaxNumber":"11222333000181","legalName":"Padaria Central Ltda","name":"Padaria"}`
	if !jsontree.SameText(string(sent.Body), want) {
		t.Errorf("sent %s, want %s", sent.Body, want)
	}
}

func TestAccCompany_planIsEmptyForEverySpelling(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{
			Config: acctest.Config(s, companyConfig(companyFull)),
			ConfigStateChecks: []statecheck.StateCheck{
				address.Has("federal_tax_number", knownvalue.StringExact("11.222.333/0001-81")),
				address.Has("state_tax_number", knownvalue.StringExact("isento")),
				address.Has("address", knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"city": knownvalue.ObjectExact(map[string]knownvalue.Check{
						"code": knownvalue.StringExact("3550308"), "name": knownvalue.StringExact("SAO PAULO"), "state": knownvalue.StringExact("SP"),
					}),
					"country": knownvalue.ObjectPartial(map[string]knownvalue.Check{"code": knownvalue.Int64Exact(1058)}),
				})),
			},
		},
		{ // Fails where the import would plan a change.
			ResourceName: string(address), ImportState: true, ImportStateKind: resource.ImportBlockWithID,
			Config: strings.Replace(acctest.Config(s, companyConfig(companyFull)), "  deletion_protection = false\n", "", 1),
		},
		{
			Config: acctest.Config(s, companyConfig(strings.NewReplacer(
				"11.222.333/0001-81", "11222333000181", "isento", "ISENTO", "(11) 91234-5678", "11912345678", "+55 11 91234-5678", "5511912345678",
				"01310-100", "01310100", `name = "SAO PAULO", state = "SP"`, `code = "3550308"`,
			).Replace(companyFull))),
			ConfigPlanChecks: acctest.EmptyPlan(),
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

// The key is the full key after create, refresh, update and a
// plan, and never masked in state.
func TestAccCompany_keepsTheWholeKey(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	same := statecheck.CompareValue(compare.ValuesSame())
	checks := func() []statecheck.StateCheck {
		return []statecheck.StateCheck{
			address.Has("api_key", expectKey{s: s}),
			same.AddStateValue(string(address), tfjsonpath.New("api_key")),
			address.Has("api_key_masked", knownvalue.StringRegexp(regexp.MustCompile(`^[0-9a-f]{4}\*+$`))),
		}
	}
	config := acctest.Config(s, companyConfig(companyFull))
	acctest.Run(t, []resource.TestStep{
		{Config: config, ConfigStateChecks: checks()},
		{RefreshState: true, RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
			plancheck.ExpectEmptyPlan(), plancheck.ExpectSensitiveValue(string(address), tfjsonpath.New("api_key")),
		}}},
		{
			Config:            acctest.Config(s, companyConfig(strings.Replace(companyFull, "Padaria Central", "Padaria Nova", 1))),
			ConfigPlanChecks:  address.Plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: checks(),
		},
	})
}

func TestAccCompany_repairsDriftUpdatesInPlaceAndClears(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{ExtraFields: map[string][]string{sandbox.KindCompanies: {"backOfficeNotes"}}})
	acctest.Run(t, []resource.TestStep{
		{Config: acctest.Config(s, companyConfig(companyFull))},
		{
			PreConfig: func() {
				s.Patch(sandbox.KindCompanies, fixture.BranchID(s), map[string]any{
					"email": "other@example.com", "economicActivities": []any{map[string]any{"code": "1091102", "type": "main"}},
				})
			},
			Config:           acctest.Config(s, companyConfig(companyFull)),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
			Check: func(*terraform.State) error {
				company, _ := s.Object(sandbox.KindCompanies, fixture.BranchID(s))
				activities, _ := company["economicActivities"].([]any)
				if company["email"] != "fiscal@example.com" || len(activities) != 2 {
					return fmt.Errorf("not repaired: %v", company)
				}
				return nil
			},
		},
		{
			PreConfig: func() {
				s.Patch(sandbox.KindCompanies, fixture.BranchID(s), map[string]any{"backOfficeNotes": map[string]any{"kept": json.Number("1.50")}})
			},
			Config: acctest.Config(s, companyConfig(`
  name               = "Padaria Nova"
  legal_name         = "Padaria Central Ltda"
  federal_tax_number = "11222333000181"
  address            = { street = "Rua A", city = { code = "3304557" } }`)),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{
				address.Has("email", knownvalue.Null()),
				address.Has("economic_activities", knownvalue.Null()),
				statecheck.ExpectKnownValue(string(address), tfjsonpath.New("address").AtMapKey("city").AtMapKey("name"), knownvalue.StringExact("Rio de Janeiro")),
			},
			Check: func(*terraform.State) error {
				company, _ := s.Object(sandbox.KindCompanies, fixture.BranchID(s))
				if company["backOfficeNotes"] == nil || company["taxRegime"] != nil || company["name"] != "Padaria Nova" {
					return fmt.Errorf("the service holds %v: what is not managed must stay, what was cleared must go", company)
				}
				return nil
			},
		},
	})
	if n := s.Count("PUT", "/v1/companies/{id}"); n != 2 {
		t.Errorf("%d updates, want 2", n)
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
	empty := []statecheck.StateCheck{address.Has("id", knownvalue.StringExact(id)), address.Has("api_key", knownvalue.StringExact(""))}
	forget := "removed {\n  from = einvoice_company.test\n  lifecycle {\n    destroy = false\n  }\n}"
	acctest.Run(t, []resource.TestStep{
		{Config: config(id), ConfigStateChecks: empty},
		{Config: acctest.Config(s, forget)},
		{Config: config("federal_tax_number=11.222.333/0001-81"), ConfigStateChecks: empty},
		{Config: acctest.Config(s, forget)},
	})
	if n := fixture.CountWrites(s); n != 0 {
		t.Errorf("%d writes, want none: an import and a removal from state write nothing", n)
	}
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
					statecheck.ExpectIdentityValueMatchesState(string(address), tfjsonpath.New("id")),
				},
			},
			{
				ResourceName: string(address), ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity,
				Config: strings.Replace(acctest.Config(s, companyConfig(companyFull)), "  deletion_protection = false\n", "", 1),
			},
		},
	})
}

func TestAccCompany_extraJSONIsMergedAndComparedByItsKeys(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{ExtraFields: map[string][]string{sandbox.KindCompanies: {"notes", "flags"}}})
	config := acctest.Config(s, companyConfig(companyRequired+"\n  extra_json = jsonencode({ notes = \"vip\", flags = { a = 1 } })"))
	acctest.Run(t, []resource.TestStep{
		{Config: config},
		{
			PreConfig: func() {
				s.Patch(sandbox.KindCompanies, fixture.BranchID(s), map[string]any{"flags": map[string]any{"b": 2}})
			},
			Config: config, ConfigPlanChecks: acctest.EmptyPlan(),
		},
		{
			PreConfig: func() { s.Patch(sandbox.KindCompanies, fixture.BranchID(s), map[string]any{"notes": "changed"}) },
			Config:    config, ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
		},
	})
}

func TestCompany_refusesImportsOfNothing(t *testing.T) {
	t.Parallel()
	p := acctest.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	for id, want := range map[string]string{
		"federal_tax_number=99999999999999": `Company not found`,
		"cnpj=11222333000181":               `(?s)Invalid import ID.*federal_tax_number=11\.222\.333/0001-81`,
	} {
		imported, err := p.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "einvoice_company", ID: id})
		if err != nil {
			t.Fatal(err)
		}
		if text := acctest.ErrorsIn(imported.Diagnostics); !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%s: the error is %q, want %q", id, text, want)
		}
	}
}

// required are the arguments of a company, as companyRequired has them.
func required() map[string]any {
	return map[string]any{
		"name": "Padaria", "legal_name": "Padaria Central Ltda", "federal_tax_number": "11222333000181", "address": map[string]any{"city": map[string]any{"code": "3550308"}},
	}
}

func TestCompany_refusesWrongValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	acctest.WantRefusals(t, "einvoice_company", required(), []acctest.Refusal{
		{Name: "a name that is too long", At: "name", Value: strings.Repeat("a", 81), Want: `Invalid name.*1 to 80 characters.*has 81`},
		{Name: "an email that is too long", At: "email", Value: strings.Repeat("a", 81), Want: `Invalid email.*1 to 80 characters`},
		{Name: "a legal name that is empty", At: "legal_name", Value: "", Want: `Empty legal name.*omit`},
		{Name: "no tax number", At: "federal_tax_number", Want: `Missing Configuration for Required Attribute`},
		{Name: "a state tax number with text", At: "state_tax_number", Value: "livre", Want: `digits, with or without punctuation, or ISENTO`},
		{Name: "no economic activity in a list", At: "economic_activities", Value: []any{}, Want: `at least 1 element`},
		{Name: "an economic activity without a type", At: "economic_activities", Value: []any{map[string]any{"code": "1"}}, Want: `Missing Configuration for Required Attribute.*type`},
		{Name: "a phone that is too long", At: "phone", Value: "+55 11 91234-5678 9999", Want: `Invalid phone.*1 to 15 characters`},
		{Name: "a city without a state", At: "address.city", Value: map[string]any{"name": "Natal"}, Want: `Incomplete city`},
		{Name: "a field with an attribute of its own", At: "extra_json", Value: `{"taxRegime":"x"}`, Want: `Field with an attribute.*tax_regime`},
		{Name: "a key among the extra fields", At: "extra_json", Value: `{"apiCredentials":{}}`, Want: `Field with an attribute`},
	})
}

func TestCompany_warnsOfAMissingCityBeforeItIsCreated(t *testing.T) {
	t.Parallel()
	o := acctest.Serve(t, sandbox.Start(t, sandbox.Options{}), nil).Object("einvoice_company")
	for _, address := range []any{nil, map[string]any{"street": "Rua A"}, required()["address"], tftypes.UnknownValue} {
		arguments := required()
		arguments["address"] = address
		_, said := o.Plan(o.Value(o.Type, arguments))
		given, _ := address.(map[string]any)
		_, streetAlone := given["street"]
		if want := address == nil || streetAlone; (len(said) == 1 && strings.Contains(said[0].Summary, "without a city")) != want || len(said) > 1 {
			t.Errorf("the address %v: %d messages, and a warning is wanted: %t", address, len(said), want)
		}
	}
}

func TestCompany_onlyWarnsOfWordsThatAreNotSpecified(t *testing.T) {
	t.Parallel()
	arguments := required()
	arguments["tax_regime"], arguments["economic_activities"] = "lucroPresumido", []any{map[string]any{"code": "1", "type": "other"}}
	o := acctest.Serve(t, sandbox.Start(t, sandbox.Options{}), nil).Object("einvoice_company")
	_, said := o.Plan(o.Value(o.Type, arguments))
	if text := acctest.ErrorsIn(said); text != "" || len(said) != 2 {
		t.Errorf("%d messages, want two warnings; errors: %q", len(said), text)
	}
}
